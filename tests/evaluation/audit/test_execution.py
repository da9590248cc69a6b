"""Execution on the whole graph, against the brute force, which shares nothing with it but the contracts."""

from __future__ import annotations

import random

import pytest

from evaluation.audit.auditor import Auditor
from evaluation.audit.cases import FileFormat, read_case
from evaluation.audit.defects import EXECUTED, DefectKind
from evaluation.audit.known_graph import KnownGraph
from evaluation.audit.rows import Executable, Walks
from graph_sampler.operators import BY_NAME, operators_of
from graph_sampler.temporal_graph import TemporalGraph
from state.instance import BenchmarkRecord
from state.interval import Granularity
from state.trace import OrdinalStep, PairwiseStep, Step, Trace
from tests.brute_force_execution import constraints, execute, execute_without, filter_name
from tests.brute_force_graph import BruteGraph
from tests.evidence_graph import references_of
from tests.planted_defects import object_of


def damaged(trace: Trace, rng: random.Random) -> Trace:
    """The trace with another operator of the same family or another rank in one of its constraints, or without one."""
    steps: list[Step] = list(trace.steps)
    place = rng.choice([place for place, step in enumerate(steps) if isinstance(step, PairwiseStep | OrdinalStep)])
    step = steps[place]
    if isinstance(step, OrdinalStep):
        steps[place] = step.model_copy(update={"rank": rng.randint(1, 6)})
    elif isinstance(step, PairwiseStep):
        names = [row.name for row in operators_of(BY_NAME[step.operator].family)]
        steps[place] = step.model_copy(update={"operator": rng.choice(names)})
    if rng.random() < 0.3 and len(constraints(trace)) > 1:
        del steps[place]
    return trace.model_copy(update={"steps": tuple(steps)})


def test_answers_with_and_without_each_part_are_those_of_the_brute_force(
    years_records: list[BenchmarkRecord], years_graph: TemporalGraph, years_brute: BruteGraph
) -> None:
    known = KnownGraph(years_graph)
    walks = Walks(known)
    rng = random.Random(5)
    names = years_graph.entity_ids
    for record in rng.sample(years_records, 120):
        trace = rng.choice((record.trace, damaged(record.trace, rng)))
        case = read_case(FileFormat.OURS, object_of(record.model_copy(update={"trace": trace})), 1, Granularity.YEAR)
        executable = Executable(known, walks, trace, case.references)
        references = references_of(trace)
        assert {names[code] for code in executable.run().answers} == execute(years_brute, trace, references).answers
        for step in constraints(trace):
            expected = execute_without(years_brute, trace, references, step.constraint).answers
            assert {names[code] for code in executable.run(left_out=step.constraint).answers} == expected
        name = filter_name(trace)
        if name is not None:
            expected = execute_without(years_brute, trace, references, name).answers
            assert {names[code] for code in executable.without_filter(name).run().answers} == expected


@pytest.mark.parametrize("seed", range(3))
def test_a_damaged_record_is_clean_only_if_the_brute_force_finds_it_sound(
    seed: int, years_records: list[BenchmarkRecord], years_graph: TemporalGraph, years_brute: BruteGraph
) -> None:
    rng = random.Random(seed)
    auditor = Auditor(years_graph)
    verdicts = []
    for record in rng.sample(years_records, 60):
        trace = damaged(record.trace, rng)
        case = read_case(FileFormat.OURS, object_of(record.model_copy(update={"trace": trace})), 1, Granularity.YEAR)
        found = {defect.kind for defect in auditor.findings(case).defects} & set(EXECUTED)
        references = references_of(trace)
        sound = execute(years_brute, trace, references).answers == {record.answer_id} and all(
            execute_without(years_brute, trace, references, name).answers != {record.answer_id}
            for name in (*(step.constraint for step in constraints(trace)), filter_name(trace))
            if name is not None
        )
        if found and sound:
            assert found == {DefectKind.TIE}  # one that leaves the answer as it is
        else:
            assert sound == (not found), (record.id, found)
        verdicts.append(sound)
    assert {True, False} == set(verdicts)
