"""Commands that read a run: `check`, `show`, `replay`."""

from __future__ import annotations

from typing import Annotated

import typer

from runs.cli.options import Debug, InstanceId, Json, RunPath, errors_as_lines
from runs.terminal import progress, say, write_json, write_out


def check(run: RunPath, as_json: Json = False, debug: Debug = False) -> None:
    """Check every record of a run against the graph, by SQL, and the files against one another.

    \b
    Example:
        chronoqg check runs/output/quickstart
    """
    with errors_as_lines(debug):
        from runs.checking import check_run
        from runs.run_folder import RunReader

        with progress() as advance:
            report = check_run(RunReader(run), advance)
        if as_json:
            write_json(report.as_json())
        else:
            write_out(report.lines())
        raise typer.Exit(1 if report.findings else 0)


def show(run: RunPath, instance: InstanceId, as_json: Json = False, debug: Debug = False) -> None:
    """Show one instance: its facts, its trace and what the agents did.

    \b
    Example:
        chronoqg show runs/output/quickstart 3f9a
    """
    with errors_as_lines(debug):
        from runs.run_folder import RunReader
        from runs.show import describe_instance, instance_json

        if as_json:
            write_json(instance_json(RunReader(run), instance))
        else:
            write_out(describe_instance(RunReader(run), instance))


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
    with errors_as_lines(debug):
        from runs.replaying import replay_instance
        from runs.run_folder import RunReader

        report = replay_instance(RunReader(run), instance, current_prompts=current_prompts)
        if as_json:
            write_json(report.as_json())
        else:
            write_out(report.lines())
        for line in report.notes:
            say(line)
