"""Whether a question about tables gives one of its answers away: the matcher of a graph's leak filter, answer by answer.

A value that is given counts too: a question that must name its answer leaks however it is worded, and is discarded.
"""

from __future__ import annotations

from agents.crew import Crew
from agents.leak_filter import find_leaks, leak_result, names_to_avoid
from agents.tables.usable_question import required_values
from state.pipeline_state import NodeResult, TableState
from state.table_instance import TableInstance


async def table_leak_filter(state: TableState, crew: Crew) -> NodeResult:
    """The node: scans the question as it stands for every answer."""
    instance, question = state["record"], state["question"]
    names = required_values(instance)
    found = [leak for answer in instance.answers for leak in find_leaks(question, answer, (), names)]
    return leak_result(question, list(dict.fromkeys(found)))


def strings_to_avoid(instance: TableInstance) -> tuple[str, ...]:
    """What a question must not hold: each answer and, of a person, the surname."""
    return tuple(dict.fromkeys(name for answer in instance.answers for name in names_to_avoid(answer, ())))
