"""One instance -> what the page's script draws of it: fixed keys, places in lists, and text made harmless.

Labels and the texts of models stand only where a string is shown; none is ever a key, so a label such as
`__proto__` is a label like any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import orjson

from evaluation.pages.tables import rounded
from evaluation.run_report.instances import ReportedInstance
from evaluation.run_report.time_axis import TimeAxis, span_reading
from graph_sampler.execute import Row, execute
from graph_sampler.operators import BY_NAME
from runs.terminal import shown
from state.fact import TemporalFact
from state.instance import BenchmarkRecord
from state.interval import parse_iso
from state.trace import OrdinalStep, PairwiseStep, StructuralStep
from state.trajectory import Try, Visit
from state.vocabulary import Family, Outcome

MOST_REPLY = 600
"""Characters of an unusable reply that are shown."""
_BAD = {Outcome.DISAGREES, Outcome.LEAKS, Outcome.NO_USABLE_REPLY}
_POINT_SIDES = {Family.P_I: (True, False), Family.I_P: (False, True), Family.P_P: (True, True), Family.I_I: (False, False)}


def list_entry(instance: ReportedInstance) -> list[Any]:
    """What the list of instances shows of one, and what a search in it reads.

    Its id, template, part, operators, fate, the question it has come to, and its template question if that is another one.
    """
    record = instance.record
    question = instance.last_written or record.raw_question
    return [
        shown(record.id),
        record.graph_structure.value,
        record.constraint_part.value,
        list(dict.fromkeys(record.operators)),
        instance.fate,
        shown(question),
        "" if question == record.raw_question else shown(record.raw_question),
    ]


def instance_data(instance: ReportedInstance) -> dict[str, Any]:
    """All that the page says of an instance."""
    record = instance.record
    rows = _rows_left(record)
    labels = _Labels(record)
    facts = _drawn(record, rows)
    axis = TimeAxis([(fact.start, fact.end) for fact in facts])
    proof = set(record.support_facts)
    others = [fact for fact in record.evidence if fact not in proof]
    return {
        "id": shown(record.id),
        "template": record.graph_structure.value,
        "part": record.constraint_part.value,
        "hops": record.hop_count,
        "fate": instance.fate,
        "detail": shown(instance.detail),
        "raw": shown(record.raw_question),
        "final": None if instance.question is None else shown(instance.question),
        "written": None if instance.last_written is None else shown(instance.last_written),
        "answer": shown(record.answer),
        "answerId": shown(record.answer_id),
        "aliases": [shown(alias) for alias in record.answer_aliases],
        "source": shown(record.provenance.source),
        "seed": record.provenance.seed,
        "hint": shown(record.structure_hint),
        "unit": axis.unit,
        "funnel": list(_funnel(record)),
        "constraints": [[name, operator, shown(text), *places] for name, operator, text, places in _constraints(record, rows, facts)],
        "facts": _facts(record, facts, labels, axis),
        "marks": [list(mark) for mark in axis.marks()],
        "evidence": [labels.fact(fact) for fact in sorted(others, key=_order)],
        "labels": labels.texts,
        "visits": [_visit(visit) for visit in instance.visits],
        "cost": _cost([attempt for visit in instance.visits for attempt in visit.tries]),
    }


def script_json(data: Any) -> bytes:
    """Data as JSON that may stand in a script, or within a script element: nothing in it can end either.

    >>> script_json({"label": "</script>"})
    b'{"label":"\\\\u003c/script\\\\u003e"}'
    """
    text = orjson.dumps(data)
    for raw, escaped in _ESCAPES:
        if raw in text:
            text = text.replace(raw, escaped)
    return text


_ESCAPES = (
    (b"<", b"\\u003c"),
    (b">", b"\\u003e"),
    (b"&", b"\\u0026"),
    ("\u2028".encode(), b"\\u2028"),
    ("\u2029".encode(), b"\\u2029"),
)


class _Labels:
    """The labels that an instance's facts name, each written once."""

    def __init__(self, record: BenchmarkRecord) -> None:
        self._record = record
        self._places: dict[str, int] = {}
        self.texts: list[str] = []

    def place(self, ident: str) -> int:
        place = self._places.get(ident)
        if place is None:
            place = self._places[ident] = len(self.texts)
            self.texts.append(_label(self._record.labels[ident]))
        return place

    def fact(self, fact: TemporalFact) -> list[Any]:
        """Places of its labels, and when it holds."""
        return [self.place(fact.subject), self.place(fact.relation), self.place(fact.object), span_reading(fact.start, fact.end)]


_label = lru_cache(maxsize=1 << 15)(shown)  # the same entities stand in one instance after another


def _rows_left(record: BenchmarkRecord) -> tuple[Row, ...]:
    """The rows left at the end.

    The support facts alone give them, unless a fact was ranked: its rank is one among all of the evidence.
    """
    is_ranked = any(isinstance(step, OrdinalStep) for step in record.trace.steps)
    return execute(record.trace, record.evidence if is_ranked else record.support_facts).rows


def _drawn(record: BenchmarkRecord, rows: tuple[Row, ...]) -> dict[TemporalFact, tuple[str, ...]]:
    """Each support fact with the names under which it is bound: the rows' facts first, hop by hop, then the references."""
    names: dict[TemporalFact, dict[str, None]] = {fact: {} for fact in record.support_facts}
    for name, fact in (*(pair for row in rows for pair in row.facts.items()), *record.trace.references.items()):
        if fact in names:
            names[fact][name] = None
    order = [step.fact for step in record.trace.steps if isinstance(step, StructuralStep)] + sorted(record.trace.references)
    rank = {name: place for place, name in enumerate(order)}

    def place(fact: TemporalFact) -> tuple[int, tuple[str, int, int, str, str]]:
        return min((rank[name] for name in names[fact]), default=len(rank)), _order(fact)

    return {fact: tuple(sorted(names[fact], key=lambda name: rank[name])) for fact in sorted(names, key=place)}


def _facts(record: BenchmarkRecord, facts: dict[TemporalFact, tuple[str, ...]], labels: _Labels, axis: TimeAxis) -> list[list[Any]]:
    """What is drawn: labels, when, the names, both ends on the axis, whether it is a point, whether it is a reference."""
    points = _point_relations(record)
    return [
        [
            *labels.fact(fact),
            list(names),
            *axis.span(fact.start, fact.end),
            int(fact.relation in points),
            int(any(name in record.trace.references for name in names)),
        ]
        for fact, names in facts.items()
    ]


def _constraints(
    record: BenchmarkRecord, rows: tuple[Row, ...], facts: dict[TemporalFact, tuple[str, ...]]
) -> Iterator[tuple[str, str, str, tuple[list[int], list[int]]]]:
    """Each constraint: its name, operator and sentence, and which of the drawn facts stand on its left and on its right."""
    places = {fact: place for place, fact in enumerate(facts)}
    steps = [step for step in record.trace.steps if isinstance(step, PairwiseStep | OrdinalStep)]
    for step, text in zip(steps, _padded(record.temporal_constraints, steps), strict=False):
        names = (step.left, step.right) if isinstance(step, PairwiseStep) else (step.fact, "")
        left, right = (sorted({places[fact] for row in rows if (fact := _bound(record, row, name)) in places}) for name in names)
        yield step.constraint, step.operator, text.removeprefix(f"{step.operator}: "), (left, right)


def _bound(record: BenchmarkRecord, row: Row, name: str) -> TemporalFact | None:
    return row.facts.get(name) or record.trace.references.get(name)


def _point_relations(record: BenchmarkRecord) -> set[str]:
    """Relations that are drawn as points: a constraint reads them so, or none of their facts here is longer than one granule."""
    by_name = {step.fact: step.pattern[1] for step in record.trace.steps if isinstance(step, StructuralStep)}
    by_name |= {name: fact.relation for name, fact in record.trace.references.items()}
    points = {fact.relation for fact in record.evidence} - {fact.relation for fact in record.evidence if fact.start != fact.end}
    for step in record.trace.steps:
        if isinstance(step, PairwiseStep):
            for name, is_point in zip((step.left, step.right), _POINT_SIDES[BY_NAME[step.operator].family], strict=True):
                (points.add if is_point else points.discard)(by_name[name])
    return points


def _funnel(record: BenchmarkRecord) -> Iterator[list[Any]]:
    """Each step: what it does, the sentence without its count, and the candidates after it."""
    for step, sentence in zip(record.trace.steps, _padded(record.space_search_process, record.trace.steps), strict=False):
        action, _, text = sentence.rpartition(" | ")[0].partition(": ")
        name = step.constraint if isinstance(step, PairwiseStep | OrdinalStep) else step.fact
        yield [str(step.action), name, shown(text or action), step.candidates]


def _padded(sentences: Sequence[str], steps: Sequence[object]) -> tuple[str, ...]:
    """A sentence for each step, an empty one where the record has none."""
    return (*sentences, *([""] * len(steps)))


def _visit(visit: Visit) -> dict[str, Any]:
    prompt = f"prompt {visit.prompt.version} ({visit.prompt.sha256[:12]})" if visit.prompt else ""
    return {
        "node": visit.node.value,
        "who": shown(", ".join(part for part in (visit.role.value, f"mode {visit.mode}" if visit.mode else "", prompt) if part)),
        "outcome": visit.outcome.value,
        "isBad": visit.outcome in _BAD,
        "to": visit.to,
        "question": shown(str(visit.result["question"])) if "question" in visit.result else None,
        "result": [[shown(name), _value(value)] for name, value in visit.result.items() if name != "question"],
        "tries": [_try(attempt) for attempt in visit.tries],
    }


def _value(value: Any) -> str:
    if isinstance(value, str):
        return shown(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
        return "; ".join(map(shown, value)) if value else "none"
    return shown(orjson.dumps(value).decode())


def _try(attempt: Try) -> list[str]:
    """What is known of a try, and of one that could not be used the reply."""
    parts = [attempt.request.model, _cost([attempt])]
    if attempt.cached:
        parts.append("from the cache")
    if attempt.error is None:
        return [shown(", ".join(part for part in parts if part)), ""]
    parts.append(f"{attempt.error.value}: {attempt.error_detail}" if attempt.error_detail else attempt.error.value)
    reply = attempt.reply_raw or ""
    cut = reply if len(reply) <= MOST_REPLY else f"{reply[:MOST_REPLY]}…"
    return [shown(", ".join(part for part in parts if part)), shown(cut)]


def _cost(tries: list[Try]) -> str:
    """Tokens and price of some tries; empty where nothing was counted."""
    parts = []
    tokens_in, tokens_out = (sum(getattr(attempt.usage, name) for attempt in tries) for name in ("input", "output"))
    if tokens_in or tokens_out:
        parts.append(f"{tokens_in} tokens in, {tokens_out} out")
    priced = [attempt.usd for attempt in tries if attempt.usd is not None]
    if priced:
        parts.append(f"{rounded(sum(priced), 6)} USD")
    return ", ".join(parts)


def _order(fact: TemporalFact) -> tuple[str, int, int, str, str]:
    return fact.relation, parse_iso(fact.start)[0], parse_iso(fact.end)[0], fact.subject, fact.object
