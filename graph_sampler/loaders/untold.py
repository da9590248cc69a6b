"""What a file whose layout cannot be told begins with, and what would help."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from graph_sampler.cleaning_report import shown
from graph_sampler.loaders.graph_format import HEAD_BYTES
from graph_sampler.loaders.text_lines import read_head

_TABLE = "--set graph.format=table"
_ONE_TIME = f"If the last is the one time of a fact, {_TABLE} --set graph.columns.end=3 reads them as points."
_TOO_FEW = "A fact has five: subject, relation, object, start and end."
_COLUMNS = (
    f"{_TABLE} reads it, with --set 'graph.columns={{subject: 0, relation: 1, object: 2, start: 3, end: 4}}' to say what stands where."
)


class FirstLook(NamedTuple):
    """What line 1 of a file is."""

    seen: str
    helps: str = ""
    """What to do about it; empty where only the layout's name can help."""
    may_be_known: bool = True
    """Whether naming its layout may help."""


def first_look(path: Path) -> FirstLook:
    """What a file begins with.

    Raises:
        GraphFormatError: there is no such file, or it cannot be read.
    """
    line = read_head(path, HEAD_BYTES).partition(b"\n")[0].removesuffix(b"\r")
    if b"\r" in line:
        return FirstLook("its lines end in carriage returns alone", "Save it with line feeds as line ends.", False)
    if not line.strip():
        return FirstLook("line 1 is blank", "Delete blank lines; a fact has a line of its own.", False)
    text = line.decode("utf-8", "replace")
    for sign, name in (("[", "array"), ("{", "object")):
        if text.lstrip().startswith(sign):
            helps = f"If each line is a row, {_TABLE} --set graph.table=jsonl reads it; else write one row a line."
            return FirstLook(f"line 1 begins a JSON {name}", helps)
    for sign, name, kind in (("\t", "tabs", ""), (",", "commas", " --set graph.table=csv")):
        columns = text.count(sign) + 1
        if columns > 1:
            helps = _TOO_FEW if columns < 4 else _ONE_TIME if columns == 4 else _COLUMNS
            return FirstLook(f"line 1 has {columns} columns between {name}: '{shown(text)}'", helps.replace(_TABLE, _TABLE + kind))
    return FirstLook(f"line 1 is '{shown(text)}'")
