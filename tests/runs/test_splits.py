"""The split: groups stay whole, and a record's part hangs on its own content and the seed alone."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph_sampler.labels import normalise_label
from runs.splits import NEVER_SHARED, PARTS, Overlap, Shared, Split, overlaps, split, split_with_overlaps, stratum_of
from state.errors import RunFolderError
from state.fact import TemporalFact
from state.instance import BenchmarkRecord
from tests.command_line import ROOT, environment
from tests.sample_record import make_record

ONE = make_record()
QUESTIONS = ("Who led Arn?", "who led  ARN?", "Who led Łódź?", "Who led Bel?", "Who was it?")


def a_fact(subject: str, start: int, relation: str = "P39", object_: str = "Q1") -> TemporalFact:
    return TemporalFact(subject=subject, relation=relation, object=object_, start=str(start), end=str(start + 1))


FACTS = tuple(a_fact(subject, start) for subject in ("Q11", "Q12") for start in (1950, 1960, 1970))


def variant(ident: str, facts: Sequence[TemporalFact], question: str | None, raw: str | None = None) -> BenchmarkRecord:
    """The invented instance under another id, over other support facts, with other questions."""
    changes = {"id": ident, "support_facts": tuple(facts), "final_question": question, "raw_question": raw or f"raw {ident}"}
    return ONE.model_copy(update=changes)


@st.composite
def benchmarks(draw: st.DrawFn) -> list[BenchmarkRecord]:
    """Records that often share facts, questions or queries with others; the ids differ."""
    rows = draw(
        st.lists(
            st.tuples(
                st.sampled_from(("a", "b-b", "c")),
                st.integers(0, 9),
                st.lists(st.sampled_from(FACTS), min_size=1, max_size=3),
                st.one_of(st.none(), st.sampled_from(QUESTIONS), st.text(max_size=3)),
            ),
            max_size=14,
            unique_by=lambda row: row[:2],
        )
    )
    return [variant(f"{dataset}-{number:012x}", facts, question) for dataset, number, facts, question in rows]


def are_linked(one: BenchmarkRecord, other: BenchmarkRecord) -> bool:
    """Whether two records must not straddle, said once more and plainly."""
    if set(one.support_facts) == set(other.support_facts) or one.id[-12:] == other.id[-12:]:
        return True
    questions = [normalise_label(record.final_question or "") for record in (one, other)]
    return questions[0] == questions[1] != ""


def parts(split: Split) -> dict[str, str]:
    return {ident: split.part_of(ident) for ident in split.group_of}


@given(benchmarks(), st.integers(0, 5), st.booleans(), st.randoms(use_true_random=False))
@settings(max_examples=50)
def test_what_knows_each_other_stays_together_in_any_order(records: list[BenchmarkRecord], seed: int, exact: bool, rng: object) -> None:
    made = split(records, seed, (1, 1, 1), exact=exact)
    assert set(made.group_of) == {record.id for record in records}
    for one, other in combinations(records, 2):
        if are_linked(one, other):
            assert made.group_of[one.id] == made.group_of[other.id]
            assert made.part_of(one.id) == made.part_of(other.id)
    shuffled = list(records)
    rng.shuffle(shuffled)  # type: ignore[attr-defined]
    report = overlaps(records, made)
    assert split_with_overlaps(shuffled, seed, (1, 1, 1), exact=exact) == (made, report)
    assert [report.count(kind) for kind in NEVER_SHARED] == [0, 0, 0]


@given(benchmarks())
@settings(max_examples=50)
def test_groups_are_the_components_of_what_is_linked(records: list[BenchmarkRecord]) -> None:
    """Nothing is put together without a reason: each group is connected by links between its members."""
    made = split(records, 0)
    by_group: dict[str, list[BenchmarkRecord]] = {}
    for record in records:
        by_group.setdefault(made.group_of[record.id], []).append(record)
    for members in by_group.values():
        reached, todo = {members[0].id}, [members[0]]
        while todo:
            here = todo.pop()
            near = [other for other in members if other.id not in reached and are_linked(here, other)]
            reached |= {other.id for other in near}
            todo += near
        assert reached == {member.id for member in members}


@given(benchmarks(), st.integers(0, 3), st.data())
@settings(max_examples=50)
def test_a_record_keeps_its_part_when_strangers_come_or_go(records: list[BenchmarkRecord], seed: int, data: st.DataObject) -> None:
    whole = split(records, seed)
    gone = data.draw(st.sets(st.sampled_from(sorted(set(whole.group_of.values()) or {""}))))
    left = split([record for record in records if whole.group_of[record.id] not in gone], seed)
    assert parts(left).items() <= parts(whole).items()


@given(benchmarks(), st.integers(0, 3), st.booleans())
@settings(max_examples=50)
def test_a_share_of_nothing_gets_nothing(records: list[BenchmarkRecord], seed: int, exact: bool) -> None:
    for place, part in enumerate(PARTS):
        shares = tuple(int(number == place) for number in range(3))
        assert set(parts(split(records, seed, shares, exact=exact)).values()) <= {part}  # type: ignore[arg-type]


def apart(count: int) -> list[BenchmarkRecord]:
    """Records of one stratum that have nothing in common."""
    return [variant(f"a-{number:012x}", [a_fact(f"Q{number}", 1900)], None) for number in range(count)]


@given(st.integers(1, 60), st.integers(0, 9), st.tuples(*[st.integers(0, 9)] * 3).filter(any))
def test_exact_shares_are_kept_to_within_a_record_a_border(count: int, seed: int, shares: tuple[int, int, int]) -> None:
    made = split(apart(count), seed, shares, exact=True)
    for part, share in zip(PARTS, shares, strict=True):
        assert abs(made.sizes[part] - count * share / sum(shares)) <= 1


@given(st.integers(1, 60), st.integers(0, 9))
@settings(max_examples=50)
def test_one_record_more_moves_few_others_where_shares_are_exact(count: int, seed: int) -> None:
    before, after = split(apart(count), seed, exact=True), split(apart(count + 1), seed, exact=True)
    moved = [ident for ident in before.group_of if before.part_of(ident) != after.part_of(ident)]
    assert len(moved) <= len(PARTS)


def test_the_only_record_of_a_stratum_may_be_in_any_part() -> None:
    assert {split([ONE], seed, exact=True).part_of(ONE.id) for seed in range(60)} == set(PARTS)


def test_one_fact_seen_from_both_ends_is_one_fact() -> None:
    there = variant("a-000000000001", [a_fact("Q11", 1950, "P108", "Q2")], "Where did Ida work?")
    back = variant("a-000000000002", [a_fact("Q2", 1950, "P1128", "Q11")], "Who worked at Arn?")
    later = variant("a-000000000003", [a_fact("Q2", 1960, "P1128", "Q11")], "Who worked at Bel?")
    made = split([there, back, later], 0)
    assert made.group_of[there.id] == made.group_of[back.id] != made.group_of[later.id]


def test_two_records_of_one_id_are_refused() -> None:
    with pytest.raises(RunFolderError, match="two records have the id 'sample-000000000001'"):
        split([ONE, ONE], 0)


@pytest.mark.parametrize("shares", [(0, 0, 0), (-1, 1, 1)])
def test_shares_without_sense_are_refused(shares: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="shares"):
        split([ONE], 0, shares)


def test_an_empty_benchmark_has_three_empty_parts() -> None:
    made = split([], 0)
    assert made.sizes == {"train": 0, "dev": 0, "test": 0}
    assert {overlap.of for overlap in overlaps([], made).overlaps} == {0}


def test_a_large_group_is_kept_whole_and_reported() -> None:
    alike = [variant(f"a-{number:012x}", [FACTS[0]], None) for number in range(30)]
    others = [variant(f"b-{number + 100:012x}", [a_fact(f"Q{number}", 1900)], None) for number in range(70)]
    made = split([*alike, *others], 3)
    assert len({made.part_of(record.id) for record in alike}) == 1
    assert list(made.large_groups.items()) == [(made.group_of[alike[0].id], 30)]


def test_overlaps_are_counted_in_values_and_in_records() -> None:
    first, second, third = (variant(f"a-{number:012x}", facts, None) for number, facts in enumerate((FACTS[:2], FACTS[1:4], FACTS[3:6])))
    made = Split(
        seed=0,
        shares=(1, 1, 1),
        is_exact=False,
        group_of={record.id: record.id for record in (first, second, third)},
        part_of_group={first.id: "train", second.id: "test", third.id: "test"},
        strata={},
    )
    found = {(overlap.kind, overlap.earlier, overlap.later): overlap for overlap in overlaps([first, second, third], made).overlaps}
    facts = found[Shared.FACT, "train", "test"]
    assert facts == Overlap(kind=Shared.FACT, earlier="train", later="test", shared=1, values=5, records=1, of=2)
    answers = found[Shared.ANSWER, "train", "test"]  # all three ask for Q13 by the same relation
    assert (answers.shared, answers.values, answers.records, answers.of) == (1, 1, 2, 2)
    assert found[Shared.SUPPORT, "train", "test"].shared == 0


def test_the_shipped_graph_is_split_as_asked_and_in_every_stratum_alike(years_records: list[BenchmarkRecord]) -> None:
    made = split(years_records, 0)
    count = len(years_records)
    assert abs(made.sizes["train"] - 0.8 * count) < 4 * (0.16 * count) ** 0.5
    assert abs(made.sizes["test"] - 0.1 * count) < 4 * (0.09 * count) ** 0.5
    assert Counter({stratum: sum(sizes.values()) for stratum, sizes in made.strata.items()}) == Counter(map(stratum_of, years_records))
    for sizes in made.strata.values():
        of = sum(sizes.values())
        assert abs(sizes["train"] - 0.8 * of) < 4 * (0.16 * of) ** 0.5 + 1
    exact, exactly_shared = split_with_overlaps(years_records, 0, exact=True)
    for sizes in exact.strata.values():
        for part, share in zip(PARTS, (0.8, 0.1, 0.1), strict=True):
            assert abs(sizes[part] - share * sum(sizes.values())) <= 3  # the largest group has three records
    report = overlaps(years_records, made)
    for found in (report, exactly_shared):
        assert [found.count(kind) for kind in NEVER_SHARED] == [0, 0, 0]
        assert found.count(Shared.FACT) > 0
    assert made.large_groups == {}
    assert parts(split(years_records[: count // 2], 0)).items() <= parts(made).items()
    assert parts(split(years_records, 1)) != parts(made)


def test_another_process_with_other_hashes_splits_alike() -> None:
    code = (
        "import json; from runs.splits import split; from tests.sample_record import make_record\n"
        "made = split([make_record(number=n, raw_question=f'Who {n}?') for n in range(40)], 7)\n"
        "print(json.dumps([dict(made.group_of), dict(made.part_of_group)]))"
    )
    runs = [
        subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment(PYTHONHASHSEED=seed), capture_output=True, check=True)
        for seed in ("0", "1")
    ]
    assert runs[0].stdout == runs[1].stdout
    assert len(json.loads(runs[0].stdout)[0]) == 40
