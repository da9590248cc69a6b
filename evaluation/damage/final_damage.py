"""Damages an accepted final question by an exchange of single words, where that can be done safely.

No code can reword a free question. What can be exchanged is one name of a reference, the one `before` or
`after`, or the one rank word; and only where the question leaves no doubt about what the word belongs to. The
same is done to the trace, and a damage is kept only if the trace then names another set on the evidence.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from random import Random
from typing import NamedTuple

from agents.names import spans, tokens
from agents.usable_question import required_names, usable_problem
from evaluation.damage.scene import Scene
from evaluation.damage.trace_damage import Change, Damage, judged_damage
from graph_sampler.execute import execute, structure_of
from graph_sampler.operators import opposite_of
from state.fact import TemporalFact
from state.instance import BenchmarkRecord
from state.study import DamageKind
from state.trace import OrdinalStep, PairwiseStep, StructuralStep, Trace
from state.vocabulary import RankOrder

_CUES = {"before": "after", "after": "before"}
_DIRECTIONS = frozenset((
    "earlier", "later", "sooner", "prior", "previous", "previously", "preceding", "preceded", "precede", "following", "followed",
    "follow", "subsequent", "subsequently", "since", "until", "till", "succeeded", "succeed", "succeeding", "then", "once", "already",
    "next", "not", "never", "no", "nor", "immediately", "directly",
))  # fmt: skip
"""Words beside which `before` or `after` may not be all that the question says of the order."""

_ENDS: Mapping[str, tuple[str, RankOrder]] = {
    "first": ("last", RankOrder.ASCENDING),
    "last": ("first", RankOrder.DESCENDING),
    "earliest": ("latest", RankOrder.ASCENDING),
    "latest": ("earliest", RankOrder.DESCENDING),
    "shortest": ("longest", RankOrder.ASCENDING),
    "longest": ("shortest", RankOrder.DESCENDING),
}
"""Word for rank 1 -> word for the other end, and the order in which it counts."""
_BY_DURATION = ("shortest", "longest")
_NEIGHBOURS: Mapping[str, tuple[str, int]] = {"second": ("third", 2), "third": ("second", 3)}
"""Word for a rank from the earliest -> word for its neighbour, and the rank."""
_RANKS = frozenset((
    *_ENDS, *_NEIGHBOURS, "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "most", "least", "final", "penultimate",
    "oldest", "newest", "youngest", "initial", "original", "but", "recent", "backwards", "back", "longer", "shorter",
))  # fmt: skip
"""Words that may say a rank, or change the one beside them."""
_SURNAME = 4
"""Letters of a word that may stand for the whole name."""
_NUMBERED = re.compile(r"\d+(?:st|nd|rd|th)")
_WORD = re.compile(r"[^\W\d_]+")


class FinalDamage(NamedTuple):
    """A damaged question and the damage done to its trace."""

    question: str
    """The question, with other words exchanged for some of its own."""
    damage: Damage
    """The same done to the trace."""


def final_damages(record: BenchmarkRecord, question: str, points: Collection[str], rng: Random) -> list[FinalDamage]:
    """What can safely be done to a record's accepted question; at most one damage of each kind for each constraint.

    `points` are the ids of the point relations.
    """
    scene = Scene(record, points)
    found = [_swapped(scene, question, name, rng) for name in record.trace.references]
    if len(scene.constraints) == 1:
        [step] = scene.constraints
        found.append(_reversed(scene, question, step) if isinstance(step, PairwiseStep) else _reranked(scene, question, step))
    return [damage for damage in found if damage is not None]


def _swapped(scene: Scene, question: str, name: str, rng: Random) -> FinalDamage | None:
    """Another entity's name in the place of one end of a reference, drawn at random."""
    step = next(step for step in scene.constraints if isinstance(step, PairwiseStep) and step.right == name)
    candidates = list(_other_references(scene, question, name))
    rng.shuffle(candidates)
    for fact, text in candidates:
        trace = scene.trace.model_copy(update={"references": {**scene.trace.references, name: fact}})
        change = Change(trace, f"{step.constraint} refers to {scene.describe(fact)}")
        damage = judged_damage(scene, DamageKind.SWAPPED, step.operator, change)
        if damage is not None and usable_problem(text, scene.record.model_copy(update={"trace": trace})) is None:
            return FinalDamage(text, damage)
    return None


def _other_references(scene: Scene, question: str, name: str) -> Iterator[tuple[TemporalFact, str]]:
    """Facts that differ from a reference in the one end that is exchanged, with the question that names them."""
    old = scene.trace.references[name]
    labels = scene.record.labels
    for end, kept in (("subject", "object"), ("object", "subject")):
        entity = getattr(old, end)
        place = None if _is_named_elsewhere(scene.trace, name, end, entity, labels) else _only_place(scene.record, question, labels[entity])
        if place is None:
            continue
        for fact in sorted(set(scene.record.evidence), key=lambda fact: (fact.subject, fact.relation, fact.object, fact.interval)):
            fresh = labels[getattr(fact, end)]
            fits = fact.relation == old.relation and getattr(fact, kept) == getattr(old, kept) and getattr(fact, end) != entity
            if fits and scene.is_nameable(fact) and tokens(fresh).joined and not spans(tokens(fresh), tokens(question)):
                yield fact, question[: place[0]] + fresh + question[place[1] :]


def _is_named_elsewhere(trace: Trace, name: str, end: str, entity: str, labels: Mapping[str, str]) -> bool:
    """Whether the question must name the entity, or another of its label, for more than one end of one reference."""
    named = [fixed for step in trace.steps if isinstance(step, StructuralStep) for fixed in (step.pattern[0], step.pattern[2])]
    for other, fact in trace.references.items():
        named += [getattr(fact, side) for side in ("subject", "object") if (other, side) != (name, end)]
    own = tokens(labels[entity]).joined
    return any(tokens(labels[one]).joined == own for one in named if not one.startswith("?"))


def _only_place(record: BenchmarkRecord, question: str, label: str) -> tuple[int, int] | None:
    """Where a label stands, spelt as it is, if it stands there alone, in no other name of the record, and is not cited in part."""
    found = spans(tokens(label), tokens(question))
    places = _places(label, question)
    if len(found) != 1 or len(places) != 1:
        return None
    start, end = found[0]
    own = tokens(label).joined
    for other in map(tokens, record.labels.values()):
        if other.joined != own and any(left < end and start < right for left, right in spans(other, tokens(question))):
            return None
    left, right = places[0]
    elsewhere = {word for name in required_names(record) if name != label for word in tokens(name).words}
    cited = {word for word in tokens(label).words if len(word) >= _SURNAME} - elsewhere
    return None if cited & {*tokens(question[:left]).words, *tokens(question[right:]).words} else (left, right)


def _places(label: str, question: str) -> list[tuple[int, int]]:
    """Where a text stands in the question as a word or words of its own."""
    return [match.span() for match in re.finditer(rf"(?<![\w-]){re.escape(label)}(?![\w-])", question)]


def _reversed(scene: Scene, question: str, step: PairwiseStep) -> FinalDamage | None:
    """`before` for `after`, or the other way round.

    Kept only if the two readings of the new words agree on the evidence: as the opposite operator, by whole
    facts; and by the bounds that the old words named, as in `before X left` for `after X left`.
    """
    opposite = opposite_of(step.operator)
    cue = _only_word(scene.record, question, frozenset(_CUES), _DIRECTIONS)
    if cue is None or opposite is None or not re.search("-(before|after)-", step.operator):
        return None
    steps = tuple(one.model_copy(update={"operator": opposite}) if one is step else one for one in scene.trace.steps)
    change = Change(scene.trace.model_copy(update={"steps": steps}), f"{step.constraint} is {opposite}")
    damage = judged_damage(scene, DamageKind.REVERSED, step.operator, change)
    if damage is None or damage.answers != _by_named_bounds(scene, step):
        return None
    return FinalDamage(_exchanged(question, cue, _CUES[cue.group().casefold()]), damage)


def _by_named_bounds(scene: Scene, step: PairwiseStep) -> frozenset[str]:
    """What the trace names if its one constraint is turned round but goes on comparing the same bounds."""
    found = set()
    for row in execute(structure_of(scene.trace), scene.record.evidence).rows:
        left = row.facts[step.left]
        right = scene.trace.references[step.right] if step.right in scene.trace.references else row.facts[step.right]
        holds = left.interval.end > right.interval.start if "before" in step.operator else left.interval.start < right.interval.end
        if holds and left != right:
            found.add(row.entities[scene.candidate])
    return frozenset(found)


def _reranked(scene: Scene, question: str, step: OrdinalStep) -> FinalDamage | None:
    """`last` for `first` and the like, or `third` for `second`."""
    word = _only_word(scene.record, question, frozenset((*_ENDS, *_NEIGHBOURS)), _RANKS)
    if word is None or _NUMBERED.search(question.casefold()):
        return None
    said = word.group().casefold()
    update: dict[str, object]
    if said in _ENDS:
        new, order = _ENDS[said]
        if (step.rank, step.order) != (1, order) or (said in _BY_DURATION) is not (step.operator == "duration_rank"):
            return None
        other = RankOrder.DESCENDING if order is RankOrder.ASCENDING else RankOrder.ASCENDING
        kind, update, note = DamageKind.REVERSED, {"order": other}, f"{step.constraint} counts from the other end"
    else:
        new, rank = _NEIGHBOURS[said]
        if (step.rank, step.order) != (rank, RankOrder.ASCENDING) or step.operator == "duration_rank":
            return None
        kind, update, note = DamageKind.REPLACED, {"rank": 5 - rank}, f"{step.constraint} asks for rank {5 - rank}"
    steps = tuple(one.model_copy(update=update) if one is step else one for one in scene.trace.steps)
    damage = judged_damage(scene, kind, step.operator, Change(scene.trace.model_copy(update={"steps": steps}), note))
    return None if damage is None else FinalDamage(_exchanged(question, word, new), damage)


def _only_word(record: BenchmarkRecord, question: str, wanted: frozenset[str], near: frozenset[str]) -> re.Match[str] | None:
    """The one word of those wanted, if it is in no name and no other word that could be near it is in the question."""
    words = [match for match in _WORD.finditer(question) if match.group().casefold() in wanted | near]
    if len(words) != 1 or words[0].group().casefold() not in wanted:
        return None
    start, end = words[0].span()
    folded = question.casefold()
    if len(folded) != len(question):
        return None
    taken = [place for label in record.labels.values() for place in _places(label.casefold(), folded)]
    return None if any(left < end and start < right for left, right in taken) else words[0]


def _exchanged(question: str, word: re.Match[str], new: str) -> str:
    """The question with another word in one place, in the same case."""
    old = word.group()
    if old.isupper():
        new = new.upper()
    elif old[0].isupper():
        new = new.capitalize()
    return question[: word.start()] + new + question[word.end() :]
