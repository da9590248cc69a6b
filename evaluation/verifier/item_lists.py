"""Single items of a study of the verifier: which flipped between two cells, which were missed, and how to open them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from evaluation.pages.page_parts import MOST_EXPLORED, MOST_SHOWN, Explorer, Grid, Setting, Text
from evaluation.pages.tables import Table
from evaluation.study.show_commands import OPEN, open_command, show_command
from evaluation.verifier.cell_figures import Answer
from evaluation.verifier.figures import CellComparison
from evaluation.verifier.first_look import place_of_choice
from evaluation.verifier.summary import VerifierSummary
from state.study import CellResult, DamageKind, StudyItem, VerifierStudy

_Answers = Sequence[Mapping[str, Answer]]


def answers_of(study: VerifierStudy) -> _Answers:
    """Of each cell, item id -> answer."""
    items = {item.id: item for item in study.items}
    return [{outcome.item: Answer.of(items[outcome.item], outcome) for outcome in cell.outcomes} for cell in study.cells]


def flipped_table(study: VerifierStudy, summary: VerifierSummary, answers: _Answers) -> Table:
    """The items that only one of two cells took rightly, for pairs with the recommended cell and pairs of neighbours in the grid.

    Every pair would be many megabytes for a large grid, and `study.json` has every outcome.
    """
    chosen = place_of_choice(summary)
    pairs = zip(_pairs(len(study.cells)), summary.comparisons, strict=True)
    rows = (row for (a, b), comparison in pairs if chosen in (a, b) or b == a + 1 for row in _flips(study, answers, (a, b), comparison))
    return Table("flipped", f"Items that only one of two cells took rightly, {_which_pairs(study, chosen)}", _FLIPPED, tuple(rows))


def flipped_note(study: VerifierStudy, summary: VerifierSummary) -> Text | None:
    """What the table of flipped items leaves out; nothing if it has every two cells."""
    if len(study.cells) <= 3:
        return None
    which = _which_pairs(study, place_of_choice(summary))
    return Text((f"In tables/flipped.csv stand the items that flipped {which}; study.json has what every cell made of every item.",))


def _which_pairs(study: VerifierStudy, chosen: int) -> str:
    name = study.cells[chosen].name if study.cells else "the recommended cell"
    return f"between {name} and every other cell, and between neighbours in the grid"


def flipped_grids(study: VerifierStudy, summary: VerifierSummary, answers: _Answers) -> list[Grid]:
    """A table for each cell set beside the recommended one, or the first if none is; a few items in each."""
    grids = []
    chosen = place_of_choice(summary)
    for pair, comparison in zip(_pairs(len(study.cells)), summary.comparisons, strict=True):
        count = len(comparison.flipped)
        if chosen in pair and count:
            few = comparison.model_copy(update={"flipped": comparison.flipped[:MOST_SHOWN]})
            caption = f"{comparison.a} and {comparison.b}: {count} items that only one of them took rightly"
            table = Table("flipped", caption, _FLIPPED, tuple(_flips(study, answers, pair, few)))
            note = f"{MOST_SHOWN} of {count} shown; all are in tables/flipped.csv." if count > MOST_SHOWN else ""
            grids.append(Grid(table, is_folded=True, is_cards=True, note=note))
    return grids


def missed_table(study: VerifierStudy, answers: _Answers) -> Table:
    """Every item that a cell took wrongly, `unnecessary` left out, for every cell."""
    rows = (row for cell, of_cell in zip(study.cells, answers, strict=True) for row in _misses(cell, of_cell))
    return Table("missed", "Sound items that a cell did not accept, and damaged ones that it did not detect", _MISSED, tuple(rows))


def missed_grid(study: VerifierStudy, summary: VerifierSummary, answers: _Answers) -> Grid | None:
    """A few of those that the recommended cell, or the first if none is, took wrongly."""
    if not study.cells:
        return None
    chosen = place_of_choice(summary)
    rows = tuple(_misses(study.cells[chosen], answers[chosen]))
    if not rows:
        return None
    caption = f"{study.cells[chosen].name}: {len(rows)} sound items not accepted or damaged ones not detected, unnecessary ones left out"
    note = f"{MOST_SHOWN} of {len(rows)} shown; those of all cells are in tables/missed.csv." if len(rows) > MOST_SHOWN else ""
    return Grid(Table("missed", caption, _MISSED, rows[:MOST_SHOWN]), is_folded=True, is_cards=True, note=note)


def explorer(study: VerifierStudy, summary: VerifierSummary, answers: _Answers) -> Explorer:
    """All items to filter; if there are very many, those that some cell took wrongly come before the others."""
    wrong = {ident for of_cell in answers for ident, answer in of_cell.items() if not answer.is_right}
    chosen = sorted(study.items, key=lambda item: item.id not in wrong)[:MOST_EXPLORED]
    items = sorted(chosen, key=lambda item: item.id)
    left_out = len(study.items) - len(items)
    return Explorer(
        item_columns=("item", "damage", "family", "wording", "question", "expected", "what was done"),
        answer_columns=("taken", "reading", "named"),
        filters=("damage", "family", "wording", "taken", "reading"),
        items=tuple(
            (item.id, _damage(item), item.family.value, item.wording.value, item.question, _set(item.expected), item.note) for item in items
        ),
        settings=tuple(
            Setting(cell.name, open_command(cell.address), tuple(_answer(of_cell.get(item.id)) for item in items))
            for cell, of_cell in zip(study.cells, answers, strict=True)
        ),
        first=place_of_choice(summary),
        note=f"{left_out} items that most cells took rightly are not on this page." if left_out else "",
    )


_ITEM = ("item", "damage", "family", "wording")
_FLIPPED = ("right in", "wrong in", *_ITEM, "the right one", "the wrong one", "question", "expected", "the wrong one named", OPEN)
_MISSED = ("cell", *_ITEM, "reading", "question", "expected", "named", OPEN)


def _pairs(cells: int) -> list[tuple[int, int]]:
    """Places of the two cells of each comparison, in the summary's order; names are not asked, as two may be alike."""
    return [(a, b) for a in range(cells) for b in range(a + 1, cells)]


def _flips(study: VerifierStudy, answers: _Answers, pair: tuple[int, int], comparison: CellComparison) -> Iterator[tuple[str, ...]]:
    for flip in comparison.flipped:
        right, wrong = pair if answers[pair[0]][flip.item].is_right else pair[::-1]
        item, good, bad = answers[right][flip.item].item, answers[right][flip.item].outcome, answers[wrong][flip.item].outcome
        readings = good.reading.value, bad.reading.value
        tail = item.question, _set(item.expected), _set(bad.named), show_command(study.cells[wrong].address, item.id)
        yield study.cells[right].name, study.cells[wrong].name, *_known(item), *readings, *tail


def _misses(cell: CellResult, answers: Mapping[str, Answer]) -> Iterator[tuple[str, ...]]:
    for ident in sorted(answers):
        item, outcome = answers[ident].item, answers[ident].outcome
        if not answers[ident].is_right and item.kind is not DamageKind.UNNECESSARY:
            tail = item.question, _set(item.expected), _set(outcome.named), show_command(cell.address, ident)
            yield cell.name, *_known(item), outcome.reading.value, *tail


def _known(item: StudyItem) -> tuple[str, ...]:
    return item.id, _damage(item), item.family.value, item.wording.value


def _damage(item: StudyItem) -> str:
    return "none: sound" if item.kind is None else item.kind.value


def _answer(answer: Answer | None) -> tuple[str, ...] | None:
    if answer is None:
        return None
    named = _set(answer.outcome.named)
    if answer.outcome.labels:
        named += f" ({', '.join(answer.outcome.labels)})"
    return "rightly" if answer.is_right else "wrongly", answer.outcome.reading.value, named


def _set(labels: Sequence[str]) -> str:
    return "; ".join(labels) or "nothing"
