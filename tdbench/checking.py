"""`chronoqg check` of a build from tables: every query run anew on its table, its rows and answers beside the stored ones."""

from __future__ import annotations

import os
from collections.abc import Iterator

from runs.checking import CheckReport, Finding, check_files
from runs.run_folder import RunReader
from runs.terminal import Advance
from state.table_instance import TableInstance
from state.tdbench_question import Kind
from tdbench.answers import Answers, same_rows
from tdbench.sampling import source_of
from tdbench.tables.store import open_tables


def check_tables(reader: RunReader, advance: Advance | None = None) -> CheckReport:
    """The findings of a check of a build from tables.

    Raises:
        RunFolderError: a file is damaged so that it cannot be read.
        TableError: a table of the run's config is not there any more.
    """
    findings: list[Finding] = []
    config = reader.config().config.tdbench
    with open_tables(config.tables, os.environ) as database:
        if source_of(database).content_hash != reader.manifest.graph.content_hash:
            what = "the tables hold other rows than those that were asked about: see `chronoqg tdbench refresh`"
            findings.append(Finding(where=reader.manifest.graph.name, what=what))
        known: dict[str, tuple[str, ...]] = {}
        answers = Answers(database, config)

        def execute(instance: TableInstance) -> Iterator[str]:
            if instance.question.id not in known:  # once for all phrasings
                known[instance.question.id] = tuple(_wrong_answers(answers, instance))
            yield from known[instance.question.id]
            yield from _wrong_evidence(instance)

        return check_files(reader, execute, findings, advance)


def _wrong_answers(answers: Answers, instance: TableInstance) -> Iterator[str]:
    question = instance.question
    if not answers.knows(question):
        yield f"the run's config has no table or join {question.table!r}"
        return
    gold, others = answers.of(question)
    if not same_rows(gold, question.gold):
        yield "its query gives other rows"
    if not same_rows(others, question.distractors):
        yield "the other rows of what it asks about are not those that it holds"
    if answers.content(question) != instance.provenance.content_hash:
        yield "its table is not the one that was asked"


def _wrong_evidence(instance: TableInstance) -> Iterator[str]:
    """Rows that a verifier would have needed and was not shown, or that its table has not."""
    question, last = instance.question, instance.evidence[-1]
    asked = question.dependency.dependent
    held = {(row.values[asked], row.start, row.end) for row in (*question.gold, *question.distractors)}
    if not held <= {(value, row.start, row.end) for row in last.rows for value in row.values}:
        yield "rows of what it asks about are missing from its evidence"
    if question.kind is not Kind.JOIN:
        given = tuple(question.determinants[name] for name in question.dependency.determinants)
        if any(row.values[: len(given)] == given and (row.values[-1], row.start, row.end) not in held for row in last.rows):
            yield "its evidence has rows of what it asks about that its table has not"
