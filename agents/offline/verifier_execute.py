"""Executes what the offline verifier understood on the evidence, by a row join of its own.

Stage by stage: structural facts, then the pairwise constraints whose later fact is bound there, then
the stage's ordinal over the facts that are left. Paper: section 4.2.3.
"""

from __future__ import annotations

from agents.offline.verifier_query import Evidence, FactRef, Hop, Pairwise, Query, Ranking, Term

Row = tuple[dict[str, str], dict[str, int]]


class Undecided(Exception):
    """The evidence does not say which entities are meant: a tied rank, or a reference with several facts."""


def execute(query: Query, evidence: Evidence) -> frozenset[str]:
    """Ids of every entity that fits the query on the evidence.

    Raises:
        Undecided: a tie makes the rank ambiguous, or a reference's words fit several facts.
    """
    rows: list[Row] = [({}, {})]
    bound: set[str] = set()
    for stage in _stages(query):
        for hop in stage:
            rows = _join(rows, hop, evidence)
            bound.add(hop.name)
        here = {hop.name for hop in stage}
        for constraint in query.pairwise:
            names = {side.hop for side in (constraint.left, constraint.right) if side.hop is not None}
            if names & here and names <= bound:
                rows = [row for row in rows if _keeps(row, constraint, evidence)]
        for ranking in query.rankings:
            if ranking.hop in here:
                rows = _rank(rows, ranking, evidence)
    return frozenset(row[0][query.answer] for row in rows)


def _stages(query: Query) -> list[tuple[Hop, ...]]:
    return [(hop,) for hop in query.hops] if query.is_chain else [query.hops]


def _join(rows: list[Row], hop: Hop, evidence: Evidence) -> list[Row]:
    facts = evidence.matching(hop.subject.entities or None, hop.relations, hop.object.entities or None)
    joined = []
    for variables, names in rows:
        for index in facts:
            subject, _, object_, _, _ = evidence.facts[index]
            values = dict(variables)
            if _bind(values, hop.subject, subject) and _bind(values, hop.object, object_):
                joined.append((values, {**names, hop.name: index}))
    return joined


def _bind(values: dict[str, str], term: Term, entity: str) -> bool:
    return term.variable is None or values.setdefault(term.variable, entity) == entity


def _fact(row: Row, side: FactRef) -> int:
    if side.hop is not None:
        return row[1][side.hop]
    if len(side.facts) != 1:
        raise Undecided("a reference's words fit several facts or none")
    return next(iter(side.facts))


def _keeps(row: Row, constraint: Pairwise, evidence: Evidence) -> bool:
    left, right = _fact(row, constraint.left), _fact(row, constraint.right)
    return left != right and constraint.comparison.holds(evidence.facts[left][3:], evidence.facts[right][3:])


def _key(ranking: Ranking, start: int, end: int) -> int:
    return {"start": start, "end": end, "duration": end - start}[ranking.key]


def _rank(rows: list[Row], ranking: Ranking, evidence: Evidence) -> list[Row]:
    keys = {row[1][ranking.hop]: _key(ranking, *evidence.facts[row[1][ranking.hop]][3:]) for row in rows}
    ordered = sorted(keys.values(), reverse=ranking.descending)
    distinct = sorted(set(ordered), reverse=ranking.descending)
    if ranking.rank > len(distinct):
        return []
    wanted = distinct[ranking.rank - 1]
    if ordered[: ranking.rank - 1] != distinct[: ranking.rank - 1]:
        raise Undecided("a tie stands before the rank")
    return [row for row in rows if keys[row[1][ranking.hop]] == wanted]
