"""The rows of a graph's source as they stand there, found by label.

Cleaning leaves out what our sampler cannot ask about (open times, relations that mix points and spells). The published
program asks about these, too, so the rows are taken as they are: only those without a known time are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.audit.timelinekgqa.times import BEGINNING, END, Span
from graph_sampler.labels import normalise_label
from graph_sampler.load import load_graph, read_source, resolve_path
from graph_sampler.loaders.dates import TimeKind, read_time
from graph_sampler.loaders.graph_file import is_graph_file
from graph_sampler.loaders.registry import FORMATS
from graph_sampler.temporal_graph import TemporalGraph
from state.config import GraphConfig
from state.interval import Granularity, days_from_civil

_NO_TIME = -(2**62)
_HEAD = 4096
_FORMAT = "timelinekgqa"


class StatedRow(NamedTuple):
    """A row of which one end is asked for."""

    name: int
    """Code of the entity at the other end."""
    span: Span
    """May end before it starts."""


class StatedFacts:
    """All rows with a time, by the normalised labels of their subject, predicate and object."""

    def __init__(
        self,
        name: str,
        entities: Sequence[str],
        predicates: Sequence[str],
        columns: Sequence[NDArray[np.int64]],
    ) -> None:
        """Index rows.

        Args:
            name: of the graph, for reports.
            entities: labels.
            predicates: labels.
            columns: subject, predicate and object as positions of labels; first and last day.
        """
        self.name = name
        self.names: list[str] = []
        """A label for each code."""
        self._entities, entity_code = _numbered(entities, self.names)
        self._predicates, predicate_code = _numbered(predicates, [])
        is_timed = (columns[3] != _NO_TIME) & (columns[4] != _NO_TIME)
        subject, predicate, object_, self._start, self._end = (column[is_timed] for column in columns)
        self.untimed = len(is_timed) - len(subject)
        """Rows left out: a time is not known."""
        ends = entity_code[subject], entity_code[object_]
        size = max(len(self.names), 1)
        keys = [predicate_code[predicate] * size + end for end in ends]
        self._orders = [np.argsort(key, kind="stable") for key in keys]
        self._keys = [key[order] for key, order in zip(keys, self._orders, strict=True)]
        self._others = ends[::-1]
        self._size = size

    def __len__(self) -> int:
        """Number of rows with a time."""
        return len(self._start)

    def code_of(self, label: str) -> int | None:
        """The code of an entity, or `None` where no row has it."""
        return self._entities.get(normalise_label(label))

    def rows(self, predicate: str, label: str, *, is_subject: bool) -> list[StatedRow]:
        """The rows of a predicate at an entity that is their subject, or their object, in the order of the source."""
        code, relation = self.code_of(label), self._predicates.get(normalise_label(predicate))
        if code is None or relation is None:
            return []
        place = 0 if is_subject else 1
        key, keys = relation * self._size + code, self._keys[place]
        found = self._orders[place][keys.searchsorted(key) : keys.searchsorted(key, "right")]
        starts, ends = self._start[found].tolist(), self._end[found].tolist()
        return [StatedRow(*row) for row in zip(self._others[place][found].tolist(), map(Span, starts, ends), strict=True)]

    def spells(self, subject: str, predicate: str, object_: str) -> set[Span]:
        """The times at which the source states a fact."""
        code = self.code_of(object_)
        return {row.span for row in self.rows(predicate, subject, is_subject=True) if row.name == code}


def stated_facts(config: GraphConfig) -> StatedFacts:
    """The rows of a config's files; of a graph file, which holds no others, its cleaned facts.

    A lone table in the published layout is known by its header where the config names no format.

    Raises:
        GraphFormatError: a file is missing or refused.
        ConfigError: a setting does not fit the format.
    """
    config = _told(config)
    paths = [config.path] if isinstance(config.path, str) else list(config.path)
    if config.format == "chronoqg" or (len(paths) == 1 and is_graph_file(Path(paths[0]))):
        return _of_graph(load_graph(config)[0])
    source = read_source(config)
    raw, labels = source.raw, source.labels
    entities = raw.entities if labels.entities is None else [labels.entities.get(ident) or ident for ident in raw.entities]
    predicates = raw.relations if labels.relations is None else [labels.relations.get(ident) or ident for ident in raw.relations]
    starts, ends = (
        np.array([_day(text, source.config, unknown, unbounded) for text in raw.times], np.int64)
        for unknown, unbounded in ((config.unknown_dates.start, BEGINNING), (config.unknown_dates.end, END))
    )
    columns = (raw.subject, raw.relation, raw.object, starts[raw.start], ends[raw.end])
    name = config.name or source.paths[0].name
    return StatedFacts(name, entities, predicates, [column.astype(np.int64) for column in columns])


def _told(config: GraphConfig) -> GraphConfig:
    """The config, its format set where only the file says it."""
    if config.format != GraphConfig.model_fields["format"].default or not isinstance(config.path, str):
        return config
    path, looks_like = resolve_path(config.path), FORMATS[_FORMAT].looks_like
    if not path.is_file() or looks_like is None:
        return config
    with path.open("rb") as file:
        head = file.read(_HEAD)
    return config.model_copy(update={"format": _FORMAT}) if looks_like(path, head) else config


def _day(text: str, config: GraphConfig, unknown: Sequence[str], unbounded: int) -> int:
    """The first day of a time of the source; the first or last day there is for one without bound."""
    dates: dict[str, Sequence[str]] = {"open_dates": config.open_dates, "unknown_dates": unknown}
    numbering = config.year_numbering
    found = read_time(text, Granularity.DAY, **({"numbering": numbering} if numbering else {}), **dates)  # type: ignore[arg-type]
    if found.kind is TimeKind.OPEN:
        return unbounded
    return found.low if found.kind in (TimeKind.EXACT, TimeKind.COARSE) else _NO_TIME


def _of_graph(graph: TemporalGraph) -> StatedFacts:
    first = _first_day(graph.granularity)
    bounds = [np.array(list(map(first, column.tolist())), np.int64) for column in (graph.start, graph.end)]
    columns = [column.astype(np.int64) for column in (graph.subject, graph.relation, graph.object)]
    entities, predicates = (
        [label or ident for label, ident in zip(*both, strict=True)]
        for both in ((graph.entity_labels, graph.entity_ids), (graph.relation_labels, graph.relation_ids))
    )
    return StatedFacts(graph.name, entities, predicates, [*columns, *bounds])


def _first_day(unit: Granularity) -> Callable[[int], int]:
    if unit is Granularity.DAY:
        return int
    if unit is Granularity.MONTH:
        return lambda granule: days_from_civil(1970 + granule // 12, granule % 12 + 1, 1)
    return lambda granule: days_from_civil(granule, 1, 1)


def _numbered(labels: Sequence[str], names: list[str]) -> tuple[dict[str, int], NDArray[np.int64]]:
    """Normalised label -> code, and the code of each label; `names` takes the first label of each."""
    codes: dict[str, int] = {}
    found = np.empty(len(labels), np.int64)
    for place, label in enumerate(labels):
        code = found[place] = codes.setdefault(normalise_label(label), len(codes))
        if code == len(names):
            names.append(label)
    return codes, found
