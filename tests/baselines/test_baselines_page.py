"""The page on question generators names every method with its stages, calls and options as they are."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from baselines.method import Pool
from baselines.registry import find_method, method_names
from baselines.task import task_of
from state.instance import BenchmarkRecord
from tests.bare_generator import METHODS, method_named, pool_of, talk

PAGE = (Path(__file__).parents[2] / "docs" / "baselines.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `(\w+)` \| " + r" \| ".join([r"([^|]+)"] * 5) + r" \|$", re.MULTILINE)
ROWS = {name: row for name, *row in ROW.findall(PAGE)}


@pytest.fixture(scope="module")
def pool(years_records: list[BenchmarkRecord]) -> Pool:
    return pool_of(years_records[:20])


def test_each_method_has_its_row_and_label() -> None:
    assert {name: row[0] for name, row in ROWS.items()} == {name: find_method(name).method.label for name in method_names()}


@pytest.mark.parametrize("name", METHODS)
def test_stages_calls_and_needs_are_those_of_the_method(name: str, years_records: list[BenchmarkRecord], pool: Pool) -> None:
    method = method_named(name)
    _, path, stages, calls, needs = ROWS[name]
    done = talk(method.prepare(pool), task_of(years_records[50], shows_path=False), "Score: 5\nWho was it?")
    assert re.split(r", then |, ", stages) == done.stages
    counts = [int(number) for number in re.findall(r"\d+", calls)]
    assert (counts[0], counts[-1]) == method.calls
    assert (path == "yes", needs == "yes") == (method.sees_path, method.needs_pool)


@pytest.mark.parametrize("name", METHODS)
def test_options_stand_under_the_heading_of_the_method_with_their_defaults(name: str) -> None:
    method = method_named(name)
    section = next((part for part in re.split(r"^## ", PAGE, flags=re.MULTILINE) if method.label in part.splitlines()[0]), "")
    assert section
    listed = dict(re.findall(r"^\| `(\w+)` \| (\w+) \|", section, re.MULTILINE))
    assert listed == {option.name: str(option.default).lower() for option in fields(method)}
