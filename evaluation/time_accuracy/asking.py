"""The cells of an evaluation, one after the other: what is finished is not asked again, and one budget holds for all."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from agents.answering import answering_backend
from agents.backends import Backend, Source
from agents.response_cache import ResponseCache
from agents.workflow import InstanceResult
from evaluation.time_accuracy.cells import Cell
from evaluation.time_accuracy.folder import EvaluationFolder
from runs.database import RunDatabase, UsageRow
from runs.engine import Agents, work_through
from runs.ledger import RunLedger
from runs.rare_collections import rare_collections
from runs.sampling import Note
from runs.terminal import Advance
from state.answer_roles import AnswerRequest, GoldAnswer, JudgeRequest, VerdictReply
from state.config import Config
from state.errors import ChronoQGError, RunFolderError
from state.roles import TextReply
from state.tdbench_evaluation import AskedQuestion
from state.trajectory import Visit
from state.vocabulary import Node, Outcome, Role, Status, Terminal
from tdbench.scoring.time_judge import reference_text

NODES: dict[Role, Node] = {Role.ANSWERER: Node.ANSWER, Role.JUDGE: Node.JUDGE}
"""The one node of each role's way."""


class Item(NamedTuple):
    """One question for one cell."""

    id: str
    """The question's id."""
    request: AnswerRequest | JudgeRequest
    """What is asked."""


class Replies(NamedTuple):
    """What a cell came to."""

    texts: Mapping[str, str]
    """Id -> reply, or the judge's two verdicts as JSON; none of a question without a usable reply."""
    failed: frozenset[str]
    """Ids without a usable reply after all tries."""
    usage: tuple[UsageRow, ...]
    """What was spent."""
    failure: str
    """Why the first of the failed ones failed; empty if none did."""


def answer_items(questions: Sequence[AskedQuestion]) -> list[Item]:
    """The questions as they are put to a model."""
    return [Item(question.id, question.request) for question in questions]


def judge_items(questions: Sequence[AskedQuestion], replies: Mapping[str, str]) -> list[Item]:
    """What a judge is shown of each question that has a reply; where there is none, there is nothing to judge."""
    return [
        Item(question.id, judge_request(question, replies[question.id])) for question in questions if replies.get(question.id, "").strip()
    ]


def judge_request(question: AskedQuestion, reply: str) -> JudgeRequest:
    """What a judge is shown of one reply."""
    scored = question.scored
    is_join = scored.relation == "join"
    shown = scored.model_copy(update={"time_checked": "both"}) if is_join else scored
    return JudgeRequest(
        question=scored.question,
        answers=tuple(GoldAnswer(name=row.name, aliases=row.aliases, dates=reference_text(row, shown)) for row in scored.gold),
        others=tuple(dict.fromkeys(row.name for row in scored.distractors)),
        demanded="none" if not scored.gold else "start or end" if is_join else scored.time_checked,
        reply=reply,
    )


def ask_cell(
    folder: EvaluationFolder,
    cell: Cell,
    items: Sequence[Item],
    config: Config,
    cache: ResponseCache | None,
    *,
    tell: Note,
    retry_failed: bool = False,
    advance: Advance | None = None,
) -> Replies:
    """Asks a cell every item that it has not finished.

    Raises:
        ChronoQGError: a server, a key or the budget stops the evaluation; what is finished is kept.
        KeyboardInterrupt: the user stopped it; what is finished is kept.
    """
    what = cell.name if cell.judged is None else f"judge of {cell.name}"
    with folder.database(cell) as database:
        finished = database.finished()
        taken = [item for item in items if item.id not in finished or (retry_failed and finished[item.id] is Status.FAILED)]
        if taken:
            tell(f"{what}: {len(taken)} of {len(items)} questions to ask")
            try:
                _ask(folder, cell, taken, len(items), config, database, cache, tell, what, advance)
            except (KeyboardInterrupt, ChronoQGError):
                tell(f"{len(database.finished())} questions of {what} are done; the same command goes on")
                raise
        wanted = {item.id for item in items}
        outcomes = [outcome for outcome in database.outcomes() if outcome.instance_id in wanted]
        texts = {outcome.instance_id: outcome.question for outcome in outcomes if outcome.status is Status.ACCEPTED}
        failed = {outcome.instance_id: outcome.detail for outcome in outcomes if outcome.status is Status.FAILED}
        return Replies(texts, frozenset(failed), tuple(database.usage()), failed[min(failed)] if failed else "")


def verdicts_of(replies: Replies) -> dict[str, VerdictReply]:
    """A judge's verdicts by question.

    Raises:
        RunFolderError: a stored verdict is none.
    """
    try:
        return {ident: VerdictReply.model_validate_json(text) for ident, text in replies.texts.items()}
    except ValueError as err:
        raise RunFolderError("a stored verdict cannot be read", remedy="Restore the directory.") from err


async def ask_item(item: Item, cell: Cell, backend: Backend) -> InstanceResult:
    """One question, retries included: one visit, and the text of the reply or of the two verdicts."""
    call = await backend.ask(cell.role, item.request, retries=cell.retries, instance_id=item.id)
    node, reply = NODES[cell.role], call.reply
    text = reply.text if isinstance(reply, TextReply) else "" if reply is None else reply.model_dump_json()
    result: dict[str, Any] = {} if reply is None else reply.model_dump(mode="json")
    detail = ""
    if reply is None:
        last = call.tries[-1]
        detail = f"{cell.role.value}: {last.error.value if last.error else 'no reply'}: {last.error_detail}"
        result = {"error": detail}
    visit = Visit.model_construct(
        instance_id=item.id,
        seq=0,
        node=node,
        role=cell.role,
        mode=None,
        outcome=Outcome.NO_USABLE_REPLY if reply is None else Outcome.WRITTEN,
        to=(Terminal.AGENT_ERROR if reply is None else Terminal.REPLIED).value,
        prompt=call.prompt,
        result=result,
        tries=call.tries,
    )
    status = Status.FAILED if reply is None else Status.ACCEPTED
    return InstanceResult(status, None if reply is None else text, None, detail, node, (visit,))


def cell_backend(cell: Cell, source: Source) -> Backend:
    """The backend of a cell over a source of replies."""
    return answering_backend(cell.role, cell.model_key, cell.model, source, cell.prompt)


def _ask(
    folder: EvaluationFolder,
    cell: Cell,
    taken: Sequence[Item],
    total: int,
    config: Config,
    database: RunDatabase,
    cache: ResponseCache | None,
    tell: Note,
    what: str,
    advance: Advance | None,
) -> None:
    # Imported here: the libraries for a server take a second to load, and scoring replies from files needs none.
    from agents.model_client import ModelClient
    from agents.model_source import ModelSource

    spent, _ = folder.spent(but=cell.folder)
    models = {cell.model_key: cell.model}
    ledger = RunLedger(database, models, config.run.budget_usd, tell=tell, spent_elsewhere=spent)
    source = ModelSource(ModelClient(cell.model_key, cell.model, os.environ, ledger=ledger, tell=tell), cache, database)
    backend = cell_backend(cell, source)

    async def one(item: Any) -> InstanceResult:
        return await ask_item(item, cell, backend)

    def advance_cell(_: str, done: int, of: int) -> None:
        if advance is not None:
            advance(what, done, of)

    pending: Iterator[Any] = iter(taken)
    with rare_collections():
        asyncio.run(work_through(pending, Agents(one, source.aclose), config.run.concurrency, database, (len(taken), total), advance_cell))
