"""What the commands have in common: arguments and options, and errors as one line each."""

from __future__ import annotations

import errno
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Protocol

import typer

from runs.terminal import say, write_json, write_out
from state.errors import ChronoQGError

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
RetryFailed = Annotated[bool, typer.Option("--retry-failed", help="Ask again what got no usable reply.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print how many calls are left and what they may cost; ask nobody.")]


class Where(StrEnum):
    """Who does the work."""

    LOCAL = "local"
    RAY = "ray"


OnExecutor = Annotated[
    Where, typer.Option("--executor", help="Who does the work: this machine, or the workers of a Ray cluster (the extra `ray`).")
]
Address = Annotated[
    str | None,
    typer.Option(
        "--address", metavar="HOST:PORT", help="The Ray cluster. Default: RAY_ADDRESS, else Ray on this machine.", show_default=False
    ),
]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]

_NO_THREAD = "can't start new thread"
"""What Python says where a thread's stack finds no room."""
_MORE_MEMORY = "Give it more (`ulimit -v`, a container's limit), or ask for less: fewer sampler.workers, a smaller graph."


def run_directory(out: str | None, config: str) -> Path:
    """The directory that `--out` names, or the default one of a config file."""
    return Path(out) if out is not None else Path("runs/output") / Path(config).stem


def study_directory(out: str | None, config: str, kind: str) -> Path:
    """The directory that `--out` names, or the default one of a study or an evaluation with a config file."""
    return Path(out) if out is not None else Path("runs/output") / f"{Path(config).stem}-{kind}"


class Printable(Protocol):
    """What a command came to."""

    def lines(self) -> Sequence[str]:
        """For a person."""
        ...

    def as_json(self) -> bytes:
        """For a machine."""
        ...

    def talk(self) -> Iterable[str]:
        """What was written, and the command that most likely comes next."""
        ...


def print_report(report: Printable, as_json: bool) -> None:
    """The result to stdout, the talk to stderr."""
    if as_json:
        write_json(report.as_json())
    else:
        write_out(report.lines())
    for line in report.talk():
        say(line)


@contextmanager
def errors_as_lines(debug: bool, continues: bool = False) -> Iterator[None]:
    """A known error becomes one line on stderr and an exit code.

    Args:
        debug: whether a known error's traceback is shown instead.
        continues: whether the command goes on from where it was stopped, so that Ctrl-C can say so.
    """
    try:
        yield
    except KeyboardInterrupt:
        say("stopped; what is finished is kept, and the same command continues" if continues else "stopped; the same command begins anew")
        raise SystemExit(130) from None
    except BrokenPipeError:
        sys.stdout = None  # nobody reads; flushing at exit would fail again
        raise SystemExit(0) from None
    except (ChronoQGError, OSError, MemoryError, RuntimeError) as err:
        what = _as_line(err)
        if debug or what is None:
            raise
        say(f"error: {what}")
        raise SystemExit(err.exit_code if isinstance(err, ChronoQGError) else 2) from None


def _as_line(err: ChronoQGError | OSError | MemoryError | RuntimeError) -> str | None:
    """A known error in one line; `None` for one that nobody expects."""
    if isinstance(err, ChronoQGError):
        return str(err)
    if isinstance(err, MemoryError) or (isinstance(err, OSError) and err.errno == errno.ENOMEM) or str(err) == _NO_THREAD:
        why = str(err).partition("\n")[0]
        return f"memory ran out{f' ({why})' if why else ''}. {_MORE_MEMORY}"
    return f"{err.filename or 'system'}: {err.strerror or err}" if isinstance(err, OSError) else None
