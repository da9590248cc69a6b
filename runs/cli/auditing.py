"""The command that checks somebody's benchmark against its graph or its tables: `audit`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Protocol

import typer

from runs.cli.graph_sections import graph_section, telling
from runs.cli.options import Debug, Json, Overrides, errors_as_lines
from runs.terminal import progress, say, write_json, write_out

if TYPE_CHECKING:
    from state.config import GraphConfig


class Format(StrEnum):
    """The formats of a benchmark file."""

    OURS = "ours"
    RELEASE = "chronoqg-release"
    TDBENCH = "tdbench"
    TIMELINEKGQA = "timelinekgqa"


def audit(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A benchmark: JSON Lines or one JSON array, plain or gzip.", show_default=False)
    ],
    graph: Annotated[
        str | None,
        typer.Option("--graph", metavar="G", help="A graph's file or folder, bundled:years or a config.", show_default=False),
    ] = None,
    tables: Annotated[
        str | None,
        typer.Option(
            "--tables", metavar="T", help="For questions about tables: a CSV file, a folder of them or a config.", show_default=False
        ),
    ] = None,
    form: Annotated[
        Format | None,
        typer.Option("--format", help="The file's format. Default: that of its first record.", show_default=False),
    ] = None,
    as_of: Annotated[
        str | None,
        typer.Option(
            "--as-of", metavar="DAY", help="With --tables: dates past it are to come. Default: a table's last.", show_default=False
        ),
    ] = None,
    overrides: Overrides = None,
    out: Annotated[
        str | None,
        typer.Option("--out", metavar="DIR", help="Write audit.json and audit.csv, one row a defect, into DIR.", show_default=False),
    ] = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Execute a benchmark's records again on its graph, or its tables, and report their defects.

    Every record is run whole and without its constraints; its questions, ids and facts or rows are looked at.
    Exit code 1 if a record has a defect or a line is no record. The layout of a bare path is guessed, as by `graph inspect`.

    \b
    Example:
        chronoqg audit runs/output/quickstart/benchmark/years-S.jsonl --graph bundled:years
        chronoqg audit theirs.jsonl.gz --graph runs/cron.yaml --set graph.path=DIR --format chronoqg-release --out audit
        chronoqg audit basic_0_sql_gpt4o.jsonl.gz --tables dataset/crafted --as-of 2025-05-04
        chronoqg audit unified_kg_cron_questions_all.json --graph unified_kg_cron.csv
    """
    with errors_as_lines(debug):
        _check_options(graph, tables, form, as_of)
        if out is not None:
            from evaluation.audit.report import refuse_unwritable_audit

            refuse_unwritable_audit(Path(out))
        report: Printable
        if tables is not None:
            from evaluation.audit.tdbench.auditor import audit_tables, published_tables

            with published_tables(tables, overrides or (), as_of) as published, progress() as advance:
                report = audit_tables(Path(file), published, advance)
        else:
            config, reasons = graph_section([str(graph)], None, overrides or ())
            with telling(reasons):
                report = _on_graph(Path(file), config, form)
        if as_json:
            write_json(report.as_json())
        else:
            write_out(report.lines())
        for path in report.write(Path(out)) if out is not None else ():
            say(f"wrote {path}")
        raise typer.Exit(0 if report.is_clean else 1)


class Printable(Protocol):
    """What an audit of either kind came to."""

    @property
    def is_clean(self) -> bool:
        """Whether nothing has a defect."""
        ...

    def lines(self) -> list[str]:
        """For a person."""
        ...

    def as_json(self) -> bytes:
        """For a machine."""
        ...

    def write(self, folder: Path) -> list[Path]:
        """Writes its files; returns their paths."""
        ...


def _on_graph(file: Path, config: GraphConfig, form: Format | None) -> Printable:
    """The audit of records that were made from a graph."""
    from evaluation.audit.timelinekgqa.items import is_timeline_file

    if form is Format.TIMELINEKGQA or (form is None and is_timeline_file(file)):
        from evaluation.audit.timelinekgqa.auditor import audit_timeline
        from evaluation.audit.timelinekgqa.facts import stated_facts

        facts = stated_facts(config)
        with progress() as advance:
            return audit_timeline(file, facts, advance)
    from evaluation.audit.auditor import audit_file
    from evaluation.audit.cases import FileFormat
    from graph_sampler.load import load_graph

    loaded, _ = load_graph(config)
    with progress() as advance:
        return audit_file(file, loaded, None if form is None else FileFormat(form.value), advance)


def _check_options(graph: str | None, tables: str | None, form: Format | None, as_of: str | None) -> None:
    """Passes if one source is named, and the options are its own."""
    from state.errors import ConfigError

    if (graph is None) == (tables is None):
        remedy = "Give --graph for records made from a graph, or --tables for published questions about tables."
        raise ConfigError("a file is audited against one source", where="--graph, --tables", remedy=remedy)
    if form is not None and (form is Format.TDBENCH) != (tables is not None):
        needed = "--tables" if form is Format.TDBENCH else "--graph"
        raise ConfigError(f"format {form.value} is audited with {needed}", where="--format")
    if as_of is not None and tables is None:
        raise ConfigError("only questions about tables have an as-of day", where="--as-of", remedy="Leave it out, or give --tables.")
