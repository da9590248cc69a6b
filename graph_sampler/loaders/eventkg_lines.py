"""Lines of an EventKG file as statements, in both syntaxes; a broken line is counted and the next one read.

Paper: section 5.1.1.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from graph_sampler.loaders.counters import ImportCounters
from graph_sampler.loaders.eventkg_terms import Part, Vocabulary
from graph_sampler.loaders.text_lines import decode, read_blocks
from state.errors import GraphFormatError
from state.graph_report import ImportCounter


class StatementReader:
    """The lines of one file that say something of interest, each split into three."""

    def __init__(self, path: Path, counters: ImportCounters) -> None:
        self.path = path
        self.vocabulary = Vocabulary()
        self.rows = 0
        """Lines read so far."""
        self._counters = counters

    def statements(self) -> Iterator[tuple[bytes, Part, bytes]]:
        """Subject, what the predicate adds, and the rest of the line with its full stop.

        Raises:
            GraphFormatError: as `blocks`.
        """
        for block in self.blocks():
            yield from self.split(block)

    def blocks(self) -> Iterator[bytes]:
        """Blocks of whole lines, each ending in `\\n`.

        Raises:
            GraphFormatError: the file is missing, damaged, not UTF-8, or its first line is no statement.
        """
        for block, first in read_blocks(self.path):
            if not block.isascii():
                decode(block, self.path, first)
            if b"\r" in block:
                block = block.replace(b"\r\n", b"\n")
            if not block.endswith(b"\n"):
                block += b"\n"
            self.rows += block.count(b"\n")
            if first == 1:
                self._check_first(block.split(b"\n"))
            yield block

    def split(self, block: bytes) -> Iterator[tuple[bytes, Part, bytes]]:
        """The statements of a block, as `statements` has them."""
        parts, part_of = self.vocabulary.parts, self.vocabulary.part
        nothing = Part.NOTHING
        lines = block.removesuffix(b"\n").split(b"\n")
        is_whole = block.count(b" .\n") == len(lines) and b"\n@" not in block and block[:1] != b"@"
        broken = 0
        for line in lines if is_whole else self._whole(lines):
            try:
                subject, predicate, rest = line.split(b" ", 2)
            except ValueError:
                broken += 1
                continue
            part = parts.get(predicate)
            if part is None:
                part = part_of(predicate)
            if part is not nothing:
                yield subject, part, rest
            elif subject[:1] != b"<":
                broken += not self._is_named(subject)
        self._counters.add(ImportCounter.MALFORMED, broken)

    def _whole(self, lines: list[bytes]) -> Iterator[bytes]:
        """Lines with a full stop; declarations are kept and the others counted as malformed."""
        for line in lines:
            if line[-2:] == b" ." and line[:1] != b"@":
                yield line
            elif line.strip() and line[:1] != b"#" and not self.vocabulary.declare(line):
                self._counters.add(ImportCounter.MALFORMED)

    def _is_named(self, term: bytes) -> bool:
        return self.vocabulary.iri(term) is not None

    def _check_first(self, lines: list[bytes]) -> None:
        """Passes if the first line that is no declaration has three or four terms and a full stop."""
        for number, line in enumerate(lines, 1):
            if not line.strip() or line.startswith(b"#") or self.vocabulary.declare(line):
                continue
            terms = line.split(b" ", 2)
            if len(terms) < 3 or not line.endswith(b" .") or self.vocabulary.iri(terms[0]) is None or self.vocabulary.iri(terms[1]) is None:
                raise GraphFormatError(
                    "not a statement of three or four terms with a full stop",
                    where=f"{self.path}, line {number}",
                    remedy="EventKG's files have one statement a line; is it one of them?",
                )
            self.vocabulary.learn_host(terms[0])
            return


def split_graph(rest: bytes) -> tuple[bytes, bytes]:
    """Object and graph term of what follows a predicate; the graph is empty in a statement of three terms.

    IRIs of DBpedia may hold blanks and quotes, so the graph is found from the right.
    """
    rest = rest.removesuffix(b" .")
    object_, blank, graph = rest.rpartition(b" ")
    if blank and b'"' not in graph and (graph[:1] == b"<" or (b":" in graph and graph[-1:] != b">")):
        return object_, graph
    return rest, b""
