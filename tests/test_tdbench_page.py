"""The page on temporal tables lists the keys that there are, with their meaning and default as the code has them."""

from __future__ import annotations

from pathlib import Path

import yaml

from runs.config_file import load_config
from state.tdbench_config import JoinConfig, TableConfig, TdbenchConfig
from tests.test_models_page import rows

PAGE = (Path(__file__).parents[1] / "docs" / "tdbench.md").read_text(encoding="utf-8")
APART = ("| `tdbench.tables` |", "| `tdbench.joins` |")


def test_the_table_of_keys_is_that_of_the_code() -> None:
    own = [row for row in rows(TdbenchConfig, "tdbench.") if not row.startswith(APART)]
    table = [*rows(TableConfig, "tdbench.tables.NAME."), *rows(JoinConfig, "tdbench.joins.NAME."), *own]
    shown = [line for line in PAGE.splitlines() if line.startswith("| `tdbench.")]
    assert shown == table, "docs/tdbench.md needs these rows:\n" + "\n".join(table)


def test_the_config_of_the_page_loads(tmp_path: Path) -> None:
    block = PAGE.split("```yaml\n")[1].split("```")[0]
    (tmp_path / "page.yaml").write_text(block)
    config = load_config(tmp_path / "page.yaml").config
    assert yaml.safe_load(block)["tdbench"].keys() == {"as_of", "tables", "joins"}
    assert set(config.tdbench.tables) == {"leaders", "games"}
