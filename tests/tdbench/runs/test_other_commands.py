"""Commands about graphs meet a config or a run about tables, and the other way round: one clear line each."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import refused
from tests.tdbench.small_tables import write_config


@pytest.mark.parametrize("command", [["build"], ["sample"], ["estimate"], ["graph", "inspect"]])
def test_a_config_without_a_graph_is_refused_by_what_needs_one(command: list[str], tmp_path: Path) -> None:
    config = str(write_config(tmp_path))
    out = [] if command[-1] == "inspect" else ["--out", str(tmp_path / "run")]
    assert "graph.path: the config names no graph" in refused(*command, config, *out)
    assert not (tmp_path / "run").exists()


def test_a_config_without_tables_is_refused_by_what_needs_some(tmp_path: Path) -> None:
    message = refused("tdbench", "build", "runs/quickstart.yaml", "--out", str(tmp_path / "run"))
    assert "tdbench.tables: no table is named" in message
