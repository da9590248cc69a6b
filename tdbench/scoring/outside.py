"""Anybody's time-sensitive questions, and replies to them, read from files and joined by id, never by position.

Questions are JSON Lines, CSV, or a file of DyKnow (see `dyknow`). The keys, or columns, are `question`, `gold`,
`start` and `end`; besides, if wanted, `id`, `distractors`, `relation`, `time_checked`, `granularity`, `hops` and `domain`;
others are left alone. Replies are JSON Lines with `id` and `reply`. Paper: TDBench, section 5, on DyKnow.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson
from pydantic import ValidationError

from state.errors import ChronoQGError
from state.tdbench_scoring import TIME_CHECKED, AnswerRow, ScoredQuestion
from tdbench.scoring.dyknow import DyknowError, read_dyknow
from tdbench.scoring.given_date import as_parts, iso_date

SHOWN = 10
"""Ids that an error lists of each kind."""
LIST_SIGN = "|"
"""What stands between several values in a cell of a CSV file."""
QUESTION_FORMAT = 'Write {"question": "Who ...?", "gold": "Bo Lind", "start": "2004-05", "end": ""}, or a CSV file with such columns.'
"""What to do about a question that is refused."""
REPLY_FORMAT = 'Write one object a line, such as {"id": "1", "reply": "Bo Lind, since May 2004"}.'
"""What to do about a reply that is refused."""

_OPEN_ENDS = frozenset(("", "null", "none", "nan", "nat", "now", "present"))


class QuestionsError(ChronoQGError):
    """A file of questions cannot be read; `where` is the file, and the line if there is one."""


class RepliesError(ChronoQGError):
    """A file of replies cannot be read, or does not line up with the questions; `where` is the file, and the line if there is one."""


def read_questions(path: Path) -> tuple[ScoredQuestion, ...]:
    """The questions of a file, in its order; without ids they are numbered from 1.

    Without a `relation` a question whose gold rows all hold still is one about now, and any other a plain lookup.
    Without `time_checked` a lookup checks each date that is given. An empty `end` means that the row holds still; with
    neither start nor end nothing could be told of time, and the question is refused.

    Raises:
        QuestionsError: the file cannot be read, a line is no question, or two have one id; the message names the line.
    """
    content = _bytes(path, QuestionsError)
    try:
        if path.name.removesuffix(".gz").endswith(".json"):
            return _with_ids_of_their_own(read_dyknow(content), path)
        records = _csv_records(content) if path.suffix.lower() == ".csv" else _json_records(content, QuestionsError, QUESTION_FORMAT, path)
        questions = tuple(_question(record, place, f"{path}:{line}") for place, (line, record) in enumerate(records, start=1))
    except (DyknowError, csv.Error, UnicodeDecodeError) as err:
        raise QuestionsError(f"cannot be read: {err}", where=str(path), remedy=QUESTION_FORMAT) from err
    return _with_ids_of_their_own(questions, path)


def read_replies(path: Path, wanted: Iterable[str]) -> dict[str, str]:
    """The reply to every question asked, in the questions' order; one that is null or blank is empty and is a miss.

    Args:
        path: the file.
        wanted: ids of the questions.

    Raises:
        RepliesError: the file cannot be read, a line is no reply, or an id is missing, unknown or repeated; the
            message counts each kind and lists the first ten.
    """
    given = [
        _reply(record, f"{path}:{line}") for line, record in _json_records(_bytes(path, RepliesError), RepliesError, REPLY_FORMAT, path)
    ]
    times, order = Counter(ident for ident, _ in given), list(wanted)
    known = set(order)
    wrong = {
        "missing": [ident for ident in order if ident not in times],
        "not among the questions": [ident for ident in times if ident not in known],
        "given more than once": [ident for ident, count in times.items() if count > 1],
    }
    if any(wrong.values()):
        what = "; ".join(_listed(kind, idents) for kind, idents in wrong.items() if idents)
        raise RepliesError(what, where=str(path), remedy=f"Give each of the {len(order)} questions one line.")
    replies = dict(given)
    return {ident: replies[ident] for ident in order}


def _with_ids_of_their_own(questions: tuple[ScoredQuestion, ...], path: Path) -> tuple[ScoredQuestion, ...]:
    if not questions:
        raise QuestionsError("there is no question in it", where=str(path), remedy=QUESTION_FORMAT)
    repeated = [ident for ident, times in Counter(question.id for question in questions).items() if times > 1]
    if repeated:
        raise QuestionsError(_listed("given more than once", repeated), where=str(path), remedy="Give each question an id of its own.")
    return questions


def _question(record: Mapping[str, Any], place: int, where: str) -> ScoredQuestion:
    for key in ("question", "gold"):
        if key not in record:
            raise QuestionsError(f"no key {key!r}", where=where, remedy=QUESTION_FORMAT)
    try:
        gold = tuple(_gold_rows(record))
        relation = record.get("relation") or (
            "now" if gold and all(row.end is None and not row.is_end_unknown for row in gold) else "basic"
        )
        optional = {key: record[key] for key in ("granularity", "hops", "domain") if record.get(key) not in (None, "")}
        names = tuple(dict.fromkeys(name for name in _texts(record.get("distractors"), "distractors") if name))
        return ScoredQuestion(
            id=_text(record.get("id"), "id") or str(place),
            question=_text(record["question"], "question"),
            gold=gold,
            distractors=names,
            relation=relation,
            cardinality=("none", "unique", "multiple")[min(len({row.name for row in gold}), 2)],
            time_checked=record.get("time_checked") or _time_checked(relation, gold),
            **optional,
        )
    except ValidationError as err:
        first = err.errors()[0]
        told = first["msg"].removeprefix("Value error, ")
        what = f"{first['loc'][0]}: {told[:1].lower()}{told[1:]}" if first["loc"] else told
        raise QuestionsError(what, where=where, remedy=QUESTION_FORMAT) from err
    except ValueError as err:
        raise QuestionsError(str(err), where=where, remedy=QUESTION_FORMAT) from err


def _time_checked(relation: str, gold: Sequence[AnswerRow]) -> str:
    if relation == "now":
        return "start"
    if relation in TIME_CHECKED:
        return TIME_CHECKED[relation]
    has_start = all(row.start is not None for row in gold)
    has_end = all(not row.is_end_unknown for row in gold)
    return "both" if has_start and has_end else "start" if has_start else "end"


def _gold_rows(record: Mapping[str, Any]) -> Iterator[AnswerRow]:
    """One row a name; `start`, `end` and `aliases` are one for all or as many as there are names."""
    names = [name for name in _texts(record["gold"], "gold") if name]
    starts, ends = (_for_each(record.get(key), key, len(names)) for key in ("start", "end"))
    aliases = tuple(alias for alias in _texts(record.get("aliases"), "aliases") if alias) if len(names) == 1 else ()
    for name, start, end in zip(names, starts, ends, strict=True):
        first, last = _date(start, "start"), _date(end, "end")
        if first is None and last is None:
            raise ValueError(f"{name!r} has neither a start nor an end, so nothing can be told of time")
        if first is not None and last is not None and as_parts(first) > as_parts(last)[: len(as_parts(first))]:
            raise ValueError(f"{name!r} starts after it ends: {first}, {last}")
        yield AnswerRow(name=name, aliases=aliases, start=first, end=last)


def _for_each(value: object, key: str, count: int) -> list[str]:
    texts = _texts(value, key) or [""]
    if len(texts) not in (1, count) and count:
        raise ValueError(f"{key!r} has {len(texts)} values for {count} names")
    return texts * count if len(texts) == 1 else texts[:count]


def _date(text: str, key: str) -> str | None:
    """A date in ISO form; `None` if there is none."""
    if text.casefold() in _OPEN_ENDS:
        return None
    try:
        return iso_date(text)
    except ValueError as err:
        raise ValueError(f"{key!r} is {err}") from err


def _texts(value: object, key: str) -> list[str]:
    """Several texts, of a list or of a cell; the blank ones are kept, since they hold a place."""
    if value is None or value == "":
        return []
    values = value if isinstance(value, list) else [value]
    return [_text(part, key) for part in values]


def _text(value: object, key: str) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if value is not None and not isinstance(value, str):
        raise ValueError(f"{key!r} must be a text, or a list of texts")
    return (value or "").strip()


def _reply(record: Mapping[str, Any], where: str) -> tuple[str, str]:
    for key in ("id", "reply"):
        if key not in record:
            raise RepliesError(f"no key {key!r}", where=where, remedy=REPLY_FORMAT)
    try:
        ident, reply = _text(record["id"], "id"), _text(record["reply"], "reply")
    except ValueError as err:
        raise RepliesError(str(err), where=where, remedy=REPLY_FORMAT) from err
    if not ident:
        raise RepliesError("'id' is blank", where=where, remedy=REPLY_FORMAT)
    return ident, reply


def _bytes(path: Path, error: type[ChronoQGError]) -> bytes:
    try:
        return path.read_bytes()
    except OSError as err:
        raise error(f"cannot be read: {err.strerror}", where=str(path)) from err


def _csv_records(content: bytes) -> Iterator[tuple[int, dict[str, Any]]]:
    reader = csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True)
    for row in reader:
        several = ("gold", "start", "end", "distractors", "aliases")
        cells = {key: value.split(LIST_SIGN) if key in several and value else value for key, value in row.items() if key is not None}
        yield reader.line_num, cells


def _json_records(content: bytes, error: type[ChronoQGError], remedy: str, path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of JSON Lines with their line; only a newline ends a line, and lines of blanks are passed over."""
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            record = orjson.loads(line)
        except orjson.JSONDecodeError as err:
            raise error(f"not JSON: {err.msg} at character {err.pos + 1}", where=f"{path}:{number}", remedy=remedy) from err
        if not isinstance(record, dict):
            raise error("not an object", where=f"{path}:{number}", remedy=remedy)
        yield number, record


def _listed(kind: str, idents: Sequence[str]) -> str:
    more = f" and {len(idents) - SHOWN} more" if len(idents) > SHOWN else ""
    return f"{len(idents)} {'id' if len(idents) == 1 else 'ids'} {kind}: {', '.join(map(repr, idents[:SHOWN]))}{more}"
