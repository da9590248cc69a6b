"""One cell of a study of the verifier, counted: acceptance, detection, labels, both rates together, cost.

Paper: section 4.3.2.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import fsum
from typing import NamedTuple

import numpy as np

from evaluation.statistics.intervals import Counts, Rate, bootstrap_rate, no_rate, wilson_rate
from evaluation.verifier.figures import (
    Acceptance,
    AcceptanceRow,
    CellCost,
    Contamination,
    Detection,
    DetectionRow,
    LabelCount,
    LabelRow,
    ReadingCounts,
    RegisterFigures,
    Span,
)
from evaluation.verifier.table2 import PAIRWISE
from state.study import CellResult, DamageKind, ItemOutcome, Reading, Register, StudyItem
from state.vocabulary import Family

KINDS = tuple(kind for kind in DamageKind if kind is not DamageKind.UNNECESSARY)
"""The kinds that change the answer."""
RIGHT_LABELS = {
    DamageKind.DROPPED: "missing",
    DamageKind.REVERSED: "reversed",
    DamageKind.REPLACED: "wrong",
    DamageKind.REBOUND: "wrong",
    DamageKind.SWAPPED: "wrong",
    DamageKind.ADDED: "unnecessary",
    DamageKind.UNNECESSARY: "unnecessary",
}
"""What code should find to differ between the constraints read and the gold ones."""
ERROR_RATES = (0.05, 0.1, 0.2)
"""Shares of wrong questions that a rewriter may hand on."""
DETECTED = frozenset({Reading.ANOTHER, Reading.ABSTAINED})
"""Readings that stop a question."""


class Answer(NamedTuple):
    """An item and what a cell made of it."""

    item: StudyItem
    outcome: ItemOutcome
    is_right: bool
    """Whether a sound item was accepted, or a damaged one detected."""

    @classmethod
    def of(cls, item: StudyItem, outcome: ItemOutcome) -> Answer:
        """The answer to an item, judged."""
        return cls(item, outcome, outcome.reading is Reading.AGREED if item.kind is None else outcome.reading in DETECTED)

    @property
    def is_for_the_right_reason(self) -> bool:
        """Whether the verifier named exactly what the damaged trace names."""
        return self.outcome.reading is Reading.ANOTHER and not self.outcome.model_is_wrong


class Sample(NamedTuple):
    """What the cells of a study have in common."""

    seed: int
    resamples: int
    population: Mapping[Family, int]
    """Records of each family among the traces."""


Group = Callable[[StudyItem], int | None]
"""The column of an item, or `None` if it is in no column."""


def balanced_group(item: StudyItem) -> int | None:
    """Column 0 for sound pairwise items, one column for each kind of damage that changes the answer; `None` for others."""
    if item.family not in PAIRWISE:
        return None
    return 0 if item.kind is None else detection_group(item, 1)


def detection_group(item: StudyItem, first: int = 0) -> int | None:
    """One column for each kind of damage that changes the answer, of any family."""
    return first + KINDS.index(item.kind) if item.kind in KINDS else None


def balanced_weights(asked: Counts) -> tuple[float, ...]:
    """Half for acceptance and half for detection, alike for each kind of which something was asked.

    Args:
        asked: items asked, (source questions, 1 + kinds).
    """
    kinds = [bool(total) for total in asked.sum(axis=0)[1:]]
    return (0.5, *(0.5 * has / max(1, sum(kinds)) for has in kinds))


def tables(answers: Sequence[Answer], group: Group, columns: int) -> tuple[Counts, Counts]:
    """Items taken rightly and items asked, each (source questions, columns), the source questions sorted by id."""
    row = {source: index for index, source in enumerate(sorted({answer.item.source for answer in answers}))}
    right, asked = (np.zeros((len(row), columns), dtype=np.int64) for _ in range(2))
    for answer in answers:
        column = group(answer.item)
        if column is not None:
            place = row[answer.item.source], column
            asked[place] += 1
            right[place] += answer.is_right
    return right, asked


def register_figures(cell: CellResult, answers: Sequence[Answer], register: Register, sample: Sample) -> RegisterFigures:
    """What one cell made of the items in one register.

    Cost: four bootstraps over the source questions, and one for each row in which a source question has two items.

    Args:
        cell: the cell.
        answers: its answers to the items in that register.
        register: the register.
        sample: what the cells have in common.
    """
    stem = f"register:{register}|mode:{'+'.join(cell.modes)}"
    sound = [answer for answer in answers if answer.item.kind is None]
    damaged = [answer for answer in answers if answer.item.kind is not None]
    acceptance, detection = _acceptance(sound, stem, sample), _detection(damaged, stem, sample)
    return RegisterFigures(
        wording=register,
        items=len(answers),
        sources=len({answer.item.source for answer in answers}),
        acceptance=acceptance,
        detection=detection,
        labels=tuple(_label_row(kind, damaged, stem, sample) for kind in DamageKind) if "roundtrip" in cell.modes else (),
        balanced=_balanced(answers, stem, sample),
        balanced_sources=len({answer.item.source for answer in answers if balanced_group(answer.item) is not None}),
        contamination=tuple(
            Contamination(error_rate=rate, share=contamination(rate, acceptance.micro.rate.value, detection.pooled.value))
            for rate in ERROR_RATES
        ),
    )


def contamination(error_rate: float, acceptance: float | None, detection: float | None) -> float | None:
    """The share of wrong questions among those that one verification accepts.

    e (1 - d) / (e (1 - d) + (1 - e) a): of the wrong ones, 1 - d get through, of the right ones a.
    `None` if a rate is unknown or nothing is accepted.

    >>> round(contamination(0.1, 0.9, 0.8), 4)
    0.0241
    """
    if acceptance is None or detection is None:
        return None
    wrong, right = error_rate * (1 - detection), (1 - error_rate) * acceptance
    return wrong / (wrong + right) if wrong + right > 0 else None


def cell_cost(cell: CellResult) -> CellCost:
    """What one cell cost; US dollars only if every item that used tokens has a price, and any item has one."""
    items = len(cell.outcomes)
    input_tokens = sum(outcome.input_tokens for outcome in cell.outcomes)
    output_tokens = sum(outcome.output_tokens for outcome in cell.outcomes)
    prices = [outcome.usd for outcome in cell.outcomes if outcome.usd is not None]
    unpriced = any(outcome.usd is None and outcome.input_tokens + outcome.output_tokens for outcome in cell.outcomes)
    usd = fsum(prices) if prices and not unpriced else None
    return CellCost(
        items=items,
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        tokens_per_item=(input_tokens + output_tokens) / items if items else None,
        usd=usd,
        usd_per_item=None if usd is None else usd / items,
        calls=cell.usage.calls,
        cached_calls=cell.usage.cached_calls,
        usd_paid=cell.usage.usd_paid,
        usd_saved=cell.usage.usd_saved,
    )


def _share(answers: Sequence[Answer], hits: Callable[[Answer], bool], stem: str, sample: Sample, excluded: int = 0) -> Rate:
    """A share of items: Wilson's interval where each source question has one item, else the wider of bootstrap and MOVER."""
    sources = sorted({answer.item.source for answer in answers})
    if len(sources) == len(answers):
        return wilson_rate(sum(map(hits, answers)), len(answers), stem=stem, excluded=excluded)
    row = {source: index for index, source in enumerate(sources)}
    hit, asked = (np.zeros((len(row), 1), dtype=np.int64) for _ in range(2))
    for answer in answers:
        asked[row[answer.item.source], 0] += 1
        hit[row[answer.item.source], 0] += hits(answer)
    return bootstrap_rate(hit, asked, stem=stem, seed=sample.seed, name="share", resamples=sample.resamples, excluded=excluded)


def _counts(answers: Iterable[Answer]) -> ReadingCounts:
    counted = Counter(answer.outcome.reading for answer in answers)
    return ReadingCounts(
        agreed=counted[Reading.AGREED],
        another=counted[Reading.ANOTHER],
        abstained=counted[Reading.ABSTAINED],
        no_reply=counted[Reading.NO_REPLY],
    )


def _of_family(answers: Sequence[Answer], family: Span) -> list[Answer]:
    families = PAIRWISE if family == "pairwise" else (family,)
    return [answer for answer in answers if answer.item.family in families]


def _acceptance(sound: Sequence[Answer], stem: str, sample: Sample) -> Acceptance:
    micro = _acceptance_row("pairwise", sound, stem, sample)
    shares = [sample.population.get(family, 0) for family in PAIRWISE]
    right, asked = tables(_of_family(sound, "pairwise"), lambda item: PAIRWISE.index(item.family), len(PAIRWISE))
    covered = sum(share for share, of_family in zip(shares, asked.sum(axis=0), strict=True) if of_family)
    weighted_stem = f"acceptance|families:pairwise|weights:population|{stem}"
    weighted = bootstrap_rate(
        right,
        asked,
        stem=weighted_stem,
        seed=sample.seed,
        name="acceptance by population",
        weights=shares,
        strata=[int(place) for place in asked.argmax(axis=1)],
        resamples=sample.resamples,
        excluded=micro.rate.excluded,
    )
    return Acceptance(
        families=tuple(_acceptance_row(family, sound, stem, sample) for family in PAIRWISE),
        micro=micro,
        ordinal=_acceptance_row(Family.ORDINAL, sound, stem, sample),
        weighted=weighted,
        population_covered=covered / sum(shares) if sum(shares) else None,
    )


def _acceptance_row(family: Span, sound: Sequence[Answer], stem: str, sample: Sample) -> AcceptanceRow:
    of_family = _of_family(sound, family)
    readings = _counts(of_family)
    rejected = [answer for answer in of_family if answer.outcome.reading is Reading.ANOTHER]
    return AcceptanceRow(
        family=family,
        readings=readings,
        rate=_share(of_family, _is_right, f"acceptance|families:{family}|weights:items|{stem}", sample, len(sound) - len(of_family)),
        false_rejections=len(rejected),
        model_is_wrong=sum(answer.outcome.model_is_wrong for answer in rejected),
    )


def _detection(damaged: Sequence[Answer], stem: str, sample: Sample) -> Detection:
    pairwise = _of_family(damaged, "pairwise")
    rows = [
        _detection_row(kind, family, answers, stem, sample)
        for kind in DamageKind
        for family in Family
        if (answers := [answer for answer in _of_family(damaged, family) if answer.item.kind is kind])
    ]
    found = [answer for answer in pairwise if answer.item.kind in KINDS and answer.is_right]
    return Detection(
        kinds=tuple(_detection_row(kind, "pairwise", _of_kind(pairwise, kind), stem, sample) for kind in KINDS),
        unnecessary=_detection_row(DamageKind.UNNECESSARY, "pairwise", _of_kind(pairwise, DamageKind.UNNECESSARY), stem, sample),
        by_family=tuple(rows),
        pooled=_pooled(damaged, "pairwise", stem, sample),
        ordinal=_pooled(damaged, Family.ORDINAL, stem, sample),
        right_reason=_right_reason(found, f"kinds:changing|families:pairwise|{stem}", sample),
    )


def _of_kind(answers: Sequence[Answer], kind: DamageKind) -> list[Answer]:
    return [answer for answer in answers if answer.item.kind is kind]


def _detection_row(kind: DamageKind, family: Span, answers: Sequence[Answer], stem: str, sample: Sample) -> DetectionRow:
    found = [answer for answer in answers if answer.is_right]
    over = f"kinds:{kind}|families:{family}|{stem}"
    return DetectionRow(
        kind=kind,
        family=family,
        readings=_counts(answers),
        rate=_share(answers, _is_right, f"detection|{over}", sample),
        right_reason=_right_reason(found, over, sample),
    )


def _right_reason(found: Sequence[Answer], over: str, sample: Sample) -> Rate:
    return _share(found, lambda answer: answer.is_for_the_right_reason, f"right reason|{over}", sample)


def _is_right(answer: Answer) -> bool:
    return answer.is_right


def _pooled(damaged: Sequence[Answer], family: Span, stem: str, sample: Sample) -> Rate:
    answers = _of_family(damaged, family)
    right, asked = tables(answers, detection_group, len(KINDS))
    return bootstrap_rate(
        right,
        asked,
        stem=f"detection|kinds:{_kinds(asked)}|families:{family}|weights:kinds|{stem}",
        seed=sample.seed,
        name=f"detection|{family}",
        resamples=sample.resamples,
        excluded=len(damaged) - int(asked.sum()),
    )


def _balanced(answers: Sequence[Answer], stem: str, sample: Sample) -> Rate:
    right, asked = tables(answers, balanced_group, 1 + len(KINDS))
    totals, excluded = asked.sum(axis=0), len(answers) - int(asked.sum())
    stem = f"balanced accuracy|kinds:{_kinds(asked[:, 1:])}|families:pairwise|weights:half acceptance, half kinds|{stem}"
    if not totals[0] or not totals[1:].any():
        return no_rate(stem, excluded)
    return bootstrap_rate(
        right,
        asked,
        stem=stem,
        seed=sample.seed,
        name="balanced accuracy",
        weights=balanced_weights(asked),
        resamples=sample.resamples,
        excluded=excluded,
    )


def _kinds(asked: Counts) -> str:
    """The kinds of which something was asked, for a signature."""
    return ",".join(kind for kind, total in zip(KINDS, asked.sum(axis=0), strict=True) if total) or "none"


def _label_row(kind: DamageKind, damaged: Sequence[Answer], stem: str, sample: Sample) -> LabelRow:
    right, of_kind = RIGHT_LABELS[kind], _of_kind(damaged, kind)
    answers = [answer for answer in of_kind if answer.outcome.was_read]
    unread = len(of_kind) - len(answers)
    counts = Counter(label for answer in answers for label in set(answer.outcome.labels))
    over = f"kinds:{kind}|families:all|read back|{stem}"
    return LabelRow(
        kind=kind,
        right_label=right,
        items=len(answers),
        given=tuple(LabelCount(label=label, items=counts[label]) for label in sorted(counts)),
        unlabelled=sum(not answer.outcome.labels for answer in answers),
        rate=_share(answers, lambda answer: right in answer.outcome.labels, f"right label|{over}", sample, unread),
        alone=_share(answers, lambda answer: set(answer.outcome.labels) == {right}, f"right label alone|{over}", sample, unread),
    )
