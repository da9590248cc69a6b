"""From replies to figures: every row by the rules and, if there is one, by the judge. Paper: TDBench, section 4."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.statistics.intervals import Rate, bootstrap_rate, no_rate, package_version, wilson, wilson_rate
from evaluation.time_accuracy.comparisons import comparisons
from evaluation.time_accuracy.figures import (
    AgreementFigures,
    JudgedFigures,
    PartFigures,
    PartKind,
    PartSize,
    RowFigures,
    RowKind,
    Spending,
    TimeAccuracySummary,
)
from evaluation.time_accuracy.items import EvaluationData, RowItem, ScoredRow
from evaluation.time_accuracy.judging import agreements, judged_reply
from runs.database import UsageRow
from state.answer_roles import VerdictReply
from state.tdbench_evaluate_config import RULES
from state.tdbench_evaluation import AskedQuestion
from state.tdbench_scoring import RELATIONS, ScoredReply, TimeVerdict
from tdbench.scoring.score import CARDINALITIES, score_replies, summarise, tally

RESAMPLES = 1000
"""Resamples behind an interval where queries are asked in several phrasings."""
_MOST_OF_A_CAUSE = 200
KINDS = ("relation", "now", "basic", "join")
"""What questions ask of time, in the order in which they are shown."""


@dataclass(frozen=True)
class Row:
    """A model or a file, with its replies."""

    name: str
    kind: RowKind
    model: str | None
    prompt: str | None
    texts: Mapping[str, str]
    """Id -> reply; a question without one is a miss."""
    failed: int = 0
    usage: tuple[UsageRow, ...] = ()
    verdicts: Mapping[str, VerdictReply] | None = None
    """The judge's verdicts by question; `None` without a judge."""
    failure: str = ""
    """Why the first question without a usable reply has none."""
    judge_failure: str = ""
    """Why the first verdict that could not be read could not."""


@dataclass(frozen=True)
class Evaluation:
    """Data and figures."""

    data: EvaluationData
    summary: TimeAccuracySummary


def evaluate_rows(
    questions: Sequence[AskedQuestion], rows: Sequence[Row], *, source: str, available: int, judge: str, seed: int
) -> Evaluation:
    """Scores all rows.

    Cost: a few milliseconds for each part of each row; without several phrasings of a query, less.

    Args:
        questions: what was asked, by id.
        rows: the rows.
        source: where the questions come from.
        available: how many the source has.
        judge: who judged beside the rules, or `rules`.
        seed: seed of resampling.
    """
    scored_rows = [_scored_row(questions, row) for row in rows]
    figures = tuple(_row_figures(questions, row, scored, judge, seed) for row, scored in zip(rows, scored_rows, strict=True))
    parts = _parts(questions)
    summary = TimeAccuracySummary(
        source=source,
        questions=len(questions),
        available=available,
        queries=len({question.group for question in questions}),
        with_rows=any(question.tables is not None for question in questions),
        judge=judge,
        seed=seed,
        sizes=tuple(PartSize(by=by, part=part, questions=len(places)) for by, part, places in parts if by != "all"),
        rows=figures,
        comparisons=tuple(comparisons(questions, scored_rows, judge, seed, [one.name for one in figures if not one.is_judged])),
        always_no_answer=_figures("all", "all", _constant(questions), [question.group for question in questions], seed),
        notes=tuple(_notes(questions, rows, figures, judge, available)),
        chronoqg=package_version(),
    )
    return Evaluation(EvaluationData(questions=tuple(questions), rows=tuple(scored_rows)), summary)


def kind_of(question: AskedQuestion) -> str:
    """What a question asks of time."""
    relation = question.scored.relation
    return relation if relation in KINDS else "relation"


def _constant(questions: Sequence[AskedQuestion]) -> list[ScoredReply]:
    """The verdicts on a reply of "no answer" to every question."""
    return list(score_replies([question.scored for question in questions], {question.id: "no answer" for question in questions}))


def _scored_row(questions: Sequence[AskedQuestion], row: Row) -> ScoredRow:
    rules = score_replies([question.scored for question in questions], row.texts)
    items = []
    for question, verdict in zip(questions, rules, strict=True):
        by_judge = None if row.verdicts is None else judged_reply(question.scored, verdict, row.verdicts.get(question.id))
        items.append(RowItem(id=question.id, reply=row.texts.get(question.id, ""), rules=verdict, judge=by_judge))
    return ScoredRow(name=row.name, replies=tuple(items))


def _row_figures(questions: Sequence[AskedQuestion], row: Row, scored: ScoredRow, judge: str, seed: int) -> RowFigures:
    rules = [item.rules for item in scored.replies]
    judged = [_judged(questions, rules, RULES, seed, row)]
    agreement, unjudged, to_judge = None, 0, 0
    if row.verdicts is not None:
        by_judge = [item.judge for item in scored.replies if item.judge is not None]
        judged.append(_judged(questions, by_judge, judge, seed, row))
        one, other = ({verdict.id: verdict for verdict in verdicts} for verdicts in (rules, by_judge))
        found = agreements([question.scored for question in questions], one, other, row.verdicts)
        agreement = AgreementFigures(judge=judge, answer=found.answer, time=found.time)
        unjudged, to_judge = found.time.left_out, found.time.left_out + found.time.judged
    return RowFigures(
        name=row.name,
        kind=row.kind,
        model=row.model,
        prompt=row.prompt,
        failed=row.failed,
        unjudged=unjudged,
        to_judge=to_judge,
        judged=tuple(judged),
        agreement=agreement,
        spending=tuple(_spending(one) for one in row.usage),
    )


def _spending(row: UsageRow) -> Spending:
    return Spending.model_validate({name: getattr(row, name) for name in Spending.model_fields})


def _judged(questions: Sequence[AskedQuestion], verdicts: Sequence[ScoredReply], judge: str, seed: int, row: Row) -> JudgedFigures:
    groups = [question.group for question in questions]
    scored = [question.scored for question in questions]
    name = "deterministic" if judge == RULES else judge
    is_open = any(question.tables is not None for question in questions)
    book = "not known" if row.kind == "outside" else "open" if is_open else "closed"
    how = f"book:{book}|prompt:{row.prompt or 'not known'}|chronoqg:{package_version()}"
    parts = tuple(
        _figures(by, part, [verdicts[place] for place in places], [groups[place] for place in places], seed)
        for by, part, places in _parts(questions)
    )
    return JudgedFigures(judge=judge, parts=parts, signature=f"{summarise(scored, verdicts, judge=name).signature}|{how}")


def _parts(questions: Sequence[AskedQuestion]) -> list[tuple[PartKind, str, list[int]]]:
    """Every part that has a question, with the places of its questions; the whole first."""
    scored = [question.scored for question in questions]
    divisions: tuple[tuple[PartKind, list[str], Sequence[str]], ...] = (
        ("all", ["all"] * len(scored), ("all",)),
        ("kind", [kind_of(question) for question in questions], KINDS),
        ("relation", [question.relation for question in scored], RELATIONS),
        ("cardinality", [question.cardinality for question in scored], CARDINALITIES),
        ("hops", [str(question.hops) for question in scored], sorted({str(question.hops) for question in scored}, key=int)),
        ("domain", [question.domain for question in scored], sorted({question.domain for question in scored})),
    )
    found = []
    for by, of_each, order in divisions:
        places: defaultdict[str, list[int]] = defaultdict(list)
        for place, part in enumerate(of_each):
            places[part].append(place)
        found += [(by, part, places[part]) for part in order if part in places]
    return found


def _figures(by: PartKind, part: str, verdicts: Sequence[ScoredReply], groups: Sequence[str], seed: int) -> PartFigures:
    right = [int(verdict.is_right) for verdict in verdicts]
    both = [int(verdict.is_right_in_time) for verdict in verdicts]
    time = [int(verdict.time is TimeVerdict.YES) for verdict in verdicts]
    halves = [2 * one + int(verdict.time is TimeVerdict.HALF) for one, verdict in zip(time, verdicts, strict=True)]
    gap = [one - other for one, other in zip(right, both, strict=True)]

    def rate(measure: str, hits: Sequence[int], unit: int = 1) -> Rate:
        return _rate(hits, groups, unit, f"tdbench:{measure}|{by}:{part}", seed, f"tdbench:{by}:{part}")

    return PartFigures(
        by=by,
        part=part,
        tally=tally(verdicts),
        a=rate("A", right),
        t=rate("T", time),
        at=rate("AT", both),
        loose_t=rate("loose T", halves, 2),
        gap=rate("gap", gap),
    )


def _rate(hits: Sequence[int], groups: Sequence[str], unit: int, stem: str, seed: int, name: str) -> Rate:
    """A share of `unit` a question: Wilson's interval, or where groups have several questions one that draws whole groups."""
    order = {group: place for place, group in enumerate(dict.fromkeys(groups))}
    if not hits:
        return no_rate(stem)
    if len(order) < len(hits):
        numerators, denominators = (np.zeros((len(order), 1), dtype=np.int64) for _ in range(2))
        for hit, group in zip(hits, groups, strict=True):
            numerators[order[group], 0] += hit
            denominators[order[group], 0] += unit
        return bootstrap_rate(numerators, denominators, stem=stem, seed=seed, name=name, resamples=RESAMPLES)
    whole = wilson_rate(sum(hits), unit * len(hits), stem=stem)
    if unit == 1:
        return whole
    # Halves are not items of their own: there are no more questions than there are.
    interval = wilson(sum(hits) / unit, len(hits))
    return whole if interval is None else whole.model_copy(update={"low": interval.low, "high": interval.high})


def _notes(questions: Sequence[AskedQuestion], rows: Sequence[Row], figures: Sequence[RowFigures], judge: str, available: int) -> list[str]:
    notes = ["Every question asked is in every denominator: no reply, a reply that cannot tell and one without a verdict are misses."]
    groups = len({question.group for question in questions})
    if len(questions) < available:
        notes.append(f"{len(questions)} of {available} questions were asked.")
    if groups < len(questions):
        notes.append(
            f"{len(questions)} questions are phrasings of {groups} queries: intervals and tests draw or flip whole queries, "
            "since their phrasings hang together."
        )
    if any(question.tables is not None for question in questions):
        notes.append("Rows were shown (open book): the figures are not those of what models know, and not to be set beside them.")
    if rows and all(row.kind == "outside" for row in rows):
        notes.append("All replies come from files; how they were asked for is not known here.")
    for row in rows:
        if row.failed:
            notes.append(f"{row.name}: {row.failed} questions got no usable reply{_first(row.failure)}.")
    if judge != RULES:
        notes.append(f"{judge} was asked to judge every reply beside the rules; its figures stand in rows of their own.")
        if any(row.kind == "asked" and row.name == judge for row in rows):
            notes.append(f"{judge} judged its own replies too, which a judge may favour.")
        for row, one in zip(rows, figures, strict=True):
            if one.unjudged:
                unread = f"{one.unjudged} of {one.to_judge} verdicts could not be read{_first(row.judge_failure)}"
                notes.append(f"{row.name}, by {judge}: {unread}.{'' if one.is_judged else ' It counts as not judged.'}")
    return notes


def _first(failure: str) -> str:
    """Why the first one failed, in one line."""
    return f"; the first: {' '.join(failure.split())[:_MOST_OF_A_CAUSE].rstrip('.')}" if failure else ""
