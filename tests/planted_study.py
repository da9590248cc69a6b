"""Studies of the verifier whose counts are known, because they were planted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from state.study import (
    CellResult,
    CellUsage,
    DamageKind,
    ItemOutcome,
    Reading,
    Register,
    Stratum,
    StudyItem,
    VerifierStudy,
)
from state.vocabulary import Family


class Planted(NamedTuple):
    """One item, and what each cell makes of it."""

    source: str
    kind: DamageKind | None
    readings: Sequence[Reading]
    family: Family = Family.I_I
    wording: Register = Register.TEMPLATE
    labels: tuple[str, ...] = ()
    model_is_wrong: bool = True
    is_stopped_before: bool = False
    """Whether a mode before `roundtrip` did not agree."""


def planted_study(
    planted: Iterable[Planted],
    *,
    names: Sequence[str] = ("a", "b"),
    modes: Sequence[str] = ("all",),
    prices: Sequence[float | None] = (0.001, 0.002),
    population: Mapping[Family, int] | None = None,
    seed: int = 7,
) -> VerifierStudy:
    """A study of these items; every item costs 10 prompt and 5 completion tokens, and each cell its own price."""
    numbered = list(enumerate(planted))
    items = [
        StudyItem(
            id=f"planted-{number:012x}",
            source=item.source,
            wording=item.wording,
            kind=item.kind,
            family=item.family,
            operator="I-before-I",
            question="Who?",
            expected=("Ana",),
            note="",
        )
        for number, item in numbered
    ]
    cells = [
        CellResult(
            name=name,
            model=f"model {place}",
            model_key=f"m{place}",
            prompt="v1",
            modes=tuple(modes),
            address=f"study@{place}",
            outcomes=tuple(
                ItemOutcome(
                    item=items[number].id,
                    reading=item.readings[place],
                    named=("Ana",),
                    labels=item.labels if item.readings[place] is Reading.ANOTHER else (),
                    was_read="roundtrip" in modes and not item.is_stopped_before,
                    model_is_wrong=item.model_is_wrong,
                    input_tokens=10,
                    output_tokens=5,
                    usd=prices[place],
                )
                for number, item in numbered
            ),
            usage=CellUsage(calls=len(items), cached_calls=1, usd_paid=0.5, usd_saved=0.25),
        )
        for place, name in enumerate(names)
    ]
    strata = tuple(Stratum(family=family, population=size, wanted=10, taken=10) for family, size in (population or {}).items())
    return VerifierStudy(
        dataset="planted", source="graph", seed=seed, strata=strata, items=tuple(items), cells=tuple(cells), notes=("planted",)
    )


def by_rules(study: VerifierStudy) -> VerifierStudy:
    """The same study by cells of rules, which use no token and have no price."""
    free = {"usd": None, "input_tokens": 0, "output_tokens": 0}
    cells = tuple(
        cell.model_copy(update={"model": "offline-rules", "outcomes": tuple(outcome.model_copy(update=free) for outcome in cell.outcomes)})
        for cell in study.cells
    )
    return study.model_copy(update={"cells": cells})
