"""The SQL of a question: values are bound, and names come from the table's catalogue through `quote`."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import orjson

from state.interval import parse_granule
from state.tdbench_config import Dependency
from state.tdbench_question import Question
from tdbench.questions.candidates import Form
from tdbench.questions.relations import OpenEnd, comparison_sql
from tdbench.table import END, START, TemporalTable, quote, shown_bound


def condition_sql(form: Form, dates: Sequence[str], open_end: OpenEnd, prefix: str = "") -> str:
    """The comparisons of a form with SQL expressions for its dates; empty for a form without any."""
    columns = {"start": f"{prefix}{START}", "end": f"{prefix}{END}"}
    return " AND ".join(
        comparison_sql(columns[bound], comparator, date, open_end, left_may_be_open=bound == "end")
        for (bound, comparator), date in zip(form, dates, strict=True)
    )


def question_sql(table: TemporalTable, dependency: Dependency, form: Form) -> str:
    """The query of one question: the asked column and the bounds of the rows that answer, each value a `?`."""
    asked = quote(dependency.dependent)
    wanted = [f"{quote(name)} = ?" for name in dependency.determinants] + [f"{asked} IS NOT NULL"]
    temporal = condition_sql(form, ["?"] * len(form), table.open_end)
    where = " AND ".join([*wanted, temporal] if temporal else wanted)
    return f"SELECT {asked}, {START}, {END} FROM {quote(table.name)} WHERE {where} ORDER BY {START}, {END} NULLS LAST, {asked}"


def question_id(table: str, sql: str, parameters: Sequence[str | int]) -> str:
    """The name of a question: that of its table and a hash of what it asks."""
    return f"{table}-{hashlib.sha256(orjson.dumps([sql, parameters])).hexdigest()[:12]}"


def readable_sql(question: Question, table: TemporalTable) -> str:
    """The query as somebody reads it who is to put it into words: dates for granules, the source's own names. Never run.

    An end is compared as the source gives it, so where ends are inclusive the date is a granule earlier than in the query.

    A comparison with a missing end, which the query itself spells out, is left to the table's word on open ends.
    """
    columns = {"start": quote(table.start_column), "end": quote(table.end_column)}
    parts = [f"{quote(name)} = {literal(value)}" for name, value in question.determinants.items()]
    parts += [
        f"{columns[one.bound]} {one.operator} {literal(shown_bound(table, one.bound, parse_granule(one.date)))}"
        for one in question.comparisons
    ]
    chosen = ", ".join([quote(question.dependency.dependent), columns["start"], columns["end"]])
    return f"SELECT {chosen} FROM {quote(table.name)} WHERE {' AND '.join(parts)}"


def literal(text: str) -> str:
    """A text as SQL writes it, for readers only: what runs binds its values."""
    doubled = text.replace("'", "''")
    return f"'{doubled}'"


def parameters_of(question: Question) -> tuple[str | int, ...]:
    """The values that the query binds, told anew from the question's own words: X, then the dates."""
    return (*question.determinants.values(), *(parse_granule(one.date) for one in question.comparisons))
