"""Rows of one triple: the columns' work agrees with one row at a time."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from graph_sampler.loaders.counters import ImportCounters
from graph_sampler.loaders.dates import ABSENT, TimeRange, read_time
from graph_sampler.loaders.same_fact import join_bounds, renamed, without_timeless_relations, without_vaguer_copies
from graph_sampler.raw_facts import FactBuffer, RawFacts
from state.interval import Granularity

Row = tuple[str, str, str, str, str]
IDS = st.sampled_from(("a", "b"))
TIMES = st.sampled_from((ABSENT, "1996", "1996-05", "1996-05-01", "2003"))
ROWS = st.lists(st.tuples(IDS, st.sampled_from(("p", "q")), IDS, TIMES, TIMES), max_size=12)


def raw(rows: list[Row]) -> RawFacts:
    facts = FactBuffer()
    facts.add([pa.array([row[column] for row in rows], pa.string()) for column in range(5)])
    return facts.finish(0)


def rows_of(facts: RawFacts) -> list[Row]:
    return [
        (facts.entities[s], facts.relations[r], facts.entities[o], facts.times[start], facts.times[end])
        for s, r, o, start, end in zip(facts.subject, facts.relation, facts.object, facts.start, facts.end, strict=True)
    ]


@settings(max_examples=30)
@given(ROWS)
def test_bounds_are_joined_where_each_is_stated_once(rows: list[Row]) -> None:
    stated: dict[tuple[str, ...], tuple[set[str], set[str]]] = defaultdict(lambda: (set(), set()))
    for *triple, start, end in rows:
        for bounds, bound in zip(stated[tuple(triple)], (start, end), strict=True):
            bounds.update({bound} - {ABSENT})
    due = []
    for triple_, (starts, ends) in stated.items():
        is_clear = len(starts) < 2 and len(ends) < 2
        due.append((*triple_, *((min(bounds, default=ABSENT) if is_clear else ABSENT) for bounds in (starts, ends))))
    counters = ImportCounters()
    assert sorted(rows_of(join_bounds(raw(rows), counters))) == sorted(due)
    assert counters["ambiguous_pairing"] == sum(len(starts) > 1 or len(ends) > 1 for starts, ends in stated.values())


def spans(row: Row) -> list[TimeRange]:
    return [read_time(text, Granularity.DAY) for text in row[3:]]


def is_vaguer(one: Row, other: Row) -> bool:
    pairs = list(zip(spans(one), spans(other), strict=True))
    holds = all(wide.low <= near.low and near.high <= wide.high for wide, near in pairs)
    return one[:3] == other[:3] and holds and spans(one) != spans(other)


@settings(max_examples=30)
@given(ROWS, st.lists(st.integers(-1, 1), min_size=12, max_size=12))
def test_a_vaguer_row_of_another_source_goes(rows: list[Row], sources: list[int]) -> None:
    kept = [
        row
        for number, row in enumerate(rows)
        if not any((sources[number] != sources[other] or sources[number] < 0) and is_vaguer(row, rows[other]) for other in range(len(rows)))
    ]
    counters = ImportCounters()
    source = np.array(sources[: len(rows)], np.int32)
    assert rows_of(without_vaguer_copies(raw(rows), source, counters)) == kept
    assert counters["duplicate_other_source"] == len(rows) - len(kept)


@settings(max_examples=30)
@given(ROWS)
def test_rows_without_time_stay_beside_timed_ones_of_their_relation(rows: list[Row]) -> None:
    timed = {row[1] for row in rows if row[3:] != (ABSENT, ABSENT)}
    counters = ImportCounters()
    assert rows_of(without_timeless_relations(raw(rows), counters)) == [row for row in rows if row[1] in timed]
    assert counters["untimed"] == sum(row[1] not in timed for row in rows)


@settings(max_examples=30)
@given(ROWS)
def test_two_entities_that_get_one_id_are_one(rows: list[Row]) -> None:
    facts = raw(rows)
    new = renamed(facts, ["z"] * len(facts.entities))
    assert rows_of(new) == [("z", row[1], "z", *row[3:]) for row in rows]
    assert new.entities == ["z"] * bool(rows)
