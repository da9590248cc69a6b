"""The questions of DyKnow: groups of subjects, each with questions and all answers that ever held, with their dates.

An answer is `name |S: +2016-12-12T00:00:00Z |E: +2018-06-01T00:00:00Z`, either date possibly missing; one without an end
holds still, and so is gold, as the questions ask about now. Paper: TDBench, section 5.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from state.tdbench_scoring import AnswerRow, ScoredQuestion
from tdbench.scoring.given_date import iso_date

_ANSWER = re.compile(r"(?P<name>.+?) *(?:\|S:? *(?P<start>\S+) *)?(?:\|E:? *(?P<end>\S+) *)?(?:\|P:? *(?P<point>\S+) *)?")


class DyknowError(ValueError):
    """A file is not one of DyKnow."""


def read_dyknow(content: bytes) -> tuple[ScoredQuestion, ...]:
    """The questions about now of a DyKnow file, in its order, gzipped or not.

    A thing for which no answer holds still has no question about now, and one whose gold answer has no start cannot be
    judged: both are left out. An earlier answer of the same name as the present one is no distractor.

    Raises:
        DyknowError: it is no such file.
    """
    try:
        data = orjson.loads(gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content)
    except (orjson.JSONDecodeError, OSError, EOFError) as err:
        raise DyknowError(f"not a file of DyKnow: {err}") from err
    return tuple(question for path, entry in _entries(data, ()) for question in _questions(path, entry))


def _entries(node: object, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Mapping[str, Any]]]:
    if not isinstance(node, dict):
        raise DyknowError(f"no questions and answers at {' / '.join(path) or 'the top'}")
    if "answers" in node and "questions" in node:
        yield path, node
        return
    for key, below in node.items():
        yield from _entries(below, (*path, key))


def _questions(path: tuple[str, ...], entry: Mapping[str, Any]) -> Iterator[ScoredQuestion]:
    try:
        rows = [_row(answer) for answer in entry["answers"]]
    except (TypeError, ValueError) as err:
        raise DyknowError(f"{' / '.join(path)}: {err}") from err
    gold = tuple(row for row in rows if row.end is None and not row.is_end_unknown)
    if not gold or any(row.start is None for row in gold):
        return
    names = {row.name for row in gold}
    for number, text in enumerate(entry["questions"], start=1):
        yield ScoredQuestion(
            id=" / ".join((*path, str(number))),
            question=text,
            gold=gold,
            distractors=tuple(row for row in rows if row.name not in names),
            relation="now",
            cardinality="unique" if len(names) == 1 else "multiple",
            time_checked="start",
            domain=path[0],
        )


def _row(answer: str) -> AnswerRow:
    match = _ANSWER.fullmatch(answer)
    if match is None:
        raise ValueError(f"not an answer: {answer!r}")
    start, end = match["start"], match["end"] or match["point"]
    return AnswerRow(name=match["name"].strip(), start=iso_date(start) if start else None, end=iso_date(end) if end else None)
