"""From units and a structure to queries: which fact each mention means, and what each connective joins.

Every choice that English leaves open is tried and carries a penalty; the readings with the least are
kept together, and the caller abstains where they name different entities. Paper: section 4.3.2.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from agents.offline.verifier_comparison import Atom
from agents.offline.verifier_constraints import Builder, Spoken, spoken
from agents.offline.verifier_mentions import Mention, head_of, mentions_of
from agents.offline.verifier_phrases import Reading, Side, readings
from agents.offline.verifier_query import Evidence, FactRef, Hop, Query, Ranking
from agents.offline.verifier_skeletons import Skeleton
from agents.offline.verifier_tokens import Token, Unit, Unreadable
from agents.offline.verifier_voice import Ends, ends_of_name
from graph_sampler.labels import normalise_label

_MARGIN = 0.15
_FAR_FETCHED = 1.2
_MOST_STEPS = 4000


References = dict[tuple[frozenset[int], tuple[frozenset[str], ...]], frozenset[int]]
"""Facts of a hop that hold some named entities, found once a question."""


class Scored(NamedTuple):
    """A query and how far-fetched its reading is."""

    penalty: float
    query: Query | None
    """`None` where the constraints contradict one another."""


class _Claim(NamedTuple):
    """`left connective right`, by position among the mentions."""

    left: int
    right: int
    connective: str


def best_queries(units: list[Unit], options: list[Skeleton], evidence: Evidence) -> list[Query]:
    """The likeliest queries of a question, all within a small margin of the best."""
    scored: list[Scored] = []
    least = _FAR_FETCHED
    budget = [_MOST_STEPS]
    references: References = {}
    for cost, mentions in mentions_of(units):
        if cost > least + _MARGIN:
            break
        for skeleton in options:
            reader = _Reader(units, mentions, skeleton, evidence, budget, references)
            for found in reader.queries(cost + skeleton.penalty, least + _MARGIN):
                scored.append(found)
                least = min(least, found.penalty)
    best = list(dict.fromkeys(found.query for found in scored if found.penalty <= least + _MARGIN))
    return [query for query in best if query is not None] if None not in best else []


class _Reader:
    def __init__(
        self,
        units: list[Unit],
        mentions: list[Mention],
        skeleton: Skeleton,
        evidence: Evidence,
        budget: list[int],
        references: References,
    ) -> None:
        self.units = units
        self.bound = 0.0
        self.budget = budget
        self.references = references
        self.mentions = mentions
        self.skeleton = skeleton
        self.evidence = evidence
        self.builder = Builder(skeleton, evidence)
        self.labels = self.builder.labels
        self.rights = {index for index, unit in enumerate(units) if set(unit.temporal()) - {"then", "prev"} or unit.shared}
        self.by_unit: dict[int, list[int]] = {}
        for place, mention in enumerate(mentions):
            self.by_unit.setdefault(mention.unit, []).append(place)

    def queries(self, penalty: float, bound: float) -> Iterator[Scored]:
        """Every query that the words allow on this structure, up to a bound on its penalty."""
        self.bound = bound
        if penalty > bound:
            return
        choices = self._choices()
        for cost, sides in self._assignments(0, [], penalty):
            if not self._covers(sides):
                continue
            try:
                rankings = self._rankings(sides)
                sound = [self._sound(options, sides) for options in choices]
                for total, claims in self._cheapest(sound, cost):
                    for found in self._build(total, sides, claims, rankings):
                        self.bound = min(self.bound, found.penalty + _MARGIN)
                        yield found
            except Unreadable:
                continue

    def _sound(self, options: list[tuple[float, list[_Claim]]], sides: list[FactRef]) -> list[tuple[float, list[Spoken]]]:
        """What a connective may join, given the facts, with its readings; only what makes sense."""
        found = []
        for penalty, claims in options:
            parts = [spoken(sides[claim.left], sides[claim.right], self._readings(claim, sides)) for claim in claims]
            if all(part is not None for part in parts):
                found.append((penalty, [part for part in parts if part is not None]))
        return sorted(found, key=lambda option: option[0])

    def _cheapest(self, sound: list[list[tuple[float, list[Spoken]]]], cost: float) -> Iterator[tuple[float, list[Spoken]]]:
        """One option for each connective, in every way that stays under the bound."""
        if not all(sound):
            return
        floors = [sum(options[0][0] for options in sound[place:]) for place in range(len(sound) + 1)]

        def extend(place: int, total: float, chosen: list[Spoken]) -> Iterator[tuple[float, list[Spoken]]]:
            if total + floors[place] > self.bound:
                return
            if place == len(sound):
                yield total, chosen
                return
            for penalty, parts in sound[place]:
                yield from extend(place + 1, total + penalty, chosen + parts)

        yield from extend(0, cost, [])

    # Which fact a mention means.

    def _assignments(self, place: int, sides: list[FactRef], penalty: float) -> Iterator[tuple[float, list[FactRef]]]:
        self.budget[0] -= 1
        if penalty > self.bound or self.budget[0] < 0:
            return
        if place == len(self.mentions):
            yield penalty, list(sides)
            return
        for extra, side in sorted(self._options(self.mentions[place], sides), key=lambda option: option[0]):
            yield from self._assignments(place + 1, [*sides, side], penalty + extra)

    def _options(self, mention: Mention, sides: list[FactRef]) -> list[tuple[float, FactRef]]:
        found: list[tuple[float, FactRef]] = []
        named = [name.entities for name in mention.names]
        is_right = mention.unit in self.rights
        said = [(side, other.unit in self.rights) for side, other in zip(sides, self.mentions, strict=False) if side.hop is not None]
        near = [side for side, was_right in said if is_right or not was_right] or [side for side, _ in said]
        pointed = [side for side, other in zip(sides, self.mentions, strict=False) if other.unit in self.rights]
        for index, hop in enumerate(self.skeleton.hops):
            if mention.relations is not None and not self.labels[index] & mention.relations:
                continue
            anchor = self.skeleton.anchor(index)
            far = 0.0
            if mention.relations is None and near and near[-1].hop != hop.name:
                far = 0.3
            others = [entities for entities in named if not anchor or entities != anchor]
            if len(others) < len(named) and not self._is_at_its_end(mention, hop, anchor):
                continue
            if not others:
                far += 0.0 if named or mention.relations is not None else 0.1
                if mention.is_elliptic and not named and is_right:
                    far = 0.1 if pointed and pointed[-1].hop == hop.name else far + 0.4
                found.append((far + self._unlikely(mention, hop.name, sides, pointed), FactRef(hop.name)))
            elif not (mention.is_asking or mention.is_bound) and len(others) == (1 if anchor else min(2, len(others))):
                facts = self._reference(index, others)
                facts = frozenset(fact for fact in facts if all(self._has_at_its_end(mention, name, fact) for name in mention.names))
                if facts:
                    far += 0.0 if anchor or len(others) == 2 else 0.3
                    far += 0.0 if is_right else 0.4
                    found.append((far, FactRef(None, facts)))
        if not named:
            seen: list[FactRef] = [side for side in sides if side.hop is None]
            for age, side in enumerate(dict.fromkeys(reversed(seen))):
                if self._may_speak_of(mention, side):
                    cost = 0.3 * age + (0.0 if mention.is_elliptic and is_right else 0.2 if is_right and mention.has_pronoun else 0.8)
                    found.append((cost, side))
        return found

    def _unlikely(self, mention: Mention, hop: str, sides: list[FactRef], pointed: list[FactRef]) -> float:
        """A cost where a verb such as "left" fits several hops and this is not the subject's own."""
        if mention.names or mention.relations is None or sum(bool(labels & mention.relations) for labels in self.labels) < 2:
            return 0.0
        if mention.unit in self.rights:
            return 0.2 if pointed and pointed[-1].hop != hop else 0.0
        asked = [side.hop for side, other in zip(sides, self.mentions, strict=False) if other.is_asking]
        opening = self.units[mention.unit].tokens[0].kind
        if self.skeleton.is_chain and opening in ("relation", "start", "end", "auxiliary"):
            # No subject of its own, so that of the question: what the last hop leads to.
            asked = [self.skeleton.hops[-1].name]
        return 0.2 if asked and hop not in asked else 0.0

    def _reference(self, index: int, others: list[frozenset[str]]) -> frozenset[int]:
        facts = self.skeleton.facts[index]
        key = (facts, tuple(others))
        if key not in self.references:
            rows = self.evidence.facts
            self.references[key] = frozenset(
                fact for fact in facts if all(rows[fact][0] in entities or rows[fact][2] in entities for entities in others)
            )
        return self.references[key]

    def _is_at_its_end(self, mention: Mention, hop: Hop, anchor: frozenset[str]) -> bool:
        """Whether the clause's voice lets its name be the fixed end that it is of a hop."""
        name = next(token for token in mention.names if token.entities == anchor)
        ends = [self._ends(mention, name, relation) for relation in hop.relations]
        return any(end.subject if hop.subject.entities else end.object for end in ends)

    def _has_at_its_end(self, mention: Mention, name: Token, fact: int) -> bool:
        subject, relation, object_, _, _ = self.evidence.facts[fact]
        ends = self._ends(mention, name, relation)
        return (ends.subject and subject in name.entities) or (ends.object and object_ in name.entities)

    def _ends(self, mention: Mention, name: Token, relation: str) -> Ends:
        return ends_of_name(self.evidence.relation_labels[relation], name, self.units[mention.unit].tokens, mention.tokens, mention.is_echo)

    def _may_speak_of(self, mention: Mention, side: FactRef) -> bool:
        if mention.is_asking:
            return False
        labels = {normalise_label(self.evidence.relation_labels[self.evidence.facts[fact][1]]) for fact in side.facts}
        return mention.relations is None or bool(labels & mention.relations)

    def _covers(self, sides: list[FactRef]) -> bool:
        """Whether each hop is said with its fixed end, and the question asks for the last one."""
        said: dict[str, set[frozenset[str]]] = {}
        for mention, side in zip(self.mentions, sides, strict=True):
            if side.hop is not None:
                said.setdefault(side.hop, set()).update(name.entities for name in mention.names)
                if mention.relations is not None:
                    said[side.hop].add(frozenset())
        for index, hop in enumerate(self.skeleton.hops):
            if self.skeleton.anchor(index) not in said.get(hop.name, ()):
                return False
        asking = {index for index, unit in enumerate(self.units) if unit.is_asking}
        if any(token.text in ("did", "do", "does") for index in asking for token in self.units[index].tokens):
            # "Which award did the person who founded Acme receive": the verb comes after the relative clause.
            asking |= {index + 1 for index in asking if index + 1 not in self.rights}
        asked = [side for mention, side in zip(self.mentions, sides, strict=True) if mention.unit in asking]
        if not asked:
            return False
        wanted = self.skeleton.hops[-1].name
        return any(side.hop == wanted if self.skeleton.is_chain else side.hop is not None for side in asked)

    # What each connective joins.

    def _choices(self) -> list[list[tuple[float, list[_Claim]]]]:
        """For each connective what it may join, likeliest first."""
        options: list[list[tuple[float, list[_Claim]]]] = []
        for index, unit in enumerate(self.units):
            own = self.by_unit[index]
            for left_unit, connective in unit.shared:
                options.append([(0.0, [_Claim(self.by_unit[left_unit][-1], self._head(own), connective)])])
            if unit.is_mutual:
                lefts = [place for place in self._before(index) if self.mentions[place].unit not in self.rights]
                options.append([(0.2 * rank, [_Claim(left, self._head(own), "same")]) for rank, left in enumerate(lefts)])
            for connective in unit.temporal():
                found = self._joined(index, own, connective, bool({"and", "but"} & set(unit.connectives)))
                options.append(found)
        return options

    def _joined(self, index: int, own: list[int], connective: str, is_coordinated: bool) -> list[tuple[float, list[_Claim]]]:
        if connective in ("then", "prev"):
            lefts = self._before(index)
            return [(0.3 * rank, [_Claim(self._head(own), other, connective)]) for rank, other in enumerate(lefts)]
        found: list[tuple[float, list[_Claim]]] = []
        lefts = self._before(index)
        if is_coordinated and self._is_right_before(index):
            # "after Cruyff joined and before he left": the left side is that of the connective before.
            lefts = [place for place in lefts if self.mentions[place].unit not in self.rights] + [
                place for place in lefts if self.mentions[place].unit in self.rights
            ]
        for rank, left in enumerate(lefts):
            far = 0.5 if self.mentions[left].unit in self.rights and not self._is_all_right(index) else 0.0
            found.append((0.2 * rank + far, [_Claim(place, self._head(own), connective) for place in (left, *self._conjoined(left))]))
        following = [i for i in range(index + 1, len(self.units)) if i not in self.rights]
        if following and "comma" in self.units[following[0]].connectives:
            cost = 0.0 if not lefts else 0.5
            found += [(cost, [_Claim(self._head(self.by_unit[following[0]]), self._head(own), connective)])]
        return found

    def _head(self, places: list[int]) -> int:
        mentions = [self.mentions[place] for place in places]
        return places[head_of(mentions, self.units[mentions[0].unit])]

    def _conjoined(self, left: int) -> list[int]:
        """The verb that shares the left side's adjunct: `started` in "started and finished at Ajax in ..."."""
        mention = self.mentions[left]
        if mention.unit == 0 or self.units[mention.unit].connectives != ["and"]:
            return []
        first = self.units[mention.unit - 1]
        if first.of("name") or mention.unit - 1 in self.rights or not first.of("start", "end", "relation"):
            return []
        return [self._head(self.by_unit[mention.unit - 1])]

    def _is_all_right(self, index: int) -> bool:
        return all(unit in self.rights for unit in range(index))

    def _is_right_before(self, index: int) -> bool:
        return index - 1 in self.rights

    def _before(self, index: int) -> list[int]:
        """Mentions that may be the left side, likeliest first: main clauses backwards, then right sides."""
        mains: list[int] = []
        rights: list[int] = []
        for unit in range(index - 1, -1, -1):
            (rights if unit in self.rights else mains).extend(reversed(self.by_unit[unit]))
        return mains + rights

    # From claims to constraints.

    def _build(self, penalty: float, sides: list[FactRef], claims: list[Spoken], rankings: list[tuple[Ranking, ...]]) -> Iterator[Scored]:
        found = self.builder.queries([*claims, *self._comparatives(sides, claims)], rankings)
        if not found and rankings:
            yield Scored(penalty, None)
        for query in found:
            yield Scored(penalty, query)

    def _comparatives(self, sides: list[FactRef], claims: list[Spoken]) -> Iterator[Spoken]:
        """ "But left earlier": the same comparison as before, with this clause's endpoint."""
        for place, mention in enumerate(self.mentions):
            for token in mention.comparatives:
                aspect = self._aspect(place, sides[place])
                if not claims or (aspect not in ("s", "e") and not self.builder.is_point(sides[place])):
                    raise Unreadable("a comparative without an endpoint or with nothing to compare")
                end = aspect if aspect in ("s", "e") else "s"
                atom = Atom(end, ">" if token.text == "later-end" else "<", end)
                found = spoken(sides[place], claims[-1].said_right, [frozenset({atom})])
                if found is None:
                    raise Unreadable("a comparative with itself")
                yield found

    def _readings(self, claim: _Claim, sides: list[FactRef]) -> list[Reading]:
        left, right = self.mentions[claim.left], self.mentions[claim.right]
        is_point = self.builder.is_point
        own = Side(self._aspect(claim.left, sides[claim.left]), is_point(sides[claim.left]))
        other = Side(self._aspect(claim.right, sides[claim.right]), is_point(sides[claim.right]), right.is_elliptic, right.is_echo)
        if claim.connective == "when" and any(token.text == "had" for token in self.units[left.unit].tokens):
            raise Unreadable("whether it was over by then or under way")
        if left.is_elliptic and left.unit in self.rights and claim.connective not in ("then", "prev"):
            own = own._replace(aspect=None)
        return readings(claim.connective, own, other)

    def _aspect(self, place: int, side: FactRef) -> str | None:
        mention = self.mentions[place]
        if mention.is_elliptic and place > 0 and self.units[mention.unit].connectives == ["and"]:
            # "joined Ajax and Arn": the second name shares the first one's verb.
            return self._aspect(place - 1, side)
        return mention.aspect(self.builder.relations(side))

    def _rankings(self, sides: list[FactRef]) -> list[tuple[Ranking, ...]]:
        return self.builder.rankings(
            [
                (sides[place], self._aspect(place, sides[place]) if token.text.split(":")[1] != "duration" else None, token)
                for place, mention in enumerate(self.mentions)
                for token in mention.orders
            ]
        )
