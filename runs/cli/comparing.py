"""Commands that set runs beside each other: `compare`."""

from __future__ import annotations

from typing import Annotated

import typer

from runs.cli.options import Debug, Json, errors_as_lines
from runs.terminal import write_json, write_out


def compare(
    a: Annotated[str, typer.Argument(metavar="RUN_A", help="A run directory, or RUN@NAME for a fork of it.", show_default=False)],
    b: Annotated[str, typer.Argument(metavar="RUN_B", help="Another one.", show_default=False)],
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Show which instances changed fate between two runs, by family, template and cause.

    \b
    Example:
        chronoqg compare runs/output/quickstart runs/output/other
        chronoqg compare runs/output/quickstart runs/output/quickstart@other
        chronoqg compare runs/output/quickstart runs/output/quickstart@other --json
    """
    with errors_as_lines(debug):
        from runs.comparing import compare_runs
        from runs.comparison_text import comparison_lines
        from runs.forks import open_run

        comparison = compare_runs(open_run(a), open_run(b), (a, b))
        if as_json:
            write_json(comparison.as_json())
        else:
            write_out(comparison_lines(comparison))
