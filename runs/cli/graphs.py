"""Commands about source graphs: `graph inspect`."""

from __future__ import annotations

from typing import Annotated

import typer

from runs.cli.options import Debug, Json, Overrides, errors_as_lines
from runs.terminal import write_json, write_out


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
    with errors_as_lines(debug):
        from graph_sampler.cleaning_report import render_report
        from graph_sampler.load import load_graph
        from runs.config_file import load_graph_config

        _, report = load_graph(load_graph_config(source, overrides or ()))
        if as_json:
            write_json(report.model_dump_json(indent=2).encode() + b"\n")
        else:
            write_out(render_report(report))
