"""Failure types by a model: the round-trip reader says what each written question states, once and kept. Paper: Figure 7.

The readings of a row stand in a fork of their own beside the row's, with requests and replies, under the same
cache, ledger and budget.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

from agents.backends import Backend
from agents.response_cache import ResponseCache
from agents.round_trip import judge_reading, read_request
from agents.setup import build_crew
from agents.workflow import InstanceResult
from evaluation.generators.asking import spent_elsewhere
from evaluation.generators.cells import nobody_but
from evaluation.generators.failures import Reader, reader_of, records_read
from evaluation.generators.rows import Row, RowKey
from evaluation.study.folder import StudyFolder
from runs.building import prompt_files
from runs.config_file import LoadedConfig
from runs.config_identity import identity
from runs.engine import Agents, work_through
from runs.fork_folder import ForkFolder
from runs.forks import sha256_of
from runs.ledger import RunLedger
from runs.run_models import find_modes
from runs.sampling import Note
from runs.terminal import Advance
from state.config import Config, ModelConfig, RoleConfig
from state.errors import ConfigError, did_you_mean
from state.instance import BenchmarkRecord
from state.roles import ReadingReply
from state.trajectory import Visit
from state.vocabulary import Node, Outcome, Role, Status, Terminal

_CANNOT_TELL = ReadingReply(constraints=(), cannot_tell=True)
_NOT_IN_A_FOLDER = re.compile(r"[^A-Za-z0-9_.]+")
_MOST_OF_A_NAME = 70


def reader_config(loaded: LoadedConfig) -> Config | None:
    """The setup of the reader that `evaluate.reader` names; `None` where it is the rules or nobody.

    Raises:
        ConfigError: it names no model that can be asked.
    """
    config, name = loaded.config, loaded.config.evaluate.reader
    if name in ("offline", "none"):
        return None
    where = loaded.where(("evaluate", "reader"))
    if name not in config.models:
        raise ConfigError(f"no model {name!r} in models", where=where, remedy=did_you_mean(name, [*config.models, "offline", "none"]))
    if config.models[name].provider != "openai":
        raise ConfigError(f"{name!r} is the offline rules", where=where, remedy="Call them offline.")
    prompt = "v1" if config.agents.round_trip_reader is None else config.agents.round_trip_reader.prompt
    agents, models = nobody_but(config, {name: config.models[name]}, round_trip_reader=RoleConfig(model=name, prompt=prompt))
    return config.model_copy(update={"agents": agents, "models": models})


def model_reader(
    study: StudyFolder,
    config: Config,
    rows: Sequence[Row],
    records: Mapping[str, BenchmarkRecord],
    cache: ResponseCache | None,
    tell: Note,
    advance: Advance | None = None,
    *,
    retry_failed: bool = False,
) -> Reader:
    """The reader after it has read all rows' questions that are not read yet.

    Args:
        study: the evaluation's directory.
        config: of `reader_config`.
        rows: all rows.
        records: id -> record.
        cache: replies that were paid for.
        tell: is shown what is done.
        advance: is told how far the work has come.
        retry_failed: read again what got no usable reply.

    Raises:
        ChronoQGError: a server, a key or the budget stops the reading; what is read is kept.
        KeyboardInterrupt: the user stopped it; what is read is kept.
    """
    chosen = records_read(rows, seed=config.evaluate.seed)
    readings: dict[tuple[RowKey, str], ReadingReply] = {}
    model = next(iter(config.models.values()))
    label = f"{model.model}, prompt {config.agents.round_trip_reader.prompt if config.agents.round_trip_reader else 'v1'}"
    for row in rows:
        if row.wrote_references:
            continue
        wanted = [ident for ident in sorted(chosen[row.dataset]) if row.predictions[ident].strip()]
        found = _read_row(study, config, row, {ident: records[ident] for ident in wanted}, cache, tell, advance, retry_failed)
        readings |= {(row.key, ident): found.get(ident, _CANNOT_TELL) for ident in chosen[row.dataset]}
    return reader_of(label, readings)


def _read_row(
    study: StudyFolder,
    config: Config,
    row: Row,
    records: Mapping[str, BenchmarkRecord],
    cache: ResponseCache | None,
    tell: Note,
    advance: Advance | None,
    retry_failed: bool,
) -> dict[str, ReadingReply]:
    with ForkFolder(study.reader, _name(row, config, records), Node.VERIFY, config) as folder:
        finished = folder.database.finished()
        left = [record for ident, record in records.items() if finished.get(ident) in (None, *([Status.FAILED] if retry_failed else []))]
        if left:
            tell(f"reading {row.label}{f', {row.model}' if row.model else ''}, {row.dataset}: {len(left)} questions")
            _ask(study, config, folder, row, left, cache, tell, advance)
        found = {}
        for ident in records:
            visits = folder.database.trajectory(ident).visits
            if visits and visits[-1].outcome is Outcome.WRITTEN:
                found[ident] = ReadingReply.model_validate(visits[-1].result["reading"])
        return found


def _ask(
    study: StudyFolder,
    config: Config,
    folder: ForkFolder,
    row: Row,
    left: Sequence[BenchmarkRecord],
    cache: ResponseCache | None,
    tell: Note,
    advance: Advance | None,
) -> None:
    # Imported here: the libraries for a server take a second to load.
    from agents.model_client import ModelClient
    from agents.model_source import ModelSource

    database, retries = folder.database, config.agents.retries
    elsewhere = spent_elsewhere(study, folder.reader.note.name)
    ledger = RunLedger(database, config.models, config.run.budget_usd, tell=tell, spent_elsewhere=elsewhere)
    found = asyncio.run(find_modes(config, database, ledger, tell))

    def live(name: str, model: ModelConfig) -> Any:
        if model.provider != "openai":
            return _Nobody()
        return ModelSource(ModelClient(name, model, os.environ, ledger=ledger, tell=tell), cache, database)

    backend = build_crew(found, live).backends[Role.ROUND_TRIP_READER]

    async def one(record: BenchmarkRecord) -> InstanceResult:
        return await _read(record, row.predictions[record.id], backend, retries)

    def advance_row(what: str, done: int, total: int) -> None:
        if advance is not None:
            advance("questions read", done, total)

    agents = Agents(one, backend.source.aclose)
    asyncio.run(work_through(iter(left), agents, config.run.concurrency, database, (len(left), len(left)), advance_row))


async def _read(record: BenchmarkRecord, question: str, backend: Backend, retries: int) -> InstanceResult:
    request = read_request(record, question)
    call = await backend.ask(Role.ROUND_TRIP_READER, request, mode="roundtrip", retries=retries, instance_id=record.id)
    if isinstance(call.reply, ReadingReply):
        outcome, to = Outcome.WRITTEN, Terminal.WRITTEN
        result = {
            "question": question,
            "reading": call.reply.model_dump(mode="json"),
            **judge_reading(call.reply, record).result(call.reply),
        }
        end = InstanceResult(Status.ACCEPTED, question, None, "", Node.VERIFY, ())
    else:
        outcome, to, result = Outcome.NO_USABLE_REPLY, Terminal.AGENT_ERROR, {"question": question, "error": "no usable reply"}
        end = InstanceResult(Status.FAILED, None, None, "no usable reply", Node.VERIFY, ())
    visit = Visit.model_construct(
        instance_id=record.id,
        seq=0,
        node=Node.VERIFY,
        role=Role.ROUND_TRIP_READER,
        mode="roundtrip",
        outcome=outcome,
        to=to.value,
        prompt=call.prompt,
        result=result,
        tries=call.tries,
    )
    return end._replace(visits=(visit,))


def _name(row: Row, config: Config, records: Mapping[str, BenchmarkRecord]) -> str:
    """The fork of a row's readings: another reader, prompt or question makes another."""
    whole = identity(config)
    data = {
        "models": whole["models"],
        "agents": whole["agents"],
        "prompts": sha256_of(prompt_files(config)),
        "questions": [(ident, row.predictions[ident]) for ident in records],
    }
    digest = hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:8]
    name = _NOT_IN_A_FOLDER.sub("-", f"reading-{row.method}-{row.model or ''}-{row.dataset}").strip("-._")[:_MOST_OF_A_NAME]
    return f"{name}-{digest}"


class _Nobody:
    """The source of the roles that are not asked."""

    immediate = True

    async def fetch(self, *_: object) -> Any:
        raise AssertionError("no role but the reader is asked")

    async def aclose(self) -> None:
        """Nothing."""
