"""Which answer of a study of the verifier to open first: one of the recommended cell that went wrong."""

from __future__ import annotations

from evaluation.verifier.cell_figures import Answer
from evaluation.verifier.summary import VerifierSummary
from state.study import CellResult, DamageKind, StudyItem, VerifierStudy


def place_of_choice(summary: VerifierSummary) -> int:
    """Place of the recommended cell in the grid; 0 if none is recommended."""
    names = [cell.name for cell in summary.cells]
    return names.index(summary.recommendation.cell) if summary.recommendation.cell is not None else 0


def first_to_open(study: VerifierStudy, summary: VerifierSummary) -> tuple[CellResult, StudyItem]:
    """The recommended cell and its first damaged item that it missed, else its first sound one not agreed with, else the first.

    An unnecessary constraint counts as missed only where the cell reads the question back: no answer can show it.

    Args:
        study: a study with a cell and an item.
        summary: its summary.
    """
    cell = study.cells[place_of_choice(summary)]
    outcomes = {outcome.item: outcome for outcome in cell.outcomes}
    answers = [Answer.of(item, outcomes[item.id]) for item in study.items if item.id in outcomes]
    wrong = [answer.item for answer in answers if not answer.is_right]
    damaged = [item for item in wrong if item.kind is not None and (item.kind is not DamageKind.UNNECESSARY or "roundtrip" in cell.modes)]
    sound = [item for item in wrong if item.kind is None]
    return cell, (damaged or sound or study.items)[0]
