"""The command `graph generate`."""

from __future__ import annotations

from typing import Annotated

import typer

from runs.cli.graph_output import next_command, refuse_no_graph, write_graph_bytes
from runs.cli.options import Debug, Json, errors_as_lines
from runs.terminal import say, write_json, write_out


def generate(
    facts: Annotated[int, typer.Option("--facts", metavar="N", help="Number of facts, 100 or more.", show_default=False)],
    out: Annotated[str, typer.Option("--out", metavar="GRAPH", help="The graph file to write.", show_default=False)],
    seed: Annotated[int, typer.Option("--seed", metavar="S", min=0, help="The same seed gives the same bytes.")] = 0,
    granularity: Annotated[str, typer.Option("--granularity", metavar="UNIT", help="year or day.")] = "year",
    relations: Annotated[int, typer.Option("--relations", metavar="R", help="Number of relations.")] = 20,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Draw a synthetic graph and write it as one file that every command takes as graph.path.

    Names are invented; degrees, spells and lengths are like those of real graphs.

    \b
    Example:
        chronoqg graph generate --facts 100000 --seed 1 --out synthetic.graph
        chronoqg graph generate --facts 20000 --relations 60 --granularity day --out days.graph
    """
    with errors_as_lines(debug):
        from pathlib import Path

        import pyarrow as pa

        from graph_sampler.cleaning_report import render_report
        from graph_sampler.loaders.graph_file import write_graph
        from graph_sampler.synthetic import generate_graph
        from state.config import GraphConfig
        from state.errors import ConfigError
        from state.interval import Granularity

        if granularity not in ("year", "day"):
            raise ConfigError(f"no unit {granularity!r}", where="--granularity", remedy="Ask for year or day.")
        refuse_no_graph(Path(out))
        unit = Granularity(granularity)
        graph, report = generate_graph(facts, seed, unit, relations)
        command = f"chronoqg graph generate --facts {facts} --seed {seed} --granularity {granularity} --relations {relations}"
        config = GraphConfig(path=out, granularity=unit, name=graph.name, source=command)
        sink = pa.BufferOutputStream()
        write_graph(graph, lambda: report, config, sink)
        written = write_graph_bytes(Path(out), sink.getvalue().to_pybytes())
        if as_json:
            write_json(report.model_dump_json(indent=2).encode() + b"\n")
        else:
            write_out(render_report(report))
        say(written)
        say(f"next: {next_command('sample', out, unit)}")
