"""Rows of four columns, the last being the one time of the fact. Paper: section 4.2.1."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from graph_sampler.loaders.counters import ImportCounters
from graph_sampler.loaders.id_tables import find_file
from graph_sampler.loaders.text_lines import TsvReader
from graph_sampler.raw_facts import FactBuffer, RawFacts
from state.errors import GraphFormatError

PARTS = ("train", "valid", "test")


def read_quadruples(files: Sequence[Path], counters: ImportCounters, width: int = 4) -> RawFacts:
    """Subject, relation, object and time of all files, the time as start and as end; a further column is not read.

    Raises:
        GraphFormatError: a file is missing or refused.
    """
    facts, malformed = FactBuffer(), 0
    for path in files:
        reader = TsvReader(path, width)
        for batch in reader.batches((0, 1, 2, 3, 3)):
            facts.add(batch)
        counters.read(path, reader.rows)
        malformed += reader.malformed
    return facts.finish(malformed)


def part_files(paths: Sequence[Path], prefixes: Sequence[str] = ("",)) -> list[Path]:
    """The parts of each folder (`train`, `valid`, `test`, with `.txt` or without, packed or not), and the files themselves.

    Args:
        paths: folders and files.
        prefixes: what may stand before the part's name, such as `icews_2014_`.

    Raises:
        GraphFormatError: a folder has none of them.
    """
    files: list[Path] = []
    for path in paths:
        if not path.is_dir():
            files.append(path)
            continue
        names = [[f"{prefix}{part}{end}" for prefix in prefixes for end in (".txt", "")] for part in PARTS]
        found = [file for choices in names if (file := find_file(path, *choices)) is not None]
        if not found:
            raise GraphFormatError("no file train.txt, valid.txt or test.txt, plain or packed", where=str(path))
        files += found
    return files


def first_line(head: bytes) -> list[str]:
    """The cells of the first line of a file's head; empty where it is no text or is cut."""
    line, end, _ = head.partition(b"\n")
    try:
        return line.decode("utf-8").removesuffix("\r").split("\t") if end else []
    except UnicodeDecodeError:
        return []
