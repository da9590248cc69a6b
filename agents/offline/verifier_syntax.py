"""Parses a question's tokens into clauses: nested relative clauses, adjuncts, shared subjects, words that point back.

The parser walks from left to right with the clauses that are open; where English leaves the attachment
open it takes every choice in turn. What it has no rule for it refuses, and the reader by units of
`verifier_reading` is asked instead. Paper: section 4.3.2.
"""

from __future__ import annotations

from collections.abc import Iterator

from agents.offline.verifier_clauses import ANYTHING, Clause, Parse, Referent, Slot, is_person_noun, singular
from agents.offline.verifier_tokens import Token, Unreadable
from agents.offline.verifier_words import TYPES

_MOST_PARSES = 24
_SOMEONE = frozenset(["someone", "somebody", "anyone", "anybody"])
_REFLEXIVE = frozenset(["itself", "himself", "herself", "themselves"])
_REFUSED = frozenset(["'s", "(", ")", "/", "&", "-", ".", "respectively", "any", "each", "every", "either", "other", "another", "between"])
_MODIFIERS = frozenset(["larger", "other", "same"])
_END = Token("", "", -1)


def parses(tokens: list[Token], points: frozenset[str]) -> Iterator[Parse]:
    """Every structure of a question, for each way to attach what English leaves open.

    `points` are the normalised labels of the relations whose facts are points in time.
    """
    waiting: list[tuple[int, ...]] = [()]
    for _ in range(_MOST_PARSES):
        if not waiting:
            return
        parser = _Parser(tokens, points, waiting.pop(0))
        try:
            found = parser.parse()
        except Unreadable:
            found = None
        for place in range(len(parser.decisions), len(parser.counts)):
            waiting += [(*parser.taken[:place], other) for other in range(1, parser.counts[place])]
        if found is not None:
            yield found


def _is_noun(token: Token) -> bool:
    if token.kind == "type":
        return token.text not in _SOMEONE
    is_verb = any(trigger.is_verb for trigger in token.triggers)
    return token.kind == "relation" and not token.text.endswith("ed") and (not is_verb or token.text in TYPES)


class _Parser:
    def __init__(self, tokens: list[Token], points: frozenset[str], decisions: tuple[int, ...]) -> None:
        self.tokens = tokens
        self.points = points
        self.decisions = decisions
        self.counts: list[int] = []
        self.taken: list[int] = []
        self.cost = 0.0
        self.at = 0
        self.clauses: list[Clause] = []
        self.referents: list[Referent] = []
        self.current: Clause | None = None
        self.topic: int | None = None
        self.answer: int | None = None
        self.noun_phrase: int | None = None
        """The referent whose noun phrase ends right here."""
        self.has_comma = self.has_and = self.is_asked = self.is_new_question = False

    def parse(self) -> Parse:
        """The structure, with the choices given and the first one wherever none is."""
        self._begin()
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            self.at += 1
            self._read(token)
        if self.answer is None or not self.is_asked or self.has_comma or self.has_and:
            raise Unreadable("no question")
        for clause in self.clauses:
            if not clause.slots or (clause.host is None and not clause.has_verb):
                raise Unreadable("a clause that says nothing")
        return Parse(self.cost, self.clauses, self.referents, self.answer)

    # Help.

    def _peek(self, ahead: int = 0) -> Token:
        place = self.at + ahead
        return self.tokens[place] if place < len(self.tokens) else _END

    def _previous(self) -> str:
        return self.tokens[self.at - 2].text if self.at >= 2 else ""

    def _choose(self, options: list[Clause], is_even: bool = False) -> Clause:
        """One of some clauses, likeliest first; each further one costs more, but for a second that is as good."""
        if not options:
            raise Unreadable("nothing to attach to")
        place = len(self.counts)
        taken = self.decisions[place] if place < len(self.decisions) else 0
        self.counts.append(len(options))
        self.taken.append(taken)
        self.cost += max(0, taken - is_even)
        return options[taken]

    def _open(self, **known: object) -> Clause:
        clause = Clause(len(self.clauses), **known)  # type: ignore[arg-type]
        self.clauses.append(clause)
        self.current = clause
        self.noun_phrase = None
        self.has_comma = self.has_and = False
        return clause

    def _around(self, clause: Clause | None) -> list[Clause]:
        """The clauses in which a clause stands, itself first."""
        found = []
        while clause is not None:
            found.append(clause)
            clause = None if clause.parent is None else self.clauses[clause.parent]
        return found

    def _add(self, slot: Slot) -> None:
        if self.current is None or self.has_comma or self.has_and:
            raise Unreadable("a participant without a clause")
        self.current.take(slot)

    def _nouns(self, has_article: bool = False) -> list[Token]:
        """The nouns of a noun phrase from here on; after an article, a word that may be a noun is one."""
        found: list[Token] = []
        while True:
            token, following = self._peek(), self._peek(1)
            if found and any(trigger.is_verb for trigger in token.triggers):
                return found
            if _is_noun(token) or (has_article and not found and any(not trigger.is_verb for trigger in token.triggers)):
                found.append(token)
            elif not (token.kind == "other" and _is_noun(following) and (token.text in _MODIFIERS or self._is_link(token, found))):
                return found
            self.at += 1

    @staticmethod
    def _is_link(token: Token, found: list[Token]) -> bool:
        """Whether it joins two nouns to one name of a kind: "series of events"."""
        return token.text in ("of", "or") and bool(found) and found[-1].kind == "type"

    def _introduce(self, nouns: list[Token], is_person: bool = False) -> int:
        words = frozenset(singular(token.text) for token in nouns)
        self.referents.append(Referent(words, is_person=is_person or any(is_person_noun(word) for word in words)))
        return len(self.referents) - 1

    def _variables(self) -> list[int]:
        return [place for place, referent in enumerate(self.referents) if not referent.entities]

    def _pointed(self, nouns: list[Token]) -> Slot:
        """What "that team" or "such a team" may point back to: what was called so, and not the question's own topic."""
        known = self._variables()
        called = [place for place in known if self.referents[place].is_called(singular(nouns[-1].text))] if nouns else []
        options = called or known
        others = [place for place in options if place != self.answer]
        if not options:
            raise Unreadable("nothing to point back to")
        return Slot(tuple(others or options))

    # Beginnings.

    def _begin(self) -> None:
        words = [token.text for token in self.tokens[:2]]
        if words == ["of", "the"]:
            self.at = 2
            nouns = self._nouns()
            if not nouns:
                raise Unreadable("no topic")
            self.topic = self.answer = self.noun_phrase = self._introduce(nouns)
        elif words and words[0] in ("who", "which", "what", "whom"):
            self.at = 1
            self._ask()
        else:
            raise Unreadable("another kind of question")

    def _ask(self) -> None:
        """The clause of the question word, which was just read."""
        if self.is_asked:
            raise Unreadable("two questions")
        self.is_asked = True
        is_who = self.tokens[self.at - 1].text in ("who", "whom")
        nouns = self._nouns()
        if self._peek().text == "of":
            raise Unreadable("which of them")
        if self.topic is None or nouns or self.is_new_question:
            self.answer = self._introduce(nouns, is_who)
        else:
            self.answer = self.topic
            self.referents[self.topic].is_person |= is_who
        slot = Slot((self.answer,))
        clause = self._open(slots=[slot], is_joined=True)
        if self._peek().text in ("did", "do", "does"):
            clause.gap = slot
        else:
            clause.subject = slot

    # One token.

    def _read(self, token: Token) -> None:
        kind = token.kind
        if token.text == "take" and self.has_comma and [self._peek(ahead).text for ahead in (0, 1)] == ["the", "one"]:
            self._begin_anew()
        elif kind == "comma":
            self.has_comma = True
            self.noun_phrase = None
        elif kind == "and":
            self.has_and = True
        elif kind == "connective":
            self._adjunct(token)
        elif kind == "relative":
            self._relative(token)
        elif kind == "name":
            self._name(token)
        elif kind == "type":
            self._bare_noun(token)
        elif kind == "pronoun":
            self._pronoun(token)
        elif kind == "other":
            self._other(token)
        else:
            self._word(token)

    def _word(self, token: Token) -> None:
        """A word that says something: a verb, a predicate noun, an endpoint, a rank."""
        if self.has_comma or self.has_and:
            if token.kind in ("order", "spell"):
                raise Unreadable("a rank by itself")
            self._coordinate()
        elif self.noun_phrase is not None:
            self._after_noun_phrase(token)
        if self.current is None:
            raise Unreadable("a word without a clause")
        self.current.tokens.append(token)
        self.noun_phrase = None

    def _after_noun_phrase(self, token: Token) -> None:
        is_verb = any(trigger.is_verb for trigger in token.triggers) or token.kind in ("start", "end", "auxiliary")
        if not is_verb:
            return
        while self.current is not None and self.current.parent is not None and self.current.is_full:
            parent = self.clauses[self.current.parent]
            if parent.has_verb:
                break
            # "the team that X played for won": the verb goes on with the clause around.
            self.current = parent
            return
        here = self.noun_phrase
        if here is None or token.kind == "auxiliary" or (self.current is not None and not self.current.has_verb):
            return
        if self.referents[here].entities:
            raise Unreadable("a second verb after a name")
        # "a team coached by X"
        slot = Slot((here,))
        self._open(parent=None if self.current is None else self.current.place, slots=[slot], subject=slot)

    def _coordinate(self) -> None:
        """A verb after a comma or `and`: another clause with the subject of one before."""
        current = self.current
        if current is None:
            raise Unreadable("a verb by itself")
        options = self._around(current if current.host is None else self.clauses[current.host])
        if current.host is not None and not self.has_comma:
            options = [current, *options]
        options = [clause for clause in options if clause.has_verb]
        first = self._choose(options)
        slots = list(dict.fromkeys(slot for slot in (first.subject, first.gap) if slot is not None))
        self._open(
            host=first.host, connective=first.connective, parent=first.parent, slots=slots, subject=first.subject, gap=first.gap,
            lent=[slot for slot in first.slots if slot not in slots], is_joined=True,
        )  # fmt: skip

    def _relative(self, token: Token) -> None:
        word = token.text
        if word == "that" and (_is_noun(self._peek()) or (self._peek().text in _MODIFIERS and _is_noun(self._peek(1)))):
            self._point(self._nouns())
            return
        current = self.current
        is_question_word = word in ("who", "which", "what", "whom")
        if self.is_new_question and current is None and self.noun_phrase is None and is_question_word:
            self._ask()
        elif self.has_comma:
            self._after_comma(word, is_question_word)
        elif self.has_and and current is not None:
            options = [c for c in self._around(current if current.host is None else self.clauses[current.host]) if c.parent is not None]
            first = self._choose(options)
            self._describe(first.slots[0], first.parent)
        elif current is not None and current.of("order") and not current.has_verb and self.noun_phrase is None:
            # "which was the last that X flew on": what is ranked is said by this clause.
            current.gap, current.subject = (None, current.subject) if self._is_verb_next() else (current.subject, None)
        elif self.noun_phrase is not None and not self.referents[self.noun_phrase].entities and word != "what":
            self.referents[self.noun_phrase].is_person |= word in ("who", "whom")
            self._describe(Slot((self.noun_phrase,)), None if current is None else current.place)
        else:
            raise Unreadable("a relative clause of nothing")

    def _after_comma(self, word: str, is_question_word: bool) -> None:
        if word == "where":
            self._open(is_joined=True)
        elif self.topic is not None and is_question_word and not self.is_new_question:
            self._ask()
        elif word in ("who", "which"):
            self._describe(Slot(tuple(self._variables())), None)
        else:
            raise Unreadable("a loose relative clause")

    def _is_verb_next(self) -> bool:
        return self._peek().kind in ("relation", "start", "end", "auxiliary", "both")

    def _describe(self, slot: Slot, parent: int | None) -> None:
        clause = self._open(parent=parent, slots=[slot])
        if self._is_verb_next():
            clause.subject = slot
        else:
            clause.gap = slot

    # Noun phrases.

    def _name(self, token: Token) -> None:
        if self.has_comma or self.has_and:
            raise Unreadable("a list of names")
        self._relative_without_pronoun()
        same = [place for place, referent in enumerate(self.referents) if referent.entities == token.entities]
        if not same:
            self.referents.append(Referent(frozenset(), token.entities))
        place = same[0] if same else len(self.referents) - 1
        self._add(Slot((place,)))
        self.noun_phrase = place

    def _relative_without_pronoun(self) -> None:
        """ "the team X joined": a noun phrase right after another begins a relative clause."""
        here, current = self.noun_phrase, self.current
        if here is not None and not self.referents[here].entities and (current is None or current.has_verb):
            slot = Slot((here,))
            self._open(parent=None if current is None else current.place, slots=[slot], gap=slot)

    def _point(self, nouns: list[Token], slot: Slot | None = None) -> None:
        self._relative_without_pronoun()
        self._add(slot or self._pointed(nouns))
        self.noun_phrase = None

    def _bare_noun(self, token: Token) -> None:
        if token.text in _SOMEONE:
            here = self._introduce([token], is_person=True)
            self._add(Slot((here,)))
            self.noun_phrase = here
        elif self.current is not None and self.current.host is not None and not self.current.tokens and not self.current.slots:
            # "in the year that person left": the phrase of time has swallowed the pronoun.
            self.at -= 1
            self._point(self._nouns())
        else:
            self.noun_phrase = None

    def _pronoun(self, token: Token) -> None:
        word = token.text
        if word in ("those", "these", "this") and _is_noun(self._peek()):
            self._point(self._nouns())
        elif word == "those" and self.topic is not None and not self.is_asked:
            self.noun_phrase, self.current, self.has_comma = self.topic, None, False
        elif word in ("one", "ones", "those", "these", "this"):
            raise Unreadable("one of several")
        elif word not in _REFLEXIVE:
            if self.has_comma or self.has_and or self.current is None:
                raise Unreadable("a pronoun that begins a clause")
            if self.current.host is not None and not self.current.slots:
                self.current.take(ANYTHING)
            else:
                self.current.slots.append(ANYTHING)
            self.noun_phrase = None

    def _other(self, token: Token) -> None:
        word = token.text
        if word in ("a", "an"):
            self._indefinite()
        elif word == "the":
            self._definite()
        elif word == "such":
            self.at += self._peek().text in ("a", "an")
            nouns = self._nouns()
            if not nouns:
                raise Unreadable("such")
            self._point(nouns)
        elif word == ":":
            self._begin_anew()
        elif word == "considering" and self.has_comma and self.topic is not None and not self.is_asked:
            self.has_comma, self.current = False, None
        elif word in _REFUSED:
            raise Unreadable(word)
        elif word == "by" and self.current is not None:
            self.current.is_by = True
            self.noun_phrase = self.noun_phrase if self._peek().text in ("which", "whom") else None
        elif self._peek().kind != "relative" or self._peek().text not in ("which", "whom"):
            self.noun_phrase = None

    def _begin_anew(self) -> None:
        """ "Of the Xs, take the one that ...: who ...?": the question proper is about something else than the topic."""
        if self.topic is None or self.is_asked:
            raise Unreadable("a sign or an order out of place")
        self.is_new_question, self.current, self.noun_phrase, self.has_comma = True, None, None, False

    def _indefinite(self) -> None:
        is_role = self._previous() == "as"
        nouns = self._nouns(has_article=True)
        if not nouns:
            raise Unreadable("an article without a noun")
        strong = nouns[-1].kind == "relation" and not nouns[-1].is_weak
        if is_role or (strong and self._peek().kind != "relative"):
            self._predicate(nouns)
        else:
            self._new(nouns)

    def _definite(self) -> None:
        is_role = self._previous() == "as"
        following = self._peek()
        if following.text == "one" and self.topic is not None and self.is_new_question:
            self.at += 1
            self.noun_phrase, self.current = self.topic, None
            return
        is_pointing = following.text in ("other", "same")
        nouns = self._nouns(has_article=True)
        if not nouns:
            return
        if is_pointing:
            self._point(nouns)
        elif is_role or (nouns[-1].kind == "relation" and self._peek().kind == "other"):
            self._predicate(nouns)
        elif self._peek().kind == "relative":
            self._new(nouns)
        elif any(self.referents[place].is_called(singular(nouns[-1].text)) for place in self._variables()):
            self._point(nouns)
        elif nouns[-1].kind == "relation" and not nouns[-1].is_weak:
            self._predicate(nouns)
        else:
            raise Unreadable("an unknown thing")

    def _predicate(self, nouns: list[Token]) -> None:
        for token in nouns:
            if token.kind == "relation":
                self._word(token)

    def _new(self, nouns: list[Token]) -> None:
        here = self._introduce(nouns)
        self._add(Slot((here,)))
        self.noun_phrase = here

    # Adjuncts.

    def _adjunct(self, token: Token) -> None:
        host = self._host()
        if token.text in ("then", "prev") or not host.has_verb:
            raise Unreadable("an adjunct of nothing")
        if token.text == "when" and any(other.text == "had" for other in host.tokens):
            raise Unreadable("whether it was over by then or under way")
        clause = self._open(host=host.place, connective=token.text)
        following = self._peek()
        if following.text in ("being", "having") or (following.kind in ("relation", "start", "end") and following.text.endswith("ing")):
            # "before joining Y": the subject is the host's.
            slots = [host.subject, *host.slots] if host.subject is not None else host.slots
            clause.take(Slot(tuple(dict.fromkeys(place for slot in slots for place in slot.options))))

    def _host(self) -> Clause:
        current = self.current
        if current is None:
            raise Unreadable("an adjunct before its clause")
        if current.host is not None:
            if not (self.has_comma or self.has_and):
                raise Unreadable("an adjunct of an adjunct")
            return self.clauses[current.host]
        if self.has_and:
            raise Unreadable("an adjunct after `and`")
        around = self._around(current)
        if not self.has_comma or current.is_joined:
            events = [clause for clause in around if self._is_event(clause)]
            if not events or events[0] is current:
                return self._choose(around)
            # "became coach of a team that X played for before ...": only one of them happens at some time.
            return self._choose([current, events[0]], is_even=True)
        # "a mission that X flew on, on the day ...": the comma says that it is not the innermost clause.
        return self._choose([*around[1:], current])

    def _is_event(self, clause: Clause) -> bool:
        """Whether it speaks of a point in time, or of one end of a fact."""
        triggers = [trigger for token in clause.of("relation") for trigger in token.triggers]
        return bool(clause.of("start", "end")) or any(trigger.aspect or trigger.relation in self.points for trigger in triggers)
