"""A question about tables as a row of pieces: names of columns, values, dates, and the words between them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from agents.offline.tables.verifier_dates import Span, find_dates
from agents.offline.tables.verifier_words import PHRASES, PLAIN
from graph_sampler.labels import normalise_label
from state.interval import Granularity
from state.table_instance import ShownTable

_TOKEN = re.compile(r"\w+|[^\w\s]")
_VOCABULARY = PLAIN | {word for phrase in PHRASES for word in phrase}
_BETWEEN_NAME_AND_VALUE = frozenset(("of", "as", "the", "named", "called", "is", "was", "=", ":", '"', "'", "“", "‘", "(", "a", "an"))
_OF_SEVERAL = frozenset(("were", "have", "individuals", "people", "persons", "names", "leaders", "list"))
"""Words of questions that may name things in the plural."""
_QUOTES = frozenset("\"'“”‘’«»")


class Kind(Enum):
    """What a piece of a question is."""

    COLUMN = "column"
    VALUE = "value"
    DATE = "date"
    WORD = "word"


class Piece(NamedTuple):
    """A stretch of a question."""

    kind: Kind
    text: str
    """In normal form."""
    columns: frozenset[str] = frozenset()
    """Columns, in normal form, that it names or that have it as a value."""
    date: Span | None = None
    """Of a date."""


class Unread(Exception):
    """The question cannot be followed, or not in one way."""


class _Token(NamedTuple):
    raw: str
    normal: str
    start: int
    end: int


def column_key(name: str) -> str:
    """The form in which names of columns are compared: blanks for underscores."""
    return normalise_label(name.replace("_", " "))


def value_key(text: str) -> str:
    """The form in which values are compared: that of a piece of a question."""
    return _name(text).key


def pieces(question: str, tables: Sequence[ShownTable], unit: Granularity) -> list[Piece]:
    """The question cut into pieces, from left to right.

    Raises:
        Unread: two names share signs of it and neither holds the other, or one that reads like a condition stands there twice.
    """
    text = unicodedata.normalize("NFC", question)
    tokens = [_Token(one.group(), normalise_label(one.group()), *one.span()) for one in _TOKEN.finditer(text)]
    dates = find_dates(text, unit)
    names = {column_key(column): frozenset((column_key(column),)) for table in tables for column in table.columns}
    columns = [found for key in names for found in _find(_name(key), tokens, names[key], Kind.COLUMN)]
    taken = _longest([*columns, *_values(tables, tokens, columns, dates)])
    return _in_order(tokens, taken, [one for one in dates if not _is_hidden(one, tokens, taken)])


class _Name(NamedTuple):
    """A column or value, cut like the question."""

    raw: tuple[str, ...]
    normal: tuple[str, ...]
    key: str


@lru_cache(maxsize=65536)  # the same rows are shown with many questions
def _name(text: str) -> _Name:
    raw = tuple(_TOKEN.findall(unicodedata.normalize("NFC", text)))
    normal = tuple(map(normalise_label, raw))
    return _Name(raw, normal, " ".join(normal))


def _find(name: _Name, tokens: Sequence[_Token], columns: frozenset[str], kind: Kind) -> list[tuple[int, int, Piece]]:
    """Where a name stands, or its plural in a question about several: `Who were the Prime Ministers`."""
    size = len(name.normal)
    if not size:
        return []
    spellings = {name.normal}
    if len(name.normal[-1]) > 2 and any(token.normal in _OF_SEVERAL for token in tokens):
        spellings.add((*name.normal[:-1], f"{name.normal[-1]}s"))
    return [
        (at, at + size, Piece(kind, name.key, columns))
        for at, token in enumerate(tokens)
        if token.normal.startswith(name.normal[0]) and tuple(one.normal for one in tokens[at : at + size]) in spellings
    ]


def _values(
    tables: Sequence[ShownTable], tokens: Sequence[_Token], columns: Iterable[tuple[int, int, Piece]], dates: Sequence[Span]
) -> list[tuple[int, int, Piece]]:
    """Where values stand, each with the columns that it may belong to."""
    owners: dict[str, set[str]] = {}
    for table in tables:
        for place, name in enumerate(table.columns):
            for value in {row.values[place] for row in table.rows} - {""}:
                owners.setdefault(value, set()).add(column_key(name))
    found = []
    named = list(columns)
    for value, keys in owners.items():
        spelt = _name(value)
        for first, last, piece in _find(spelt, tokens, frozenset(keys), Kind.VALUE):
            is_verbatim = spelt.raw == tuple(token.raw for token in tokens[first:last])
            beside = _columns_beside(first, last, tokens, named) & keys
            is_quoted = first > 0 and last < len(tokens) and tokens[first - 1].raw in _QUOTES and tokens[last].raw in _QUOTES
            if _is_meant(tokens[first:last], first, is_verbatim=is_verbatim, is_marked=bool(beside) or is_quoted, dates=dates):
                found.append((first, last, piece._replace(columns=frozenset(beside) if beside else piece.columns)))
    wordy = [(first, last) for first, last, piece in found if _is_wordy(piece.text.split())]
    if len(wordy) != len({tuple(token.normal for token in tokens[first:last]) for first, last in wordy}):
        raise Unread("a name that reads like a condition stands there twice")
    as_written = {(first, last) for first, last, piece in found if piece.text == _written(tokens[first:last])}
    return [one for one in found if one[:2] not in as_written or one[2].text == _written(tokens[one[0] : one[1]])]


def _written(tokens: Sequence[_Token]) -> str:
    return " ".join(token.normal for token in tokens)


def _is_meant(tokens: Sequence[_Token], first: int, *, is_verbatim: bool, is_marked: bool, dates: Sequence[Span]) -> bool:
    """Whether words that spell a value stand for it: short and common ones only as they are written, or marked as a name."""
    if is_marked and is_verbatim:
        return True
    is_within_date = any(one.begin <= tokens[0].start and tokens[-1].end <= one.finish for one in dates)
    if is_within_date:
        return False
    if len(tokens) > 1:
        return not _is_wordy(token.normal for token in tokens)
    only = tokens[0]
    if only.normal in _VOCABULARY:
        return is_verbatim and first > 0 and only.raw[0].isupper()
    return is_verbatim or len(only.raw) > 3


def _is_wordy(words: Iterable[str]) -> bool:
    """Whether a name could be words of a question: `after 1999`."""
    return all(word in _VOCABULARY or word.isdecimal() for word in words)


def _columns_beside(first: int, last: int, tokens: Sequence[_Token], named: Sequence[tuple[int, int, Piece]]) -> set[str]:
    """Columns whose name stands right before these tokens, but for small words, or right after them."""
    before, after = first, last
    while before > 0 and first - before < 3 and tokens[before - 1].normal in _BETWEEN_NAME_AND_VALUE:
        before -= 1
    while after < len(tokens) and tokens[after].raw in _QUOTES and after - last < 1:
        after += 1
    beside: set[str] = set()
    for begin, end, piece in named:
        if before <= end <= first or begin == after:
            beside |= piece.columns
    return beside


def _longest(found: Sequence[tuple[int, int, Piece]]) -> list[tuple[int, int, Piece]]:
    """What no longer name holds; names of one stretch are one piece."""
    kept: dict[tuple[int, int], Piece] = {}
    for first, last, piece in found:
        if any(a <= first and last <= b and (a, b) != (first, last) for a, b, _ in found):
            continue
        if any(a < first < b < last for a, b, _ in found):
            raise Unread("two names share words")
        other = kept.get((first, last))
        if other is None or other.kind is Kind.COLUMN:
            kept[first, last] = piece
        elif piece.kind is Kind.VALUE:
            kept[first, last] = piece._replace(columns=piece.columns | other.columns)
    return [(first, last, piece) for (first, last), piece in sorted(kept.items())]


def _is_hidden(date: Span, tokens: Sequence[_Token], taken: Sequence[tuple[int, int, Piece]]) -> bool:
    """Whether a date is a part of a value."""
    return any(
        piece.kind is Kind.VALUE and tokens[first].start <= date.begin and date.finish <= tokens[last - 1].end
        for first, last, piece in taken
    )


def _in_order(tokens: Sequence[_Token], taken: Sequence[tuple[int, int, Piece]], dates: Sequence[Span]) -> list[Piece]:
    names = {first: (last, piece) for first, last, piece in taken}
    row: list[Piece] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        date = next((one for one in dates if one.begin <= token.start < one.finish), None)
        if date is not None:
            row.append(Piece(Kind.DATE, "", date=date))
            while at < len(tokens) and tokens[at].start < date.finish:
                at += 1
        elif at in names:
            at, piece = names[at]
            row.append(piece)
        else:
            row.append(Piece(Kind.WORD, token.normal))
            at += 1
    return row
