"""From a config's tables to the questions of a run: the first half of `chronoqg tdbench build`. Paper: TDBench, section 3."""

from __future__ import annotations

import hashlib
import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.metadata import version
from itertools import zip_longest
from typing import NamedTuple

from runs.json_lines import model_line
from runs.manifest import GraphNote
from runs.run_folder import RunFolder
from runs.sampling import Note
from runs.terminal import Advance, say
from state.config import Config
from state.errors import ConfigError, SamplingError
from state.table_instance import ShownTable, TableInstance, TableProvenance
from state.tdbench_config import TdbenchConfig
from state.tdbench_coverage import TableCoverage, TdbenchCoverage, UsedDependency
from state.tdbench_question import Question
from tdbench.dependencies.check import written
from tdbench.dependencies.declared import check_declared
from tdbench.dependencies.discover import discover
from tdbench.evidence import Shower
from tdbench.joins.natural import Join, build_joins
from tdbench.joins.questions import join_questions
from tdbench.joins.readable import join_glossary, readable_join_sql
from tdbench.questions.build import build_questions
from tdbench.questions.draws import keys_of
from tdbench.questions.query import readable_sql
from tdbench.sound import SPELT_APART, Soundness, has_idle_comparison
from tdbench.spellings import spelt_apart
from tdbench.table import TemporalTable
from tdbench.tables.store import TemporalDatabase, open_tables

TOO_MANY_ROWS = "what it asks about has too many rows to show"


class TableQuestions(NamedTuple):
    """The questions of one table or join, and what they were made of."""

    name: str
    rows: int
    content_hash: str
    dependencies: tuple[UsedDependency, ...]
    questions: list[Question]
    left_out: dict[str, int]
    """Reason -> questions that are not asked."""
    dropped: dict[str, int]
    """Reason -> rows dropped in reading."""
    idle: frozenset[str]
    """Ids of the questions of which a comparison could be left out without another answer."""


def sample_questions(folder: RunFolder, note: Note, advance: Advance | None = None) -> TdbenchCoverage:
    """Makes the questions of the config's tables and stores them, each phrasing to be an instance.

    Raises:
        ConfigError: no table is named, or a declared dependency does not fit its table.
        TableError: a source is refused.
        SamplingError: there is nothing to ask.
    """
    config = folder.config
    lines, coverage, source = instances_of(config, note, advance)
    folder.write_sample(lines, coverage, source)
    return coverage


def instances_of(config: Config, note: Note, advance: Advance | None = None) -> tuple[list[bytes], TdbenchCoverage, GraphNote]:
    """The lines of `traces.jsonl`, sorted by id, what they cover, and what the tables are.

    Raises:
        ConfigError, TableError, SamplingError: as `sample_questions`.
    """
    chosen = config.tdbench
    if not chosen.tables:
        raise ConfigError("no table is named", where="tdbench.tables", remedy="Name one, as in runs/tdbench-quickstart.yaml.")
    with open_tables(chosen.tables, os.environ) as database:
        joins = build_joins(database.connection, database.tables, chosen)
        soundness = Soundness(database.connection, database.tables, joins)
        made = [_questions_of(database, soundness, name, chosen, note) for name in database.tables]
        made += _questions_of_joins(database, soundness, joins, chosen, note)
        kept = _within(chosen, [one.questions for one in made], frozenset().union(*(one.idle for one in made)))
        coverage = TdbenchCoverage(
            tables=tuple(_coverage(one, ids) for one, ids in zip(made, kept, strict=True)), phrasings=chosen.paraphrases
        )
        if not any(kept):
            remedy = "Set tdbench.as_of, other dependencies or relations, or look at what the tables lose in reading."
            raise SamplingError("nothing can be asked of these tables", where="tdbench.tables", remedy=remedy)
        total, done, lines = sum(map(len, kept)), 0, dict[str, bytes]()
        for one, ids in zip(made, kept, strict=True):
            for instance in _instances(database, joins, one, ids, config):
                lines[instance.id] = model_line(instance)
                if instance.phrasing == chosen.paraphrases:
                    done += 1
                    if advance is not None:
                        advance("questions", done, total)
    return [lines[ident] for ident in sorted(lines)], coverage, source_of(database)


def read_instances(config: Config, advance: Advance) -> list[TableInstance]:
    """The instances that a build of a config would take, sorted by id.

    Raises:
        ConfigError, TableError, SamplingError: as `sample_questions`.
    """
    return [TableInstance.model_validate_json(line) for line in instances_of(config, say, advance)[0]]


def dependencies_of(database: TemporalDatabase, name: str, config: TdbenchConfig) -> tuple[UsedDependency, ...]:
    """The dependencies that a table's questions are made of: those that its config declares, or those that are found.

    A table that a join needs may have none: it is then asked about in the join alone.

    Raises:
        ConfigError: a declared one does not fit the table, or none is declared and none is found.
    """
    table, settings = database.tables[name], config.tables[name]
    if settings.dependencies:
        reports = check_declared(database.connection, table, settings.dependencies, require_support=settings.require_support)
        return tuple(
            UsedDependency(dependency=one.dependency, is_declared=True, support=one.support, violations=one.violations) for one in reports
        )
    found = tuple(one for one in discover(database.connection, table, config.tolerance).temporal if one.support >= config.min_support)
    if settings.keys:
        found = tuple(one for one in found if set(one.dependency.determinants) <= set(settings.keys))
    if not found and not any(name in join.tables for join in config.joins.values()):
        remedy = "Declare one, raise tdbench.tolerance or lower tdbench.min_support; `chronoqg tdbench dependencies` shows what there is."
        raise ConfigError("no dependency is found that time has a part in", where=f"tdbench.tables.{name}.dependencies", remedy=remedy)
    return tuple(
        UsedDependency(dependency=one.dependency, is_declared=False, support=one.support, violations=one.violations) for one in found
    )


def _questions_of(database: TemporalDatabase, soundness: Soundness, name: str, config: TdbenchConfig, note: Note) -> TableQuestions:
    table, report = database.tables[name], database.reports[name]
    for line in report.lines():
        note(line)
    used = dependencies_of(database, name, config)
    for one in used:
        how = "declared" if one.is_declared else "found"
        broken = f", broken by {one.violations} pairs of rows" if one.violations else ""
        note(f"  {how}: {written(one.dependency)}, groups that change over time: {one.support}{broken}")
    if to_mend := _to_mend(
        soundness, name, dict.fromkeys(column for one in used for column in (*one.dependency.determinants, one.dependency.dependent))
    ):
        note(f"  {to_mend}")
    every = list(build_questions(database.connection, table, [one.dependency for one in used], config))
    asked, left_out = _worth_asking(every, soundness, config)
    dropped = {reason.value: count for reason, count in report.dropped.items() if count}
    idle = frozenset(one.id for one in asked if has_idle_comparison(one, table))
    return TableQuestions(name, table.rows, report.content, used, asked, left_out, dropped, idle)


def _questions_of_joins(
    database: TemporalDatabase, soundness: Soundness, joins: Mapping[str, Join], config: TdbenchConfig, note: Note
) -> list[TableQuestions]:
    by_join: dict[str, list[Question]] = {name: [] for name in joins}
    for question in join_questions(database.connection, database.tables, config) if joins else ():
        by_join[question.table].append(question)
    made = []
    for name, every in by_join.items():
        if to_mend := _to_mend(soundness, name, joins[name].shared):
            note(f"{name}: {to_mend}")
        asked, left_out = _worth_asking(every, soundness, config)
        made.append(TableQuestions(name, joins[name].table.rows, content_of(database, joins[name]), (), asked, left_out, {}, frozenset()))
    return made


def _worth_asking(questions: Iterable[Question], soundness: Soundness, config: TdbenchConfig) -> tuple[list[Question], dict[str, int]]:
    """The questions that can be trusted and shown, and how many others there are by reason."""
    asked: list[Question] = []
    left_out: Counter[str] = Counter()
    apart: list[Question] = []
    for question in questions:
        why = soundness.doubt(question) if len(question.gold) + len(question.distractors) <= config.most_rows else TOO_MANY_ROWS
        if why is None:
            asked.append(question)
        elif why == SPELT_APART:
            apart.append(question)
        else:
            left_out[why] += 1
    if apart:
        columns = dict.fromkeys(column for one in apart for column in (*one.determinants, *one.through, one.dependency.dependent))
        left_out[_to_mend(soundness, apart[0].table, columns)] = len(apart)
    return asked, dict(sorted(left_out.items()))


def _to_mend(soundness: Soundness, name: str, columns: Iterable[str]) -> str:
    """What there is to mend in some columns of a table or join; empty if nothing is spelt in two ways."""
    told = spelt_apart({column: soundness.spellings(name, column) for column in columns})
    return told and f"{SPELT_APART}: {told}; make them one in the table"


def content_of(database: TemporalDatabase, join: Join) -> str:
    """Hash of all rows that a join is made of."""
    digest = hashlib.sha256()
    for part in join.parts:
        digest.update(f"{database.reports[part.table.name].content}\n".encode())
    return digest.hexdigest()


def _within(config: TdbenchConfig, made: Sequence[Sequence[Question]], idle: frozenset[str]) -> list[frozenset[str]]:
    """The ids of the questions of each table that the limit lets through.

    Tables and joins take turns; within one, no, one and several answers do; within these what is asked and the hops do;
    and there those of which every comparison matters come first.
    """
    if config.limit is None:
        return [frozenset(one.id for one in questions) for questions in made]
    turns = _in_turn([_in_order(config.seed, questions, idle, (_cardinality, _asked_in_hops)) for questions in made])
    kept = frozenset(turns[: config.limit])
    return [kept.intersection(one.id for one in questions) for questions in made]


_Part = Callable[[Question], str]


def _in_order(seed: int, questions: Sequence[Question], idle: frozenset[str], parts: tuple[_Part, ...]) -> list[str]:
    """The ids, those of the first of some parts taking turns, each part's own by the next; the seed decides who comes first."""
    if not parts:
        keys = keys_of((seed, "limit", one.id) for one in questions).tolist()
        return [ident for *_, ident in sorted((one.id in idle, key, one.id) for key, one in zip(keys, questions, strict=True))]
    queues: defaultdict[str, list[Question]] = defaultdict(list)
    for one in questions:
        queues[parts[0](one)].append(one)
    names = sorted(queues, key=lambda name: keys_of([(seed, name)])[0])
    return _in_turn([_in_order(seed, queues[name], idle, parts[1:]) for name in names])


def _in_turn(queues: Sequence[Sequence[str]]) -> list[str]:
    return [ident for turn in zip_longest(*queues) for ident in turn if ident is not None]


def _cardinality(question: Question) -> str:
    return question.cardinality.value


def _asked_in_hops(question: Question) -> str:
    return f"{what_is_asked(question)} {question.hops}"


def what_is_asked(question: Question) -> str:
    """The relation that a question asks for, or its kind if there is none."""
    return question.kind.value if question.relation is None else question.relation.value


def _coverage(made: TableQuestions, ids: frozenset[str]) -> TableCoverage:
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for question in made.questions:
        if question.id in ids:
            counts[what_is_asked(question)][question.cardinality.value] += 1
    return TableCoverage(
        name=made.name,
        rows=made.rows,
        dropped=made.dropped,
        content_hash=made.content_hash,
        dependencies=made.dependencies,
        questions={asked: dict(sorted(by_cardinality.items())) for asked, by_cardinality in counts.items()},
        left_out=made.left_out,
        idle=len(made.idle & ids),
        over_the_limit=len(made.questions) - len(ids),
    )


def _instances(
    database: TemporalDatabase, joins: Mapping[str, Join], made: TableQuestions, ids: frozenset[str], config: Config
) -> Iterator[TableInstance]:
    shower = Shower(database, joins, seed=config.tdbench.seed, foils=config.tdbench.foils)
    for question in made.questions:
        if question.id not in ids:
            continue
        if made.name in joins:
            sql, glossary = readable_join_sql(question, joins[made.name]), join_glossary(question, joins[made.name])
        else:
            sql, glossary = readable_sql(question, database.tables[made.name]), glossary_of(question, database.tables[made.name])
        yield from _phrasings(question, sql, glossary, shower.shown(question), made.content_hash, config)


def glossary_of(question: Question, table: TemporalTable) -> dict[str, str]:
    """Column named in a question's query -> what a question calls it."""
    named = (*question.dependency.determinants, question.dependency.dependent)
    return {**{name: table.glossary[name] for name in named}, table.start_column: "start", table.end_column: "end"}


@cache
def _package_version() -> str:
    return version("chronoqg")


def _phrasings(
    question: Question, sql: str, glossary: Mapping[str, str], shown: tuple[ShownTable, ...], content_hash: str, config: Config
) -> Iterator[TableInstance]:
    provenance = TableProvenance(content_hash=content_hash, seed=config.tdbench.seed, version=_package_version())
    for phrasing in range(1, config.tdbench.paraphrases + 1):
        yield TableInstance(
            id=f"{question.id}.{phrasing}",
            dataset=config.dataset,
            phrasing=phrasing,
            question=question,
            sql=sql,
            glossary=dict(glossary),
            evidence=shown,
            as_of=config.tdbench.as_of,
            final_question=None,
            backend=None,
            provenance=provenance,
        )


def source_of(database: TemporalDatabase) -> GraphNote:
    """All tables as one, since a run has one source."""
    digest = hashlib.sha256()
    for name, report in database.reports.items():
        digest.update(f"{name}\0{report.content}\n".encode())
    granularity = next(iter(database.tables.values())).granularity
    return GraphNote(name=" + ".join(database.tables), content_hash=digest.hexdigest(), granularity=granularity, licence=None, source=None)
