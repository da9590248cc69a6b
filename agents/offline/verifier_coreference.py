"""From a parsed question to queries: which variable each thing is, and which fact each clause means.

A clause means a hop where what takes part in it fits both ends of the hop, and a reference where only
names take part; what a clause leaves out is lent by the clause before or by the one it dates. Every
hop must be said with both its ends, and no clause may be left over. Paper: section 4.3.2.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

from agents.offline.verifier_clauses import Clause, Parse, Slot
from agents.offline.verifier_comparison import Atom
from agents.offline.verifier_constraints import Builder, Spoken, spoken
from agents.offline.verifier_mentions import Mention
from agents.offline.verifier_phrases import Side, readings
from agents.offline.verifier_query import Evidence, FactRef, Query, Term
from agents.offline.verifier_skeletons import Skeleton
from agents.offline.verifier_syntax import parses
from agents.offline.verifier_tokens import Token, Unreadable
from agents.offline.verifier_words import ENDS, STARTS
from graph_sampler.labels import normalise_label

_MOST_READINGS = 64


def parsed_queries(tokens: list[Token], options: list[Skeleton], evidence: Evidence) -> list[Query]:
    """The queries of the likeliest structures that make sense; none where the parser has no rule for the question.

    Raises:
        Unreadable: a likeliest structure contradicts itself.
    """
    found: list[tuple[float, Query | None]] = []
    unsaid: list[str] = []
    points = frozenset(normalise_label(evidence.relation_labels[relation]) for relation in evidence.points)
    for parse in parses(tokens, points):
        if found and parse.cost > min(known for known, _ in found):
            break
        for skeleton in options:
            cost = parse.cost + skeleton.penalty
            if found and cost > min(known for known, _ in found):
                continue
            found += [(cost, query) for query in _read(parse, skeleton, evidence, unsaid)]
    least = min((cost for cost, _ in found), default=0.0)
    if unsaid and not found:
        raise Unreadable("every clause makes sense, but one fact is never spoken of")
    best = list(dict.fromkeys(query for cost, query in found if cost == least))
    if None in best:
        raise Unreadable("the constraints contradict one another")
    return [query for query in best if query is not None]


def _read(parse: Parse, skeleton: Skeleton, evidence: Evidence, unsaid: list[str]) -> Iterator[Query | None]:
    wanted = f"?{'abc'[len(skeleton.hops) - 1]}" if skeleton.is_chain else "?a"
    others = sorted({term.variable for hop in skeleton.hops for term in (hop.subject, hop.object)} - {None, wanted}, key=str)
    variables = [place for place, referent in enumerate(parse.referents) if not referent.entities and place != parse.answer]
    if len(variables) != len(others):
        return
    for order in itertools.permutations(others):
        meaning = {parse.answer: wanted, **{place: str(name) for place, name in zip(variables, order, strict=True)}}
        yield from _Resolver(parse, skeleton, evidence, meaning).queries(unsaid)


class _Said(NamedTuple):
    """What a clause means."""

    fact: FactRef
    is_whole: bool
    """Whether it says a hop with both its ends."""


def _labels(clause: Clause) -> frozenset[str] | None:
    """Normalised labels of the relations that a clause may speak of; `None` where no word names one.

    Raises:
        Unreadable: its words speak of different relations.
    """
    words = clause.of("relation")
    found: frozenset[str] | None = None
    for token in words:
        if not token.is_weak and not _is_general(token):
            own = frozenset(trigger.relation for trigger in token.triggers)
            found = own if found is None else found & own
    if found is not None and not found:
        raise Unreadable("two relations in one clause")
    for token in sorted(words, key=_is_general):
        if token.is_weak or _is_general(token):
            own = frozenset(trigger.relation for trigger in token.triggers)
            found = (None if _is_general(token) else own) if found is None else found & own or found
    return found


def _is_general(token: Token) -> bool:
    """Whether it may speak of the start or end of anything ("began")."""
    return token.text in STARTS or token.text in ENDS


def _is_verb_of(token: Token, relations: frozenset[str]) -> bool:
    return not _is_general(token) and any(trigger.is_verb and trigger.relation in relations for trigger in token.triggers)


class _Resolver:
    def __init__(self, parse: Parse, skeleton: Skeleton, evidence: Evidence, meaning: dict[int, str]) -> None:
        self.parse = parse
        self.skeleton = skeleton
        self.evidence = evidence
        self.meaning = meaning
        self.builder = Builder(skeleton, evidence)

    def queries(self, unsaid: list[str]) -> Iterator[Query | None]:
        """Every query that the clauses allow with this meaning of the things spoken of; `None` for a contradiction.

        Puts the hops on a list that clauses which all make sense leave unsaid.
        """
        try:
            labels = [_labels(clause) for clause in self.parse.clauses]
        except Unreadable:
            return
        for said in itertools.islice(self._meanings(labels, []), _MOST_READINGS):
            whole = {one.fact.hop for one in said if one.is_whole}
            missing = [hop.name for hop in self.skeleton.hops if hop.name not in whole]
            if missing:
                unsaid += missing
                continue
            try:
                yield from self._build([one.fact for one in said])
            except Unreadable:
                continue

    def _meanings(self, labels: list[frozenset[str] | None], said: list[_Said]) -> Iterator[list[_Said]]:
        if len(said) == len(labels):
            yield said
            return
        clause = self.parse.clauses[len(said)]
        named = labels[len(said)]
        found = self._statement(clause, named) if clause.host is None else self._date(clause, named, said)
        for one in dict.fromkeys(self._directed(clause, found)):
            yield from self._meanings(labels, [*said, one])

    # Which fact a clause means.

    def _fits(self, slot: Slot, term: Term) -> bool:
        for place in slot.options:
            entities = self.parse.referents[place].entities
            if entities & term.entities if entities else self.meaning[place] == term.variable:
                return True
        return False

    def _directed(self, clause: Clause, said: list[_Said]) -> list[_Said]:
        """The hops whose doer is at the right end, for relations whose label ends in `by`."""
        doer = clause.doer
        patient = clause.subject if clause.is_passive and clause.subject != doer else None
        found = []
        for one in said:
            if one.fact.hop is None or not clause.has_verb:
                found.append(one)
                continue
            hop = self.skeleton.hops[int(one.fact.hop[1:]) - 1]
            relations = self.builder.relations(one.fact)
            is_by = all(label.endswith(" by") for label in relations) and any(
                _is_verb_of(token, relations) for token in clause.of("relation")
            )
            if not is_by or (
                (doer is None or not doer.options or self._fits(doer, hop.object))
                and (patient is None or not patient.options or self._fits(patient, hop.subject))
            ):
                found.append(one)
        return found

    def _hops(self, slots: list[Slot], labels: frozenset[str] | None) -> list[FactRef]:
        """The hops of some relations in which all these take part, each at an end of its own."""
        found = []
        for hop, own in zip(self.skeleton.hops, self.builder.labels, strict=True):
            ends = (hop.subject, hop.object)
            if (labels is None or own & labels) and any(
                all(self._fits(slot, end) for slot, end in zip(slots, order, strict=False)) for order in (ends, ends[::-1])
            ):
                found.append(FactRef(hop.name))
        return found

    def _firm(self, clause: Clause) -> list[Slot]:
        return list(dict.fromkeys(slot for slot in clause.slots if slot.options))

    def _is_named(self, slot: Slot) -> bool:
        return all(self.parse.referents[place].entities for place in slot.options)

    def _statement(self, clause: Clause, labels: frozenset[str] | None) -> list[_Said]:
        slots = self._firm(clause)
        if not slots or len(slots) > 2 or all(self._is_named(slot) for slot in slots):
            return []
        if len(slots) == 2:
            return [_Said(fact, True) for fact in self._hops(slots, labels)]
        lent = [fact for other in clause.lent if other.options for fact in self._hops([*slots, other], labels)]
        if lent:
            return [_Said(fact, True) for fact in lent]
        return [_Said(fact, False) for fact in self._hops(slots, labels)] if labels is not None else []

    def _date(self, clause: Clause, labels: frozenset[str] | None, said: list[_Said]) -> list[_Said]:
        dated = self.parse.clauses[clause.host or 0]
        host = said[dated.place].fact
        known = {one.fact for one in said if one.fact.hop is None}
        found: list[_Said] = []
        for chosen in itertools.product(*(slot.options for slot in self._firm(clause))):
            slots = [Slot((place,)) for place in dict.fromkeys(chosen)]
            if not 1 <= len(slots) <= 2:
                continue
            others = [slot for slot in self._firm(dated) if slot not in slots]
            if all(self._is_named(slot) for slot in slots):
                facts = self._dated_by_name(clause, slots, others, labels, host)
            else:
                facts = self._dated_by_variable(slots, others, labels, host)
            likely = [fact for fact in facts if fact in known] or facts
            is_whole = len(slots) == 2 or any(self._is_named(slot) for slot in slots)
            spoken_of = self.builder.relations(host) if labels is None else labels
            found += [
                _Said(fact, is_whole and fact.hop is not None and bool(spoken_of & self.builder.relations(fact)))
                for fact in likely
                if fact != host
            ]
        return found

    def _dated_by_variable(self, slots: list[Slot], others: list[Slot], labels: frozenset[str] | None, host: FactRef) -> list[FactRef]:
        if len(slots) == 2:
            return self._hops(slots, labels)
        shared = [fact for other in others for fact in self._hops([*slots, other], labels) if fact != host]
        return shared or ([] if labels is None else self._hops(slots, labels))

    def _dated_by_name(
        self, clause: Clause, slots: list[Slot], others: list[Slot], labels: frozenset[str] | None, host: FactRef
    ) -> list[FactRef]:
        if len(slots) == 2:
            return self._references(clause, slots, labels)
        subject = self.parse.clauses[clause.host or 0].subject
        if labels is None and not clause.is_statement and subject is not None:
            # "joined Ajax after Arn": the name is the fixed end of another of the subject's facts.
            own = [fact for fact in self._hops([subject, *slots], None) if fact != host]
            if own:
                return own
        # "joined a team before Cruyff became its coach": what is left out is the variable that the host speaks of.
        spoken_of = self.builder.relations(host) if labels is None else labels
        own = [fact for other in others if not self._is_named(other) for fact in self._hops([*slots, other], spoken_of) if fact != host]
        if own:
            return own
        only = host.hop if labels is None else None
        if labels is None and only is None:
            return []
        pairs = [fact for other in others if self._is_named(other) for fact in self._references(clause, [*slots, other], labels, only)]
        # A name alone stands for a fact only if there is no other to choose.
        return pairs or [fact for fact in self._references(clause, slots, labels, only) if len(fact.facts) == 1]

    def _references(self, clause: Clause, slots: list[Slot], labels: frozenset[str] | None, only: str | None = None) -> list[FactRef]:
        """The facts of the evidence in which all these named take part, for each relation that may be meant."""
        named = [self.parse.referents[slot.options[0]].entities for slot in slots]
        facts: dict[frozenset[str], set[int]] = {}
        for hop, own, known in zip(self.skeleton.hops, self.builder.labels, self.skeleton.facts, strict=True):
            if (labels is None or own & labels) and only in (None, hop.name):
                facts.setdefault(hop.relations, set()).update(fact for fact in known if self._takes_part(fact, named))
        found = [FactRef(None, frozenset(some)) for some in facts.values() if some]
        # A word of a relation's own label speaks of that one rather than of another.
        words = {token.text for token in clause.of("relation")}
        own_words = [fact for fact in found if any(words & set(label.split()) for label in self.builder.relations(fact))]
        return own_words or found

    def _takes_part(self, fact: int, named: list[frozenset[str]]) -> bool:
        subject, _, object_, _, _ = self.evidence.facts[fact]
        if len(named) == 1:
            return subject in named[0] or object_ in named[0]
        return (subject in named[0] and object_ in named[1]) or (subject in named[1] and object_ in named[0])

    # What the clauses say of the facts.

    def _mention(self, clause: Clause, relations: frozenset[str]) -> Mention:
        general = frozenset({"start": "s", "end": "e", "both": "b"}[token.kind] for token in clause.of("start", "end", "both"))
        for token in clause.of("relation"):
            if _is_general(token) and not relations & {trigger.relation for trigger in token.triggers}:
                general |= {"s" if token.text in STARTS else "e"}
        is_elliptic = not clause.is_statement and not clause.of("spell", "order", "comparative")
        mention = Mention(clause.place, None, clause.of("relation"), general=general, is_elliptic=is_elliptic)
        mention.is_echo = is_elliptic and any(token.text in ("did", "do", "does", "had", "has", "have") for token in clause.tokens)
        return mention

    def _side(self, clause: Clause, fact: FactRef) -> Side:
        relations = self.builder.relations(fact)
        mention = self._mention(clause, relations)
        return Side(mention.aspect(relations), self.builder.is_point(fact), mention.is_elliptic, mention.is_echo)

    def _build(self, facts: list[FactRef]) -> list[Query | None]:
        said: list[Spoken] = []
        ordered: list[tuple[FactRef, str | None, Token]] = []
        self.builder.lasting = frozenset(
            relation
            for clause, fact in zip(self.parse.clauses, facts, strict=True)
            if clause.of("start", "end") or self._side(clause, fact).aspect in ("e", "b")
            for relation in self.builder.relations(fact)
        )
        for clause, fact in zip(self.parse.clauses, facts, strict=True):
            side = self._side(clause, fact)
            if clause.host is not None:
                host = self._side(self.parse.clauses[clause.host], facts[clause.host])._replace(is_elliptic=False, is_echo=False)
                said.append(_required(spoken(facts[clause.host], fact, readings(clause.connective, host, side))))
            for _ in clause.of("comparative"):
                said.append(self._compared(clause, fact, side, said))
            ordered += [(fact, side.aspect, token) for token in clause.of("order")]
        return [*self.builder.queries(said, self.builder.rankings(ordered))] or [None]

    def _compared(self, clause: Clause, fact: FactRef, side: Side, said: list[Spoken]) -> Spoken:
        """ "But left earlier": the comparison before, with this clause's endpoint."""
        end = "s" if side.is_point else side.aspect
        tokens = clause.of("comparative")
        if not said or end not in ("s", "e") or len(tokens) > 1 or clause.host is not None:
            raise Unreadable("a comparative without an endpoint or with nothing to compare")
        return _required(spoken(fact, said[-1].said_right, [frozenset({Atom(end, ">" if tokens[0].text == "later-end" else "<", end)})]))


def _required(found: Spoken | None) -> Spoken:
    if found is None:
        raise Unreadable("a comparison that makes no sense")
    return found
