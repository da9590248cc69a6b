"""Verbs, noun phrases and pronouns of the parser: what each does to the clauses that are open.

A noun phrase brings in something new, points back, or only says what role a clause speaks of. Paper:
section 4.3.2.
"""

from __future__ import annotations

from agents.offline.verifier_clauses import ANYTHING, Referent, Slot, is_person_noun, singular
from agents.offline.verifier_tokens import Token, Unreadable
from agents.offline.verifier_walk import Walker, is_noun
from agents.offline.verifier_words import SOMEONE

_REFLEXIVE = frozenset(["itself", "himself", "herself", "themselves"])
_REFUSED = frozenset(["'s", "(", ")", "/", "&", "-", ".", "respectively", "any", "each", "every", "either", "other", "another", "between"])


class PhraseReader(Walker):
    """Reads one word or noun phrase at a time."""

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

    def _is_verb_next(self) -> bool:
        return self._peek().kind in ("relation", "start", "end", "auxiliary", "both")

    def _describe(self, slot: Slot, parent: int | None) -> None:
        clause = self._open(parent=parent, slots=[slot], head=slot)
        if self._is_verb_next():
            clause.subject = slot
        else:
            clause.gap = slot

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
            self._refuse_late_doer()
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
        if self.noun_phrase is not None:
            self.at += 1
            self._describe(Slot((self.noun_phrase,)), None if current is None else current.place)
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

    def _refuse_late_doer(self) -> None:
        """ "Won after his time there by someone who ...": the doer is not the adjunct's."""
        if self.current is not None and self.current.host is not None and self.current.is_by:
            raise Unreadable("a doer after an adjunct")

    def _new(self, nouns: list[Token]) -> None:
        self._refuse_late_doer()
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
