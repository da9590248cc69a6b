"""Commands about source graphs: `graph inspect`, `graph import` and `graph counts`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from runs.cli.options import Debug, Json, Overrides, errors_as_lines
from runs.terminal import say, write_json, write_out
from state.config import GraphConfig
from state.errors import ChronoQGError
from state.graph_report import CleaningReport

_CONFIGS = (".yaml", ".yml")
_FORMAT_KEY = "graph.format="


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

        config, reasons = _graph_section([source], None, overrides or ())
        with _telling(reasons):
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
        from graph_sampler.loaders.graph_file import is_graph_file
        from runs.json_lines import write_whole
        from runs.rare_collections import rare_collections
        from state.errors import RunFolderError

        target = Path(out)
        if target.exists() and not is_graph_file(target):
            raise RunFolderError("something else is there, and no graph file", where=out, remedy="Choose another --out.")
        config, reasons = _graph_section(sources, layout, overrides or ())
        sink = pa.BufferOutputStream()
        with _telling(reasons), rare_collections():
            _, report = import_graph(config, sink)
        write_whole(target, (sink.getvalue().to_pybytes(),))
        _print(report, reasons, as_json)
        say(f"wrote {out}")
        say(f"next: chronoqg graph inspect {out}")


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

        reports = [load_graph(_graph_section([source], None, overrides or ())[0])[1] for source in sources]
        write_out(as_markdown(Table("graphs", "Source graphs", COUNTED, tuple(map(counts_row, reports)))).splitlines())


@contextmanager
def _telling(reasons: Sequence[str]) -> Iterator[None]:
    """Says why the layout was chosen where the source is then refused; else the report says it."""
    try:
        yield
    except ChronoQGError:
        for reason in reasons:
            say(reason)
        raise


def _print(report: CleaningReport, reasons: Sequence[str], as_json: bool) -> None:
    """The report, after the reasons for the layout; a machine gets the report alone."""
    from graph_sampler.cleaning_report import render_report

    if as_json:
        write_json(report.model_dump_json(indent=2).encode() + b"\n")
    else:
        write_out([*reasons, *render_report(report)])


def _graph_section(sources: Sequence[str], layout: str | None, overrides: Sequence[str]) -> tuple[GraphConfig, list[str]]:
    """The graph section of a config file, or one for bare paths, and why their layout was chosen, as lines.

    Raises:
        ConfigError: the config is wrong, or the layout of a bare path cannot be told.
    """
    from graph_sampler.load import resolve_path
    from graph_sampler.loaders.registry import FORMATS, guess_formats
    from runs.config_file import load_graph_config
    from state.errors import ConfigError, did_you_mean

    if layout is not None and layout not in FORMATS:
        raise ConfigError(f"no format {layout!r}", where="--format", remedy=did_you_mean(layout, FORMATS))
    by_set = [override.removeprefix(_FORMAT_KEY) for override in overrides if override.startswith(_FORMAT_KEY)]
    chosen = by_set[-1] if by_set else layout
    given = [] if layout is None else [_FORMAT_KEY + layout]
    if len(sources) == 1 and Path(sources[0]).suffix in _CONFIGS:
        return load_graph_config(sources[0], [*given, *overrides]), []
    reasons: list[str] = []
    if chosen is None:
        guessed = guess_formats(resolve_path(sources[0]))
        if not guessed:
            _refuse_untold(resolve_path(sources[0]))
        reasons = [f"looks like  {name} ({FORMATS[name].title}): {reason}" for name, reason in guessed.items()]
        chosen = next(iter(guessed), GraphConfig.model_fields["format"].default)
        given.append(_FORMAT_KEY + chosen)
    if chosen in FORMATS and chosen != "chronoqg" and not sources[0].startswith("bundled:"):
        given.append(f"graph.granularity={FORMATS[chosen].granularity.value}")
    if len(sources) > 1:
        given.append(f"graph.path={json.dumps(list(sources))}")
    return load_graph_config(sources[0], [*given, *overrides]), reasons


def _refuse_untold(path: Path) -> None:
    """Passes if a file or folder that looks like no layout has the files of a CronKG folder, of which some are missing.

    Raises:
        ChronoQGError: it has none; the message says what it is instead, where that can be told.
    """
    from graph_sampler.loaders.cronkg import lacks_all_files
    from graph_sampler.loaders.registry import FORMATS
    from graph_sampler.loaders.text_lines import read_blocks
    from state.errors import ConfigError

    what = "its layout cannot be told"
    remedy = f"Name it with --set graph.format=..., one of {', '.join(FORMATS)}."
    if path.is_dir():
        if not lacks_all_files(path):
            return
        names = sorted(child.name for child in path.iterdir())
        holds = ", ".join(names[:4]) + (", ..." if len(names) > 4 else "")
        what = f"{what}: the folder holds {holds}" if names else "the folder is empty"
        remedy = f"Name the file of facts itself. {remedy}"
    elif next(read_blocks(path), None) is None:
        raise ConfigError("the file is empty", where=str(path))
    raise ConfigError(what, where=str(path), remedy=remedy)
