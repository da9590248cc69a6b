"""Which records a study asks: an allocation over the operator families, and a draw within each. Paper: section 4.3.2, Table 2.

Single-constraint records only; a record's family is that of its one constraint. Ordinals, which the paper's
table leaves out, are a family like the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from hashlib import sha256
from typing import Literal

from state.instance import BenchmarkRecord
from state.study import Stratum
from state.vocabulary import ConstraintCount, Family

PAPER: Mapping[Family, int] = {Family.I_I: 284, Family.P_I: 40, Family.I_P: 25, Family.P_P: 151}
"""Questions by family in the paper's Table 2; the one split of 500 that gives its percentages."""

Allocation = Literal["proportional", "even", "paper"] | Mapping[Family, int]
"""How a sample is spread over the families: by a name, or by counts."""


def populations(records: Iterable[BenchmarkRecord]) -> dict[Family, int]:
    """Single-constraint records of each family, in the order of the families."""
    counts = dict.fromkeys(Family, 0)
    for record in records:
        if record.constraint_part is ConstraintCount.SINGLE:
            counts[record.families[0]] += 1
    return counts


def allocate(population: Mapping[Family, int], allocation: Allocation, total: int) -> tuple[Stratum, ...]:
    """What is wanted and taken of each family, in the order of the families; a stratum that is too small is taken whole.

    `total` is for `proportional` and `even`; `paper` and counts of one's own say themselves how many. A
    proportional sample has the size asked for unless there are fewer records in all; in the others nothing
    makes up for a stratum that is too small. A larger proportional sample may take one record fewer of a family,
    as largest remainders do.
    """
    if allocation == "proportional":
        wanted = largest_remainder({family: population.get(family, 0) for family in Family}, total)
    elif allocation == "even":
        wanted = largest_remainder(dict.fromkeys(Family, 1), total)
    else:
        counts = PAPER if allocation == "paper" else allocation
        wanted = {family: counts[family] for family in Family if family in counts}
    return tuple(
        Stratum(family=family, population=population.get(family, 0), wanted=count, taken=min(count, population.get(family, 0)))
        for family, count in wanted.items()
    )


def largest_remainder(weights: Mapping[Family, int], total: int) -> dict[Family, int]:
    """Whole numbers in proportion to the weights that add up to the total; equal remainders are served in the order given.

    All zero if the weights are.
    """
    whole = sum(weights.values())
    if not whole:
        return dict.fromkeys(weights, 0)
    shares = {family: Fraction(total * weight, whole) for family, weight in weights.items()}
    counts = {family: int(share) for family, share in shares.items()}
    by_remainder = sorted(shares, key=lambda family: counts[family] - shares[family])
    for family in by_remainder[: total - sum(counts.values())]:
        counts[family] += 1
    return counts


def draw(records: Iterable[BenchmarkRecord], strata: Sequence[Stratum], seed: int) -> tuple[BenchmarkRecord, ...]:
    """The records taken from each stratum, sorted by id.

    Within a stratum they come in an order of their own, which their ids and the seed fix: a larger sample
    holds a smaller one, and the order of the records does not matter.
    """
    of_family: dict[Family, list[BenchmarkRecord]] = {stratum.family: [] for stratum in strata}
    for record in records:
        if record.constraint_part is ConstraintCount.SINGLE and record.families[0] in of_family:
            of_family[record.families[0]].append(record)
    taken: list[BenchmarkRecord] = []
    for stratum in strata:
        taken += sorted(of_family[stratum.family], key=lambda record: drawing_key(seed, record.id))[: stratum.taken]
    return tuple(sorted(taken, key=lambda record: record.id))


def drawing_key(seed: int, name: str) -> str:
    """The key by which things with a name are put in an order that looks like none."""
    return sha256(f"{seed} {name}".encode()).hexdigest()
