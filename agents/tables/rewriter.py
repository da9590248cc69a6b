"""The rewriter of queries: SQL and what its columns are called -> a question. Paper: TDBench, section 3.3."""

from __future__ import annotations

from agents.crew import Crew
from state.pipeline_state import NodeResult, TableState
from state.table_instance import ShownTable, TableInstance
from state.table_roles import TranslateRequest
from state.tdbench_question import Kind
from state.vocabulary import Role


async def translate(state: TableState, crew: Crew) -> NodeResult:
    """The node: writes the first question."""
    return await crew.write(state, Role.REWRITER, translate_request(state["record"], crew.phrasings))


def translate_request(instance: TableInstance, phrasings: int) -> TranslateRequest:
    """What the rewriter sees of one of so many phrasings."""
    asked = asked_table(instance)
    return TranslateRequest(
        sql=instance.sql,
        glossary=instance.glossary,
        unit=instance.granularity,
        ends=asked.ends,
        open_end=asked.open_end,
        as_of=instance.as_of,
        is_about_now=instance.question.kind is Kind.NOW,
        phrasing=instance.phrasing,
        phrasings=max(phrasings, instance.phrasing),
        avoid=instance.answers,
    )


def asked_table(instance: TableInstance) -> ShownTable:
    """The table whose rows answer: the first with the column that is asked for."""
    dependent = instance.question.dependency.dependent
    named = {called for column, called in instance.glossary.items() if column == dependent or column.endswith(f".{dependent}")}
    return next((table for table in instance.evidence if named & set(table.columns)), instance.evidence[0])
