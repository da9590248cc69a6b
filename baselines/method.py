"""What a question generator is: one class in one file.

A file of a method defines `METHOD`, an instance of a frozen dataclass that derives from `Method`: its fields are
the options that a config may set, `prepare` looks at the training part once, and what it returns writes one
question for each task, asking its model stage by stage. Calls, retries, cache, budget, trajectory and
clean-up of the reply are not its business. `docs/evaluate.md` shows a whole one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol

from baselines.task import Example, Task
from state.instance import BenchmarkRecord


@dataclass(frozen=True)
class Decoding:
    """How a stage's reply is decoded; the config's `params` and `token_limit` of the model win where they are set."""

    temperature: float = 0.0
    top_p: float = 1.0
    max_tokens: int = 256


PLAIN = Decoding()
"""Temperature 0 and room for one question."""


class Ask(Protocol):
    """Asks the model once, retries included, and records it as a visit of that stage."""

    async def __call__(self, stage: str, system: str, user: str, decoding: Decoding = PLAIN) -> str:
        """The reply's text, without reasoning blocks.

        Raises:
            NoReply: no usable reply came; let it pass, the instance is then counted as failed.
        """
        ...


class NoReply(Exception):
    """A stage that got no usable reply in all its tries; ends the instance."""


@dataclass(frozen=True)
class Pool:
    """The training part, from which demonstrations are taken."""

    examples: tuple[Example, ...]
    """Sorted by id; none of them is ever scored."""
    seed: int
    """Seed of every choice."""


Write = Callable[[Task, Ask], Awaitable[str]]
"""Writes the question for a task; the reply is cleaned up afterwards."""


class Method(ABC):
    """A generator that asks a language model."""

    key: ClassVar[str]
    """Its name in configs and files: lower case, the file's stem."""
    label: ClassVar[str]
    """Its name in tables."""
    sees_path: ClassVar[bool] = False
    """Whether the paper gives it the reasoning path."""
    needs_pool: ClassVar[bool] = False
    """Whether it needs a training part."""

    @property
    @abstractmethod
    def calls(self) -> tuple[int, int]:
        """Least and most calls for one question, retries aside."""

    @abstractmethod
    def prepare(self, pool: Pool) -> Write:
        """Looks at the training part once, before the first task."""


class Reference(ABC):
    """A free row to compare with: computed from the record itself, and exempt from what generators may see."""

    key: ClassVar[str]
    label: ClassVar[str]
    backend: ClassVar[str | None] = None
    """The name under which records say that this very system wrote their questions."""

    @abstractmethod
    def write(self, record: BenchmarkRecord) -> str:
        """The question; empty if it can write none."""
