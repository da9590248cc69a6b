"""The command line: arguments in, lines and exit codes out.

Exit codes: 0 done, 1 a check failed or instances failed, 2 bad input or config, 130 stopped by the
user. Commands import what they need when they run, so that `--help` is quick and the guard against
rival packages speaks before one of them is imported in our place.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from runs.rivals import refuse_rivals
from runs.terminal import progress, say, survive_narrow_encodings, write_json, write_out
from state.errors import ChronoQGError

app = typer.Typer(
    name="chronoqg",
    help="Temporal knowledge graph in, verified benchmark of temporal questions out.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
graph_app = typer.Typer(help="Look at source graphs.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(graph_app, name="graph")

ConfigFile = Annotated[str, typer.Argument(metavar="CONFIG", help="A YAML file such as runs/quickstart.yaml.", show_default=False)]
RunPath = Annotated[str, typer.Argument(metavar="RUN", help="A run directory.", show_default=False)]
InstanceId = Annotated[str, typer.Argument(metavar="ID", help="An instance's id, or the first of its hex digits.", show_default=False)]
Overrides = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY.PATH=VALUE", help="Override one config key; repeatable. The value is read as YAML."),
]
Out = Annotated[
    str | None,
    typer.Option("--out", metavar="DIR", help="The run directory. Default: runs/output/ and the config's name.", show_default=False),
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]


def main() -> None:
    """Entry point of the `chronoqg` command."""
    survive_narrow_encodings()
    with _errors_as_lines(debug="--debug" in sys.argv):
        refuse_rivals()
    app()


@app.command()
def sample(config: ConfigFile, overrides: Overrides = None, out: Out = None, as_json: Json = False, debug: Debug = False) -> None:
    """Sample traces from the config's graph, without any agent.

    \b
    Example:
        chronoqg sample runs/quickstart.yaml --set sampler.target=100 --out runs/output/first
    """
    with _errors_as_lines(debug):
        from runs.config_file import load_config
        from runs.coverage_table import render_coverage
        from runs.run_folder import TRACES, RunFolder
        from runs.sampling import sample_into

        loaded = load_config(config, overrides or ())
        with RunFolder(_out(out, config), loaded) as folder:
            if folder.reader is not None:
                say("already sampled; nothing to do")
                coverage = folder.reader.coverage()
            else:
                with progress() as advance:
                    coverage = sample_into(folder, say, advance)
            if as_json:
                write_json(coverage.model_dump_json(indent=2).encode() + b"\n")
            else:
                write_out(render_coverage(coverage))
            say(f"wrote {folder.path / TRACES} ({folder.manifest.traces.count} traces)")
            say(f"next: chronoqg check {folder.path}")


@app.command()
def build(
    config: ConfigFile,
    overrides: Overrides = None,
    out: Out = None,
    limit: Annotated[
        int | None,
        typer.Option("--limit", min=1, metavar="N", help="Take the first N traces only; continue with a larger N.", show_default=False),
    ] = None,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Redo the instances that failed.")] = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Build a benchmark: sample traces, then take each through the agents.

    A run that was cut off is continued by the same command. Exit code 1 while instances are failed.

    \b
    Example:
        chronoqg build runs/quickstart.yaml
        chronoqg build runs/quickstart.yaml --limit 20 --out runs/output/few
    """
    with _errors_as_lines(debug):
        from runs.building import build_run
        from runs.config_file import load_config

        limits = [] if limit is None else [f"run.limit={limit}"]
        loaded = load_config(config, [*(overrides or ()), *limits])
        report = build_run(_out(out, config), loaded, retry_failed=retry_failed)
        if as_json:
            write_json(report.as_json())
        else:
            write_out(report.lines())
        for line in report.talk():
            say(line)
        raise typer.Exit(1 if report.counts.failed else 0)


@app.command()
def check(run: RunPath, as_json: Json = False, debug: Debug = False) -> None:
    """Check every record of a run against the graph, by SQL, and the files against one another.

    \b
    Example:
        chronoqg check runs/output/quickstart
    """
    with _errors_as_lines(debug):
        from runs.checking import check_run
        from runs.run_folder import RunReader

        with progress() as advance:
            report = check_run(RunReader(run), advance)
        if as_json:
            write_json(report.as_json())
        else:
            write_out(report.lines())
        raise typer.Exit(1 if report.findings else 0)


@app.command()
def show(run: RunPath, instance: InstanceId, as_json: Json = False, debug: Debug = False) -> None:
    """Show one instance: its facts, its trace and what the agents did.

    \b
    Example:
        chronoqg show runs/output/quickstart 3f9a
    """
    with _errors_as_lines(debug):
        from runs.run_folder import RunReader
        from runs.show import describe_instance, instance_json

        if as_json:
            write_json(instance_json(RunReader(run), instance))
        else:
            write_out(describe_instance(RunReader(run), instance))


@app.command()
def replay(
    run: RunPath,
    instance: InstanceId,
    current_prompts: Annotated[
        bool, typer.Option("--current-prompts", help="Render with the prompts of the config instead of the run's own copy.")
    ] = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Run one instance's history again from the record, without network, and compare.

    Exit code 1 at the first difference.

    \b
    Example:
        chronoqg replay runs/output/quickstart 3f9a
    """
    with _errors_as_lines(debug):
        from runs.replaying import replay_instance
        from runs.run_folder import RunReader

        report = replay_instance(RunReader(run), instance, current_prompts=current_prompts)
        if as_json:
            write_json(report.as_json())
        else:
            write_out(report.lines())
        for line in report.notes:
            say(line)


@graph_app.command()
def inspect(
    source: Annotated[
        str,
        typer.Argument(
            metavar="PATH_OR_CONFIG", help="A folder in CronKG layout, bundled:years, bundled:days or a config.", show_default=False
        ),
    ],
    overrides: Overrides = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Print what cleaning keeps and drops of a graph, and how its relations are typed.

    \b
    Example:
        chronoqg graph inspect bundled:years
        chronoqg graph inspect runs/quickstart.yaml --json
    """
    with _errors_as_lines(debug):
        from graph_sampler.cleaning_report import render_report
        from graph_sampler.load import load_graph
        from runs.config_file import load_graph_config

        _, report = load_graph(load_graph_config(source, overrides or ()))
        if as_json:
            write_json(report.model_dump_json(indent=2).encode() + b"\n")
        else:
            write_out(render_report(report))


def _out(out: str | None, config: str) -> Path:
    return Path(out) if out is not None else Path("runs/output") / Path(config).stem


@contextmanager
def _errors_as_lines(debug: bool) -> Iterator[None]:
    """A known error becomes one line on stderr and an exit code."""
    try:
        yield
    except KeyboardInterrupt:
        say("stopped; what is finished is kept, and the same command continues")
        raise SystemExit(130) from None
    except BrokenPipeError:
        sys.stdout = None  # nobody reads; flushing at exit would fail again
        raise SystemExit(0) from None
    except (ChronoQGError, OSError) as err:
        if debug:
            raise
        what = str(err) if isinstance(err, ChronoQGError) else f"{err.filename or 'system'}: {err.strerror or err}"
        say(f"error: {what}")
        raise SystemExit(err.exit_code if isinstance(err, ChronoQGError) else 2) from None


if __name__ == "__main__":
    main()
