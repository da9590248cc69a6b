"""Which questions can be trusted: those whose answer hangs on no dropped row, on no cut in a spell, and on no contradiction.

A table tells less than the world where rows of a thing could not be read, and more than one truth where one spell is
told in two rows: "who left in 1981" of somebody who was appointed again that very day, or where one thing is spelt in two
ways. Such questions are not asked.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from operator import eq, ge, gt, le, lt
from typing import Any, Literal, NamedTuple

from agents.leak_filter import find_leaks
from state.interval import parse_granule
from state.tdbench_config import Dependency
from state.tdbench_question import AnswerRow, Comparator, DateComparison, Kind, Question
from tdbench.joins.natural import Join, joined_source
from tdbench.spellings import Spellings, join_spellings, reading_of, table_spellings
from tdbench.table import TemporalTable, aside, quote

Doubt = Literal[
    "rows of what it asks about were dropped in reading",
    "one spell is told in several rows",
    "nothing could meet its condition",
    "an answer stands among the values that it gives",
    "values that read the same are spelt differently",
]
"""Why a question is not to be asked of a table."""
SPELT_APART: Doubt = "values that read the same are spelt differently"
_TESTS: Mapping[Comparator, Callable[[float, float], bool]] = {"<": lt, "<=": le, "=": eq, ">=": ge, ">": gt}
_FOREVER = float("inf")


class _Spell(NamedTuple):
    text: str
    start: int
    end: float
    """The first granule past it; infinite if it has none."""


class Soundness:
    """Judges the questions of some tables and joins; what was dropped is looked up once for each dependency.

    Which values read the same is looked up once for each column.
    """

    def __init__(self, connection: Any, tables: Mapping[str, TemporalTable], joins: Mapping[str, Join]) -> None:
        """Takes the database, its tables and the joins made of them."""
        self._connection, self._tables, self._joins = connection, tables, joins
        self._dropped: dict[tuple[str, Dependency], frozenset[tuple[str, ...]]] = {}
        self._spellings: dict[tuple[str, str], tuple[Spellings, ...]] = {}
        self._twins: dict[tuple[str, str], frozenset[str]] = {}

    def doubt(self, question: Question) -> Doubt | None:
        """Why a question is not to be asked; `None`: it may be."""
        if not _is_possible(question.comparisons):
            return "nothing could meet its condition"
        given = " | ".join(question.determinants.values())
        if any(find_leaks(given, answer, (), ()) for answer in question.answers):
            return "an answer stands among the values that it gives"
        if question.table in self._joins:
            join = self._joins[question.table]
            if self._is_join_of_dropped(join, question):
                return "rows of what it asks about were dropped in reading"
            last = join.parts[-1].table
        else:
            last = self._tables[question.table]
            if tuple(question.determinants.values()) in self._things_dropped(last, question.dependency):
                return "rows of what it asks about were dropped in reading"
        if not _is_whole(question, last):
            return "one spell is told in several rows"
        return SPELT_APART if self._is_spelt_apart(question, last) else None

    def spellings(self, name: str, column: str) -> tuple[Spellings, ...]:
        """The values of a column of a table or join that read the same as another one, each set in order."""
        key = name, column
        if key not in self._spellings:
            if name in self._joins:
                self._spellings[key] = join_spellings(self._connection, self._joins[name], column)
            else:
                self._spellings[key] = table_spellings(self._connection, self._tables[name], column)
            self._twins[key] = frozenset(value for one in self._spellings[key] for value in one)
        return self._spellings[key]

    def _has_twin(self, name: str, column: str, value: str) -> bool:
        return bool(self.spellings(name, column)) and value in self._twins[name, column]

    def _is_spelt_apart(self, question: Question, last: TemporalTable) -> bool:
        """Whether a value that is given, or that leads to the answer, has another spelling, or the answer would be another in one."""
        name, column = question.table, question.dependency.dependent
        if any(self._has_twin(name, *given) for given in question.determinants.items()):
            return True
        if name in self._joins and self._leads_through_twins(self._joins[name], question):
            return True
        return bool(self.spellings(name, column)) and _hangs_on_spelling(question, last)

    def _leads_through_twins(self, join: Join, question: Question) -> bool:
        """Whether a value by which a question goes from one table to the next is spelt in another way as well."""
        shared = [column for column in join.shared if self.spellings(join.table.name, column)]
        for place in range(1, len(join.parts)) if shared else ():
            parts = join.parts[:place]
            given, values, known = ["true"], [], set[str]()
            for part in parts:
                for own, joined in part.columns.items():
                    if joined in question.determinants and joined not in known:
                        known.add(joined)
                        given.append(f"{part.alias}.{quote(own)} = ?")
                        values.append(question.determinants[joined])
            steps = [(column, f"{part.alias}.{quote(own)}") for part in parts for own, column in part.columns.items() if column in shared]
            if not steps:
                continue
            sql = f"SELECT DISTINCT {', '.join(step for _, step in steps)} {joined_source(parts, ' AND '.join(given))}"
            for row in self._connection.execute(sql, values).fetchall():
                if any(value in self._twins[join.table.name, column] for (column, _), value in zip(steps, row, strict=True)):
                    return True
        return False

    def _things_dropped(self, table: TemporalTable, dependency: Dependency) -> frozenset[tuple[str, ...]]:
        key = table.name, dependency
        if key not in self._dropped:
            columns = ", ".join(map(quote, dependency.determinants))
            found = self._connection.execute(f"SELECT DISTINCT {columns} FROM {quote(aside(table.name))}").fetchall()
            self._dropped[key] = frozenset(found)
        return self._dropped[key]

    def _is_join_of_dropped(self, join: Join, question: Question) -> bool:
        """Whether a row that was dropped agrees with the question on what it gives, and with its facts on what they share."""
        given = " AND ".join(f"j.{quote(column)} = ?" for column in question.determinants)
        known = {*question.determinants, *join.shared}
        for part in join.parts:
            same = [f"a.{quote(own)} = j.{quote(joined)}" for own, joined in part.columns.items() if joined in known]
            sql = (
                f"SELECT 1 FROM {quote(aside(part.table.name))} AS a, {quote(join.table.name)} AS j"
                f" WHERE {' AND '.join([given, *same])} LIMIT 1"
            )
            if self._connection.execute(sql, list(question.determinants.values())).fetchone() is not None:
                return True
        return False


def has_idle_comparison(question: Question, table: TemporalTable) -> bool:
    """Whether some comparison of a question can be left out without another answer: who loses it in a phrasing is not found out."""
    column = question.dependency.dependent
    rows = [_spell(row, column, table) for row in (*question.gold, *question.distractors)]
    answers = {row.values[column] for row in question.gold}
    for left_out in question.comparisons:
        others = [one for one in question.comparisons if one is not left_out]
        if {row.text for row in rows if _meets(row, others, table)} == answers:
            return True
    return False


def _is_possible(comparisons: Iterable[DateComparison]) -> bool:
    """Whether some row of at least one granule meets all comparisons."""
    low, high = {"start": -_FOREVER, "end": -_FOREVER}, {"start": _FOREVER, "end": _FOREVER}
    for one in comparisons:
        date = parse_granule(one.date)
        if one.operator in (">", ">=", "="):
            low[one.bound] = max(low[one.bound], date + (one.operator == ">"))
        if one.operator in ("<", "<=", "="):
            high[one.bound] = min(high[one.bound], date - (one.operator == "<"))
    return low["start"] <= high["start"] and max(low["end"], low["start"] + 1) <= high["end"]


def _hangs_on_spelling(question: Question, table: TemporalTable) -> bool:
    """Whether the answer, its dates, or whether its condition changes it would be others if what reads the same were spelt alike."""
    read = question.model_copy(update={"gold": _as_read(question, question.gold), "distractors": _as_read(question, question.distractors)})
    answers, others = ({row.values[question.dependency.dependent] for row in rows} for rows in (read.gold, read.distractors))
    if len(answers) < len(question.answers) or not _is_whole(read, table):
        return True
    has_condition = question.kind in (Kind.RELATION, Kind.JOIN)
    return has_condition and others <= answers


def _as_read(question: Question, rows: Iterable[AnswerRow]) -> tuple[AnswerRow, ...]:
    column = question.dependency.dependent
    return tuple(row.model_copy(update={"values": {column: reading_of(row.values[column])}}) for row in rows)


def _is_whole(question: Question, table: TemporalTable) -> bool:
    """Whether the question has the same answer, with the same dates, where rows of one text that touch are one spell."""
    column = question.dependency.dependent
    gold = {_spell(row, column, table) for row in question.gold}
    rows = gold | {_spell(row, column, table) for row in question.distractors}
    spells = _joined(rows, is_ongoing=table.open_end == "ongoing")
    if not gold <= spells:
        return False
    if question.kind is Kind.JOIN:
        return True
    return {spell for spell in spells if _meets(spell, question.comparisons, table)} == gold


def _spell(row: AnswerRow, column: str, table: TemporalTable) -> _Spell:
    end = _FOREVER if row.end is None else parse_granule(row.end) + (table.ends == "inclusive")
    return _Spell(row.values[column], parse_granule(row.start), end)


def _joined(rows: Iterable[_Spell], *, is_ongoing: bool) -> set[_Spell]:
    """Rows of one text that touch or overlap as one; a row whose end nobody knows reaches no other."""
    by_text: defaultdict[str, list[_Spell]] = defaultdict(list)
    for row in sorted(rows):
        before = by_text[row.text][-1:]
        if before and row.start <= before[0].end and (is_ongoing or before[0].end != _FOREVER):
            by_text[row.text][-1] = before[0]._replace(end=max(before[0].end, row.end))
        else:
            by_text[row.text].append(row)
    return {spell for spells in by_text.values() for spell in spells}


def _meets(spell: _Spell, comparisons: Iterable[DateComparison], table: TemporalTable) -> bool:
    for one in comparisons:
        bound = spell.start if one.bound == "start" else spell.end
        if bound == _FOREVER and table.open_end == "unknown":
            return False
        if not _TESTS[one.operator](bound, parse_granule(one.date)):
            return False
    return True
