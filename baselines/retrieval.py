"""Which training instances serve as demonstrations of a task: by the types of its temporal constraints. Paper: section 5.1."""

from __future__ import annotations

import hashlib
import heapq
import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from baselines.method import Pool
from baselines.task import Example, Task
from graph_sampler.labels import normalise_label
from state.errors import ConfigError
from state.vocabulary import Family, Template


def needed(pool: Pool, method: str) -> Pool:
    """The pool, which a method cannot do without.

    Raises:
        ConfigError: it is empty.
    """
    if not pool.examples:
        remedy = "Score a larger benchmark, give train a share of the split, or leave this method out."
        raise ConfigError(
            f"the method {method!r} takes demonstrations from the training part, which is empty", where="evaluate.methods", remedy=remedy
        )
    return pool


def is_related(task: Task, other: Task) -> bool:
    """Whether they are one instance or have the same answer or the same facts: such a one never demonstrates."""
    return task.id == other.id or _answer(task) == _answer(other) or _facts(task) == _facts(other)


class Key(NamedTuple):
    """What candidates are compared by."""

    operators: tuple[str, ...]
    """Sorted, each as often as it occurs."""
    families: tuple[Family, ...]
    """Likewise."""
    template: Template
    hop_count: int


def key_of(task: Task) -> Key:
    """The key of a task."""
    families = tuple(sorted(constraint.family for constraint in task.constraints))
    return Key(tuple(sorted(task.operators)), families, task.template, task.hop_count)


class ConstraintIndex:
    """The training part in the order of likeness to any task's constraints."""

    def __init__(self, pool: Pool) -> None:
        """An index; examples of one key are put into a seeded order here, once."""
        groups: defaultdict[Key, list[tuple[str, str, Example]]] = defaultdict(list)
        for example in pool.examples:
            groups[key_of(example.task)].append((_draw(pool.seed, example.task.id), example.task.id, example))
        self._groups = {key: sorted(group, key=lambda entry: entry[:2]) for key, group in groups.items()}
        self._tiers: dict[Key, list[list[list[tuple[str, str, Example]]]]] = {}

    def most_similar(self, task: Task, count: int) -> list[Example]:
        """So many demonstrations, the most similar first; fewer if the pool has no more.

        Candidates stand in order of: equal operators; the Jaccard index of the operators, each counted as often as
        it occurs; equal families; same template; same number of hops; a hash of seed and id. Related ones are left out.
        """
        return list(itertools.islice(self._candidates(task), count))

    def _candidates(self, task: Task) -> Iterator[Example]:
        key = key_of(task)
        if key not in self._tiers:
            ranked = sorted(((likeness(key, other), other) for other in self._groups), key=lambda entry: entry[0], reverse=True)
            self._tiers[key] = [
                [self._groups[other] for _, other in tied] for _, tied in itertools.groupby(ranked, key=lambda entry: entry[0])
            ]
        for tier in self._tiers[key]:
            for _, _, example in heapq.merge(*tier, key=lambda entry: entry[:2]):
                if not is_related(task, example.task):
                    yield example


def likeness(key: Key, other: Key) -> tuple[bool, Fraction, bool, bool, bool]:
    """How like two keys are; the greater the more."""
    left, right = Counter(key.operators), Counter(other.operators)
    jaccard = Fraction((left & right).total(), max(1, (left | right).total()))
    return (
        key.operators == other.operators,
        jaccard,
        key.families == other.families,
        key.template is other.template,
        key.hop_count == other.hop_count,
    )


def _draw(seed: int, example_id: str) -> str:
    return hashlib.sha256(f"{seed}\0{example_id}".encode()).hexdigest()


def _answer(task: Task) -> str:
    return normalise_label(task.answer)


def _facts(task: Task) -> frozenset[tuple[str, str, str, str, str]]:
    return frozenset((fact.subject, fact.relation, fact.object, fact.start, fact.end) for fact in task.facts)
