"""All layouts of source graphs by name, and which of them a file or folder looks like. Paper: section 4.2.1."""

from __future__ import annotations

from pathlib import Path

from graph_sampler.loaders import (
    cronkg,
    eventkg,
    graph_file,
    hyte,
    icews,
    mmkb,
    multitq,
    table,
    timelinekgqa,
    wikidata,
    wikidata_sparql,
    yago,
)
from graph_sampler.loaders.graph_format import HEAD_BYTES, Format
from graph_sampler.loaders.text_lines import read_head

FORMATS: dict[str, Format] = {
    "chronoqg": graph_file.FORMAT,
    "cronkg": cronkg.FORMAT,
    "hyte": hyte.FORMAT,
    "mmkb": mmkb.FORMAT,
    "icews": icews.FORMAT,
    "multitq": multitq.FORMAT,
    "timelinekgqa": timelinekgqa.FORMAT,
    "eventkg": eventkg.FORMAT,
    "wikidata-json": wikidata.FORMAT,
    "wikidata-sparql": wikidata_sparql.FORMAT,
    "yago4": yago.YAGO_4,
    "yago45": yago.YAGO_45,
    "table": table.FORMAT,
}
"""Every layout by the value of `graph.format`; those that are known by a surer sign come first."""


def guess_formats(path: Path) -> dict[str, str]:
    """Name -> reason, for each layout that a file or folder looks like, those with a surer sign first.

    Raises:
        GraphFormatError: there is no such file or folder, or it cannot be read.
    """
    head = b"" if path.is_dir() else read_head(path, HEAD_BYTES)
    reasons = {name: layout.looks_like(path, head) for name, layout in FORMATS.items()}
    return {name: reason for name, reason in reasons.items() if reason is not None}
