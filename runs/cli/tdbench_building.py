"""Commands that make questions from temporal tables: `tdbench build`."""

from __future__ import annotations

from typing import Annotated

import typer

from runs.cli.making import RetryFailed
from runs.cli.options import ConfigFile, Debug, Json, Out, Overrides, errors_as_lines, print_report, run_directory

Phrasings = Annotated[
    int | None, typer.Option("--limit", min=1, metavar="N", help="Ask at most N questions, drawn evenly over tables and relations.")
]


def build(
    config: ConfigFile,
    overrides: Overrides = None,
    out: Out = None,
    limit: Phrasings = None,
    retry_failed: RetryFailed = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Build time-sensitive questions from temporal tables: queries with their answers, then English by the agents.

    The section `tdbench` of CONFIG names CSV, Parquet, SQLite or PostgreSQL tables with a start and an end. Each query
    gets some phrasings; a verifier answers each from the table's rows, and what it does not confirm is thrown away.
    A run that was cut off is continued by the same command. Exit code 1 while phrasings are failed.

    \b
    Example:
        chronoqg tdbench build runs/tdbench-quickstart.yaml
        chronoqg tdbench build my.yaml --set tdbench.tables.leaders.path=leaders.csv --limit 200
    """
    with errors_as_lines(debug):
        from evaluation.translation.accuracy import report_of
        from runs.config_file import load_config
        from tdbench.building import build_tables

        loaded = load_config(config, [*(overrides or ()), *([] if limit is None else [f"tdbench.limit={limit}"])])
        path = run_directory(out, config)
        report = report_of(build_tables(path, loaded, retry_failed=retry_failed))
        print_report(report, as_json)
        raise typer.Exit(1 if report.failed else 0)
