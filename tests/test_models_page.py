"""The page on models lists the keys that there are, with their meaning and default as the code has them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest
import yaml
from pydantic import BaseModel

from agents.backends import MOST_FAULTS
from agents.pace import LONGEST_PAUSE_S
from runs.checking_models import ROOM_TO_REASON
from state.config import AgentsConfig, Config, ModelConfig, Price

PAGE = (Path(__file__).parents[1] / "docs" / "models.md").read_text(encoding="utf-8")


def rows(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    """The rows of a table of a model's keys, in the order of the code, without the keys that have keys below them."""
    for name, field in model.model_fields.items():
        if isinstance(field.default, BaseModel):
            continue
        meaning = " ".join((field.description or "").split()).replace("`None`", "`null`").replace("|", r"\|")
        default = "required" if field.is_required() else f"`{orjson.dumps(field.default).decode()}`"
        yield f"| `{prefix}{name}` | {meaning} | {default} |"


def test_the_table_of_keys_is_that_of_the_code() -> None:
    table = [*rows(ModelConfig), *rows(Price, "price.")]
    shown = [line for line in PAGE.splitlines() if re.match(r"\| `[a-z_.]+` \|.*\| (?:required|`[^|]*`) \|$", line)]
    assert shown == table, "docs/models.md needs these rows:\n" + "\n".join(table)


@pytest.mark.parametrize("block", re.findall(r"^```yaml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL))
def test_a_config_of_the_page_has_known_keys_only(block: str) -> None:
    config = Config.model_validate({"dataset": "any", "graph": {"path": "any"}, **yaml.safe_load(block)})
    assert config.models


def test_the_numbers_that_the_page_names_are_those_of_the_code() -> None:
    assert f"{MOST_FAULTS} times" in PAGE
    assert f"{LONGEST_PAUSE_S:.0f} s" in PAGE
    assert f"{ROOM_TO_REASON}" in PAGE
    assert f"`agents.retries` ({AgentsConfig().retries})" in PAGE
