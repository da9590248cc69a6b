"""Train, dev and test: a seeded split of a benchmark in which no support-fact set stands on two sides.

The split is stable unless asked to be exact. Stable: a group's part is a hash of the seed and of the group's own
content, so a record keeps its part when records are added, removed or reordered, and the parts of a larger
benchmark contain those of a smaller one. The price is that shares hold in expectation, in every stratum alike, and
not to the record: `Split.strata` says what each stratum really got. Exact: the groups of each stratum are dealt by
the shares, to within a group at each border; then a record that is added or removed can move one or two others of
its stratum to another part, so a benchmark that will grow should not be split so.

Records of one group stay together: those with the same support facts, the same normalised question or the
same query, and those linked by others. A group is named after the smallest hash among its members' support
sets, so a record that comes later changes the part of earlier ones only where it links groups through its
question, or joins one through its question and has the smaller hash. Groups are never cut, however large:
a large one falls whole into one part and may bend the shares, which `Split.large_groups` shows.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, NamedTuple

from graph_sampler.labels import normalise_label
from state.errors import RunFolderError
from state.fact import TemporalFact
from state.instance import BenchmarkRecord
from state.model_base import Contract
from state.trace import StructuralStep
from state.vocabulary import ConstraintCount

Part = Literal["train", "dev", "test"]
PARTS: tuple[Part, ...] = ("train", "dev", "test")
"""The parts, in the order of their shares."""
SHARES = (80, 10, 10)
"""Default shares of train, dev and test."""
LARGE = 0.02
"""Share of all records from which a group is reported as large."""


class Stratum(NamedTuple):
    """Records that are alike in what the analyses compare."""

    part: ConstraintCount
    """S or M."""
    families: str
    """Operator families, sorted, each once a constraint, joined by ` + `."""
    hop_count: int
    """Number of structural facts."""


@dataclass(frozen=True)
class Split:
    """Which part each record is in."""

    seed: int
    """What the assignment was drawn with."""
    shares: tuple[int, int, int]
    """Shares asked for, of train, dev and test."""
    is_exact: bool
    """Whether the shares were dealt within each stratum, rather than drawn group by group."""
    group_of: Mapping[str, str]
    """Record id -> name of its group; sorted by id."""
    part_of_group: Mapping[str, Part]
    """Name of a group -> its part; sorted by name."""
    strata: Mapping[Stratum, Mapping[Part, int]]
    """Stratum -> records in each part; sorted, all three parts named."""

    def part_of(self, record_id: str) -> Part:
        """The part of a record.

        Raises:
            KeyError: the record was not among those that were split.
        """
        return self.part_of_group[self.group_of[record_id]]

    @property
    def sizes(self) -> dict[Part, int]:
        """Records in each part."""
        return {part: sum(stratum[part] for stratum in self.strata.values()) for part in PARTS}

    @property
    def large_groups(self) -> dict[str, int]:
        """Group -> records, of the groups of two and more that hold at least `LARGE` of all, the largest first."""
        counts = Counter(self.group_of.values())
        return {name: count for name, count in _largest_first(counts) if count >= max(2, LARGE * len(self.group_of))}

    def ids(self, part: Part) -> list[str]:
        """The ids of one part, sorted."""
        return [ident for ident in self.group_of if self.part_of(ident) == part]


def split(records: Iterable[BenchmarkRecord], seed: int, shares: tuple[int, int, int] = SHARES, *, exact: bool = False) -> Split:
    """Assigns every record to a part; the order of the records does not matter, nor does the process.

    Args:
        records: records of both parts, S and M, of one benchmark; read once, not kept.
        seed: another seed gives another assignment.
        shares: of train, dev and test, in any common unit.
        exact: deal the shares within each stratum; a record's part then hangs on the others of its stratum.

    Raises:
        RunFolderError: two records have the same id.
        ValueError: a share is negative, or all are zero.
    """
    if len(shares) != len(PARTS) or min(shares) < 0 or not sum(shares):
        raise ValueError(f"shares must be three numbers, none negative and not all zero, not {shares!r}")
    support: dict[str, str] = {}
    stratum: dict[str, Stratum] = {}
    links = _Links()
    for record in records:
        if record.id in support:
            raise RunFolderError(f"two records have the id {record.id!r}", where="split", remedy="Leave one of them out.")
        support[record.id] = _support_name(record.support_facts)
        stratum[record.id] = stratum_of(record)
        links.join(f"record {record.id}", f"support {support[record.id]}")
        links.join(f"record {record.id}", f"query {record.id.rpartition('-')[2]}")
        for question in _questions(record):
            links.join(f"record {record.id}", f"question {question}")
    name: dict[str, str] = {}
    for ident, own in support.items():
        root = links.root(f"record {ident}")
        name[root] = min(own, name.get(root, own))
    group_of = {ident: name[links.root(f"record {ident}")] for ident in sorted(support)}
    places = _dealt(seed, group_of, stratum) if exact else {group: _drawn(seed, group) for group in set(group_of.values())}
    part_of_group = {group: _part(place, shares) for group, place in sorted(places.items())}
    strata: dict[Stratum, dict[Part, int]] = {key: dict.fromkeys(PARTS, 0) for key in sorted(set(stratum.values()))}
    for ident, group in group_of.items():
        strata[stratum[ident]][part_of_group[group]] += 1
    return Split(seed, shares, exact, group_of, part_of_group, strata)


def stratum_of(record: BenchmarkRecord) -> Stratum:
    """The stratum of a record."""
    return Stratum(record.constraint_part, " + ".join(sorted(record.families)), record.hop_count)


class Shared(StrEnum):
    """What two parts may have in common."""

    SUPPORT = "support-fact set"
    QUERY = "query"
    QUESTION = "normalised question"
    """Of the final or the template question."""
    FACT = "single support fact"
    ANSWER = "answer and its relation"
    """The answer with each relation of the trace that leads to it."""


_Values = Mapping[Shared, frozenset[bytes]]
"""What a record holds, by kind, as hashes."""
NEVER_SHARED = (Shared.SUPPORT, Shared.QUERY, Shared.QUESTION)
"""What `split` keeps on one side."""


class Overlap(Contract):
    """What the records of a part have in common with those of an earlier part."""

    kind: Shared
    """What is compared."""
    earlier: Part
    """The part that a system may have seen."""
    later: Part
    """The part in which it is met again."""
    shared: int
    """Different values that both parts hold."""
    values: int
    """Different values that the later part holds."""
    records: int
    """Records of the later part with at least one shared value."""
    of: int
    """Records of the later part."""


class OverlapReport(Contract):
    """Overlaps of every kind between every two parts."""

    overlaps: tuple[Overlap, ...]
    """Kind by kind; train and dev, train and test, dev and test."""

    def count(self, kind: Shared) -> int:
        """Shared values of a kind, summed over the pairs of parts."""
        return sum(overlap.shared for overlap in self.overlaps if overlap.kind is kind)


def overlaps(records: Iterable[BenchmarkRecord], split: Split) -> OverlapReport:
    """Counts what the parts have in common; single facts and answers may be shared, the rest is not.

    Args:
        records: the records that were split; read once, only hashes are kept.
        split: their parts.
    """
    return _overlaps({record.id: _values(record) for record in records}, split)


def split_with_overlaps(
    records: Iterable[BenchmarkRecord], seed: int, shares: tuple[int, int, int] = SHARES, *, exact: bool = False
) -> tuple[Split, OverlapReport]:
    """`split` and `overlaps` in one reading of the records; of each only hashes are kept."""
    values: dict[str, _Values] = {}

    def read() -> Iterator[BenchmarkRecord]:
        for record in records:
            values[record.id] = _values(record)
            yield record

    made = split(read(), seed, shares, exact=exact)
    return made, _overlaps(values, made)


def _overlaps(values: Mapping[str, _Values], split: Split) -> OverlapReport:
    held: dict[Shared, list[tuple[Part, frozenset[bytes]]]] = {kind: [] for kind in Shared}
    for ident, of_record in values.items():
        for kind, hashes in of_record.items():
            held[kind].append((split.part_of(ident), hashes))
    found = []
    for kind, rows in held.items():
        known: dict[Part, set[bytes]] = {part: set() for part in PARTS}
        for part, hashes in rows:
            known[part] |= hashes
        for earlier, later in (("train", "dev"), ("train", "test"), ("dev", "test")):
            found.append(_overlap(kind, earlier, later, known, rows))  # type: ignore[arg-type]
    return OverlapReport(overlaps=tuple(found))


def _overlap(
    kind: Shared, earlier: Part, later: Part, known: Mapping[Part, set[bytes]], rows: list[tuple[Part, frozenset[bytes]]]
) -> Overlap:
    shared = known[earlier] & known[later]
    mine = [hashes for part, hashes in rows if part == later]
    met = sum(not shared.isdisjoint(hashes) for hashes in mine)
    return Overlap(kind=kind, earlier=earlier, later=later, shared=len(shared), values=len(known[later]), records=met, of=len(mine))


def _values(record: BenchmarkRecord) -> _Values:
    """What a record may share with others, as hashes."""
    answer = record.trace.answer_variable
    patterns = (step.pattern for step in record.trace.steps if isinstance(step, StructuralStep))
    values: dict[Shared, list[str]] = {
        Shared.SUPPORT: [repr(sorted(map(_exactly, record.support_facts)))],
        Shared.QUERY: [record.id.rpartition("-")[2]],
        Shared.QUESTION: _questions(record),
        Shared.FACT: [repr(_exactly(fact)) for fact in record.support_facts],
        Shared.ANSWER: [repr((record.answer_id, relation)) for left, relation, right in patterns if answer in (left, right)],
    }
    return {kind: frozenset(map(_short, some)) for kind, some in values.items()}


def _exactly(fact: TemporalFact) -> tuple[str, str, str, str, str]:
    return (fact.subject, fact.relation, fact.object, fact.start, fact.end)


def _short(value: str) -> bytes:
    return hashlib.sha256(value.encode("utf-8", "surrogatepass")).digest()[:12]


def _support_name(facts: Iterable[TemporalFact]) -> str:
    """A hash of a support set that does not see which way round a fact is stored.

    A graph that holds a relation and its inverse has the same fact twice, under two relations; questions over
    the one and over the other know each other as well as two over the same fact.
    """
    both_ways = {(*sorted((fact.subject, fact.object)), fact.start, fact.end) for fact in facts}
    return hashlib.sha256(repr(sorted(both_ways)).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _questions(record: BenchmarkRecord) -> list[str]:
    """Template question and final question, normalised; one of which nothing is left is no question."""
    normal = (normalise_label(question) for question in (record.raw_question, record.final_question) if question is not None)
    return [question for question in normal if question]


def _drawn(seed: int, what: str) -> int:
    """A place on a circle of 2^64."""
    return int.from_bytes(hashlib.sha256(f"{seed} {what}".encode()).digest()[:8], "big")


def _dealt(seed: int, group_of: Mapping[str, str], stratum: Mapping[str, Stratum]) -> dict[str, int]:
    """Group -> place, such that those of a stratum lie evenly on the circle, in the order in which they are drawn.

    A group counts with all its records, in the stratum of its first id. Where a stratum begins is drawn too, so
    that the only record of a rare stratum is not always in train.
    """
    sizes, of_stratum = Counter(group_of.values()), dict[str, Stratum]()
    for ident, group in group_of.items():
        of_stratum.setdefault(group, stratum[ident])
    totals, before = Counter[Stratum](), Counter[Stratum]()
    for group, size in sizes.items():
        totals[of_stratum[group]] += size
    places = {}
    for group in sorted(sizes, key=lambda group: _drawn(seed, group)):
        own = of_stratum[group]
        middle = (((2 * before[own] + sizes[group]) << 63) // totals[own]) + _drawn(seed, f"stratum {tuple(map(str, own))}")
        places[group] = middle % (1 << 64)
        before[own] += sizes[group]
    return places


def _part(place: int, shares: tuple[int, int, int]) -> Part:
    share = place * sum(shares) >> 64
    return PARTS[0] if share < shares[0] else PARTS[1] if share < shares[0] + shares[1] else PARTS[2]


def _largest_first(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))


class _Links:
    """Disjoint sets of names."""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}

    def root(self, name: str) -> str:
        """The name that stands for all names linked with this one."""
        while (above := self._above.setdefault(name, name)) != name:
            self._above[name] = name = self._above[above]
        return name

    def join(self, one: str, other: str) -> None:
        """Links two names."""
        self._above[self.root(one)] = self.root(other)
