"""Fills the quotas from the proposals: deterministic, after the fact, blind to who proposed when.

Operators that are short come first, rarest first; then each cell is filled, its operators in turn.
Caps bound roots, anchors, answers and relations. A shortfall stays a shortfall. Design: coverage.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterable

from graph_sampler.operators import BY_NAME, OPERATOR_NAMES, ORDINAL_BY_NAME
from graph_sampler.proposals import Cell, Proposal, Wanted
from state.config import SamplerConfig
from state.coverage import CellCoverage, CoverageReport, OperatorCoverage
from state.errors import ConfigError, did_you_mean
from state.vocabulary import ConstraintCount, Family, Template

CELLS: tuple[Cell, ...] = tuple((template, part) for template in Template for part in ConstraintCount)
DEFAULT_OPERATOR_SHARE = 0.015


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
    """One deterministic choice from a set of proposals."""

    def __init__(self, proposals: Iterable[Proposal], config: SamplerConfig) -> None:
        """Takes proposals in any order; equal queries and equal template questions count once."""
        self.config = config
        self.cells = cell_quotas(config)
        self.wanted = operator_quotas(config)
        self.proposals = _distinct(proposals, config.seed)
        self.chosen: list[Proposal] = []
        self._taken: set[str] = set()
        self._cell_counts: Counter[Cell] = Counter()
        self._operator_counts: Counter[str] = Counter()
        self._caps: Counter[tuple[object, ...]] = Counter()
        self._proposed_cells = Counter((each.template, each.part) for each in self.proposals)
        self._proposed_operators = Counter(name for each in self.proposals for name in set(each.operators))
        self._ordinals_in_single = 0
        self._fill_operators()
        self._fill_cells()

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

    def report(self, roots_seen: int, roots_total: int, doubtful: int) -> CoverageReport:
        """The coverage table."""
        in_cell = Counter((name, each.template, each.part) for each in self.chosen for name in set(each.operators))
        family = {name: row.family for name, row in BY_NAME.items()} | dict.fromkeys(ORDINAL_BY_NAME, Family.ORDINAL)
        return CoverageReport(
            target=self.config.target,
            found=len(self.chosen),
            roots_seen=roots_seen,
            roots_total=roots_total,
            doubtful=doubtful,
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
            for proposal in self.proposals:
                if self._operator_counts[name] >= self.wanted[name]:
                    break
                if name in proposal.operators:
                    self._take(proposal)

    def _fill_cells(self) -> None:
        for cell in CELLS:
            queues: dict[str, list[Proposal]] = {}
            for proposal in self.proposals:
                if (proposal.template, proposal.part) == cell:
                    rarest = min(proposal.operators, key=lambda name: (self._proposed_operators[name], name))
                    queues.setdefault(rarest, []).append(proposal)
            turns = [iter(queues[name]) for name in sorted(queues)]
            while turns and self._cell_counts[cell] < self.cells[cell]:
                alive = []
                for queue in turns:
                    for proposal in queue:
                        if self._take(proposal):
                            alive.append(queue)
                            break
                turns = alive

    def _take(self, proposal: Proposal) -> bool:
        """Takes a proposal if it is new, its cell has room and no cap is reached."""
        cell = (proposal.template, proposal.part)
        if proposal.id in self._taken or self._cell_counts[cell] >= self.cells[cell]:
            return False
        config, caps = self.config, self.config.caps
        is_ordinal_single = proposal.part is ConstraintCount.SINGLE and proposal.operators[0] in ORDINAL_BY_NAME
        single = sum(wanted for (_, part), wanted in self.cells.items() if part is ConstraintCount.SINGLE)
        if is_ordinal_single and self._ordinals_in_single >= math.ceil(config.quotas.ordinal_share_of_single * single):
            return False
        root = proposal.spec.hops[0]
        bounds: list[tuple[tuple[object, ...], float]] = [
            (("root", root), caps.per_root),
            (("answer", proposal.spec.answer), caps.per_answer),
            (("relation", root.relation), max(1, caps.relation_share * config.target)),
            *((("anchor", entity), caps.per_anchor) for entity in proposal.named),
        ]
        for name, holds, share in (
            ("repeats relation", proposal.repeats_relation, caps.same_relation_chain_share),
            ("one granule", proposal.reads_one_granule, caps.one_granule_boundary_share),
            ("first hop only", proposal.first_hop_only, caps.first_hop_only_share),
        ):
            if holds:
                bounds.append(((name,), share * config.target))
        if any(self._caps[key] + 1 > bound for key, bound in bounds):
            return False
        for key, _ in bounds:
            self._caps[key] += 1
        self._ordinals_in_single += is_ordinal_single
        self._taken.add(proposal.id)
        self._cell_counts[cell] += 1
        self._operator_counts.update(set(proposal.operators))
        self.chosen.append(proposal)
        return True


def _distinct(proposals: Iterable[Proposal], seed: int) -> list[Proposal]:
    """Proposals in an order drawn from the seed and their ids, each query and each template question once."""

    def place(proposal: Proposal) -> tuple[bytes, str, bytes, tuple[object, ...]]:
        drawn = hashlib.sha256(f"{seed}|{proposal.id}".encode()).digest()
        return (
            drawn[:8],
            proposal.id,
            proposal.question_hash,
            tuple((hop.relation, hop.candidate_is_subject, hop.fixed) for hop in proposal.spec.hops),
        )

    ids: set[str] = set()
    questions: set[bytes] = set()
    kept = []
    for proposal in sorted(proposals, key=place):
        if proposal.id not in ids and proposal.question_hash not in questions:
            ids.add(proposal.id)
            questions.add(proposal.question_hash)
            kept.append(proposal)
    return kept
