"""The query of a join's question as somebody reads it who is to put it into words; never run."""

from __future__ import annotations

from state.tdbench_question import Question
from tdbench.joins.natural import Join, Part
from tdbench.questions.query import literal
from tdbench.table import quote


def readable_join_sql(question: Question, join: Join) -> str:
    """Standard SQL over the tables themselves, in the sources' own names: what they share, and that they hold at one time."""
    first: dict[str, str] = {}
    clauses = []
    for place, part in enumerate(join.parts):
        tests = [f"{first[joined]} = {_column(part, own)}" for own, joined in part.columns.items() if joined in first]
        tests += [f"{_span(earlier)} OVERLAPS {_span(part)}" for earlier in join.parts[:place]]
        clauses.append(f"JOIN {quote(part.table.name)} ON {' AND '.join(tests)}" if place else quote(part.table.name))
        for own, joined in part.columns.items():
            first.setdefault(joined, _column(part, own))
    last = join.parts[-1]
    wanted = [f"{first[name]} = {literal(value)}" for name, value in question.determinants.items()]
    chosen = [last.own(question.dependency.dependent), last.table.start_column, last.table.end_column]
    return f"SELECT {', '.join(_column(last, name) for name in chosen)} FROM {' '.join(clauses)} WHERE {' AND '.join(wanted)}"


def join_glossary(question: Question, join: Join) -> dict[str, str]:
    """`table.column` named in the query -> what a question calls it."""
    named = {*question.determinants, *join.shared, question.dependency.dependent}
    called = {}
    for part in join.parts:
        for own, joined in part.columns.items():
            if joined in named:
                called[f"{part.table.name}.{own}"] = join.table.glossary[joined]
        called[f"{part.table.name}.{part.table.start_column}"] = "start"
        called[f"{part.table.name}.{part.table.end_column}"] = "end"
    return called


def _column(part: Part, own: str) -> str:
    return f"{quote(part.table.name)}.{quote(own)}"


def _span(part: Part) -> str:
    return f"({_column(part, part.table.start_column)}, {_column(part, part.table.end_column)})"
