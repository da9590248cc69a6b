"""Reads the queries of published question files; nothing of a query's own text is ever executed.

The dialect is one SELECT of columns from one table, conditions joined by AND (comparisons, BETWEEN, IS NULL), ORDER BY and
LIMIT. Strings stand in single or double quotes, and `date('2001-05-31', '-4 month')` moves a date. A name may stand in
double quotes: as in SQLite it is a column where the table has one of that name, and a string where not. What else there
is, a second statement, a comment, a subquery, a function, is refused.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

_LONGEST = 10_000
_TOKEN = re.compile(
    r"""\s*(?:
        (?P<word>[A-Za-z_][A-Za-z0-9_]*)
      | (?P<single>'(?:[^'\0]|'')*')
      | (?P<double>"(?:[^"\0]|"")*")
      | (?P<number>-?\d+(?:\.\d+)?)
      | (?P<sign><=|>=|<>|!=|=|<|>|\(|\)|,|\*)
    )""",
    re.VERBOSE | re.ASCII,
)
_MOVE = re.compile(r"([+-]?\d{1,4}) (day|month|year)s?", re.ASCII)
_COMPARATORS = ("=", "<>", "!=", "<", "<=", ">", ">=")
_KEYWORDS = frozenset((
    "select", "from", "where", "and", "or", "not", "between", "is", "null", "order", "by", "limit", "union", "join", "group",
    "having", "in", "like", "exists", "case", "with", "distinct", "as", "on", "offset", "except", "intersect", "using", "values",
))  # fmt: skip

Unit = Literal["day", "month", "year"]


class SqlRefused(ValueError):
    """A query is not of the dialect; the text says where it leaves it."""


class Column(NamedTuple):
    """A column, as the query spells it."""

    name: str


class Text(NamedTuple):
    """A string or a number."""

    value: str
    may_be_column: bool = False
    """Whether it stands in double quotes: a column, if the table has one of that name."""


class Moved(NamedTuple):
    """`date(...)` of a column or a string, moved by a number of units."""

    of: Column | Text
    number: int = 0
    unit: Unit = "day"


Operand = Column | Text | Moved


class Comparison(NamedTuple):
    """`left sign right`; BETWEEN gives two."""

    left: Operand
    sign: str
    right: Operand


class IsNull(NamedTuple):
    """`column IS NULL`, or `IS NOT NULL`."""

    column: Column
    is_negated: bool


class Select(NamedTuple):
    """A query."""

    columns: tuple[Column, ...]
    """Empty for `*`."""
    table: str
    conditions: tuple[Comparison | IsNull, ...]
    """All must hold."""
    order: Column | None = None
    descends: bool = False
    limit: int | None = None


class _Token(NamedTuple):
    kind: str
    text: str

    @property
    def value(self) -> str:
        """The text without its quotes, or in lower case."""
        if self.kind in ("single", "double"):
            quote = self.text[0]
            return self.text[1:-1].replace(quote * 2, quote)
        return self.text.lower()


def read_sql(sql: str) -> Select:
    """The query.

    >>> read_sql("select Name, start from t where Role = \\"King\\" and End IS NULL").conditions[1]
    IsNull(column=Column(name='End'), is_negated=False)

    Raises:
        SqlRefused: it is not of the dialect.
    """
    return _Reader(_tokens(sql)).select()


def _tokens(sql: str) -> list[_Token]:
    if len(sql) > _LONGEST:
        raise SqlRefused(f"it is longer than {_LONGEST} characters")
    tokens, place = [], 0
    sql = sql.rstrip()
    while place < len(sql):
        match = _TOKEN.match(sql, place)
        if match is None or match.end() == place or match.lastgroup is None:
            raise SqlRefused(f"at {sql[place : place + 20].strip()!r}")
        tokens.append(_Token(match.lastgroup, match[match.lastgroup]))
        place = match.end()
    return tokens


class _Reader:
    """Takes tokens one by one; no rule calls itself."""

    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens
        self._place = 0

    def select(self) -> Select:
        self._expect("select")
        columns = [] if self._takes("*") else self._columns()
        self._expect("from")
        table = self._name("a table")
        conditions: list[Comparison | IsNull] = []
        if self._takes("where"):
            conditions += self._condition()
            while self._takes("and"):
                conditions += self._condition()
        order, descends, limit = None, False, None
        if self._takes("order"):
            self._expect("by")
            order = Column(self._name("a column"))
            descends = self._takes("desc")
            if not descends:
                self._takes("asc")
        if self._takes("limit"):
            limit = self._whole()
        if self._place < len(self._tokens):
            raise self._refused("the end")
        return Select(tuple(columns), table, tuple(conditions), order, descends, limit)

    def _columns(self) -> list[Column]:
        columns = [Column(self._name("a column"))]
        while self._takes(","):
            columns.append(Column(self._name("a column")))
        return columns

    def _condition(self) -> list[Comparison | IsNull]:
        left = self._operand()
        if self._takes("is"):
            is_negated = self._takes("not")
            self._expect("null")
            if isinstance(left, Text) and left.may_be_column:
                left = Column(left.value)
            if not isinstance(left, Column):
                raise SqlRefused("IS NULL of no column")
            return [IsNull(left, is_negated)]
        if self._takes("between"):
            low = self._operand()
            self._expect("and")
            return [Comparison(left, ">=", low), Comparison(left, "<=", self._operand())]
        token = self._next("a comparison")
        if token.text not in _COMPARATORS:
            raise self._refused("a comparison", back=1)
        return [Comparison(left, "<>" if token.text == "!=" else token.text, self._operand())]

    def _operand(self) -> Operand:
        token = self._next("a column or a value")
        if token.kind == "word" and token.value == "date" and self._takes("("):
            return self._moved()
        return self._plain(token)

    def _plain(self, token: _Token) -> Column | Text:
        if token.kind == "word" and token.value not in _KEYWORDS:
            return Column(token.text)
        if token.kind in ("single", "double", "number"):
            return Text(token.value, token.kind == "double")
        raise self._refused("a column or a value", back=1)

    def _moved(self) -> Moved:
        of = self._plain(self._next("a date"))
        count, unit = 0, "day"
        if self._takes(","):
            token = self._next("a number of units")
            match = _MOVE.fullmatch(token.value) if token.kind in ("single", "double") else None
            if match is None:
                raise self._refused("a number of days, months or years", back=1)
            count, unit = int(match[1]), match[2]
        self._expect(")")
        return Moved(of, count, unit)  # type: ignore[arg-type]

    def _whole(self) -> int:
        token = self._next("a number")
        if token.kind != "number" or not token.text.isdecimal() or len(token.text) > 9:
            raise self._refused("a number", back=1)
        return int(token.text)

    def _name(self, what: str) -> str:
        token = self._next(what)
        if token.kind == "double":
            return token.value
        if token.kind != "word" or token.value in _KEYWORDS:
            raise self._refused(what, back=1)
        return token.text

    def _takes(self, word: str) -> bool:
        found = self._place < len(self._tokens) and self._tokens[self._place].kind in ("word", "sign")
        if found and self._tokens[self._place].value == word:
            self._place += 1
            return True
        return False

    def _expect(self, word: str) -> None:
        if not self._takes(word):
            raise self._refused(word.upper())

    def _next(self, what: str) -> _Token:
        if self._place >= len(self._tokens):
            raise self._refused(what)
        self._place += 1
        return self._tokens[self._place - 1]

    def _refused(self, what: str, back: int = 0) -> SqlRefused:
        place = self._place - back
        found = repr(self._tokens[place].text[:20]) if place < len(self._tokens) else "the end"
        return SqlRefused(f"{what} is due where it has {found}")
