"""Parses a question's tokens into clauses: nested relative clauses, adjuncts, shared subjects, words that point back.

The parser walks from left to right with the clauses that are open; where English leaves the attachment
open it takes every choice in turn. What it has no rule for it refuses, and the reader by units of
`verifier_reading` is asked instead. Paper: section 4.3.2.
"""

from __future__ import annotations

from collections.abc import Iterator

from agents.offline.verifier_clauses import ANYTHING, Clause, Parse, Referent, Slot, is_person_noun, singular
from agents.offline.verifier_tokens import Token, Unreadable
from agents.offline.verifier_walk import MODIFIERS, SOMEONE, Walker, is_noun, may_be_noun

_MOST_PARSES = 24
_REFLEXIVE = frozenset(["itself", "himself", "herself", "themselves"])
_REFUSED = frozenset(["'s", "(", ")", "/", "&", "-", ".", "respectively", "any", "each", "every", "either", "other", "another", "between"])


def _spread(tokens: list[Token]) -> list[Token]:
    """The tokens with "after both X and Y left" as "after X left and after Y left"."""
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        names = [at + 1 + (tokens[at + 1].text == "both")] if token.kind == "connective" and at + 1 < len(tokens) else []
        if names and tokens[names[0] : names[0] + 1] and tokens[names[0]].kind == "name":
            stop = names[0] + 1
            while stop + 1 < len(tokens) and tokens[stop].kind in ("comma", "and"):
                following = stop + 1 + (tokens[stop].kind == "comma" and tokens[stop + 1].kind == "and")
                if following >= len(tokens) or tokens[following].kind != "name":
                    break
                names.append(following)
                stop = following + 1
            if len(names) > 1 and tokens[names[-1] - 1].kind == "and":
                end = stop
                while end < len(tokens) and tokens[end].kind not in ("comma", "and", "connective", "relative"):
                    end += 1
                for name in names:
                    found += [] if name == names[0] else [tokens[names[-1] - 1]]
                    found += [token, tokens[name], *tokens[stop:end]]
                at = end
                continue
        found.append(token)
        at += 1
    return found


def parses(tokens: list[Token], points: frozenset[str]) -> Iterator[Parse]:
    """Every structure of a question, for each way to attach what English leaves open.

    `points` are the normalised labels of the relations whose facts are points in time.
    """
    tokens = _spread(tokens)
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


class _Parser(Walker):
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
            is_named = any(self.referents[place].entities for slot in clause.slots for place in slot.options)
            if not clause.slots or (clause.host is None and not clause.has_verb and not (clause.is_statement and is_named)):
                raise Unreadable("a clause that says nothing")
        return Parse(self.cost, self.clauses, self.referents, self.answer)

    # Beginnings.

    def _begin(self) -> None:
        words = [token.text for token in self.tokens[:2]]
        if words == ["of", "the"]:
            self.at = 2
            nouns = self._nouns(has_article=True)
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
        if self._peek().text in ("did", "do", "does") or self._is_inverted_next():
            clause.gap = slot
        else:
            clause.subject = slot

    def _is_inverted_next(self) -> bool:
        """Whether the verb stands before a subject of its own: "which was that person elected to"."""
        subject = self._peek(1)
        if self._peek().kind != "auxiliary":
            return False
        if subject.kind == "name":
            return any(trigger.is_verb for trigger in self._peek(2).triggers)
        return subject.text in SOMEONE or (subject.text == "that" and is_noun(self._peek(2)))

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
        if self.current is not None and self.current.parent is not None and self.current.is_full:
            parent = self.clauses[self.current.parent]
            if not parent.has_verb:
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
        self._open(parent=None if self.current is None else self.current.place, slots=[slot], subject=slot, head=slot)

    def _coordinate(self) -> None:
        """A verb after a comma or `and`: another clause with the subject of one before."""
        current = self.current
        if current is None:
            raise Unreadable("a verb by itself")
        options = self._around(current if current.host is None else self.clauses[current.host])
        if current.host is not None and not self.has_comma:
            options = [current, *options]
        options = [clause for clause in options if clause.is_statement]
        first = self._choose(options)
        slots = list(dict.fromkeys(slot for slot in (first.subject, first.gap) if slot is not None))
        self._open(
            host=first.host, connective=first.connective, parent=first.parent, slots=slots, subject=first.subject, gap=first.gap,
            lent=[slot for slot in first.slots if slot not in slots], head=first.head, is_joined=True,
        )  # fmt: skip

    def _relative(self, token: Token) -> None:
        word = token.text
        if word == "that" and self._is_noun_next():
            self._point(self._nouns(has_article=True))
            return
        current = self.current
        is_question_word = word in ("who", "which", "what", "whom")
        if self.is_new_question and current is None and self.noun_phrase is None and is_question_word:
            self._ask()
        elif self.has_and and current is not None and word != "where":
            # "someone who ..., and who ...": the same thing is described twice.
            around = self._around(current if current.host is None else self.clauses[current.host])
            is_who = word in ("who", "whom")
            heads = [clause for clause in around if clause.head is not None and (word == "that" or self._is_person(clause.head) == is_who)]
            first = self._choose(heads)
            self._describe(first.head or ANYTHING, first.parent)
        elif self.has_comma:
            self._after_comma(word, is_question_word)
        elif current is not None and current.of("order") and not current.has_verb and self.noun_phrase is None:
            # "which was the last that X flew on": what is ranked is said by this clause.
            current.gap, current.subject = (None, current.subject) if self._is_verb_next() else (current.subject, None)
        elif self.noun_phrase is not None and not self.referents[self.noun_phrase].entities and word != "what":
            self.referents[self.noun_phrase].is_person |= word in ("who", "whom")
            self._describe(Slot((self.noun_phrase,)), None if current is None else current.place)
        else:
            raise Unreadable("a relative clause of nothing")

    def _is_noun_next(self) -> bool:
        """Whether `that` points back: a noun follows."""
        token, following = self._peek(), self._peek(1)
        if token.kind == "other" and token.text in MODIFIERS:
            return is_noun(following)
        return is_noun(token) or (self.noun_phrase is None and may_be_noun(token))

    def _is_person(self, slot: Slot) -> bool:
        return any(self.referents[place].is_person for place in slot.options)

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
        clause = self._open(parent=parent, slots=[slot], head=slot)
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
            self._open(parent=None if current is None else current.place, slots=[slot], gap=slot, head=slot)

    def _point(self, nouns: list[Token], slot: Slot | None = None) -> None:
        self._relative_without_pronoun()
        self._add(slot or self._pointed(nouns))
        self.noun_phrase = None

    def _bare_noun(self, token: Token) -> None:
        if token.text in SOMEONE:
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
        if word in ("those", "these", "this") and is_noun(self._peek()):
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
        if not nouns and self._peek().kind == "name":
            return
        if not nouns:
            raise Unreadable("an article without a noun")
        is_copula = self.current is not None and self.current.is_passive and not self.current.has_verb and self._peek().text == "of"
        is_relation = nouns[-1].kind == "relation" and (is_copula or not nouns[-1].is_weak)
        if is_role or (is_relation and self._peek().kind == "other"):
            # "as a driver", "a flight of X"
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
        if following.kind == "order":
            self._ranked()
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

    def _ranked(self) -> None:
        """ "the third person to leave X": somebody new, unless it is said of who is asked for."""
        current = self.current
        start, self.at = self.at, self.at + 1
        nouns = self._nouns()
        is_clause = self._peek().kind == "relative" or self._peek().text == "to"
        is_new = bool(nouns) and is_clause and current is not None
        if is_new and current is not None and not current.has_verb and current.subject is not None:
            is_new = not any(self._is_kind(self.referents[place], singular(nouns[-1].text)) for place in current.subject.options)
        if not is_new:
            self.at = start
            return
        order = self.tokens[start]
        self._new(nouns)
        if self._peek().text == "to" and self.noun_phrase is not None:
            self.at += 1
            self._describe(Slot((self.noun_phrase,)), None if current is None else current.place)
        else:
            token = self._peek()
            self.at += 1
            self._relative(token)
        if self.current is None or self.current is current:
            raise Unreadable("a rank of nothing")
        self.current.tokens.append(order)

    @staticmethod
    def _is_kind(referent: Referent, noun: str) -> bool:
        return referent.is_called(noun) or not (referent.nouns or referent.is_person or is_person_noun(noun))

    def _predicate(self, nouns: list[Token]) -> None:
        for token in nouns:
            if token.kind == "relation":
                self._word(token)

    def _new(self, nouns: list[Token]) -> None:
        here = self._introduce(nouns)
        self._add(Slot((here,)))
        if (
            self.current is not None
            and not self.current.has_verb
            and any(token.text in ("had", "has", "have") for token in self.current.tokens)
        ):
            # "a team that had a player who ...": the noun says what they have to do with one another.
            self.current.tokens += [token for token in nouns if token.kind == "relation"]
        self.noun_phrase = here

    # Adjuncts.

    def _adjunct(self, token: Token) -> None:
        host = self._host()
        if token.text in ("then", "prev") or not host.is_statement:
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
        # "a mission that X flew on, on the day ...": the comma may only part two prepositions, or lead out of the innermost clause.
        return self._choose([*around[1:2], current, *around[2:]], is_even=True)

    def _is_event(self, clause: Clause) -> bool:
        """Whether it speaks of a point in time, or of one end of a fact."""
        triggers = [trigger for token in clause.of("relation") for trigger in token.triggers]
        return bool(clause.of("start", "end")) or any(trigger.aspect or trigger.relation in self.points for trigger in triggers)
