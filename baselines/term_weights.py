"""TF-IDF in whole numbers: the same bytes on every machine, since sums of whole numbers have no rounding.

A weight is the term's count times its inverse document frequency, scaled so that a text's vector has length
`SCALE`, and rounded.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

SCALE = 1000
"""Length of every vector that is not empty, but for rounding."""

Weights = dict[str, int]
"""Term -> weight, zeros left out."""
Whole = npt.NDArray[np.int64]
"""An array of whole numbers."""


def ngrams(tokens: Sequence[str], longest: int) -> list[str]:
    """All runs of one to `longest` tokens, joined by blanks."""
    return [" ".join(tokens[at : at + size]) for size in range(1, longest + 1) for at in range(len(tokens) - size + 1)]


class TermWeights:
    """Inverse document frequencies of a set of texts."""

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        """Weighs the terms of texts, each given as its list of terms."""
        seen = Counter(term for terms in texts for term in set(terms))
        self._idf = {term: math.log((1 + len(texts)) / (1 + count)) + 1 for term, count in seen.items()}

    def of(self, terms: Sequence[str]) -> Weights:
        """The vector of a text; terms that no text had are left out."""
        raw = {term: count * self._idf[term] for term, count in sorted(Counter(terms).items()) if term in self._idf}
        length = math.sqrt(math.fsum(value * value for value in raw.values()))
        rounded = {term: round(SCALE * value / length) for term, value in raw.items()}
        return {term: value for term, value in rounded.items() if value}


def likeness(left: Weights, right: Weights) -> int:
    """Their product, up to `SCALE` squared."""
    small, large = sorted((left, right), key=len)
    return sum(value * large.get(term, 0) for term, value in small.items())


class Rows(NamedTuple):
    """Vectors with few entries that are not 0."""

    columns: Whole
    """`(n, entries)`; rows with fewer entries are filled up with column 0."""
    values: Whole
    """`(n, entries)`; 0 where filled up."""
    width: int
    """Number of columns."""


def rows_of(vectors: Sequence[Weights]) -> Rows:
    """The vectors as rows; a column for each term, sorted."""
    terms = {term: column for column, term in enumerate(sorted(set().union(*vectors)))}
    shape = len(vectors), max([1, *map(len, vectors)])
    columns, values = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    for row, vector in enumerate(vectors):
        for entry, (term, value) in enumerate(sorted(vector.items())):
            columns[row, entry], values[row, entry] = terms[term], value
    return Rows(columns, values, max(1, len(terms)))


class TermIndex:
    """Ranks texts by their likeness to another one."""

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        """An index of texts, each given as its list of terms."""
        self._weights = TermWeights(texts)
        postings: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        for row, terms in enumerate(texts):
            for term, value in self._weights.of(terms).items():
                postings[term].append((row, value))
        self._postings = {term: np.array(found, dtype=np.int64).T for term, found in postings.items()}
        self._size = len(texts)

    def ranked(self, terms: Sequence[str]) -> list[int]:
        """The places of all texts, the most like first; equal ones in their order."""
        scores: Whole = np.zeros(self._size, dtype=np.int64)
        for term, value in self._weights.of(terms).items():
            if term in self._postings:
                rows, values = self._postings[term]
                scores[rows] += value * values
        order: list[int] = np.argsort(-scores, kind="stable").tolist()
        return order
