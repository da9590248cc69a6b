"""Which of the queries that could be asked are asked. Paper: TDBench, section 3.2 and appendix."""

from __future__ import annotations

import numpy as np

from state.tdbench_config import TdbenchConfig
from tdbench.questions.candidates import Pool
from tdbench.questions.draws import Granules, Keys
from tdbench.questions.evaluate import Hits
from tdbench.questions.relations import RELATIONS
from tdbench.questions.rows import Rows

NOW, BASIC = len(RELATIONS), len(RELATIONS) + 1
"""Numbers of the two kinds beside the relations."""


def answer_counts(rows: Rows, pool: Pool, hits: Hits) -> Granules:
    """Different answers of each query; shape (queries,)."""
    texts = len(rows.texts) + 1
    pairs = np.unique(hits.query * texts + rows.answer[hits.row])
    return np.bincount(pairs // texts, minlength=len(pool)).astype(np.int64)


def may_be_asked(rows: Rows, pool: Pool, counts: Granules, most_answers: int) -> Granules:
    """Places of the queries worth asking: not too many answers, and a temporal condition that changes the answers.

    Without its condition a query has all answers of its X, so one that has as many changes nothing. `now` and
    `basic` are exempt: the first asks which state is today's even of what never changed, the second has no condition.
    They are not asked where nothing answers.
    """
    few = counts <= most_answers
    needed = (pool.relation < NOW) & (counts < rows.answers_of_group[pool.group])
    return np.flatnonzero(few & (needed | (pool.relation >= NOW) & (counts > 0))).astype(np.int64)


def balanced(relation: Granules, counts: Granules, rank: Keys, config: TdbenchConfig) -> Granules:
    """Places of the queries of one table that are kept, by place.

    At most `per_relation` of each relation and cardinality, then at most `per_cardinality` of each cardinality,
    the relations taking turns; of `now` and of `basic` at most `most_lookups` each. Ranks decide within a relation.
    """
    cardinality = np.minimum(counts, 2)
    free = np.flatnonzero(relation >= NOW)
    free = free[_place_within(relation[free], rank[free]) < config.most_lookups]
    drawn_from = np.flatnonzero(relation < NOW)
    turn = _place_within(relation[drawn_from] * 3 + cardinality[drawn_from], rank[drawn_from])
    drawn_from, turn = drawn_from[turn < config.per_relation], turn[turn < config.per_relation]
    order = np.lexsort([rank[drawn_from], turn, cardinality[drawn_from]])
    place = np.empty(len(order), dtype=np.int64)
    place[order] = _run_lengths(cardinality[drawn_from][order])
    return np.sort(np.concatenate([free, drawn_from[place < config.per_cardinality]])).astype(np.int64)


def _place_within(cell: Granules, rank: Keys) -> Granules:
    order = np.lexsort([rank, cell])
    place = np.empty(len(order), dtype=np.int64)
    place[order] = _run_lengths(cell[order])
    return place


def _run_lengths(ordered: Granules) -> Granules:
    """How many equal values stand before each in an array whose equal values stand together."""
    if not len(ordered):
        return np.empty(0, dtype=np.int64)
    is_new = np.concatenate([[True], ordered[1:] != ordered[:-1]])
    begins = np.flatnonzero(is_new)
    return (np.arange(len(ordered)) - np.repeat(begins, np.diff([*begins, len(ordered)]))).astype(np.int64)
