"""Which column a question asks for, and which values of the others it gives."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod

from agents.offline.tables.verifier_text import Kind, Piece, Unread
from agents.offline.tables.verifier_words import PERSONS, WHO

_MOST_CHOICES = 32
_ASKING = frozenset(("which", "what"))

Wanted = dict[str, str]
"""Column -> value, both in normal form."""


def asked_column(pieces: Sequence[Piece], columns: Sequence[str]) -> str:
    """The column that is asked for, in normal form.

    Raises:
        Unread: no one column is.
    """
    beside = [_is_beside_value(at, pieces) for at in range(len(pieces))]
    named = [
        column
        for at, piece in enumerate(pieces)
        if piece.kind is Kind.COLUMN and _after_wh(at, pieces) and not beside[at]
        for column in piece.columns
    ]
    if named:
        return _only(named)
    given = {next(iter(piece.columns)) for piece in pieces if piece.kind is Kind.VALUE and len(piece.columns) == 1}
    free = [column for column in columns if column not in given]
    if any(piece.text in WHO for piece in pieces if piece.kind is Kind.WORD):
        persons = [column for column in free if column in PERSONS]
        return _only(persons or free)
    loose = [
        column
        for at, piece in enumerate(pieces)
        if piece.kind is Kind.COLUMN and not beside[at]
        for column in piece.columns
        if column in free
    ]
    return _only(loose or free)


def wanted_values(pieces: Sequence[Piece], asked: str) -> list[Wanted]:
    """Every way in which the values of a question belong to columns.

    Raises:
        Unread: nothing is given, a value is that of the asked column alone, or one column has two.
    """
    options = _options(pieces, asked)
    if not options:
        raise Unread("nothing is given")
    if prod(len(columns) for _, columns in options) > _MOST_CHOICES:
        raise Unread("values of too many columns")
    choices = [
        dict(zip(chosen, (text for text, _ in options), strict=True))
        for chosen in product(*(sorted(columns) for _, columns in options))
        if len(set(chosen)) == len(chosen)
    ]
    mentioned = {column for piece in pieces if piece.kind is Kind.COLUMN for column in piece.columns} - {asked}
    choices = [choice for choice in choices if mentioned <= choice.keys()] or choices
    if not choices:
        raise Unread("two values of one column")
    return choices


def _options(pieces: Sequence[Piece], asked: str) -> list[tuple[str, frozenset[str]]]:
    """Each value with the columns that it may belong to; what is said twice may be one value, or one of each of two columns."""
    options: list[tuple[str, frozenset[str]]] = []
    for piece in pieces:
        if piece.kind is not Kind.VALUE:
            continue
        columns = piece.columns - {asked}
        if not columns:
            raise Unread("a value of the asked column is given")
        again = next((one for one in options if one[0] == piece.text and one[1] & columns), None)
        if again is not None:
            options.remove(again)
            columns &= again[1]
        options.append((piece.text, columns))
    return options


def _only(columns: Sequence[str]) -> str:
    if len(set(columns)) != 1:
        raise Unread("it is not clear which column is asked for")
    return columns[0]


def _after_wh(at: int, pieces: Sequence[Piece]) -> bool:
    """Whether `which` or `what` stands right before a column, or before it and a form of `be` or `have`."""
    back = at - 1
    while (
        back >= 0
        and pieces[back].kind is Kind.WORD
        and pieces[back].text in ("the", "was", "is", "were", "are", "has", "did", "of", "these")
    ):
        back -= 1
    return back >= 0 and pieces[back].kind is Kind.WORD and pieces[back].text in _ASKING


def _is_beside_value(at: int, pieces: Sequence[Piece]) -> bool:
    """Whether a column stands with a value of its own, as in `country Poland`."""
    column = pieces[at].columns
    ahead = at + 1
    while (
        ahead < len(pieces) and pieces[ahead].kind is Kind.WORD and pieces[ahead].text in ("of", "the", '"', "'", "named", "called", "as")
    ):
        ahead += 1
    is_before = ahead < len(pieces) and pieces[ahead].kind is Kind.VALUE and bool(pieces[ahead].columns & column)
    is_after = at > 0 and pieces[at - 1].kind is Kind.VALUE and bool(pieces[at - 1].columns & column)
    return is_before or is_after
