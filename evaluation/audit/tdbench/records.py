"""A record of a published question file: a list of SQL with rows, or one object a line that has questions as well."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NamedTuple

StatedRow = Mapping[str, str | None]
"""Column in lower case -> text."""


REQUIRED = ("idx", "qtype", "sql_for_db", "correct_rows", "incorrect_rows")
"""The fields that every record has."""


class Part(StrEnum):
    """What a record's `qtype` asks, for rates."""

    NOW = "now"
    NONE = "none"
    UNIQUE = "unique"
    MULTIPLE = "multiple"
    JOIN = "join"
    OTHER = "other"


class TableCase(NamedTuple):
    """One record under audit."""

    number: int
    """Its line, or its place in the array."""
    id: str
    part: Part
    op: str | None
    """The relation that it is named after."""
    sql: str
    correct: tuple[StatedRow, ...]
    incorrect: tuple[StatedRow, ...]
    questions: tuple[str, ...] | None
    """Those of `questions`, or the one of `question`; `None`: it has none yet."""


def is_table_record(value: Any) -> bool:
    """Whether an item looks like a record of this layout."""
    return isinstance(value, Mapping) and "sql_for_db" in value and "correct_rows" in value


def read_table_case(value: Any, number: int) -> TableCase:
    """The case of a parsed item.

    Raises:
        ValueError: it is no such record; the text names the field.
    """
    if not isinstance(value, Mapping):
        raise ValueError("should be an object")
    missing = [key for key in REQUIRED if key not in value]
    if missing:
        raise ValueError(f"it lacks {', '.join(missing)}")
    if isinstance(value["idx"], bool) or not isinstance(value["idx"], int | str):
        raise ValueError("idx: should be a number or text")
    op, questions = value.get("op"), value.get("questions")
    if op is not None and not isinstance(op, str):
        raise ValueError("op: should be text")
    if questions is None and isinstance(value.get("question"), str):
        questions = [value["question"]]
    if questions is not None and not (isinstance(questions, list) and all(isinstance(each, str) for each in questions)):
        raise ValueError("questions: should be a list of texts")
    return TableCase(
        number=number,
        id=str(value["idx"]),
        part=_part(_text(value, "qtype")),
        op=op,
        sql=_text(value, "sql_for_db"),
        correct=_rows(value, "correct_rows"),
        incorrect=_rows(value, "incorrect_rows"),
        questions=None if questions is None else tuple(questions),
    )


def _text(value: Mapping[str, Any], key: str) -> str:
    if not isinstance(value[key], str):
        raise ValueError(f"{key}: should be text")
    return str(value[key])


def _rows(value: Mapping[str, Any], key: str) -> tuple[StatedRow, ...]:
    rows = value[key]
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
        raise ValueError(f"{key}: should be a list of objects")
    return tuple({name.lower(): _cell(cell, key) for name, cell in row.items()} for row in rows)


def _cell(cell: Any, key: str) -> str | None:
    if cell is None or isinstance(cell, str):
        return cell
    if isinstance(cell, bool) or not isinstance(cell, int | float):
        raise ValueError(f"{key}: a value should be text, a number or null")
    return str(int(cell)) if float(cell).is_integer() else str(cell)


def _part(qtype: str) -> Part:
    if qtype.startswith("join"):
        return Part.JOIN
    name = qtype.removeprefix("basic_")
    return Part(name) if name in (Part.NOW, Part.NONE, Part.UNIQUE, Part.MULTIPLE) else Part.OTHER
