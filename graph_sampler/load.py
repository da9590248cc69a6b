"""Graph section of a config -> cleaned graph and report. Paper: section 4.2.1."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from graph_sampler.cleaning import clean
from graph_sampler.loaders.counters import ImportCounters
from graph_sampler.loaders.graph_file import is_graph_file, read_graph, write_graph
from graph_sampler.loaders.graph_format import Format
from graph_sampler.loaders.registry import FORMATS, guess_formats
from graph_sampler.raw_facts import RawFacts, RawLabels, without_unused_ids
from graph_sampler.temporal_graph import TemporalGraph
from state.config import NO_GRAPH, GraphConfig
from state.errors import ConfigError, GraphFormatError, did_you_mean
from state.graph_options import GraphOptions
from state.graph_report import CleaningReport

BUNDLED = "bundled:"
"""Prefix of the graphs that the package carries."""
_SOME_READ = frozenset(("table", "header", "columns", "entity_labels", "relation_labels", "entity_aliases"))
"""Keys of the graph section that only some layouts read."""
_DATA = Path(__file__).parent / "data"


class Source(NamedTuple):
    """The rows of a config's files as they stand there, before cleaning."""

    raw: RawFacts
    labels: RawLabels
    config: GraphConfig
    """The section, with the layout's own count of years where it gave none."""
    paths: list[Path]
    counters: ImportCounters
    """What the loader counted, to be counted on while cleaning."""


def load_graph(config: GraphConfig) -> tuple[TemporalGraph, CleaningReport]:
    """The cleaned graph of a config and the account of every row of its files.

    Raises:
        GraphFormatError: a file is missing or refused, or no fact is left.
        ConfigError: a setting does not fit the format.
    """
    if (file := graph_file_of(config)) is not None:
        return read_graph(file, config)
    graph, account, _ = _clean_source(config)
    return graph, account()


def import_graph(config: GraphConfig, sink: Any) -> tuple[TemporalGraph, CleaningReport]:
    """The cleaned graph of a config and its report, written to a stream or path as one graph file.

    Raises:
        GraphFormatError: as `load_graph`, or the source is a graph file already.
        ConfigError: a setting does not fit the format.
    """
    if (file := graph_file_of(config)) is not None:
        raise GraphFormatError("a graph file already", where=str(file), remedy="Copy it, or import the source that it came from.")
    graph, account, read_by = _clean_source(config)
    with ThreadPoolExecutor(max_workers=1) as thread:
        report = thread.submit(account)  # it hashes and counts while the rows are written
        write_graph(graph, report.result, read_by, sink)
    return graph, report.result()


def _clean_source(config: GraphConfig) -> tuple[TemporalGraph, Callable[[], CleaningReport], GraphConfig]:
    """Graph, what makes the report, and the config by which the source was read."""
    try:
        raw, labels, config, paths, counters = read_source(config)
        graph, account = clean(*_keep_apart(raw, labels), config, config.name or graph_name(paths), counters)
    except GraphFormatError as err:
        raise GraphFormatError(err.what, where=err.where, remedy=f"{err.remedy} {_other_layout(config)}".strip()) from None
    imported = counters.report(config.format).model_copy(update={"licence": config.licence, "origin": config.source})
    return graph, lambda: account().model_copy(update={"source": imported}), config


def _other_layout(config: GraphConfig) -> str:
    """What to do if a source that was refused looks like another layout than the one by which it was read."""
    try:
        guessed = guess_formats(resolve_path(config.path if isinstance(config.path, str) else config.path[0]))
    except GraphFormatError:
        return ""
    name = next(iter(guessed), None)
    if name is None or config.format in guessed:
        return ""
    unit = FORMATS[name].granularity
    by_unit = "" if unit is config.granularity else f" and graph.granularity: {unit.value}"
    return f"Is it {FORMATS[name].title}, since {guessed[name]}? Then set graph.format: {name}{by_unit}."


def graph_file_of(config: GraphConfig) -> Path | None:
    """The graph file that the config names, by its format or by its content; `None` where it names a source.

    Raises:
        ConfigError: the config names no graph, or several where a graph file is due.
    """
    named = [config.path] if isinstance(config.path, str) else list(config.path)
    if config.path == NO_GRAPH:
        remedy = "Name one under graph.path; what is asked of temporal tables is built by `chronoqg tdbench build`."
        raise ConfigError("the config names no graph", where="graph.path", remedy=remedy)
    if config.format == "chronoqg":
        if len(named) != 1:
            raise ConfigError("an imported graph is one file", where="graph.path", remedy="Name one path.")
        return Path(named[0])
    is_default = config.format == GraphConfig.model_fields["format"].default
    return Path(named[0]) if is_default and len(named) == 1 and is_graph_file(Path(named[0])) else None


def read_source(config: GraphConfig) -> Source:
    """The rows and labels of a config's files.

    Raises:
        GraphFormatError: a file is missing or refused.
        ConfigError: a setting does not fit the format.
    """
    paths = [resolve_path(path) for path in ([config.path] if isinstance(config.path, str) else config.path)]
    if not paths:
        raise ConfigError("no file is named", where="graph.path")
    if twice := [path for number, path in enumerate(paths) if path in paths[:number]]:
        raise ConfigError(f"{twice[0]} is named twice", where="graph.path", remedy="Name it once.")
    layout = FORMATS[config.format]
    _refuse_unread(config, layout)
    counters = ImportCounters()
    config = config.model_copy(update={"year_numbering": config.year_numbering or layout.year_numbering})
    raw, labels = layout.load(paths, config, counters)
    return Source(without_unused_ids(raw), labels, config, paths, counters)


def _refuse_unread(config: GraphConfig, layout: Format) -> None:
    """Passes if the layout reads every setting that is not what it is by default."""
    # Not by which keys were set: a resolved config sets every key.
    readers = {key: [other for other in FORMATS.values() if key in other.settings] for key in _SOME_READ}
    unread = sorted(key for key in _SOME_READ - layout.settings if getattr(config, key) != GraphConfig.model_fields[key].default)
    if unread:
        names = " or ".join(other.name for other in readers[unread[0]])
        remedy = "A CronKG folder brings its own labels." if layout.name == "cronkg" else f"Leave it out with format: {layout.name}."
        raise ConfigError(f"is read with format: {names} only", where=f"graph.{unread[0]}", remedy=remedy)
    options, default = config.options, GraphOptions()
    for key in GraphOptions.model_fields:
        if key not in layout.options and getattr(options, key) != getattr(default, key):
            known = ", ".join(sorted(layout.options)) or "none"
            raise ConfigError(f"is not read with format: {layout.name}", where=f"graph.options.{key}", remedy=f"It reads: {known}.")


def _keep_apart(raw: RawFacts, labels: RawLabels) -> tuple[RawFacts, RawLabels]:
    """A relation whose id is an entity's too is written `relation:ID`, since a record has one label for each id.

    Where its label is its id, it stays.
    """
    shared = set(raw.relations).intersection(raw.entities)
    if not shared or labels.relations is None:
        return raw, labels
    written = {identifier: f"relation:{identifier}" for identifier in shared}
    relations = {written.get(key, key): label for key, label in labels.relations.items()}
    types = {written.get(key, key): letter for key, letter in labels.types.items()}
    return (
        replace(raw, relations=[written.get(identifier, identifier) for identifier in raw.relations]),
        replace(labels, relations=relations, types=types),
    )


def resolve_path(path: str) -> Path:
    """Where a path of the config points to, `bundled:NAME` being a folder of the package.

    Raises:
        GraphFormatError: the package carries no graph of that name.
    """
    if not path.startswith(BUNDLED):
        return Path(path)
    folder = _DATA / path.removeprefix(BUNDLED)
    if folder.parent != _DATA or not folder.is_dir():
        known = [BUNDLED + child.name for child in _DATA.iterdir() if child.is_dir()]
        raise GraphFormatError("no such bundled graph", where=path, remedy=did_you_mean(path, known))
    return folder


def graph_name(paths: list[Path]) -> str:
    """The last part of a lone path, else the folder of the first."""
    return (paths[0] if len(paths) == 1 else paths[0].resolve().parent).name
