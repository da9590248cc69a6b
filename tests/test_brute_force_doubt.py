"""Which dropped rows make a record doubtful, by hand: rule 7 of the evaluator."""

from __future__ import annotations

import pytest

from state.config import Rules
from state.trace import TransitionStep
from state.vocabulary import Template
from tests.brute_force_club import (
    DI,
    MEMBERS,
    PRIZES,
    broken,
    chain,
    club,
    ordinal,
    overlap,
    pairwise,
    trace_of,
)
from tests.brute_force_graph import Aside, Fact
from tests.random_traces import record_of


@pytest.mark.parametrize(
    ("ids", "bounds", "expected"),
    [
        (("Q7", "P3", "Q9"), (None, None, None, None), True),
        (("Q7", "P3", "Q9"), (None, None, 1999, 1999), True),
        (("Q7", "P3", "Q9"), (None, None, 1996, 1996), False),  # it would meet, or finish, or come before
        (("Q7", "P3", "Q9"), (1997, 1997, None, None), False),
        (("Q7", "P3", "Q9"), (1995, 1995, None, None), True),
        (("Q7", "P3", "Q9"), (1990, 1999, 2001, 2001), True),
        (("Q7", "P3", "Q9"), (1996, 1999, 2001, 2001), False),
        (("Q7", "P3", "Q9"), (1990, 1990, 1999, 1999), True),  # dropped for its label alone
        (("Q3", "P3", "Q9"), (None, None, None, None), False),  # the answer's own
        (("Q7", "P3", "Q8"), (None, None, None, None), False),
        (("Q7", "P4", "Q9"), (None, None, None, None), False),
    ],
)
def test_a_dropped_row_that_might_be_an_answer_makes_a_record_doubtful(
    ids: tuple[str, str, str], bounds: tuple[int | None, int | None, int | None, int | None], expected: bool
) -> None:
    graph = club(aside=[Aside(*ids, *bounds)])
    assert ("doubtful" in broken(record_of(graph, overlap(graph), "Q3"), graph)) is expected
    assert "doubtful" not in broken(record_of(graph, overlap(graph), "Q3"), graph, rules=Rules(not_doubtful=False))


def test_no_value_lies_strictly_between_neighbours() -> None:
    short = Fact("Q7", "P3", "Q9", 1996, 1997)
    graph = club(short, aside=[Aside("Q8", "P3", "Q9", None, None, None, None)])
    overlapping = trace_of(graph, MEMBERS, pairwise(1, "I-overlaps-I", "f1", "g1"), g1=short)
    containing = trace_of(graph, MEMBERS, pairwise(1, "I-contains-I", "f1", "g1"), g1=short)
    assert "doubtful" not in broken(record_of(graph, overlapping, "Q3"), graph)
    assert "doubtful" in broken(record_of(graph, containing, "Q3"), graph)


@pytest.mark.parametrize(
    ("entity", "bounds", "expected"),
    [
        ("Q7", (None, None, 2001, 2001), True),
        ("Q7", (2006, 2006, None, None), False),  # not before Di Ash, so never ranked
        ("Q7", (1999, 1999, None, None), True),  # ranked, though never first
        ("Q5", (1999, 1999, None, None), True),
    ],
)
def test_a_dropped_row_that_an_ordinal_might_rank_makes_a_record_doubtful(
    entity: str, bounds: tuple[int | None, int | None, int | None, int | None], expected: bool
) -> None:
    graph = club(aside=[Aside(entity, "P3", "Q9", *bounds)])
    trace = trace_of(graph, MEMBERS, pairwise(1, "I-before-I", "f1", "g1"), ordinal(2, "start_rank", 2), g1=DI)
    assert ("doubtful" in broken(record_of(graph, trace, "Q3"), graph)) is expected


@pytest.mark.parametrize(
    ("bounds", "year", "expected"),
    [
        ((1990, 1995, 1990, 1995), 1992, True),
        ((1990, 1995, 1990, 1995), 1990, False),
        ((1995, 1995, None, None), 1992, False),
        ((1991, 1991, None, None), 1992, True),
        ((None, None, 1991, 1991), 1992, True),
        ((1990, 1999, 1991, 1991), 1992, True),
    ],
)
def test_a_dropped_point_stands_for_the_points_it_may_be(
    bounds: tuple[int | None, int | None, int | None, int | None], year: int, expected: bool
) -> None:
    prizes = [Fact(f"Q{n}", "P1", "Q9", year + n, year + n) for n in range(2, 7)] + [Fact("Q1", "P1", "Q9", year, year)]
    first = Fact("Q7", "P1", "Q9", year - 5, year - 5)
    graph = club(*prizes, first, aside=[Aside("Q8", "P1", "Q9", *bounds)])
    trace = trace_of(graph, PRIZES, pairwise(1, "P-before-P", "f1", "g1"), g1=prizes[-1])
    assert ("doubtful" in broken(record_of(graph, trace, "Q7"), graph)) is expected


@pytest.mark.parametrize(
    ("second", "expected"),
    [((None, None, 2010, 2010), True), ((1999, 1999, 2010, 2010), True), ((2000, 2009, 2010, 2010), False)],
)
def test_two_dropped_rows_are_chosen_together(second: tuple[int | None, int | None, int | None, int | None], expected: bool) -> None:
    kept = chain()
    aside = [Aside("Q7", "P3", "Q9", None, None, 1999, 1999), Aside("Q7", "P4", "Q8", *second)]
    graph = club(*kept.facts[6:], labels=kept.entity_labels, aside=aside)
    walk = TransitionStep(fact="f2", pattern=("?a", "P4", "?b"), candidates=0)
    trace = trace_of(graph, MEMBERS, walk, pairwise(1, "I-meets-I", "f1", "f2"), template=Template.TWO_HOP)
    assert ("doubtful" in broken(record_of(graph, trace, "Q13"), graph)) is expected
