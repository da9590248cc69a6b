"""One instance as a person wants to read it: question, trace, facts and history."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from runs.database import InstanceOutcome
from runs.forks import ForkReader, fork_names
from runs.run_folder import RunReader
from runs.study_items import describe_item, describe_reading, find_item
from state.any_instance import Instance
from state.fact import TemporalFact
from state.instance import BenchmarkRecord
from state.table_instance import ShownRow, ShownTable, TableInstance
from state.trajectory import Trajectory, Try, Visit
from state.vocabulary import Status


def describe_instance(reader: RunReader, instance_id: str) -> list[str]:
    """Lines that tell an instance's facts, trace and history; labels in them are as stored.

    Raises:
        RunFolderError: there is no such instance, or the directory is damaged.
    """
    record = reader.instance(instance_id)
    item = find_item(reader.path, record.id)
    lines = [*_about(record), *([] if item is None else describe_item(item))]
    if not reader.has_agents:
        cells = [] if isinstance(reader, ForkReader) else fork_names(reader.path)
        if item is not None and cells:
            return [*lines, "", "History", "  each cell of the study has its own:", *(f"  {reader.path}@{cell}" for cell in cells)]
        return [*lines, "", "History", "  no agent has worked on it: this is a sample"]
    with reader.database() as database:
        outcome, duplicate_of = database.outcome(record.id), database.duplicate_of(record.id)
        trajectory = database.trajectory(record.id)
    if item is not None and outcome is not None:
        lines.append(describe_reading(item, outcome.status))
    return [*lines, *_outcome(outcome, duplicate_of), *describe_history(trajectory)]


def instance_json(reader: RunReader, instance_id: str) -> bytes:
    """The same as one JSON object: `record`, `outcome`, `duplicate_of`, `trajectory`."""
    record = reader.instance(instance_id)
    data: dict[str, Any] = {"record": record.model_dump(mode="json"), "outcome": None, "duplicate_of": None, "trajectory": None}
    if reader.has_agents:
        with reader.database() as database:
            outcome = database.outcome(record.id)
            data["outcome"] = None if outcome is None else outcome.model_dump(mode="json")
            data["duplicate_of"] = database.duplicate_of(record.id)
            data["trajectory"] = database.trajectory(record.id).model_dump(mode="json", by_alias=True)
    return orjson.dumps(data, option=orjson.OPT_INDENT_2) + b"\n"


def describe_history(trajectory: Trajectory) -> list[str]:
    """The node visits of a trajectory, one paragraph each."""
    lines = ["", "History"]
    for visit in trajectory.visits:
        lines += _visit(visit)
    return lines if trajectory.visits else [*lines, "  no node was visited"]


def _about(record: Instance) -> list[str]:
    """What an instance asks, and the facts or rows that decide it."""
    if isinstance(record, TableInstance):
        return [*_query(record), *(line for table in record.evidence for line in _rows(record, table))]
    return [*_head(record), *_trace(record), *_facts(record)]


def _query(record: TableInstance) -> Iterator[str]:
    question = record.question
    asks = question.kind.value if question.relation is None else question.relation.value
    yield record.id
    yield f"  table {question.table}, {asks}, {question.cardinality.value}, {question.hops} hop(s), phrasing {record.phrasing}"
    yield f"  {question.semantics} semantics, unit {question.granularity.value}, seed {record.provenance.seed}"
    yield ""
    yield f"Query              {record.sql}"
    yield f"Answers            {'; '.join(record.answers) or 'none'}"
    yield f"A reply must date  {question.time_checked.value}"


def _rows(record: TableInstance, table: ShownTable) -> Iterator[str]:
    yield ""
    giving = answering_rows(record) if table is record.evidence[-1] else frozenset()
    told = "; * marks those that give the answer" if giving else ""
    yield f"Rows shown of {table.name}: {len(table.rows)}, ends {table.ends}{told}"
    yield f"    {' | '.join(table.columns)}"
    for row in sorted(table.rows, key=lambda row: (row.values, row.start)):
        yield f"  {'*' if row in giving else ' '} {' | '.join(row.values)} | {_when(row, table)}"


def answering_rows(record: TableInstance) -> frozenset[ShownRow]:
    """The rows of the last table shown that give the answer: of the thing asked about, or led to, with an answer and its dates."""
    question, last, wanted = record.question, record.evidence[-1], dict[str, set[str]]()
    for column, value in question.determinants.items():
        wanted[_called(record, column)] = {value}
    for table in record.evidence[:-1]:
        leading = [row for row in table.rows if _fits(row, table, wanted)]
        for column in (_called(record, name) for name in question.through):
            if column in table.columns:
                wanted[column] = {row.values[table.columns.index(column)] for row in leading}
    asked = last.columns.index(_called(record, question.dependency.dependent))
    gold = {(row.values[question.dependency.dependent], row.start, row.end) for row in question.gold}
    answering = (row for row in last.rows if (row.values[asked], row.start, row.end) in gold)
    return frozenset(row for row in answering if _fits(row, last, wanted))


def _fits(row: ShownRow, table: ShownTable, wanted: Mapping[str, set[str]]) -> bool:
    return all(value in wanted.get(column, {value}) for column, value in zip(table.columns, row.values, strict=True))


def _called(record: TableInstance, column: str) -> str:
    """What the rows shown call a column; one of a join stands in the glossary as `table.column`, or is itself called after its table."""
    names = record.glossary
    return next(names[key] for key in names if column in (key, key.partition(".")[2], key.replace(".", "_", 1)))


def _when(row: ShownRow, table: ShownTable) -> str:
    return f"{row.start} to {row.end or ('today' if table.open_end == 'ongoing' else 'an unknown end')}"


def _head(record: BenchmarkRecord) -> Iterator[str]:
    yield record.id
    yield f"  {record.graph_structure.value}, {record.hop_count} hop(s), {record.temporal_constraint_count} temporal constraint(s)"
    yield f"  from {record.provenance.source}, seed {record.provenance.seed}"
    yield ""
    yield f"Template question  {record.raw_question}"
    yield f"Answer             {record.answer} ({record.answer_id})"
    if record.answer_aliases:
        yield f"  also known as    {'; '.join(record.answer_aliases)}"


def _trace(record: BenchmarkRecord) -> Iterator[str]:
    yield ""
    yield "Trace"
    for sentence in record.space_search_process:
        yield f"  {sentence}"
    for name, fact in record.trace.references.items():
        yield f"  {name} is {_fact(record, fact)}"
    yield "Temporal constraints"
    for sentence in record.temporal_constraints:
        yield f"  {sentence}"


def _facts(record: BenchmarkRecord) -> Iterator[str]:
    support = set(record.support_facts)
    yield ""
    yield f"Evidence: {len(record.evidence)} facts; * marks the {len(support)} that prove the answer"
    for fact in sorted(
        record.evidence, key=lambda fact: (fact not in support, fact.relation, fact.start, fact.end, fact.subject, fact.object)
    ):
        yield f"  {'*' if fact in support else ' '} {_fact(record, fact)}"


def _fact(record: BenchmarkRecord, fact: TemporalFact) -> str:
    labels, when = record.labels, fact.start if fact.start == fact.end else f"{fact.start} to {fact.end}"
    return f"{labels[fact.subject]} | {labels[fact.relation]} | {labels[fact.object]} | {when}"


def _outcome(outcome: InstanceOutcome | None, duplicate_of: str | None) -> Iterator[str]:
    yield ""
    if outcome is None:
        yield "Outcome            not finished"
        return
    reason = f": {outcome.reason.value}" if outcome.reason is not None else ""
    if outcome.status is Status.ACCEPTED and duplicate_of is not None:
        yield f"Outcome            discarded: duplicate question, the same as {duplicate_of}"
    else:
        yield f"Outcome            {outcome.status.value}{reason} (at {outcome.last_node.value})"
    if outcome.question:
        yield f"Final question     {outcome.question}"
    if outcome.detail:
        yield f"Detail             {outcome.detail}"


def _visit(visit: Visit) -> Iterator[str]:
    who = visit.role.value + (f", mode {visit.mode}" if visit.mode else "")
    prompt = f", prompt {visit.prompt.version} ({visit.prompt.sha256[:12]})" if visit.prompt else ""
    yield f"  {visit.seq + 1}. {visit.node.value} ({who}{prompt}): {visit.outcome.value} -> {visit.to}"
    for name, value in visit.result.items():
        yield f"       {name}: {_value(value)}"
    for number, attempt in enumerate(visit.tries, start=1):
        yield f"       try {number}: {_try(attempt)}"
        if attempt.error is not None and attempt.reply_raw:
            yield f"         reply: {attempt.reply_raw}"


def _value(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
        return "; ".join(value) if value else "none"
    return orjson.dumps(value).decode()


def _try(attempt: Try) -> str:
    usage = attempt.usage
    parts = [attempt.request.model]
    if usage.input or usage.output:
        parts.append(f"{usage.input} tokens in, {usage.output} out")
    if attempt.usd is not None:
        parts.append(f"{attempt.usd:.6f} USD")
    if attempt.cached:
        parts.append("from the cache")
    parts.append("usable" if attempt.error is None else f"{attempt.error.value}: {attempt.error_detail}")
    return ", ".join(parts)
