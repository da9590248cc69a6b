"""All layouts of source graphs by name, and which of them a file or folder looks like. Paper: section 4.2.1."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from graph_sampler.loaders.graph_format import HEAD_BYTES, Format
from graph_sampler.loaders.text_lines import read_head

_MODULES = (
    "graph_file", "cronkg", "hyte", "mmkb", "icews", "multitq", "timelinekgqa", "eventkg", "wikidata", "wikidata_sparql", "yago", "table",
)  # fmt: skip
"""Modules of this package, the most telling layout first; each defines one or several `Format` values."""


def _registered() -> dict[str, Format]:
    names = [f"{__package__}.{module}" for module in _MODULES]
    modules = [import_module(name) for name in names if find_spec(name) is not None]
    formats = [value for module in modules for value in vars(module).values() if isinstance(value, Format)]
    return {format.name: format for format in formats}


FORMATS: dict[str, Format] = _registered()
"""Every layout that can be read, by the value of `graph.format`."""


def guess_formats(path: Path) -> dict[str, str]:
    """Name -> reason, for each layout that a file or folder looks like, most telling first.

    Raises:
        GraphFormatError: there is no such file or folder, or it cannot be read.
    """
    head = b"" if path.is_dir() else read_head(path, HEAD_BYTES)
    reasons = {name: FORMATS[name].looks_like(path, head) for name in FORMATS}
    return {name: reason for name, reason in reasons.items() if reason is not None}
