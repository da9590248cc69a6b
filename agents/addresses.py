"""Addresses of servers, and the secrets that may hide in them."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit, urlunsplit

OPENAI = "https://api.openai.com/v1"
"""Used where a model names no address, never the environment's."""

_SHORTEST_SECRET = 6


class Address(NamedTuple):
    """An address taken apart."""

    url: str
    """What is connected to, without user, password and query."""
    query: dict[str, str]
    authorization: str | None
    """The header that user and password stand for; `None` without them."""
    secrets: tuple[str, ...]
    """User, password, their header and the query's values."""


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
    authorization = None
    if parts.username or parts.password:
        encoded = b64encode(f"{unquote(parts.username or '')}:{unquote(parts.password or '')}".encode()).decode()
        secrets.add(encoded)
        authorization = f"Basic {encoded}"
    return Address(public_address(base_url), query, authorization, tuple(sorted(secrets)))


def scrubbed(text: str, secrets: Iterable[str]) -> str:
    """The text with every secret replaced; very short ones would riddle it and are left."""
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= _SHORTEST_SECRET:
            text = text.replace(secret, "[secret]")
    return text
