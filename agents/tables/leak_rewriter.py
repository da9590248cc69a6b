"""The leak rewriter of questions about tables: takes leaked answers out. Paper: section 4.3.4."""

from __future__ import annotations

from agents.crew import Crew
from agents.tables.leak_filter import strings_to_avoid
from state.pipeline_state import NodeResult, TableState
from state.table_instance import TableInstance
from state.table_roles import TableLeakRewriteRequest
from state.vocabulary import Role


async def leak_rewrite_table(state: TableState, crew: Crew) -> NodeResult:
    """The node: writes the question without the strings that must not appear."""
    return await crew.write(state, Role.LEAK_REWRITER, table_leak_rewrite_request(state["record"], state["question"], state["leaks"]))


def table_leak_rewrite_request(instance: TableInstance, question: str, leaks: tuple[str, ...] = ()) -> TableLeakRewriteRequest:
    """What the leak rewriter sees."""
    avoid = dict.fromkeys((*leaks, *strings_to_avoid(instance)))
    return TableLeakRewriteRequest(question=question, sql=instance.sql, glossary=instance.glossary, avoid=tuple(avoid))
