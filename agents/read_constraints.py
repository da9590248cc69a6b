"""Temporal constraints in one canonical form, whether a trace holds them or a question states them.

A reader names facts by their labels and operators by plain words. What it says is brought to what the
trace says: words to the operator of the facts' kinds, descriptions to facts of the row or of the evidence,
both sides of a comparison to one direction. The trace's own constraints go the same way, so that equal
conditions are equal values. Paper: Figure 7.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from graph_sampler.labels import normalise_label
from graph_sampler.operators import BY_NAME, RANK_WORDS, operator_said, word_of
from state.fact import TemporalFact
from state.instance import BenchmarkRecord
from state.roles import FactDescription, ReadingReply, StatedConstraint
from state.trace import OrdinalStep, StructuralStep, TemporalStep
from state.vocabulary import OperatorWord, RankOrder

Side = str | TemporalFact | FactDescription
"""A fact of the row by name, a concrete fact, or the words of a description that denotes no one fact."""


class Constraint(NamedTuple):
    """A condition in canonical form: `left` is never the later of two facts of the row, nor a concrete fact beside one."""

    operator: str
    left: Side
    right: Side | None = None
    """`None` for an ordinal."""
    rank: int | None = None
    order: RankOrder | None = None

    @property
    def word(self) -> OperatorWord:
        """The plain word for its operator."""
        return word_of(self.operator)

    def mirrored(self) -> Constraint:
        """The same comparison from the other side."""
        if self.right is None:
            return self
        return Constraint(BY_NAME[self.operator].converse, self.right, self.left)


class Told(NamedTuple):
    """A condition that somebody states."""

    options: tuple[Constraint, ...]
    """What it may come to; several where the walk has facts that no description can tell apart."""
    words: str
    """It as a person reads it."""


class Bench:
    """What the constraints of one record are read against: its patterns, references, evidence and labels."""

    def __init__(self, record: BenchmarkRecord) -> None:
        self.record = record
        self.steps = tuple(step for step in record.trace.steps if not isinstance(step, StructuralStep))
        self._hops = {step.fact: step.pattern for step in record.trace.steps if isinstance(step, StructuralStep)}
        self._evidence = tuple(dict.fromkeys(record.evidence))
        lasting = {fact.relation for fact in self._evidence if fact.start != fact.end}
        self.moments = {fact.relation for fact in self._evidence} - lasting
        """Relations whose facts in the evidence all begin and end in one granule, whatever their type in the graph."""

    def of_trace(self) -> tuple[Told, ...]:
        """The trace's own constraints in step order, with the record's sentence for each."""
        return tuple(
            Told((self._of_step(step),), sentence) for step, sentence in zip(self.steps, self.record.temporal_constraints, strict=True)
        )

    def of_reply(self, reply: ReadingReply) -> tuple[Told, ...]:
        """The constraints that a reader lists, in its order; what is said twice, or from both sides, is said once."""
        told: dict[object, Told] = {}
        for place, stated in enumerate(reply.constraints):
            options = tuple(dict.fromkeys(self._options(stated)))
            told.setdefault(options if len(options) == 1 else place, Told(options, in_words(stated)))
        return tuple(told.values())

    def state(self) -> ReadingReply:
        """The reply that states the trace's own constraints."""
        return ReadingReply(constraints=tuple(self._stated(step) for step in self.steps), cannot_tell=False)

    def _of_step(self, step: TemporalStep) -> Constraint:
        if isinstance(step, OrdinalStep):
            return self._ranked(word_of(step.operator), step.fact, step.rank, step.order)
        references = self.record.trace.references
        return self._compared(word_of(step.operator), step.left, references.get(step.right, step.right))

    def _options(self, stated: StatedConstraint) -> Iterator[Constraint]:
        lefts = self._denoted(stated.left)
        if stated.right is None:
            for left in lefts:
                yield self._ranked(stated.operator, left, stated.rank, stated.order)
            return
        pairs = list(product(lefts, self._denoted(stated.right)))
        apart = [pair for pair in pairs if pair[0] != pair[1]]  # no condition compares a fact with itself
        for left, right in apart or pairs:
            yield self._compared(stated.operator, left, right)

    def _ranked(self, word: OperatorWord, fact: Side, rank: int | None, order: RankOrder | None) -> Constraint:
        if word is OperatorWord.END_RANK and self._is_moment(fact):
            word = OperatorWord.START_RANK
        return Constraint(RANK_WORDS[word], fact, None, rank, order)

    def _compared(self, word: OperatorWord, left: Side, right: Side) -> Constraint:
        found = Constraint(operator_said(word, self._is_moment(left), self._is_moment(right)), left, right)
        return found.mirrored() if _place(left) > _place(right) else found

    def _is_moment(self, side: Side) -> bool:
        if isinstance(side, FactDescription):
            alike = {relation for relation in self._relations() if self._is_labelled(relation, side.relation)}
            return bool(alike) and alike <= self.moments
        return (side.relation if isinstance(side, TemporalFact) else self._hops[side][1]) in self.moments

    def _relations(self) -> set[str]:
        return {fact.relation for fact in self._evidence} | {relation for _, relation, _ in self._hops.values()}

    def _is_labelled(self, ident: str, label: str | None) -> bool:
        return label is not None and bool(normal := normalise_label(label)) and normal == normalise_label(self.record.labels[ident])

    # What a description denotes.

    def _denoted(self, said: FactDescription) -> list[Side]:
        """The facts that a description may mean; it stands for itself where it fits none, or several that it should tell apart.

        Open ends are variables, so the ends it names must be just those that the pattern fixes. Several facts
        of the row with both ends open cannot be told apart by any description, and all of them are returned.
        """
        rows: list[Side] = [name for name, pattern in self._hops.items() if self._fits(said, pattern)]
        if rows:
            return rows
        references = dict.fromkeys(self.record.trace.references.values())
        if said.subject is None and said.object is None:
            alike: list[Side] = [name for name, (_, relation, _) in self._hops.items() if self._is_labelled(relation, said.relation)]
            alike += [fact for fact in references if self._is_labelled(fact.relation, said.relation)]
            return alike if len(alike) == 1 else [said]
        meant: list[Side] = [fact for fact in references if self._names(said, fact)]
        facts: list[Side] = [fact for fact in self._evidence if self._names(said, fact)]
        if meant and said.subject is not None and said.object is not None:
            return meant
        return facts if len(facts) == 1 else [said]

    def _fits(self, said: FactDescription, pattern: tuple[str, str, str]) -> bool:
        subject, relation, object_ = pattern
        ends = ((subject, said.subject), (object_, said.object))
        return self._is_labelled(relation, said.relation) and all(
            label is None if end.startswith("?") else self._is_labelled(end, label) for end, label in ends
        )

    def _names(self, said: FactDescription, fact: TemporalFact) -> bool:
        ends = ((fact.subject, said.subject), (fact.object, said.object))
        return self._is_labelled(fact.relation, said.relation) and all(
            label is None or self._is_labelled(end, label) for end, label in ends
        )

    # From the trace to what a reader would say.

    def _stated(self, step: TemporalStep) -> StatedConstraint:
        word = word_of(step.operator)
        if isinstance(step, OrdinalStep):
            return StatedConstraint(operator=word, left=self._described(step.fact), right=None, rank=step.rank, order=step.order)
        return StatedConstraint(operator=word, left=self._described(step.left), right=self._described(step.right), rank=None, order=None)

    def _described(self, name: str) -> FactDescription:
        labels, references = self.record.labels, self.record.trace.references
        if name in references:
            fact = references[name]
            return FactDescription(relation=labels[fact.relation], subject=labels[fact.subject], object=labels[fact.object])
        subject, relation, object_ = self._hops[name]
        ends = [None if end.startswith("?") else labels[end] for end in (subject, object_)]
        return FactDescription(relation=labels[relation], subject=ends[0], object=ends[1])


def in_words(stated: StatedConstraint) -> str:
    """What a reader states, as a person reads it; shorter than its JSON."""
    left = _fact_in_words(stated.left)
    if stated.right is None:
        return f"{left} {stated.operator.value} {stated.rank} {stated.order}"
    return f"{left} {stated.operator.value} {_fact_in_words(stated.right)}"


def _fact_in_words(said: FactDescription) -> str:
    return f"({said.subject or '?'}, {said.relation}, {said.object or '?'})"


def _place(side: Side) -> tuple[int, tuple[str, ...]]:
    """Facts of the row first, in the order of the walk, then concrete ones, then what denotes nothing."""
    if isinstance(side, str):
        return 0, (side,)
    if isinstance(side, TemporalFact):
        return 1, (side.subject, side.relation, side.object, side.start, side.end)
    return 2, (side.relation, side.subject or "", side.object or "")
