"""Inputs that broke other samplers. Traps F02 to F06 and B08."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random
from typing import Any

import pytest

from graph_sampler.load import load_graph
from graph_sampler.sampler import sample_traces
from state.config import GraphConfig, LabelTable, Rules
from state.errors import SamplingError
from state.instance import BenchmarkRecord
from state.trace import OrdinalStep, PairwiseStep, RootStep, StructuralStep
from state.vocabulary import RankOrder, Template
from tests.brute_force import load_cronkg, violations
from tests.small_samples import SYLLABLES, configure, sample_records, write_careers, write_rows

Rows = list[tuple[str, str, str, Any, Any]]

PEOPLE = {"Q1": "Ana Roy", "Q2": "Bo Lind", "Q3": "Cy Moe", "Q4": "Di Ash", "Q5": "Ed Orr", "Q6": "Fay Uhl", "Q7": "Gus Ek"}
LABELS = PEOPLE | {"Q8": "City Hall", "Q9": "FC Arn"}
EVERYTHING = {"proposals_per_operator": 60, "skeletons_per_root": 20}


def member(number: int, start: Any, end: Any) -> tuple[str, str, str, Any, Any]:
    return (f"Q{number}", "P3", "Q9", start, end)


SPELLS: Rows = [
    *(member(1, 1996, 2003), member(1, 2009, 2011), member(2, 1999, 2001)),
    *(member(3, 1990, 1998), member(4, 2000, 2006), member(5, 1985, 1992), member(6, 2007, 2012)),
]


YEARS_SHARED = Rules(shared_granule=False)
"""The graphs of a few rows are full of shared years; they are about other things."""


def sample(folder: Path, rows: Rows, labels: dict[str, str] | None = None, **sampler: Any) -> list[BenchmarkRecord]:
    """Every record that a graph of a few rows gives, each found good by brute force under the same rules."""
    write_rows(folder, rows, LABELS | (labels or {}))
    config = configure(folder, target=5000, caps=EVERYTHING, **({"rules": YEARS_SHARED} | sampler))
    graph, records = load_cronkg(folder), sample_records(config)
    for record in records:
        assert violations(record, graph, config.sampler.rules, config.sampler.caps) == []
    return records


def mentions(record: BenchmarkRecord, entity: str) -> bool:
    """Whether the question names an entity."""
    return LABELS[entity] in record.raw_question


def references(record: BenchmarkRecord) -> set[str]:
    """Whose memberships a record compares with."""
    return {fact.subject for fact in record.trace.references.values()}


# F02: two spells at one club.


def test_both_spells_survive_and_neither_is_called_the_time_at_the_club(tmp_path: Path) -> None:
    records = sample(tmp_path, SPELLS)
    ana = [fact for record in records for fact in record.evidence if fact.subject == "Q1"]
    assert {(fact.start, fact.end) for fact in ana} == {("1996", "2003"), ("2009", "2011")}
    assert records
    assert not any(mentions(record, "Q1") or record.answer_id == "Q1" for record in records)


def test_one_and_the_same_spell_satisfies_all_conditions(tmp_path: Path) -> None:
    """Ana Roy was there once before all others and once after them, so never after one and before another."""
    between: list[BenchmarkRecord] = []
    for seed in range(12):
        if between:
            break
        rng = Random(seed)
        rows = [member(1, 1940, 1941), member(1, 2020, 2021)]
        for number in range(10, 19):
            start = rng.randint(1950, 1990)
            rows.append(member(number, start, start + rng.randint(1, 20)))
        between += asked_between(tmp_path / f"{seed}-any", rows, Rules(readable=False, plain_reading=False))
        assert asked_between(tmp_path / f"{seed}", rows, Rules(readable=False)) == [], "a reader may say that she was"
    assert between
    assert "Q1" not in {record.answer_id for record in between}


def asked_between(folder: Path, rows: Rows, rules: Rules) -> list[BenchmarkRecord]:
    return [
        record
        for record in sample(folder, rows, rules=rules)
        if sorted(record.operators) == ["I-after-I", "I-before-I"] and len(references(record)) == 2
    ]


def test_an_entity_with_two_spells_is_never_ranked(tmp_path: Path) -> None:
    def ordinals(folder: Path, rows: Rows) -> list[BenchmarkRecord]:
        return [record for record in sample(folder, rows) if record.families == ("ordinal",)]

    assert ordinals(tmp_path / "one", [row for row in SPELLS if row != member(1, 2009, 2011)])
    assert ordinals(tmp_path / "two", SPELLS) == []


# F03: ties.

TIED: Rows = [member(1, 1990, 1994), member(2, 1995, 1999), member(3, 1995, 2004), member(4, 2001, 2007)]


def asked_ranks(records: list[BenchmarkRecord]) -> dict[tuple[str, int, str], str]:
    """The ordinals asked alone, with their answers."""
    found = {}
    for record in records:
        step = record.trace.steps[-1]
        if record.temporal_constraint_count == 1 and isinstance(step, OrdinalStep):
            found[step.operator, step.rank, step.order.value] = record.answer_id
    return found


def test_a_rank_is_offered_only_where_no_tie_decides_it(tmp_path: Path) -> None:
    """Starts 1990, 1995, 1995, 2001; ends all differ; durations 4, 4, 9, 6."""
    assert asked_ranks(sample(tmp_path, TIED)) == {
        ("start_rank", 1, RankOrder.ASCENDING): "Q1",
        ("start_rank", 1, RankOrder.DESCENDING): "Q4",
        ("end_rank", 1, RankOrder.ASCENDING): "Q1",
        ("end_rank", 2, RankOrder.ASCENDING): "Q2",
        ("end_rank", 1, RankOrder.DESCENDING): "Q4",
        ("end_rank", 2, RankOrder.DESCENDING): "Q3",
        ("duration_rank", 1, RankOrder.DESCENDING): "Q3",
        ("duration_rank", 2, RankOrder.DESCENDING): "Q4",
    }


def test_an_open_end_is_never_ranked_and_makes_the_others_ranks_doubtful(tmp_path: Path) -> None:
    rows = [*TIED, member(5, 1980, "None")]
    assert asked_ranks(sample(tmp_path / "doubted", rows)) == {}
    trusting = asked_ranks(sample(tmp_path / "trusted", rows, rules=Rules(shared_granule=False, not_doubtful=False)))
    assert trusting == asked_ranks(sample(tmp_path / "without", TIED))


# F04: shared labels.

MEMBERS: Rows = [
    *(member(1, 1996, 2003), member(2, 1996, 2000), member(3, 1990, 1999)),
    *(member(4, 2005, 2009), member(5, 1980, 1985), member(6, 2004, 2006)),
]


@pytest.mark.parametrize("label", ["Ana Roy", "ANA  ROY", "Ana Róy"])
def test_neither_of_two_members_with_one_name_is_named_or_asked_for(tmp_path: Path, label: str) -> None:
    alone = sample(tmp_path / "alone", MEMBERS)
    assert any(mentions(record, "Q1") for record in alone)
    assert any(record.answer_id == "Q1" for record in alone)
    shared = sample(tmp_path / "shared", MEMBERS, {"Q4": label})
    assert shared
    assert not any(references(record) & {"Q1", "Q4"} for record in shared)
    assert not {record.answer_id for record in shared} & {"Q1", "Q4"}


def test_a_club_that_shares_its_name_at_that_end_of_the_relation_is_no_anchor(tmp_path: Path) -> None:
    elsewhere = [(f"Q{n}", "P3", "Q8", 1950 + n, 1960 + 2 * n) for n in range(1, 7)]
    roots = {record.provenance.root for record in sample(tmp_path / "two_names", [*MEMBERS, *elsewhere])}
    assert roots == {'["?a", "P3", "Q8"]', '["?a", "P3", "Q9"]'}
    assert sample(tmp_path / "one_name", [*MEMBERS, *elsewhere], {"Q8": "fc arn"}) == []


# F05: what cleaning dropped.


@pytest.mark.parametrize("bounds", [("None", 1999), (1990, ""), ("199#", 1999), (1999, 1990), ("soon", "later")])
def test_a_dropped_fact_that_might_add_an_answer_makes_a_trace_doubtful(tmp_path: Path, bounds: tuple[Any, Any]) -> None:
    """Someone else may have overlapped Ana Roy's time as Cy Moe did."""

    def overlapping(folder: Path, rules: Rules) -> bool:
        records = sample(folder, [*MEMBERS, member(7, *bounds)], rules=rules)
        return any(record.operators == ("I-overlaps-I",) and record.trace.references["g1"].subject == "Q1" for record in records)

    assert overlapping(tmp_path / "trusted", Rules(shared_granule=False, not_doubtful=False))
    assert not overlapping(tmp_path / "doubted", YEARS_SHARED)
    assert count_doubtful(tmp_path / "doubted") > 0


def count_doubtful(folder: Path) -> int:
    """How many traces are refused as doubtful, said by the report or, if no other is left, by the error."""
    config = configure(folder, target=5000, caps=EVERYTHING, rules=YEARS_SHARED)
    try:
        return sample_traces(load_graph(config.graph)[0], config).coverage.doubtful
    except SamplingError as error:
        found = re.search(r"\((\d+) refused as doubtful", str(error))
        assert found
        return int(found[1])


def test_a_dropped_fact_that_cannot_be_an_answer_is_no_harm(tmp_path: Path) -> None:
    """Whoever began in 1997 did not overlap a time that had begun before."""
    records = sample(tmp_path, [*MEMBERS, member(7, 1997, "None")])
    assert any(record.operators == ("I-overlaps-I",) and record.trace.references["g1"].subject == "Q1" for record in records)


# F06: constraints needed only on the way.


Asked = tuple[tuple[str, ...], frozenset[tuple[str, ...]]]
CAREERS: Rows = [
    *(member(1, 1960, 1962), member(2, 1990, 1992), member(3, 1970, 1980), member(4, 1971, 1972)),
    *(member(5, 1975, 1978), member(6, 1963, 1964), member(7, 1982, 1984)),
]


def asked_for(records: list[BenchmarkRecord]) -> set[Asked]:
    """Walk and constraints of each record without an ordinal."""
    found: set[Asked] = set()
    for record in records:
        steps = [step for step in record.trace.steps if isinstance(step, PairwiseStep)]
        if len(steps) == record.temporal_constraint_count:
            walk = [str(step.pattern) for step in record.trace.steps if isinstance(step, StructuralStep)]
            sides = [(step.operator, step.left, str(record.trace.references.get(step.right, step.right))) for step in steps]
            found.add((tuple(walk), frozenset(sides)))
    return found


def nested(asked: set[Asked]) -> set[tuple[int, int]]:
    """The sizes of constraint sets of one walk of which one holds the other."""
    return {(len(one), len(other)) for walk, one in asked for other_walk, other in asked if walk == other_walk and one < other}


@pytest.mark.slow
def test_no_accepted_question_contains_another(tmp_path: Path) -> None:
    """Three constraints of which two suffice are refused; without the rules they appear."""
    loose = Rules(progress=False, temporal_necessity=False, non_redundancy=False)
    sizes, let_through = set(), set()
    for seed in range(3):
        folder = write_careers(tmp_path / str(seed), Random(seed))
        proved, all_ = (
            asked_for(sample_records(configure(folder, target=5000, rules=rules, caps={"proposals_per_operator": 8})))
            for rules in (Rules(), loose)
        )
        assert nested(proved) == set()
        sizes |= {len(constraints) for _, constraints in proved}
        let_through |= nested(all_)
    assert sizes >= {1, 2, 3}
    assert (2, 3) in let_through


def test_a_constraint_that_only_matters_before_the_walk_goes_on_is_refused(tmp_path: Path) -> None:
    """It shrinks the members, three of whom were married to Q8; but the walk alone leads to Q8 and nobody else."""
    rows = [*CAREERS, ("Q3", "P4", "Q8", 1990, 1991), ("Q4", "P4", "Q8", 1980, 1983), ("Q5", "P4", "Q8", 1990, 1992)]
    chains = {
        name: [record for record in sample(tmp_path / name, rows, rules=rules) if record.graph_structure is Template.TWO_HOP]
        for name, rules in (("on", Rules()), ("off", Rules(temporal_necessity=False)))
    }
    assert any(record.operators == ("I-after-I",) and record.answer_id == "Q8" for record in chains["off"])
    assert chains["on"] == []


# B08: a leak that nobody can avoid.


def test_an_answer_within_its_anchors_label_is_not_asked_for(tmp_path: Path) -> None:
    assert any(record.answer_id == "Q3" for record in sample(tmp_path / "apart", MEMBERS, {"Q3": "Moe"}))
    leaking = sample(tmp_path / "leaking", MEMBERS, {"Q3": "Moe", "Q9": "Moe United FC"})
    assert leaking
    assert not any(record.answer_id == "Q3" for record in leaking)
    assert any(record.answer_id == "Q3" for record in sample(tmp_path / "within_a_word", MEMBERS, {"Q3": "Moe", "Q9": "Moense United FC"}))


# Beyond the list: entities and relations numbered alike.


def test_an_entity_and_a_relation_of_one_id_keep_their_labels(tmp_path: Path) -> None:
    """Tables number both from 0; a record has one label for each id."""
    facts = tmp_path / "facts.tsv"
    facts.write_text("".join(f"{number}\t7\t9\t{1980 + 3 * number}\t{1985 + 4 * number}\n" for number in range(9)))
    (tmp_path / "entities.tsv").write_text("".join(f"{number}\t{SYLLABLES[number]} {SYLLABLES[-number - 1]}\n" for number in range(10)))
    (tmp_path / "relations.tsv").write_text("7\tmember of\n")
    entities, relations = (LabelTable(path=str(tmp_path / name)) for name in ("entities.tsv", "relations.tsv"))
    graph = GraphConfig(path=str(facts), format="table", entity_labels=entities, relation_labels=relations)
    records = sample_records(configure("unused").model_copy(update={"graph": graph}))
    assert records
    for record in records:
        assert record.trace.steps[0] == RootStep(fact="f1", pattern=("?a", "relation:7", "9"), candidates=9)
        assert record.labels["relation:7"] == "member of"
        assert record.labels["7"] == f"{SYLLABLES[7]} {SYLLABLES[-8]}"


def test_an_id_that_reads_as_a_variable_is_never_in_a_trace(tmp_path: Path) -> None:
    rows = [(f"Q{number:02}", "P3", club, 1990 + number, 1993 + 2 * number) for number in range(8) for club in ("?a", "Q90")]
    folder = write_rows(tmp_path, rows)
    records = sample_records(configure(folder))
    assert records
    assert not any("?a" in record.labels for record in records)
    assert [found for record in records if (found := violations(record, load_cronkg(folder)))] == []
