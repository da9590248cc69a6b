"""Small pieces of RDF text: escapes, literals, prefixes and names, on bytes and without a parser.

Published dumps break their own syntax often enough that a strict parser stops; a loader splits lines itself and
comes here for the terms that it keeps. Paper: section 4.2.1.
"""

from __future__ import annotations

import re

_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL)
_PLAIN = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}
_LITERAL = re.compile(rb'"([^"\\]*(?:\\.[^"\\]*)*)"(?:@([A-Za-z]+(?:-[A-Za-z0-9]+)*)|\^\^(<[^<>\s]*>|\S+))?', re.DOTALL)
_DECLARED = re.compile(rb"\s*@?prefix\s+([^\s:]*):\s*<([^<>\s]*)>\s*\.?\s*", re.IGNORECASE)
_BASE = re.compile(rb"\s*@?base\s+<([^<>\s]*)>\s*\.?\s*", re.IGNORECASE)
_DATE = re.compile(r"([+-]?\d{1,6})(?:-(\d\d)(?:-(\d\d)(?:T.*)?)?)?(?:Z|[+-]\d\d:\d\d)?", re.ASCII | re.DOTALL)
_PARTS = {"year": 1, "month": 2, "day": 3}
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def unescape(text: str) -> str:
    """The text without its backslash escapes; an escape that does not exist stays as it is."""
    return _ESCAPE.sub(_meaning, text) if "\\" in text else text


def _meaning(match: re.Match[str]) -> str:
    sign = match[1]
    if sign[0] in "uU" and len(sign) > 1:
        code = int(sign[1:], 16)
        return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else match[0]
    return _PLAIN.get(sign) or (sign if sign in "\"'\\" else match[0])


def read_literal(term: bytes) -> tuple[bytes, bytes, bytes] | None:
    """Value (still escaped), language (lower case) and datatype of the literal that `term` begins with.

    What follows the literal is not looked at; `None` where there is no literal.
    """
    match = _LITERAL.match(term)
    return (match[1], (match[2] or b"").lower(), match[3] or b"") if match else None


def literal_text(value: bytes) -> str:
    """A literal's value as text."""
    return unescape(value.decode("utf-8", "replace"))


class Prefixes:
    """The prefixes and the base that one file has declared so far."""

    def __init__(self) -> None:
        self._spaces: dict[bytes, bytes] = {}
        self._base = b""

    def declare(self, line: bytes) -> bool:
        """Whether the line is a declaration; if so it is kept."""
        if match := _DECLARED.fullmatch(line):
            self._spaces[match[1]] = match[2]
        elif match := _BASE.fullmatch(line):
            self._base = match[1]
        return match is not None

    def iri(self, term: bytes) -> bytes | None:
        """The IRI of a term, written in full, relative or with a prefix; `None` for anything else."""
        if term.startswith(b"<"):
            if len(term) < 3 or not term.endswith(b">"):
                return None
            return term[1:-1] if b":" in term else self._base + term[1:-1]
        prefix, colon, local = term.partition(b":")
        space = self._spaces.get(prefix) if colon else None
        return None if space is None else space + local


def name_in_words(local: str) -> str:
    """`wasBornIn` as `was born in`, `date_of_birth` as `date of birth`."""
    return _HUMP.sub(" ", local.replace("_", " ")).lower().strip()


def is_finer(precision: str, granularity: str) -> bool:
    """Whether a precision (`day`, `month` or `year`) is as fine as a granularity or finer."""
    return _PARTS[precision] >= _PARTS[granularity]


def cut_date(value: str, precision: str) -> str | None:
    """An XML Schema date, or the year or month of one, cut to a precision; the year gets four digits. `None` for no date."""
    match = _DATE.fullmatch(value)
    if match is None:
        return None
    year, *rest = match.groups()
    sign = "-" if year.startswith("-") else ""
    return "-".join((sign + year.lstrip("+-").zfill(4), *(part for part in rest[: _PARTS[precision] - 1] if part)))
