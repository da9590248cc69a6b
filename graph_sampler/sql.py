"""A trace as one SQL query: the second opinion that `chronoqg check` runs in DuckDB.

It reads the steps and the operators' names and shares nothing else with the sampler: each predicate
stands here again, by the endpoints, with the precedence written out. A stage is one common table
expression whose rows bind variables (`a`, `b`, `c`) and the bounds of the facts (`f1_start`, ...); an
ordinal keeps the rows of one dense rank; references are constants. Paper: section 4.2.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa

from state.fact import TemporalFact
from state.instance import BenchmarkRecord
from state.interval import Granularity, parse_iso
from state.trace import FilterStep, OrdinalStep, PairwiseStep, RootStep, StructuralStep, Trace, TransitionStep
from state.vocabulary import RankOrder

if TYPE_CHECKING:
    import duckdb

    from graph_sampler.temporal_graph import TemporalGraph

PREDICATES: dict[str, str] = {
    "I-equals-I": "{a} = {c} AND {b} = {d}",
    "I-starts-I": "{a} = {c} AND {b} < {d}",
    "I-started-by-I": "{a} = {c} AND {b} > {d}",
    "I-finishes-I": "{b} = {d} AND {a} > {c}",
    "I-finished-by-I": "{b} = {d} AND {a} < {c}",
    "I-before-I": "{b} < {c}",
    "I-after-I": "{a} > {d}",
    "I-meets-I": "{b} = {c} AND {a} <> {c} AND {b} <> {d}",
    "I-met-by-I": "{a} = {d} AND {a} <> {c} AND {b} <> {d}",
    "I-during-I": "{a} > {c} AND {b} < {d}",
    "I-contains-I": "{a} < {c} AND {b} > {d}",
    "I-overlaps-I": "{a} < {c} AND {b} > {c} AND {b} < {d}",
    "I-overlapped-by-I": "{a} > {c} AND {a} < {d} AND {b} > {d}",
    "P-at-start-I": "{a} = {c}",
    "P-at-end-I": "{a} = {d} AND {a} <> {c}",
    "P-before-I": "{a} < {c}",
    "P-after-I": "{a} > {d}",
    "P-inside-I": "{a} > {c} AND {a} < {d}",
    "I-starts-at-P": "{a} = {c}",
    "I-ends-at-P": "{b} = {c} AND {a} <> {c}",
    "I-after-P": "{a} > {c}",
    "I-before-P": "{b} < {c}",
    "I-covers-P": "{a} < {c} AND {b} > {c}",
    "P-before-P": "{a} < {c}",
    "P-equals-P": "{a} = {c}",
    "P-after-P": "{a} > {c}",
}
"""Pairwise operator -> test from the fact `[a, b]` to the fact `[c, d]`; a point's two bounds are equal."""

RANK_KEYS: dict[str, str] = {
    "start_rank": "{a}",
    "end_rank": "{b}",
    "duration_rank": "{b} - {a}",
}
"""Ordinal operator -> what it ranks by."""

_FACTS = "subject, relation, object, start_, end_"


def compile_trace(trace: Trace, granularity: Granularity, table: str = "facts", left_out: str | None = None) -> str:
    """One SQL query whose single column `answer` is the trace's answer set.

    `table` has the columns `subject, relation, object, start_, end_`. `left_out` names a constraint, or
    the structural filter by its fact. A constraint left out goes on removing the rows whose own fact is
    its reference; with the filter go the constraints that read its fact.

    Raises:
        ValueError: a reference is not in units of the granularity.
    """
    return _Compiler(trace, granularity, (left_out,)).query(table)


def check_record(connection: duckdb.DuckDBPyConnection, record: BenchmarkRecord, table: str = "facts") -> list[str]:
    """What SQL says against a record, one line each; empty for a good one.

    The trace, and the trace without each constraint or without the filter, is answered from the whole
    graph in `table` and from the record's evidence alone: whole it must give the answer, else another.
    """
    granularity = parse_iso(record.evidence[0].start)[1]
    variants = (None, *losses(record.trace))
    query = _Compiler(record.trace, granularity, variants, has_evidence=True).query(table)
    columns = list(zip(*(_plain(fact, granularity) for fact in record.evidence), strict=True))
    answers: dict[tuple[int, int], set[str]] = {}
    for source, variant, answer in connection.execute(query, [list(column) for column in columns]).fetchall():
        answers.setdefault((source, variant), set()).add(answer)
    found = []
    for source, where in enumerate(("the graph", "the evidence")):
        for variant, name in enumerate(variants):
            answer_set = answers.get((source, variant), set())
            if name is None and answer_set != {record.answer_id}:
                found.append(f"{where} answers {sorted(answer_set)} instead of {record.answer_id}")
            elif name is not None and answer_set == {record.answer_id}:
                found.append(f"{where} gives the same answer without {name}")
    return found


def load_facts(connection: duckdb.DuckDBPyConnection, graph: TemporalGraph, table: str = "facts") -> None:
    """Creates the table of a graph's cleaned facts."""
    entities, relations = pa.array(graph.entity_ids, pa.string()), pa.array(graph.relation_ids, pa.string())
    arrow = pa.table(
        {
            "subject": entities.take(pa.array(graph.subject)),
            "relation": relations.take(pa.array(graph.relation)),
            "object": entities.take(pa.array(graph.object)),
            "start_": pa.array(graph.start, pa.int32()),
            "end_": pa.array(graph.end, pa.int32()),
        }
    )
    connection.register("arriving_facts", arrow)
    connection.execute(f"CREATE OR REPLACE TABLE {table} AS SELECT {_FACTS} FROM arriving_facts")
    connection.unregister("arriving_facts")


def losses(trace: Trace) -> tuple[str, ...]:
    """What can be left out: each constraint by its name, then the filter by its fact's."""
    constraints = [step.constraint for step in trace.steps if isinstance(step, PairwiseStep | OrdinalStep)]
    return (*constraints, *(step.fact for step in trace.steps if isinstance(step, FilterStep)))


def literal(text: str) -> str:
    """A text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


class _FactColumns(NamedTuple):
    """How a fact of the row, or a reference, is written in SQL."""

    subject: str
    relation: str
    object: str
    start: str
    end: str


class _Compiler:
    """Builds the query of one trace for several variants at once, a variant being what is left out.

    With more than one variant, or with the evidence as a second source, each row carries the numbers of
    its source and variant, so that the database plans one query instead of many.
    """

    def __init__(self, trace: Trace, granularity: Granularity, variants: Sequence[str | None], has_evidence: bool = False) -> None:
        self.trace = trace
        self.variants = variants
        self.has_evidence = has_evidence
        self.keys = (["source"] if has_evidence else []) + (["variant"] if len(variants) > 1 else [])
        self.facts: dict[str, _FactColumns] = {}
        for step in trace.steps:
            if isinstance(step, StructuralStep):
                ends = [_end(end) for _, end in _ends(step)]
                self.facts[step.fact] = _FactColumns(ends[0], literal(step.pattern[1]), ends[1], f"{step.fact}_start", f"{step.fact}_end")
        for name, fact in trace.references.items():
            subject, relation, object_, start, end = _plain(fact, granularity)
            self.facts[name] = _FactColumns(literal(subject), literal(relation), literal(object_), str(start), str(end))
        self.columns: list[str] = []
        self.expressions: list[tuple[str, str]] = []

    def query(self, table: str) -> str:
        """The whole query."""
        self.columns, self.expressions = list(self.keys), self._sources(table)
        rows = ""
        for step in self.trace.steps:
            if isinstance(step, RootStep):
                rows = self._add(step.fact, self._root(step))
            elif isinstance(step, TransitionStep):
                rows = self._add(step.fact, self._join(rows, step))
            elif isinstance(step, FilterStep):
                rows = self._filter(rows, step)
            elif isinstance(step, PairwiseStep):
                rows = self._add(step.constraint, f"SELECT * FROM {rows} WHERE {self._pairwise(step)}")
            else:
                rows = self._add(step.constraint, f"SELECT * FROM {rows} {self._ordinal(step)}".rstrip())
        listed = ",\n".join(f"{name} AS ({body})" for name, body in self.expressions)
        selected = ", ".join([*self.keys, f"{self.trace.answer_variable[1:]} AS answer"])
        return f"WITH {listed}\nSELECT DISTINCT {selected} FROM {rows} ORDER BY ALL"

    def _add(self, name: str, body: str) -> str:
        self.expressions.append((f"rows_{name}", body))
        return f"rows_{name}"

    def _sources(self, table: str) -> list[tuple[str, str]]:
        """The facts that the trace can reach, from the table and, as parameters, from the evidence."""
        relations = ", ".join(sorted({self.facts[step.fact].relation for step in self.trace.steps if isinstance(step, StructuralStep)}))
        reachable = f"SELECT {_FACTS} FROM {table} WHERE relation IN ({relations})"
        if not self.has_evidence:
            return [("source_facts", reachable)]
        types = ("VARCHAR", "VARCHAR", "VARCHAR", "INTEGER", "INTEGER")
        unnested = ", ".join(f"unnest(${number}::{kind}[])" for number, kind in enumerate(types, start=1))
        return [("source_facts", f"SELECT 0 AS source, * FROM ({reachable}) UNION ALL SELECT 1, {unnested}")]

    def _root(self, step: RootStep) -> str:
        chosen = ["source"] if self.has_evidence else []
        tables = "source_facts AS fact"
        if "variant" in self.keys:
            chosen.append("variant")
            tables += f", range({len(self.variants)}) AS variants(variant)"
        bound = self._bind(step)
        conditions = [f"fact.relation = {literal(step.pattern[1])}"]
        conditions += [f"fact.{column} = {_end(end)}" for column, end in _ends(step) if not _is_variable(end)]
        return f"SELECT {', '.join([*chosen, *bound])} FROM {tables} WHERE {' AND '.join(conditions)}"

    def _join(self, rows: str, step: FilterStep | TransitionStep, variants: str = "") -> str:
        """The rows with every fact that fits; the columns of the new fact are added to those known."""
        conditions = [f"fact.relation = {literal(step.pattern[1])}"]
        conditions += ["fact.source = earlier.source"] if self.has_evidence else []
        for column, end in _ends(step):
            if not _is_variable(end):
                conditions.append(f"fact.{column} = {_end(end)}")
            elif _end(end) in self.columns:
                conditions.append(f"fact.{column} = earlier.{_end(end)}")
        bound = self._bind(step)
        where = f" WHERE {variants}" if variants else ""
        return f"SELECT earlier.*, {', '.join(bound)} FROM {rows} AS earlier JOIN source_facts AS fact ON {' AND '.join(conditions)}{where}"

    def _bind(self, step: StructuralStep) -> list[str]:
        """Select items for the new variable and the bounds of a fact."""
        items = []
        for column, end in _ends(step):
            if _is_variable(end) and _end(end) not in self.columns:
                self.columns.append(_end(end))
                items.append(f"fact.{column} AS {_end(end)}")
        self.columns += [f"{step.fact}_start", f"{step.fact}_end"]
        return [*items, f"fact.start_ AS {step.fact}_start", f"fact.end_ AS {step.fact}_end"]

    def _filter(self, rows: str, step: FilterStep) -> str:
        """The join, and in the variant without the filter the rows as they were."""
        without = self._skipping({step.fact})
        if len(without) == len(self.variants):
            return rows
        if not without:
            return self._add(step.fact, self._join(rows, step))
        joined = self._join(rows, step, f"NOT {_among(without)}")
        return self._add(step.fact, f"{joined} UNION ALL SELECT *, NULL, NULL FROM {rows} WHERE {_among(without)}")

    def _skipping(self, names: set[str]) -> list[int]:
        return [number for number, name in enumerate(self.variants) if name in names]

    def _pairwise(self, step: PairwiseStep) -> str:
        left, right = self.facts[step.left], self.facts[step.right]
        test = PREDICATES[step.operator].format(a=left.start, b=left.end, c=right.start, d=right.end)
        same = _same_fact(left, right)
        other = f"NOT ({same})" if same else "TRUE"
        condition = f"{test} AND {other}" if same else test
        if without := self._skipping({step.constraint}):
            shadow = other if step.right in self.trace.references else "TRUE"
            condition = self._in_variants(without, shadow, condition)
        if without := self._skipping(self._filter_names() & {step.left, step.right}):
            condition = self._in_variants(without, "TRUE", condition)
        return condition

    def _ordinal(self, step: OrdinalStep) -> str:
        fact = self.facts[step.fact]
        key = RANK_KEYS[step.operator].format(a=fact.start, b=fact.end)
        order = "ASC" if step.order is RankOrder.ASCENDING else "DESC"
        partition = f"PARTITION BY {', '.join(self.keys)} " if self.keys else ""
        condition = f"dense_rank() OVER ({partition}ORDER BY {key} {order}) = {step.rank}"
        without = self._skipping({step.constraint} | (self._filter_names() & {step.fact}))
        if len(without) == len(self.variants):
            return ""
        return f"QUALIFY {self._in_variants(without, 'TRUE', condition)}" if without else f"QUALIFY {condition}"

    def _in_variants(self, without: list[int], instead: str, condition: str) -> str:
        """One condition in the variants that leave the step out, another in the rest."""
        if len(without) == len(self.variants):
            return instead
        return f"(({_among(without)} AND {instead}) OR (NOT {_among(without)} AND {condition}))"

    def _filter_names(self) -> set[str]:
        return {step.fact for step in self.trace.steps if isinstance(step, FilterStep)}


def _among(variants: list[int]) -> str:
    return f"variant IN ({', '.join(map(str, variants))})"


def _is_variable(end: str) -> bool:
    return end.startswith("?")


def _end(end: str) -> str:
    """A pattern's end in SQL: a column for a variable, a literal for an entity."""
    return end[1:] if _is_variable(end) else literal(end)


def _ends(step: StructuralStep) -> tuple[tuple[str, str], tuple[str, str]]:
    return ("subject", step.pattern[0]), ("object", step.pattern[2])


def _same_fact(left: _FactColumns, right: _FactColumns) -> str | None:
    """The condition under which two facts are one; `None` if they never are."""
    if left.relation != right.relation:
        return None
    pairs = [(x, y) for x, y in zip(left, right, strict=True) if x != y]
    if any(x.startswith("'") and y.startswith("'") for x, y in pairs):
        return None
    return " AND ".join(f"{x} = {y}" for x, y in pairs)


def _plain(fact: TemporalFact, granularity: Granularity) -> tuple[str, str, str, int, int]:
    """A record's fact in granules."""
    (start, unit), (end, other) = parse_iso(fact.start), parse_iso(fact.end)
    if not unit is other is granularity:
        raise ValueError(f"a fact of {fact.start} to {fact.end} in a graph in units of a {granularity.value}")
    return fact.subject, fact.relation, fact.object, start, end
