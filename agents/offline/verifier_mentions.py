"""Mentions of facts in the units of a question: which relation, which names, which endpoint, which rank.

A unit mentions one fact for each relation that its words name ("the spouse of X received" mentions
two); a unit without such a word mentions a fact elliptically ("before Cruyff did"). Paper: section 4.3.2.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush

from agents.offline.verifier_tokens import Token, Unit, Unreadable
from agents.offline.verifier_words import ARTICLES, PRONOUNS

_MOST = 64
_APART = 0.6
_FURTHER = 0.05
_NOUN_APART = 0.3
_SUBJECT_APART = 0.05
_VERBS_APART = 0.3


@dataclass
class Mention:
    """Words about one fact."""

    unit: int
    relations: frozenset[str] | None
    """Normalised labels that its words may name; `None` where no word names a relation."""
    tokens: list[Token] = field(default_factory=list)
    """Relation words."""
    names: list[Token] = field(default_factory=list)
    general: frozenset[str] = frozenset()
    """Endpoints named by words such as `began`: `s`, `e`, `b`."""
    orders: list[Token] = field(default_factory=list)
    comparatives: list[Token] = field(default_factory=list)
    is_elliptic: bool = False
    """No word names a relation, an endpoint or a spell."""
    is_echo: bool = False
    """Elliptic with an auxiliary: `he did`."""
    has_pronoun: bool = False
    is_asking: bool = False
    is_bound: bool = False
    """Whether it is a name right after a verb that is another mention's."""

    def aspect(self, relations: frozenset[str]) -> str | None:
        """The endpoint named for a fact of these relations; `None` for the whole.

        Raises:
            Unreadable: its words name both ends in one breath.
        """
        found = {trigger.aspect for token in self.tokens for trigger in token.triggers if trigger.relation in relations}
        # One word may mean a whole and an endpoint ("took over", "serve"): the endpoint was said.
        ends = (found | self.general) - {None}
        if len(ends) > 1:
            own = [{trigger.aspect for trigger in token.triggers if trigger.relation in relations} - {None} for token in self.tokens]
            clear = {next(iter(aspects)) for aspects in own if len(aspects) == 1} | self.general
            if len(clear) != 1:
                raise Unreadable("two endpoints in one clause")
            return next(iter(clear))
        return next(iter(ends), None)


def mentions_of(units: list[Unit]) -> Iterator[tuple[float, list[Mention]]]:
    """The mentions in order of units, for every way to give names to them, with its penalty, likeliest first."""
    options = [_unit_mentions(index, unit) for index, unit in enumerate(units)]
    start = (0,) * len(options)
    waiting = [(sum(found[0][0] for found in options), start)]
    seen = {start}
    for _ in range(_MOST):
        if not waiting:
            return
        cost, choice = heappop(waiting)
        yield cost, [mention for found, place in zip(options, choice, strict=True) for mention in found[place][1]]
        for unit, place in enumerate(choice):
            following = (*choice[:unit], place + 1, *choice[unit + 1 :])
            if place + 1 < len(options[unit]) and following not in seen:
                seen.add(following)
                heappush(waiting, (cost + options[unit][place + 1][0] - options[unit][place][0], following))


def _unit_mentions(index: int, unit: Unit) -> list[tuple[float, list[Mention]]]:
    groups = _groups(unit.of("relation"))
    general = frozenset({"start": "s", "end": "e", "both": "b"}[token.kind] for token in unit.of("start", "end", "both"))
    names = unit.of("name")
    if not groups:
        auxiliaries = [token for token in unit.of("auxiliary") if token.text in ("did", "do", "does", "had", "has", "have")]
        is_elliptic = not general and not unit.of("spell", "order", "comparative")
        mention = Mention(index, None, [], names, general, unit.of("order"), unit.of("comparative"), is_elliptic)
        mention.is_echo = is_elliptic and bool(auxiliaries)
        mention.has_pronoun = any(token.text in PRONOUNS for token in unit.tokens)
        mention.is_asking = unit.is_asking
        return [(0.0, [mention])]
    options = _owned(index, unit, groups)
    verbs = _groups(verbs_of(unit))
    if verbs and [labels for labels, _ in verbs] != [labels for labels, _ in groups]:
        # "the player entered the hall": the noun need not speak of the verb's fact.
        first_verb = min(token.place for _, members in verbs for token in members)
        nouns = [token for token in unit.of("relation") if token not in verbs_of(unit)]
        apart = _SUBJECT_APART if all(token.place < first_verb for token in nouns) else _NOUN_APART
        options += [(cost + apart, mentions) for cost, mentions in _owned(index, unit, verbs)]
    spoken = [token for token in verbs_of(unit) if not token.is_weak]
    if len(spoken) > len(_groups(spoken)):
        # "the band that a member of it joined played": two verbs of one relation may speak of two facts.
        single = [group for token in spoken for group in _groups([token])]
        options += [(cost + _VERBS_APART, mentions) for cost, mentions in _owned(index, unit, single)]
    options.sort(key=lambda option: option[0])
    return options


def verbs_of(unit: Unit) -> list[Token]:
    """The relation words of a unit that can be verbs."""
    return [token for token in unit.of("relation") if any(trigger.is_verb for trigger in token.triggers)]


def _groups(tokens: list[Token]) -> list[tuple[frozenset[str], list[Token]]]:
    """Words that can speak of one relation together, with the relations that they leave open."""
    groups: list[tuple[frozenset[str], list[Token]]] = []
    for token in sorted(tokens, key=lambda token: token.is_weak):
        labels = frozenset(trigger.relation for trigger in token.triggers)
        for place, (known, members) in enumerate(groups):
            if known & labels:
                groups[place] = (known & labels, [*members, token])
                break
        else:
            # "become", "serve" and the like name a relation only where no other word does.
            if not token.is_weak or not groups:
                groups.append((labels, [token]))
    return groups


def _owned(index: int, unit: Unit, groups: list[tuple[frozenset[str], list[Token]]]) -> list[tuple[float, list[Mention]]]:
    """The mentions of a unit for every way to share out its names among them."""
    names = unit.of("name")
    options = []
    for owners in itertools.product(range(len(groups) + 1), repeat=len(names)):
        cost = 0.0
        mentions = [Mention(index, labels, members, is_asking=unit.is_asking) for labels, members in groups]
        apart: list[Mention] = []
        for name, owner in zip(names, owners, strict=True):
            if owner == len(groups):
                # "a spell at Ajax", "one of Tom's teams": a name may mention a fact of its own.
                apart.append(Mention(index, None, [], [name], is_asking=unit.is_asking, is_bound=_follows_verb(name, unit, groups)))
                cost += _APART
                continue
            mentions[owner].names.append(name)
            gaps = [min(abs(name.place - token.place) for token in members) for _, members in groups]
            cost += _FURTHER * (gaps[owner] - min(gaps))
        for token in unit.of("start", "end", "both"):
            _nearest(mentions, token, unit).general |= {{"start": "s", "end": "e", "both": "b"}[token.kind]}
        for token in unit.of("order"):
            _nearest(mentions, token, unit).orders.append(token)
        for token in unit.of("comparative"):
            _nearest(mentions, token, unit).comparatives.append(token)
        for mention in mentions:
            mention.has_pronoun = any(token.text in PRONOUNS for token in unit.tokens)
        options.append((cost, [*mentions, *apart]))
    return options


def _follows_verb(name: Token, unit: Unit, groups: list[tuple[frozenset[str], list[Token]]]) -> bool:
    """Whether it stands right after a verb, or after its "by"."""
    before = [token for token in unit.tokens if token.place < name.place and token.text not in (*ARTICLES, "by")]
    return bool(before) and before[-1] in verbs_of(unit) and any(before[-1] in members for _, members in groups)


def head_of(mentions: list[Mention], unit: Unit) -> int:
    """The mention that a unit is about: its first verb other than "founded by X" after a noun, else its last noun."""
    spoken = [place for place, mention in enumerate(mentions) if mention.tokens]
    verbs = [place for place in spoken if any(trigger.is_verb for token in mentions[place].tokens for trigger in token.triggers)]
    by = {token.place - 1 for token in unit.tokens if token.text == "by"}
    main = [place for place in verbs if not any(token.place in by for token in mentions[place].tokens)]
    return (main or verbs)[0] if verbs else spoken[-1] if spoken else 0


def _nearest(mentions: list[Mention], token: Token, unit: Unit) -> Mention:
    """The mention that the word modifies: the noun right after it, else the verb of a ranked noun, else the nearest."""
    place = next((place for place, other in enumerate(unit.tokens) if other is token), len(unit.tokens))
    following = unit.tokens[place + 1 : place + 2]
    if token.kind == "order" and len(mentions) > 1 and not (following and following[0].kind == "relation"):
        return mentions[head_of(mentions, unit)]
    after = [(t.place, i) for i, mention in enumerate(mentions) for t in mention.tokens if t.place > token.place]
    before = [(-t.place, i) for i, mention in enumerate(mentions) for t in mention.tokens if t.place < token.place]
    return mentions[min(after or before)[1]]
