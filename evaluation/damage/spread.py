"""Chooses a few offers from each source so that kinds are as even as possible over all sources."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple, TypeVar

Kind = TypeVar("Kind", bound=StrEnum)


class _Move(NamedTuple):
    """One source gives up an offer for another of its offers."""

    source: int
    given_up: int
    taken: int


def spread(offers: Sequence[Sequence[Kind]], most: int) -> list[list[int]]:
    """The places of the offers taken from each source, rising: `most` of them, or all where there are fewer.

    No other choice of as many has kinds more even: first each source takes what is rarest so far, then
    chains of exchanges move offers from a kind to another that has at least two fewer, until there is none.
    """
    taken: list[set[int]] = [set() for _ in offers]
    counts: Counter[Kind] = Counter({kind: 0 for own in offers for kind in own})
    for own, chosen in zip(offers, taken, strict=True):
        for _ in range(min(most, len(own))):
            place = min((place for place in range(len(own)) if place not in chosen), key=lambda place: (counts[own[place]], place))
            chosen.add(place)
            counts[own[place]] += 1
    while chain := _best_chain(offers, taken, counts):
        for source, given_up, new in chain:
            taken[source] ^= {given_up, new}
        first, last = chain[0], chain[-1]
        counts[offers[first.source][first.given_up]] -= 1
        counts[offers[last.source][last.taken]] += 1
    return [sorted(chosen) for chosen in taken]


def _best_chain(offers: Sequence[Sequence[Kind]], taken: Sequence[set[int]], counts: Counter[Kind]) -> list[_Move]:
    """A shortest chain of exchanges from a kind to one with at least two fewer; empty if there is none."""
    moves: dict[Kind, dict[Kind, _Move]] = {kind: {} for kind in counts}
    for source, (own, chosen) in enumerate(zip(offers, taken, strict=True)):
        for given_up in sorted(chosen):
            for place, kind in enumerate(own):
                if place not in chosen and kind != own[given_up]:
                    moves[own[given_up]].setdefault(kind, _Move(source, given_up, place))
    for start in sorted(counts, key=lambda kind: (-counts[kind], kind)):
        came: dict[Kind, list[_Move]] = {start: []}
        queue = deque([start])
        while queue:
            kind = queue.popleft()
            if counts[kind] <= counts[start] - 2:
                return came[kind]
            for following, move in moves[kind].items():
                if following not in came:
                    came[following] = [*came[kind], move]
                    queue.append(following)
    return []
