"""A scripted model that knows the right replies to a run's instances, and how to call `build` with it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agents.read_constraints import Bench
from runs.json_lines import parse_lines
from runs.run_folder import RunReader
from state.instance import BenchmarkRecord
from state.trace import StructuralStep
from tests.command_line import SMALL, here
from tests.fake_openai_server import Reply, good

ROLES = ("rewriter", "verifier", "error_analyst", "reviser", "leak_rewriter")


class KnowsAll:
    """A model that has seen another run's accepted questions and repeats them; of the rest it only names the names."""

    def __init__(self, run: Path) -> None:
        files = sorted(run.glob("benchmark/*.jsonl"))
        accepted = {record.id: record.final_question for file in files for record in parse_lines(BenchmarkRecord, file)}
        self.known = [(record, accepted.get(record.id) or vague(record)) for record in RunReader(run).traces()]

    def __call__(self, body: dict[str, Any]) -> Reply:
        asked = body["messages"][1]["content"]
        kind = kind_of(body)
        if kind == "cause":
            return good(cause="unclear", reason="I do not know.")
        for record, question in self.known:
            if kind == "question" and mentions(body, record.raw_question):
                return good(question=question)
            if kind == "answers" and json.dumps(question, ensure_ascii=False) in asked and question != vague(record):
                return good(answers=[record.answer], cannot_tell=False)
            if kind == "constraints" and json.dumps(question, ensure_ascii=False) in asked and question != vague(record):
                return good(**Bench(record).state().model_dump(mode="json"))
        return good(constraints=[], cannot_tell=True) if kind == "constraints" else good(answers=[], cannot_tell=True)


def kind_of(body: dict[str, Any]) -> str:
    """What a request asks for: `question`, `answers`, `constraints` or `cause`."""
    return str(body["response_format"]["json_schema"]["name"])


def mentions(body: dict[str, Any], text: str) -> bool:
    """Whether a request shows a text as data."""
    return json.dumps(text, ensure_ascii=False) in body["messages"][1]["content"]


def vague(record: BenchmarkRecord) -> str:
    """A usable question that says nothing."""
    fixed = {end for step in record.trace.steps if isinstance(step, StructuralStep) for end in step.pattern[::2]}
    fixed |= {end for fact in record.trace.references.values() for end in (fact.subject, fact.object)}
    return f"Which of all has to do with {' and '.join(sorted(record.labels[end] for end in fixed if not end.startswith('?')))}?"


@dataclass(frozen=True)
class ModelRun:
    """`build` with one model in every role, taking the first eight instances."""

    folder: Path
    """Where runs, cache and prompts go."""
    model: dict[str, Any]
    """The entry of `models`."""
    more: tuple[str, ...] = field(default=())
    """Further overrides."""

    @property
    def arguments(self) -> tuple[str, ...]:
        """Config and overrides of every command."""
        overrides = [f"models.gpt={json.dumps(self.model)}", f"cache.path={self.folder / 'cache'}", *self.more]
        overrides += [f"agents.{role}.model=gpt" for role in ROLES]
        return (*SMALL, *(part for override in overrides for part in ("--set", override)))

    def command(self, name: str, *more: str) -> tuple[str, ...]:
        """The words of a build into a run directory by that name."""
        return ("build", *self.arguments, "--limit", "8", "--out", str(self.folder / name), *more)

    def build(self, name: str, *more: str) -> Any:
        """Builds in this process."""
        return here(*self.command(name, *more))
