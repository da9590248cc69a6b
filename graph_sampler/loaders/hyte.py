"""The HyTE layout of YAGO11k and Wikidata12k: numbered facts with start and end, and two id tables.

`train`, `valid` and `test` have five columns (subject, relation, object, start, end), ids being numbers;
`entity2id` and `relation2id` say what they stand for: a name in angle brackets, or a Wikidata id, in
`relation2id` with a label beside it. Paper: section 4.2.1.
"""

from __future__ import annotations

from pathlib import Path

from graph_sampler.loaders.counters import ImportCounters
from graph_sampler.loaders.cronkg import load_types
from graph_sampler.loaders.dates import ABSENT
from graph_sampler.loaders.graph_format import HEAD_BYTES, Format
from graph_sampler.loaders.id_tables import IdTable, find_file, name_ids, read_id_table
from graph_sampler.loaders.label_tables import label_names, labels_of_config, refuse_without_labels
from graph_sampler.loaders.quadruples import part_files
from graph_sampler.loaders.text_lines import TsvReader, read_head
from graph_sampler.raw_facts import FactBuffer, RawFacts, RawLabels, renamed
from state.config import GraphConfig
from state.errors import GraphFormatError

ENTITIES, RELATIONS = ("entity2id.txt", "entity2id"), ("relation2id.txt", "relation2id")


def _table(files: list[Path], names: tuple[str, ...]) -> IdTable:
    path = find_file(files[0].parent, *names)
    if path is None:
        raise GraphFormatError(
            f"no file {names[0]} beside the facts", where=str(files[0].parent), remedy="It says what the numbers stand for."
        )
    return read_id_table(path)


def _load(paths: list[Path], config: GraphConfig, counters: ImportCounters) -> tuple[RawFacts, RawLabels]:
    files = part_files(paths)
    facts, malformed = FactBuffer(), 0
    for path in files:
        reader = TsvReader(path, 5)
        for batch in reader.batches(range(5)):
            facts.add(batch)
        counters.read(path, reader.rows)
        malformed += reader.malformed
    entities, relations = _table(files, ENTITIES), _table(files, RELATIONS)
    counters.read(entities.path)
    counters.read(relations.path)
    raw = name_ids(facts.finish(malformed), entities, relations, counters)
    raw = renamed(raw, time=lambda text: ABSENT if text.strip() == "-" else text)
    if any(text.startswith("-") for text in raw.times):
        counters.note("Years before 1 occur, and the layout does not say how they are counted: graph.year_numbering decides.")
    labels = labels_of_config(config)
    if labels.entities is None:
        labels.entities, labels.entity_file = label_names(raw.entities), str(entities.path)
    if labels.relations is None:
        labels.relations = dict(relations.extra) or label_names(raw.relations, split_case=True)
        labels.relation_file = str(relations.path)
    refuse_without_labels(raw, labels, entities.path)
    labels.types = load_types(Path(config.types)) if config.types else {}
    return raw, labels


def _looks_like(path: Path, head: bytes) -> str | None:
    folder = path if path.is_dir() else path.parent
    if not (find_file(folder, *ENTITIES) and find_file(folder, *RELATIONS)):
        return None
    if path.is_dir():
        try:
            head = read_head(part_files([path])[0], HEAD_BYTES)
        except GraphFormatError:
            return None
    cells = head.partition(b"\n")[0].split(b"\t")
    if len(cells) == 5 and all(cell.strip().isdigit() for cell in cells[:3]) and cells[4].strip() not in (b"0", b"-1"):
        return "entity2id and relation2id lie beside facts of three numbers and two times"
    return None


FORMAT = Format(
    name="hyte",
    title="HyTE folder (YAGO11k, Wikidata12k)",
    load=_load,
    looks_like=_looks_like,
    settings=frozenset(("entity_labels", "relation_labels", "entity_aliases")),
    options=frozenset(("partial_labels",)),
    notes="Masked digits (`2005-11-##`) are unknown; `####-##-##`, `None` and `-` are open or not known, the layout cannot say which. "
    "Wikidata12k has no labels of entities: name a file as graph.entity_labels.path.",
)
"""The layout of HyTE's two graphs."""
