"""Who plays which role: the backends and settings that the node functions are given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from agents.backends import Backend, RoleCall
from agents.instance_kind import InstanceKind
from state.pipeline_state import NodeResult, PipelineState, Work
from state.roles import QuestionReply, RoleReply, RoleRequest
from state.vocabulary import Outcome, Role

Mode = Literal["all", "single", "roundtrip"]


@dataclass(frozen=True)
class Crew:
    """The roles of one setup."""

    backends: Mapping[Role, Backend]
    kind: InstanceKind
    modes: tuple[Mode, ...] = ("all",)
    retries: int = 2
    require_names: bool = True
    phrasings: int = 1
    """How many phrasings of one query about tables there are to be."""

    @property
    def is_immediate(self) -> bool:
        """Whether no source ever waits, so that an instance can be run without an event loop's help."""
        return all(backend.source.immediate for backend in self.backends.values())

    async def ask(self, state: PipelineState[Any], role: Role, request: RoleRequest, mode: Mode | None = None) -> RoleCall:
        """Asks a role that names answers, constraints or a cause."""
        ident = state["record"].id
        return await self.backends[role].ask(role, request, mode=mode, earlier=state["visits"], retries=self.retries, instance_id=ident)

    async def write(self, state: PipelineState[Any], role: Role, request: RoleRequest) -> NodeResult:
        """Asks a role that writes a question, and passes the question through the gate."""
        record = state["record"]

        def check(reply: RoleReply) -> str | None:
            question = reply.question if isinstance(reply, QuestionReply) else ""
            return self.kind.gate(question, record, self.require_names)

        call = await self.backends[role].ask(
            role, request, check=check, earlier=state["visits"], retries=self.retries, instance_id=record.id
        )
        if not isinstance(call.reply, QuestionReply):
            return no_usable_reply(role, call)
        question = call.reply.question
        work = Work(role, Outcome.WRITTEN, {"question": question}, None, call.prompt, call.tries)
        return NodeResult(Outcome.WRITTEN, {"question": question}, (work,))


def no_usable_reply(role: Role, call: RoleCall, mode: Mode | None = None, before: tuple[Work, ...] = ()) -> NodeResult:
    """A role that gave nothing usable in all its tries."""
    last = call.tries[-1]
    detail = f"{role.value}: {last.error.value if last.error else 'no reply'}: {last.error_detail}"
    work = Work(role, Outcome.NO_USABLE_REPLY, {"error": detail}, mode, call.prompt, call.tries)
    return NodeResult(Outcome.NO_USABLE_REPLY, {"detail": detail}, (*before, work))
