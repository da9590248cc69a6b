"""ICEWS and GDELT event sets: points in days, with labels in the rows or with numbers and time indexes.

With labels (MMKB): subject, relation, object, `YYYY-MM-DD`. With numbers (RE-Net, RE-GCN): subject id,
relation id, object id, time index, and in some copies a fifth column of padding; `entity2id` and
`relation2id` lie beside. An index is no date: the config says which day is 0, and how far the index
grows in one day. Paper: section 4.2.1.
"""

from __future__ import annotations

import re
from math import gcd
from pathlib import Path

import numpy as np

from graph_sampler.loaders.counters import ImportCounters
from graph_sampler.loaders.cronkg import load_types
from graph_sampler.loaders.graph_format import HEAD_BYTES, Format
from graph_sampler.loaders.id_tables import find_file, name_ids, read_id_table
from graph_sampler.loaders.label_tables import labels_of_config
from graph_sampler.loaders.multitq import has_underscores
from graph_sampler.loaders.quadruples import first_line, part_files, read_quadruples
from graph_sampler.loaders.text_lines import TsvReader, read_head
from graph_sampler.raw_facts import RawFacts, RawLabels, renamed
from state.config import GraphConfig
from state.errors import ConfigError, GraphFormatError
from state.interval import Granularity, days_from_civil, format_granule, is_date

_PREFIXES = ("", "icews_2014_", "icews_2005-2015_", "icews_2005-15_", "icews_2005_2015_", "icews14_", "icews05-15_")
_ENTITIES, _RELATIONS = ("entity2id.txt", "entity2id"), ("relation2id.txt", "relation2id")
_DATE = re.compile(r"-?\d{4}-\d\d-\d\d\Z")
_UNROLLED = {(12554, 24): "Wikidata12k", (10623, 10): "YAGO11k"}
"""Entities and relations of the two graphs whose spells are unrolled to a row a year in this layout."""
_FEWEST_TO_TELL = 100
"""Rows below which their times are not looked at for unrolled spells."""
_LARGEST = 1 << 40
_WIDTH = 4
_PADDING = frozenset(("0", "-1"))


def _load(paths: list[Path], config: GraphConfig, counters: ImportCounters) -> tuple[RawFacts, RawLabels]:
    files = part_files(paths, _PREFIXES)
    cells = TsvReader(files[0]).first
    raw = _indexed(files, cells, config, counters) if _is_indexed(cells) else _labelled(files, cells, config, counters)
    labels = labels_of_config(config)
    labels.types = load_types(Path(config.types)) if config.types else {}
    return raw, labels


def _is_indexed(cells: list[str]) -> bool:
    return len(cells) in (4, 5) and all(cell.strip().lstrip("-").isdecimal() for cell in cells)


def _labelled(files: list[Path], cells: list[str], config: GraphConfig, counters: ImportCounters) -> RawFacts:
    for key in ("origin", "step"):
        if len(cells) == _WIDTH and getattr(config.options, key) is not None:
            remedy = "It is for rows with a time index; these have dates."
            raise ConfigError("is not read with labelled rows", where=f"graph.options.{key}", remedy=remedy)
    return read_quadruples(files, counters)


def _indexed(files: list[Path], cells: list[str], config: GraphConfig, counters: ImportCounters) -> RawFacts:
    if len(cells) == 5 and cells[4].strip() not in _PADDING:
        what = f"a fifth column {cells[4]!r}, which is padding (0 or -1) in this layout and never an end"
        raise GraphFormatError(what, where=f"{files[0]}, line 1", remedy="Rows with start and end are read with graph.format: hyte.")
    folder = files[0].parent
    tables = [find_file(folder, *names) for names in (_ENTITIES, _RELATIONS)]
    if None in tables:
        raise GraphFormatError("no entity2id.txt and relation2id.txt beside the facts", where=str(folder), remedy="They name the numbers.")
    entities, relations = (read_id_table(path) for path in tables if path is not None)
    known = _UNROLLED.get((len(entities.texts), len(relations.texts)))
    raw = read_quadruples(files, counters, len(cells))
    if known is not None or _is_unrolled(raw):
        raise GraphFormatError(
            "spells unrolled to one row for each step of time, which cannot be rolled up again without guessing",
            where=str(folder),
            remedy=f"The same facts with their dates are in {known or 'YAGO11k and Wikidata12k'}: graph.format: hyte.",
        )
    for path in (entities.path, relations.path):
        counters.read(path)
    return renamed(name_ids(raw, entities, relations, counters), time=_Days(config, raw.times, files[0]).text)


def _is_unrolled(raw: RawFacts) -> bool:
    """Whether half of the rows go on where another of the same triple was one step of the index before; events do not."""
    indexes = np.array([min(int(text), _LARGEST) if text.strip().isdecimal() else -1 for text in raw.times], dtype=np.int64)
    if len(raw.subject) < _FEWEST_TO_TELL or indexes.max() <= 0:
        return False
    columns = (indexes[raw.start] // np.gcd.reduce(indexes[indexes > 0]), raw.object, raw.relation, raw.subject)
    rows = np.unique(np.stack([column.astype(np.int64) for column in columns[::-1]], axis=1), axis=0)
    steps = np.diff(rows, axis=0)
    goes_on = (steps[:, :3] == 0).all(axis=1) & (steps[:, 3] == 1)
    return 2 * int(goes_on.sum()) >= len(rows)


class _Days:
    """Time index -> ISO date."""

    def __init__(self, config: GraphConfig, indexes: list[str], file: Path) -> None:
        origin, step = config.options.origin, config.options.step
        if origin is None or step is None:
            key = "origin" if origin is None else "step"
            raise ConfigError(
                "is needed: the time column holds indexes",
                where=f"graph.options.{key}",
                remedy="Such as origin: 2018-01-01 and step: 24 where the index counts hours from that day.",
            )
        found = gcd(*(int(text) for text in indexes if text.strip().isdecimal()))
        # With a few days out of many the index may well grow by several days.
        one_is_one = len(indexes) > 2 and found != step and 1 in (found, step)
        if found and (one_is_one or (step % found and found % step)):
            what = f"the time index grows by {found}, which does not fit a day of {step}"
            raise ConfigError(what, where="graph.options.step", remedy=f"Look at the fourth column of {file.name}.")
        sign = -1 if origin.startswith("-") else 1
        year, month, day = (int(part) for part in origin.removeprefix("-").split("-"))
        if not is_date(sign * year, month, day):
            raise ConfigError(f"the calendar has no day {origin}", where="graph.options.origin", remedy="Give a day as YYYY-MM-DD.")
        self._first, self._step = days_from_civil(sign * year, month, day), step

    def text(self, index: str) -> str:
        """The day of an index; an index that is no number stays, and is a bad date."""
        index = index.strip()
        return format_granule(self._first + int(index) // self._step, Granularity.DAY) if index.isdecimal() else f"index {index}"


def _looks_like(path: Path, head: bytes) -> str | None:
    if path.is_dir():
        try:
            file = part_files([path], _PREFIXES)[0]
        except GraphFormatError:
            return None
        head = read_head(file, HEAD_BYTES)
    else:
        file = path
    cells = first_line(head)
    beside = find_file(file.parent, *_ENTITIES) and find_file(file.parent, *_RELATIONS)
    if beside and _is_indexed(cells) and (len(cells) == 4 or cells[4].strip() in _PADDING):
        return "entity2id and relation2id lie beside facts of three numbers and a time index"
    if len(cells) == 4 and _DATE.match(cells[3]) and not has_underscores(head):
        return "line 1 has three labels and a day"
    return None


FORMAT = Format(
    name="icews",
    title="ICEWS and GDELT event sets (labels and days, or numbers and time indexes)",
    load=_load,
    looks_like=_looks_like,
    granularity=Granularity.DAY,
    settings=frozenset(("entity_labels", "relation_labels", "entity_aliases")),
    options=frozenset(("origin", "step", "partial_labels")),
    notes="Points only. Labels are the ids and stay as they are, uneven case and no-break spaces included; CAMEO codes, as GDELT's "
    "relations, need graph.relation_labels. With time indexes, graph.options.origin and graph.options.step say what an index means.",
)
"""The layouts of the event sets."""
