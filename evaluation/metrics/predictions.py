"""Questions that an outside system wrote: read from a file and joined to the benchmark by id, never by position.

The file is JSON Lines, an object a line with `id` and `question`; other keys are left alone. A question that is
null, empty or blank is a question that the system did not write: it is kept and scores 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import orjson

from state.errors import ChronoQGError

SHOWN = 10
"""Ids that an error lists of each kind."""
FORMAT = 'Write one object a line, such as {"id": "cron-0123456789ab", "question": "Who ...?"}.'
"""What to do about a line that is refused."""


class PredictionsError(ChronoQGError):
    """A file of predictions cannot be read, or does not line up with the benchmark; `where` is the file, and the line if there is one."""


class Prediction(NamedTuple):
    """One line of such a file."""

    id: str
    """Id of the record that the question was written for."""
    question: str
    """The question; empty if there is none."""


def read_predictions(path: Path) -> tuple[Prediction, ...]:
    """The predictions of a file, in its order; only a newline ends a line, and lines of blanks are passed over.

    Raises:
        PredictionsError: the file cannot be read, or a line is not such an object; the message names file and line.
    """
    try:
        lines = path.read_bytes().removeprefix(b"\xef\xbb\xbf").split(b"\n")
    except OSError as err:
        raise PredictionsError(f"cannot be read: {err.strerror}", where=str(path)) from err
    return tuple(_prediction(line, f"{path}:{number}") for number, line in enumerate(lines, start=1) if line.strip())


def join(predictions: Iterable[Prediction], wanted: Iterable[str], *, where: str) -> dict[str, str]:
    """The question of every wanted id, in the order of the wanted ids.

    Args:
        predictions: what a system wrote, in any order.
        wanted: ids of the records that are scored.
        where: the file, for the message.

    Raises:
        PredictionsError: an id is missing, not wanted or repeated; the message counts each kind and lists the first
            ten: the missing in the order of the wanted ids, the others in the file's.
    """
    given = list(predictions)
    times, order = Counter(prediction.id for prediction in given), list(wanted)
    known = set(order)
    wrong = {
        "missing": [ident for ident in order if ident not in times],
        "not in the benchmark's scored part": [ident for ident in times if ident not in known],
        "given more than once": [ident for ident, count in times.items() if count > 1],
    }
    if any(wrong.values()):
        what = "; ".join(_listed(kind, idents) for kind, idents in wrong.items() if idents)
        raise PredictionsError(what, where=where, remedy=f"Give each of the {len(order)} scored ids one line.")
    questions = dict(given)
    return {ident: questions[ident] for ident in order}


def _prediction(line: bytes, where: str) -> Prediction:
    try:
        data = orjson.loads(line)
    except orjson.JSONDecodeError as err:
        raise PredictionsError(f"not JSON: {err.msg} at character {err.pos + 1}", where=where, remedy=FORMAT) from err
    if not isinstance(data, dict):
        raise PredictionsError(f"not an object but {_kind(data)}", where=where, remedy=FORMAT)
    for key in ("id", "question"):
        if key not in data:
            raise PredictionsError(f"no key {key!r}", where=where, remedy=FORMAT)
    ident, question = data["id"], data["question"]
    if not isinstance(ident, str) or not ident.strip():
        raise PredictionsError(f"'id' must be a text that is not blank, not {_kind(ident)}", where=where, remedy=FORMAT)
    if question is not None and not isinstance(question, str):
        raise PredictionsError(f"'question' must be a text or null, not {_kind(question)}", where=where, remedy=FORMAT)
    return Prediction(ident, (question or "").strip())


def _listed(kind: str, idents: Sequence[str]) -> str:
    more = f" and {len(idents) - SHOWN} more" if len(idents) > SHOWN else ""
    return f"{len(idents)} {'id' if len(idents) == 1 else 'ids'} {kind}: {', '.join(map(repr, idents[:SHOWN]))}{more}"


def _kind(value: object) -> str:
    """What JSON calls a value."""
    if value is None:
        return "null"
    names = {bool: "true or false", int: "a number", float: "a number", str: "a blank text", list: "a list", dict: "an object"}
    return names[type(value)]
