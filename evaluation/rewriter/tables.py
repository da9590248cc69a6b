"""The tables of a study of the rewriter as text: for both reports and `tables/*.csv` alike."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.pages.rate_text import usd_text
from evaluation.pages.tables import Table, rounded
from evaluation.rewriter.fates import fates
from evaluation.rewriter.figures import Cost, MeasureTest, RewriterFigures
from evaluation.rewriter.summary import RewriterSummary
from evaluation.statistics.intervals import Rate
from evaluation.study.show_commands import OPEN, open_command
from state.rewriter_study import RewriterStudy

Rows = Iterator[tuple[str, ...]]
_RATES = ("accepted", "accepted %", "95 % interval", "first verification", "first verification %", "95 % interval of it")


def tables(summary: RewriterSummary) -> list[Table]:
    """All tables, the most telling first."""
    each = summary.cells
    return [
        Table(
            "cells",
            "Accepted in the end, and agreed at the first verification, of all instances (Wilson intervals)",
            ("cell", "instances", *_RATES, "discarded", "failed"),
            tuple(row for cell in each for row in _cell(cell)),
        ),
        Table(
            "groups",
            "The same by constraint count, family and template; an instance counts once in each of its families",
            ("cell", "by", "group", "instances", *_RATES),
            tuple(row for cell in each for row in _groups(cell)),
        ),
        Table(
            "retries",
            "Tries of the rewriter that gave no usable question",
            ("cell", "why", "tries", "instances", "tries an instance"),
            tuple(row for cell in each for row in _retries(cell)),
        ),
        Table(
            "fates",
            "What became of the instances; where they failed; and how many of those that were written anew were accepted",
            ("cell", "fate", "instances", "% of all", "of these accepted"),
            tuple(row for cell in each for row in _fates(cell)),
        ),
        Table(
            "wording",
            "Accepted questions beside the template questions: shorter by so many percent of the words, entities still named",
            ("cell", "questions", "length reduction %", "pooled %", "entities kept", "entities kept %", "mean by question %", "left out"),
            tuple(row for cell in each for row in _wording(cell)),
        ),
        Table(
            "costs",
            "Tokens and US dollars when first paid for, an instance and an accepted question",
            (
                "cell",
                "of",
                "tokens in",
                "tokens out",
                "tokens an instance",
                "tokens an accepted",
                "USD",
                "USD an instance",
                "USD an accepted",
            ),
            tuple(row for cell in each for row in _costs(cell)),
        ),
        Table(
            "comparisons",
            "Each two cells on the same instances: exact McNemar test, p adjusted over all pairs of a measure (Holm)",
            ("A", "B", "measure", "A - B, points", "p adjusted", "told", "A hits", "B hits", "only A", "only B", "p of this test alone"),
            tuple(row for pair in summary.comparisons for test in pair.tests for row in _comparison(pair.a, pair.b, test)),
        ),
        Table(
            "flipped",
            "Instances that only one of two cells hit",
            ("A", "B", "measure", "only in", "instance"),
            tuple(row for pair in summary.comparisons for test in pair.tests for row in _flipped(pair.a, pair.b, test)),
        ),
        Table(
            "signatures",
            "How each number was made; two numbers with different signatures are not compared",
            ("cell", "figure", "signature"),
            tuple(row for cell in each for row in _signatures(cell)),
        ),
    ]


def settings(study: RewriterStudy) -> Table:
    """What each cell is, and what it used in the study's directory: the one table that depends on what the cache already held."""
    rows = (
        (
            *(cell.name, cell.model, cell.model_key, cell.prompt),
            *(str(cell.usage.calls), str(cell.usage.cached_calls), usd_text(cell.usage.usd_paid), usd_text(cell.usage.usd_saved)),
            f"{open_command(cell.address)} ID",
        )
        for cell in study.cells
    )
    what = ("cell", "model", "key of the model", "prompt")
    used = ("calls", "from the cache", "USD paid here", "USD saved by the cache")
    return Table("settings", "The cells, what they used here, and what opens one of their instances", (*what, *used, OPEN), tuple(rows))


def _percent(share: float | None) -> str:
    return rounded(None if share is None else 100 * share)


def _rates(*rates: Rate) -> tuple[str, ...]:
    cells: list[str] = []
    for rate in rates:
        low, high = _percent(rate.low), _percent(rate.high)
        cells += [str(rate.numerator), _percent(rate.value), "-" if rate.low is None else f"{low} to {high}"]
    return tuple(cells)


def _cell(cell: RewriterFigures) -> Rows:
    discarded, failed = sum(one.instances for one in cell.discarded), sum(one.instances for one in cell.failed)
    yield cell.name, str(cell.instances), *_rates(cell.accepted, cell.first_pass), str(discarded), str(failed)


def _groups(cell: RewriterFigures) -> Rows:
    for group in cell.groups:
        yield cell.name, group.grouping, group.group, str(group.accepted.denominator), *_rates(group.accepted, group.first_pass)


def _retries(cell: RewriterFigures) -> Rows:
    for error in cell.errors:
        why = f"{error.kind} (the server's fault)" if error.is_fault else error.kind.value
        yield cell.name, why, str(error.tries), str(error.instances), rounded(error.tries / cell.instances, 3)
    yield cell.name, "all unusable replies", str(cell.unusable), "-", rounded(cell.unusable_per_instance, 3)


def _fates(cell: RewriterFigures) -> Rows:
    counts = [(fate, count, "-") for fate, count in fates(cell)]
    counts += [("revised after verification", cell.revised, str(cell.revised_accepted))]
    counts += [("rewritten after a leak", cell.leak_rewritten, str(cell.leak_rewritten_accepted))]
    for fate, count, of_these in counts:
        yield cell.name, fate, str(count), _percent(count / cell.instances if cell.instances else None), of_these


def _wording(cell: RewriterFigures) -> Rows:
    length, kept = cell.length, cell.preservation
    counts = f"{kept.retained} of {kept.mentioned}"
    yield (
        cell.name,
        str(length.questions),
        rounded(length.mean),
        rounded(length.pooled),
        counts,
        rounded(kept.micro),
        rounded(kept.macro),
        str(kept.excluded),
    )


def _costs(cell: RewriterFigures) -> Rows:
    for whose, cost in (("the rewriter", cell.rewriter_cost), ("the whole pipeline", cell.pipeline_cost)):
        yield cell.name, whose, *_cost(cost)


def _cost(cost: Cost) -> tuple[str, ...]:
    tokens = str(cost.input_tokens), str(cost.output_tokens), rounded(cost.tokens_per_instance), rounded(cost.tokens_per_accepted)
    return *tokens, rounded(cost.usd, 4), rounded(cost.usd_per_instance, 6), rounded(cost.usd_per_accepted, 6)


def _comparison(a: str, b: str, test: MeasureTest) -> Rows:
    difference = None if test.difference is None else 100 * test.difference
    counts = str(test.hits_a), str(test.hits_b), str(len(test.only_a)), str(len(test.only_b))
    p, p_holm = ("-" if value is None else f"{value:.3g}" for value in (test.p, test.p_holm))
    yield a, b, test.measure, rounded(difference), p_holm, test.note, *counts, p


def _flipped(a: str, b: str, test: MeasureTest) -> Rows:
    flipped = [*((ident, a) for ident in test.only_a), *((ident, b) for ident in test.only_b)]
    for ident, name in sorted(flipped):
        yield a, b, test.measure, name, ident


def _signatures(cell: RewriterFigures) -> Rows:
    yield cell.name, "accepted", cell.accepted.signature
    yield cell.name, "first verification", cell.first_pass.signature
    yield cell.name, "length reduction", cell.length.mean_signature
    yield cell.name, "length reduction, pooled", cell.length.pooled_signature
    yield cell.name, "entities kept", cell.preservation.micro_signature
    yield cell.name, "entities kept, mean by question", cell.preservation.macro_signature
