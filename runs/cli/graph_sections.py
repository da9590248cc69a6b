"""The graph section that a command's argument stands for: a config's own, or one whose layout and unit are guessed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from runs.terminal import say
from state.config import GraphConfig
from state.errors import ConfigError, GraphFormatError, did_you_mean

_CONFIGS = (".yaml", ".yml")
_FORMAT_KEY = "graph.format="


@contextmanager
def telling(reasons: Sequence[str]) -> Iterator[None]:
    """Says why the layout was chosen where the source is then refused; else the report says it."""
    try:
        yield
    except (ConfigError, GraphFormatError):
        for reason in reasons:
            say(reason)
        raise


def graph_section(sources: Sequence[str], layout: str | None, overrides: Sequence[str]) -> tuple[GraphConfig, list[str]]:
    """The graph section of a config file, or one for bare paths, and why their layout was chosen, as lines.

    Raises:
        ConfigError: the config is wrong, or the layout of a bare path cannot be told.
    """
    from graph_sampler.load import resolve_path
    from graph_sampler.loaders.registry import FORMATS, guess_formats
    from runs.config_file import load_graph_config

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
    from graph_sampler.loaders.untold import first_look

    what = "its layout cannot be told"
    named = f"name it with --set graph.format=..., one of {', '.join(FORMATS)}."
    if path.is_dir():
        if not lacks_all_files(path):
            return
        names = sorted(child.name for child in path.iterdir())
        holds = ", ".join(names[:4]) + (", ..." if len(names) > 4 else "")
        if not names:
            raise ConfigError("the folder is empty", where=str(path), remedy="Name the folder or the file that holds the graph.")
        what = f"{what}: the folder holds {holds}"
        remedy = f"Name the file of facts itself, or, if the folder has one layout, {named}"
    elif next(read_blocks(path), None) is None:
        raise ConfigError("the file is empty", where=str(path))
    else:
        look = first_look(path)
        by_name = f"{'Or' if look.helps else 'If it has one,'} {named}" if look.may_be_known else ""
        what, remedy = f"{what}: {look.seen}", f"{look.helps} {by_name}".strip()
    raise ConfigError(what, where=str(path), remedy=remedy)
