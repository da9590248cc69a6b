"""What a sample covers: every operator and cell of the shipped graph, quotas, caps, shortfalls and no duplicate."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Hashable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph_sampler.constraints import OrdinalSpec, PairwiseSpec
from graph_sampler.encoding import TraceSpec
from graph_sampler.load import load_graph
from graph_sampler.operators import BY_NAME, OPERATOR_NAMES, ORDINAL_BY_NAME
from graph_sampler.proposal_store import ProposalStore, condense
from graph_sampler.proposals import Proposal, RootProposals
from graph_sampler.sampler import Sample, Worker, sample_traces
from graph_sampler.selection import Selection
from graph_sampler.skeleton import Hop, roots
from graph_sampler.temporal_graph import TemporalGraph
from state.config import Config, SamplerConfig
from state.errors import ConfigError, SamplingError
from state.instance import BenchmarkRecord
from state.trace import OrdinalStep, PairwiseStep, StructuralStep, Trace
from state.vocabulary import Action, ConstraintCount, Family, Template
from tests.brute_force_execution import execute
from tests.brute_force_graph import BruteGraph
from tests.small_samples import configure, write_careers

CELLS = [(template, part) for template in Template for part in ConstraintCount]


# The shipped graph.


def test_every_operator_and_every_cell_of_the_shipped_graph_is_well_filled(years_records: list[BenchmarkRecord]) -> None:
    operators = Counter(name for record in years_records for name in set(record.operators))
    cells = Counter((record.graph_structure, record.constraint_part) for record in years_records)
    assert len(years_records) == 1000
    assert set(operators) == set(OPERATOR_NAMES)
    assert len(OPERATOR_NAMES) == 29
    assert min(operators.values()) >= 10
    assert set(cells) == set(CELLS)
    assert min(cells.values()) >= 20


def test_the_report_counts_what_the_records_say(years_sample: Sample, years_records: list[BenchmarkRecord]) -> None:
    report = years_sample.coverage
    cells = Counter((record.graph_structure, record.constraint_part) for record in years_records)
    assert {(cell.template, cell.part): cell.found for cell in report.cells} == cells
    assert sum(cell.wanted for cell in report.cells) == report.target == report.found == len(years_records)
    assert all(cell.found <= cell.proposed and cell.shortfall == 0 for cell in report.cells)
    for row in report.operators:
        using = [record for record in years_records if row.operator in record.operators]
        assert row.found == len(using) >= row.wanted
        for template, part in CELLS:
            found = sum(record.graph_structure is template and record.constraint_part is part for record in using)
            assert (row.by_cell[f"{template.value} {part.value}"] or 0) == found


def test_what_cannot_exist_is_marked_impossible_and_nothing_else_is(years_sample: Sample) -> None:
    marked = {(row.operator, cell) for row in years_sample.coverage.operators for cell, found in row.by_cell.items() if found is None}
    mixed = [name for name, row in BY_NAME.items() if row.family in (Family.P_I, Family.I_P)]
    assert marked == {(name, f"A -> B {part}") for name in mixed for part in ("S", "M")} | {
        (name, "A -> B M") for name in ("I-equals-I", "P-equals-P")
    }


def named(trace: Trace) -> set[str]:
    """Every entity that a question must name."""
    found = {end for fact in trace.references.values() for end in (fact.subject, fact.object)}
    for step in trace.steps:
        if isinstance(step, StructuralStep):
            found |= {end for end in (step.pattern[0], step.pattern[2]) if not end.startswith("?")}
    return found


def walked(record: BenchmarkRecord) -> list[str]:
    return [step.pattern[1] for step in record.trace.steps if isinstance(step, StructuralStep)]


def reads_one_granule(record: BenchmarkRecord, graph: BruteGraph) -> bool:
    """Whether a boundary operator reads an interval of one granule in a row left at the end."""
    references = {name: graph.read(fact) for name, fact in record.trace.references.items()}
    for row in execute(graph, record.trace, references).rows:
        for step in record.trace.steps:
            if isinstance(step, PairwiseStep) and BY_NAME[step.operator].is_boundary:
                facts = (row[step.left], references.get(step.right) or row[step.right])
                if any(fact.start == fact.end and fact.relation not in graph.points for fact in facts):
                    return True
    return False


def is_first_hop_only(record: BenchmarkRecord) -> bool:
    is_chain = record.graph_structure in (Template.TWO_HOP, Template.THREE_HOP)
    return is_chain and record.temporal_constraint_count == 1 and not isinstance(record.trace.steps[1], StructuralStep)


def test_the_default_caps_hold_in_the_records_themselves(
    years_records: list[BenchmarkRecord], years_brute: BruteGraph, years_config: Config
) -> None:
    caps, target = years_config.sampler.caps, years_config.sampler.target
    assert max(Counter(record.provenance.root for record in years_records).values()) <= caps.per_root
    assert max(Counter(record.answer_id for record in years_records).values()) <= caps.per_answer
    assert max(Counter(entity for record in years_records for entity in named(record.trace)).values()) <= caps.per_anchor
    assert max(Counter(walked(record)[0] for record in years_records).values()) <= caps.relation_share * target
    single = [record for record in years_records if record.constraint_part is ConstraintCount.SINGLE]
    ordinals = sum(record.families[0] is Family.ORDINAL for record in single)
    assert 0 < ordinals <= years_config.sampler.quotas.ordinal_share_of_single * len(single)
    chains = [record for record in years_records if record.graph_structure in (Template.TWO_HOP, Template.THREE_HOP)]
    assert sum(len(set(walked(record))) == 1 for record in chains) <= caps.same_relation_chain_share * target
    assert 0 < sum(reads_one_granule(record, years_brute) for record in years_records) <= caps.one_granule_boundary_share * target
    assert 0 < sum(map(is_first_hop_only, years_records)) <= caps.first_hop_only_share * target


# Quotas and caps, from one set of proposals.


@pytest.fixture(scope="module")
def worker(years_graph: TemporalGraph, years_config: Config) -> Worker:
    return Worker(years_graph, years_config)


@pytest.fixture(scope="module")
def proposals(worker: Worker) -> list[Proposal]:
    """What some roots of the shipped graph propose."""
    names = worker.proposer.names
    found = sorted(roots(worker.graph, 5, 9, names.meta_relations, names.meta_entities))
    return [proposal for root in Random(4).sample(found, 40) for proposal in worker.proposer.propose(root).proposals]


def settle(proposals: list[Proposal], target: int = 300, **more: Any) -> list[Proposal]:
    lifted = configure("unused").sampler.caps.model_dump()
    config = SamplerConfig.model_validate({"target": target, **more, "caps": lifted | more.get("caps", {})})
    by_root: dict[Hop, list[Proposal]] = {}
    for proposal in proposals:
        by_root.setdefault(proposal.spec.hops[0], []).append(proposal)
    store = ProposalStore([(root.relation, root.candidate_is_subject, root.fixed) for root in by_root])
    store.add(condense([RootProposals(each, 0) for each in by_root.values()], config.seed))
    in_store = [proposal for each in by_root.values() for proposal in each]
    chosen = [in_store[position] for position in Selection(store, config).chosen]
    assert chosen
    return chosen


def largest(chosen: list[Proposal], keys: Callable[[Proposal], list[Hashable]]) -> int:
    return max(Counter(key for proposal in chosen for key in keys(proposal)).values())


@pytest.mark.parametrize(
    ("cap", "keys"),
    [
        ("per_root", lambda proposal: [proposal.spec.hops[0]]),
        ("per_answer", lambda proposal: [proposal.spec.answer]),
        ("per_anchor", lambda proposal: list(proposal.named)),
    ],
)
def test_a_cap_on_a_count_holds(proposals: list[Proposal], cap: str, keys: Callable[[Proposal], list[Hashable]]) -> None:
    assert largest(settle(proposals), keys) > 3
    assert largest(settle(proposals, caps={cap: 3}), keys) == 3


@pytest.mark.parametrize(
    ("cap", "count"),
    [
        ("relation_share", lambda chosen: largest(chosen, lambda proposal: [proposal.spec.hops[0].relation])),
        ("same_relation_chain_share", lambda chosen: sum(proposal.repeats_relation for proposal in chosen)),
        ("one_granule_boundary_share", lambda chosen: sum(proposal.reads_one_granule for proposal in chosen)),
        ("first_hop_only_share", lambda chosen: sum(proposal.first_hop_only for proposal in chosen)),
    ],
)
def test_a_cap_on_a_share_holds(proposals: list[Proposal], cap: str, count: Callable[[list[Proposal]], int]) -> None:
    assert count(settle(proposals, caps={cap: 1})) > 1
    assert count(settle(proposals, caps={cap: 0.005})) == 1


@pytest.mark.parametrize("share", [0.0, 0.1])
def test_ordinals_are_at_most_their_share_of_single_constraint_records(proposals: list[Proposal], share: float) -> None:
    chosen = settle(proposals, quotas={"ordinal_share_of_single": share})
    single = sum(proposal.part is ConstraintCount.SINGLE for proposal in chosen)
    ordinals = sum(proposal.part is ConstraintCount.SINGLE and proposal.operators[0] in ORDINAL_BY_NAME for proposal in chosen)
    assert single == 150
    assert ordinals == share * single


def test_cells_follow_the_shares_of_templates_and_of_single_constraints(proposals: list[Proposal]) -> None:
    chosen = settle(proposals, target=101, quotas={"templates": {"A -> B -> C": 3, "C <- A -> B": 1}, "single": 0.75})
    cells = Counter((proposal.template, proposal.part) for proposal in chosen)
    single, multi = ConstraintCount.SINGLE, ConstraintCount.MULTI
    expected = {
        (Template.TWO_HOP, single): 56.8,
        (Template.TWO_HOP, multi): 18.9,
        (Template.BRANCH, single): 18.9,
        (Template.BRANCH, multi): 6.3,
    }
    assert set(cells) == set(expected)
    assert sum(cells.values()) == 101
    assert all(abs(cells[cell] - wanted) < 1 for cell, wanted in expected.items())


def test_rare_operators_are_sought(proposals: list[Proposal]) -> None:
    nothing = dict.fromkeys(OPERATOR_NAMES, 0.0)
    left_alone = Counter(name for proposal in settle(proposals, quotas={"operators": nothing}) for name in set(proposal.operators))
    rare = [name for name, row in BY_NAME.items() if row.family in (Family.P_I, Family.I_P)]
    gained = 0
    for name in rare:
        sought = sum(name in proposal.operators for proposal in settle(proposals, quotas={"operators": nothing | {name: 0.1}}))
        assert sought >= min(30, len({proposal.id for proposal in proposals if name in proposal.operators})), name
        gained += sought > left_alone[name]
    assert gained >= 5


def test_a_shortfall_is_reported_and_never_filled_with_something_else(tmp_path: Path) -> None:
    config = configure(write_careers(tmp_path / "thin", Random(2)), target=800)
    report = sample_traces(load_graph(config.graph)[0], config).coverage
    short = [cell for cell in report.cells if cell.shortfall]
    assert report.found == sum(cell.found for cell in report.cells) < report.target
    assert {cell.wanted for cell in report.cells} == {100}
    assert all(cell.found <= cell.wanted for cell in report.cells)
    assert {(cell.template, cell.part) for cell in short} >= {(Template.ONE_HOP, ConstraintCount.MULTI)}
    assert all(cell.found == cell.proposed for cell in short)
    assert any(row.shortfall for row in report.operators)


def test_a_graph_without_a_root_in_range_is_refused(tmp_path: Path) -> None:
    config = configure(write_careers(tmp_path / "small", Random(2)), caps={"seed_min": 40, "seed_max": 50})
    with pytest.raises(SamplingError, match="no root has 40 to 50 candidates"):
        sample_traces(load_graph(config.graph)[0], config)


@pytest.mark.parametrize(
    ("quotas", "said"),
    [
        ({"templates": {"A -> C": 1}}, "no template 'A -> C'"),
        ({"templates": {"A -> B": 0}}, "negative nor all zero"),
        ({"operators": {"I-meet-I": 0.1}}, "no operator 'I-meet-I'"),
    ],
)
def test_a_quota_that_names_nothing_is_refused(quotas: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(said)):
        Selection(ProposalStore(), SamplerConfig.model_validate({"quotas": quotas}))


# Duplicates and ids.


def canonical(trace: Trace) -> tuple[Any, ...]:
    """The query, whatever the names of its facts, the writing of its pairwise constraints, their order or a branch's first side."""
    facts = [step for step in trace.steps if isinstance(step, StructuralStep)]
    orders = [facts, facts[::-1]] if trace.template is Template.BRANCH else [facts]
    return min(_written(trace, order) for order in orders)


def _written(trace: Trace, facts: list[Any]) -> tuple[Any, ...]:
    number = {step.fact: str(position) for position, step in enumerate(facts)}

    def side(name: str) -> str:
        return number.get(name) or str(trace.references[name])

    pairwise = []
    ordinals = []
    for step in trace.steps:
        if isinstance(step, PairwiseStep):
            left, right = side(step.left), side(step.right)
            pairwise.append(min((left, step.operator, right), (right, BY_NAME[step.operator].converse, left)))
        elif isinstance(step, OrdinalStep):
            ordinals.append((number[step.fact], step.operator, step.rank, step.order))
    return tuple(step.pattern for step in facts), tuple(sorted(pairwise)), tuple(ordinals)


def test_no_two_records_ask_the_same(years_records: list[BenchmarkRecord]) -> None:
    assert len({canonical(record.trace) for record in years_records}) == len(years_records)
    assert len({record.raw_question for record in years_records}) == len(years_records)


def test_ids_are_unique_and_of_their_form(years_records: list[BenchmarkRecord]) -> None:
    assert len({record.id for record in years_records}) == len(years_records)
    assert all(re.fullmatch("years-[0-9a-f]{12}", record.id) for record in years_records)


@settings(max_examples=50)
@given(data=st.data())
def test_of_equal_queries_and_equal_questions_the_first_in_the_drawn_order_is_taken(proposals: list[Proposal], data: st.DataObject) -> None:
    """A few ids and questions over many proposals, so that one that is passed over lets another in."""
    few = [
        each._replace(id=f"years-{data.draw(st.integers(0, 6)):012x}", question_hash=bytes(11) + bytes([data.draw(st.integers(0, 6))]))
        for each in data.draw(st.lists(st.sampled_from(proposals), max_size=12, unique_by=lambda each: each.spec.hops[0]))
    ]

    def place(each: Proposal) -> tuple[Any, ...]:
        return (hashlib.sha256(f"20|{each.id}".encode()).digest(), each.question_hash, each.spec.hops[0][1:])

    ids, questions, expected = set(), set(), []
    for each in sorted(few, key=place):
        if each.id not in ids and each.question_hash not in questions:
            ids.add(each.id)
            questions.add(each.question_hash)
            expected.append(each)
    no_limit = dict.fromkeys(("relation_share", "same_relation_chain_share", "one_granule_boundary_share", "first_hop_only_share"), 1)
    chosen = settle(few, target=10_000, seed=20, quotas={"ordinal_share_of_single": 1}, caps=no_limit) if few else []
    assert sorted(chosen, key=place) == expected


def test_a_query_proposed_from_both_ends_of_a_branch_is_taken_once(proposals: list[Proposal], worker: Worker) -> None:
    mirrored = [proposal._replace(spec=_swapped(proposal.spec)) for proposal in proposals if proposal.template is Template.BRANCH]
    assert len(mirrored) > 100
    for proposal in mirrored:
        assert worker.encoder.identifier(proposal.spec) == proposal.id
    chosen = settle([*proposals, *mirrored], target=100_000)
    assert len({proposal.id for proposal in chosen}) == len(chosen)
    assert len(chosen) == len(settle(proposals, target=100_000))


def test_an_id_stands_for_one_query_whatever_the_order_of_its_constraints(proposals: list[Proposal], worker: Worker) -> None:
    by_id: dict[str, set[tuple[Any, ...]]] = {}
    for proposal in proposals:
        spec = proposal.spec
        facts = tuple((hop.relation, hop.candidate_is_subject, hop.fixed) for hop in spec.hops)
        said = [(each.left, each.right, each.reference, each.operator.name) for each in spec.constraints]
        by_id.setdefault(proposal.id, set()).add((frozenset(facts), len(facts), len(said), spec.ordinal and spec.ordinal.rank))
        assert worker.encoder.identifier(spec._replace(constraints=spec.constraints[::-1], stages=spec.stages[::-1])) == proposal.id
    assert all(len(found) == 1 for found in by_id.values())


def _swapped(spec: TraceSpec) -> TraceSpec:
    """The same branch begun from its other side."""
    first, second = spec.hops
    hops = (Hop(Action.ROOT, *second[1:]), Hop(Action.STRUCTURAL_FILTER, *first[1:]))
    constraints = tuple(
        PairwiseSpec(1 - each.left, -1, each.reference, each.operator)
        if each.right < 0
        else PairwiseSpec(1 - each.right, 1 - each.left, -1, BY_NAME[each.operator.converse])
        for each in spec.constraints
    )
    old = spec.ordinal
    ordinal = OrdinalSpec(old.stage, 1 - old.fact, old.operator, old.rank, old.order) if old else None
    return spec._replace(hops=hops, constraints=constraints, ordinal=ordinal)
