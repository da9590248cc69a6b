"""The reviser: repairs a question that failed verification. Paper: section 4.3.3, Figure 9."""

from __future__ import annotations

from agents.crew import Crew
from agents.error_analyst import analyse_request
from state.pipeline_state import GraphState, NodeResult
from state.roles import ReviseRequest
from state.vocabulary import Role


async def revise(state: GraphState, crew: Crew) -> NodeResult:
    """The node: writes the question again, knowing the cause and what the verifiers named."""
    seen = dict(analyse_request(state))
    request = ReviseRequest.model_construct(**seen, cause=state["cause"], reason=state["reason"], appeal_answers=state["appeal_answers"])
    return await crew.write(state, Role.REVISER, request)
