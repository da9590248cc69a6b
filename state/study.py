"""A study of the verifier or the rewriter: what was asked, what came back, and how it is counted. Paper: section 4.3.2, Table 2.

A *source question* is the template question of one sampled trace. Its *items* are the questions that the
verifier is asked: the sound one, and those made from damaged copies of the trace. A *cell* is one setting of
the grid; it is asked every item.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from state.model_base import Contract
from state.vocabulary import Family


class DamageKind(StrEnum):
    """What was done to a trace."""

    DROPPED = "dropped"
    """The constraint, or the structural filter, is gone."""
    REVERSED = "reversed"
    """The operator is its opposite; an ordinal counts from the other end."""
    REPLACED = "wrong operator"
    """Another operator of the family, not the opposite; for an ordinal another key or a neighbouring rank."""
    REBOUND = "wrong binding"
    """The constraint reads another fact of the row."""
    SWAPPED = "swapped reference"
    """The constraint has another reference."""
    ADDED = "added"
    """One more constraint, which changes the answer set."""
    UNNECESSARY = "unnecessary"
    """One more constraint, which leaves the answer set as it is: no answer can show it, only the reading of the question."""


class Register(StrEnum):
    """In which words an item asks."""

    TEMPLATE = "template"
    """The rigid template question."""
    FINAL = "final"
    """An accepted question of a finished run."""


class Reading(StrEnum):
    """What the verifier made of an item."""

    AGREED = "agreed"
    """It named the gold answer and nothing else; in mode `roundtrip` it read the gold constraints and no others."""
    ANOTHER = "named another set"
    """It named another set of entities, the empty one included; in mode `roundtrip` it read other constraints."""
    ABSTAINED = "abstained"
    """It could not tell."""
    NO_REPLY = "no usable reply"
    """All its tries failed: counted as a miss on a sound item, and not as a detection on a damaged one."""


class StudyItem(Contract):
    """A line of `items.jsonl`: one question to ask and what is known of it."""

    format: Literal[1] = 1
    """Format version."""
    id: str
    """`<dataset>-` and 12 hex digits, unique among the items."""
    source: str
    """Id of the record whose trace it comes from; all items of one source question share it."""
    wording: Register
    """In which words it asks."""
    kind: DamageKind | None
    """What was done to the trace; `None`: it is sound."""
    family: Family
    """Family of the constraint that was damaged or added; of the record's first constraint if sound or if the filter was dropped."""
    operator: str
    """Name of that operator; `structural filter` where that was dropped."""
    question: str
    """The question to ask."""
    expected: tuple[str, ...]
    """Labels, sorted, of what the item's own trace names on the evidence, by execution."""
    note: str
    """What was done, in a few words; empty if sound."""


class ItemOutcome(Contract):
    """What one cell made of one item."""

    item: str
    """The item."""
    reading: Reading
    """What the verifier made of it."""
    named: tuple[str, ...]
    """What it named, sorted; in mode `roundtrip` what the constraints that it read name on the evidence."""
    labels: tuple[str, ...] = ()
    """In mode `roundtrip`: what code found to differ (`missing`, `wrong`, `reversed`, `unnecessary`), one label a constraint."""
    was_read: bool
    """Whether the round-trip reader was asked: in a cell of mode `roundtrip`, unless an earlier mode had not agreed."""
    model_is_wrong: bool
    """Whether symbolic execution of the item's own trace names another set than the verifier did."""
    input_tokens: int
    """Prompt tokens of all tries, cached or not."""
    output_tokens: int
    """Completion tokens of all tries."""
    usd: float | None
    """What all tries cost when they were first paid for; `None` without a price."""


class CellUsage(Contract):
    """What one cell used in this study directory."""

    calls: int
    """Calls and replies from the cache."""
    cached_calls: int
    """Of these, replies from the cache."""
    usd_paid: float
    """US dollars paid here."""
    usd_saved: float
    """US dollars that the cached replies cost when they were first paid for."""


class CellResult(Contract):
    """One setting of the grid and what it made of every item."""

    name: str
    """`MODEL/PROMPT/MODES`, e.g. `mini/v1/all+roundtrip`."""
    model: str
    """Name of the model on its server, or `offline-rules`."""
    model_key: str
    """Its name under `models`."""
    prompt: str
    """Version of the prompt; of the round-trip reader's in a cell of mode `roundtrip` alone."""
    modes: tuple[str, ...]
    """The verifier's modes, all of which must agree."""
    address: str
    """`STUDY@CELL`, for `chronoqg show`, `replay` and `compare`; STUDY is the directory's name without the folders above it."""
    outcomes: tuple[ItemOutcome, ...]
    """One for each item, sorted by item id."""
    usage: CellUsage
    """What it used."""


class Stratum(Contract):
    """One family's part of the sample."""

    family: Family
    """The family."""
    population: int
    """Single-constraint records of the family among the traces."""
    wanted: int
    """What the allocation asks for."""
    taken: int
    """What was drawn; less than wanted where the stratum was taken whole."""


class VerifierStudy(Contract):
    """The data of `study.json`: everything that the tables are made from."""

    format: Literal[1] = 1
    """Format version."""
    study: Literal["verifier"] = "verifier"
    """Which study."""
    dataset: str
    """Name of the dataset."""
    source: str
    """Where the traces come from: a run's path, or the graph's name."""
    seed: int
    """Seed of sample, damage and resampling."""
    strata: tuple[Stratum, ...]
    """The sample by family."""
    items: tuple[StudyItem, ...]
    """All items, sorted by id."""
    cells: tuple[CellResult, ...]
    """The grid, in the order of the config."""
    notes: tuple[str, ...]
    """What a reader must know before the numbers."""
