"""Parses a question's tokens into clauses: nested relative clauses, adjuncts, shared subjects, words that point back.

The parser walks from left to right with the clauses that are open; where English leaves the attachment
open it takes every choice in turn. What it has no rule for it refuses, and the reader by units of
`verifier_reading` is asked instead. Paper: section 4.3.2.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush

from agents.offline.verifier_clauses import ANYTHING, Clause, Parse, Slot
from agents.offline.verifier_lists import spread
from agents.offline.verifier_noun_phrases import PhraseReader
from agents.offline.verifier_tokens import Token, Unreadable
from agents.offline.verifier_walk import MODIFIERS, is_noun, may_be_noun
from agents.offline.verifier_words import SOMEONE

_MOST_PARSES = 64


def parses(tokens: list[Token], points: frozenset[str]) -> Iterator[Parse]:
    """The structures of a question, likeliest first, for each way to attach what English leaves open.

    `points` are the normalised labels of the relations whose facts are points in time.
    """
    tokens = spread(tokens)
    waiting: list[tuple[int, tuple[int, ...]]] = [(0, ())]
    for _ in range(_MOST_PARSES):
        if not waiting:
            return
        parser = _Parser(tokens, points, heappop(waiting)[1])
        try:
            found = parser.parse()
        except Unreadable:
            found = None
        for place in range(len(parser.decisions), len(parser.prices)):
            before = sum(prices[taken] for prices, taken in zip(parser.prices, parser.taken[:place], strict=False))
            for other, price in enumerate(parser.prices[place][1:], start=1):
                heappush(waiting, (before + price, (*parser.taken[:place], other)))
        if found is not None:
            yield found


class _Parser(PhraseReader):
    """Reads a whole question."""

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
