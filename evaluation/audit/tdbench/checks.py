"""The checks of one record of a published question file against its tables, one function each."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence

from evaluation.audit.tdbench.defects import EXECUTED, OF_QUESTIONS, TableDefect, TableDefectKind, TableFindings, TableUnchecked
from evaluation.audit.tdbench.execution import Meaning, PublishedTables, Ran, dates_of, day_of
from evaluation.audit.tdbench.records import Part, StatedRow, TableCase
from evaluation.audit.tdbench.sql_reader import Column, IsNull, Moved, Operand, SqlRefused, read_sql
from evaluation.audit.text_checks import normalise_question
from evaluation.entity_preservation import is_mentioned
from graph_sampler.labels import normalise_label
from state.interval import Granularity, format_granule
from state.tdbench_question import AllenRelation
from tdbench.questions.relations import BY_NAME

MOST_ANSWERS = 5
_NO_QUESTIONS = "it has no questions yet"
_REFUSED = "its query was refused"
_OF_NOW = "what holds now is asked even of what never changed"
_NO_TIME = "its query has no temporal condition"
_NO_RELATION = "it is named after none of the thirteen relations"
_NO_CLASS = "its qtype names no class of answers"
_NAMES = {relation.value for relation in AllenRelation}

_Shown = tuple[str | int | None, ...]


class TableAuditor:
    """The checks of some tables over one file; records are given in the order of the file."""

    def __init__(self, tables: PublishedTables) -> None:
        self._tables = tables
        self._seen: dict[bytes, int] = {}
        self._agreeing: dict[object, tuple[int, ...]] = {}
        self._broken: dict[object, dict[int, str]] = {}

    def findings(self, case: TableCase) -> TableFindings:
        """Everything that is wrong with a record, and the checks that could not be made."""
        found: list[TableDefect | None] = []
        unchecked: list[TableUnchecked] = []
        meaning = None
        try:
            meaning = self._tables.meaning(read_sql(case.sql))
        except SqlRefused as err:
            found.append(TableDefect(TableDefectKind.REFUSED, str(err)))
            unchecked.append(TableUnchecked(EXECUTED, _REFUSED))
        if meaning is not None:
            found += self._executed(case, meaning)
            unchecked += _not_asked(case, meaning)
        asked = None if meaning is None else meaning.asked
        found.append(_too_many(case, asked))
        if case.part in (Part.NONE, Part.UNIQUE, Part.MULTIPLE):
            found.append(_wrong_class(case, asked))
        else:
            unchecked.append(TableUnchecked((TableDefectKind.WRONG_CLASS,), _NO_CLASS))
        found.append(self._duplicate(case, meaning))
        if case.questions is None:
            unchecked.append(TableUnchecked(OF_QUESTIONS, _NO_QUESTIONS))
        else:
            found += [_leak(case, asked), _blank(case), _outer_blanks(case)]
        return TableFindings([each for each in found if each is not None], unchecked)

    def _executed(self, case: TableCase, meaning: Meaning) -> Iterator[TableDefect | None]:
        ran = self._tables.run(meaning)
        key = (meaning.table.place, meaning.given)
        if key not in self._agreeing:
            self._agreeing[key] = self._tables.agreeing(meaning)
        every = self._agreeing[key]
        yield _wrong_answers(case, meaning, ran)
        yield _wrong_distractors(case, meaning, ran, every)
        if meaning.has_condition and case.part is not Part.NOW:
            yield _not_needed(meaning, ran, every)
            yield self._future(meaning)
        if ran.is_tied:
            yield TableDefect(TableDefectKind.TIE, f"the row after the first {meaning.select.limit} has the same rank")
        if (*key, meaning.asked) not in self._broken:
            self._broken[*key, meaning.asked] = _broken(meaning, every)
        if why := next(filter(None, map(self._broken[*key, meaning.asked].get, ran.rows)), None):
            yield TableDefect(TableDefectKind.BROKEN_DEPENDENCY, why)
        if case.op is not None and case.op in _NAMES:
            yield _loose(case.op, meaning)

    def _future(self, meaning: Meaning) -> TableDefect | None:
        horizon = self._tables.as_of if self._tables.as_of is not None else meaning.table.last_day
        late = [day for day in dates_of(meaning) if horizon is not None and day > horizon]
        if not late or horizon is None:
            return None
        what = "the as-of day" if self._tables.as_of is not None else "the table's last date"
        days = (format_granule(day, Granularity.DAY) for day in (max(late), horizon))
        return TableDefect(TableDefectKind.FUTURE, f"it names {next(days)}, and {what} is {next(days)}")

    def _duplicate(self, case: TableCase, meaning: Meaning | None) -> TableDefect | None:
        """In what a record repeats earlier ones, if it does; from now on it is an earlier one."""
        query = " ".join(case.sql.lower().split()) if meaning is None else _query_of(meaning)
        texts = [("query", query), *(("question", normalise_question(each)) for each in case.questions or ())]
        found = []
        for what, text in texts:
            key = hashlib.blake2b(f"{what}\0{text}".encode("utf-8", "surrogatepass"), digest_size=16).digest()
            first = self._seen.setdefault(key, case.number)
            if text and first != case.number:
                found.append(f"the {what} of record {first}")
        return TableDefect(TableDefectKind.DUPLICATE, f"it has {', '.join(dict.fromkeys(found))}") if found else None


def _query_of(meaning: Meaning) -> str:
    """A text that is the same for two queries that ask the same, however columns and dates are spelled and conditions ordered."""
    select = meaning.select

    def side(operand: Operand, is_time: bool) -> str:
        bare = operand.of if isinstance(operand, Moved) else operand
        if isinstance(bare, Column):
            return bare.name.lower()
        moved = (operand.number, operand.unit) if isinstance(operand, Moved) and operand.number else ()  # another question
        return repr((day_of(bare) if is_time else bare.value, *moved))

    conditions = [
        repr((side(each.column, is_time), each.is_negated))
        if isinstance(each, IsNull)
        else repr((side(each.left, is_time), each.sign, side(each.right, is_time)))
        for is_time, group in ((False, meaning.given), (True, meaning.temporal))
        for each in group
    ]
    order = None if select.order is None else select.order.name.lower()
    return repr((meaning.table.place, meaning.asked, sorted(conditions), order, select.descends, select.limit))


def _not_asked(case: TableCase, meaning: Meaning) -> Iterator[TableUnchecked]:
    if case.part is Part.NOW:
        yield TableUnchecked((TableDefectKind.NOT_NEEDED, TableDefectKind.FUTURE), _OF_NOW)
    elif not meaning.has_condition:
        yield TableUnchecked((TableDefectKind.NOT_NEEDED, TableDefectKind.FUTURE), _NO_TIME)
    if case.op not in _NAMES:
        yield TableUnchecked((TableDefectKind.LOOSE_RELATION,), _NO_RELATION)


def _difference(stated: Sequence[StatedRow], meaning: Meaning, rows: Sequence[int]) -> str:
    """In what stated rows differ from those of the table; empty where they do not, whatever their order."""
    columns, table = meaning.columns, meaning.table
    for row in stated:
        if row.keys() != set(columns):
            return f"a stated row has the columns {', '.join(sorted(row))}; the query chooses {', '.join(columns)}"
    said: Counter[_Shown] = Counter(tuple(table.stated(column, row[column]) for column in columns) for row in stated)
    gives: Counter[_Shown] = Counter(table.shown(row, columns) for row in rows)
    missing, extra = gives - said, said - gives
    parts = [f"it states {extra.total()} that the table does not give: {_written(next(iter(extra)), meaning)}"] if extra else []
    parts += [f"it lacks {missing.total()} that the table gives: {_written(next(iter(missing)), meaning)}"] if missing else []
    return "; ".join(parts)


def _written(shown: _Shown, meaning: Meaning) -> str:
    """Values as text; days as dates."""
    return ", ".join(
        "no end" if value is None else format_granule(value, Granularity.DAY) if isinstance(value, int) else value for value in shown
    )


def _wrong_answers(case: TableCase, meaning: Meaning, ran: Ran) -> TableDefect | None:
    why = _difference(case.correct, meaning, ran.rows)
    return TableDefect(TableDefectKind.WRONG_ANSWERS, why) if why else None


def _wrong_distractors(case: TableCase, meaning: Meaning, ran: Ran, every: Sequence[int]) -> TableDefect | None:
    answers = set(ran.rows)
    why = _difference(case.incorrect, meaning, [row for row in every if row not in answers])
    return TableDefect(TableDefectKind.WRONG_DISTRACTORS, why) if why else None


def _not_needed(meaning: Meaning, ran: Ran, every: Sequence[int]) -> TableDefect | None:
    column = meaning.table.known[meaning.asked]
    assert isinstance(column, int)
    with_it, without = ({meaning.table.cells[row][column] for row in rows} for rows in (ran.rows, every))
    if with_it != without:
        return None
    what = f"{len(without)} with and without it" if without else "none, whatever the time"
    return TableDefect(TableDefectKind.NOT_NEEDED, f"answers: {what}")


def _broken(meaning: Meaning, every: Sequence[int]) -> dict[int, str]:
    """The rows that agree on what is given and hold at one time with another that differs in what is asked."""
    table, column = meaning.table, meaning.table.known[meaning.asked]
    assert isinstance(column, int)
    found: dict[int, str] = {}
    held: list[tuple[int, int]] = []
    for span, row in sorted((span, row) for row in every if (span := table.spans[row]) is not None):
        held = [(past, other) for past, other in held if past > span.first]
        name = table.cells[row][column]
        for _, other in held:
            another = table.cells[other][column]
            if None not in (name, another) and name != another:
                why = f"{another} and {name} at one time, from {format_granule(span.first, table.unit)} on"
                found.setdefault(row, why)
                found.setdefault(other, why)
        held.append((span.past, row))
    return found


def _loose(op: str, meaning: Meaning) -> TableDefect | None:
    """A bound that the true relation needs and the condition does not look at."""
    needed = dict.fromkeys(test.bound for test in BY_NAME[AllenRelation(op)].tests)
    missing = [bound for bound in needed if bound not in meaning.bounds]
    return TableDefect(TableDefectKind.LOOSE_RELATION, f"{op} without a look at the {' and '.join(missing)}") if missing else None


def _names(case: TableCase, asked: str | None) -> list[str]:
    """The texts of the stated answers: of the asked column, or of the first if the query was refused."""
    column = asked or next((name for row in case.correct for name in row), "")
    return list(dict.fromkeys(text.strip() for row in case.correct if (text := row.get(column)) is not None))


def _too_many(case: TableCase, asked: str | None) -> TableDefect | None:
    count = len(_names(case, asked))
    return TableDefect(TableDefectKind.TOO_MANY, f"it has {count}") if count > MOST_ANSWERS else None


def _wrong_class(case: TableCase, asked: str | None) -> TableDefect | None:
    names = _names(case, asked)
    found = (Part.NONE, Part.UNIQUE, Part.MULTIPLE)[min(len(names), 2)]
    if found is case.part:
        return None
    rows = f" in {len(case.correct)} rows" if len(case.correct) != len(names) else ""
    return TableDefect(TableDefectKind.WRONG_CLASS, f"it says {case.part}, and has {len(names)} different answers{rows}")


def _leak(case: TableCase, asked: str | None) -> TableDefect | None:
    names = [name for name in _names(case, asked) if len(normalise_label(name)) > 1]
    for number, question in enumerate(case.questions or (), start=1):
        for name in names:
            if is_mentioned((name,), question):
                return TableDefect(TableDefectKind.ANSWER_LEAK, f"question {number} says {name!r}")
    return None


def _blank(case: TableCase) -> TableDefect | None:
    blank = [str(number) for number, question in enumerate(case.questions or (), start=1) if not question.strip()]
    return TableDefect(TableDefectKind.BLANK_QUESTION, f"question {', '.join(blank)} is blank") if blank else None


def _outer_blanks(case: TableCase) -> TableDefect | None:
    outer = sum(bool(question.strip()) and question != question.strip() for question in case.questions or ())
    return TableDefect(TableDefectKind.OUTER_BLANKS, f"{outer} of {len(case.questions or ())} questions") if outer else None
