"""A finished run of real traces with invented questions, made once."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.workflow import InstanceResult
from runs.engine import run_pending
from runs.json_lines import model_line
from runs.run_folder import RunFolder, RunReader
from state.instance import BenchmarkRecord
from tests.run_directory import ScriptedAgents, accepted, config, discarded, sampled

COUNT = 54


def one_in_nine_discarded(record: BenchmarkRecord, number: int) -> InstanceResult:
    if number % 9 == 0:
        return discarded(record, "question | the verifier named nobody")
    return accepted(record, f"Which one is\u2028 number {number}?")


@pytest.fixture(scope="session")
def export_run_dir(years_records: list[BenchmarkRecord], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run; exports go elsewhere."""
    path = tmp_path_factory.mktemp("exports") / "run"
    with RunFolder(path, config(path.parent, "dataset=years")) as folder:
        sampled(folder, years_records[:COUNT])
        run_pending(folder, ScriptedAgents(one_in_nine_discarded).agents)
    manifest = RunReader(path).manifest
    terms = manifest.graph.model_copy(update={"licence": "CC0-1.0", "source": "http://a.example/b"})
    (path / "manifest.json").write_bytes(model_line(manifest.model_copy(update={"graph": terms})))
    return path
