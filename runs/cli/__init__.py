"""The command line: arguments in, lines and exit codes out.

Exit codes: 0 done, 1 a check failed or instances failed, 2 bad input or config, 130 stopped by the
user. Commands import what they need when they run, so that `--help` is quick and the guard against
rival packages speaks before one of them is imported in our place.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import typer

from runs.cli.comparing import compare
from runs.cli.graphs import inspect
from runs.cli.making import build, estimate, sample
from runs.cli.models import check as check_models
from runs.cli.options import errors_as_lines
from runs.cli.packing import pack, unpack
from runs.cli.prompts import diff_prompts, list_prompts, new_prompt, show_prompt
from runs.cli.reading import check, replay, show
from runs.rivals import refuse_rivals
from runs.terminal import survive_narrow_encodings

_COMMANDS: tuple[Callable[..., None], ...] = (sample, estimate, build, check, show, replay, compare, pack, unpack)
_GRAPH_COMMANDS: tuple[Callable[..., None], ...] = (inspect,)
_MODEL_COMMANDS: tuple[Callable[..., None], ...] = (check_models,)
_PROMPT_COMMANDS: dict[str, Callable[..., None]] = {"list": list_prompts, "show": show_prompt, "diff": diff_prompts, "new": new_prompt}


def main() -> None:
    """Entry point of the `chronoqg` command."""
    survive_narrow_encodings()
    with errors_as_lines(debug="--debug" in sys.argv):
        refuse_rivals()
    app()


def _app() -> typer.Typer:
    made = typer.Typer(
        name="chronoqg",
        help="Temporal knowledge graph in, verified benchmark of temporal questions out.",
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )
    for command in _COMMANDS:
        made.command()(command)
    graph = typer.Typer(help="Look at source graphs.", no_args_is_help=True, rich_markup_mode=None)
    for command in _GRAPH_COMMANDS:
        graph.command()(command)
    made.add_typer(graph, name="graph")
    models = typer.Typer(help="Look at the models of a config.", no_args_is_help=True, rich_markup_mode=None)
    for command in _MODEL_COMMANDS:
        models.command()(command)
    made.add_typer(models, name="models")
    prompts = typer.Typer(help="Look at prompts, compare them and copy one to edit.", no_args_is_help=True, rich_markup_mode=None)
    for name, command in _PROMPT_COMMANDS.items():
        prompts.command(name)(command)
    made.add_typer(prompts, name="prompts")
    return made


app = _app()
