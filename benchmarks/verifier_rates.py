"""How good the offline verifier is: coverage of free English, acceptance of whole questions, detection of damage.

    python -m benchmarks.verifier_rates [--records N] [--seed S] [--graph GRAPH] [--examples N] [--markdown FILE]

Run from the root of the repository. All figures are of the offline rules, never of a language model.
A question is accepted if the verifier names the gold answer and nothing else, detected if it does not:
it names another set of entities (the empty one included) or abstains. A damaged question that still
names exactly the gold answer is missed, unless its damage is an unnecessary constraint, which leaves the
answer as it is.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from agents.offline.rewriter import rewrite, rewrite_plainly
from agents.offline.verifier import verify
from evaluation.damage.trace_damage import FILTER, Damage, damages, random_stream
from graph_sampler.load import load_graph
from graph_sampler.operators import OPERATOR_NAMES
from graph_sampler.sampler import sample_traces
from graph_sampler.templates import Verbaliser
from state.config import Config
from state.fact import LabelledFact
from state.instance import BenchmarkRecord
from state.interval import Granularity
from state.roles import RewriteRequest, VerifyRequest
from state.study import DamageKind
from state.trace import OrdinalStep, PairwiseStep
from state.vocabulary import RelationType

FREE_QUESTIONS = tuple(sorted((Path(__file__).resolve().parents[1] / "tests" / "data").glob("free_questions*.jsonl")))
"""Files of questions written by hand, each frozen by a test."""
AT_FREEZE = (
    "The version that stood when the sixty of `free_questions.jsonl` were frozen, untuned on any of them, got 13 right and 5 wrong "
    "and could not tell 42."
)
"""The first measurement, which no later version can repeat once somebody has looked."""
GRANULARITY = {"bundled:days": Granularity.DAY}
"""Unit of time of the shipped graphs that are not in years."""

Table = list[list[str]]


class Reading(StrEnum):
    """What the verifier made of a question."""

    GOLD = "gold"
    """It named the gold answer and nothing else."""
    ANOTHER = "another set"
    """It named another set of entities, which may be empty."""
    ABSTAINED = "abstained"
    """It could not tell."""


class Register(StrEnum):
    """In which words a trace is asked."""

    REWRITTEN = "rewritten"
    PLAIN = "plain rewrite"
    TEMPLATE = "template"


class Sampled(NamedTuple):
    """Records of one graph and what it takes to word other traces over it."""

    records: list[BenchmarkRecord]
    points: frozenset[str]
    """Ids of the point relations."""
    granularity: Granularity


class Asked(NamedTuple):
    """One question, harmed or not, and how it was read."""

    record: BenchmarkRecord
    operators: tuple[str, ...]
    """The record's operators; for damage the one that was damaged."""
    kind: DamageKind | None
    """`None`: not harmed."""
    question: str
    reading: Reading
    answers: tuple[str, ...]
    expected: tuple[str, ...]
    """Sorted labels of what the worded trace names on the evidence."""


def sample(graph: str, count: int, seed: int) -> Sampled:
    """Records drawn from a graph by the sampler."""
    unit = GRANULARITY.get(graph, Granularity.YEAR)
    config = Config.model_validate(
        {"dataset": "rates", "graph": {"path": graph, "granularity": unit.value}, "sampler": {"target": count, "seed": seed}}
    )
    loaded, _ = load_graph(config.graph)
    lines = sample_traces(loaded, config).lines
    points = frozenset(name for name, kind in zip(loaded.relation_ids, loaded.relation_types, strict=True) if kind is RelationType.POINT)
    return Sampled([BenchmarkRecord.model_validate_json(line) for line in lines], points, unit)


def read(question: str, evidence: tuple[LabelledFact, ...], hint: str, gold: str) -> tuple[Reading, tuple[str, ...]]:
    """What the verifier, asked for all answers, makes of a question; and the answers."""
    reply = verify(VerifyRequest(question=question, evidence=evidence, structure_hint=hint), "all")
    if reply.cannot_tell:
        return Reading.ABSTAINED, ()
    return (Reading.GOLD if reply.answers == (gold,) else Reading.ANOTHER), reply.answers


def word(raw_question: str, record: BenchmarkRecord, register: Register) -> str:
    """A template question in a register, by the offline rewriter."""
    if register is Register.TEMPLATE:
        return raw_question
    support = tuple(record.labelled(fact) for fact in record.support_facts)
    request = RewriteRequest(template_question=raw_question, support_facts=support, answer=record.answer)
    return (rewrite if register is Register.REWRITTEN else rewrite_plainly)(request).question


def unharmed(sampled: Sampled, register: Register) -> list[Asked]:
    """Each record's own question in a register, verified."""
    return [_ask(record, record.raw_question, register, record.operators, None, (record.answer,)) for record in sampled.records]


def damage_all(sampled: Sampled) -> list[tuple[BenchmarkRecord, Damage]]:
    """The kept damages of each record, each drawn from the record's own random stream."""
    return [(record, damage) for record in sampled.records for damage in damages(record, sampled.points, random_stream(0, record.id))]


def can_show(asked: Iterable[Asked]) -> list[Asked]:
    """Those whose damage changes the answer; what an unnecessary constraint does, no answer can show."""
    return [one for one in asked if one.kind is not DamageKind.UNNECESSARY]


def harmed(sampled: Sampled, damaged: Iterable[tuple[BenchmarkRecord, Damage]], register: Register) -> list[Asked]:
    """The questions of damaged traces in a register, worded by the code that words whole traces, and verified.

    The rewriter is made for traces with a temporal constraint; one that lost its only constraint and
    that the rewriter cannot word is left out, as is said beside the table.
    """
    asked = []
    for record, damage in damaged:
        raw = Verbaliser(record.labels, sampled.points, sampled.granularity).question(damage.trace)
        expected = tuple(sorted(record.labels[entity] for entity in damage.answers))
        try:
            asked.append(_ask(record, raw, register, (damage.operator,), damage.kind, expected))
        except ValueError:
            if any(isinstance(step, PairwiseStep | OrdinalStep) for step in damage.trace.steps):
                raise
    return asked


def _ask(
    record: BenchmarkRecord, raw: str, register: Register, operators: tuple[str, ...], kind: DamageKind | None, expected: tuple[str, ...]
) -> Asked:
    question = word(raw, record, register)
    evidence = tuple(record.labelled(fact) for fact in record.evidence)
    reading, answers = read(question, evidence, record.structure_hint, record.answer)
    return Asked(record, operators, kind, question, reading, answers, expected)


def free_coverage() -> dict[str, list[tuple[str, Reading]]]:
    """The frozen free questions of each file and how each is read."""
    found: dict[str, list[tuple[str, Reading]]] = {}
    for path in FREE_QUESTIONS:
        for line in path.read_text(encoding="utf-8").splitlines():
            entry = json.loads(line)
            evidence = tuple(LabelledFact.model_validate(fact) for fact in entry["evidence"])
            reading, _ = read(entry["question"], evidence, entry["structure_hint"], entry["answer"])
            found.setdefault(path.name, []).append((entry["question"], reading))
    return found


def share(part: int, whole: int) -> str:
    """`12 of 60 (20.0 %)`; a share of nothing is a dash."""
    return f"{part} of {whole} ({100 * part / whole:.1f} %)" if whole else "-"


def coverage_table(by_file: dict[str, list[tuple[str, Reading]]]) -> Table:
    """Right, cannot tell and wrong over the free questions of each file."""
    table = [["file", "free questions", "share"]]
    for name, readings in by_file.items():
        counts = Counter(reading for _, reading in readings)
        rows = [("right", Reading.GOLD), ("cannot tell", Reading.ABSTAINED), ("wrong", Reading.ANOTHER)]
        table += [[name, word, share(counts[reading], len(readings))] for word, reading in rows]
    return table


def acceptance_table(by_register: dict[Register, list[Asked]]) -> Table:
    """Accepted share for each operator and register; a record counts under each operator that it has."""
    table = [["operator", "records", *(register.value for register in by_register)]]
    first = next(iter(by_register.values()))
    for name in (*OPERATOR_NAMES, "all"):
        picked = {register: [one for one in asked if name in ("all", *one.operators)] for register, asked in by_register.items()}
        whole = sum(name in ("all", *one.operators) for one in first)
        table.append([name, str(whole), *(_percent(_count(asked, Reading.GOLD), len(asked)) for asked in picked.values())])
    return table


def reading_table(by_register: dict[Register, list[Asked]]) -> Table:
    """Accepted, disagreed and abstained over all records for each register."""
    table = [["register", "accepted", "named another set", "abstained"]]
    for register, asked in by_register.items():
        counts = [_count(asked, reading) for reading in (Reading.GOLD, Reading.ANOTHER, Reading.ABSTAINED)]
        table.append([register.value, *(share(count, len(asked)) for count in counts)])
    return table


def damage_table(asked: Sequence[Asked]) -> Table:
    """For each damaged operator and kind `another / abstained / missed`; the last column is of the kinds that an answer can show."""
    kinds = list(DamageKind)
    table = [["operator", *(kind.value for kind in kinds), f"all but {DamageKind.UNNECESSARY.value}"]]
    for name in (*OPERATOR_NAMES, FILTER, "all"):
        own = [one for one in asked if name in ("all", *one.operators)]
        table.append([name, *(_triple([one for one in own if one.kind is kind]) for kind in kinds), _triple(can_show(own))])
    return table


def unnecessary_table(by_register: dict[Register, list[Asked]]) -> Table:
    """How questions with an unnecessary constraint are read in each register."""
    return reading_table(
        {register: [one for one in asked if one.kind is DamageKind.UNNECESSARY] for register, asked in by_register.items()}
    )


def detection_table(by_register: dict[Register, list[Asked]]) -> Table:
    """Detected and missed damage, over all kinds that an answer can show, for each register."""
    table = [["register", "named another set", "of these as the damaged trace does", "abstained", "missed"]]
    for register, every in by_register.items():
        asked = can_show(every)
        another = [one for one in asked if one.reading is Reading.ANOTHER]
        exact = sum(one.answers == one.expected for one in another)
        cells = [share(len(another), len(asked)), share(exact, len(another))]
        cells += [share(_count(asked, reading), len(asked)) for reading in (Reading.ABSTAINED, Reading.GOLD)]
        table.append([register.value, *cells])
    return table


def _count(asked: Iterable[Asked], reading: Reading) -> int:
    return sum(one.reading is reading for one in asked)


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"


def _triple(asked: Sequence[Asked]) -> str:
    counts = [_count(asked, reading) for reading in (Reading.ANOTHER, Reading.ABSTAINED, Reading.GOLD)]
    return " / ".join(map(str, counts)) if asked else "-"


def as_text(table: Table) -> str:
    """A table in aligned columns."""
    widths = [max(len(row[place]) for row in table) for place in range(len(table[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in table)


def as_markdown(table: Table) -> str:
    """A table in Markdown."""
    head, *body = ("| " + " | ".join(row) + " |" for row in table)
    return "\n".join([head, "| " + " | ".join("---" for _ in table[0]) + " |", *body])


Section = tuple[str, str, list[Table]]
"""Heading, what the figures mean, tables."""


def sections(sampled: Sampled, graph: str, seed: int) -> tuple[list[Section], dict[Register, list[Asked]], list[Asked]]:
    """All tables, the unharmed questions by register, and the harmed ones in the rewritten register."""
    whole = {register: unharmed(sampled, register) for register in Register}
    damaged = damage_all(sampled)
    broken = {register: harmed(sampled, damaged, register) for register in Register}
    found: list[Section] = [
        (
            "Coverage of free English",
            "Questions written by hand in free English, over evidence of the two shipped graphs, all 29 operators and four templates "
            "among those of each file. They were written after the verifier's first version but without sight of it, and are frozen by a "
            "hash. "
            f"Wrong: it named another set than the answer. {AT_FREEZE}",
            [coverage_table(free_coverage())],
        ),
        (
            "Acceptance of whole questions",
            f"{len(sampled.records)} records sampled from `{graph}` (seed {seed}), asked in three registers. Accepted: the verifier, in "
            "mode `all`, names the gold answer and nothing else. A record counts under each operator that it has.",
            [reading_table(whole), acceptance_table(whole)],
        ),
        (
            "Detection of damaged questions",
            f"{len(damaged)} damages of the same records: one constraint, or the structural filter, damaged in the trace; worded by the "
            "same code as the whole ones. Kept only if the damaged trace names another set on the evidence; an unnecessary constraint only "
            "if it leaves the answer as it is, so that no answer can show it: it is left out of the first table and of the last column. A "
            "trace that lost its only constraint is left out where the rewriter has no words for it. Cells of the second table, for the "
            "rewritten register: named another set / abstained / missed. Missed: the verifier still names exactly the gold answer, which "
            "is right where a constraint is but unnecessary.",
            [detection_table(broken), damage_table(broken[Register.REWRITTEN])],
        ),
        (
            "Questions with an unnecessary constraint",
            "The same damages of that kind. Accepted: the verifier names the gold answer and nothing else, as the trace does.",
            [unnecessary_table(broken)],
        ),
    ]
    return found, whole, broken[Register.REWRITTEN]


def report(found: list[Section], style: Callable[[Table], str]) -> Iterator[str]:
    """The sections as blocks of text."""
    for heading, meaning, tables in found:
        yield f"## {heading}"
        yield meaning
        yield from (style(table) for table in tables)


def examples(asked: Iterable[Asked], count: int) -> Iterator[str]:
    """Some questions with what was named and what should have been."""
    for one in list(asked)[:count]:
        kind = f"{one.kind.value} " if one.kind else ""
        yield f"[{kind}{', '.join(one.operators)}] {one.question}"
        yield f"    {one.reading.value}: {list(one.answers)}; the trace names {list(one.expected)}; gold {one.record.answer!r}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=600)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--graph", default="bundled:years")
    parser.add_argument("--examples", type=int, default=0, help="how many refused and missed questions of each sort to print")
    parser.add_argument("--markdown", type=Path, help="also write the report to this file")
    options = parser.parse_args()
    found, whole, broken = sections(sample(options.graph, options.records, options.seed), options.graph, options.seed)
    print("\n\n".join(report(found, as_text)))
    if options.examples:
        for register, asked in whole.items():
            for reading in (Reading.ANOTHER, Reading.ABSTAINED):
                print(f"\n{register.value}, not accepted, {reading.value}:")
                print("\n".join(examples((one for one in asked if one.reading is reading), options.examples)))
        print("\nrewritten, damage missed:")
        print("\n".join(examples((one for one in can_show(broken) if one.reading is Reading.GOLD), options.examples)))
    if options.markdown:
        intro = (
            "The verifier of the offline backend, measured by `python -m benchmarks.verifier_rates --markdown docs/verifier_rates.md`, "
            "which wrote this page. All figures are of the offline rules, rewriter and verifier alike, never of a language model, and are "
            "not to be set beside one's."
        )
        text = "\n\n".join(["# How good the offline verifier is", intro, *report(found, as_markdown)])
        options.markdown.write_text(text + "\n", encoding="utf-8")
        print(f"\nwrote {options.markdown}")


if __name__ == "__main__":
    main()
