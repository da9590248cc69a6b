"""The rewriter: template question -> natural English. Paper: section 4.3.1, Figure 8."""

from __future__ import annotations

from agents.crew import Crew
from state.pipeline_state import GraphState, NodeResult
from state.roles import RewriteRequest
from state.vocabulary import Role


async def rewrite(state: GraphState, crew: Crew) -> NodeResult:
    """The node: writes the first question."""
    record = state["record"]
    request = RewriteRequest(
        template_question=record.raw_question,
        support_facts=tuple(record.labelled(fact) for fact in record.support_facts),
        answer=record.answer,
    )
    return await crew.write(state, Role.REWRITER, request)
