"""The CronKG layout: a folder with facts, labels and, where present, aliases and relation types.

`full.txt` has five columns (subject, relation, object, start, end); the label and alias files have two;
the types file has a relation and `P`, `I` or `D`. Each may be plain or gzip, under its name or with `.gz`.
Paper: section 4.2.1.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from graph_sampler.loaders.counters import ImportCounters
from graph_sampler.loaders.graph_format import Format
from graph_sampler.loaders.text_lines import TsvReader, read_lines
from graph_sampler.raw_facts import FactBuffer, RawFacts, RawLabels, Texts, alias_map, label_map
from state.config import GraphConfig
from state.errors import ConfigError, GraphFormatError

FACTS = "full.txt"
ENTITY_LABELS = "wd_id2entity_text.txt"
RELATION_LABELS = "wd_id2relation_text.txt"
ALIASES = "wd_id2entity_aliases.txt"
TYPES = "relation_types.txt"
_FILES = f"A graph in CronKG layout is a folder with {FACTS}, {ENTITY_LABELS} and {RELATION_LABELS}."
_LETTERS = ("P", "I", "D")


def load_cronkg(folder: Path, types: Path | None = None) -> tuple[RawFacts, RawLabels]:
    """Facts and labels of a folder in CronKG layout.

    Args:
        folder: the folder.
        types: a types file to read instead of the folder's own.

    Raises:
        GraphFormatError: a file is missing or refused.
    """
    if not folder.is_dir():
        raise GraphFormatError(
            "no such folder or file" if not folder.exists() else "not a folder",
            where=str(folder),
            remedy=_FILES,
        )
    reader = TsvReader(_required(folder, FACTS), 5)
    facts = FactBuffer()
    for batch in reader.batches(range(5)):
        facts.add(batch)
    aliases, types = _find(folder, ALIASES), types or _find(folder, TYPES)
    entity_file, relation_file = _required(folder, ENTITY_LABELS), _required(folder, RELATION_LABELS)
    labels = RawLabels(
        entities=label_map(_pairs(entity_file)),
        relations=label_map(_pairs(relation_file)),
        entity_file=str(entity_file),
        relation_file=str(relation_file),
        aliases=alias_map(_pairs(aliases)) if aliases else {},
        types=load_types(types) if types else {},
    )
    return facts.finish(reader.malformed), labels


def lacks_all_files(folder: Path) -> bool:
    """Whether a folder has none of the files of this layout."""
    return not any(_find(folder, name) for name in (FACTS, ENTITY_LABELS, RELATION_LABELS))


def load_types(path: Path) -> dict[str, tuple[str, str]]:
    """Relation id -> letter and its place, from lines `relation<TAB>P|I|D`.

    Raises:
        GraphFormatError: a line has another form, or gives a relation another letter than an earlier line.
    """
    types: dict[str, tuple[str, str]] = {}
    for line, number in read_lines(path):
        if not line:
            continue
        where = f"{path}, line {number}"
        relation, tab, letter = line.partition("\t")
        if not tab or letter not in _LETTERS:
            raise GraphFormatError(f"not a line 'relation<TAB>P|I|D': {line[:80]!r}", where=where)
        if types.setdefault(relation, (letter, where))[0] != letter:
            raise GraphFormatError(f"relation {relation!r} has two types", where=where, remedy=f"The other is in {types[relation][1]}.")
    return types


def _pairs(path: Path) -> Iterator[list[Texts]]:
    return TsvReader(path, 2).batches((0, 1))


def _find(folder: Path, name: str) -> Path | None:
    return next((path for path in (folder / name, folder / f"{name}.gz") if path.exists()), None)


def _required(folder: Path, name: str) -> Path:
    path = _find(folder, name)
    if path is None:
        remedy = f"{_FILES} Name the files themselves where they have another layout, and that under graph.format."
        raise GraphFormatError("no such file, plain or with .gz", where=str(folder / name), remedy=remedy)
    return path


def _load(paths: list[Path], config: GraphConfig, counters: ImportCounters) -> tuple[RawFacts, RawLabels]:
    if len(paths) > 1:
        raise ConfigError("a graph in CronKG layout is one folder", where="graph.path", remedy="Name one path.")
    facts, labels = load_cronkg(paths[0], Path(config.types) if config.types else None)
    counters.read(_required(paths[0], FACTS), len(facts.subject) + facts.malformed)
    return facts, labels


def _looks_like(path: Path, head: bytes) -> str | None:
    del head
    names = (FACTS, ENTITY_LABELS, RELATION_LABELS)
    return f"the folder holds {FACTS} and both label files" if path.is_dir() and all(_find(path, name) for name in names) else None


FORMAT = Format(
    name="cronkg",
    title="CronKG folder (full.txt and label files)",
    load=_load,
    looks_like=_looks_like,
    notes="Years only. The minus sign of years before 1 is lost in the published files, so that such facts look reversed and are dropped.",
)
"""The layout of CronKG, and the package's own layout for graphs that are written by hand."""
