"""The page on graph formats lists the layouts, options and counters that there are, as the code has them."""

from __future__ import annotations

from pathlib import Path

import yaml

from graph_sampler.loaders.registry import FORMATS
from state.config import Config, GraphConfig
from state.graph_options import GraphOptions
from state.graph_report import ImportCounter
from tests.command_line import here
from tests.test_models_page import rows

PAGE = (Path(__file__).parents[1] / "docs" / "graph_formats.md").read_text(encoding="utf-8")
LINES = PAGE.splitlines()


def test_the_table_of_layouts_is_that_of_the_code() -> None:
    table = []
    for name, layout in FORMATS.items():
        keys = [*sorted(layout.settings), *(f"options.{key}" for key in sorted(layout.options))]
        own = ", ".join(f"`{key}`" for key in keys) or "-"
        table.append(f"| `{name}` | {layout.title} | {layout.granularity.value} | {layout.year_numbering.value} | {own} | {layout.notes} |")
    header = LINES.index("| `graph.format` | what it is | unit | years before 1 | keys of its own | to know |")
    shown = LINES[header + 2 : header + 2 + len(table)]
    assert shown == table, "docs/graph_formats.md needs these rows:\n" + "\n".join(table)


def test_the_table_of_options_is_that_of_the_code_and_each_is_read_by_some_layout() -> None:
    table = list(rows(GraphOptions, "graph.options."))
    assert [line for line in LINES if line.startswith("| `graph.options.")] == table, "\n".join(table)
    assert set(GraphOptions.model_fields) == set().union(*(layout.options for layout in FORMATS.values()))


def test_every_shared_counter_is_explained() -> None:
    assert [counter for counter in ImportCounter if f"`{counter}`" not in PAGE] == []


def test_the_counts_of_the_bundled_graphs_are_those_printed() -> None:
    printed = here("graph", "counts", "bundled:years", "bundled:days").stdout.splitlines()[-2:]
    assert [line for line in printed if line not in LINES] == []


def test_the_config_of_the_page_has_known_keys_only() -> None:
    block = PAGE.split("```yaml\n")[1].split("```")[0]
    assert Config.model_validate({"dataset": "any", **yaml.safe_load(block)}).graph.format == "hyte"


def test_the_page_names_the_open_dates_that_hold_without_a_config() -> None:
    texts = [f"`{text}`" for text in GraphConfig.model_fields["open_dates"].default]
    assert f"`graph.open_dates` are {', '.join(texts[:-1])} and {texts[-1]}" in PAGE
