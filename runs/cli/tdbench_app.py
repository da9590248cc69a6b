"""The commands about temporal tables: `chronoqg tdbench VERB`."""

from __future__ import annotations

import typer

from runs.cli.tdbench_bridging import from_graph, to_graph
from runs.cli.tdbench_building import build, dependencies, refresh
from runs.cli.tdbench_evaluating import evaluate

app = typer.Typer(help="Ask about temporal tables.", no_args_is_help=True, rich_markup_mode=None)
app.command("to-graph")(to_graph)
app.command("from-graph")(from_graph)
app.command("build")(build)
app.command("refresh")(refresh)
app.command("dependencies")(dependencies)
app.command("evaluate")(evaluate)
