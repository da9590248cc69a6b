"""Generators of small random graphs in which the awkward cases are frequent.

Few entities and few years, so that repeated spells, shared labels, self loops, reversed facts,
one-granule intervals, unknown and coarse bounds, and points beside intervals turn up in most draws.
"""

from __future__ import annotations

import gzip
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from hypothesis import strategies as st

Row = tuple[str, str, str, str, str]
"""Subject, relation, object, start text, end text."""


class SmallGraph(NamedTuple):
    """A raw graph of years: rows as a source would hold them, and the names of its ids."""

    rows: list[Row]
    labels: dict[str, str]
    """Entity id -> label; two ids may share one, one may be unusable."""
    relation_labels: dict[str, str]
    types: dict[str, str]
    """Relation id -> P or I; relations that are typed by their facts are left out."""
    aliases: dict[str, list[str]]

    def write(self, folder: Path, *, compress: bool = False) -> Path:
        """The graph as a folder in CronKG layout."""
        return write_cronkg(folder, self.rows, self.labels, self.relation_labels, self.types, self.aliases, compress=compress)


_LABELS = (
    "Ana Roy",
    "Bo Lind",
    "Cy Moe",
    "Mara Holt",
    "Mara Hólt",
    "FC Arn",
    "Arn United",
    "City FC",
    "The {Braces}",
    "Ida O’Hara",
    "Q9",
    "X",
)
_FIRST, _LAST = 1990, 2003


@st.composite
def small_graph_rows(draw: st.DrawFn, *, min_rows: int = 10, max_rows: int = 40, max_entities: int = 8, clean: bool = False) -> SmallGraph:
    """A raw graph of years in which at least one interval fact and one point fact survive cleaning.

    Args:
        min_rows: fewest rows.
        max_rows: most rows.
        max_entities: most entities; 3 at least.
        clean: whether every bound is a known year and no row is reversed.
    """
    entities = [f"Q{number}" for number in range(1, draw(st.integers(3, max_entities)) + 1)]
    # A few hubs get most facts, so that seeds with several candidates exist.
    hubs = entities[:2]
    relations = {"P1": "member of sports team", "P2": "award received", "P3": "position held"}
    types = {"P1": "I", "P2": "P"} | draw(st.sampled_from(({}, {"P3": "I"}, {"P3": "P"})))
    labels = {"Q1": "FC Arn", "Q2": "Ana Roy"}
    for identifier in entities[2:]:
        labels[identifier] = draw(st.one_of(st.just(f"Person {identifier[1:]}"), st.sampled_from(_LABELS)))
    years = st.integers(_FIRST, _LAST)

    @st.composite
    def row(draw: st.DrawFn) -> Row:
        subject, relation = draw(st.sampled_from(entities)), draw(st.sampled_from(sorted(relations)))
        object_ = draw(st.one_of(st.sampled_from(hubs), st.sampled_from(entities)))
        start = draw(years)
        if relation == "P2":
            end = start + draw(st.sampled_from((0, 0, 0, 0, 0, 2)))
        else:
            end = start + draw(st.sampled_from((0, 1, 1, 2, 3, 5, 8)))
        texts = str(start), str(end)
        if not clean:
            spoilt = ((texts[1], texts[0]), ("None", texts[1]), (texts[0], ""), ("199#", texts[1]), (texts[0], "200#"), ("soon", texts[1]))
            texts = draw(st.sampled_from((texts,) * 12 + spoilt))
        return subject, relation, object_, *texts

    rows = draw(st.lists(row(), min_size=min_rows, max_size=max_rows))
    certain: list[Row] = [("Q2", "P1", "Q1", "1992", "1995"), ("Q2", "P2", "Q1", "1994", "1994")]
    aliases = draw(st.dictionaries(st.sampled_from(entities), st.lists(st.sampled_from(_LABELS), max_size=2), max_size=3))
    return SmallGraph(draw(st.permutations(rows + certain)), labels, relations, types, aliases)


def write_cronkg(
    folder: Path,
    rows: Sequence[Row],
    labels: Mapping[str, str],
    relation_labels: Mapping[str, str],
    types: Mapping[str, str] | None = None,
    aliases: Mapping[str, Sequence[str]] | None = None,
    *,
    compress: bool = False,
) -> Path:
    """Write a folder in CronKG layout, made if need be; returns it."""
    folder.mkdir(parents=True, exist_ok=True)
    files: dict[str, list[Sequence[str]]] = {
        "full.txt": list(rows),
        "wd_id2entity_text.txt": list(labels.items()),
        "wd_id2relation_text.txt": list(relation_labels.items()),
    }
    if types is not None:
        files["relation_types.txt"] = list(types.items())
    if aliases is not None:
        files["wd_id2entity_aliases.txt"] = [(identifier, alias) for identifier, names in aliases.items() for alias in names]
    for name, table in files.items():
        content = "".join("\t".join(cells) + "\n" for cells in table).encode("utf-8")
        path = folder / (f"{name}.gz" if compress else name)
        path.write_bytes(gzip.compress(content, mtime=0) if compress else content)
    return folder
