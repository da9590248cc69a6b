"""Rates with their 95 % intervals: Wilson's for independent items, and for the rest a bootstrap or MOVER, the wider.

What one source question makes the verifier do to its several items hangs together; treating the items as
independent would make an interval too narrow, so whole source questions are drawn, never items. A group without
a miss has none in any resample either, as if it were known to have none at all. So the interval is never narrower
than the one that Wilson's limits of the groups, each from its number of source questions, combine to.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from math import fsum, sqrt
from statistics import NormalDist
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from state.model_base import Contract

Counts = NDArray[np.int64]
"""Whole numbers by source question (row) and group (column)."""
LEVEL = 0.95
"""Coverage that every interval aims at."""
Z = NormalDist().inv_cdf((1 + LEVEL) / 2)
"""Normal quantile of that coverage."""
RESAMPLES = 2000
"""Resamples of a bootstrap."""
BLOCK = 2_000_000
"""Entries of the table of draws that are held at once."""

Method = Literal["wilson", "wider of bootstrap and MOVER"]
"""Wilson's score interval; or, at each end, the farther of the bootstrap over source questions and MOVER (see `mover`)."""


class Rate(Contract):
    """A share with what it was counted from, its interval, and the signature without which it is not compared."""

    numerator: int
    """Items that count as hits."""
    denominator: int
    """Items asked; an item without a usable reply is one of them."""
    excluded: int
    """Items of the same register and soundness that this figure leaves out, e.g. the ordinals."""
    value: float | None
    """The share, at full precision; not always numerator / denominator, see the signature's weights; `None` if nothing was asked."""
    low: float | None
    """Lower end of the 95 % interval; `None` if nothing was asked."""
    high: float | None
    """Upper end."""
    method: Method | None
    """How the interval was made; `None` if there is none."""
    signature: str
    """How the number was made, `|` between the parts."""


class Interval(NamedTuple):
    """A closed interval of shares."""

    low: float
    high: float


class Resampled(NamedTuple):
    """A weighted mean of ratios with its interval."""

    value: float
    interval: Interval
    method: Method


def wilson(hits: float, asked: float, z: float = Z) -> Interval | None:
    """Wilson's score interval for a share of independent items.

    Both ends lie in [0, 1]; the lower one is exactly 0 if nothing was hit, the upper one exactly 1 if all were.
    `None` if nothing was asked: any share would do.

    >>> [round(end, 4) for end in wilson(8, 10)]
    [0.4902, 0.9433]

    Args:
        hits: how many were hit.
        asked: of how many; need not be whole (an effective number).
        z: normal quantile of the coverage.
    """
    if not asked:
        return None
    share = hits / asked
    width = z * sqrt(share * (1 - share) / asked + (z / (2 * asked)) ** 2)
    middle, scale = share + z * z / (2 * asked), 1 + z * z / asked
    return Interval(0.0 if hits == 0 else (middle - width) / scale, 1.0 if hits == asked else (middle + width) / scale)


def cluster_bootstrap(
    numerators: Counts,
    denominators: Counts,
    *,
    seed: int,
    name: str,
    weights: Sequence[float] | None = None,
    strata: Sequence[int] | None = None,
    resamples: int = RESAMPLES,
) -> Resampled | None:
    """A weighted mean of ratios of sums, with the interval of resampled source questions, or a wider one.

    With one column it is a ratio of sums. A column in which nothing was asked gets no weight, in the sample as
    in a resample, and the other weights are scaled up. Rows in which nothing was asked are not drawn.
    Each end of the interval is the farther one of two: the percentile of the resamples, and what `mover` makes
    of the columns, each by as many items as source questions have one in it.
    `None` if nothing was asked at all.

    Cost: resamples x rows draws and resamples x rows x columns products, about 20 ms at 2,000 x 500 x 8.

    Args:
        numerators: hits, (source questions, groups).
        denominators: items asked, of the same shape.
        seed: the study's seed.
        name: name of the figure; with the seed it decides the draws.
        weights: (groups,), not negative; equal if `None`.
        strata: (source questions,): draw within these, as a stratified sample was drawn; from all if `None`.
        resamples: how often to draw.
    """
    kept = denominators.sum(axis=1) > 0
    weight = np.ones(denominators.shape[1]) if weights is None else np.asarray(weights, dtype=float)
    groups = (denominators.sum(axis=0) > 0) & (weight > 0)
    if not groups.any():
        return None
    hits, asked = numerators[kept][:, groups].astype(float), denominators[kept][:, groups].astype(float)
    weight = weight[groups] / weight[groups].sum()
    value = float(_weighted_ratios(hits.sum(axis=0), asked.sum(axis=0), weight))
    layers = np.zeros(len(hits), dtype=np.int64) if strata is None else np.asarray(strata, dtype=np.int64)[kept]
    values = np.concatenate(
        [_weighted_ratios(drawn @ hits, drawn @ asked, weight) for drawn in _draws(layers, resamples, generator(seed, name))]
    )
    values = values[~np.isnan(values)]
    low, high = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    shares = (hits.sum(axis=0) / asked.sum(axis=0)).tolist()
    floor = mover(shares, (asked > 0).sum(axis=0).tolist(), weight.tolist())
    return Resampled(value, Interval(min(float(low), floor.low), max(float(high), floor.high)), "wider of bootstrap and MOVER")


def mover(shares: Sequence[float], asked: Sequence[float], weights: Sequence[float]) -> Interval:
    """Newcombe's interval (method of variance estimates recovery) for a weighted mean of shares of independent groups.

    The groups' Wilson limits lie at distances from their shares; the weighted distances add up as variances do:
    low = mean - sqrt(sum w^2 (share - l)^2), high = mean + sqrt(sum w^2 (u - share)^2). Of one group it is Wilson's.

    >>> [round(end, 4) for end in mover([1, 1], [10, 40], [0.5, 0.5])]
    [0.8545, 1.0]

    Args:
        shares: a share for each group.
        asked: of how many items; at least one each.
        weights: that sum to 1.
    """
    limits = [wilson(share * number, number) or Interval(0.0, 1.0) for share, number in zip(shares, asked, strict=True)]
    mean = fsum(weight * share for weight, share in zip(weights, shares, strict=True))
    parts = list(zip(shares, limits, weights, strict=True))
    below = sqrt(fsum((weight * (share - limit.low)) ** 2 for share, limit, weight in parts))
    above = sqrt(fsum((weight * (limit.high - share)) ** 2 for share, limit, weight in parts))
    return Interval(max(0.0, mean - below), min(1.0, mean + above))


def wilson_rate(numerator: int, denominator: int, *, stem: str, excluded: int = 0) -> Rate:
    """A plain share with Wilson's interval.

    Args:
        numerator: hits.
        denominator: items asked.
        stem: beginning of the signature: the measure and what it was counted over.
        excluded: items left out.
    """
    interval = wilson(numerator, denominator)
    return _rate(
        numerator, denominator, excluded, stem, None if interval is None else Resampled(numerator / denominator, interval, "wilson")
    )


def bootstrap_rate(
    numerators: Counts,
    denominators: Counts,
    *,
    stem: str,
    seed: int,
    name: str,
    weights: Sequence[float] | None = None,
    strata: Sequence[int] | None = None,
    resamples: int = RESAMPLES,
    excluded: int = 0,
) -> Rate:
    """A weighted mean of ratios with the interval of `cluster_bootstrap`, whose arguments it takes.

    Args:
        numerators: hits, (source questions, groups).
        denominators: items asked, of the same shape.
        stem: beginning of the signature.
        seed: the study's seed.
        name: name of the figure.
        weights: (groups,).
        strata: (source questions,).
        resamples: how often to draw.
        excluded: items left out.
    """
    found = cluster_bootstrap(numerators, denominators, seed=seed, name=name, weights=weights, strata=strata, resamples=resamples)
    drawn = f"{stem}|resamples:{resamples}|seed:{seed}"
    return _rate(int(numerators.sum()), int(denominators.sum()), excluded, drawn, found)


def no_rate(stem: str, excluded: int = 0) -> Rate:
    """A rate of which nothing was asked."""
    return _rate(0, 0, excluded, stem, None)


def generator(seed: int, name: str) -> np.random.Generator:
    """A generator that depends on the study's seed and the name of a figure alone."""
    return np.random.default_rng(int.from_bytes(hashlib.sha256(f"{seed}:{name}".encode()).digest()[:16], "big"))


@cache
def package_version() -> str:
    """Version of this package, for signatures; `unknown` if it is not installed."""
    try:
        return version("chronoqg")
    except PackageNotFoundError:
        return "unknown"


def _rate(numerator: int, denominator: int, excluded: int, stem: str, found: Resampled | None) -> Rate:
    method = None if found is None else found.method
    return Rate(
        numerator=numerator,
        denominator=denominator,
        excluded=excluded,
        value=None if found is None else found.value,
        low=None if found is None else found.interval.low,
        high=None if found is None else found.interval.high,
        method=method,
        signature=f"{stem}|n:{denominator}|hits:{numerator}|excl:{excluded}|interval:{method or 'none'}|chronoqg:{package_version()}",
    )


def _weighted_ratios(hits: NDArray[np.float64], asked: NDArray[np.float64], weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """The weighted mean of the ratios along the last axis, over those of which something was asked; nan if there are none."""
    with np.errstate(invalid="ignore", divide="ignore"):
        ratios = np.where(asked > 0, hits / asked, 0.0)
        mean: NDArray[np.float64] = ratios @ weight / ((asked > 0) @ weight)
    return mean


def _draws(layers: NDArray[np.int64], resamples: int, rng: np.random.Generator) -> Iterator[NDArray[np.float64]]:
    """Blocks of (resamples, rows): how often each row is drawn, as many draws within each layer as it has rows."""
    rows = len(layers)
    members = [np.flatnonzero(layers == layer) for layer in np.unique(layers)]
    size = max(1, BLOCK // rows)
    for first in range(0, resamples, size):
        block = min(size, resamples - first)
        drawn = np.empty((block, rows))
        for of_layer in members:
            number = len(of_layer)
            picks = rng.integers(number, size=(block, number)) + number * np.arange(block)[:, None]
            drawn[:, of_layer] = np.bincount(picks.ravel(), minlength=block * number).reshape(block, number)
        yield drawn
