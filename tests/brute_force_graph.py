"""A second reader of graphs, for the brute-force evaluator: it imports nothing of the product.

Reading follows the design's order literally: parse, resolve dates and labels, drop, type the
relations on what is left, drop deleted relations and the long facts of point relations. Where the
design leaves a detail open:

* A mask such as `19##` is a coarse date (any of 1900 to 1999); a wholly masked year is unknown.
* A date text that cannot be read, or that the calendar lacks, makes the row malformed; its ids are
  known all the same, so it is kept aside with a bound that stands for any value.
* Two dates of one finer precision are compared in that precision before they are cut, so that
  `2004-05-10, 2004-05-09` is reversed in a graph of years too.
* A row is kept aside for the doubtful check if its three ids are written down; exact duplicates and
  rows of deleted relations are not.
* A dropped row of a point relation whose bounds may differ, coarse ones included, is a long fact of
  that relation too: it stands for any granule from its first bound to its last.
* A relation whose id is an entity's too is `relation:ID`, unless labels are the ids.
* An alias that could not be a label, or that repeats the entity's own, is no name.
* The form of an identifier is a Wikidata one: a letter of L, P, Q and digits.
"""

from __future__ import annotations

import gzip
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from state.config import GraphConfig
from state.fact import TemporalFact
from state.interval import Granularity, parse_iso

_DATE = re.compile(r"([+-]?)([0-9#]+)(?:-([0-9#]{1,2})(?:-([0-9#]{1,2}))?)?(?:T[0-9:.]*Z?)?")
_IDENTIFIER = re.compile(r"[LPQ][0-9]+")
_APOSTROPHES = dict.fromkeys(map(ord, "‘’‚‛ʹʻʼʽˈ′´`＇"), "'")
_NOT_KNOWN = {"", "none", "null", "nan"}
_EPOCH = date(1970, 1, 1).toordinal()


class Fact(NamedTuple):
    """A fact by ids, with its bounds in granules."""

    subject: str
    relation: str
    object: str
    start: int
    end: int


class Aside(NamedTuple):
    """A dropped row and the values that its bounds may stand for; `None` is no bound."""

    subject: str
    relation: str
    object: str
    start_low: int | None
    start_high: int | None
    end_low: int | None
    end_high: int | None


class Moment(NamedTuple):
    """A date as read: `kind` is known, unknown, coarse or malformed; the granules it may stand for."""

    kind: str
    low: int | None = None
    high: int | None = None
    parts: tuple[int, ...] = ()


@dataclass
class BruteGraph:
    """Cleaned facts, what was put aside, names and relation types."""

    granularity: Granularity
    facts: list[Fact]
    entity_labels: dict[str, str]
    relation_labels: dict[str, str]
    points: set[str]
    aliases: dict[str, list[str]] = field(default_factory=dict)
    aside: list[Aside] = field(default_factory=list)

    @cached_property
    def by_end(self) -> dict[tuple[str, int, str], list[Fact]]:
        """(relation, 0 for subject or 2 for object, entity) -> facts."""
        found: dict[tuple[str, int, str], list[Fact]] = {}
        for fact in self.facts:
            found.setdefault((fact.relation, 0, fact.subject), []).append(fact)
            found.setdefault((fact.relation, 2, fact.object), []).append(fact)
        return found

    @cached_property
    def aside_by_end(self) -> dict[tuple[str, int, str], list[Aside]]:
        """The same for what was put aside."""
        found: dict[tuple[str, int, str], list[Aside]] = {}
        for row in self.aside:
            found.setdefault((row.relation, 0, row.subject), []).append(row)
            found.setdefault((row.relation, 2, row.object), []).append(row)
        return found

    @cached_property
    def named_at(self) -> dict[tuple[str, int, str], set[str]]:
        """(relation, end, normalised label or alias) -> the entities of that name there."""
        found: dict[tuple[str, int, str], set[str]] = {}
        for relation, end, entity in self.by_end:
            for name in self.names(entity):
                found.setdefault((relation, end, name), set()).add(entity)
        return found

    @cached_property
    def _names(self) -> dict[str, set[str]]:
        return {}

    def names(self, entity: str) -> set[str]:
        """Normalised label and aliases."""
        if entity not in self._names:
            texts = [self.entity_labels.get(entity, ""), *self.aliases.get(entity, [])]
            self._names[entity] = {normalise(text) for text in texts} - {""}
        return self._names[entity]

    def read(self, fact: TemporalFact) -> Fact:
        """A record's fact in granules.

        Raises:
            ValueError: the fact's times are not in the graph's granularity.
        """
        (start, unit), (end, other) = parse_iso(fact.start), parse_iso(fact.end)
        if not unit is other is self.granularity:
            raise ValueError(f"{fact} is not in units of a {self.granularity.value}")
        return Fact(fact.subject, fact.relation, fact.object, start, end)


def normalise(text: str) -> str:
    """The form in which labels are compared: case, accents, blanks, dashes and apostrophes unified."""
    text = text.translate(_APOSTROPHES)
    text = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    kept = []
    for character in text:
        category = unicodedata.category(character)
        if category in ("Mn", "Me", "Cf"):
            continue
        if category == "Pd" or character == "−":
            kept.append("-")
        else:
            kept.append(" " if category in ("Zs", "Zl", "Zp", "Cc") else character)
    return " ".join(unicodedata.normalize("NFKC", "".join(kept).translate(_APOSTROPHES)).casefold().split())


def is_usable(label: str, identifier: str | None) -> bool:
    """Whether a label can stand in a question; `identifier` is `None` where labels are the ids."""
    trimmed = label.strip()
    if (trimmed if identifier is None else identifier).startswith("?"):
        return False  # a pattern could not tell it from a variable
    return len(trimmed) >= 2 and trimmed != identifier and not _IDENTIFIER.fullmatch(trimmed)


def granule(granularity: Granularity, year: int, month: int, day: int) -> int:
    """The granule of a date, by the calendar of `datetime` moved by whole cycles of 400 years."""
    if granularity is Granularity.YEAR:
        return year
    if granularity is Granularity.MONTH:
        return 12 * (year - 1970) + month - 1
    cycles = (2000 - year) // 400
    return date(year + 400 * cycles, month, day).toordinal() - _EPOCH - 146097 * cycles


def read_date(text: str, granularity: Granularity, not_known: Iterable[str] = (), historical: bool = False) -> Moment:
    """What a date text says; `not_known` are the exact texts that mean open or unknown."""
    text = text.strip()
    if text.lower() in _NOT_KNOWN or text in not_known:
        return Moment("unknown")
    match = _DATE.fullmatch(text)
    if match is None:
        return Moment("malformed")
    sign, year_text, month_text, day_text = match.groups()
    if set(year_text) == {"#"}:
        return Moment("unknown")
    years = sorted((-1 if sign == "-" else 1) * int(year_text.replace("#", digit)) for digit in "09")
    if historical:
        if years[0] == 0:
            return Moment("malformed")
        years = [year + 1 if year < 0 else year for year in years]
    if "#" in year_text:
        return Moment("coarse", granule(granularity, years[0], 1, 1), granule(granularity, years[1], 12, 31))
    year = years[0]
    month, day = ("" if part is None or "#" in part or int(part) == 0 else part for part in (month_text, day_text))
    parts = (year, *(int(part) for part in (month, day if month else "") if part))
    try:
        date(2000 + year % 400, parts[1] if month else 1, parts[2] if len(parts) == 3 else 1)
    except ValueError:
        return Moment("malformed")
    unit = {Granularity.YEAR: 1, Granularity.MONTH: 2, Granularity.DAY: 3}[granularity]
    first = granule(granularity, *((*parts, 1, 1))[:3])
    if len(parts) >= unit:
        return Moment("known", first, first, parts)
    if len(parts) == 1:
        return Moment("coarse", first, granule(granularity, year, 12, 31))
    following = (year + parts[1] // 12, parts[1] % 12 + 1)
    return Moment("coarse", first, granule(granularity, *following, 1) - 1)


def clean(
    rows: Iterable[list[str]],
    entity_labels: dict[str, str],
    relation_labels: dict[str, str],
    *,
    granularity: Granularity = Granularity.YEAR,
    aliases: dict[str, list[str]] | None = None,
    types: dict[str, str] | None = None,
    labels_are_ids: bool = False,
    unknown_starts: Iterable[str] = (),
    unknown_ends: Iterable[str] = (),
    historical: bool = False,
) -> BruteGraph:
    """The graph of raw rows of text (subject, relation, object, start, end)."""
    rows = list(rows)
    if not labels_are_ids:
        ends = {end for row in rows if len(row) == 5 for end in (row[0], row[2])}
        rows = [[row[0], apart(row[1], ends), *row[2:]] if len(row) == 5 else row for row in rows]
        relation_labels = {apart(key, ends): label for key, label in relation_labels.items()}
        types = {apart(key, ends): kind for key, kind in (types or {}).items()}
    settings = GraphConfig(path="")
    no_start, no_end = {*settings.open_dates, *unknown_starts}, {*settings.open_dates, *unknown_ends}
    usable = {
        key: is_usable(label, None if labels_are_ids else key)
        for labels in (entity_labels, relation_labels)
        for key, label in labels.items()
    }
    kept: dict[Fact, None] = {}
    aside: list[Aside] = []
    for row in rows:
        if len(row) != 5 or not all(row[:3]):
            continue
        ids = (row[0], row[1], row[2])
        start = read_date(row[3], granularity, no_start, historical)
        end = read_date(row[4], granularity, no_end, historical)
        is_reversed = start.low is not None and end.high is not None and start.low > end.high
        is_reversed |= len(start.parts) == len(end.parts) and start.parts > end.parts
        if is_reversed:
            aside.append(Aside(*ids, None, None, None, None))
        elif start.kind != "known" or end.kind != "known" or not all(usable.get(key, False) for key in ids):
            aside.append(Aside(*ids, start.low, start.high, end.low, end.high))
        else:
            assert start.low is not None
            assert end.low is not None
            kept.setdefault(Fact(*ids, start.low, end.low))
    kinds = type_relations(kept, types or {})
    facts = []
    for fact in kept:
        if kinds[fact.relation] == "P" and fact.start != fact.end:
            aside.append(Aside(*fact[:3], fact.start, fact.start, fact.end, fact.end))
        elif kinds[fact.relation] != "D":
            facts.append(fact)
    return BruteGraph(
        granularity,
        facts,
        entity_labels,
        relation_labels,
        {relation for relation, kind in kinds.items() if kind == "P"},
        {key: names for key, given in (aliases or {}).items() if (names := other_names(given, key, entity_labels, labels_are_ids))},
        [spread(row) if kinds[row.relation] == "P" else row for row in aside if kinds.get(row.relation, "D") != "D"],
    )


def apart(relation: str, entities: set[str]) -> str:
    """A relation's id, told apart from an entity's."""
    return f"relation:{relation}" if relation in entities else relation


def other_names(given: list[str], key: str, labels: dict[str, str], labels_are_ids: bool) -> list[str]:
    """The usable aliases of an entity that are not its label."""
    return [name for name in given if name != labels.get(key) and is_usable(name, None if labels_are_ids else key)]


def spread(row: Aside) -> Aside:
    """A dropped row of a point relation: with two bounds, any granule from the first to the last of them."""
    if row.start_low is None or row.end_high is None:
        return row
    return Aside(*row[:3], row.start_low, row.end_high, row.start_low, row.end_high)


def type_relations(facts: Iterable[Fact], by_hand: dict[str, str]) -> dict[str, str]:
    """Relation -> P, I or D, by the share of facts of one granule unless set by hand."""
    settings = GraphConfig(path="").typing
    counts: dict[str, list[int]] = {}
    for fact in facts:
        counts.setdefault(fact.relation, [0, 0])[fact.start == fact.end] += 1
    kinds = {}
    for relation, (long, short) in counts.items():
        share = short / (long + short)
        kinds[relation] = "P" if share >= settings.point_share else "I" if share <= settings.interval_share else "D"
    return kinds | by_hand


def read_lines(path: Path) -> Iterator[list[str]]:
    """The columns of a tab-separated file, plain or gzip, without any quoting."""
    data = path.read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    for line in data.decode("utf-8-sig").split("\n"):
        if line:
            yield line.removesuffix("\r").split("\t")


def load_cronkg(folder: Path, granularity: Granularity = Granularity.YEAR, types: Path | None = None) -> BruteGraph:
    """A folder in CronKG layout: `full.txt`, the two label files, aliases and relation types if there."""

    def find(*stems: str) -> Path | None:
        names = [name for stem in stems for name in (stem, f"{stem}.gz")]
        return next((folder / name for name in names if (folder / name).is_file()), None)

    def read(path: Path | None) -> list[list[str]]:
        return [] if path is None else list(read_lines(path))

    labels = [
        {row[0]: row[1] for row in reversed(read(find(name))) if len(row) == 2}
        for name in ("wd_id2entity_text.txt", "wd_id2relation_text.txt")
    ]
    aliases: dict[str, list[str]] = {}
    for row in read(find("wd_id2entity_alias.txt", "wd_id2entity_aliases.txt", "entity_aliases.txt", "aliases.txt")):
        aliases.setdefault(row[0], []).extend(row[1:])
    kinds = {row[0]: row[1].strip()[0].upper() for row in read(types or find("relation_types.txt"))}
    return clean(read(find("full.txt")), *labels, granularity=granularity, aliases=aliases, types=kinds)
