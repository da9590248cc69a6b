"""MMKB's temporal sets: one bound a row, since and until of one fact being rows of their own, in any file.

Rows have three columns (subject, relation, object: no time) or five (a role, `<occursSince>` or
`occurUntil`, and a time). All files are pooled before the halves are joined. Paper: section 4.2.1.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from graph_sampler.loaders.counters import JOINED, ImportCounters
from graph_sampler.loaders.cronkg import load_types
from graph_sampler.loaders.dates import ABSENT, TimeKind, read_time
from graph_sampler.loaders.graph_format import HEAD_BYTES, Format
from graph_sampler.loaders.label_tables import label_names, labels_of_config, refuse_without_labels
from graph_sampler.loaders.text_lines import TsvReader, read_head
from graph_sampler.raw_facts import Codes, FactBuffer, RawFacts, RawLabels
from state.config import GraphConfig, YearNumbering
from state.errors import GraphFormatError
from state.graph_report import ImportCounter
from state.interval import Granularity

_TIMED, _UNTIMED = 5, 3
_SINCE = frozenset(("<occursSince>", "occursSince", "occurSince", "<occurSince>"))
_UNTIL = frozenset(("<occursUntil>", "occursUntil", "occurUntil", "<occurUntil>"))
_ENTITY = re.compile(r"<.+>|Q\d+", re.DOTALL)
_NAME = re.compile(r".*(train|valid|test).*\.txt.*")
_Rows = npt.NDArray[np.intp]


def _load(paths: list[Path], config: GraphConfig, counters: ImportCounters) -> tuple[RawFacts, RawLabels]:
    files = [file for path in paths for file in _files(path)]
    facts, malformed = FactBuffer(), 0
    for path in files:
        reader = TsvReader(path, _TIMED, others=(_UNTIMED,))
        for columns in reader.ragged_batches():
            subject, relation, object_ = columns[:3]
            blank = pa.repeat("", len(subject))
            facts.add((subject, relation, object_, *(columns[3:] or (blank, blank))))
        counters.read(path, reader.rows)
        malformed += reader.malformed
    raw = _joined(facts.finish(malformed), counters)
    labels = labels_of_config(config)
    if labels.entities is None:
        labels.entities, labels.entity_file = label_names(raw.entities), str(files[0])
    if labels.relations is None:
        labels.relations, labels.relation_file = label_names(raw.relations, split_case=True), str(files[0])
    refuse_without_labels(raw, labels, files[0])
    labels.types = load_types(Path(config.types)) if config.types else {}
    return raw, labels


def _files(path: Path) -> list[Path]:
    """The parts of a folder by their names, or the file itself."""
    if not path.is_dir():
        return [path]
    found = sorted(child for child in path.iterdir() if child.is_file() and _NAME.fullmatch(child.name))
    if not found:
        raise GraphFormatError("no file with train, valid or test in its name", where=str(path))
    return found


def _joined(raw: RawFacts, counters: ImportCounters) -> RawFacts:
    """Facts with both bounds, out of rows whose last two columns are a role and a time.

    A pair is joined where a triple has one since and one until, or equally many whose spells, in order,
    do not overlap. All other rows keep the one bound that they state.
    """
    halves = _Halves.of(raw)
    counters.add(ImportCounter.LITERAL_OBJECT, int(halves.is_literal.sum()))
    pooled = halves.distinct()
    is_fact = ~halves.is_literal[pooled]
    counters.add(ImportCounter.DUPLICATE_EXACT, int((~halves.is_malformed & ~halves.is_literal).sum()) - int(is_fact.sum()))
    order, group = halves.grouped(pooled[is_fact])
    role = halves.role[order]
    since, until = order[role == _IS_SINCE], order[role == _IS_UNTIL]
    since_group, until_group = group[role == _IS_SINCE], group[role == _IS_UNTIL]
    groups = int(group[-1]) + 1 if len(group) else 0
    counts = [np.bincount(ends, minlength=groups) for ends in (since_group, until_group)]
    is_paired = (counts[0] == counts[1]) & (counts[0] > 0)
    is_several = np.maximum(*counts) > 1
    # Both lists run by (triple, time), so that the n-th since meets the n-th until.
    left, right = since[is_paired[since_group]], until[is_paired[until_group]]
    pair_group = since_group[is_paired[since_group]]
    is_apart = np.ones(len(left), np.bool_)
    is_apart &= halves.first_day[left] <= halves.last_day[right]
    is_next = pair_group[1:] == pair_group[:-1]
    is_apart[1:] &= ~is_next | (halves.last_day[right[:-1]] <= halves.first_day[left[1:]])
    is_apart &= halves.is_dated[left] & halves.is_dated[right]
    is_torn = np.zeros(groups, np.bool_)
    is_torn[pair_group[~is_apart]] = True
    # A lone pair stays a pair even if it is reversed: cleaning says so.
    is_paired &= ~is_torn | ~is_several
    ambiguous = is_several & ~is_paired
    counters.add(ImportCounter.AMBIGUOUS_PAIRING, int((counts[0] + counts[1])[ambiguous].sum()))
    left, right = since[is_paired[since_group]], until[is_paired[until_group]]
    counters.add(JOINED, len(right))
    single = order[(role != _IS_NEITHER) & ~is_paired[group]]
    is_timed = (counts[0] + counts[1]) > 0
    untimed = order[(role == _IS_NEITHER) & ~is_timed[group]]
    counters.add("untimed_beside_timed", int((role == _IS_NEITHER).sum()) - len(untimed))
    return halves.facts(left, right, single, untimed)


_IS_NEITHER, _IS_SINCE, _IS_UNTIL = range(3)


@dataclass(frozen=True, slots=True)
class _Halves:
    """The rows of all files, each with what it says about one bound."""

    raw: RawFacts
    role: npt.NDArray[np.int8]
    time: Codes
    is_literal: npt.NDArray[np.bool_]
    is_malformed: npt.NDArray[np.bool_]
    first_day: npt.NDArray[np.int64]
    last_day: npt.NDArray[np.int64]
    is_dated: npt.NDArray[np.bool_]
    """Whether the time is a date, if only a year."""

    @classmethod
    def of(cls, raw: RawFacts) -> _Halves:
        roles = [_IS_SINCE if text in _SINCE else _IS_UNTIL if text in _UNTIL else _IS_NEITHER for text in raw.times]
        role = np.array(roles, np.int8)[raw.start]
        is_blank = np.array([text == "" for text in raw.times], np.bool_)
        is_literal = np.array([_ENTITY.fullmatch(text) is None for text in raw.entities], np.bool_)[raw.object]
        ranges = [read_time(text, Granularity.DAY, YearNumbering.ASTRONOMICAL) for text in raw.times]
        first_day = np.array([known.first_day for known in ranges], np.int64)[raw.end]
        last_day = np.array([known.last_day for known in ranges], np.int64)[raw.end]
        is_dated = np.array([known.kind in (TimeKind.EXACT, TimeKind.COARSE) for known in ranges], np.bool_)[raw.end]
        is_malformed = (role == _IS_NEITHER) & ~(is_blank[raw.start] & is_blank[raw.end])
        return cls(raw, role, raw.end, is_literal & ~is_malformed, is_malformed, first_day, last_day, is_dated)

    def distinct(self) -> _Rows:
        """Rows that are not malformed, of equal ones one."""
        rows = np.flatnonzero(~self.is_malformed)
        order = rows[self._sorting(rows, self.time, self.role)]
        is_new = np.ones(len(order), np.bool_)
        columns = (self.raw.subject, self.raw.relation, self.raw.object, self.role, self.time)
        is_new[1:] = np.logical_or.reduce([column[order[1:]] != column[order[:-1]] for column in columns])
        return order[is_new]

    def grouped(self, rows: _Rows) -> tuple[_Rows, npt.NDArray[np.int64]]:
        """Rows by triple, role and time, and the number of each one's triple."""
        order = rows[self._sorting(rows, self.last_day, self.first_day, self.role)]
        is_new = np.zeros(len(order), np.bool_)
        columns = (self.raw.subject, self.raw.relation, self.raw.object)
        is_new[1:] = np.logical_or.reduce([column[order[1:]] != column[order[:-1]] for column in columns])
        return order, np.cumsum(is_new)

    def _sorting(self, rows: _Rows, *least: npt.NDArray[Any]) -> _Rows:
        """The order by triple, then by the other columns, the last of them first."""
        return np.lexsort([column[rows] for column in (*least, self.raw.object, self.raw.relation, self.raw.subject)])

    def facts(self, left: _Rows, right: _Rows, single: _Rows, untimed: _Rows) -> RawFacts:
        """Pairs, rows of one bound and rows of none as facts."""
        raw, absent = self.raw, np.int32(len(self.raw.times))
        rows = np.concatenate((left, single, untimed))
        starts = np.where(self.role[single] == _IS_SINCE, self.time[single], absent)
        ends = np.where(self.role[single] == _IS_UNTIL, self.time[single], absent)
        nothing = np.full(len(untimed), absent, np.int32)
        return RawFacts(
            raw.entities, raw.relations, [*raw.times, ABSENT],
            raw.subject[rows], raw.relation[rows], raw.object[rows],
            np.concatenate((self.time[left], starts, nothing)).astype(np.int32),
            np.concatenate((self.time[right], ends, nothing)).astype(np.int32),
            raw.malformed + int(self.is_malformed.sum()),
        )  # fmt: skip


def _looks_like(path: Path, head: bytes) -> str | None:
    if path.is_dir():
        files = [child for child in path.iterdir() if child.is_file() and _NAME.fullmatch(child.name)]
        head = read_head(min(files), HEAD_BYTES) if files else b""
    roles = (b"\t<occursSince>\t", b"\t<occursUntil>\t", b"\toccurSince\t", b"\toccurUntil\t")
    found = next((role for role in roles if role in head), None)
    return f"rows have a column {found.decode().strip()}" if found else None


FORMAT = Format(
    name="mmkb",
    title="MMKB temporal sets (yago15k, wikidata)",
    load=_load,
    looks_like=_looks_like,
    settings=frozenset(("entity_labels", "relation_labels", "entity_aliases")),
    options=frozenset(("partial_labels",)),
    notes="A fact of which only one bound is stated has an absent other bound, and so no place in the graph. "
    "The Wikidata set has no labels: name files as graph.entity_labels.path and graph.relation_labels.path.",
)
"""The layout of MMKB's sets with since and until."""
