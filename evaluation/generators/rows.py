"""What is scored: datasets of references, and rows of questions that somebody wrote for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from state.instance import BenchmarkRecord


class RowKind(StrEnum):
    """Where a row's questions come from."""

    METHOD = "method"
    """A generator of ours, asked here."""
    REFERENCE = "reference"
    """A free row to compare with, exempt from the rule that no generator sees the template question."""
    OUTSIDE = "outside"
    """A file of predictions; what its system was shown is not known."""


@dataclass(frozen=True)
class Dataset:
    """The references of one part of a benchmark, such as `years-S`."""

    name: str
    """The file's stem."""
    source: str
    """The benchmark that it is a part of: figures pool S and M."""
    records: tuple[BenchmarkRecord, ...]
    """The records that are scored, sorted by id; each has a final question."""
    groups: Mapping[str, str]
    """Record id -> group of the split; resampling takes a group whole."""


@dataclass(frozen=True)
class RowUsage:
    """What a row's questions used."""

    questions: int = 0
    """Questions asked for."""
    calls: int = 0
    """Calls, retries included."""
    cached_calls: int = 0
    """Those answered from the cache."""
    input: int = 0
    """Prompt tokens, replies from the cache included."""
    output: int = 0
    """Completion tokens, replies from the cache included."""
    usd: float | None = 0.0
    """US dollars at the config's prices, as if nothing had come from the cache; `None` without a price."""
    usd_paid: float = 0.0
    """US dollars really paid."""


class RowKey(NamedTuple):
    """What tells rows apart."""

    dataset: str
    """Name of the dataset."""
    method: str
    """Key of the method."""
    model: str | None
    """The model's name on its server."""
    kind: RowKind
    """Where the questions come from."""


@dataclass(frozen=True)
class Row:
    """One generator on one dataset."""

    method: str
    """Key of the method, e.g. `zero_shot`; the row's name for an outside one."""
    label: str
    """How tables call it, e.g. `Zero-shot`."""
    model: str | None
    """The model's name on its server; `None` where none is asked."""
    kind: RowKind
    dataset: str
    """Name of the dataset."""
    predictions: Mapping[str, str]
    """Id -> question, one for every record of the dataset; empty where nothing usable came."""
    wrote_references: bool = False
    """Whether the system that wrote the references (`backend.rewriter`) is this row's: it prints `self`."""
    with_path: bool = False
    """Whether the reasoning path was given to a method that the paper does not give it to."""
    usage: RowUsage = field(default_factory=RowUsage)
    failed: int = 0
    """Instances without a usable reply; they score 0."""
    address: str = ""
    """`FOLDER@CELL`, under which `chronoqg show` opens one of its instances; empty where there is none."""

    @property
    def key(self) -> RowKey:
        """No two rows of an evaluation have the same."""
        return RowKey(self.dataset, self.method, self.model, self.kind)
