"""Labels out of a config's label tables, and out of ids that are names. Paper: section 4.2.1."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow.compute as pc

from graph_sampler.loaders.tables import KINDS, column_positions, open_table
from graph_sampler.raw_facts import RawFacts, RawLabels, Texts, alias_map, label_map
from state.config import GraphConfig, LabelTable
from state.errors import GraphFormatError

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NAME = re.compile(r"<.+>", re.DOTALL)


def labels_of_config(config: GraphConfig) -> RawLabels:
    """What the config's label tables say; `None` for entities or relations without a table.

    Raises:
        GraphFormatError: a file is missing or refused, or lacks a column.
    """
    entities, relations, aliases = config.entity_labels, config.relation_labels, config.entity_aliases
    return RawLabels(
        entities=_labels(entities, "graph.entity_labels") if entities else None,
        relations=_labels(relations, "graph.relation_labels", split_case=True) if relations else None,
        aliases=alias_map(_pairs(aliases, "graph.entity_aliases")) if aliases else {},
        entity_file=entities.path if entities else "",
        relation_file=relations.path if relations else "",
    )


def _pairs(table: LabelTable, key: str) -> Iterator[list[Texts]]:
    path = Path(table.path)
    known = any(suffix.lower() in KINDS for suffix in path.suffixes)
    reader = open_table(path, None if known else "tsv", header=table.header)
    positions = column_positions(reader, path, {"id": table.id, "label": table.label}, key)
    return ([pc.ascii_trim_whitespace(column) for column in batch] for batch in reader.batches(positions))


def _labels(table: LabelTable, key: str, *, split_case: bool = False) -> dict[str, str]:
    labels = label_map(_pairs(table, key))
    if table.style == "text":
        return labels
    return {identifier: read_name(label, split_case=split_case) for identifier, label in labels.items()}


def read_name(name: str, *, split_case: bool) -> str:
    """A name as words: angle brackets go, underscores are blanks, `wasBornIn` may become `was born in`."""
    name = name.strip().removeprefix("<").removesuffix(">").replace("_", " ")
    return _CAMEL.sub(" ", name).lower() if split_case else name


def label_names(ids: Iterable[str], *, split_case: bool = False) -> dict[str, str]:
    """Id -> label, for the ids that are names in angle brackets."""
    return {identifier: read_name(identifier, split_case=split_case) for identifier in ids if _NAME.fullmatch(identifier)}


def refuse_without_labels(raw: RawFacts, labels: RawLabels, path: Path) -> None:
    """Passes if some id has a label, where ids that are names in angle brackets are their own.

    Raises:
        GraphFormatError: no id of the facts has one, and the config names no label file.
    """
    for key, known, ids in (("entity", labels.entities, raw.entities), ("relation", labels.relations, raw.relations)):
        if ids and known == {}:
            what = f"its ids ({ids[0][:40]}) are no names, and there are no labels"
            raise GraphFormatError(what, where=str(path), remedy=f"Name a label file: graph.{key}_labels.path=FILE.")
