"""The tables of a study of the verifier, from its summary. Paper: section 4.3.2, Table 2.

Every rate is printed as `hits/asked  percent [95 % interval]`, a weighted one as
`percent [95 % interval], n asked`. All tables are always there, an empty one too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from evaluation.pages.rate_text import NOTHING, p_text, points_text, rate_text, share_text, usd_text, whole
from evaluation.pages.tables import Table, rounded
from evaluation.statistics.intervals import Rate
from evaluation.verifier.cell_figures import ERROR_RATES
from evaluation.verifier.figures import AcceptanceRow, CellFigures, DetectionRow, ReadingCounts, RegisterFigures
from evaluation.verifier.paper_table2 import PAPER_HITS, PAPER_SIZES
from evaluation.verifier.summary import VerifierSummary
from evaluation.verifier.table2 import PAIRWISE, percent, table2
from state.model_base import Contract
from state.study import DamageKind

LABELS = ("missing", "wrong", "reversed", "unnecessary")
"""What code can find to differ between the constraints read and the gold ones."""

_READINGS = ("named another set", "abstained", "missed", "no reply")
_Rows = Iterable[tuple[str, ...]]
_Register = Callable[[CellFigures], RegisterFigures | None]


def verifier_tables(summary: VerifierSummary) -> tuple[Table, ...]:
    """All tables but that of single items, in the order in which they are read."""
    return (
        both_rates("both_rates", "Both rates together, template questions", summary, _template),
        acceptance("acceptance", "Acceptance of sound template questions by family, in the layout of Table 2", summary, _template),
        sound_readings(summary),
        detection("detection", "Detection of damaged template questions by kind", summary, _template),
        detection_by_family(summary),
        unnecessary(summary),
        labels(summary),
        cost(summary),
        comparisons(summary),
        both_rates("both_rates_final", "Both rates together, accepted questions of a finished run", summary, _final),
        acceptance("acceptance_final", "Acceptance of accepted questions of a finished run by family", summary, _final),
        detection("detection_final", "Detection of damaged accepted questions of a finished run by kind", summary, _final),
        settings(summary),
        sample(summary),
        paper_table2(),
        signatures(summary),
    )


def acceptance(name: str, caption: str, summary: VerifierSummary, register: _Register) -> Table:
    """A row for each cell, a column for each pairwise family, then the four together and the ordinals."""

    def rows() -> Iterator[tuple[str, ...]]:
        for cell, figures in _of(summary, register):
            of_cell = figures.acceptance
            families = [rate_text(row.rate) for row in of_cell.families]
            overall = rate_text(of_cell.micro.rate), rate_text(of_cell.weighted), share_text(of_cell.population_covered)
            yield cell.name, *families, *overall, rate_text(of_cell.ordinal.rate)

    header = ("cell", *PAIRWISE, "overall", "overall by population", "population covered %", "ordinals (in no other column)")
    return _table(name, f"{caption}; agreed / asked", header, rows())


def sound_readings(summary: VerifierSummary) -> Table:
    """What was made of sound template questions, by family."""

    def row(cell: CellFigures, of_family: AcceptanceRow) -> tuple[str, ...]:
        readings = of_family.readings
        counts = readings.agreed, readings.another, readings.abstained, readings.no_reply
        tail = str(of_family.false_rejections), str(of_family.model_is_wrong)
        return cell.name, of_family.family, str(_asked(readings)), *map(str, counts), *tail

    rows = (
        row(cell, of_family)
        for cell in summary.cells
        for of_family in (*cell.template.acceptance.families, cell.template.acceptance.micro, cell.template.acceptance.ordinal)
        if _asked(of_family.readings)
    )
    tail = ("false rejections", "of these, symbolic execution proves the model wrong")
    header = ("cell", "family", "asked", "agreed", "named another set", "abstained", "no reply", *tail)
    caption = f"What was made of sound template questions; only those agreed with are accepted{_of_round_trip(summary)}"
    return _table("sound_readings", caption, header, rows)


def detection(name: str, caption: str, summary: VerifierSummary, register: _Register) -> Table:
    """A row for each cell and kind that changes the answer, then the kinds together and the ordinals."""

    def rows() -> Iterator[tuple[str, ...]]:
        for cell, figures in _of(summary, register):
            of_cell = figures.detection
            asked = [row for row in of_cell.kinds if _asked(row.readings)]
            for row in asked:
                yield cell.name, row.kind, *_detected(row)
            if asked:
                sums = _sum(row.readings for row in asked)
                yield cell.name, "all, each kind alike", *sums, rate_text(of_cell.pooled), rate_text(of_cell.right_reason)
            if of_cell.ordinal.denominator:
                of_ordinals = [row.readings for row in of_cell.by_family if row.family == "ordinal" and row.kind != DamageKind.UNNECESSARY]
                yield cell.name, "ordinals, each kind alike", *_sum(of_ordinals), rate_text(of_cell.ordinal), NOTHING

    header = ("cell", "damage", "asked", *_READINGS, "detected", "of these, named what the damaged trace names")
    return _table(name, f"{caption}; detected: named another set or abstained{_of_round_trip(summary)}", header, rows())


def detection_by_family(summary: VerifierSummary) -> Table:
    """A row for each cell, kind and family of which something was asked."""
    rows = ((cell.name, row.kind, row.family, *_detected(row)) for cell in summary.cells for row in cell.template.detection.by_family)
    header = ("cell", "damage", "family", "asked", *_READINGS, "detected", "of these, named what the damaged trace names")
    caption = f"Detection by kind and family of the damaged constraint, template questions{_of_round_trip(summary)}"
    return _table("detection_by_family", caption, header, rows)


def unnecessary(summary: VerifierSummary) -> Table:
    """The kind that leaves the answer as it is, apart."""
    every = ((cell.name, cell.template.detection.unnecessary) for cell in summary.cells)
    rows = ((name, *_detected(row)[:-1]) for name, row in every if _asked(row.readings))
    caption = "Unnecessary constraints: they leave the answer as it is, so only a reading of the question can show them; in no other rate"
    return _table("unnecessary", f"{caption}{_of_round_trip(summary)}", ("cell", "asked", *_READINGS, "detected"), rows)


def labels(summary: VerifierSummary) -> Table:
    """What cells of mode `roundtrip` said of each kind of damage."""

    def rows() -> Iterator[tuple[str, ...]]:
        for cell in summary.cells:
            for row in cell.template.labels:
                given = {count.label: count.items for count in row.given}
                counts = (str(given.get(label, 0)) for label in LABELS)
                right = rate_text(row.rate), rate_text(row.alone)
                if row.items:
                    yield cell.name, row.kind, row.right_label, str(row.items), *counts, str(row.unlabelled), *right

    header = ("cell", "damage", "right label", "read", *LABELS, "no label", "with the right label", "with it alone")
    caption = (
        "Labels of the round-trip reading by kind, all families; a question may get several; "
        "a question that an earlier mode did not agree with is not read"
    )
    return _table("labels", caption, header, rows())


def both_rates(name: str, caption: str, summary: VerifierSummary, register: _Register) -> Table:
    """Acceptance and detection beside each other, and what they let through."""

    def rows() -> Iterator[tuple[str, ...]]:
        for cell, figures in _of(summary, register):
            rates = figures.acceptance.micro.rate, figures.detection.pooled, figures.balanced
            yield cell.name, *map(rate_text, rates), *(share_text(row.share) for row in figures.contamination)

    shares = (f"% wrong among accepted if {points_text(rate).removesuffix('.0')} % are wrong" for rate in ERROR_RATES)
    header = ("cell", "acceptance", "detection, each kind alike", "balanced accuracy", *shares)
    caption = f"{caption}; pairwise families; unnecessary constraints are not counted, among accepted questions neither"
    return _table(name, caption, header, rows())


def cost(summary: VerifierSummary) -> Table:
    """What each cell cost, at first and here."""

    def row(cell: CellFigures) -> tuple[str, ...]:
        of_cell = cell.cost
        tokens = str(of_cell.items), str(of_cell.input_tokens), str(of_cell.output_tokens), rounded(of_cell.tokens_per_item)
        used = str(of_cell.calls), str(of_cell.cached_calls), usd_text(of_cell.usd_paid), usd_text(of_cell.usd_saved)
        frontier = {None: NOTHING, True: "yes", False: "no"}[cell.on_frontier]
        return cell.name, *tokens, usd_text(of_cell.usd), usd_text(per_thousand(cell)), *used, frontier

    tokens = ("questions", "input tokens", "output tokens", "tokens a question", "USD", "USD per 1,000 questions")
    used = ("calls", "from the cache", "USD paid here", "USD saved by the cache", "on the frontier")
    return _table("cost", "Cost: all tries at their first price, cached or not", ("cell", *tokens, *used), map(row, summary.cells))


def comparisons(summary: VerifierSummary) -> Table:
    """Every two cells on the same template questions."""

    def rows() -> Iterator[tuple[str, ...]]:
        for pair in summary.comparisons:
            for test in pair.tests:
                told = {None: NOTHING, True: "yes", False: "no"}[test.told_apart]
                result = points_text(test.difference), p_text(test.p_holm), told, p_text(test.p)
                can = points_text(test.smallest_difference), whole(test.sources_needed)
                counts = test.sources, test.items, test.hits_a, test.hits_b, test.only_a, test.only_b
                yield pair.a, pair.b, test.measure, *result, *can, *map(str, counts), test.method

    result = ("A less B, points", "p after Holm", "told apart", "p of this test alone")
    can = ("smallest difference this sample can tell, points", "source questions that the difference seen needs")
    counts = ("source questions", "questions", "A right", "B right", "only A right", "only B right")
    header = ("A", "B", "measure", *result, *can, *counts, "test")
    return _table("comparisons", "Every two cells on the same template questions", header, rows())


def settings(summary: VerifierSummary) -> Table:
    """What each cell is."""
    rows = ((cell.name, cell.model, cell.model_key, cell.prompt, "+".join(cell.modes), cell.address) for cell in summary.cells)
    return _table("settings", "The cells", ("cell", "model", "key of the model", "prompt", "modes", "address"), rows)


def sample(summary: VerifierSummary) -> Table:
    """The sample by family."""
    rows = ((row.family, str(row.population), str(row.wanted), str(row.taken)) for row in summary.strata)
    header = ("family", "single-constraint records among the traces", "wanted", "taken")
    return _table("sample", "The sample of source questions by family", header, rows)


def paper_table2() -> Table:
    """The paper's own rows, which stand in no other table."""
    paper = table2(PAPER_SIZES, PAPER_HITS)
    rows = (
        (
            row.name,
            *(f"{hits}/{asked}  {printed}" for hits, asked, printed in zip(row.hits, row.asked, row.percents, strict=True)),
            f"{row.overall_hits}/{row.overall_asked}  {percent(row.overall_hits, row.overall_asked)}",
        )
        for row in paper.rows
    )
    caption = "The paper's own Table 2, for reference: other questions over another graph, measured by its authors and not by this program"
    return _table("paper_table2", caption, ("verifier in the paper", *PAIRWISE, "overall"), rows)


def signatures(summary: VerifierSummary) -> Table:
    """How each rate was made; rates with different signatures are not compared."""
    rows = ((cell.name, rate.signature) for cell in summary.cells for rate in _rates(cell) if rate.denominator)
    return _table("signatures", "How each rate was made; two with different signatures are not compared", ("cell", "signature"), rows)


def per_thousand(cell: CellFigures) -> float | None:
    """US dollars for 1,000 questions; `None` without a price."""
    return None if cell.cost.usd_per_item is None else 1000 * cell.cost.usd_per_item


def _template(cell: CellFigures) -> RegisterFigures:
    return cell.template


def _final(cell: CellFigures) -> RegisterFigures | None:
    return cell.final


def _of(summary: VerifierSummary, register: _Register) -> Iterator[tuple[CellFigures, RegisterFigures]]:
    for cell in summary.cells:
        figures = register(cell)
        if figures is not None:
            yield cell, figures


def _of_round_trip(summary: VerifierSummary) -> str:
    """End of the caption of a table of readings, where some of them are of constraints and not of answers."""
    has_reader = any("roundtrip" in cell.modes for cell in summary.cells)
    return f"; in mode roundtrip, {_READINGS[0]} means: read other constraints" if has_reader else ""


def _table(name: str, caption: str, header: Iterable[str], rows: _Rows) -> Table:
    return Table(name, caption, tuple(map(str, header)), tuple(tuple(map(str, row)) for row in rows))


def _asked(readings: ReadingCounts) -> int:
    return readings.agreed + readings.another + readings.abstained + readings.no_reply


def _detected(row: DetectionRow) -> tuple[str, ...]:
    return *_sum([row.readings]), rate_text(row.rate), rate_text(row.right_reason)


def _sum(every: Iterable[ReadingCounts]) -> tuple[str, ...]:
    """Asked, another, abstained, missed, no reply."""
    counts = [(_asked(one), one.another, one.abstained, one.agreed, one.no_reply) for one in every]
    return tuple(str(sum(column)) for column in zip(*counts, strict=True))


def _rates(part: object) -> Iterator[Rate]:
    """Every rate within a part of a summary, in its order."""
    if isinstance(part, Rate):
        yield part
    elif isinstance(part, Contract):
        for name in type(part).model_fields:
            yield from _rates(getattr(part, name))
    elif isinstance(part, tuple):
        for one in part:
            yield from _rates(one)
