"""Commands about source graphs: `graph inspect`, `graph import` and `graph counts`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from runs.cli.graph_output import next_command, refuse_no_graph, write_graph_bytes
from runs.cli.graph_sections import graph_section, telling
from runs.cli.options import Debug, Json, Overrides, errors_as_lines
from runs.terminal import say, write_json, write_out
from state.graph_report import CleaningReport


def inspect(
    source: Annotated[
        str,
        typer.Argument(
            metavar="PATH_OR_CONFIG",
            help="A graph's file or folder, bundled:years, bundled:days or a config.",
            show_default=False,
        ),
    ],
    overrides: Overrides = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Print what a graph's source holds, what cleaning keeps and drops of it, and how its relations are typed.

    The layout of a bare path is guessed, and the reason printed, unless --set graph.format names it.

    \b
    Example:
        chronoqg graph inspect bundled:years
        chronoqg graph inspect runs/quickstart.yaml --json
        chronoqg graph inspect YAGO11k --set graph.granularity=day
    """
    with errors_as_lines(debug):
        from graph_sampler.load import load_graph

        config, reasons = graph_section([source], None, overrides or ())
        with telling(reasons):
            _, report = load_graph(config)
        _print(report, reasons, as_json)


def import_(
    sources: Annotated[
        list[str],
        typer.Argument(metavar="SOURCE...", help="The files or the folder of a graph, or a config that names them.", show_default=False),
    ],
    out: Annotated[str, typer.Option("--out", metavar="GRAPH", help="The graph file to write.", show_default=False)],
    layout: Annotated[
        str | None, typer.Option("--format", metavar="FORMAT", help="Layout of the source. Default: guessed.", show_default=False)
    ] = None,
    overrides: Overrides = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Read a published graph, clean it and write it as one file that every command takes as graph.path.

    The same source gives the same bytes; the content hash is that of the source itself.

    \b
    Example:
        chronoqg graph import YAGO11k --format hyte --out yago11k.graph
        chronoqg graph import facts.tsv --format table --out mine.graph --set graph.granularity=day
    """
    with errors_as_lines(debug):
        import pyarrow as pa

        from graph_sampler.load import import_graph
        from runs.rare_collections import rare_collections

        refuse_no_graph(Path(out))
        config, reasons = graph_section(sources, layout, overrides or ())
        sink = pa.BufferOutputStream()
        with telling(reasons), rare_collections():
            _, report = import_graph(config, sink)
        written = write_graph_bytes(Path(out), sink.getvalue().to_pybytes())
        _print(report, reasons, as_json)
        say(written)
        say(f"next: {next_command('build', out, report.granularity)}")


def counts(
    sources: Annotated[
        list[str], typer.Argument(metavar="PATH_OR_CONFIG...", help="Graphs, each a path or a config of its own.", show_default=False)
    ],
    overrides: Overrides = None,
    debug: Debug = False,
) -> None:
    """Print one row of counts for each graph, as a table in Markdown.

    \b
    Example:
        chronoqg graph counts bundled:years bundled:days
        chronoqg graph counts YAGO11k ICEWS14 --set graph.granularity=day
    """
    with errors_as_lines(debug):
        from evaluation.pages.tables import Table, as_markdown
        from graph_sampler.cleaning_report import COUNTED, counts_row
        from graph_sampler.load import load_graph

        reports = [load_graph(graph_section([source], None, overrides or ())[0])[1] for source in sources]
        write_out(as_markdown(Table("graphs", "Source graphs", COUNTED, tuple(map(counts_row, reports)))).splitlines())


def _print(report: CleaningReport, reasons: Sequence[str], as_json: bool) -> None:
    """The report, after the reasons for the layout; a machine gets the report alone."""
    from graph_sampler.cleaning_report import render_report

    if as_json:
        write_json(report.model_dump_json(indent=2).encode() + b"\n")
    else:
        write_out([*reasons, *render_report(report)])
