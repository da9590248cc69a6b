"""Single instances of a study of the rewriter: which only one of two cells had accepted, which were lost, and how to open them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from evaluation.pages.page_parts import MOST_EXPLORED, MOST_SHOWN, SEPARATOR, Explorer, Grid, Setting
from evaluation.pages.tables import Table
from evaluation.rewriter.fates import fate_of
from evaluation.rewriter.summary import RewriterSummary
from evaluation.study.show_commands import OPEN, open_command, show_command
from state.rewriter_study import RewriterCell, RewriterInstance, RewriterOutcome, RewriterStudy
from state.vocabulary import Status

_FINAL = "final question"
_FLIPPED = ("accepted in", "not accepted in", "instance", "family", "template question", _FINAL, "fate in the other cell", OPEN)
_LOST = ("cell", "instance", "fate", "family", "template", "template question", OPEN)

_Outcomes = Mapping[str, RewriterOutcome]


def flipped_grids(study: RewriterStudy, summary: RewriterSummary) -> list[Grid]:
    """A table for each cell set beside the recommended one, or the first if none is; a few instances in each."""
    chosen, instances = place_of_choice(summary), {instance.id: instance for instance in study.instances}
    outcomes = [_by_instance(cell) for cell in study.cells]
    grids = []
    for other in range(len(study.cells)):
        pair = min(chosen, other), max(chosen, other)
        flipped = [ident for ident in sorted(instances) if other != chosen and _is_flipped(outcomes, pair, ident)]
        if flipped:
            one, two = (study.cells[place] for place in pair)
            rows = tuple(_flip(study, outcomes, pair, instances[ident]) for ident in flipped[:MOST_SHOWN])
            caption = f"{one.name} and {two.name}: {len(flipped)} instances of which only one of them had a question accepted"
            note = _shown(len(flipped), "the ids of all are in tables/flipped.csv")
            grids.append(Grid(Table("flipped", caption, _FLIPPED, rows), is_folded=True, is_cards=True, note=note))
    return grids


def lost_table(study: RewriterStudy) -> Table:
    """Every instance of which a cell had no question accepted, for every cell."""
    rows = tuple(row for cell in study.cells for row in _losses(study, cell))
    return Table("not_accepted", "Instances of which a cell had no question accepted", _LOST, rows)


def lost_grid(study: RewriterStudy, summary: RewriterSummary) -> Grid | None:
    """A few of those of the recommended cell, or of the first if none is."""
    if not study.cells:
        return None
    chosen = study.cells[place_of_choice(summary)]
    rows = tuple(_losses(study, chosen))
    if not rows:
        return None
    caption = f"{chosen.name}: {len(rows)} instances of which no question was accepted"
    note = _shown(len(rows), "those of all cells are in tables/not_accepted.csv")
    return Grid(Table("not_accepted", caption, _LOST, rows[:MOST_SHOWN]), is_folded=True, is_cards=True, note=note)


def explorer(study: RewriterStudy, summary: RewriterSummary) -> Explorer:
    """All instances to filter; if there are very many, those that some cell lost come before the others."""
    outcomes = [_by_instance(cell) for cell in study.cells]
    lost = {ident for of_cell in outcomes for ident, outcome in of_cell.items() if outcome.status is not Status.ACCEPTED}
    kept = sorted(study.instances, key=lambda instance: instance.id not in lost)[:MOST_EXPLORED]
    instances = sorted(kept, key=lambda instance: instance.id)
    left_out = len(study.instances) - len(instances)
    return Explorer(
        item_columns=("instance", "family", "template", "template question"),
        answer_columns=("fate", _FINAL),
        filters=("fate", "family", "template"),
        items=tuple((one.id, *_kind(one), one.raw_question) for one in instances),
        settings=tuple(
            Setting(cell.name, open_command(cell.address), tuple(_answer(of_cell[one.id]) for one in instances))
            for cell, of_cell in zip(study.cells, outcomes, strict=True)
        ),
        first=place_of_choice(summary),
        note=f"{left_out} instances that cells had accepted are not on this page." if left_out else "",
        several=("family",),
    )


def place_of_choice(summary: RewriterSummary) -> int:
    """Place of the recommended cell in the grid; 0 if none is recommended."""
    names = [cell.name for cell in summary.cells]
    return names.index(summary.recommendation.cell) if summary.recommendation.cell is not None else 0


def _by_instance(cell: RewriterCell) -> _Outcomes:
    return {outcome.instance: outcome for outcome in cell.outcomes}


def _is_flipped(outcomes: Sequence[_Outcomes], pair: tuple[int, int], ident: str) -> bool:
    one, two = (outcomes[place][ident].status is Status.ACCEPTED for place in pair)
    return one != two


def _flip(study: RewriterStudy, outcomes: Sequence[_Outcomes], pair: tuple[int, int], instance: RewriterInstance) -> tuple[str, ...]:
    ident = instance.id
    good, bad = pair if outcomes[pair[0]][ident].status is Status.ACCEPTED else pair[::-1]
    fate, final = fate_of(outcomes[bad][ident]), outcomes[good][ident].final_question or "-"
    command = show_command(study.cells[bad].address, ident)
    return study.cells[good].name, study.cells[bad].name, ident, _families(instance), instance.raw_question, final, fate, command


def _losses(study: RewriterStudy, cell: RewriterCell) -> Iterator[tuple[str, ...]]:
    outcomes = _by_instance(cell)
    for one in sorted(study.instances, key=lambda instance: instance.id):
        if outcomes[one.id].status is not Status.ACCEPTED:
            yield cell.name, one.id, fate_of(outcomes[one.id]), *_kind(one), one.raw_question, show_command(cell.address, one.id)


def _kind(instance: RewriterInstance) -> tuple[str, str]:
    return _families(instance), instance.template.value


def _families(instance: RewriterInstance) -> str:
    """One a constraint, in step order."""
    return SEPARATOR.join(family.value for family in instance.families)


def _answer(outcome: RewriterOutcome) -> tuple[str, ...]:
    return fate_of(outcome), outcome.final_question or "-"


def _shown(count: int, where: str) -> str:
    return f"{MOST_SHOWN} of {count} shown; {where}." if count > MOST_SHOWN else ""
