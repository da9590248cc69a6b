"""The items of a study: what the verifier is asked of each sampled trace, sound and damaged. Paper: section 4.3.2, Table 2."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import NamedTuple

from evaluation.damage.final_damage import final_damages
from evaluation.damage.spread import spread
from evaluation.damage.trace_damage import Damage, damages, random_stream
from evaluation.verifier.strata import drawing_key
from graph_sampler.execute import execute
from graph_sampler.templates import Verbaliser
from state.instance import BenchmarkRecord
from state.interval import parse_iso
from state.study import Register, StudyItem
from state.study_config import StudyConfig


class Items(NamedTuple):
    """The items of a study and what an agent is given of each."""

    items: tuple[StudyItem, ...]
    """All items, sorted by id."""
    records: dict[str, BenchmarkRecord]
    """Item id -> the source record under that id with the item's question as its raw one; all else is the source's."""


class _Offer(NamedTuple):
    """A damaged question that may become an item."""

    register: Register
    question: str
    damage: Damage


def make_items(
    records: Iterable[BenchmarkRecord], final_questions: Mapping[str, str], study: StudyConfig, points: Collection[str]
) -> Items:
    """The sound item of each source question in each register, and its damaged ones.

    `final_questions` leads from a record's id to its accepted question; records without one are asked in the
    other register alone. `points` are the ids of the point relations. What becomes of a record depends on
    the seed, on it and on the points; only where `damages_per_question` is set, so that kinds are spread
    evenly, on the other records as well, but never on their order.

    Raises:
        ValueError: two items have the same id.
    """
    ordered = sorted(records, key=lambda record: drawing_key(study.seed, record.id))
    offers = [_offers(record, final_questions.get(record.id), study, points) for record in ordered]
    if study.damages_per_question is not None:
        taken = spread([[offer.damage.kind for offer in own] for own in offers], study.damages_per_question)
        offers = [[own[place] for place in places] for own, places in zip(offers, taken, strict=True)]
    made: dict[str, tuple[StudyItem, BenchmarkRecord]] = {}
    for record, own in zip(ordered, offers, strict=True):
        for item in (*_sound(record, final_questions.get(record.id), study), *(_damaged(record, offer) for offer in own)):
            if item.id in made:
                raise ValueError(f"two items are called {item.id}: of {made[item.id][0].source} and of {item.source}")
            made[item.id] = item, record.model_copy(update={"id": item.id, "raw_question": item.question})
    return Items(tuple(made[name][0] for name in sorted(made)), {name: made[name][1] for name in sorted(made)})


def _offers(record: BenchmarkRecord, final: str | None, study: StudyConfig, points: Collection[str]) -> list[_Offer]:
    """The damaged questions of a record, of the kinds and in the registers wanted, each worded differently from all others."""
    found = []
    said = {record.raw_question, final}
    for offer in _all_offers(record, final, study, points):
        if offer.damage.kind in study.damages and offer.question not in said:
            said.add(offer.question)
            found.append(offer)
    return sorted(
        found, key=lambda offer: drawing_key(study.seed, _item_id(record, offer.register, offer.damage.kind.value, offer.question))
    )


def _all_offers(record: BenchmarkRecord, final: str | None, study: StudyConfig, points: Collection[str]) -> Iterator[_Offer]:
    if study.damages and Register.TEMPLATE in study.registers:
        words = Verbaliser(record.labels, frozenset(points), parse_iso(record.evidence[0].start)[1])
        for damage in damages(record, points, random_stream(study.seed, record.id)):
            yield _Offer(Register.TEMPLATE, words.question(damage.trace), damage)
    if study.damages and Register.FINAL in study.registers and final is not None:
        for question, damage in final_damages(record, final, points, random_stream(study.seed, f"{record.id} final")):
            yield _Offer(Register.FINAL, question, damage)


def _sound(record: BenchmarkRecord, final: str | None, study: StudyConfig) -> Iterator[StudyItem]:
    questions = {Register.TEMPLATE: record.raw_question, Register.FINAL: final}
    named = _labels(record, execute(record.trace, record.evidence).answers)
    for register in study.registers:
        question = questions[register]
        if question is not None:
            yield StudyItem(
                id=_item_id(record, register, "", question), source=record.id, wording=register, kind=None,
                family=record.families[0], operator=record.operators[0], question=question, expected=named, note="",
            )  # fmt: skip


def _damaged(record: BenchmarkRecord, offer: _Offer) -> StudyItem:
    damage = offer.damage
    return StudyItem(
        id=_item_id(record, offer.register, damage.kind.value, offer.question), source=record.id, wording=offer.register, kind=damage.kind,
        family=damage.family, operator=damage.operator, question=offer.question, expected=_labels(record, damage.answers), note=damage.note,
    )  # fmt: skip


def _labels(record: BenchmarkRecord, entities: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({record.labels[entity] for entity in entities}))


def _item_id(record: BenchmarkRecord, register: Register, kind: str, question: str) -> str:
    parts: Sequence[str] = (record.id, register.value, kind, question)
    return f"{record.dataset}-{sha256(json.dumps(parts).encode()).hexdigest()[:12]}"
