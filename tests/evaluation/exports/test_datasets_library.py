"""The `datasets` library loads an export by its folder's name, and its rows are the records."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from evaluation.exports.report import ExportFormat
from evaluation.exports.writing import export_run
from runs.engine import run_pending
from runs.run_folder import RunFolder
from tests.command_line import ROOT, environment
from tests.run_directory import ScriptedAgents, accepted, config, records, sampled

LOAD = """
import sys
from pathlib import Path
from datasets import get_dataset_config_names, load_dataset
from evaluation.exports.parquet import record_of
from runs.json_lines import model_line

folder, lines = sys.argv[1], Path(sys.argv[2])
for name in (*get_dataset_config_names(folder), None):
    loaded = load_dataset(folder, name) if name else load_dataset(folder)
    for split, rows in loaded.items():
        (lines / f"{name or 'all'}-{split}").write_bytes(b"".join(model_line(record_of(row)) + b"\\n" for row in rows))
"""


def loaded(folder: Path, tmp_path: Path) -> Path:
    """Loads a folder in another process, which finds no network and writes nowhere else; gives the rows as lines."""
    lines = tmp_path / "lines"
    lines.mkdir()
    offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": str(tmp_path / "cache"), "HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", LOAD, str(folder), str(lines)],
        cwd=ROOT, env={**environment(), **offline}, capture_output=True, text=True, timeout=250, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return lines


@pytest.mark.extras
def test_each_configuration_loads_as_the_records_of_the_run(export_run_dir: Path, tmp_path: Path) -> None:
    folder, report = export_run(export_run_dir, ExportFormat.HF, tmp_path / "out")
    lines = loaded(folder, tmp_path)
    assert len(os.listdir(lines)) == 9
    found: dict[str, bytes] = {name: (lines / name).read_bytes() for name in os.listdir(lines)}
    for kind in ("S", "M"):
        rows = b"".join(found[f"{kind}-{split}"] for split in ("train", "validation", "test")).splitlines()
        ours = list(export_run_dir.glob(f"benchmark/*-{kind}.jsonl"))
        assert sorted(rows) == sorted(ours[0].read_bytes().splitlines())
    for split, part in (("train", "train"), ("validation", "dev"), ("test", "test")):
        assert found[f"all-{split}"] == found[f"S-{split}"] + found[f"M-{split}"]
        assert report.split is not None
        assert found[f"S-{split}"].count(b"\n") == report.split.sizes["S"][part]  # type: ignore[index]


@pytest.mark.extras
def test_a_benchmark_too_small_for_three_splits_loads_too(tmp_path: Path) -> None:
    """All records are one group, so one split holds them all, and S holds none."""
    with RunFolder(tmp_path / "run", config(tmp_path)) as folder:
        sampled(folder, records(3))
        run_pending(folder, ScriptedAgents(lambda record, number: accepted(record, f"Who is number {number}?")).agents)
    exported, report = export_run(tmp_path / "run", ExportFormat.HF)
    assert report.split is not None
    assert sorted(report.split.sizes["M"].values()) == [0, 0, 3]  # type: ignore[index]
    assert len(list(exported.rglob("*.parquet"))) == 6
    lines = loaded(exported, tmp_path)
    (split,) = (name.partition("-")[2] for name in os.listdir(lines) if name.startswith("all-"))
    assert sorted(os.listdir(lines)) == [f"M-{split}", f"all-{split}"]
    assert (lines / f"M-{split}").read_bytes() == (tmp_path / "run" / "benchmark" / "sample-M.jsonl").read_bytes()
