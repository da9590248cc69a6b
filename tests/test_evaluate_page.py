"""The page on evaluations lists the keys that there are, and its method runs as it is printed."""

from __future__ import annotations

from pathlib import Path

from baselines.method import Method
from baselines.registry import find_method
from state.evaluate_config import EvaluateConfig
from tests.test_models_page import rows

PAGE = (Path(__file__).parents[1] / "docs" / "evaluate.md").read_text(encoding="utf-8")


def test_the_table_of_keys_is_that_of_the_code() -> None:
    table = list(rows(EvaluateConfig, "evaluate."))
    shown = [line for line in PAGE.splitlines() if line.startswith("| `evaluate.")]
    assert shown == table, "docs/evaluate.md needs these rows:\n" + "\n".join(table)


def test_the_method_on_the_page_can_be_used(tmp_path: Path) -> None:
    file = tmp_path / "my_method.py"
    file.write_text(PAGE.split("```python\n")[1].split("```")[0])
    found = find_method(str(file), {"shots": 2}).method
    assert isinstance(found, Method)
    assert (found.key, found.calls, getattr(found, "shots", None)) == ("plan_and_write", (2, 2), 2)
