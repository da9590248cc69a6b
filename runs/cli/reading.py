"""Commands that read a run: `check`, `show`, `replay`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from runs.cli.options import Debug, InstanceId, Json, Overrides, RunPath, errors_as_lines
from runs.terminal import progress, say, write_json, write_out
from state.errors import ConfigError, ReplayMismatch
from state.vocabulary import Node

RunOrFork = Annotated[str, typer.Argument(metavar="RUN", help="A run directory, or RUN@NAME for a fork of it.", show_default=False)]
OneInstance = Annotated[
    str | None, typer.Argument(metavar="ID", help="An instance's id, or the first of its hex digits.", show_default=False)
]


def check(run: RunPath, as_json: Json = False, debug: Debug = False) -> None:
    """Check every record of a run against its graph or tables, by SQL, and the files against one another.

    \b
    Example:
        chronoqg check runs/output/quickstart
    """
    with errors_as_lines(debug):
        from runs.checking import check_run
        from runs.run_folder import RunReader

        reader = RunReader(run)
        with progress() as advance:
            if reader.manifest.origin == "tables":
                from tdbench.checking import check_tables

                report = check_tables(reader, advance)
            else:
                report = check_run(reader, advance)
        if as_json:
            write_json(report.as_json())
        else:
            write_out(report.lines())
        raise typer.Exit(1 if report.findings else 0)


def show(run: RunOrFork, instance: InstanceId, as_json: Json = False, debug: Debug = False) -> None:
    """Show one instance: its facts, its trace and what the agents did.

    \b
    Example:
        chronoqg show runs/output/quickstart 3f9a
        chronoqg show runs/output/quickstart@other 3f9a
    """
    with errors_as_lines(debug):
        from runs.forks import open_run
        from runs.show import describe_instance, instance_json

        if as_json:
            write_json(instance_json(open_run(run), instance))
        else:
            write_out(describe_instance(open_run(run), instance))


def replay(
    run: RunOrFork,
    instance: OneInstance = None,
    every: Annotated[bool, typer.Option("--all", help="Every finished instance, in several processes, in place of ID.")] = False,
    current_prompts: Annotated[
        bool, typer.Option("--current-prompts", help="Render with the prompts of the config instead of the run's own copy.")
    ] = False,
    node: Annotated[
        str | None,
        typer.Option("--from", metavar="NODE", help="Fork: ask anew from the first visit of this node on.", show_default=False),
    ] = None,
    live: Annotated[bool, typer.Option("--live", help="Fork: models are really asked, and paid.")] = False,
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="Fork: what to call it; RUN@NAME afterwards.", show_default=False)
    ] = None,
    overrides: Overrides = None,
    models_of: Annotated[
        str | None,
        typer.Option("--config", metavar="FILE", help="Fork: a config of yours, whose models are used.", show_default=False),
    ] = None,
    trust_config: Annotated[
        bool, typer.Option("--trust-config", help="Fork: the models of the run's own config may be asked, and given their keys.")
    ] = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Run recorded histories again, without network, and compare; or fork them at a node and ask anew from there.

    Exit code 1 at a difference. With --from, --live and --name together, what the agents did before NODE is
    taken from the record and checked, and the rest is asked with the run's config as --config and --set
    change it. NODE is one of rewrite, verify, analyse, appeal, revise, verify_repair, leak_check,
    leak_rewrite, verify_leak_rewrite, second_leak_check. The run's files stay as they are.

    \b
    Example:
        chronoqg replay runs/output/quickstart 3f9a
        chronoqg replay runs/output/quickstart --all
        chronoqg replay RUN 3f9a --from verify --live --name other --config mine.yaml --set agents.verifier.model=big
        chronoqg replay RUN --all --from revise --live --name v2 --trust-config --set agents.reviser.prompt=v2
        chronoqg replay RUN@other --all
    """
    with errors_as_lines(debug, continues=live), _with_diff(debug):
        if (instance is None) is not every:
            raise ConfigError("name one instance or say --all, not both" if every else "name an instance, or say --all", where="ID")
        if node is not None or live or name is not None:
            _fork(run, instance, node, live, name, overrides, models_of, trust_config, current_prompts, as_json)
        for given, option in ((overrides, "--set"), (models_of, "--config"), (trust_config, "--trust-config")):
            if given:
                raise ConfigError("a replay changes nothing", where=option, remedy="To fork, add --from NODE, --live and --name NAME.")
        if every:
            _replay_all(run, current_prompts, as_json)
        assert instance is not None
        from runs.forks import ForkReader, open_run
        from runs.replaying import replay_instance

        reader = open_run(run)
        if isinstance(reader, ForkReader) and reader.node is Node.GENERATE:
            from evaluation.generators.replaying import replay_row_instance

            report = replay_row_instance(reader, instance)
        else:
            report = replay_instance(reader, instance, current_prompts=current_prompts)
        if as_json:
            write_json(report.as_json())
        else:
            write_out(report.lines())
        for line in report.notes:
            say(line)


def _replay_all(run: str, current_prompts: bool, as_json: bool) -> None:
    from runs.forks import ForkReader, open_run
    from runs.replaying_all import replay_run

    reader = open_run(run)
    with progress() as advance:
        if isinstance(reader, ForkReader) and reader.node is Node.GENERATE:
            from evaluation.generators.replaying import replay_row

            report = replay_row(run, reader, advance)
        else:
            report = replay_run(run, current_prompts=current_prompts, advance=advance)
    if as_json:
        write_json(report.as_json())
    else:
        write_out(report.lines())
    for line in report.notes:
        say(line)
    raise typer.Exit(1 if report.differences else 0)


def _fork(
    run: str,
    instance: str | None,
    node: str | None,
    live: bool,
    name: str | None,
    overrides: list[str] | None,
    models_of: str | None,
    trust_config: bool,
    current_prompts: bool,
    as_json: bool,
) -> None:
    if node is None or not live or name is None:
        missing = [option for option, given in (("--from NODE", node), ("--live", live), ("--name NAME", name)) if not given]
        raise ConfigError(f"a fork also needs {' and '.join(missing)}", where="replay", remedy="See chronoqg replay --help.")
    if current_prompts:
        raise ConfigError("a fork uses the current prompts anyway", where="--current-prompts", remedy="Leave it out.")
    from runs.forking import ForkOrder, fork_run

    order = ForkOrder(run, node, name, instance, tuple(overrides or ()), models_of, trust_config)
    with progress() as advance:
        report = fork_run(order, advance)
    if as_json:
        write_json(report.as_json())
    else:
        write_out(report.lines())
    for line in report.talk(run):
        say(line)
    raise typer.Exit(1 if report.failed else 0)


@contextmanager
def _with_diff(debug: bool) -> Iterator[None]:
    """Lets a mismatch show what was rendered beside what was recorded, below its one line."""
    try:
        yield
    except ReplayMismatch as err:
        if debug or not err.diff:
            raise
        say(f"error: {err}")
        for line in err.diff:
            say(line)
        raise typer.Exit(err.exit_code) from None
