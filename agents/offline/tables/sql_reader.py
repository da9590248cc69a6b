"""Reads the SQL that a question about tables is shown as: one SELECT, whose last two columns are the row's times."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from state.errors import ModelReplyError
from state.interval import parse_iso
from state.tdbench_question import Comparator

_TOKEN = re.compile(r"""\s*(?:"((?:[^"]|"")*)"|'((?:[^']|'')*)'|(<=|>=|[<>=,.()])|([A-Za-z_]\w*))""")


class UnreadableSql(ModelReplyError):
    """The text is not the SQL of a question."""


class Column(NamedTuple):
    """A column as it is written, with its table or without."""

    table: str
    """Empty where the query names none."""
    name: str

    def called(self, glossary: Mapping[str, str]) -> str:
        """What a question calls it; its name if the glossary has none."""
        return glossary.get(f"{self.table}.{self.name}" if self.table else self.name, self.name)


class Given(NamedTuple):
    """A column and the value that it must have."""

    column: Column
    value: str


class Comparison(NamedTuple):
    """A bound of a row, a sign, and an ISO date."""

    bound: Literal["start", "end"]
    sign: Comparator
    date: str


class ReadSql(NamedTuple):
    """What a query asks."""

    asked: Column
    """The column that is asked for."""
    given: tuple[Given, ...]
    """In the order of the text."""
    shared: tuple[Column, ...]
    """Columns on which the tables are joined, as the first of them has them; empty for one table."""
    comparisons: tuple[Comparison, ...]
    """In the order of the text."""


def read_sql(text: str) -> ReadSql:
    """What a query asks, in its own names.

    Tables are joined on equal columns and overlapping times, and nothing else.

    Raises:
        UnreadableSql: it is not one SELECT of one column and two times with comparisons joined by AND.
    """
    tokens = _tokens(text)
    _expect(tokens, _Token("word", "SELECT"))
    chosen, token = [], _COMMA
    while token == _COMMA:
        column, token = _column(tokens)
        chosen.append(column)
    if token != _Token("word", "FROM") or len(chosen) != 3:
        raise _unreadable("it does not select one column and two times from a table")
    asked, start, end = chosen
    _name(tokens)
    token, shared = _joins(tokens)
    given, comparisons, keyword = [], [], "WHERE"
    while token != _END:
        if token != _Token("word", keyword):
            raise _unreadable(f"there is no {keyword} where one is due")
        column, sign = _column(tokens)
        value = _text(tokens)
        if column in (start, end):
            comparisons.append(Comparison("start" if column == start else "end", _comparator(sign), _date(value)))
        elif sign == _EQUALS:
            given.append(Given(column, value))
        else:
            raise _unreadable(f"a value is compared by {sign.text}")
        keyword, token = "AND", next(tokens)
    if len({parse_iso(one.date)[1] for one in comparisons}) > 1:
        raise _unreadable("its dates are of several units")
    return ReadSql(asked, tuple(given), tuple(dict.fromkeys(shared)), tuple(comparisons))


class _Token(NamedTuple):
    kind: Literal["name", "text", "sign", "word", "end"]
    text: str


_END, _COMMA, _EQUALS = _Token("end", ""), _Token("sign", ","), _Token("sign", "=")


def _joins(tokens: Iterator[_Token]) -> tuple[_Token, list[Column]]:
    """The token after the tables, and the columns that they share."""
    shared = []
    token = next(tokens)
    while token == _Token("word", "JOIN"):
        _name(tokens)
        _expect(tokens, _Token("word", "ON"))
        token = _Token("word", "AND")
        while token == _Token("word", "AND"):
            first = next(tokens)
            if first == _Token("sign", "("):
                _overlap(tokens)
                token = next(tokens)
                continue
            column, sign = _column(tokens, first)
            if sign != _EQUALS:
                raise _unreadable("tables are joined on more than equal columns")
            shared.append(column)
            _, token = _column(tokens)
    return token, shared


def _overlap(tokens: Iterator[_Token]) -> None:
    """The rest of `(start, end) OVERLAPS (start, end)`."""
    for closing in (_Token("word", "OVERLAPS"), None):
        for sign in (_COMMA, _Token("sign", ")")):
            if _column(tokens)[1] != sign:
                raise _unreadable("times are not compared by OVERLAPS")
        if closing is not None:
            _expect(tokens, closing)
            _expect(tokens, _Token("sign", "("))


def _tokens(text: str) -> Iterator[_Token]:
    at = 0
    while at < len(text.rstrip()):
        found = _TOKEN.match(text, at)
        if found is None:
            raise _unreadable(f"nothing is known that begins like {text[at : at + 12]!r}")
        at = found.end()
        name, value, sign, word = found.groups()
        if name is not None:
            yield _Token("name", name.replace('""', '"'))
        elif value is not None:
            yield _Token("text", value.replace("''", "'"))
        elif sign is not None:
            yield _Token("sign", sign)
        else:
            yield _Token("word", word.upper())
    while True:
        yield _END


def _expect(tokens: Iterator[_Token], wanted: _Token) -> None:
    if next(tokens) != wanted:
        raise _unreadable(f"there is no {wanted.text}")


def _name(tokens: Iterator[_Token], token: _Token | None = None) -> str:
    kind, text = token or next(tokens)
    if kind != "name":
        raise _unreadable("a quoted name is missing")
    return text


def _column(tokens: Iterator[_Token], token: _Token | None = None) -> tuple[Column, _Token]:
    """A column, and the token after it."""
    first = _name(tokens, token)
    following = next(tokens)
    if following != _Token("sign", "."):
        return Column("", first), following
    return Column(first, _name(tokens)), next(tokens)


def _comparator(token: _Token) -> Comparator:
    if token.kind != "sign" or token.text not in ("<", "<=", "=", ">=", ">"):
        raise _unreadable("a comparison has no sign")
    return token.text  # type: ignore[return-value]


def _text(tokens: Iterator[_Token]) -> str:
    kind, text = next(tokens)
    if kind != "text":
        raise _unreadable("a quoted value is missing")
    return text


def _date(text: str) -> str:
    try:
        parse_iso(text)
    except ValueError as error:
        raise _unreadable(f"{text!r} is no ISO date") from error
    return text


def _unreadable(why: str) -> UnreadableSql:
    return UnreadableSql(f"the SQL cannot be read: {why}", remedy="build the questions again")
