"""Methods of users that raise, ask without end or return nonsense: the question fails, what was asked is kept."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agents.backends import Backend, Exchange
from agents.generator import generator_backend
from agents.replies import RawReply
from agents.workflow import InstanceResult
from baselines.method import Ask, Write
from baselines.registry import find_method
from baselines.task import Task
from baselines.writing import write_question
from state.config import ModelConfig
from state.errors import ConfigError
from state.instance import BenchmarkRecord
from state.trajectory import Usage
from state.vocabulary import Node, Status, Terminal

FILE = """
from dataclasses import dataclass
from baselines.method import Method


@dataclass(frozen=True)
class Mine(Method):
    key = "mine"
    label = "Mine"

    @property
    def calls(self):
        return 1, 1

    def prepare(self, pool):
        return None


METHOD = Mine()
"""


class Talkative:
    """A source that always says the same."""

    immediate = True

    async def fetch(self, exchange: Exchange, well_formed: Callable[[RawReply], bool]) -> RawReply:
        raw = RawReply(text="Who was it?", finish_reason="stop", usage=Usage(input=5, output=3))
        well_formed(raw)
        return raw

    async def aclose(self) -> None:
        """Nothing."""


def through(record: BenchmarkRecord, write: Any, most_calls: int | None = None) -> InstanceResult:
    model = ModelConfig(provider="openai", model="m", base_url="http://127.0.0.1:1/v1", api_key_env=None)
    backend: Backend = generator_backend("m", model, Talkative(), "0" * 64)
    return asyncio.run(write_question(record, write, backend, shows_path=False, retries=0, most_calls=most_calls))


async def _raises(task: Task, ask: Ask) -> str:
    await ask("write", "Write.", "sk-secret")
    raise KeyError("sk-secret")


async def _returns_nothing(task: Task, ask: Ask) -> Any:
    await ask("write", "Write.", "Now.")


async def _asks_without_end(task: Task, ask: Ask) -> str:
    while True:
        await ask("write", "Write.", "Now.")


@pytest.mark.parametrize(
    ("write", "detail"),
    [
        (_raises, "the method broke: KeyError in test_methods_that_break.py:"),
        (_returns_nothing, "the method broke: TypeError in"),
        (_asks_without_end, "the method broke: it asks more than the 1 calls that its METHOD names"),
    ],
)
def test_a_method_that_breaks_fails_its_question_and_keeps_what_it_asked(
    write: Write, detail: str, years_records: list[BenchmarkRecord]
) -> None:
    result = through(years_records[0], write, most_calls=1)
    assert (result.status, result.last_node) == (Status.FAILED, Node.GENERATE)
    assert result.detail.startswith(detail)
    assert "sk-secret" not in result.detail
    assert [(visit.mode, visit.to, visit.tries[0].usage.input) for visit in result.visits] == [("write", Terminal.AGENT_ERROR.value, 5)]


def test_lone_surrogates_of_a_method_reach_no_file(years_records: list[BenchmarkRecord]) -> None:
    async def write(task: Task, ask: Ask) -> str:
        return await ask("write", "\ud800", "\udfff") + "\ud800?"

    result = through(years_records[0], write)
    assert result.status is Status.ACCEPTED
    assert "\ufffd" in str(result.final_question)
    assert not any("\ud800" <= sign <= "\udfff" for visit in result.visits for sign in visit.model_dump_json() + str(result.final_question))


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (("return 1, 1", 'return "many"'), "METHOD.calls is no range of calls"),
        (("return 1, 1", "return 2, 1"), "METHOD.calls is no range of calls"),
        (('"mine"', '" "'), "must not be blank"),
        (("METHOD = Mine()", "raise SystemExit(3)"), "cannot be run: SystemExit"),
    ],
)
def test_a_file_that_cannot_be_used_is_an_error_in_one_line(edit: tuple[str, str], message: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(FILE)
    assert find_method(str(file)).method.key == "mine"
    file.write_text(FILE.replace(*edit))
    with pytest.raises(ConfigError, match=message):
        find_method(str(file))
