"""Temporal tables and graphs made into one another, so that either kind of question can be asked of either source.

A table's row holds in [s, e), a graph's fact in [s, e - 1]: the same granules, written in another way. A missing end stays
a missing end with its meaning. What this does to the thirteen relations stands in `docs/tdbench_bridge.md`.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import yaml

from graph_sampler.labels import label_problem
from runs.json_lines import write_whole
from state.config import Columns, GraphConfig, LabelTable
from state.errors import ConfigError, TableError
from state.interval import format_granule
from state.tdbench_config import TableConfig
from tdbench.bridge_report import GraphBridge, TableBridge
from tdbench.bridge_words import directed, glossary_of
from tdbench.graph_rows import GraphRow, graph_rows
from tdbench.table import END, START, TemporalTable, quote
from tdbench.tables.guesses import known_columns

OPEN = "open"
"""How the written graph says that a fact holds still; an end that is not known is left empty."""
FACT_COLUMNS = ("subject", "relation", "object", "start", "end")
CONFIG_FILE = "bridge.yaml"
_ID_COLUMNS = ("subject_id", "object_id")


@dataclass(frozen=True)
class FactColumns:
    """Which columns of a table make a fact."""

    subject: str
    object: str
    relation: str | None = None
    """Column of the relation; else all facts have `relation_name`."""
    relation_name: str | None = None
    subject_id: str | None = None
    """Columns of ids, both or none; without them a label is its own id."""
    object_id: str | None = None

    def __post_init__(self) -> None:
        if (self.relation is None) == (self.relation_name is None):
            raise ConfigError("a fact needs one relation", where="--relation", remedy="Give --relation COLUMN or --relation-name TEXT.")
        if self.relation_name is not None and not self.relation_name.strip():
            raise ConfigError("the relation has no name", where="--relation-name")
        if (self.subject_id is None) != (self.object_id is None):
            remedy = "Give both, or neither: labels and ids cannot be mixed."
            raise ConfigError("ids of one side only", where="--subject-id, --object-id", remedy=remedy)

    @property
    def named(self) -> dict[str, str]:
        """Option -> column."""
        fields = ("subject", "relation", "object", "subject_id", "object_id")
        return {f"--{name.replace('_', '-')}": column for name in fields if (column := getattr(self, name)) is not None}


class _Fact(NamedTuple):
    """A row of a table as the graph writes it: ids, labels, and half-open granules."""

    subject: str
    relation: str
    object: str
    start: int
    end: int | None


def to_graph(
    connection: Any, table: TemporalTable, columns: FactColumns, out: Path, also: Mapping[str, object] | None = None
) -> GraphBridge:
    """Writes a table as a graph that `graph.format: table` reads, with a config that says so.

    Every relation of the graph is one of intervals, by a types file: a row has a length even where it is one granule. One
    whose label is a noun is written as a link that says which side is which.

    Args:
        connection: to the DuckDB database that holds the table.
        table: what is known of it.
        columns: what makes a fact.
        out: the folder.
        also: sections of the config to be written beside `dataset` and `graph`.

    Raises:
        ConfigError: the table lacks a column.
        TableError: no row makes a fact with an end, or a relation holds a tab or a line end.
        RunFolderError: the disk refuses.
    """
    for option, column in columns.named.items():
        known_columns([column], table.columns, option, table.name)
    found, labels, incomplete = _facts(connection, table, columns)
    called = {relation: directed(relation, columns.subject) for relation in {fact.relation for fact in found}}
    found = [fact._replace(relation=called[fact.relation]) for fact in found]
    facts = sorted(set(found), key=lambda fact: (*fact[:4], fact.end is None, fact.end or 0))
    if not any(fact.end is not None for fact in facts):
        what = "no row makes a fact with an end" if facts else "no row has a subject, a relation and an object"
        raise TableError(what, where=table.name, remedy="A graph asks about facts whose start and end are known.")
    relations = sorted({fact.relation for fact in facts})
    for relation in relations:
        if any(sign in relation for sign in "\t\n\r"):
            raise TableError(f"the relation {relation!r} holds a tab or a line end", where=table.name, remedy="Name it otherwise.")
    unit, missing = table.granularity, OPEN if table.open_end == "ongoing" else ""
    cells = [
        [
            *fact[:3],
            format_granule(fact.start, unit),
            missing if fact.end is None else format_granule(fact.end - 1, unit),
        ]
        for fact in facts
    ]
    name, content = _table_file("facts", FACT_COLUMNS, cells)
    files = {name: content, "types.tsv": "".join(f"{relation}\tI\n" for relation in relations).encode()}
    label_table = None
    if columns.subject_id is not None:
        label_name, label_content = _table_file("labels", ("id", "label"), sorted(labels.items()))
        files[label_name] = label_content
        label_table = LabelTable(path=str(out / label_name), id="id", label="label", header=True)
    config = GraphConfig(
        path=str(out / name), format="table", granularity=unit, header=True, types=str(out / "types.tsv"), open_dates=(OPEN,),
        columns=Columns(**{column: column for column in FACT_COLUMNS}), entity_labels=label_table, name=table.name,
    )  # fmt: skip
    sections = {"dataset": table.name, "graph": _written(config), **(also or {})}
    _write(out, files, sections)
    subjects, objects = {fact.subject for fact in facts}, {fact.object for fact in facts}
    names = {ident: labels.get(ident, ident) for ident in subjects | objects}
    has_ids = columns.subject_id is not None
    unusable = sorted(label for ident, label in names.items() if label_problem(label, ident if has_ids else None) is not None)
    return GraphBridge(
        table=table.name, granularity=unit, rows=table.rows, facts=len(facts), incomplete=incomplete, repeated=len(found) - len(facts),
        open_ends=sum(fact.end is None for fact in facts), open_end=table.open_end, relations=len(relations), entities=len(names),
        on_both_sides=len(subjects & objects), unusable_names=len(unusable), unusable_examples=tuple(unusable[:3]),
        renamed={relation: label for relation, label in sorted(called.items()) if relation != label},
        meeting=_meeting(facts, lambda _: ()), handed_over=_handed_over(facts), files=(*files, CONFIG_FILE), folder=str(out),
    )  # fmt: skip


def from_graph(config: GraphConfig, relations: Sequence[str], out: Path) -> TableBridge:
    """Writes relations of a graph as one temporal table, with a config that says so.

    The rows are the source's own, before cleaning: one without an end stays, and so does a relation that the graph's
    typing deletes. Of an imported graph they are the facts that cleaning kept. Ends are written as the last granule,
    included.

    Args:
        config: the graph section of a config.
        relations: ids, or labels that one relation has; one or more.
        out: the folder.

    Raises:
        ConfigError: there is no such relation.
        GraphFormatError: the graph is refused.
        TableError: no row is left.
        RunFolderError: the disk refuses.
    """
    found = graph_rows(config, relations)
    unit = found.granularity
    header = [*FACT_COLUMNS[:3], *(_ID_COLUMNS if found.has_ids else ()), *FACT_COLUMNS[3:]]
    cells = []
    for row in found.rows:
        ids = (row.subject_id, row.object_id) if found.has_ids else ()
        end = "" if row.end is None else format_granule(row.end, unit)
        cells.append([row.subject, row.relation, row.object, *ids, format_granule(row.start, unit), end])
    name = table_name([found.labels[relation] for relation in found.relations])
    file = f"{name}.csv"
    table = TableConfig(
        path=str(out / file), start="start", end="end", granularity=unit, ends="inclusive", open_end=found.open_end, open_dates=(),
        keys=("subject", "object"), glossary=glossary_of([found.labels[relation] for relation in found.relations]),
    )  # fmt: skip
    sections = {
        "dataset": name,
        "graph": _written(config.model_copy(update={"granularity": unit})),
        "tdbench": {"tables": {name: _written(table, "granularity", "ends")}},
    }
    _write(out, {file: _csv(header, cells)}, sections)
    return TableBridge(
        table=name, granularity=unit, relations=tuple(found.labels[relation] for relation in found.relations), rows=found.read,
        kept=len(found.rows), left_out=found.left_out, open_ends=sum(row.end is None for row in found.rows), open_end=found.open_end,
        shared_names=found.shared_names, dropped_before=found.dropped_before, meeting=_sharing_a_granule(found.rows),
        files=(file, CONFIG_FILE), folder=str(out),
    )  # fmt: skip


def table_name(labels: Sequence[str]) -> str:
    """A name for a table of these relations.

    >>> table_name(["position held", "member of"])
    'position_held_and_member_of'
    """
    text = "".join(sign if sign.isascii() and sign.isalnum() else "_" for sign in " and ".join(labels))
    text = "_".join(filter(None, text.split("_")))
    return (text if text[:1].isalpha() else f"relation_{text}" if text else "relation")[:63]


def _facts(connection: Any, table: TemporalTable, columns: FactColumns) -> tuple[list[_Fact], dict[str, str], int]:
    """The facts of a table's rows, id -> label where there are ids, and how many rows lack a part."""
    ids = (columns.subject_id or columns.subject, columns.object_id or columns.object)
    wanted = [*ids, columns.subject, columns.object, *([columns.relation] if columns.relation is not None else [])]
    listed = ", ".join(map(quote, wanted))
    facts: list[_Fact] = []
    labels: dict[str, str] = {}
    incomplete = 0
    for start, end, *values in connection.execute(f"SELECT {START}, {END}, {listed} FROM {quote(table.name)}").fetchall():
        if None in values:
            incomplete += 1
            continue
        subject, object_, subject_label, object_label, *relation = values
        facts.append(_Fact(subject, relation[0] if relation else str(columns.relation_name), object_, start, end))
        if columns.subject_id is not None:
            for ident, label in ((subject, subject_label), (object_, object_label)):
                labels[ident] = min(label, labels.get(ident, label))  # as the loader of labels chooses
    return facts, labels, incomplete


def _meeting(facts: Sequence[_Fact], shared: Callable[[_Fact], object]) -> int:
    """Ordered pairs of facts of which one ends where the other begins, among those with the same key."""
    starts = Counter((shared(fact), fact.start) for fact in facts)
    return sum(starts[shared(fact), fact.end] for fact in facts if fact.end is not None)


def _handed_over(facts: Sequence[_Fact]) -> int:
    """Those of them with one relation and one subject or object."""
    by_subject = _meeting(facts, lambda fact: (fact.relation, fact.subject))
    by_object = _meeting(facts, lambda fact: (fact.relation, fact.object))
    return by_subject + by_object - _meeting(facts, lambda fact: fact[:3])


def _sharing_a_granule(rows: Sequence[GraphRow]) -> int:
    """Ordered pairs of facts that meet in the graph's sense: the last granule of one is the first of the other."""
    starts = Counter(row.start for row in rows if row.end is None or row.end > row.start)
    return sum(starts[row.end] for row in rows if row.end is not None and row.end > row.start)


def _table_file(stem: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> tuple[str, bytes]:
    """Name and content of a TSV, or of a Parquet file where a text holds what parts the cells of a TSV."""
    if not any("\t" in cell or "\n" in cell for row in rows for cell in row):
        return f"{stem}.tsv", "".join("\t".join(row) + "\n" for row in (header, *rows)).encode()
    columns = zip(*rows, strict=True)
    buffer = pa.BufferOutputStream()
    pq.write_table(pa.table({name: pa.array(column, pa.string()) for name, column in zip(header, columns, strict=True)}), buffer)
    return f"{stem}.parquet", buffer.getvalue().to_pybytes()


def _csv(header: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    file = io.StringIO()
    plain = csv.writer(file, lineterminator="\n")
    quoted = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL)
    for row in (header, *rows):
        (quoted if any("\r" in cell for cell in row) else plain).writerow(row)  # the module leaves a lone carriage return bare
    return file.getvalue().encode()


def _written(section: GraphConfig | TableConfig, *always: str) -> dict[str, object]:
    """What a section says that is not so by default, and some keys in any case."""
    said = section.model_dump(mode="json", exclude_defaults=True)
    return said | {key: value for key, value in section.model_dump(mode="json").items() if key in always}


def _write(out: Path, files: Mapping[str, bytes], sections: Mapping[str, object]) -> None:
    """The config last: where it stands, what it names is whole."""
    text = yaml.safe_dump(dict(sections), sort_keys=False, allow_unicode=True, width=120)
    for name, content in files.items():
        write_whole(out / name, (content,))
    write_whole(out / CONFIG_FILE, (text.encode(),))
