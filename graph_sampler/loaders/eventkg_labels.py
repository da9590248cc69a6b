"""Labels, aliases and Wikidata items of the ids that the facts of an EventKG dump name.

A second pass over the files of events and entities, in which the ids that were seen are looked up; text is kept for
those only. Paper: section 4.2.1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from graph_sampler.loaders.counters import ImportCounters
from graph_sampler.loaders.eventkg_lines import StatementReader, split_graph
from graph_sampler.loaders.eventkg_terms import Part
from graph_sampler.loaders.rdf_text import literal_text, read_literal
from state.graph_report import ImportCounter

_Key = tuple[int, bool, str]
_ANY_SOURCE, _PREFERRED, _DESCRIBED, _OTHER_LANGUAGE = 2, 3, 4, 5


class Names:
    """Label, aliases and item of each of the wanted ids, as far as they were met."""

    def __init__(self, wanted: Iterable[str], language: str) -> None:
        self._positions = {identifier.encode(): position for position, identifier in enumerate(wanted)}
        self._language = language.lower().encode()
        self.labels: dict[int, _Key] = {}
        """Position of the id -> the best label so far; the smaller key is the better label."""
        self.aliases: dict[int, set[str]] = {}
        self.items: dict[int, bytes] = {}

    def read(self, path: Path, counters: ImportCounters, *, is_of_sentences: bool = False) -> None:
        """Take what a file says of the wanted ids.

        Labels come from Wikidata before the language's Wikipedia before a line that names no source; of the last, one
        without a part in parentheses is better. The preferred label of a resource, which may be in any language, is for
        those that have nothing else.

        Args:
            path: the file.
            counters: takes broken lines.
            is_of_sentences: whether its events have a description instead of a name.

        Raises:
            GraphFormatError: as `StatementReader.statements`.
        """
        reader = StatementReader(path, counters)
        resource, tag = reader.vocabulary.resource, b'"@' + self._language
        texts = {Part.LABEL, Part.ALIAS, *([Part.DESCRIPTION] if is_of_sentences else [])}
        is_text = [part in texts for part in Part]
        is_read = [part in (*texts, Part.SAME_AS, Part.PREFERRED_LABEL) for part in Part]
        for subject, part, rest in reader.statements():
            if not is_read[part] or (is_text[part] and tag not in rest):
                continue
            position = self._positions.get(resource(subject) or b"")
            if position is None:
                continue
            if part is Part.SAME_AS:
                item = reader.vocabulary.item(split_graph(rest)[0])
                if item is not None:
                    self.items[position] = min(item, self.items.get(position, item), key=lambda item: (len(item), item))
            else:
                self._take(position, part, rest, reader.vocabulary.graph, counters)
        counters.read(path)

    def _take(self, position: int, part: Part, rest: bytes, graph_of: Callable[[bytes], bytes], counters: ImportCounters) -> None:
        literal = read_literal(rest)
        if literal is None:
            counters.add(ImportCounter.MALFORMED)
            return
        text, is_ours = literal_text(literal[0]), literal[1] == self._language
        if part is Part.PREFERRED_LABEL:
            self._offer(position, (_PREFERRED if is_ours else _OTHER_LANGUAGE, False, text))
        elif is_ours and part is Part.DESCRIPTION:
            self._offer(position, (_DESCRIBED, False, text))
        elif is_ours and part is Part.LABEL:
            graph = graph_of(split_graph(rest)[1])
            ranks = {b"wikidata": 0, b"wikipedia_" + self._language: 1}
            self._offer(position, (ranks.get(graph, _ANY_SOURCE), not graph and text.endswith(")"), text))
            self.aliases.setdefault(position, set()).add(text)
        elif is_ours:
            self.aliases.setdefault(position, set()).add(text)

    def _offer(self, position: int, key: _Key) -> None:
        self.labels[position] = min(key, self.labels.get(position, key))

    def in_other_language(self) -> int:
        """How many of the labels are in another language than the one asked for."""
        return sum(key[0] == _OTHER_LANGUAGE for key in self.labels.values())

    def stable_ids(self, ids: Sequence[str]) -> list[str]:
        """The wanted ids, those with a Wikidata item under the item's: EventKG's own differ from release to release."""
        return [self.items[position].decode() if position in self.items else identifier for position, identifier in enumerate(ids)]


def read_property_labels(path: Path, language: str, counters: ImportCounters) -> dict[str, str]:
    """Relation id -> label in a language, from the file of property labels; of several the smallest.

    Raises:
        GraphFormatError: as `StatementReader.statements`.
    """
    reader = StatementReader(path, counters)
    labels: dict[str, str] = {}
    for subject, part, rest in reader.statements():
        literal = read_literal(rest) if part is Part.LABEL else None
        relation = reader.vocabulary.relation(subject) if literal else None
        if literal and relation and literal[1] == language.lower().encode():
            text = literal_text(literal[0])
            labels[relation.id] = min(text, labels.get(relation.id, text))
    counters.read(path)
    return labels
