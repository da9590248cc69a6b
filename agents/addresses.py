"""Addresses of servers, and the secrets that may hide in them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit, urlunsplit

OPENAI = "https://api.openai.com/v1"
"""Used where a model names no address, never the environment's."""

_SHORTEST_SECRET = 6


class Address(NamedTuple):
    """An address taken apart."""

    url: str
    """What is connected to, user and password included, without the query."""
    query: dict[str, str]
    secrets: tuple[str, ...]
    """User's password and the query's values."""


def public_address(base_url: str | None) -> str:
    """The address without user, password, query and fragment: what may be stored."""
    parts = urlsplit(base_url or OPENAI)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "", ""))


def take_apart(base_url: str | None) -> Address:
    """The address with its secrets listed, as they stand and decoded."""
    parts = urlsplit(base_url or OPENAI)
    query = dict(parse_qsl(parts.query))
    hidden = [parts.username or "", parts.password or "", *query.values()]
    secrets = {form for text in hidden for form in (text, unquote(text)) if form}
    url = urlunsplit((parts.scheme, parts.netloc, parts.path, "", ""))
    return Address(url, query, tuple(sorted(secrets)))


def scrubbed(text: str, secrets: Iterable[str]) -> str:
    """The text with every secret replaced; very short ones would riddle it and are left."""
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= _SHORTEST_SECRET:
            text = text.replace(secret, "[secret]")
    return text
