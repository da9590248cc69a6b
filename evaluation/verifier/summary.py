"""The tables of a study of the verifier, made from its data by one pure function. Paper: section 4.3.2, Table 2."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from evaluation.pages.report_files import OFFLINE
from evaluation.statistics.intervals import RESAMPLES, package_version
from evaluation.verifier.cell_comparisons import compare_cells
from evaluation.verifier.cell_figures import Answer, Sample, cell_cost, register_figures
from evaluation.verifier.figures import CellComparison, CellCost, CellFigures, Recommendation, RegisterFigures
from evaluation.verifier.recommendation import has_costs, on_frontier, recommend
from evaluation.verifier.table2 import PAIRWISE, Table2, table2_row
from state.model_base import Contract
from state.study import CellResult, Register, Stratum, StudyItem, VerifierStudy


class VerifierSummary(Contract):
    """Everything that the tables and figures of a study of the verifier print."""

    format: Literal[1] = 1
    """Format version."""
    study: Literal["verifier"] = "verifier"
    """Which study."""
    dataset: str
    """Name of the dataset."""
    source: str
    """Where the traces come from."""
    seed: int
    """Seed of sample, damage and resampling."""
    resamples: int
    """Resamples of each bootstrap."""
    chronoqg: str
    """Version of this package."""
    sources: int
    """Source questions."""
    items: int
    """Items of all registers."""
    strata: tuple[Stratum, ...]
    """The sample by family."""
    cells: tuple[CellFigures, ...]
    """The grid, in the order of the config."""
    comparisons: tuple[CellComparison, ...]
    """Every two cells, in the order of the grid."""
    table2: Table2
    """Acceptance of the template questions in the layout of the paper's Table 2, a row for each cell."""
    recommendation: Recommendation
    """Which cell to take."""
    notes: tuple[str, ...]
    """What a reader must know before the numbers: the study's own notes, then what the summary found."""


def summarise_verifier_study(study: VerifierStudy, *, resamples: int = RESAMPLES) -> VerifierSummary:
    """The summary of a study; the same study gives the same summary.

    Items without an outcome in a cell are left out of that cell's figures, and a note says how many. The draws
    depend on the study's seed and the figure's name, not on the cell: all cells are resampled alike.

    Cost: linear in items x cells and resamples x source questions x cells, and two sign-flip tests for each
    pair of cells; about two seconds at 500 source questions x 8 items x 6 cells.

    Args:
        study: the data of `study.json`.
        resamples: resamples of each bootstrap.

    Raises:
        ValueError: an outcome is of no item of the study, or an item has two outcomes in a cell.
    """
    items = {item.id: item for item in study.items}
    sample = Sample(study.seed, resamples, {stratum.family: stratum.population for stratum in study.strata})
    answers = [_answers(cell, items) for cell in study.cells]
    names = [cell.name for cell in study.cells]
    templates = [_figures(*pair, Register.TEMPLATE, sample) for pair in zip(study.cells, answers, strict=True)]
    has_final = any(item.wording is Register.FINAL for item in study.items)
    finals = [_figures(*pair, Register.FINAL, sample) if has_final else None for pair in zip(study.cells, answers, strict=True)]
    costs = [cell_cost(cell) for cell in study.cells]
    frontier = on_frontier([cost.usd_per_item for cost in costs], [figures.balanced.value for figures in templates])
    comparisons = compare_cells(names, answers, study.seed)
    return VerifierSummary(
        dataset=study.dataset,
        source=study.source,
        seed=study.seed,
        resamples=resamples,
        chronoqg=package_version(),
        sources=len({item.source for item in study.items}),
        items=len(study.items),
        strata=study.strata,
        cells=tuple(
            CellFigures(
                name=cell.name,
                model=cell.model,
                model_key=cell.model_key,
                prompt=cell.prompt,
                modes=cell.modes,
                address=cell.address,
                template=template,
                final=final,
                cost=cost,
                on_frontier=lies_on,
            )
            for cell, template, final, cost, lies_on in zip(study.cells, templates, finals, costs, frontier, strict=True)
        ),
        comparisons=comparisons,
        table2=_table2(names, templates),
        recommendation=recommend(names, templates, costs, comparisons),
        notes=(*study.notes, *_notes(study, answers, costs)),
    )


def _answers(cell: CellResult, items: Mapping[str, StudyItem]) -> dict[str, Answer]:
    answers: dict[str, Answer] = {}
    for outcome in cell.outcomes:
        if outcome.item not in items:
            raise ValueError(f"cell {cell.name!r} has an outcome of {outcome.item!r}, which is no item of the study")
        if outcome.item in answers:
            raise ValueError(f"cell {cell.name!r} has two outcomes of item {outcome.item!r}")
        answers[outcome.item] = Answer.of(items[outcome.item], outcome)
    return answers


def _figures(cell: CellResult, answers: Mapping[str, Answer], register: Register, sample: Sample) -> RegisterFigures:
    return register_figures(cell, [answer for answer in answers.values() if answer.item.wording is register], register, sample)


def _table2(names: Sequence[str], templates: Sequence[RegisterFigures]) -> Table2:
    rates = [[row.rate for row in figures.acceptance.families] for figures in templates]
    rows = (
        table2_row(name, [rate.numerator for rate in of_cell], [rate.denominator for rate in of_cell])
        for name, of_cell in zip(names, rates, strict=True)
    )
    return Table2(families=PAIRWISE, rows=tuple(rows))


def _notes(study: VerifierStudy, answers: Sequence[Mapping[str, Answer]], costs: Sequence[CellCost]) -> Iterator[str]:
    for stratum in study.strata:
        if stratum.taken < stratum.wanted:
            yield (
                f"family {stratum.family} was taken whole: {stratum.taken} of {stratum.wanted} wanted are among the traces; "
                "a larger sampler.target, or another study.run, may have more"
            )
    unasked = [stratum.family for stratum in study.strata if stratum.family in PAIRWISE and stratum.population and not stratum.taken]
    if unasked:
        yield f"no question of {', '.join(unasked)} was drawn: the rate weighted by population speaks of the other families"
    for cell, of_cell in zip(study.cells, answers, strict=True):
        if len(of_cell) < len(study.items):
            yield f"cell {cell.name} has no outcome of {len(study.items) - len(of_cell)} of {len(study.items)} items, left out there"
    registers = {item.wording for item in study.items}
    if registers == {Register.TEMPLATE}:
        yield (
            "all items are template questions, and rewritten ones are read less well: "
            "with study.run and study.registers=[template, final] the accepted questions of a run are asked, too"
        )
    if Register.FINAL in registers:
        yield (
            "final questions are those that the run's own verifier accepted: for the same verifier acceptance there is high by construction"
        )
    if len({cell.prompt for cell in study.cells}) > 1 and all(cell.model == OFFLINE for cell in study.cells):
        yield "rules read no prompt: cells that differ in the prompt alone are the same"
    unpriced = [cell.name for cell, cost in zip(study.cells, costs, strict=True) if cost.usd is None]
    if unpriced and has_costs(costs):
        yield f"without a price, and so not on the frontier of cost and accuracy: {', '.join(unpriced)}"
