"""`chronoqg tdbench refresh`: new data under the accepted questions of a build, without asking any model. Paper: TDBench, section 1.

A phrasing says what its query says, not what the answer is: it stays while the query may still be asked. Its answers are
computed anew, leaks of new answers are looked for, and the reader by rules reads it beside the new rows.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from agents.agreement import Verdict
from agents.leak_filter import find_leaks
from agents.offline.tables.verifier import answer_from_rows
from agents.tables.agreement import judge_set, other_names
from agents.tables.usable_question import required_values
from agents.tables.verifier import table_verify_request
from runs.json_lines import model_line, parse_lines, pretty_json, write_lines, write_whole
from runs.run_folder import BENCHMARK, RunReader
from runs.sampling import Note
from runs.terminal import Advance, say
from state.config import Config
from state.errors import ConfigError, RunFolderError, SamplingError, TableError, did_you_mean
from state.interval import Granularity
from state.model_base import Contract
from state.table_instance import Refreshed, ShownTable, TableInstance
from state.tdbench_config import TableConfig, TdbenchConfig
from state.tdbench_question import AnswerRow, Cardinality, Kind, Question
from tdbench.answers import Answers, same_rows
from tdbench.evidence import Shower
from tdbench.sampling import instances_of, source_of
from tdbench.sound import Doubt, Soundness
from tdbench.tables.store import BUNDLED, TemporalDatabase, open_tables

REFRESH = "refresh.json"
_MOST_SHOWN = 10
Gone = Literal[
    "nothing is known of what it asks about",
    "nothing answers any more",
    "too many answers",
    "its condition changes nothing",
    "too many rows to show",
    "a new answer stands in the question",
    "read beside the new rows it asks something else",
]
"""Why a question is no longer asked, beside what `tdbench.sound` says."""


class Changed(NamedTuple):
    """A phrasing that is kept with other answers or dates."""

    id: str
    question: str
    change: str
    before: tuple[str, ...]
    after: tuple[str, ...]


class Vanished(NamedTuple):
    """A phrasing that is no longer asked."""

    id: str
    question: str
    why: Gone | Doubt


class RefreshReport(Contract):
    """`refresh.json`: what new data did to a benchmark."""

    format: Literal[1] = 1
    """Format version."""
    run: str
    """The build that was refreshed."""
    before: str
    """Hash of all its tables' rows."""
    after: str
    """Hash of the rows that are under the questions now."""
    kept: int
    """Phrasings that are still asked."""
    changed: tuple[Changed, ...]
    """Those of them that have other answers, or other dates."""
    vanished: tuple[Vanished, ...]
    """Phrasings that are no longer asked."""
    appeared: tuple[str, ...]
    """Questions that the new data give rise to and the build has not asked: `chronoqg tdbench build` asks them."""
    reread: dict[str, int]
    """What the reader by rules said of the kept phrasings -> how many."""
    path: str
    """Where the refreshed benchmark was written."""

    def lines(self) -> list[str]:
        """The report for a person."""
        by_change = Counter(one.change for one in self.changed)
        lines = [
            f"kept       {self.kept} phrasings, without any call",
            f"  {by_change['answers']:>7}  have other answers",
            f"  {by_change['dates']:>7}  have the same answers with other dates",
            f"vanished   {len(self.vanished)} phrasings",
        ]
        lines += [f"  {count:>7}  {why}" for why, count in sorted(Counter(one.why for one in self.vanished).items())]
        lines.append(f"appeared   {len(self.appeared)} questions, not asked yet")
        lines += [f"  reader by rules: {said} for {count}" for said, count in sorted(self.reread.items())]
        if self.changed:
            lines += ["", "Changed, for example"]
        lines += [
            f"  {one.id}: {one.question} | {'; '.join(one.before) or 'none'} -> {'; '.join(one.after) or 'none'}"
            for one in sorted(self.changed, key=lambda one: one.change)[:_MOST_SHOWN]
        ]
        return lines

    def as_json(self) -> bytes:
        """The report for a machine."""
        return pretty_json(self.model_dump(mode="json"))

    def talk(self) -> Iterator[str]:
        """What was written, and the command that most likely comes next."""
        yield f"wrote {self.path}"
        if self.appeared:
            yield "next: chronoqg tdbench build with the new data asks what appeared; unchanged requests come from the cache"


def refresh(
    reader: RunReader, tables: Mapping[str, TableConfig], out: Path, advance: Advance | None = None, note: Note = lambda line: None
) -> RefreshReport:
    """Puts new data under a finished build's accepted questions and writes the refreshed benchmark.

    Args:
        reader: the build.
        tables: its tables as they are now, see `tables_with`.
        out: an empty or new directory for `benchmark/` and `refresh.json`; both appear whole.
        advance: is told how far the work has come.
        note: is told what was read, and what it lost.

    Raises:
        RunFolderError: the build is not finished or damaged, or the directory is in use.
        TableError: a table cannot be read, or has lost a column that questions need.
        ConfigError: the config does not fit the new tables.
    """
    if reader.manifest.origin != "tables" or reader.manifest.counts is None:
        what = "this run is not finished" if reader.manifest.origin == "tables" else "this run asks about a graph, not about tables"
        raise RunFolderError(what, where=str(reader.path), remedy="Name a finished run of `chronoqg tdbench build`.")
    if out.exists() and any(out.iterdir()):
        raise RunFolderError("the directory is not empty", where=str(out), remedy="Choose another --out.")
    instances = list(parse_lines(TableInstance, reader.benchmark_file("all")))
    config = reader.config().config
    chosen = config.tdbench.model_copy(update={"tables": _in_their_units(tables, instances)})
    config = config.model_copy(update={"tdbench": chosen})
    with open_tables(chosen.tables, os.environ) as database:
        for table in database.reports.values():
            for line in table.lines():
                note(line)
        _check_columns(database, chosen, instances)
        answers = Answers(database, chosen)
        kept, changed, vanished = _refreshed(instances, answers, chosen, advance)
        source = source_of(database)
    appeared = _asked_anew(config) - {ident.rpartition(".")[0] for ident in reader.instances().ids()}
    report = RefreshReport(
        run=str(reader.path),
        before=reader.manifest.graph.content_hash,
        after=source.content_hash,
        kept=len(kept),
        changed=tuple(changed),
        vanished=tuple(vanished),
        appeared=tuple(sorted(appeared)),
        reread=dict(Counter(one.refreshed.reread for one in kept if one.refreshed is not None)),
        path=str(out / BENCHMARK / f"{config.dataset}.jsonl"),
    )
    (out / BENCHMARK).mkdir(parents=True, exist_ok=True)
    write_lines(Path(report.path), list(map(model_line, kept)))
    write_whole(out / REFRESH, [report.as_json()])
    return report


def _asked_anew(config: Config) -> set[str]:
    """The ids of the questions that a build would make; too few rows for any, or for a dependency, are no reason to stop."""
    try:
        lines, _, _ = instances_of(config, lambda line: None)
    except (ConfigError, SamplingError) as error:
        say(f"note: the new data give rise to no question ({error})")
        return set()
    return {TableInstance.model_validate_json(line).question.id for line in lines}


def tables_with(config: TdbenchConfig, given: Sequence[str]) -> dict[str, TableConfig]:
    """A build's tables with the new data that the user names.

    Args:
        config: the build's.
        given: `TABLE=FILE`; a folder, of which each file takes the place of the one of its name; or, if there is only one table, a file.

    Raises:
        ConfigError: a table is unknown, or nothing in the folder is meant.
    """
    tables = dict(config.tables)
    for text in given:
        name, equals, file = text.partition("=")
        if equals and name in tables:
            tables[name] = tables[name].model_copy(update={"path": file, "url_env": None})
        elif Path(text).is_dir():
            tables |= _from_folder(Path(text), config.tables)
        elif len(tables) == 1 and (not equals or Path(text).exists()):
            (name,) = tables
            tables[name] = tables[name].model_copy(update={"path": text, "url_env": None})
        else:
            remedy = did_you_mean(name, tables) if equals else f"Say which table it is: --data {next(iter(tables))}={text}."
            raise ConfigError(
                f"no table {name!r} in the run's config" if equals else "several tables could be meant", where="--data", remedy=remedy
            )
    return tables


def _from_folder(folder: Path, tables: Mapping[str, TableConfig]) -> dict[str, TableConfig]:
    names = {}
    for name, table in tables.items():
        if table.path is not None:
            own = f"{table.path.removeprefix(BUNDLED)}.csv" if table.path.startswith(BUNDLED) else Path(table.path).name
            if (folder / own).is_file():
                names[name] = table.model_copy(update={"path": str(folder / own)})
    if not names:
        remedy = "Give TABLE=FILE instead."
        raise ConfigError("no file in the folder is called as a file of the run's config", where=f"--data {folder}", remedy=remedy)
    return names


def _in_their_units(tables: Mapping[str, TableConfig], instances: Iterable[TableInstance]) -> dict[str, TableConfig]:
    """The tables in the units in which their questions name dates; new rows must not change those."""
    units: dict[str, Granularity] = {}
    for instance in instances:
        for name in (instance.question.table, *(shown.name for shown in instance.evidence)):
            units.setdefault(name, instance.granularity)
    return {name: table.model_copy(update={"granularity": units.get(name, table.granularity)}) for name, table in tables.items()}


def _check_columns(database: TemporalDatabase, config: TdbenchConfig, instances: Iterable[TableInstance]) -> None:
    """Passes if the tables still have every column that a question is about; joins look after their own.

    Raises:
        TableError: one has lost a column.
    """
    needed = {(one.question.table, name) for one in instances for name in (*one.question.determinants, one.question.dependency.dependent)}
    for table, column in sorted(needed):
        if table in database.tables and column not in database.tables[table].columns:
            remedy = did_you_mean(column, database.tables[table].columns)
            raise TableError(f"the table has no column {column!r} any more", where=f"tdbench.tables.{table}", remedy=remedy)


def _refreshed(
    instances: Sequence[TableInstance], answers: Answers, config: TdbenchConfig, advance: Advance | None
) -> tuple[list[TableInstance], list[Changed], list[Vanished]]:
    soundness = Soundness(answers.database.connection, answers.database.tables, answers.joins)
    shower = Shower(answers.database, answers.joins, seed=config.seed, foils=config.foils)
    kept: list[TableInstance] = []
    changed: list[Changed] = []
    vanished: list[Vanished] = []
    for number, instance in enumerate(instances, start=1):
        text, now = instance.final_question or "", _asked_now(instance.question, answers)
        why: Gone | Doubt | None = _why_not(now, config) or soundness.doubt(now)
        if why is None:
            fresh, verdict = _with_new_rows(instance, now, shower.shown(now), answers.content(now))
            why = _why_not_this_text(fresh, text, verdict)
        if why is not None:
            vanished.append(Vanished(instance.id, text, why))
        else:
            kept.append(fresh)
            if fresh.refreshed is not None and fresh.refreshed.change != "none":
                changed.append(Changed(instance.id, text, fresh.refreshed.change, _told(instance.question), _told(now)))
        if advance is not None:
            advance("phrasings", number, len(instances))
    return kept, changed, vanished


def _asked_now(question: Question, answers: Answers) -> Question:
    """The question with the answers that the tables give now."""
    gold, others = answers.of(question)
    count = len({row.values[question.dependency.dependent] for row in gold})
    cardinality = (Cardinality.NONE, Cardinality.UNIQUE, Cardinality.MULTIPLE)[min(count, 2)]
    return question.model_copy(update={"gold": gold, "distractors": others, "cardinality": cardinality})


def _why_not(question: Question, config: TdbenchConfig) -> Gone | None:
    """Why a question must not be asked of the rows as they are; `None`: it may be."""
    column = question.dependency.dependent
    texts, others = set(question.answers), {row.values[column] for row in question.distractors}
    if not texts and not others:
        return "nothing is known of what it asks about"
    if not texts and question.kind is not Kind.RELATION:
        return "nothing answers any more"
    if len(texts) > config.most_answers:
        return "too many answers"
    if question.kind in (Kind.RELATION, Kind.JOIN) and others <= texts:
        return "its condition changes nothing"
    if len(question.gold) + len(question.distractors) > config.most_rows:
        return "too many rows to show"
    return None


def _with_new_rows(
    instance: TableInstance, now: Question, shown: tuple[ShownTable, ...], content: str
) -> tuple[TableInstance, Verdict | None]:
    """The instance over the new rows, and what the reader by rules says of it.

    Where nothing about the thing asked for has changed, the rows shown stay the old ones, and nobody needs to read them again.
    """
    before = instance.question
    is_same = same_rows(now.gold, before.gold) and same_rows(now.distractors, before.distractors)
    change: Literal["none", "dates", "answers"] = "none"
    if set(now.answers) != set(before.answers):
        change = "answers"
    elif not same_rows(now.gold, before.gold):
        change = "dates"
    verified_on = instance.refreshed.verified_on if instance.refreshed is not None else instance.provenance.content_hash
    fresh = instance.model_copy(
        update={
            "question": now,
            "evidence": instance.evidence if is_same else shown,
            "provenance": instance.provenance.model_copy(update={"content_hash": content}),
        }
    )
    verdict = None if is_same else _rules_verdict(fresh)
    reread: Literal["not needed", "agrees", "cannot tell"] = "not needed"
    if verdict is not None:
        reread = "agrees" if verdict is Verdict.MATCH else "cannot tell"
    refreshed = Refreshed(verified_on=verified_on, change=change, reread=reread)
    return fresh.model_copy(update={"refreshed": refreshed}), verdict


def _why_not_this_text(fresh: TableInstance, text: str, verdict: Verdict | None) -> Gone | None:
    names = required_values(fresh)
    if any(find_leaks(text, answer, (), names) for answer in fresh.answers):
        return "a new answer stands in the question"
    if verdict not in (None, Verdict.MATCH, Verdict.ABSTAINED):
        return "read beside the new rows it asks something else"
    return None


def _rules_verdict(fresh: TableInstance) -> Verdict:
    """What the reader by rules makes of the phrasing beside the new rows."""
    reply = answer_from_rows(table_verify_request(fresh, fresh.final_question or ""))
    return judge_set(reply, fresh.answers, other_names(fresh))


def _told(question: Question) -> tuple[str, ...]:
    return tuple(f"{_name(question, row)} ({row.start} to {row.end or '...'})" for row in question.gold)


def _name(question: Question, row: AnswerRow) -> str:
    return row.values[question.dependency.dependent]
