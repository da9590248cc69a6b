"""Entities of Wikidata's JSON, one at a time: the dump's array with one entity a line, JSON Lines, or a small whole document.

Lines are passed over by their bytes before anything is parsed; a dump is hundreds of gigabytes, of which a few percent
state a time. Paper: section 4.2.1.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from graph_sampler.loaders.counters import ImportCounters
from graph_sampler.loaders.text_lines import read_blocks, read_whole
from state.errors import GraphFormatError
from state.graph_report import ImportCounter

Entity = dict[str, Any]
_LARGEST_DOCUMENT = 1 << 28
_ID = re.compile(rb'"id"\s*:\s*"([QPL]\d+)"')
_ID_WITHIN = 400
"""Where in a line the entity's own id stands; what is found further on may be another's."""
_CLAIMS = re.compile(rb'"(?:claims|statements)"\s*:')
"""What holds ids of others, and comes first where the keys are sorted."""


def read_entities(path: Path, counters: ImportCounters, is_wanted: Callable[[bytes], bool]) -> Iterator[Entity]:
    """The entities of a file whose line is wanted; lines that are no JSON are counted as malformed.

    Args:
        path: the file.
        counters: takes malformed lines.
        is_wanted: a cheap test on the bytes of a line; all entities of a document that has lines of its own are wanted.

    Raises:
        GraphFormatError: the file is missing, damaged, or no JSON of entities.
    """
    is_first, is_open = True, False
    for block, first in read_blocks(path):
        for number, line in enumerate(block.split(b"\n"), first):
            text = line.strip().removesuffix(b",")
            if text in (b"", b"[", b"]", b"[]"):
                is_open = text == b"[" or (is_open and not text)
                continue
            is_open = is_open and text[-1:] != b"]"
            text = text.removeprefix(b"[").removesuffix(b"]") if text[:1] == b"[" or text[-1:] == b"]" else text
            if is_first:
                entity = _parsed(text)
                if entity is None:
                    yield from _document(path, number, text)
                    return
                is_first = False
            if is_wanted(text):
                entity = _parsed(text)
                if entity is None:
                    counters.add(ImportCounter.MALFORMED)
                else:
                    yield from _within(entity)
    if is_first:
        raise GraphFormatError("no entity in this file", where=str(path))
    if is_open:
        counters.note(f"{path.name} is cut off: its array is never closed.")


def line_id(line: bytes) -> str | None:
    """The id of the entity in a line, `None` where only parsing can tell."""
    claims = _CLAIMS.search(line, 0, _ID_WITHIN)
    match = _ID.search(line, 0, claims.start() if claims else _ID_WITHIN)
    return match[1].decode("ascii") if match else None


def as_map(value: Any) -> Mapping[str, Any]:
    """A map of the JSON, in which empty maps are written as empty lists."""
    return value if isinstance(value, dict) else {}


def as_maps(value: Any) -> list[dict[str, Any]]:
    """The maps of a list of the JSON; none where it is no list."""
    return [part for part in value if isinstance(part, dict)] if isinstance(value, list) else []


def _parsed(text: bytes) -> Entity | None:
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict) else None


def _document(path: Path, line: int, text: bytes) -> Iterator[Entity]:
    """The entities of a file that is one document over many lines."""
    where = f"{path}, line {line}"
    if text.startswith((b"<", b"@prefix", b"_:")):
        raise GraphFormatError(
            "RDF where JSON is due: truthy N-Triples have no qualifiers, so they give labels and untimed edges, no timed fact",
            where=where,
            remedy="Use the JSON dump (latest-all.json).",
        )
    if text[:1] in b"{[" or text[:1] == b'"':
        content = read_whole(path, _LARGEST_DOCUMENT)
        try:
            value = orjson.loads(content)
        except orjson.JSONDecodeError as err:
            raise GraphFormatError(f"not JSON: {err.msg}", where=where, remedy="A dump has one entity a line.") from None
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, dict):
                yield from _within(part)
        return
    raise GraphFormatError("not JSON", where=where, remedy="Wikidata's JSON dump has one entity a line.")


def _within(value: Entity) -> Iterator[Entity]:
    """The entity, or the entities of an answer of Wikidata's interface."""
    entities = value.get("entities")
    if isinstance(entities, dict):
        yield from (entity for entity in entities.values() if isinstance(entity, dict))
    else:
        yield value
