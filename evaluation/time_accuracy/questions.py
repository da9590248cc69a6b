"""Which questions are asked: those of a build over temporal tables, or those of somebody's file. Paper: TDBench, section 4."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import orjson

from agents.tables.rewriter import asked_table
from runs.json_lines import parse_line, read_lines
from runs.run_folder import BENCHMARK
from state.config import Config
from state.errors import ConfigError, RunFolderError
from state.table_instance import ShownTable, TableInstance
from state.tdbench_evaluation import AskedQuestion
from state.tdbench_question import AnswerRow as FoundRow
from state.tdbench_scoring import AnswerRow, ScoredQuestion
from tdbench.scoring.outside import read_questions

Paraphrases = Literal["all", "first"]


class Source(NamedTuple):
    """The questions of an evaluation."""

    name: str
    """Run or file, as the user named it."""
    asked: tuple[AskedQuestion, ...]
    """Those that are asked, by id."""
    idents: frozenset[str]
    """Ids of all that the source has: a file of replies may answer more than is asked."""


def read_source(config: Config, own_run: Path) -> Source:
    """The questions that a config's evaluation asks.

    Args:
        config: its section `tdbench.evaluate` says which.
        own_run: the directory of the config's own build.

    Raises:
        QuestionsError: a file of questions cannot be read.
        RunFolderError: there is no such run, it has no questions, or a line is broken.
        ConfigError: rows are to be shown with questions that have none.
    """
    chosen = config.tdbench.evaluate
    if chosen.questions is not None:
        name = chosen.questions
        if chosen.with_rows:
            what = "questions of a file come without rows to show"
            raise ConfigError(what, where="tdbench.evaluate.with_rows", remedy="Leave it out, or name a run under tdbench.evaluate.run.")
        everything = outside_questions(read_questions(Path(name)), config.tdbench.as_of)
        kept = everything
    else:
        path = own_run if chosen.run is None else Path(chosen.run)
        name = str(path)
        instances = read_instances(path)
        everything = asked_questions(instances, with_rows=chosen.with_rows)
        kept = asked_questions(phrasings(instances, chosen.paraphrases), with_rows=chosen.with_rows)
    drawn = draw(kept, chosen.limit, chosen.seed)
    return Source(name, tuple(sorted(drawn, key=lambda one: one.id)), frozenset(one.id for one in everything))


def read_instances(run: Path) -> list[TableInstance]:
    """The accepted questions of a build over temporal tables, by id.

    Raises:
        RunFolderError: there are none, or a line is broken.
    """
    files = sorted((run / BENCHMARK).glob("*.jsonl"))
    if not files:
        remedy = "Make it with `chronoqg tdbench build CONFIG`, name a run under tdbench.evaluate.run, or give --questions FILE."
        raise RunFolderError("there is no finished build over temporal tables", where=str(run), remedy=remedy)
    found: dict[str, TableInstance] = {}
    for file in files:
        for number, line in enumerate(read_lines(file), start=1):
            if number == 1 and not _is_about_tables(line):
                remedy = "Name a run of `chronoqg tdbench build`."
                raise RunFolderError("this benchmark is not about temporal tables", where=str(file), remedy=remedy)
            instance = parse_line(TableInstance, line, file, number)
            if instance.id in found or instance.final_question is None:
                what = "a question of this id came before" if instance.id in found else "the line has no question"
                raise RunFolderError(what, where=f"{file}:{number}", remedy="Make the run anew.")
            found[instance.id] = instance
    if not found:
        remedy = "Look into discarded.jsonl, and build with other tables or another model."
        raise RunFolderError("the benchmark is empty: no question was accepted", where=str(run), remedy=remedy)
    return [found[ident] for ident in sorted(found)]


def phrasings(instances: Sequence[TableInstance], policy: Paraphrases) -> list[TableInstance]:
    """All instances, or of each query the first accepted phrasing."""
    if policy == "all":
        return list(instances)
    first: dict[str, TableInstance] = {}
    for instance in sorted(instances, key=lambda one: (one.question.id, one.phrasing)):
        first.setdefault(instance.question.id, instance)
    return list(first.values())


def asked_questions(instances: Iterable[TableInstance], *, with_rows: bool = False) -> list[AskedQuestion]:
    """Instances as models are asked them; the phrasings of one query are a group."""
    return [
        AskedQuestion(
            scored=scored_question(instance),
            group=instance.question.id,
            tables=instance.evidence if with_rows else None,
            as_of=instance.as_of,
        )
        for instance in instances
    ]


def scored_questions(instances: Iterable[TableInstance], *, paraphrases: Paraphrases = "all") -> list[ScoredQuestion]:
    """What the scoring reads of instances with an accepted question, in their order."""
    return [scored_question(instance) for instance in phrasings(list(instances), paraphrases)]


def scored_question(instance: TableInstance) -> ScoredQuestion:
    """What the scoring reads of an instance.

    Dates are those of the source. A missing end means what the table says of it: of a row that holds still a reply
    must say so, and one that nobody knows is not asked for. Another row of the same name as an answer's is no distractor.
    """
    question = instance.question
    relation = question.kind.value if question.relation is None else question.relation.value
    column, table = question.dependency.dependent, asked_table(instance)
    gold = tuple(_row(row, column, table) for row in question.gold)
    names = {row.name for row in gold}
    others = (_row(row, column, table) for row in question.distractors if row.values[column] not in names)
    checked = question.time_checked.value
    if relation == "basic" and any(row.is_end_unknown for row in gold):
        checked = "start"
    return ScoredQuestion.model_validate({
        "id": instance.id,
        "question": instance.final_question or "",
        "gold": gold,
        "distractors": tuple(others),
        "relation": relation,
        "cardinality": question.cardinality.value,
        "time_checked": checked,
        "granularity": question.granularity.value,
        "hops": question.hops,
        "domain": question.domain,
    })  # fmt: skip


def outside_questions(questions: Iterable[ScoredQuestion], as_of: str | None) -> list[AskedQuestion]:
    """Somebody's questions as models are asked them; those with the same answers, others and relation are a group.

    Such questions are mostly phrasings of one: DyKnow asks each thing in several ways.
    """
    return [AskedQuestion(scored=question, group=_group(question), tables=None, as_of=as_of) for question in questions]


def draw(questions: Sequence[AskedQuestion], limit: int | None, seed: int) -> list[AskedQuestion]:
    """At most so many questions, in an order that seed and ids fix; the phrasings of a query are drawn one after the other."""
    if limit is None:
        return list(questions)
    return sorted(questions, key=lambda one: (_hash(f"{seed}:{one.group}"), one.id))[:limit]


def _group(question: ScoredQuestion) -> str:
    if not question.gold:
        return question.id
    rows = [row.model_dump(mode="json") for row in (*question.gold, *question.distractors)]
    return _hash(orjson.dumps([len(question.gold), rows, question.relation, question.domain]).decode())[:16]


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _row(row: FoundRow, column: str, table: ShownTable) -> AnswerRow:
    is_unknown = row.end is None and table.open_end == "unknown"
    return AnswerRow(name=row.values[column], start=row.start, end=row.end, is_end_unknown=is_unknown)


def _is_about_tables(line: bytes) -> bool:
    try:
        data: Any = orjson.loads(line)
    except orjson.JSONDecodeError:
        return True  # whoever parses it says what is wrong
    return not isinstance(data, dict) or "space_search_process" not in data
