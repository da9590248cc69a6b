"""Fills the quotas from the proposals: deterministic, after the fact, blind to who proposed when.

Operators that are short come first, rarest first; then each cell is filled, its operators in turn.
Caps bound roots, anchors, answers and relations. A shortfall stays a shortfall. Design: coverage.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from graph_sampler.operators import BY_NAME, OPERATOR_NAMES, ORDINAL_BY_NAME
from graph_sampler.proposal_store import ProposalStore, operator_bits
from graph_sampler.proposals import CELLS, Cell, Wanted
from state.config import SamplerConfig
from state.coverage import CellCoverage, CoverageReport, OperatorCoverage
from state.errors import ConfigError, did_you_mean
from state.vocabulary import ConstraintCount, Family, Template

DEFAULT_OPERATOR_SHARE = 0.015
_FLAGS = ("repeats_relation", "reads_one_granule", "first_hop_only")
"""Of a proposal, each bounded by a share of the target."""


def is_impossible(operator: str, cell: Cell) -> bool:
    """Whether an operator cannot exist in a cell by construction.

    One hop has one relation, so no point meets an interval; an equality reference fixes all rows to
    one time, which leaves a second constraint of `A -> B` nothing to do.
    """
    template, part = cell
    if template is not Template.ONE_HOP or operator in ORDINAL_BY_NAME:
        return False
    row = BY_NAME[operator]
    return row.family in (Family.P_I, Family.I_P) or (row.is_equality and part is ConstraintCount.MULTI)


def cell_quotas(config: SamplerConfig) -> dict[Cell, int]:
    """How many records each cell should have; they add up to the target."""
    known = [template.value for template in Template]
    shares = config.quotas.templates or dict.fromkeys(known, 1.0)
    for name in shares:
        if name not in known:
            raise ConfigError(f"no template {name!r}", where="sampler.quotas.templates", remedy=did_you_mean(name, known))
    whole = sum(shares.values())
    if not whole > 0 or min(shares.values()) < 0:
        raise ConfigError(
            "template shares must not be negative nor all zero", where="sampler.quotas.templates", remedy="Give positive shares."
        )
    exact = {
        (template, part): config.target
        * shares.get(template.value, 0.0)
        / whole
        * (config.quotas.single if part is ConstraintCount.SINGLE else 1 - config.quotas.single)
        for template, part in CELLS
    }
    floors = {cell: math.floor(value) for cell, value in exact.items()}
    missing = config.target - sum(floors.values())
    by_remainder = sorted(CELLS, key=lambda cell: (floors[cell] - exact[cell], CELLS.index(cell)))
    for cell in by_remainder[:missing]:
        floors[cell] += 1
    return floors


def operator_quotas(config: SamplerConfig) -> dict[str, int]:
    """Least number of records with each operator."""
    for name in config.quotas.operators:
        if name not in OPERATOR_NAMES:
            raise ConfigError(f"no operator {name!r}", where="sampler.quotas.operators", remedy=did_you_mean(name, OPERATOR_NAMES))
    return {name: math.ceil(config.target * config.quotas.operators.get(name, DEFAULT_OPERATOR_SHARE)) for name in OPERATOR_NAMES}


class Selection:
    """One deterministic choice from a store of proposals.

    Memory: about 30 bytes a proposal while it chooses, and a count for each root and entity. Cost: a sort of the proposals
    and a step for each that is tried.
    """

    def __init__(self, store: ProposalStore, config: SamplerConfig) -> None:
        """Chooses; the order in which proposals came does not matter, equal queries and equal template questions count once."""
        self.config = config
        self.cells = cell_quotas(config)
        self.wanted = operator_quotas(config)
        self.chosen: list[int] = []
        """Positions in the store."""
        self._store = store
        self._rows, self._named = store.rows, store.named
        kept = _distinct(store)
        self._order = kept
        self._operators = self._rows["operators"][kept]
        self._cell_of = self._rows["cell"][kept]
        self._cell_counts: Counter[Cell] = Counter()
        self._operator_counts: Counter[str] = Counter()
        self._taken = bytearray(len(self._rows))
        self._of_root = array("i", bytes(4 * len(store.roots)))
        entities = 1 + max(int(self._rows["answer"].max(initial=-1)), int(self._named.max(initial=-1)))
        self._of_answer, self._of_anchor = (array("i", bytes(4 * entities)) for _ in range(2))
        self._of_relation: Counter[int] = Counter()
        self._of_flag = [0, 0, 0]
        self._ordinals_in_single = 0
        single = sum(wanted for (_, part), wanted in self.cells.items() if part is ConstraintCount.SINGLE)
        self._most_ordinals = math.ceil(config.quotas.ordinal_share_of_single * single)
        counts = np.bincount(self._cell_of, minlength=len(CELLS)).tolist()
        self._proposed_cells = dict(zip(CELLS, counts, strict=True))
        self._proposed_operators = {name: int(self._has(name).sum()) for name in OPERATOR_NAMES}
        self._fill_operators()
        self._fill_cells()

    def _has(self, operator: str) -> NDArray[np.bool_]:
        """Which proposals have an operator."""
        return _has(self._operators, operator)

    @property
    def is_complete(self) -> bool:
        """Whether every cell and every operator has what was wanted."""
        return self.operator_shortfall == 0 and all(self._cell_counts[cell] >= wanted for cell, wanted in self.cells.items())

    @property
    def wanted_next(self) -> Wanted:
        """Cells that are short, with every operator; cells that could hold an operator that is short, with those operators."""
        short = [name for name, wanted in self.wanted.items() if self._operator_counts[name] < wanted]
        found: dict[Cell, frozenset[str]] = {}
        for cell, wanted in self.cells.items():
            sought = frozenset(name for name in short if not is_impossible(name, cell)) if wanted else frozenset[str]()
            if self._cell_counts[cell] < wanted:
                found[cell] = frozenset(OPERATOR_NAMES)
            elif sought:
                found[cell] = sought
        return found

    @property
    def operator_shortfall(self) -> int:
        """Records missing over all operators."""
        return sum(max(0, wanted - self._operator_counts[name]) for name, wanted in self.wanted.items())

    def report(self) -> CoverageReport:
        """The coverage table."""
        chosen = self._rows[["operators", "cell"]][np.array(self.chosen, np.int64)]
        in_cell = {
            (name, *cell): int(_has(chosen["operators"][chosen["cell"] == number], name).sum())
            for name in OPERATOR_NAMES
            for number, cell in enumerate(CELLS)
        }
        family = {name: row.family for name, row in BY_NAME.items()} | dict.fromkeys(ORDINAL_BY_NAME, Family.ORDINAL)
        return CoverageReport(
            target=self.config.target,
            found=len(self.chosen),
            roots_seen=self._store.asked,
            roots_total=len(self._store.roots),
            doubtful=self._store.doubtful,
            cells=tuple(
                CellCoverage(
                    template=cell[0],
                    part=cell[1],
                    wanted=self.cells[cell],
                    found=self._cell_counts[cell],
                    proposed=self._proposed_cells[cell],
                )
                for cell in CELLS
            ),
            operators=tuple(
                OperatorCoverage(
                    operator=name,
                    family=family[name],
                    wanted=self.wanted[name],
                    found=self._operator_counts[name],
                    proposed=self._proposed_operators[name],
                    by_cell={f"{cell[0]} {cell[1]}": None if is_impossible(name, cell) else in_cell[name, *cell] for cell in CELLS},
                )
                for name in OPERATOR_NAMES
            ),
        )

    def _fill_operators(self) -> None:
        for name in sorted(OPERATOR_NAMES, key=lambda name: (self._proposed_operators[name], OPERATOR_NAMES.index(name))):
            for position in _each(self._order[self._has(name)]):
                if self._operator_counts[name] >= self.wanted[name]:
                    break
                self._take(position)

    def _fill_cells(self) -> None:
        by_rarity = sorted(OPERATOR_NAMES, key=lambda name: (self._proposed_operators[name], name))
        rarest = np.zeros(len(self._order), np.uint8)
        for name in reversed(by_rarity):
            rarest[self._has(name)] = OPERATOR_NAMES.index(name)
        for number, cell in enumerate(CELLS):
            is_here = self._cell_of == number
            operators, positions = rarest[is_here], self._order[is_here]
            queues = ((name, positions[operators == OPERATOR_NAMES.index(name)]) for name in sorted(OPERATOR_NAMES))
            turns = [_each(queue) for _, queue in queues if len(queue)]
            while turns and self._cell_counts[cell] < self.cells[cell]:
                alive = []
                for queue in turns:
                    for position in queue:
                        if self._take(position):
                            alive.append(queue)
                            break
                turns = alive

    def _take(self, position: int) -> bool:
        """Takes a proposal if it is new, its cell has room and no cap is reached."""
        if self._taken[position]:
            return False
        row = self._rows[position]
        cell = CELLS[row["cell"]]
        if self._cell_counts[cell] >= self.cells[cell]:
            return False
        operators = _NAMES[int(row["operators"])]
        caps, target = self.config.caps, self.config.target
        is_ordinal_single = cell[1] is ConstraintCount.SINGLE and operators[0] in ORDINAL_BY_NAME
        if is_ordinal_single and self._ordinals_in_single >= self._most_ordinals:
            return False
        block, answer, start = int(row["block"]), int(row["answer"]), int(row["named_from"])
        relation = self._store.roots[block][0]
        named = self._named[start : start + int(row["named_count"])].tolist()
        flags = [number for number, flag in enumerate(_FLAGS) if row[flag]]
        shares = caps.same_relation_chain_share, caps.one_granule_boundary_share, caps.first_hop_only_share
        if (
            self._of_root[block] + 1 > caps.per_root
            or self._of_answer[answer] + 1 > caps.per_answer
            or self._of_relation[relation] + 1 > max(1, caps.relation_share * target)
            or any(self._of_anchor[entity] + 1 > caps.per_anchor for entity in named)
            or any(self._of_flag[number] + 1 > shares[number] * target for number in flags)
        ):
            return False
        self._of_root[block] += 1
        self._of_answer[answer] += 1
        self._of_relation[relation] += 1
        for entity in named:
            self._of_anchor[entity] += 1
        for number in flags:
            self._of_flag[number] += 1
        self._ordinals_in_single += is_ordinal_single
        self._taken[position] = 1
        self._cell_counts[cell] += 1
        self._operator_counts.update(operators)
        self.chosen.append(position)
        return True


def _has(bits: NDArray[np.uint32], operator: str) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = (bits & np.uint32(operator_bits((operator,)))) != 0
    return found


class _OperatorNames(dict[int, tuple[str, ...]]):
    """Bits -> the operators that they stand for; remembered."""

    def __missing__(self, bits: int) -> tuple[str, ...]:
        names = self[bits] = tuple(name for number, name in enumerate(OPERATOR_NAMES) if bits >> number & 1)
        return names


_NAMES = _OperatorNames()


def _each(positions: NDArray[np.int64]) -> Iterator[int]:
    """The positions as plain numbers, some at a time."""
    for first in range(0, len(positions), 4096):
        yield from positions[first : first + 4096].tolist()


def _distinct(store: ProposalStore) -> NDArray[np.int64]:
    """Positions in an order drawn from the seed and the ids, each query and each template question once."""
    rows = store.rows
    if not len(rows):
        return np.zeros(0, np.int64)
    order = np.lexsort((rows["id"], rows["drawn"]))
    # Only where an id or a question stands twice does it matter which comes first.
    is_shared = _stands_twice(rows["id"]) | _stands_twice(rows["question_high"])
    shared = np.flatnonzero(is_shared)
    among = rows[shared]
    roots = np.array([store.roots[block] for block in among["block"].tolist()], np.int64).reshape(-1, 3)
    shared = shared[np.lexsort((*roots.T[::-1], among["question_low"], among["question_high"], among["id"], among["drawn"]))]
    order[is_shared[order]] = shared
    is_kept = np.ones(len(rows), np.bool_)
    ids: set[int] = set()
    questions: set[tuple[int, int]] = set()
    for position in _each(shared):
        row = rows[position]
        ident, question = int(row["id"]), (int(row["question_high"]), int(row["question_low"]))
        if ident in ids or question in questions:
            is_kept[position] = False
        else:
            ids.add(ident)
            questions.add(question)
    return order[is_kept[order]]


def _stands_twice(values: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Whether each value stands elsewhere too."""
    ascending = np.sort(values)
    return np.isin(values, ascending[1:][ascending[1:] == ascending[:-1]])
