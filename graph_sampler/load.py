"""Graph section of a config -> cleaned graph and report. Paper: section 4.2.1."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from graph_sampler.cleaning import clean
from graph_sampler.loaders.cronkg import load_cronkg, load_types
from graph_sampler.loaders.table import load_table
from graph_sampler.raw_facts import RawFacts, RawLabels
from graph_sampler.temporal_graph import TemporalGraph
from state.config import GraphConfig
from state.errors import ConfigError, GraphFormatError, did_you_mean
from state.graph_report import CleaningReport

BUNDLED = "bundled:"
"""Prefix of the graphs that the package carries."""
_TABLE_KEYS = {"table", "header", "columns", "entity_labels", "relation_labels", "entity_aliases"}
_DATA = Path(__file__).parent / "data"


def load_graph(config: GraphConfig) -> tuple[TemporalGraph, CleaningReport]:
    """The cleaned graph of a config and the account of every row of its files.

    Raises:
        GraphFormatError: a file is missing or refused, or no fact is left.
        ConfigError: a setting does not fit the format.
    """
    paths = [resolve_path(path) for path in ([config.path] if isinstance(config.path, str) else config.path)]
    if not paths:
        raise ConfigError("no file is named", where="graph.path")
    types = Path(config.types) if config.types else None
    if config.format == "table":
        raw, labels = load_table(paths, config)
        labels.types = load_types(types) if types else {}
    else:
        # Not by which keys were set: a resolved config sets every key.
        unread = sorted(key for key in _TABLE_KEYS if getattr(config, key) != GraphConfig.model_fields[key].default)
        if unread:
            raise ConfigError(
                "is read with format: table only", where=f"graph.{unread[0]}", remedy="A CronKG folder brings its own labels."
            )
        if len(paths) > 1:
            raise ConfigError("a graph in CronKG layout is one folder", where="graph.path", remedy="Name one path.")
        raw, labels = load_cronkg(paths[0], types)
    return clean(*_keep_apart(raw, labels), config, config.name or graph_name(paths))


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
