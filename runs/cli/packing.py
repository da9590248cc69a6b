"""Commands that give a run away and take one over: `pack`, `unpack`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from runs.cli.options import Debug, RunPath, errors_as_lines
from runs.terminal import say, write_out


def pack(
    run: RunPath,
    out: Annotated[
        str | None,
        typer.Option("--out", metavar="FILE.zip", help="The file to make. Default: the run's name, beside it.", show_default=False),
    ] = None,
    with_cache: Annotated[bool, typer.Option("--with-cache", help="Pack the stored replies to this run's requests too.")] = False,
    cache: Annotated[
        str | None,
        typer.Option("--cache", metavar="DIR", help="The cache to take them from. Default: the config's.", show_default=False),
    ] = None,
    debug: Debug = False,
) -> None:
    """Pack a run with its forks into one zip file, to give away or keep.

    The same run gives the same bytes. Keys are in no run, and so in none of these files.

    \b
    Example:
        chronoqg pack runs/output/quickstart --out quickstart.zip
        chronoqg pack runs/output/mine --with-cache
    """
    with errors_as_lines(debug):
        from runs.packing import pack_run

        chosen = None if cache is None else Path(cache)
        report = pack_run(Path(run), None if out is None else Path(out), with_cache=with_cache or cache is not None, cache=chosen)
        write_out(report.lines())
        say(f"wrote {report.path}")
        say(f"next: chronoqg unpack {report.path} --out DIR")


def unpack(
    file: Annotated[str, typer.Argument(metavar="FILE.zip", help="A packed run.", show_default=False)],
    out: Annotated[str, typer.Option("--out", metavar="DIR", help="The run directory to make.", show_default=False)],
    max_size: Annotated[str, typer.Option("--max-size", metavar="SIZE", help="Most bytes to take out, such as 500MB.")] = "4GB",
    debug: Debug = False,
) -> None:
    """Unpack a run that somebody packed; anything that is not a sound run is refused whole.

    \b
    Example:
        chronoqg unpack quickstart.zip --out runs/output/theirs
        chronoqg unpack quickstart.zip --out runs/output/theirs --max-size 500MB
    """
    with errors_as_lines(debug):
        from runs.unpacking import parse_size, unpack_run

        report = unpack_run(Path(file), Path(out), max_size=parse_size(max_size))
        write_out(report.lines())
        for line in report.talk():
            say(line)
