"""Every proposal of a sample: what the selection needs of each in one row of numbers, the traces themselves on disk.

A row is 55 bytes and four more for each entity that the question names; an object for each proposal would
be 750. Traces lie in one packed block for each root, written by the process that drew them.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graph_sampler.encoding import TraceSpec
from graph_sampler.operators import OPERATOR_NAMES
from graph_sampler.proposals import CELLS, Proposal, Root, RootProposals
from graph_sampler.spool import Place, Spool, pack, unpack

ROW = np.dtype(
    [
        ("drawn", np.uint64),
        ("id", np.uint64),
        ("question_high", np.uint64),
        ("question_low", np.uint32),
        ("operators", np.uint32),
        ("answer", np.int32),
        ("block", np.uint32),
        ("place", np.uint32),
        ("named_from", np.int64),
        ("named_count", np.uint8),
        ("cell", np.uint8),
        ("repeats_relation", np.bool_),
        ("reads_one_granule", np.bool_),
        ("first_hop_only", np.bool_),
    ]
)
"""A proposal: its place in the drawn order, the hex digits of its id, the halves of its question's hash, one bit for each
operator, the answer, its block and place in it, its slice of the named entities, its cell, and its flags."""
_BIT = {name: 1 << position for position, name in enumerate(OPERATOR_NAMES)}

Identified = tuple[str, TraceSpec]
"""A trace with its id."""


class Batch(NamedTuple):
    """What some roots propose, on its way from the process that drew it."""

    rows: NDArray[Any]
    """Of type `ROW`; blocks and named entities are counted from the batch's own beginning."""
    named: NDArray[np.int32]
    """The named entities of all rows, one after the other."""
    blocks: tuple[bytes, ...]
    """One for each root: the traces with their ids, packed."""
    doubtful: int
    """Traces that were refused as doubtful."""


def condense(found: Sequence[RootProposals], seed: int) -> Batch:
    """The proposals of some roots as a batch; the sampler's seed draws their order."""
    blocks = tuple(pack(pickle.dumps([(each.id, each.spec) for each in root.proposals], pickle.HIGHEST_PROTOCOL)) for root in found)
    named = [each.named for root in found for each in root.proposals]
    starts = np.concatenate(([0], np.cumsum([len(entities) for entities in named], dtype=np.int64)))
    rows = [
        _row(each, seed, block, place, start)
        for start, (block, place, each) in zip(
            starts.tolist(), ((block, *item) for block, root in enumerate(found) for item in enumerate(root.proposals)), strict=False
        )
    ]
    entities = np.fromiter(chain.from_iterable(named), np.int32, int(starts[-1]))
    return Batch(np.array(rows, ROW), entities, blocks, sum(root.doubtful for root in found))


def _row(proposal: Proposal, seed: int, block: int, place: int, named_from: int) -> tuple[object, ...]:
    drawn = hashlib.sha256(f"{seed}|{proposal.id}".encode()).digest()[:8]
    return (
        int.from_bytes(drawn, "big"),
        id_number(proposal.id),
        int.from_bytes(proposal.question_hash[:8], "big"),
        int.from_bytes(proposal.question_hash[8:], "big"),
        operator_bits(proposal.operators),
        proposal.spec.answer,
        block,
        place,
        named_from,
        len(proposal.named),
        CELLS.index((proposal.template, proposal.part)),
        proposal.repeats_relation,
        proposal.reads_one_granule,
        proposal.first_hop_only,
    )


def id_number(identifier: str) -> int:
    """The hex digits of an id as a number; ids of one benchmark stand in the order of their numbers."""
    return int(identifier.rpartition("-")[2], 16)


def operator_bits(names: Iterable[str]) -> int:
    """One bit for each operator, by its position in `OPERATOR_NAMES`."""
    bits = 0
    for name in names:
        bits |= _BIT[name]
    return bits


def unpack_block(block: bytes) -> list[Identified]:
    """The traces of one root, in the order of their places."""
    found: list[Identified] = pickle.loads(unpack(block))  # noqa: S301 - written by this command
    return found


class ProposalStore:
    """All that was proposed so far; a block stands for the root that was asked in its turn."""

    def __init__(self, roots: Sequence[Root] = ()) -> None:
        """Takes the roots in the order in which they are asked."""
        self.roots = roots
        self.doubtful = 0
        self._rows: list[NDArray[Any]] = []
        self._named: list[NDArray[np.int32]] = []
        self._named_count = 0
        self._blocks: list[Place] = []
        self._spool = Spool()

    def add(self, batch: Batch) -> None:
        """Takes the batch of the next roots."""
        rows = batch.rows.copy()  # what came from another process cannot be written to
        rows["block"] += len(self._blocks)
        rows["named_from"] += self._named_count
        self._rows.append(rows)
        self._named.append(batch.named)
        self._named_count += len(batch.named)
        self._blocks += map(self._spool.put, batch.blocks)
        self.doubtful += batch.doubtful

    @property
    def asked(self) -> int:
        """How many roots have been asked."""
        return len(self._blocks)

    @property
    def rows(self) -> NDArray[Any]:
        """One row for each proposal, of type `ROW`, in the order in which they came."""
        if len(self._rows) != 1:
            self._rows = [np.concatenate([np.zeros(0, ROW), *self._rows])]
        return self._rows[0]

    @property
    def named(self) -> NDArray[np.int32]:
        """The named entities of all rows, one after the other."""
        if len(self._named) != 1:
            self._named = [np.concatenate([np.zeros(0, np.int32), *self._named])]
        return self._named[0]

    def block(self, number: int) -> bytes:
        """The packed traces of the root with a number."""
        return self._spool.get(self._blocks[number])
