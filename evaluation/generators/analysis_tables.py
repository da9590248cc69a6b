"""The tables beside the scores: cost, hops and constraints, operators, failures, leaks. Paper: Table 6, Figures 5 to 7."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from evaluation.generators.failures import pooled
from evaluation.generators.figures import EvaluationSummary, FailureCounts, RowFigures, RowName, Spending
from evaluation.generators.rows import RowKind
from evaluation.generators.score_tables import labels
from evaluation.pages.rate_text import NOTHING, share_text, usd_text
from evaluation.pages.tables import Table, rounded

ALL = "all"
"""Stands for all datasets together."""
ZERO_SHOT = "zero_shot"
"""Key of the method that costs are set against."""
FAILURES = ("clean", "missing", "wrong", "reversed", "unnecessary", "unread")
"""What Figure 7 counts, in the order of its columns."""

Rows = Iterator[tuple[str, ...]]


class Cost(NamedTuple):
    """What a row used over all datasets."""

    row: RowName
    spending: Spending


def costs(summary: EvaluationSummary) -> list[Cost]:
    """Every row that asked a model, all datasets together."""
    found = []
    for name in summary.names:
        each = [one.spending for one in summary.rows if one.row == name]
        if name.kind is RowKind.METHOD and any(one.calls or one.cached_calls for one in each):
            found.append(Cost(name, _sum(each)))
    return found


def costs_table(summary: EvaluationSummary) -> Table:
    """Table 6, with calls and tokens a question."""
    header = (
        *("method", "model", "USD", "USD a question", "USD to zero-shot", "questions", "calls a question"),
        *("tokens in a question", "tokens out a question", "tokens to zero-shot", "calls from the cache", "USD paid here"),
    )
    every = costs(summary)
    zero = {one.row.model: one.spending for one in every if one.row.method == ZERO_SHOT}
    rows = tuple(_cost(one, zero.get(one.row.model)) for one in every)
    caption = "Cost on all datasets together, as if no reply had come from the cache; retries are counted"
    return Table("costs", caption, header, rows)


def heatmap_table(summary: EvaluationSummary) -> Table:
    """Figure 5."""
    rows = tuple(
        (*labels(one.row), one.source, str(cell.hops), cell.constraints, str(cell.n), rounded(cell.bleu4, 3))
        for one in summary.heatmaps
        for cell in one.cells
        if cell.n
    )
    caption = "Corpus BLEU-4 by hops and constraints; blank below 20 questions"
    return Table("hops_constraints", caption, ("method", "model", "benchmark", "hops", "constraints", "n", "BLEU-4"), rows)


def operators_table(summary: EvaluationSummary) -> Table:
    """Figure 6 and its versions among equal numbers of constraints."""
    rows = tuple(
        (*labels(one.row), one.constraints or ALL, bar.operator, bar.family, str(bar.n), rounded(bar.bleu4, 3))
        for one in summary.operators
        for bar in one.bars
        if bar.n
    )
    caption = (
        "Corpus BLEU-4 by operator, of all questions and of those of equal numbers of constraints; a question counts once for each operator"
    )
    return Table("operators", caption, ("method", "model", "constraints", "operator", "family", "n", "BLEU-4"), rows)


def failures_table(summary: EvaluationSummary) -> Table:
    """Figure 7: shares of the questions that the reader was given."""
    header = (
        *("method", "model", "dataset", "questions given", "clean %", "missing %", "wrong %", "of these reversed %"),
        *("unnecessary %", "could not be read %"),
    )
    rows = [row for name in summary.names for row in _failures(name, [one for one in summary.rows if one.row == name])]
    caption = f"What questions state otherwise than their traces, by {summary.reader}; one question may count under several"
    return Table("failures", caption, header, tuple(rows))


def leaks_table(summary: EvaluationSummary) -> Table:
    """Leaks, lengths and what did not come."""
    rows = tuple(
        (
            *(*labels(one.row), one.dataset, str(one.n), str(one.leaks.numerator), share_text(one.leaks.value)),
            NOTHING if one.leaks.low is None else f"{share_text(one.leaks.low)} to {share_text(one.leaks.high)}",
            *(str(one.empty), str(one.failed), rounded(one.mean_words)),
        )
        for one in summary.rows
    )
    header = ("method", "model", "dataset", "n", "leaks", "leaks %", "95 % interval", "empty", "failed", "mean words")
    return Table("leaks", "Questions that give their answer away, by the leak filter; empty and failed ones score 0", header, rows)


def failures_of(summary: EvaluationSummary, name: RowName) -> FailureCounts | None:
    """Figure 7 of a row, all datasets together; `None` if nobody read its questions."""
    return pooled(one.failures for one in summary.rows if one.row == name)


def _failures(name: RowName, figures: Sequence[RowFigures]) -> Rows:
    each = [(one.dataset, one.failures) for one in figures]
    if len(each) > 1:
        each.append((ALL, pooled(counts for _, counts in each)))
    for dataset, counts in each:
        if counts is not None:
            yield *labels(name), dataset, str(counts.asked), *(share_text(getattr(counts, what) / counts.asked) for what in FAILURES)


def _sum(each: Sequence[Spending]) -> Spending:
    prices = [one.usd for one in each]
    return Spending(
        questions=sum(one.questions for one in each),
        calls=sum(one.calls for one in each),
        cached_calls=sum(one.cached_calls for one in each),
        input=sum(one.input for one in each),
        output=sum(one.output for one in each),
        usd=None if None in prices else sum(sorted(price for price in prices if price is not None)),
        usd_paid=sum(sorted(one.usd_paid for one in each)),
    )


def _cost(cost: Cost, zero: Spending | None) -> tuple[str, ...]:
    spent = cost.spending
    usd = _per(spent.usd, spent)
    tokens = _per(spent.input + spent.output, spent)
    return (
        *labels(cost.row),
        usd_text(spent.usd),
        usd_text(usd),
        _ratio(usd, None if zero is None else _per(zero.usd, zero)),
        str(spent.questions),
        rounded(_per(spent.calls, spent), 2),
        rounded(_per(spent.input, spent)),
        rounded(_per(spent.output, spent)),
        _ratio(tokens, None if zero is None else _per(zero.input + zero.output, zero)),
        str(spent.cached_calls),
        usd_text(spent.usd_paid),
    )


def _per(total: float | None, spent: Spending) -> float | None:
    return total / spent.questions if total is not None and spent.questions else None


def _ratio(own: float | None, other: float | None) -> str:
    return rounded(own / other, 2) if own is not None and other else NOTHING
