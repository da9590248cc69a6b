"""The page on studies lists the keys that there are, with their meaning and default as the code has them."""

from __future__ import annotations

from pathlib import Path

from evaluation.verifier.strata import PAPER
from state.study import DamageKind
from state.study_config import RewriterGrid, StudyConfig, VerifierGrid
from tests.test_models_page import rows

PAGE = (Path(__file__).parents[1] / "docs" / "studies.md").read_text(encoding="utf-8")


def test_the_table_of_keys_is_that_of_the_code() -> None:
    table = [*rows(StudyConfig, "study."), *rows(VerifierGrid, "study.verifier."), *rows(RewriterGrid, "study.rewriter.")]
    shown = [line for line in PAGE.splitlines() if line.startswith("| `study.")]
    assert shown == table, "docs/studies.md needs these rows:\n" + "\n".join(table)


def test_every_kind_of_damage_has_a_row() -> None:
    assert [line.split(" | ")[0].removeprefix("| ") for line in PAGE.split("| damage |")[1].split("\n\n")[0].splitlines()[2:]] == [
        kind.value for kind in DamageKind
    ]


def test_the_papers_sample_is_that_of_the_code() -> None:
    counts = [f"{count} {family.value}" for family, count in PAPER.items()]
    assert f"`paper` is {', '.join(counts[:-1])} and {counts[-1]}" in PAGE
