"""Tables that number entities and relations: which text each number stands for. Paper: section 4.2.1."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from graph_sampler.loaders.counters import ImportCounters
from graph_sampler.loaders.text_lines import PACKED, TsvReader
from graph_sampler.raw_facts import RawFacts, renamed
from state.errors import GraphFormatError
from state.graph_report import ImportCounter


@dataclass(frozen=True, slots=True)
class IdTable:
    """The texts of a numbering."""

    path: Path
    texts: Mapping[str, str]
    """Number, as it is written in the facts -> text."""
    extra: Mapping[str, str]
    """Text -> the third column, where the table has one."""


def find_file(folder: Path, *names: str) -> Path | None:
    """The first of some files that a folder has, plain or packed."""
    return next((path for name in names for end in ("", *PACKED) if (path := folder / f"{name}{end}").is_file()), None)


def read_id_table(path: Path) -> IdTable:
    """The numbering of a file of two to four columns, the number in the first or second; further ones are not read.

    Raises:
        GraphFormatError: the file is refused, or neither column of line 1 is a number.
    """
    reader = TsvReader(path)
    is_number = [cell.strip().isdecimal() for cell in reader.first[:2]]
    if len(is_number) < 2 or not 2 <= reader.width <= 4 or not any(is_number):
        what = f"{reader.width} columns, and no number in the first two: not a table of texts and their numbers"
        raise GraphFormatError(what, where=f"{path}, line 1")
    number, text = (1, 0) if is_number[1] else (0, 1)
    texts: dict[str, str] = {}
    extra: dict[str, str] = {}
    for columns in reader.batches(range(reader.width)):
        cells = [column.to_pylist() for column in columns]
        keys = [key.strip() for key in cells[number]]
        for key, name in zip(keys, cells[text], strict=True):
            if texts.setdefault(key, name) != name:
                raise GraphFormatError(f"number {key!r} stands for {texts[key]!r} and for {name!r}", where=str(path))
        if reader.width == 3:
            extra.update(zip(cells[text], cells[2], strict=True))
    return IdTable(path, texts, extra)


def name_ids(raw: RawFacts, entities: IdTable, relations: IdTable, counters: ImportCounters) -> RawFacts:
    """The facts with texts in place of numbers; numbers that a table lacks stay, and are counted.

    Raises:
        GraphFormatError: a table has less than half of the numbers of the facts.
    """
    for table, ids in ((entities, raw.entities), (relations, raw.relations)):
        numbers = [number.strip() for number in ids]
        lacking = [number for number in numbers if number not in table.texts]
        if len(lacking) * 2 > len(numbers):
            raise GraphFormatError(
                f"resolves {len(numbers) - len(lacking)} of {len(numbers)} numbers of the facts; {lacking[0][:40]!r} is not in it",
                where=str(table.path),
                remedy="Is it the table of this graph?",
            )
        counters.add(ImportCounter.ID_OUT_OF_RANGE, len(lacking))
    return renamed(
        raw,
        lambda number: entities.texts.get(number.strip(), number.strip()),
        lambda number: relations.texts.get(number.strip(), number.strip()),
    )
