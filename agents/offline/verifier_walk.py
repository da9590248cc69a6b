"""What a parser of a question needs to walk over its tokens: the open clauses, noun phrases, and what a choice costs.

Paper: section 4.3.2.
"""

from __future__ import annotations

from agents.offline.verifier_clauses import Clause, Referent, Slot, is_person_noun, singular
from agents.offline.verifier_inflection import PAST
from agents.offline.verifier_tokens import Token, Unreadable
from agents.offline.verifier_words import SOMEONE, TYPES

MODIFIERS = frozenset(["larger", "other", "same"])
_END = Token("", "", -1)


def is_noun(token: Token) -> bool:
    """Whether a word is a noun wherever it stands."""
    if token.kind == "type":
        return token.text not in SOMEONE
    is_verb = any(trigger.is_verb for trigger in token.triggers)
    return token.kind == "relation" and not _is_past(token) and (not is_verb or token.text in TYPES)


def may_be_noun(token: Token) -> bool:
    """Whether a word may be a noun, as after an article."""
    return is_noun(token) or (not _is_past(token) and any(not trigger.is_verb for trigger in token.triggers))


def _is_past(token: Token) -> bool:
    return token.text.endswith("ed") or token.text in PAST


class Walker:
    """A walk over the tokens of a question with one choice for each attachment that English leaves open."""

    def __init__(self, tokens: list[Token], points: frozenset[str], decisions: tuple[int, ...]) -> None:
        self.tokens = tokens
        self.points = points
        self.decisions = decisions
        self.prices: list[list[int]] = []
        """What each option of each choice costs."""
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

    def _peek(self, ahead: int = 0) -> Token:
        place = self.at + ahead
        return self.tokens[place] if place < len(self.tokens) else _END

    def _previous(self) -> str:
        return self.tokens[self.at - 2].text if self.at >= 2 else ""

    def _choose(self, options: list[Clause], is_even: bool = False) -> Clause:
        """One of some clauses, likeliest first; each further one costs more, but for a second that is as good."""
        if not options:
            raise Unreadable("nothing to attach to")
        place = len(self.prices)
        taken = self.decisions[place] if place < len(self.decisions) else 0
        self.prices.append([max(0, rank - is_even) for rank in range(len(options))])
        self.taken.append(taken)
        self.cost += self.prices[-1][taken]
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
            if found and self._is_inverted() and any(trigger.is_verb for trigger in token.triggers):
                # "did that person work": the verb is still to come.
                return found
            if found and found[-1].kind == "type" and token.kind == "relation" and self._is_after_copula():
                # "which was that person head coach of": what the person was is still to come.
                return found
            if is_noun(token) or (has_article and may_be_noun(token)):
                found.append(token)
            elif not (
                token.kind == "other"
                and (is_noun(following) or (has_article and may_be_noun(following)))
                and (token.text in MODIFIERS or self._is_link(token, found, has_article))
            ):
                return found
            self.at += 1

    def _is_inverted(self) -> bool:
        return self.current is not None and not self.current.has_verb and any(t.text in ("did", "do", "does") for t in self.current.tokens)

    def _is_after_copula(self) -> bool:
        current = self.current
        is_asked = current is not None and current.gap is not None and not current.has_verb
        return is_asked and current is not None and current.is_passive and not current.slots[1:]

    @staticmethod
    def _is_link(token: Token, found: list[Token], has_article: bool) -> bool:
        """Whether it joins two nouns to one name of a kind: "series of events", "head of government"."""
        return token.text in ("of", "or") and bool(found) and (found[-1].kind == "type" or (has_article and not found[-1].is_weak))

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
