"""One instance through a method: every stage a visit, and the cleaned-up question at the end."""

from __future__ import annotations

import traceback
from pathlib import Path

from agents.backends import Backend, RoleCall
from agents.replies import without_surrogates
from agents.workflow import InstanceResult
from baselines.method import PLAIN, Decoding, NoReply, Reference, Write
from baselines.post_processing import post_process
from baselines.task import Task, task_of
from state.errors import ChronoQGError
from state.instance import BenchmarkRecord
from state.roles import GenerateRequest, TextReply
from state.trajectory import Visit
from state.vocabulary import Node, Outcome, Role, Status, Terminal

BROKE = "the method broke"
"""How the detail of an instance begins whose method raised an error."""


class AskedTooOften(Exception):
    """A method asks more often than its `calls` says."""


class Desk:
    """Asks a method's stages for one instance, and keeps what came of them."""

    def __init__(self, record_id: str, backend: Backend, retries: int, most_calls: int | None = None) -> None:
        self._id = record_id
        self._backend = backend
        self._retries = retries
        self._most = most_calls
        self._asked = 0
        self.visits: list[Visit] = []
        """A visit for each stage asked so far; each leads to the next."""

    async def ask(self, stage: str, system: str, user: str, decoding: Decoding = PLAIN) -> str:
        """As `baselines.method.Ask`.

        Raises:
            AskedTooOften: the method said that it would ask less often.
        """
        self._asked += 1
        if self._most is not None and self._asked > self._most:
            raise AskedTooOften
        request = GenerateRequest(
            system=without_surrogates(system),
            user=without_surrogates(user),
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

    def cut_short(self) -> tuple[Visit, ...]:
        """The visits of a method that did not end, the last of which leads to its failure."""
        return (*self.visits[:-1], *(last.model_copy(update={"to": Terminal.AGENT_ERROR.value}) for last in self.visits[-1:]))

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


async def write_question(
    record: BenchmarkRecord, write: Write, backend: Backend, *, shows_path: bool, retries: int, most_calls: int | None = None
) -> InstanceResult:
    """One record through a prepared method; a method that breaks fails the instance, and keeps what it has asked.

    Args:
        record: the record.
        write: the prepared method.
        backend: who is asked.
        shows_path: whether the method may show the reasoning path.
        retries: further tries of each stage.
        most_calls: the most calls that the method says it makes, retries aside; one more fails the instance.

    Raises:
        ChronoQGError: the run cannot go on.
    """
    desk = Desk(record.id, backend, retries, most_calls)
    task: Task = task_of(record, shows_path=shows_path)
    try:
        question = post_process(without_surrogates(await write(task, desk.ask)))
    except NoReply as error:
        return InstanceResult(Status.FAILED, None, None, str(error), Node.GENERATE, tuple(desk.visits))
    except ChronoQGError:
        raise
    except AskedTooOften:
        detail = f"{BROKE}: it asks more than the {most_calls} calls that its METHOD names"
        return InstanceResult(Status.FAILED, None, None, detail, Node.GENERATE, desk.cut_short())
    except Exception as error:
        return InstanceResult(Status.FAILED, None, None, f"{BROKE}: {_place(error, write)}", Node.GENERATE, desk.cut_short())
    return InstanceResult(Status.ACCEPTED, question, None, "", Node.GENERATE, desk.ended(question))


def _place(error: Exception, write: Write) -> str:
    """Kind and place of an error, in the method's file if it was there; no message, which may quote a request with its key."""
    frames = traceback.extract_tb(error.__traceback__)
    file = getattr(getattr(write, "__code__", None), "co_filename", None)
    place = next((frame for frame in reversed(frames) if frame.filename == file), frames[-1])
    return f"{type(error).__name__} in {Path(place.filename).name}:{place.lineno}"


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
