"""A random order that no Python version changes."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")


def shuffled(rng: random.Random, items: Iterable[T]) -> list[T]:
    """The items in an order drawn by `random.random` alone, whose stream every Python version keeps."""
    keyed = [(rng.random(), item) for item in items]
    keyed.sort(key=lambda pair: pair[0])
    return [item for _, item in keyed]
