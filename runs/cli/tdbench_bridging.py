"""Commands that make temporal tables and graphs into one another: `tdbench to-graph` and `tdbench from-graph`."""

from __future__ import annotations

from typing import Annotated

import typer

from runs.cli.graph_sections import graph_section, telling
from runs.cli.options import ConfigFile, Debug, Json, Overrides, errors_as_lines, print_report

BridgeOut = Annotated[str, typer.Option("--out", metavar="DIR", help="Where to write the files and a config.", show_default=False)]


def to_graph(
    config: ConfigFile,
    table: Annotated[str, typer.Option("--table", metavar="T", help="A table of the config's tdbench.tables.", show_default=False)],
    subject: Annotated[str, typer.Option("--subject", metavar="COLUMN", help="Column of the subject.", show_default=False)],
    object_: Annotated[str, typer.Option("--object", metavar="COLUMN", help="Column of the object.", show_default=False)],
    out: BridgeOut,
    relation: Annotated[
        str | None, typer.Option("--relation", metavar="COLUMN", help="Column of the relation.", show_default=False)
    ] = None,
    relation_name: Annotated[
        str | None, typer.Option("--relation-name", metavar="TEXT", help="One relation for all rows.", show_default=False)
    ] = None,
    subject_id: Annotated[
        str | None, typer.Option("--subject-id", metavar="COLUMN", help="Column of the subject's id.", show_default=False)
    ] = None,
    object_id: Annotated[
        str | None, typer.Option("--object-id", metavar="COLUMN", help="Column of the object's id.", show_default=False)
    ] = None,
    overrides: Overrides = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Make a temporal table into a graph: one fact a row, and a config that reads it.

    A row that holds in [s, e) becomes a fact of [s, e - 1]; a missing end stays one. DIR gets the facts, the
    relations' types and bridge.yaml.

    \b
    Example:
        chronoqg tdbench to-graph my.yaml --table leaders --subject name --relation role --object country --out graph
        chronoqg tdbench to-graph my.yaml --table games --subject city --relation-name "hosted the Games of" --object season --out graph
    """
    with errors_as_lines(debug):
        import os
        from pathlib import Path

        from runs.config_file import load_config
        from state.errors import ConfigError, did_you_mean
        from tdbench.bridge import FactColumns
        from tdbench.bridge import to_graph as bridge
        from tdbench.tables.store import open_tables

        columns = FactColumns(subject, object_, relation, relation_name, subject_id, object_id)
        loaded = load_config(config, overrides or ())
        tables = loaded.config.tdbench.tables
        if table not in tables:
            remedy = did_you_mean(table, tables) if tables else "Define it there."
            raise ConfigError(f"no table {table!r} in tdbench.tables", where=config, remedy=remedy)
        with open_tables({table: tables[table]}, os.environ) as database:
            written = {"tdbench": loaded.config.tdbench.model_dump(mode="json", exclude_defaults=True)}
            report = bridge(database.connection, database.tables[table], columns, Path(out), written)
        print_report(report, as_json)


def from_graph(
    source: Annotated[
        str,
        typer.Argument(
            metavar="CONFIG_OR_PATH", help="A config, a graph's file or folder, bundled:years or bundled:days.", show_default=False
        ),
    ],
    relation: Annotated[list[str], typer.Option("--relation", metavar="ID_OR_LABEL", help="A relation; repeatable.", show_default=False)],
    out: BridgeOut,
    overrides: Overrides = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Make relations of a graph into a temporal table, and a config that reads it.

    The table has subject, relation, object, their ids where the graph has some, start and end, which is included.
    Facts without an end stay. DIR gets the table as CSV and bridge.yaml.

    \b
    Example:
        chronoqg tdbench from-graph bundled:years --relation "drove for" --out table
        chronoqg tdbench from-graph runs/quickstart.yaml --relation P39 --relation P54 --out table
    """
    with errors_as_lines(debug):
        from pathlib import Path

        from tdbench.bridge import from_graph as bridge
        from tdbench.bridge_asking import with_asking

        config, reasons = graph_section([source], None, overrides or ())
        with telling(reasons):
            report = bridge(config, relation, Path(out))
        print_report(with_asking(report), as_json)
