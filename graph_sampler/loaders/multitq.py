"""MultiTQ's table and tables like it: subject, relation, object and one day, with underscores for blanks.

The table of CR-TKGQA has the same four columns with `"..."^^xsd:dateTime` times. Paper: section 4.2.1.
"""

from __future__ import annotations

import re
from pathlib import Path

from graph_sampler.loaders.counters import ImportCounters
from graph_sampler.loaders.cronkg import load_types
from graph_sampler.loaders.graph_format import HEAD_BYTES, Format
from graph_sampler.loaders.id_tables import find_file
from graph_sampler.loaders.quadruples import first_line, part_files, read_quadruples
from graph_sampler.loaders.text_lines import read_head
from graph_sampler.raw_facts import RawFacts, RawLabels, renamed
from state.config import GraphConfig
from state.errors import GraphFormatError
from state.interval import Granularity

_DAY = re.compile(r'"?-?\d{4}-\d\d-\d\d')
_STAMP = "^^xsd:dateTime"


def _load(paths: list[Path], config: GraphConfig, counters: ImportCounters) -> tuple[RawFacts, RawLabels]:
    raw = read_quadruples(_files(paths), counters)
    new_years = sum(_STAMP in text and text.strip('"').lstrip("-")[4:10] == "-01-01" for text in raw.times)
    if any(_STAMP in text for text in raw.times):
        counters.note("Each row has one time, which may be a start, an end or a point: the table does not say which.")
    if new_years:
        counters.note("Times on 1 January mostly mean a whole year: use granularity year.")
    as_words = {"entity": _words, "relation": _words}
    return renamed(raw, **as_words), RawLabels(types=load_types(Path(config.types)) if config.types else {})


def _words(text: str) -> str:
    return text.replace("_", " ")


def _files(paths: list[Path]) -> list[Path]:
    """`full.txt` of a folder or of its folder `kg`, else its parts; files as they are."""
    files: list[Path] = []
    for path in paths:
        if not path.is_dir():
            files.append(path)
            continue
        folder = path / "kg" if (path / "kg").is_dir() else path
        whole = find_file(folder, "full.txt", "full", "tkg.txt")
        files += [whole] if whole else part_files([folder])
    return files


def _looks_like(path: Path, head: bytes) -> str | None:
    if path.is_dir():
        try:
            head = read_head(_files([path])[0], HEAD_BYTES)
        except GraphFormatError:
            return None
    cells = first_line(head)
    if len(cells) != 4 or not _DAY.match(cells[3]):
        return None
    if cells[3].endswith(_STAMP):
        return "line 1 has three names and an xsd:dateTime"
    return "its lines have three names with underscores for blanks, and a day" if has_underscores(head) else None


def has_underscores(head: bytes) -> bool:
    """Whether the names in the first lines of a table, some of which are one word, have underscores and no blanks."""
    names = b"".join(cell for line in head.split(b"\n")[:-1] for cell in line.split(b"\t")[:3])
    return b"_" in names and b" " not in names


FORMAT = Format(
    name="multitq",
    title="MultiTQ table (names with underscores and a day), CR-TKGQA's table",
    load=_load,
    looks_like=_looks_like,
    granularity=Granularity.DAY,
    notes="Points only. Underscores are read as blanks, and the labels are the ids.",
)
"""The layout of MultiTQ's graph."""
