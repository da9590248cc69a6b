"""The command that checks somebody's benchmark against its graph: `audit`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from runs.cli.options import Debug, Json, Overrides, errors_as_lines
from runs.terminal import progress, say, write_json, write_out


class Format(StrEnum):
    """The formats of a benchmark file."""

    OURS = "ours"
    RELEASE = "chronoqg-release"


def audit(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A benchmark: JSON Lines or one JSON array, plain or gzip.", show_default=False)
    ],
    graph: Annotated[
        str,
        typer.Option("--graph", metavar="G", help="bundled:years, a folder in CronKG layout or a config.", show_default=False),
    ],
    form: Annotated[
        Format | None,
        typer.Option("--format", help="The file's format. Default: that of its first record.", show_default=False),
    ] = None,
    overrides: Overrides = None,
    out: Annotated[
        str | None,
        typer.Option("--out", metavar="DIR", help="Write audit.json and audit.csv, one row a defect, into DIR.", show_default=False),
    ] = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Execute a benchmark's records again on its graph and report their defects.

    Every record is run whole and without each of its constraints; its questions, ids and facts are looked at.
    Exit code 1 if a record has a defect or a line is no record.

    \b
    Example:
        chronoqg audit runs/output/quickstart/benchmark/years-S.jsonl --graph bundled:years
        chronoqg audit theirs.jsonl.gz --graph runs/cron.yaml --set graph.path=DIR --format chronoqg-release --out audit
    """
    with errors_as_lines(debug):
        from evaluation.audit.auditor import audit_file
        from evaluation.audit.cases import FileFormat
        from evaluation.audit.report import write_audit
        from graph_sampler.load import load_graph
        from runs.config_file import load_graph_config

        loaded, _ = load_graph(load_graph_config(graph, overrides or ()))
        with progress() as advance:
            report = audit_file(Path(file), loaded, None if form is None else FileFormat(form.value), advance)
        if as_json:
            write_json(report.as_json())
        else:
            write_out(report.lines())
        for path in write_audit(Path(out), report) if out is not None else ():
            say(f"wrote {path}")
        raise typer.Exit(0 if report.is_clean else 1)
