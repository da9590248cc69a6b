"""Commands that make questions from temporal tables, and keep them up to date: `tdbench dependencies`, `build`, `refresh`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from runs.cli.making import RetryFailed
from runs.cli.options import (
    Address,
    ConfigFile,
    Debug,
    DryRun,
    Json,
    OnExecutor,
    Out,
    Overrides,
    RunPath,
    Where,
    errors_as_lines,
    print_report,
    run_directory,
)
from runs.terminal import progress, say, write_json, write_out

Phrasings = Annotated[
    int | None, typer.Option("--limit", min=1, metavar="N", help="Ask at most N questions, drawn evenly over tables and relations.")
]

NewData = Annotated[
    list[str] | None,
    typer.Option(
        "--data",
        metavar="NEW",
        help="New data: TABLE=FILE, a folder with files of the same names, or the file of the only table; repeatable. "
        "Default: the files that the run's config names, as they are now.",
    ),
]
RefreshOut = Annotated[
    str | None, typer.Option("--out", metavar="DIR", help="Where the refreshed benchmark goes. Default: RUN-refreshed.", show_default=False)
]


def build(
    config: ConfigFile,
    overrides: Overrides = None,
    out: Out = None,
    limit: Phrasings = None,
    retry_failed: RetryFailed = False,
    executor: OnExecutor = Where.LOCAL,
    address: Address = None,
    dry_run: DryRun = False,
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
    with errors_as_lines(debug, continues=not dry_run):
        from evaluation.translation.accuracy import report_of
        from runs.config_file import load_config
        from runs.estimating import estimate
        from runs.executors import executor_of
        from tdbench.building import build_tables
        from tdbench.sampling import read_instances

        loaded = load_config(config, [*(overrides or ()), *([] if limit is None else [f"tdbench.limit={limit}"])])
        path = run_directory(out, config)
        if dry_run:
            foreseen = estimate(path, loaded, "tables", read_instances, retry_failed=retry_failed)
            if as_json:
                write_json(foreseen.as_json())
            else:
                write_out(foreseen.lines())
            say("next: the same command without --dry-run")
            return
        with executor_of(executor.value, address) as elsewhere:
            report = report_of(build_tables(path, loaded, retry_failed=retry_failed, executor=elsewhere))
        print_report(report, as_json)
        raise typer.Exit(1 if report.failed else 0)


def dependencies(
    config: ConfigFile,
    overrides: Overrides = None,
    table: Annotated[str | None, typer.Option("--table", metavar="T", help="One table only.", show_default=False)] = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Check the dependencies that a config declares, with witnesses and repairs, and list those that hold in its tables.

    \b
    Example:
        chronoqg tdbench dependencies runs/tdbench-quickstart.yaml --table leaders
        chronoqg tdbench dependencies my.yaml --set tdbench.tolerance=0.02
    """
    with errors_as_lines(debug):
        from runs.config_file import load_config
        from tdbench.dependencies.overview import dependency_overview

        print_report(dependency_overview(load_config(config, overrides or ()).config.tdbench, table), as_json)


def refresh(run: RunPath, data: NewData = None, out: RefreshOut = None, as_json: Json = False, debug: Debug = False) -> None:
    """Put new data under the questions of a finished build: new answers for kept phrasings, without any call.

    Says which phrasings have other answers, which are no longer asked and why, and which questions the new data give
    rise to; `tdbench build` with the new data asks those. RUN itself stays as it is.

    \b
    Example:
        chronoqg tdbench refresh runs/output/tdbench-quickstart --data leaders=leaders-2026.csv
        chronoqg tdbench refresh runs/output/mine --data 2026/ --out runs/output/mine-2026
    """
    with errors_as_lines(debug):
        from runs.run_folder import RunReader
        from tdbench.refreshing import refresh as refresh_run
        from tdbench.refreshing import tables_with

        reader = RunReader(run)
        before = reader.config().config.tdbench
        tables = tables_with(before, data or ())
        for name, table in tables.items():
            say(f"{name}: {'as the run has it' if table == before.tables[name] else f'now {table.path}'}")
        place = Path(out) if out is not None else reader.path.with_name(f"{reader.path.name}-refreshed")
        with progress() as advance:
            report = refresh_run(reader, tables, place, advance, say)
        print_report(report, as_json)
