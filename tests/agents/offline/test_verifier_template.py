"""The verifier on the template register: every operator, every template, against a plain reading of the trace."""

from __future__ import annotations

import itertools
import json
import random
import subprocess
import sys
import unicodedata

import pytest

from agents.offline.verifier import verify
from graph_sampler.operators import BY_NAME, OPERATOR_NAMES, ORDINAL_BY_NAME, relate
from graph_sampler.templates import Verbaliser, structure_hint
from state.fact import LabelledFact, TemporalFact
from state.interval import Granularity
from state.roles import VerifyRequest
from state.trace import FilterStep, OrdinalStep, PairwiseStep, RootStep, Step, Trace, TransitionStep
from state.vocabulary import Family, RankOrder, Template

RELATIONS = {"R1": "member of sports team", "R2": "award received", "R3": 'the "big" role, and more', "R4": "founded"}
POINTS = {"R2", "R4"}
TEMPLATES = list(Template)


def label_of(entity: str) -> str:
    return {"E0": 'Say "No", and go; and X', "E1": "José Ólaf"}.get(entity, f"Entity {entity[1:]}")


def random_facts(rng: random.Random) -> list[TemporalFact]:
    facts = {}
    for _ in range(60):
        relation = rng.choice(list(RELATIONS))
        start = rng.randrange(1990, 1998)
        end = start if relation in POINTS else start + rng.randrange(0, 5)
        subject, object_ = rng.sample([f"E{i}" for i in range(9)], 2)
        fact = TemporalFact(subject=subject, relation=relation, object=object_, start=str(start), end=str(end))
        facts[subject, relation, object_, fact.start] = fact
    return list(facts.values())


def span(fact: TemporalFact) -> tuple[int, int]:
    return int(fact.start), int(fact.end)


def matches(pattern: tuple[str, str, str], fact: TemporalFact, row: dict[str, str]) -> dict[str, str] | None:
    if fact.relation != pattern[1]:
        return None
    row = dict(row)
    for end, value in ((pattern[0], fact.subject), (pattern[2], fact.object)):
        if (row.setdefault(end, value) if end.startswith("?") else end) != value:
            return None
    return row


def execute(trace: Trace, facts: list[TemporalFact]) -> set[str]:
    """The meaning of a trace, step by step, as plainly as it can be said."""
    rows: list[tuple[dict[str, str], dict[str, TemporalFact]]] = [({}, {})]
    for step in trace.steps:
        if isinstance(step, PairwiseStep):
            kept = []
            for row in rows:
                left = row[1][step.left]
                right = row[1][step.right] if step.right in row[1] else trace.references[step.right]
                family = BY_NAME[step.operator].family
                a, b = (TemporalFact.model_validate(f.model_dump()).interval for f in (left, right))
                if left != right and relate(family, a, b).name == step.operator:
                    kept.append(row)
            rows = kept
        elif isinstance(step, OrdinalStep):
            key = ORDINAL_BY_NAME[step.operator].key
            values = sorted({key(*span(row[1][step.fact])) for row in rows}, reverse=step.order is RankOrder.DESCENDING)
            wanted = values[step.rank - 1 : step.rank]
            rows = [row for row in rows if [key(*span(row[1][step.fact]))] == wanted]
        else:
            rows = [
                (bound, {**row[1], step.fact: fact})
                for row, fact in itertools.product(rows, facts)
                if (bound := matches(step.pattern, fact, row[0])) is not None
            ]
    return {row[0][trace.answer_variable] for row in rows}


def random_structure(rng: random.Random, template: Template, facts: list[TemporalFact]) -> list[Step] | None:
    """Structural steps that some walk over the facts satisfies."""
    fact = rng.choice(facts)
    here, fixed, forward = (fact.subject, fact.object, True) if rng.random() < 0.5 else (fact.object, fact.subject, False)
    pattern = ("?a", fact.relation, fixed) if forward else (fixed, fact.relation, "?a")
    steps: list[Step] = [RootStep(fact="f1", pattern=pattern, candidates=1)]
    if template is Template.BRANCH:
        others = [f for f in facts if here in (f.subject, f.object) and f != fact]
        if not others:
            return None
        other = rng.choice(others)
        pattern = ("?a", other.relation, other.object) if other.subject == here else (other.subject, other.relation, "?a")
        steps.append(FilterStep(fact="f2", pattern=pattern, candidates=1))
    for name, old, new in [("f2", "?a", "?b"), ("f3", "?b", "?c")][: template.hop_count - 1 if template.is_chain else 0]:
        others = [f for f in facts if here in (f.subject, f.object)]
        other = rng.choice(others)
        forward = other.subject == here
        here = other.object if forward else other.subject
        pattern = (old, other.relation, new) if forward else (new, other.relation, old)
        steps.append(TransitionStep(fact=name, pattern=pattern, candidates=1))
    return steps


def random_trace(rng: random.Random, template: Template, operator: str, facts: list[TemporalFact]) -> Trace | None:
    steps = random_structure(rng, template, facts)
    if steps is None:
        return None
    names = {step.fact: step.pattern for step in steps}  # type: ignore[union-attr]
    references = {}
    if operator in ORDINAL_BY_NAME:
        chosen = [n for n, p in names.items() if operator == "start_rank" or p[1] not in POINTS]
        if not chosen:
            return None
        fact = rng.choice(chosen)
        order = rng.choice(list(RankOrder))
        new: Step = OrdinalStep(constraint="c1", operator=operator, fact=fact, rank=1, order=order, candidates=1)
        after = fact
    else:
        family = BY_NAME[operator].family
        types = {n: "P" if p[1] in POINTS else "I" for n, p in names.items()}
        pairs = [(a, b) for a, b in itertools.combinations(names, 2) if f"{types[a]}-{types[b]}" == family]
        # A reference is bound under one of the trace's own fact names.
        matching = [f for f in facts for p in names.values() if matches(p, f, {}) is not None]
        spans = [(f.subject, f.relation, f.object) for f in facts]
        single = [f for f in matching if spans.count((f.subject, f.relation, f.object)) == 1]
        pairs += [(n, f) for n in names for f in single if f"{types[n]}-{'P' if f.relation in POINTS else 'I'}" == family]
        if not pairs:
            return None
        left, right = rng.choice(pairs)
        if isinstance(right, TemporalFact):
            references, right = {"g1": right}, "g1"
        new = PairwiseStep(constraint="c1", operator=operator, left=left, right=right, candidates=1)
        after = max(left, right if right in names else left)
    if template is Template.BRANCH:
        after = "f2"
    place = list(names).index(after) + 1
    return Trace(
        template=template,
        answer_variable="?a" if not template.is_chain else ["?a", "?b", "?c"][template.hop_count - 1],
        steps=(*steps[:place], new, *steps[place:]),
        references=references,
    )


def labelled(fact: TemporalFact) -> LabelledFact:
    return LabelledFact(
        **fact.model_dump(),
        subject_label=label_of(fact.subject),
        relation_label=RELATIONS[fact.relation],
        object_label=label_of(fact.object),
    )


def request_of(trace: Trace, facts: list[TemporalFact]) -> VerifyRequest:
    entities = {end for fact in facts for end in (fact.subject, fact.object)}
    verbaliser = Verbaliser({**RELATIONS, **{e: label_of(e) for e in entities}}, POINTS, Granularity.YEAR)
    hint = structure_hint(trace.template, [RELATIONS[s.pattern[1]] for s in trace.steps if hasattr(s, "pattern")])
    return VerifyRequest(question=verbaliser.question(trace), evidence=tuple(map(labelled, facts)), structure_hint=hint)


def cases(operator: str, template: Template, count: int) -> list[tuple[Trace, list[TemporalFact]]]:
    found: list[tuple[Trace, list[TemporalFact]]] = []
    for seed in range(300):
        rng = random.Random(f"{operator} {template} {seed}")
        facts = random_facts(rng)
        trace = random_trace(rng, template, operator, facts)
        if trace is not None and execute(trace, facts):
            found.append((trace, facts))
        if len(found) == count:
            break
    return found


def is_possible(operator: str, template: Template) -> bool:
    """A one-hop question compares facts of one relation, so never a point with an interval."""
    mixed = operator in BY_NAME and BY_NAME[operator].family in (Family.P_I, Family.I_P)
    return template is not Template.ONE_HOP or not mixed


@pytest.mark.parametrize(("operator", "template"), [pair for pair in itertools.product(OPERATOR_NAMES, TEMPLATES) if is_possible(*pair)])
def test_template_question_gives_what_its_trace_gives(operator: str, template: Template) -> None:
    found = cases(operator, template, 2)
    assert len(found) == 2
    for trace, facts in found:
        reply = verify(request_of(trace, facts), "all")
        assert not reply.cannot_tell
        assert sorted(reply.answers) == sorted(label_of(e) for e in execute(trace, facts))


def test_every_conjunction_of_constraints_is_executed_in_stages() -> None:
    checked = 0
    for seed in range(2000):
        rng = random.Random(seed)
        facts = random_facts(rng)
        first = random_trace(rng, rng.choice(TEMPLATES[1:]), rng.choice(["I-before-I", "P-before-P", "P-before-I"]), facts)
        if first is None or not execute(first, facts) or first.references:
            continue
        pairs = [s for s in first.steps if isinstance(s, PairwiseStep)]
        ordinal = OrdinalStep(constraint="c2", operator="start_rank", fact=pairs[0].right, rank=1, order=RankOrder.DESCENDING, candidates=1)
        place = first.steps.index(pairs[0]) + 1
        trace = first.model_copy(update={"steps": (*first.steps[:place], ordinal, *first.steps[place:])})
        reply = verify(request_of(trace, facts), "all")
        assert sorted(reply.answers) == sorted(label_of(e) for e in execute(trace, facts))
        checked += 1
        if checked == 20:
            break
    assert checked >= 20


def test_template_question_is_read_in_a_fresh_process_after_normalisation() -> None:
    trace, facts = cases("I-overlaps-I", Template.BRANCH, 1)[0]
    request = request_of(trace, facts)
    question = unicodedata.normalize("NFKC", request.question)
    question = "".join(sign for sign in question if unicodedata.category(sign) != "Cf")
    text = json.dumps({**request.model_dump(mode="json"), "question": question})
    script = (
        "import sys\nfrom agents.offline.verifier import verify\nfrom state.roles import VerifyRequest\n"
        "print(verify(VerifyRequest.model_validate_json(sys.stdin.read()), 'all').model_dump_json())"
    )
    done = subprocess.run([sys.executable, "-c", script], input=text, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == {"answers": sorted(label_of(e) for e in execute(trace, facts)), "cannot_tell": False}


@pytest.mark.parametrize("seed", range(5))
def test_order_and_ids_of_the_evidence_do_not_matter(seed: int) -> None:
    trace, facts = cases("I-after-I", Template.TWO_HOP, 1)[0]
    request = request_of(trace, facts)
    rng = random.Random(seed)
    evidence = [f.model_dump() for f in request.evidence]
    rng.shuffle(evidence)
    ids = sorted({f[k] for f in evidence for k in ("subject", "object", "relation")})
    new = dict(zip(ids, rng.sample(range(1000), len(ids)), strict=True))
    renamed = tuple(LabelledFact.model_validate({**f, **{k: f"Z{new[f[k]]}" for k in ("subject", "object", "relation")}}) for f in evidence)
    assert verify(request.model_copy(update={"evidence": renamed}), "all") == verify(request, "all")


def test_single_mode_names_one_of_those_that_fit() -> None:
    trace, facts = next(c for c in cases("P-after-P", Template.ONE_HOP, 20) if len(execute(*c)) > 1)
    every = verify(request_of(trace, facts), "all").answers
    assert verify(request_of(trace, facts), "single").answers == every[:1]


@pytest.mark.parametrize("cut", [1, 10, 30, 60])
def test_truncated_template_question_cannot_be_told(cut: int) -> None:
    trace, facts = cases("P-after-I", Template.BRANCH, 1)[0]
    request = request_of(trace, facts)
    assert verify(request.model_copy(update={"question": request.question[:-cut]}), "all").cannot_tell


def test_clause_outside_the_register_cannot_be_told() -> None:
    trace, facts = cases("P-after-I", Template.BRANCH, 1)[0]
    request = request_of(trace, facts)
    question = request.question[:-1] + ", and X was born in Paris?"
    assert verify(request.model_copy(update={"question": question}), "all").cannot_tell
