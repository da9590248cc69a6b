"""The command line: arguments in, lines and exit codes out.

Exit codes: 0 done, 1 a check failed or instances failed, 2 bad input or config, 130 stopped by the
user. Commands import what they need when they run, so that `--help` is quick and the guard against
rival packages speaks before one of them is imported in our place.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import NamedTuple

import typer

from runs.cli.auditing import audit
from runs.cli.comparing import compare
from runs.cli.evaluating import evaluate
from runs.cli.exporting import export
from runs.cli.generating import generate
from runs.cli.graphs import counts, import_, inspect
from runs.cli.making import build, estimate, sample
from runs.cli.models import check as check_models
from runs.cli.options import errors_as_lines
from runs.cli.packing import pack, unpack
from runs.cli.prompts import diff_prompts, list_prompts, new_prompt, show_prompt
from runs.cli.reading import check, replay, show
from runs.cli.reporting import report
from runs.cli.studies import rewriter, verifier
from runs.cli.tdbench_app import app as tdbench_app
from runs.rivals import refuse_rivals
from runs.terminal import survive_narrow_encodings

_COMMANDS: tuple[Callable[..., None], ...] = (
    sample,
    estimate,
    build,
    check,
    show,
    replay,
    report,
    compare,
    evaluate,
    export,
    audit,
    pack,
    unpack,
)


class _Noun(NamedTuple):
    """A group of commands: `chronoqg NOUN VERB`."""

    help: str
    verbs: Mapping[str, Callable[..., None]]


_NOUNS: Mapping[str, _Noun] = {
    "study": _Noun("Measure a role: models, prompts and modes beside each other.", {"verifier": verifier, "rewriter": rewriter}),
    "prompts": _Noun(
        "Look at prompts, compare them and copy one to edit.",
        {"list": list_prompts, "show": show_prompt, "diff": diff_prompts, "new": new_prompt},
    ),
    "models": _Noun("Look at the models of a config.", {"check": check_models}),
    "graph": _Noun(
        "Look at source graphs, import published ones and draw synthetic ones.",
        {"inspect": inspect, "import": import_, "generate": generate, "counts": counts},
    ),
}


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
    for name, noun in _NOUNS.items():
        group = typer.Typer(help=noun.help, no_args_is_help=True, rich_markup_mode=None)
        for verb, command in noun.verbs.items():
            group.command(verb)(command)
        made.add_typer(group, name=name)
    made.add_typer(tdbench_app, name="tdbench")
    return made


app = _app()
