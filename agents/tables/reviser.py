"""The reviser of questions about tables: repairs one that failed verification. Paper: section 4.3.3."""

from __future__ import annotations

from agents.crew import Crew
from agents.tables.error_analyst import table_analyse_request
from state.pipeline_state import NodeResult, TableState
from state.table_roles import TableReviseRequest
from state.vocabulary import Role


async def revise_table(state: TableState, crew: Crew) -> NodeResult:
    """The node: writes the question again, knowing the cause and what the verifiers named."""
    return await crew.write(state, Role.REVISER, table_revise_request(state))


def table_revise_request(state: TableState) -> TableReviseRequest:
    """What the reviser sees."""
    seen = dict(table_analyse_request(state))
    return TableReviseRequest.model_construct(**seen, cause=state["cause"], reason=state["reason"], appeal_answers=state["appeal_answers"])
