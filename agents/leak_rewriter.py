"""The leak rewriter: takes a leaked answer out of a question that is otherwise right. Paper: section 4.3.4."""

from __future__ import annotations

from agents.crew import Crew
from agents.leak_filter import names_to_avoid
from state.pipeline_state import GraphState, NodeResult
from state.roles import LeakRewriteRequest
from state.vocabulary import Role


async def leak_rewrite(state: GraphState, crew: Crew) -> NodeResult:
    """The node: writes the question without the strings that must not appear."""
    record = state["record"]
    avoid = dict.fromkeys((*state["leaks"], *names_to_avoid(record.answer, record.answer_aliases)))
    request = LeakRewriteRequest(question=state["question"], template_question=record.raw_question, avoid=tuple(avoid))
    return await crew.write(state, Role.LEAK_REWRITER, request)
