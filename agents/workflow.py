"""The transition table as a LangGraph graph, and one instance's way through it.

LangGraph drives; the table decides. A node function computes an outcome, the table names what
follows, and the node hands that on as its command, which can name no node that is not there. An
instance is accepted only if its last node led to `accepted` *and* the state holds proof that verifier
and leak filter passed the very text that stands; a way cut short is never a success.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, NamedTuple, TypedDict

from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command

from agents.crew import Crew
from agents.tracing import drop_raising_variables, untraced
from agents.transitions import Table, Target, entry_of, nodes_of
from state.any_instance import Instance
from state.instance import Backend as BackendNames
from state.pipeline_state import PipelineState, initial_state
from state.trajectory import Visit
from state.vocabulary import DiscardReason, Node, Outcome, Role, Status, Terminal

Watch = Callable[[Visit], None]
"""Is shown each visit as it is written; what it raises ends the instance."""

_ENDS: Mapping[Terminal, tuple[Status, DiscardReason | None]] = {
    Terminal.ACCEPTED: (Status.ACCEPTED, None),
    Terminal.VERIFIED: (Status.ACCEPTED, None),
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


class Before(NamedTuple):
    """Who works, and which table decides, until a way comes to a node for the first time: the recorded part of a fork."""

    node: Node
    """From its first visit on, the workflow's own crew and table hold."""
    crew: Callable[[Instance], Crew]
    """The crew of an instance; its sources must be immediate ones."""
    table: Table


class _Way(TypedDict):
    """LangGraph's state: all of ours in one channel, since every channel costs time at every node."""

    state: PipelineState[Any]


_Graph = CompiledStateGraph[_Way, None, _Way, _Way]
_Command = Command[str]


class Workflow:
    """A crew and a transition table, compiled into one graph that any number of instances share."""

    def __init__(self, crew: Crew, table: Table, watch: Watch | None = None, before: Before | None = None) -> None:
        drop_raising_variables()
        self.crew = crew
        self.table = dict(table)
        self.entry = entry_of(table)
        self.before = before
        self._watch = watch
        self.graph = self._compile()
        # A way visits no node twice (see `_visit`), so this backstop is never reached.
        self.recursion_limit = len(self._nodes()) + 8

    async def aclose(self) -> None:
        """Closes the sources' connections."""
        for source in {id(backend.source): backend.source for backend in self.crew.backends.values()}.values():
            await source.aclose()

    def backend_names(self) -> BackendNames:
        """Which models make this workflow's records."""
        backends = self.crew.backends
        return BackendNames(rewriter=backends[Role.REWRITER].label, verifier=backends[Role.VERIFIER].label)

    def _tables(self) -> tuple[Table, ...]:
        return (self.table,) if self.before is None else (self.before.table, self.table)

    def _nodes(self) -> list[Node]:
        used = {node for table in self._tables() for node in nodes_of(table)}
        return [node for node in Node if node in used]

    def _compile(self) -> _Graph:
        graph = StateGraph(_Way)
        for node in self._nodes():
            function = self._at_once(node) if self.crew.is_immediate else self._in_time(node)
            following = {_place(to): None for table in self._tables() for (start, _), to in table.items() if start is node}
            graph.add_node(node.value, function, destinations=tuple(following))  # type: ignore[call-overload]
        graph.set_entry_point(self.entry.value)
        return graph.compile()

    def _in_time(self, node: Node) -> Callable[[_Way], Coroutine[Any, Any, _Command]]:
        async def visit(way: _Way) -> _Command:
            return await self._visit(node, way["state"])

        return visit

    def _at_once(self, node: Node) -> Callable[[_Way], _Command]:
        """The node for a crew whose sources never wait.

        LangGraph's synchronous way costs two thirds of the asynchronous one, and the coroutines end at the first step.
        """
        return lambda way: _finish_at_once(self._visit(node, way["state"]))

    def _in_charge(self, been: set[Node], record: Instance) -> tuple[Crew, Table]:
        if self.before is None or self.before.node in been:
            return self.crew, self.table
        return self.before.crew(record), self.before.table

    async def _visit(self, node: Node, state: PipelineState[Any]) -> _Command:
        """Runs a role, looks up what follows and writes the visits."""
        been = {node} | {earlier.node for earlier in state["visits"]}
        crew, table = self._in_charge(been, state["record"])
        result = await crew.kind.nodes[node](state, crew)
        if crew.kind.tell is not None and table.get((node, result.outcome)) is Node.ANALYSE:  # only the analyst is told
            result = await crew.kind.tell(state, crew, result)
        update = dict(result.update)
        to = table.get((node, result.outcome), Terminal.AGENT_ERROR)
        if to in been or (to is Terminal.AGENT_ERROR and result.outcome is not Outcome.NO_USABLE_REPLY):
            to = Terminal.AGENT_ERROR
            update["detail"] = f"the transition table leads from {node.value} ({result.outcome.value}) nowhere new"
        visits = state["visits"]
        for index, work in enumerate(result.work):
            is_last = index == len(result.work) - 1
            written = Visit.model_construct(
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
            )
            visits += (written,)
            if self._watch is not None:
                self._watch(written)
        after: Any = {**state, **update, "visits": visits, "to": to}
        return Command(goto=_place(to), update={"state": after})


async def run_instance(record: Instance, workflow: Workflow) -> InstanceResult:
    """Takes one instance through the state machine; raises only for an error in the program."""
    config: RunnableConfig = {"recursion_limit": workflow.recursion_limit}
    begin: PipelineState[Any] = initial_state(record, workflow.entry)
    if workflow.entry is not Node.REWRITE:  # nobody writes: the instance's own question is the one to verify
        begin["question"] = workflow.crew.kind.given_question(record)
    start = _Way(state=begin)
    await asyncio.sleep(0)  # lets a stop signal through where no source ever waits
    with untraced():
        end = workflow.graph.invoke(start, config) if workflow.crew.is_immediate else await workflow.graph.ainvoke(start, config)
    return conclude(end["state"])


def conclude(end: PipelineState[Any]) -> InstanceResult:
    """The result of a way that has ended; accepted only with proof."""
    to, visits = end["to"], end["visits"]
    last_node = visits[-1].node if visits else Node.REWRITE
    if not isinstance(to, Terminal):
        return InstanceResult(Status.FAILED, None, None, f"the way ended before {to.value}", last_node, visits)
    is_verified = bool(end["question"]) and end["verified"] == end["question"]
    if (to is Terminal.ACCEPTED and not is_proven(end)) or (to is Terminal.VERIFIED and not is_verified):
        detail = "accepted without proof that verifier and leak filter passed this very text"
        return InstanceResult(Status.FAILED, None, None, detail, last_node, visits)
    status, reason = _ENDS[to]
    if status is Status.ACCEPTED:
        return InstanceResult(status, end["question"], None, "", last_node, visits)
    return InstanceResult(status, None, reason, end["detail"], last_node, visits)


def is_proven(state: PipelineState[Any]) -> bool:
    """Whether the verifier agreed with, and the leak filter cleared, the very text that stands."""
    return bool(state["question"]) and state["question"] == state["verified"] == state["cleared"]


def _place(to: Target) -> str:
    return to.value if isinstance(to, Node) else END


def _finish_at_once(work: Coroutine[Any, Any, _Command]) -> _Command:
    try:
        work.send(None)
    except StopIteration as end:
        command: _Command = end.value
        return command
    work.close()
    raise RuntimeError("a source that calls itself immediate waited for something")
