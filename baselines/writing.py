"""One instance through a method: every stage a visit, and the cleaned-up question at the end."""

from __future__ import annotations

from agents.backends import Backend, RoleCall
from agents.workflow import InstanceResult
from baselines.method import PLAIN, Decoding, NoReply, Reference, Write
from baselines.post_processing import post_process
from baselines.task import Task, task_of
from state.instance import BenchmarkRecord
from state.roles import GenerateRequest, TextReply
from state.trajectory import Visit
from state.vocabulary import Node, Outcome, Role, Status, Terminal


class Desk:
    """Asks a method's stages for one instance, and keeps what came of them."""

    def __init__(self, record_id: str, backend: Backend, retries: int) -> None:
        self._id = record_id
        self._backend = backend
        self._retries = retries
        self.visits: list[Visit] = []
        """A visit for each stage asked so far; each leads to the next."""

    async def ask(self, stage: str, system: str, user: str, decoding: Decoding = PLAIN) -> str:
        """As `baselines.method.Ask`."""
        request = GenerateRequest(
            system=system,
            user=user,
            params={"temperature": decoding.temperature, "top_p": decoding.top_p},
            max_tokens=decoding.max_tokens,
        )
        call = await self._backend.ask(
            Role.GENERATOR, request, mode=stage, earlier=self.visits, retries=self._retries, instance_id=self._id
        )
        if isinstance(call.reply, TextReply):
            self._write(stage, Outcome.WRITTEN, {"text": call.reply.text}, call, Node.GENERATE.value)
            return call.reply.text
        last = call.tries[-1]
        detail = f"{stage}: {last.error.value if last.error else 'no reply'}: {last.error_detail}"
        self._write(stage, Outcome.NO_USABLE_REPLY, {"error": detail}, call, Terminal.AGENT_ERROR.value)
        raise NoReply(detail)

    def ended(self, question: str) -> tuple[Visit, ...]:
        """The visits, the last of which leads to the written question."""
        if not self.visits:
            return ()
        last = self.visits[-1]
        end = last.model_copy(update={"to": Terminal.WRITTEN.value, "result": {**last.result, "question": question}})
        return (*self.visits[:-1], end)

    def _write(self, stage: str, outcome: Outcome, result: dict[str, str], call: RoleCall, to: str) -> None:
        self.visits.append(
            Visit.model_construct(
                instance_id=self._id,
                seq=len(self.visits),
                node=Node.GENERATE,
                role=Role.GENERATOR,
                mode=stage,
                outcome=outcome,
                to=to,
                prompt=call.prompt,
                result=dict(result),
                tries=call.tries,
            )
        )


async def write_question(record: BenchmarkRecord, write: Write, backend: Backend, *, shows_path: bool, retries: int) -> InstanceResult:
    """One record through a prepared method; raises only for an error in the program or a stop of the run."""
    desk = Desk(record.id, backend, retries)
    task: Task = task_of(record, shows_path=shows_path)
    try:
        reply = await write(task, desk.ask)
    except NoReply as error:
        return InstanceResult(Status.FAILED, None, None, str(error), Node.GENERATE, tuple(desk.visits))
    question = post_process(reply)
    return InstanceResult(Status.ACCEPTED, question, None, "", Node.GENERATE, desk.ended(question))


def write_reference(record: BenchmarkRecord, reference: Reference) -> InstanceResult:
    """One record through a free row, which asks nobody and leaves one visit."""
    question = reference.write(record)
    visit = Visit.model_construct(
        instance_id=record.id,
        seq=0,
        node=Node.GENERATE,
        role=Role.GENERATOR,
        mode=reference.key,
        outcome=Outcome.WRITTEN,
        to=Terminal.WRITTEN.value,
        prompt=None,
        result={"question": question},
        tries=(),
    )
    return InstanceResult(Status.ACCEPTED, question, None, "", Node.GENERATE, (visit,))
