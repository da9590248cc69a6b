"""Question generators whose model is a function: for tests that look at prompts, without the client and its imports."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from baselines.method import PLAIN, Decoding, Method, Pool, Write
from baselines.registry import find_method
from baselines.task import Example, Task, task_of
from state.instance import BenchmarkRecord

METHODS = ("zero_shot", "cot", "few_shot", "kqg_cot", "kqg_cot_plus", "sgsh", "role_agent_qg", "r2dqg")
"""All methods that ask a model."""


def method_named(name: str, **options: Any) -> Method:
    """A method by its name."""
    method = find_method(name, options).method
    assert isinstance(method, Method)
    return method


def pool_of(records: Sequence[BenchmarkRecord], seed: int = 7) -> Pool:
    """A training part whose reference questions have nothing of the template questions."""
    records = sorted(records, key=lambda record: record.id)
    openings = ("Who was", "In which year did", "Which club is", "Whom")
    questions = [f"{openings[number % 4]} meant by riddle {number}?" for number in range(len(records))]
    return Pool(tuple(Example(task_of(record, shows_path=False), asked) for record, asked in zip(records, questions, strict=True)), seed)


@dataclass
class Talk:
    """What a prepared method asked for a task."""

    said: str = ""
    """What it returned, before the clean-up."""
    stages: list[str] = field(default_factory=list)
    systems: list[str] = field(default_factory=list)
    users: list[str] = field(default_factory=list)
    temperatures: list[float] = field(default_factory=list)


def talk(write: Write, task: Task, *replies: str) -> Talk:
    """A task through a prepared method whose model says these replies in turn, then stays with the last."""
    left, told = list(replies), Talk()

    async def ask(stage: str, system: str, user: str, decoding: Decoding = PLAIN) -> str:
        told.stages.append(stage)
        told.systems.append(system)
        told.users.append(user)
        told.temperatures.append(decoding.temperature)
        return left.pop(0) if len(left) > 1 else left[0]

    async def go() -> None:
        told.said = await write(task, ask)

    asyncio.run(go())
    return told


def prompts_of(write: Write, task: Task, reply: str = "Score: 1\nWho was it?") -> list[str]:
    """System and user message of all that a prepared method asks for a task, if the model always says the same."""
    told = talk(write, task, reply)
    return [text for pair in zip(told.systems, told.users, strict=True) for text in pair]
