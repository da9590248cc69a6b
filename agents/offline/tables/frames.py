"""What is asked and of what, as English that a condition on time can follow; three phrasings for each kind of table.

A small lexicon of what columns are called makes good English of the usual tables (an office and whose it is, a law and
where it holds); any other table gets sentences that name its columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from agents.offline.tables.time_clauses import OFFICE, PLAIN, SPOKEN, TRAILING, Voice

_PERSONS = frozenset(("name", "person", "leader", "holder", "office holder", "officeholder", "head", "incumbent"))
"""Columns that are asked for by `who`."""
_OFFICES = frozenset(("role", "office", "position", "post", "job", "function", "rank"))
_BODIES = frozenset((
    "country", "organisation", "organization", "organisation name", "organization name", "company", "company name", "state",
    "place", "city", "region", "party", "institution", "agency", "university", "club",
))  # fmt: skip
"""Columns whose value an office belongs to."""
_LAWS = frozenset(("law", "law type", "legal matter"))
_STATUSES = frozenset(("status", "legality", "legal status"))
_EVENTS = frozenset(("event", "event name", "game name"))
"""Columns whose value says by itself that it is something that happens."""
_ARTICLE_STARTS = ("United ", "European ", "African ")
_ARTICLE_ENDS = (" Republic", " Islands", " Union", " States", " Kingdom", " Emirates", " Federation", " Bank", " Fund", " Nations")
_ARTICLE_WHOLE = frozenset(("Netherlands", "Philippines", "Bahamas", "Gambia", "Maldives", "Seychelles", "Vatican"))


class Fixed(NamedTuple):
    """What a question calls a column, and the value that it must have."""

    column: str
    value: str


class Frame(NamedTuple):
    """The parts of a sentence, each in three phrasings."""

    always: tuple[str, str, str]
    """The whole question where nothing is said of time."""
    before_as_of: tuple[str, str, str]
    """For a question about one moment, what stands before the date."""
    after_as_of: tuple[str, str, str]
    """And what stands after it."""
    timed: tuple[str, str, str]
    """What a condition on time follows."""
    voices: tuple[Voice, Voice, Voice]


def frame(asked: str, given: Sequence[Fixed]) -> Frame:
    """The sentences that ask for a column, given others.

    Args:
        asked: what the column is called.
        given: what the others are called, and their values.
    """
    by_column = {_plain(one.column): one.value for one in given}
    offices = [value for column, value in by_column.items() if column in _OFFICES]
    bodies = [value for column, value in by_column.items() if column in _BODIES]
    laws = [value for column, value in by_column.items() if column in _LAWS]
    if _plain(asked) in _PERSONS and len(offices) == 1 and len(offices) + len(bodies) == len(given) <= 2:
        return _office(offices[0] + "".join(f" of {with_article(body)}" for body in bodies))
    if _plain(asked) in _STATUSES and len(laws) == 1 and len(laws) + len(bodies) == len(given) <= 2:
        return _status(_plain(asked), laws[0] + "".join(f" in {with_article(body)}" for body in bodies))
    return _entries(_wh(asked), f"for {_listed(given)}" if given else "in the table")


def meanwhile(asked: str, own: Sequence[Fixed], shared: Sequence[str], others: Sequence[Fixed]) -> tuple[str, str, str]:
    """The sentences that ask for a column of one table while a thing of another table holds.

    Args:
        asked: what the column is called.
        own: given columns of its table.
        shared: columns that say of what the asked row is, and that the other thing leads to.
        others: what names the other thing.
    """
    during = _event(others)
    whose = " and ".join(_plain(column) for column in shared)
    if _plain(asked) in _PERSONS and len(own) == 1 and _plain(own[0].column) in _OFFICES:
        office = f"{own[0].value} of the {whose}"
        return (
            f"Who was {office} during {during}",
            f"During {during}, who served as {office}",
            f"Who held the position of {office} at the time of {during}",
        )
    wh = _wh(asked)
    things = f"the {whose}" + (f" and {_listed(own)}" if own else "")
    return (
        f"{_capital(wh)} is recorded for {things} during {during}",
        f"During {during}, {wh} is listed for {things}",
        f"{_capital(wh)} is on record for {things} at the time of {during}",
    )


def with_article(name: str) -> str:
    """A name with `the`, if it is one that takes it."""
    takes = name.startswith(_ARTICLE_STARTS) or name.endswith(_ARTICLE_ENDS) or name in _ARTICLE_WHOLE
    return f"the {name}" if takes else name


def _plain(column: str) -> str:
    words = column.replace("_", " ").split()
    return " ".join(word.lower() if word[1:].islower() or len(word) == 1 else word for word in words)


def _wh(asked: str) -> str:
    return "who" if _plain(asked) in _PERSONS else f"which {_plain(asked)}"


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _listed(given: Sequence[Fixed]) -> str:
    return " and ".join(f"{_plain(one.column)} {one.value}" for one in given)


def _event(named: Sequence[Fixed]) -> str:
    """What happens meanwhile: an event by its name alone, as in `the 1948 Summer Olympics`."""
    if len(named) == 1 and _plain(named[0].column) in _EVENTS:
        return f"the {named[0].value}" if named[0].value[0].isdigit() else named[0].value
    return _listed(named)


def _office(office: str) -> Frame:
    return Frame(
        always=(
            f"Who has been {office} at any time",
            f"Who has ever served as {office}",
            f"Regardless of dates, who has been recorded as {office}",
        ),
        before_as_of=("As of ", f"Who holds the position of {office} as of ", ""),
        after_as_of=(f", who is {office}", "", f", who is serving as {office}"),
        timed=(f"Who was {office} in a term that ", f"Who served as {office}, ", f"Of all who have been {office}, who "),
        voices=(PLAIN, TRAILING, OFFICE),
    )


def _status(status: str, law: str) -> Frame:
    return Frame(
        always=(
            f"What has the {status} of {law} been at any time",
            f"Which {status} has ever been recorded for {law}",
            f"Regardless of dates, which {status} has been recorded for {law}",
        ),
        before_as_of=("As of ", f"Which {status} is recorded for {law} as of ", ""),
        after_as_of=(f", what is the {status} of {law}", "", f", which {status} applies to {law}"),
        timed=(
            f"What was the {status} of {law} in a period that ",
            f"Which {status} applied to {law}, ",
            f"Of all entries for {law}, which {status} is given in one that ",
        ),
        voices=(PLAIN, TRAILING, SPOKEN),
    )


def _entries(asked: str, things: str) -> Frame:
    capital = _capital(asked)
    return Frame(
        always=(
            f"{capital} has been recorded {things} at any time",
            f"{capital} has ever been listed {things}",
            f"Regardless of dates, {asked} has been on record {things}",
        ),
        before_as_of=("As of ", f"{capital} is listed {things} as of ", ""),
        after_as_of=(f", {asked} is recorded {things}", "", f", {asked} is on record {things}"),
        timed=(
            f"{capital} is recorded {things} in an entry that ",
            f"{capital} is listed {things}, ",
            f"Of all entries {things}, {asked} is recorded in one that ",
        ),
        voices=(PLAIN, TRAILING, SPOKEN),
    )
