"""Forms of question: how facts and conditions become one English sentence.

A *star* asks for the one variable of all its facts; a *chain* walks from a name over someone or
something in between. Where a condition could attach to two clauses the question takes the form
`Of the ..., which ...?`; a rank that must be taken before the walk goes on comes first, as
`Of the ..., take the ...: which ...?`.
"""

from __future__ import annotations

import re

from agents.offline.antecedents import ENTITY
from agents.offline.clauses import (
    GAP,
    Clauses,
    Condition,
    Told,
    ask,
    conditions_of,
    put,
    question_word,
    relative,
    some,
    tell,
    that,
    the_one,
    those,
    which_of,
)
from agents.offline.english import indefinite, listed
from agents.offline.template_reader import Asked, Name, Ordinal, Pairwise, Variable
from agents.offline.words import ANYONE, Noun

_POINTING = re.compile(r"\b(?:that|that other|the other|such a) one\b")
_POINTING_BY_NOUN = re.compile(r"\b(?:that|that other|the other|such an) entity\b")


def compose(asked: Asked, plain: bool) -> str:
    """The question as one sentence, in which no variable is spoken of again by a word that may mean something else."""
    text = _said(asked, plain, frozenset())
    for letter in "ZYX" if _POINTING.search(text) else "":
        # One variable of a question is "that entity"; what is still left is told by its description.
        with_noun = _said(asked, plain, frozenset(letter))
        if _POINTING_BY_NOUN.search(with_noun):
            text = with_noun
            break
    return text[:1].upper() + text[1:] + "?"


def _said(asked: Asked, plain: bool, again: frozenset[str]) -> str:
    clauses = Clauses(asked, plain, again)
    return _Chain(asked, clauses).question() if len(asked.stages) > 1 else _Star(asked, clauses).question()


class _Star:
    """One variable in all facts: `A -> B` and `C <- A -> B`."""

    def __init__(self, asked: Asked, clauses: Clauses) -> None:
        self.variable = asked.variable
        self.say = clauses
        stage = asked.stages[0]
        self.facts = [tell(fact) for fact in stage.facts]
        self.ordinal = stage.ordinal
        self.conditions = [part for pair in stage.pairwise for part in conditions_of(pair, self._focus(pair))]
        self.noun = clauses.noun(asked.variable)

    def _is_agent(self, told: Told) -> bool:
        return told.agent == self.variable

    def _focus(self, pair: Pairwise) -> Told:
        """Which of a constraint's two facts the other is told to be before or after."""
        left, right = tell(pair.left), tell(pair.right)
        if pair.right.number == 0:
            return left
        if self._is_agent(left) != self._is_agent(right):
            return right if self._is_agent(left) else left
        return min((left, right), key=lambda told: len({part.comparison.moment for part in conditions_of(pair, told)}))

    def question(self) -> str:
        spoken = [part.told for part in self.conditions]
        named = spoken + [part.other for part in self.conditions]
        alone = [told for told in self.facts if told not in named]
        if all(self._is_agent(told) for told in self.facts):
            return self._agent_question(alone)
        return self._mixed_question(alone)

    def _agent_question(self, alone: list[Told]) -> str:
        many = len(alone) + len({(part.told, part.comparison.moment) for part in self.conditions}) > 1
        form = "plural" if self.ordinal else "past"
        phrases = [self.say.state(told, form) for told in alone]
        phrases = [_both(self.say, alone, form)] if len(phrases) == 2 and _are_alike(alone) else phrases
        phrases += self.say.happenings(self.conditions, form, None, self.variable, many)
        if self.ordinal is None:
            return f"{question_word(self.noun)} {_chained(phrases)}"
        if not self.conditions and len(self.facts) == 1:
            return f"{question_word(self.noun)} {self.say.ranked(self.ordinal, None)}"
        group = f"of {those(self.noun)} {relative(self.noun)} {_chained(phrases)}"
        is_named = len(self.facts) == 1
        return f"{group}, {which_of(self.noun)} {self.say.ranked(self.ordinal, None, is_named)}"

    def _mixed_question(self, alone: list[Told]) -> str:
        """`which team did Ana Roy join after ...`; a second clause on the variable goes before: `of the teams that ...`."""
        self.say.names[self.variable.letter] = "it" if self.say.is_it(self.variable) else that(self.noun)
        told_alone = [told for told in self.facts if told in alone]
        spoken = list(dict.fromkeys(part.told for part in self.conditions))
        if self.ordinal is not None:
            return self._mixed_rank(self.ordinal, told_alone, spoken)
        main = min(spoken or told_alone, key=self._is_agent)
        clauses = self._clauses([told for told in self.facts if told != main and (told in alone or told in spoken)], "plural")
        word = which_of(self.noun) if clauses else question_word(self.noun)
        return (f"of {those(self.noun)} {clauses}, " if clauses else "") + f"{word} {self._predicate(main)}"

    def _mixed_rank(self, ordinal: Ordinal, alone: list[Told], spoken: list[Told]) -> str:
        told = tell(ordinal.fact)
        agent = self.say.agent(told)
        tail = self.say.ranked(ordinal, None) if self._is_agent(told) else self.say.ranked_gap(ordinal, agent)
        if not self.conditions and len(self.facts) == 1:
            return f"{question_word(self.noun)} {tail}"
        clauses = self._clauses([told for told in self.facts if told in alone or told in spoken], "plural")
        return f"of {those(self.noun)} {clauses}, {which_of(self.noun)} {tail}"

    def _predicate(self, told: Told) -> str:
        own = [part for part in self.conditions if part.told == told]
        if self._is_agent(told):
            return _chained(self.say.happenings(own, "past", None, self.variable, True) or [put(self.say.base(told, "state"), "past")])
        return ask(
            self.say.agent(told),
            _chained(self.say.happenings(own, "base", GAP, told.agent) or [put(self.say.base(told, "state", GAP), "base")]),
        )

    def _clauses(self, facts: list[Told], form: str) -> str:
        """Relative clauses on the variable: `that Ana Roy joined after ... and that won ...`."""
        parts = []
        for told in facts:
            own = [part for part in self.conditions if part.told == told]
            if self._is_agent(told):
                phrases = self.say.happenings(own, form, None, self.variable, True) or [self.say.state(told, form)]
                parts.append(f"{relative(self.noun)} {_chained(phrases)}")
            else:
                phrases = self.say.happenings(own, "past", GAP, told.agent) or [put(self.say.base(told, "state", GAP), "past")]
                parts.append(f"that {self.say.agent(told)} {_chained(phrases)}")
        if len(parts) == 2 and not self.conditions and facts[0].relation == facts[1].relation and not self._is_agent(facts[0]):
            state = put(self.say.base(facts[0], "state", GAP), "past").replace("was ", "were ", 1)
            return f"that both {self.say.agent(facts[0])} and {self.say.agent(facts[1])} {state}"
        return ", and ".join(parts) if any(len(part.split()) > 7 for part in parts) else " and ".join(parts)


class _Chain:
    """From a name over one or two variables to the answer."""

    def __init__(self, asked: Asked, clauses: Clauses) -> None:
        self.say = clauses
        self.stages = asked.stages
        self.facts = [tell(stage.facts[0]) for stage in asked.stages]
        self.variables = [Variable("XYZ"[index]) for index in range(len(asked.stages))]
        self.conditions = [
            [part for pair in stage.pairwise for part in conditions_of(pair, told)]
            for stage, told in zip(asked.stages, self.facts, strict=True)
        ]
        self._name_variables()

    def _name_variables(self) -> None:
        """Gives each variable on the way a definite name of its own."""
        nouns = [self.say.noun(variable) for variable in self.variables]
        for index, variable in enumerate(self.variables[:-1]):
            noun = nouns[index]
            rivals = [other for position, other in enumerate(nouns) if position != index]
            is_rival_asked = not noun.person and noun.again == nouns[-1].again
            is_other_entity = noun == ANYONE and ENTITY in rivals
            if noun.again not in [other.again for other in rivals[:-1]] and not is_other_entity:
                self.say.names[variable.letter] = f"the other {noun.again}" if is_rival_asked else that(noun)
            elif index == 0:
                self.say.names[variable.letter] = self._described_name(noun)
            else:
                self.say.names[variable.letter] = f"that other {noun.again}"

    def _described_name(self, noun: Noun) -> str:
        told = self.facts[0]
        if told.agent == self.variables[0]:
            return f"{the_one(noun)} {relative(noun)} {put(self.say.base(told, 'state'), 'past')}"
        return f"{the_one(noun)} that {self.say.agent(told)} {put(self.say.base(told, 'state', GAP), 'past')}"

    # the walk

    def question(self) -> str:
        start, prefix = 0, ""
        for index, stage in enumerate(self.stages[:-1]):
            if stage.ordinal is not None and not self._is_light_rank(index):
                prefix += self._taken(start, index, stage.ordinal)
                start = index + 1
        return prefix + self._final(start)

    def _is_light_rank(self, index: int) -> bool:
        """Whether a rank on the way fits into a noun phrase: `the second team that Ana Roy joined`."""
        return index == 0 and not self.conditions[0] and not self.say.plain

    def _taken(self, start: int, index: int, ordinal: Ordinal) -> str:
        noun, told = self.say.noun(self.variables[index]), self.facts[index]
        group = self._group(start, index)
        self.say.names[self.variables[index].letter] = that(noun)
        if told.agent == self.variables[index]:
            choice = f"the one {relative(noun)} {self.say.ranked(ordinal, self._such(start, index, told))}"
        else:
            agent = self._such(start, index, told) or self.say.agent(told)
            choice = f"the one {_that_agent(agent)} {self.say.ranked_after_agent(ordinal)}"
        return f"of {group}, take {choice}: "

    def _group(self, start: int, index: int) -> str:
        """`the people who became head coach of a team after Ana Roy left it`, with all conditions so far."""
        told, noun = self.facts[index], self.say.noun(self.variables[index])
        head, rest, where = self._described(start, index, "plural")
        group = f"{those(noun)} {self._reduced(head)}"
        if where:
            group += f", where {where}"
        if rest:
            group += f", considering only those {self._relative_clause(told, index, rest, 'plural')}"
        return group

    def _relative_clause(self, told: Told, index: int, conditions: list[Condition], form: str) -> str:
        noun = self.say.noun(self.variables[index])
        if told.agent == self.variables[index]:
            return f"{relative(noun)} {_chained(self.say.happenings(conditions, form, None, told.agent))}"
        phrases = self.say.happenings(conditions, "past", GAP, told.agent)
        return f"{_that_agent(self.say.agent(told))} {_chained(phrases)}"

    def _final(self, start: int) -> str:
        """The question proper, from the variable that is known when it begins."""
        last = len(self.stages) - 1
        told, noun, ordinal = self.facts[last], self.say.noun(self.variables[last]), self.stages[last].ordinal
        conditions = self.conditions[last]
        is_agent = told.agent == self.variables[last]
        if ordinal is not None:
            group = self._group(start, last)
            such = self._such(start, last, told)
            tail = self.say.ranked(ordinal, such) if is_agent else self.say.ranked_gap(ordinal, such or self.say.agent(told))
            return f"of {group}, {which_of(noun)} {tail}"
        if start == last:
            return self._direct(told, conditions, question_word(noun), self.say.name(self.variables[last - 1], noun))
        if self._is_light(start, last):
            return self._direct(told, conditions, question_word(noun), self._some_link(last))
        if not is_agent and self._is_short(start, last):
            return self._direct(told, conditions, question_word(noun), self._link(start, last - 1)[0])
        if not conditions and not is_agent and not told.words.inverse:
            link, where = self._link(start, last - 1)
            return f"{question_word(noun)} {ask(link, self.say.base(told, 'state', GAP))}" + (f", where {where}" if where else "")
        if not conditions:
            head, _, where = self._described(start, last, "past")
            head = head.removeprefix("that ").removeprefix("who ")
            return f"{question_word(noun)} {head}" + (f", where {where}" if where else "")
        head, _, where = self._described(start, last, "plural")
        group = f"of {those(noun)} {self._reduced(head)}" + (f", where {where}" if where else "")
        if is_agent:
            phrases = self.say.happenings(conditions, "past", None, told.agent)
            return f"{group}, {which_of(noun)} {_chained(phrases)}"
        phrases = self.say.happenings(conditions, "base", GAP, told.agent)
        return f"{group}, {which_of(noun)} {ask(self.say.agent(told), _chained(phrases))}"

    def _such(self, start: int, index: int, told: Told) -> str | None:
        """`such a team` where the link may be any of several, else `None` for its own name."""
        if index == 0 or start == index or (index == 1 and self.stages[0].ordinal is not None):
            return None
        return f"such {indefinite(self.say.noun(self.variables[index - 1]).again)}"

    def _direct(self, told: Told, conditions: list[Condition], word: str, link: str) -> str:
        """`who became head coach of a team after ...`, `which award did someone receive after ...`."""
        if told.agent == self.variables[-1]:
            if not conditions:
                return f"{word} {put(self.say.base(told, 'state', link), 'past')}"
            return f"{word} {_chained(self._linked(told, conditions, 'past', link))}"
        if not conditions:
            if not link.startswith("some") or not told.words.inverse:
                return f"{word} {ask(link, self.say.base(told, 'state', GAP))}"
            return f"{word} {self.say.inverse(told, link, 'past')}"
        phrases = self.say.happenings(conditions, "base", GAP, told.agent)
        return f"{word} {ask(link, _chained(phrases))}"

    def _linked(self, told: Told, conditions: list[Condition], form: str, link: str) -> list[str]:
        """Verb phrases whose first patient is `link` and whose later ones are its definite name."""
        groups = self.say.happenings(conditions, form, None, told.agent, can_echo=link.startswith(("that ", "the ")))
        name = self.say.patient(told)
        return [groups[0].replace(name, link, 1), *groups[1:]] if link != name else groups

    def _is_light(self, start: int, index: int) -> bool:
        """Whether the link can be told within the conditions: `a team after Ana Roy left it`."""
        if index != 1 or start != 0 or self.say.plain:
            return False
        link = self.facts[0]
        others = [part.other for part in self.conditions[1]]
        return not self.conditions[0] and self.stages[0].ordinal is None and link in others

    def _is_short(self, start: int, index: int) -> bool:
        """Whether the link is so short that the question can go on after it: `which award did someone who ... receive`."""
        if index != 1 or start != 0 or self.say.plain or self.conditions[0]:
            return False
        if not self.conditions[1]:
            return self.stages[0].ordinal is not None
        told, moments = self.facts[0], {part.comparison.moment for part in self.conditions[1]}
        is_passive = self.facts[1].words.state.startswith("be ")
        return len(moments) == 1 and not is_passive and told.agent == self.variables[0] and self.say.noun(self.variables[0]).person

    def _reduced(self, head: str) -> str:
        """`received by someone` for `that was received by someone`."""
        return head if self.say.plain else re.sub(r"\Athat (?:was|were) (?=\w+ (?:in an election )?by )", "", head)

    def _some_link(self, index: int) -> str:
        noun = self.say.noun(self.variables[index - 1])
        if noun.again == self.say.noun(self.variables[index]).again and not noun.person and noun != ANYONE:
            self.say.names[self.variables[index - 1].letter] = f"that other {noun.again}"
            return f"another {noun.singular}"
        self.say.names[self.variables[index - 1].letter] = that(noun)
        return some(noun)

    def _described(self, start: int, index: int, form: str) -> tuple[str, list[Condition], str]:
        """A relative clause on a variable, its own conditions not yet told, and those told apart."""
        told, variable = self.facts[index], self.variables[index]
        noun = self.say.noun(variable)
        is_agent = told.agent == variable
        if index == start == 0:
            return self._first(form), [], ""
        own = self.conditions[index]
        if index == start or self._is_light(start, index):
            link = self.say.name(self.variables[index - 1], noun) if index == start else self._some_link(index)
            if is_agent:
                phrases = self._linked(told, own, form, link) if own else [put(self.say.base(told, "state", link), form)]
                return f"{relative(noun)} {_chained(phrases)}", [], ""
            phrases = self.say.happenings(own, "past", GAP, told.agent) or [put(self.say.base(told, "state", GAP), "past")]
            return f"{_that_agent(link)} {_chained(phrases)}", [], ""
        link, where = self._link(start, index - 1)
        if is_agent:
            return f"{relative(noun)} {put(self.say.base(told, 'state', link), form)}", own, where
        is_ranked = index == 1 and self.stages[0].ordinal is not None and not self.say.plain
        if not told.words.inverse or (is_ranked and told.words.inverse.startswith("have among")):
            return f"{_that_agent(link)} {put(self.say.base(told, 'state', GAP), 'past')}", own, where
        return f"{relative(noun)} {self.say.inverse(told, link, form)}", own, where

    def _first(self, form: str) -> str:
        told, noun = self.facts[0], self.say.noun(self.variables[0])
        conditions = self.conditions[0]
        if told.agent == self.variables[0]:
            phrases = self.say.happenings(conditions, form, None, told.agent) or [self.say.state(told, form)]
            return f"{relative(noun)} {_chained(phrases)}"
        phrases = self.say.happenings(conditions, "past", GAP, told.agent) or [put(self.say.base(told, "state", GAP), "past")]
        clause = _chained(phrases)
        if len(self.facts) == 2 and self.facts[1].relation == told.relation and not conditions and isinstance(told.agent, Name):
            clause = clause if self.say.plain else re.sub(r"\A(was )?", r"\1also ", clause, count=1)
        return f"that {self.say.agent(told)} {clause}"

    def _link(self, start: int, index: int) -> tuple[str, str]:
        """A variable on the way as a noun phrase, and the conditions on it that are told apart."""
        variable, told = self.variables[index], self.facts[index]
        noun, ordinal = self.say.noun(variable), self.stages[index].ordinal
        if ordinal is not None and index == 0:
            return self._ranked_link(told, ordinal), ""
        head, rest, where = self._described(start, index, "past")
        told_apart = [where] if where else []
        head = self._reduced(head)
        if rest and told.agent == variable and noun.person and not self.say.plain:
            head += f", and who {_chained(self.say.happenings(rest, 'past', None, told.agent))}"
        elif rest:
            subject = self.say.agent(told)
            told_apart.append(f"{subject} {_chained(self.say.happenings(rest, 'past', None, told.agent))}")
        return f"{some(noun)} {head}", ", and where ".join(told_apart)

    def _ranked_link(self, told: Told, ordinal: Ordinal) -> str:
        noun = self.say.noun(self.variables[0])
        if told.agent == self.variables[0]:
            ranked = self.say.ranked(ordinal, None)
            if found := re.match(r"was the (\S+) to ", ranked):
                return f"the {found[1]} {noun.singular} to {ranked[found.end() :]}"
            return f"{the_one(noun)} {relative(noun)} {ranked}"
        return f"{the_one(noun)} that {self.say.agent(told)} {self.say.ranked_after_agent(ordinal)}"


def _chained(phrases: list[str]) -> str:
    """Verb phrases in a row; a comma keeps a long first one apart from the next."""
    if len(phrases) == 2 and len(phrases[0].split()) > 5:
        return f"{phrases[0]}, and {phrases[1]}"
    return listed(phrases) if len(phrases) < 3 else ", ".join(phrases[:-1]) + f", and {phrases[-1]}"


def _that_agent(agent: str) -> str:
    """`that Ana Roy`, but never `that that person`."""
    return f"which {agent}" if agent.startswith("that ") else f"that {agent}"


def _are_alike(told: list[Told]) -> bool:
    return told[0].relation == told[1].relation and told[0].words.state.endswith("{p}")


def _both(say: Clauses, told: list[Told], form: str) -> str:
    phrase = told[0].words.phrase("state", False)
    return put(phrase.replace("{p}", f"both {say.patient(told[0])} and {say.patient(told[1])}"), form)
