"""The transition table as a LangGraph graph, and one instance's way through it.

LangGraph drives; the table decides. A node function computes an outcome, the table names what
follows, and the router only hands that on, so it cannot raise and cannot name a node that is not
there. An instance is accepted only if its last node led to `accepted` *and* the state holds proof that
verifier and leak filter passed the very text that stands; a way cut short is never a success.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Hashable, Mapping
from typing import Any, NamedTuple, cast

from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, StateGraph
from langgraph.graph.state import CompiledStateGraph

from agents.crew import Crew
from agents.error_analyst import analyse
from agents.leak_filter import leak_filter
from agents.leak_rewriter import leak_rewrite
from agents.reviser import revise
from agents.rewriter import rewrite
from agents.tracing import drop_raising_variables, untraced
from agents.transitions import START, Table, Target, nodes_of
from agents.verifier import appeal, verify
from state.instance import Backend as BackendNames
from state.instance import BenchmarkRecord
from state.pipeline_state import NodeResult, PipelineState, initial_state
from state.trajectory import Visit
from state.vocabulary import DiscardReason, Node, Outcome, Role, Status, Terminal

Watch = Callable[[Visit], None]
"""Is shown each visit as it is written; what it raises ends the instance."""

NodeFunction = Callable[[PipelineState, Crew], Coroutine[Any, Any, NodeResult]]


async def _leak_check(state: PipelineState, crew: Crew) -> NodeResult:
    return leak_filter(state)


NODE_FUNCTIONS: Mapping[Node, NodeFunction] = {
    Node.REWRITE: rewrite,
    Node.VERIFY: verify,
    Node.ANALYSE: analyse,
    Node.APPEAL: appeal,
    Node.REVISE: revise,
    Node.VERIFY_REPAIR: verify,
    Node.LEAK_CHECK: _leak_check,
    Node.LEAK_REWRITE: leak_rewrite,
    Node.VERIFY_LEAK_REWRITE: verify,
    Node.SECOND_LEAK_CHECK: _leak_check,
}

_ENDS: Mapping[Terminal, tuple[Status, DiscardReason | None]] = {
    Terminal.ACCEPTED: (Status.ACCEPTED, None),
    Terminal.FAILED_VERIFICATION: (Status.DISCARDED, DiscardReason.FAILED_VERIFICATION),
    Terminal.ANSWER_LEAK: (Status.DISCARDED, DiscardReason.ANSWER_LEAK),
    Terminal.AGENT_ERROR: (Status.FAILED, None),
}


class InstanceResult(NamedTuple):
    """What became of one instance."""

    status: Status
    final_question: str | None
    """The accepted question; `None` unless accepted."""
    reason: DiscardReason | None
    """Why it was discarded; `None` otherwise."""
    detail: str
    """The last question and what spoke against it, or the last error; empty if accepted."""
    last_node: Node
    """The node that decided."""
    visits: tuple[Visit, ...]
    """The trajectory."""


class Workflow:
    """A crew and a transition table, compiled into one graph that any number of instances share."""

    def __init__(self, crew: Crew, table: Table, watch: Watch | None = None) -> None:
        drop_raising_variables()
        self.crew = crew
        self.table = dict(table)
        self.graph = _compile(crew, self.table, watch)
        # A way visits no node twice (see `_node`), so this backstop is never reached.
        self.recursion_limit = len(nodes_of(self.table)) + 8

    async def aclose(self) -> None:
        """Closes the sources' connections."""
        for source in {id(backend.source): backend.source for backend in self.crew.backends.values()}.values():
            await source.aclose()

    def backend_names(self) -> BackendNames:
        """Which models make this workflow's records."""
        backends = self.crew.backends
        return BackendNames(rewriter=backends[Role.REWRITER].label, verifier=backends[Role.VERIFIER].label)


async def run_instance(record: BenchmarkRecord, workflow: Workflow) -> InstanceResult:
    """Takes one instance through the state machine; raises only for an error in the program."""
    config: RunnableConfig = {"recursion_limit": workflow.recursion_limit}
    start = initial_state(record, START)
    await asyncio.sleep(0)  # lets a stop signal through where no source ever waits
    with untraced():
        end = workflow.graph.invoke(start, config) if workflow.crew.is_immediate else await workflow.graph.ainvoke(start, config)
    return conclude(cast(PipelineState, end))


def conclude(end: PipelineState) -> InstanceResult:
    """The result of a way that has ended; accepted only with proof."""
    to, visits = end["to"], end["visits"]
    last_node = visits[-1].node if visits else START
    if not isinstance(to, Terminal):
        return InstanceResult(Status.FAILED, None, None, f"the way ended before {to.value}", last_node, visits)
    if to is Terminal.ACCEPTED and not is_proven(end):
        detail = "accepted without proof that verifier and leak filter passed this very text"
        return InstanceResult(Status.FAILED, None, None, detail, last_node, visits)
    status, reason = _ENDS[to]
    if status is Status.ACCEPTED:
        return InstanceResult(status, end["question"], None, "", last_node, visits)
    return InstanceResult(status, None, reason, end["detail"], last_node, visits)


def is_proven(state: PipelineState) -> bool:
    """Whether the verifier agreed with, and the leak filter cleared, the very text that stands."""
    return bool(state["question"]) and state["question"] == state["verified"] == state["cleared"]


def _compile(crew: Crew, table: Table, watch: Watch | None) -> CompiledStateGraph[PipelineState, None, PipelineState, PipelineState]:
    graph = StateGraph(PipelineState)
    nodes = nodes_of(table)
    path_map: dict[Hashable, str] = {**{node: node.value for node in nodes}, **dict.fromkeys(Terminal, END)}
    for node in nodes:
        graph.add_node(node.value, _node(node, NODE_FUNCTIONS[node], crew, table, watch))  # type: ignore[call-overload]
        graph.add_conditional_edges(node.value, _route, path_map)
    graph.set_entry_point(START.value)
    return graph.compile()


def _route(state: PipelineState) -> Target:
    return state["to"]


def _node(node: Node, function: NodeFunction, crew: Crew, table: Table, watch: Watch | None) -> Callable[[PipelineState], Any]:
    """The graph's node: runs a role, looks up what follows and writes the visits.

    LangGraph's synchronous way costs two thirds of the asynchronous one, so a crew whose sources never
    wait takes it: their coroutines end at the first step.
    """

    async def visit(state: PipelineState) -> dict[str, Any]:
        result = await function(state, crew)
        update = dict(result.update)
        to = table.get((node, result.outcome), Terminal.AGENT_ERROR)
        been = {node} | {earlier.node for earlier in state["visits"]}
        if to in been or (to is Terminal.AGENT_ERROR and result.outcome is not Outcome.NO_USABLE_REPLY):
            to = Terminal.AGENT_ERROR
            update["detail"] = f"the transition table leads from {node.value} ({result.outcome.value}) nowhere new"
        visits = state["visits"]
        for index, work in enumerate(result.work):
            is_last = index == len(result.work) - 1
            visits += (
                Visit.model_construct(
                    instance_id=state["record"].id,
                    seq=len(visits),
                    node=node,
                    role=work.role,
                    mode=work.mode,
                    outcome=work.outcome,
                    to=to.value if is_last else node.value,
                    prompt=work.prompt,
                    result=dict(work.result),
                    tries=work.tries,
                ),
            )
        if watch is not None:
            for written in visits[len(state["visits"]) :]:
                watch(written)
        update["visits"] = visits
        update["to"] = to
        return update

    return (lambda state: _finish_at_once(visit(state))) if crew.is_immediate else visit


def _finish_at_once(work: Coroutine[Any, Any, dict[str, Any]]) -> dict[str, Any]:
    try:
        work.send(None)
    except StopIteration as end:
        update: dict[str, Any] = end.value
        return update
    work.close()
    raise RuntimeError("a source that calls itself immediate waited for something")
