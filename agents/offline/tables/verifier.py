"""The verifier of tables by rules: question text in, every value of the asked column that fits out, or "cannot tell".

It reads the question alone, builds conditions on values and times, and runs them on the rows it is shown. It shares no
code with the rewriter, and abstains rather than guess: where a word is not explained, or where readings that are equally good name
different values. Paper: TDBench, section 3.3.
"""

from __future__ import annotations

from collections.abc import Sequence

from agents.offline.tables.verifier_dates import Span
from agents.offline.tables.verifier_names import Wanted, asked_column, wanted_values
from agents.offline.tables.verifier_rows import Record, joined, records
from agents.offline.tables.verifier_tests import Reading, granule, keeps
from agents.offline.tables.verifier_text import Kind, Piece, Unread, column_key, pieces
from agents.offline.tables.verifier_time import Symbol, read_time
from agents.offline.tables.verifier_words import PHRASES, PLAIN, RECORDED, Sign
from state.roles import AnswersReply
from state.table_roles import TableVerifyRequest

CANNOT_TELL = AnswersReply(answers=(), cannot_tell=True)
_LONGEST = max(map(len, PHRASES))
_NEED_A_DATE = frozenset((
    Sign.BEFORE, Sign.AFTER, Sign.UP_TO, Sign.FROM_ON, Sign.IN, Sign.AS_OF, Sign.WHOLE, Sign.FROM, Sign.SINCE, Sign.UNTIL, Sign.TO,
    Sign.BY, Sign.BETWEEN, Sign.BEYOND,
))  # fmt: skip
_MAY_BE_PLAIN = frozenset((Sign.IN, Sign.AS_OF, Sign.FROM, Sign.TO))


def answer_from_rows(request: TableVerifyRequest) -> AnswersReply:
    """Every distinct value of the asked column that fits the question, in order; or `cannot_tell`.

    Of several tables, rows whose times overlap are joined on the columns of one name, if the question says that the one
    holds while the other does.
    """
    try:
        return AnswersReply(answers=_answers(request), cannot_tell=False)
    except Unread:
        return CANNOT_TELL


def _answers(request: TableVerifyRequest) -> tuple[str, ...]:
    row = pieces(request.question, request.tables, request.unit)
    symbols, names = _symbols(row)
    is_joined = any(symbol.sign is Sign.MEANWHILE for symbol in symbols)
    if is_joined != (len(request.tables) > 1):
        raise Unread("several tables need a question about two things at a time, and one table must not have one")
    kept = joined(request.tables, request.unit) if is_joined else records(request.tables[0], request.unit)
    columns = tuple(dict.fromkeys(column_key(column) for table in request.tables for column in table.columns))
    asked = asked_column(names, columns)
    if asked not in columns:
        raise Unread("no column of the tables is asked for")
    as_of = None if request.as_of is None else granule(request.as_of, request.unit)
    readings = read_time([symbol for symbol in symbols if symbol.sign is not Sign.MEANWHILE], as_of)
    found = {_fitting(kept, asked, wanted, reading) for wanted in wanted_values(names, asked) for reading in readings}
    if len(found) != 1:
        raise Unread("readings differ")
    return tuple(sorted(found.pop()))


def _fitting(kept: Sequence[Record], asked: str, wanted: Wanted, reading: Reading) -> frozenset[str]:
    return frozenset(
        record.values[asked]
        for record in kept
        if record.values.get(asked)
        and all(record.keys.get(column) == value for column, value in wanted.items())
        and keeps(record.times, reading)
    )


def _symbols(row: Sequence[Piece]) -> tuple[list[Symbol], list[Piece]]:
    """The phrases and dates of a question, and its pieces without the words of phrases longer than one.

    Raises:
        Unread: a word is not known.
    """
    symbols: list[Symbol] = []
    names: list[Piece] = []
    at = 0
    while at < len(row):
        piece = row[at]
        if piece.kind is Kind.DATE and isinstance(piece.date, Span):
            symbols.append(Symbol(piece.date, at, at + 1))
        elif piece.kind is Kind.VALUE:
            names.append(piece)
        elif found := _phrase(row, at):
            sign, size = found
            symbols.append(Symbol(sign, at, at + size))
            at += size
            continue
        elif piece.kind is Kind.COLUMN or piece.text in PLAIN:
            names.append(piece)
        else:
            raise Unread(f"{piece.text!r} is not understood")
        at += 1
    return symbols, names


def _is_of_date(after: Sequence[Piece]) -> bool:
    """Whether `of` and a date follow, as in `the end of 1999`."""
    return len(after) == 2 and after[0].text == "of" and after[1].kind is Kind.DATE


def _phrase(row: Sequence[Piece], at: int) -> tuple[Sign, int] | None:
    """The longest phrase that begins here, if it makes sense before what follows it."""
    for size in range(min(_LONGEST, len(row) - at), 0, -1):
        stretch = row[at : at + size]
        if any(piece.kind not in (Kind.WORD, Kind.COLUMN) for piece in stretch):
            continue
        sign = PHRASES.get(tuple(word for piece in stretch for word in piece.text.split()))
        if sign is None or (size == 1 and stretch[0].kind is Kind.COLUMN):
            continue
        following = row[at + size] if at + size < len(row) else None
        has_date = following is not None and following.kind is Kind.DATE
        if size == 1 and sign in (Sign.BEGIN, Sign.END) and _is_of_date(row[at + 1 : at + 3]):
            raise Unread("the start or end of a date is none of a row")
        if sign is Sign.IN and stretch[0].text == "during" and not has_date:
            return Sign.MEANWHILE, size
        if sign in _NEED_A_DATE and not has_date and not (sign is Sign.UNTIL and following is not None and following.text == "at"):
            if sign in _MAY_BE_PLAIN and all(piece.text in PLAIN for piece in stretch):
                continue
            raise Unread("a date is missing")
        if sign is Sign.IS and following is not None and following.text in RECORDED:
            return Sign.ALWAYS, size
        return sign, size
    return None
