"""SQL to English and back: what the verifier names is what answers the query, whole or damaged, or it cannot tell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal

import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

from agents.offline.tables.rewriter import PHRASINGS, compose
from agents.offline.tables.sql_reader import read_sql
from agents.offline.tables.verifier import answer_from_rows
from state.interval import Granularity
from state.table_roles import TableVerifyRequest
from state.tdbench_config import TdbenchConfig
from state.tdbench_question import AllenRelation
from tdbench.evidence import JoinPicker
from tdbench.joins.natural import build_joins
from tdbench.joins.questions import join_questions
from tdbench.joins.readable import join_glossary, readable_join_sql
from tdbench.questions.build import build_questions
from tdbench.table import quote
from tdbench.tables.example import AS_OF, example_joins, example_tables
from tdbench.tables.store import TemporalDatabase, open_tables
from tests.agents.offline.tables.tables_asked import Asked, asked_of, damages
from tests.tdbench.questions.temporal_tables import Row, hold, small_rows

Semantics = Literal["strict", "tdbench"]
MOST_ABSTAINED = 0.05
UNITS = {
    Granularity.YEAR: small_rows(),
    Granularity.MONTH: small_rows(firsts=st.integers(360, 420), longest=30),
    Granularity.DAY: small_rows(firsts=st.integers(11_000, 12_500), longest=900),
}


@pytest.fixture(scope="module")
def example() -> Iterator[TemporalDatabase]:
    with open_tables(example_tables(), {}) as database:
        yield database


def of_example(database: TemporalDatabase, name: str, semantics: Semantics, per_relation: int) -> list[Asked]:
    table, connection = database.tables[name], database.connection
    own = ", ".join(map(quote, table.columns))
    found = connection.execute(f"SELECT _start, _end, {own} FROM {quote(name)} ORDER BY _row").fetchall()
    rows = [Row(tuple(row[2:]), row[0], row[1]) for row in found]
    config = TdbenchConfig(as_of=AS_OF, semantics=semantics, per_relation=per_relation, per_cardinality=300, most_lookups=20)
    made = build_questions(connection, table, example_tables()[name].dependencies, config)
    return [asked_of(question, table, rows, AS_OF) for question in made]


def of_small_table(rows: list[Row], unit: Granularity, semantics: Semantics, ends: Any, open_end: Any) -> list[Asked]:
    held = hold(rows, unit=unit, open_end=open_end)
    table = replace(held.table, ends=ends)
    config = TdbenchConfig(as_of="2004-06-30", semantics=semantics, per_relation=2, most_answers=3)
    dependency = example_tables()["leaders"].dependencies[0].model_copy(update={"determinants": ("place", "office"), "dependent": "name"})
    return [asked_of(question, table, rows, "2004-06-30") for question in build_questions(held.connection, table, [dependency], config)]


def check(asked: Asked) -> Counter[str]:
    """Reads each phrasing back; raises where another answer than the query's is named."""
    read: Counter[str] = Counter()
    for phrasing in range(1, PHRASINGS + 1):
        text = asked.written(phrasing)
        reply = asked.read(text)
        if not reply.cannot_tell:
            assert set(reply.answers) == asked.right(), (text, asked.question.comparisons)
        read["abstained" if reply.cannot_tell else "right"] += 1
    return read


def check_damage(asked: Asked) -> Counter[str]:
    """Reads the English of each damaged query back; it is read as the damaged one, and so never passes where answers differ."""
    read: Counter[str] = Counter()
    for number, comparisons in enumerate(damages(asked.question)):
        harmed = asked.damaged(comparisons)
        reply = asked.read(harmed.written(number % PHRASINGS + 1))
        if reply.cannot_tell:
            read["abstained"] += 1
            continue
        assert set(reply.answers) == harmed.right(), (harmed.written(number % PHRASINGS + 1), comparisons)
        read["told apart" if set(reply.answers) != set(asked.question.answers) else "same answers"] += 1
    return read


def share(read: Counter[str], what: str) -> float:
    return read[what] / read.total()


any_table = given(
    st.data(), st.sampled_from(list(Granularity)), st.sampled_from(["strict", "tdbench"]), st.sampled_from(["exclusive", "inclusive"]),
    st.sampled_from(["ongoing", "unknown"]),
)  # fmt: skip


def test_queries_of_a_small_table_come_back_with_their_answers() -> None:
    rows = [
        Row(("P", "mayor", "Ana"), 410, 414), Row(("P", "mayor", "Bo"), 414, 419), Row(("P", "mayor", "Cy"), 420, None),
        Row(("Q", "mayor", "Ana"), 405, 417), Row(("Q", "judge", "Di"), 411, None),
    ]  # fmt: skip
    asked = of_small_table(rows, Granularity.MONTH, "strict", "inclusive", "ongoing")
    read = sum((check(one) for one in asked), Counter())
    assert read["right"] >= 60
    assert read["abstained"] == 0


@pytest.mark.slow
@seed(1)
@settings(max_examples=4, database=None)
@any_table
def test_queries_of_many_small_tables_come_back_with_their_answers(
    data: st.DataObject, unit: Granularity, semantics: Any, ends: Any, open_end: Any
) -> None:
    for asked in of_small_table(data.draw(UNITS[unit]), unit, semantics, ends, open_end)[::2]:
        check(asked)
        check_damage(asked)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "semantics"), [("games", "strict"), ("leaders", "tdbench"), ("organisations", "strict"), ("laws", "tdbench")]
)
def test_the_example_comes_back_with_its_answers_and_its_damage_as_damage(
    example: TemporalDatabase, name: str, semantics: Semantics
) -> None:
    every = of_example(example, name, semantics, 1)
    assert {asked.question.relation for asked in every} >= set(AllenRelation)
    read = sum((check(asked) for asked in every), Counter())
    assert share(read, "abstained") < MOST_ABSTAINED
    harmed = sum((check_damage(asked) for asked in every[::3]), Counter())
    assert share(harmed, "abstained") < MOST_ABSTAINED
    assert harmed["told apart"] > 0.2 * harmed.total()


@pytest.mark.slow
def test_questions_with_hops_come_back_with_their_answers(example: TemporalDatabase) -> None:
    config = TdbenchConfig(tables=example_tables(), joins=example_joins(), as_of=AS_OF, most_lookups=12)
    joins = build_joins(example.connection, example.tables, config)
    pickers = {name: JoinPicker(example.connection, join, seed=0, foils=12) for name, join in joins.items()}
    asked = list(join_questions(example.connection, example.tables, config))
    assert {question.hops for question in asked} == {2, 3}
    for question in asked:
        shown, join = pickers[question.table].shown(question), joins[question.table]
        for phrasing in range(1, PHRASINGS + 1):
            text = compose(read_sql(readable_join_sql(question, join)), join_glossary(question, join), phrasing)
            reply = answer_from_rows(TableVerifyRequest(question=text, tables=shown, unit=question.granularity, as_of=AS_OF))
            assert not reply.cannot_tell, text
            assert set(reply.answers) == set(question.answers), text
