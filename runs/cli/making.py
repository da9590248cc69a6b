"""Commands that make a run, or say what making it would cost: `sample`, `estimate`, `build`."""

from __future__ import annotations

import shlex
from typing import Annotated

import typer

from runs.cli.options import (
    Address,
    ConfigFile,
    Debug,
    Json,
    OnExecutor,
    Out,
    Overrides,
    Where,
    errors_as_lines,
    print_report,
    run_directory,
)
from runs.terminal import progress, say, write_json, write_out

Limit = Annotated[
    int | None,
    typer.Option("--limit", min=1, metavar="N", help="Take the first N traces only; continue with a larger N.", show_default=False),
]
RetryFailed = Annotated[bool, typer.Option("--retry-failed", help="Redo the instances that failed.")]


def sample(
    config: ConfigFile,
    overrides: Overrides = None,
    out: Out = None,
    executor: OnExecutor = Where.LOCAL,
    address: Address = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Sample traces from the config's graph, without any agent.

    \b
    Example:
        chronoqg sample runs/quickstart.yaml --set sampler.target=100 --out runs/output/first
    """
    with errors_as_lines(debug):
        from runs.config_file import load_config
        from runs.coverage_table import render_coverage
        from runs.executors import executor_of
        from runs.run_folder import TRACES, RunFolder
        from runs.sampling import sample_into

        loaded = load_config(config, overrides or ())
        with executor_of(executor.value, address) as elsewhere, RunFolder(run_directory(out, config), loaded) as folder:
            if folder.reader is not None:
                say("already sampled; nothing to do")
                coverage = folder.reader.coverage()
            else:
                with progress() as advance:
                    coverage = sample_into(folder, say, advance, elsewhere)
            if as_json:
                write_json(coverage.model_dump_json(indent=2).encode() + b"\n")
            else:
                write_out(render_coverage(coverage))
            say(f"wrote {folder.path / TRACES} ({folder.manifest.traces.count} traces)")
            say(f"next: chronoqg check {folder.path}")


def estimate(
    config: ConfigFile,
    overrides: Overrides = None,
    out: Out = None,
    limit: Limit = None,
    retry_failed: RetryFailed = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Say what a build would still call and cost, by stage, before anything is paid.

    Offline: needs no key and writes nothing. A run that has begun is counted from where it stands.

    \b
    Example:
        chronoqg estimate runs/quickstart.yaml
        chronoqg estimate runs/cron.yaml --set graph.path=DIR --limit 500 --json
    """
    with errors_as_lines(debug):
        _print_estimate(config, overrides, out, limit, retry_failed, as_json)
        # An override may hold an address with a password, so none is repeated.
        words = ["chronoqg", "build", config, *(("--out", out) if out else ()), *(("--limit", str(limit)) if limit else ())]
        words += ["--retry-failed"] if retry_failed else []
        say("next: the same arguments with `chronoqg build`" if overrides else f"next: {shlex.join(words)}")


def build(
    config: ConfigFile,
    overrides: Overrides = None,
    out: Out = None,
    limit: Limit = None,
    retry_failed: RetryFailed = False,
    executor: OnExecutor = Where.LOCAL,
    address: Address = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what `chronoqg estimate` prints and write nothing.")] = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Build a benchmark: sample traces, then take each through the agents.

    A run that was cut off is continued by the same command. Exit code 1 while instances are failed.

    \b
    Example:
        chronoqg build runs/quickstart.yaml
        chronoqg build runs/quickstart.yaml --limit 20 --out runs/output/few
        chronoqg build runs/quickstart.yaml --executor ray
    """
    with errors_as_lines(debug, continues=not dry_run):
        if dry_run:
            _print_estimate(config, overrides, out, limit, retry_failed, as_json)
            say("next: the same command without --dry-run")
            return
        from runs.building import build_run
        from runs.config_file import load_config
        from runs.executors import executor_of

        loaded = load_config(config, [*(overrides or ()), *_as_override(limit)])
        with executor_of(executor.value, address) as elsewhere:
            report = build_run(run_directory(out, config), loaded, retry_failed=retry_failed, executor=elsewhere)
        print_report(report, as_json)
        raise typer.Exit(1 if report.counts.failed else 0)


def _print_estimate(
    config: str, overrides: list[str] | None, out: str | None, limit: int | None, retry_failed: bool, as_json: bool
) -> None:
    from runs.config_file import load_config
    from runs.estimating import estimate_run

    loaded = load_config(config, [*(overrides or ()), *_as_override(limit)])
    report = estimate_run(run_directory(out, config), loaded, retry_failed=retry_failed)
    if as_json:
        write_json(report.as_json())
    else:
        write_out(report.lines())


def _as_override(limit: int | None) -> list[str]:
    return [] if limit is None else [f"run.limit={limit}"]
