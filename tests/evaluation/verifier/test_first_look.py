"""The answer that a study says to open first is one that went wrong in the recommended cell, if any did."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluation.verifier.first_look import first_to_open
from evaluation.verifier.study import VerifierReport
from evaluation.verifier.summary import summarise_verifier_study
from state.study import DamageKind, Reading
from tests.planted_study import Planted, planted_study

YES, OTHER = Reading.AGREED, Reading.ANOTHER
SOUND = Planted("s", None, (YES, YES))
REJECTED = Planted("s", None, (YES, OTHER))
NOTICED = Planted("s", DamageKind.ADDED, (OTHER, OTHER))
MISSED = Planted("s", DamageKind.ADDED, (OTHER, YES))
UNNECESSARY = Planted("s", DamageKind.UNNECESSARY, (OTHER, YES))


@pytest.mark.parametrize(
    ("planted", "modes", "place"),
    [
        ([SOUND, NOTICED, REJECTED, UNNECESSARY, MISSED, MISSED], ("all",), 4),
        ([SOUND, NOTICED, REJECTED, UNNECESSARY, MISSED], ("all", "roundtrip"), 3),
        ([SOUND, NOTICED, UNNECESSARY, REJECTED, REJECTED], ("all",), 3),
        ([SOUND, NOTICED, UNNECESSARY], ("all",), 0),
    ],
    ids=["missed", "unnecessary, read back", "rejected", "nothing wrong"],
)
def test_what_to_open_first_went_wrong_in_the_recommended_cell(
    planted: list[Planted], modes: tuple[str, ...], place: int, tmp_path: Path
) -> None:
    study = planted_study(planted, modes=modes, prices=(0.002, 0.001))
    summary = summarise_verifier_study(study, resamples=50)
    assert summary.recommendation.cell == "b", "the cheaper one of two that so few items do not tell apart"
    cell, item = first_to_open(study, summary)
    assert (cell.name, item) == ("b", study.items[place])
    assert list(VerifierReport(tmp_path, study, summary, ()).talk())[-1] == f"next: chronoqg show {tmp_path}@1 {item.id}"
