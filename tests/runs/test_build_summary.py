"""The end of a build says what a person would otherwise have to look up."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from runs.building import BuildReport
from runs.manifest import Counts
from tests.command_line import SMALL, here


def test_a_build_of_fewer_traces_than_were_aimed_at_says_so(tmp_path: Path) -> None:
    counts = Counts(accepted=6, discarded={}, failed=0)
    report = BuildReport(path=tmp_path, taken=6, sampled=6, counts=counts, usage=(), written=(), an_id=None, target=100)
    assert f"note: 6 of 100 traces were found; {tmp_path}/coverage.json says what is short" in report.talk()
    assert json.loads(report.as_json())["target"] == 100
    assert not any("were found" in line for line in replace(report, target=6).talk())


def test_a_build_knows_its_target(build_copy: Path) -> None:
    done = here("build", *SMALL, "--out", str(build_copy), "--json")
    assert json.loads(done.stdout)["target"] == 48
    assert "were found" not in done.stderr
