"""The error analyst of questions about tables: why did the question fail verification? Paper: section 4.3.3."""

from __future__ import annotations

from agents.crew import Crew
from agents.error_analyst import NO_ANSWERS, cause_named
from state.pipeline_state import NodeResult, TableState
from state.table_roles import TableAnalyseRequest
from state.vocabulary import Role


async def analyse_table(state: TableState, crew: Crew) -> NodeResult:
    """The node: names a cause out of the closed list; it admits nothing."""
    return cause_named(await crew.ask(state, Role.ERROR_ANALYST, table_analyse_request(state)))


def table_analyse_request(state: TableState) -> TableAnalyseRequest:
    """What the analyst sees."""
    instance = state["record"]
    objection = state["objection"] or NO_ANSWERS
    return TableAnalyseRequest.model_construct(
        sql=instance.sql,
        glossary=instance.glossary,
        question=state["question"],
        verifier_answers=objection.answers,
        cannot_tell=objection.cannot_tell,
        answers=instance.answers,
        tables=instance.evidence,
        unit=instance.granularity,
        as_of=instance.as_of,
    )
