"""What the commands have in common: arguments and options, and errors as one line each."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from runs.terminal import say
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
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]


def run_directory(out: str | None, config: str) -> Path:
    """The directory that `--out` names, or the default one of a config file."""
    return Path(out) if out is not None else Path("runs/output") / Path(config).stem


@contextmanager
def errors_as_lines(debug: bool) -> Iterator[None]:
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
