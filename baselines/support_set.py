"""The demonstrations of KQG-CoT: one logical form from each cluster of structures, as unlike one another as they come."""

from __future__ import annotations

from collections import defaultdict

from baselines.clustering import k_means
from baselines.logical_form import form_tokens, form_words, logical_form, structure
from baselines.method import Pool
from baselines.task import Example
from baselines.term_weights import TermWeights, Weights, likeness, ngrams, rows_of

LONGEST = 3
"""Most symbols in a term that structures and forms are compared by."""


def support_set(pool: Pool, k: int, n_init: int) -> list[Example]:
    """The chosen examples, in the order of their clusters; fewer than `k` if the pool has fewer structures.

    Distinct structures are clustered. Of each cluster the structure nearest to its centroid is taken, and among the
    logical forms that have it the one whose closest among those already chosen is the least like it; of equals, and
    for the first cluster, the one with the smallest id. Reference questions are not looked at.
    """
    having: defaultdict[str, list[Example]] = defaultdict(list)
    for example in sorted(pool.examples, key=lambda example: example.task.id):
        having[structure(example.task)].append(example)
    structures = sorted(having)
    terms = [ngrams(form_tokens(text), LONGEST) for text in structures]
    weights = TermWeights(terms)
    clusters = k_means(rows_of([weights.of(found) for found in terms]), k, n_init=n_init, seed=pool.seed)
    groups = [having[structures[row]] for row in clusters.nearest()]
    return _unlike(groups)


def complexity(example: Example) -> tuple[int, int, str]:
    """Hops and temporal constraints together, then the length of the logical form, then the id."""
    task = example.task
    return task.hop_count + len(task.constraints), len(form_tokens(logical_form(task))), task.id


def _unlike(groups: list[list[Example]]) -> list[Example]:
    terms = [[ngrams(form_words(logical_form(example.task)), LONGEST) for example in group] for group in groups]
    weights = TermWeights([found for group in terms for found in group])
    chosen: list[Example] = []
    known: list[Weights] = []
    for group, listed in zip(groups, terms, strict=True):
        vectors = [weights.of(found) for found in listed]
        closest = [max((likeness(vector, other) for other in known), default=0) for vector in vectors]
        best = closest.index(min(closest))
        chosen.append(group[best])
        known.append(vectors[best])
    return chosen
