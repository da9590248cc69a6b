"""Verb phrases and time adjuncts of single facts: the bricks of the offline rewriter's questions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agents.offline.antecedents import ENTITY, may_be_meant
from agents.offline.comparisons import COMPARISONS, Comparison, turn_around
from agents.offline.english import gerund, indefinite, inflected, length_word, listed, past, rank_word, with_article
from agents.offline.template_reader import Asked, Fact, Name, Ordinal, Pairwise, Term, Variable
from agents.offline.unknown_relations import readable, words_for
from agents.offline.words import ANYONE, PERSON, THING, Noun, Words

GAP = ""
"""The patient's place where the patient is asked for or stands before the clause."""

_BODY = re.compile(r"\b(?:House|Senate|Parliament|Congress|Assembly|Academy|Society|Council|Bundestag|Reichstag|Knesset|Hall)\b")
_HAVING = re.compile(r"have (?:among|as) \{its\} (.+) \{a\}")
_NEEDS_QUOTES = re.compile(
    r"[\x00-\x1f\x7f\"“”]|[,;:?!]\s*(?:where|and|who|which)\b|\A[^\w(#'’$*.+-]|\A\W*\Z|\A(?:and|or|the first|where|who|which) "
)


@dataclass(frozen=True)
class Told:
    """A fact with its ends in the order in which English tells it."""

    agent: Term
    patient: Term
    relation: str
    words: Words


@dataclass(frozen=True)
class Condition:
    """A comparison of a moment of `told` with a moment of `other`."""

    told: Told
    comparison: Comparison
    other: Told


def tell(fact: Fact) -> Told:
    """A fact told with its agent first."""
    words = words_for(fact.relation)
    agent, patient = (fact.object, fact.subject) if words.flipped else (fact.subject, fact.object)
    return Told(agent, patient, readable(fact.relation), words)


def conditions_of(pairwise: Pairwise, focus: Told) -> list[Condition]:
    """A pairwise constraint as conditions on the moments of `focus`, one of its two facts."""
    left, right = tell(pairwise.left), tell(pairwise.right)
    parts = COMPARISONS[pairwise.operator]
    if focus == left:
        return [Condition(left, part, right) for part in parts]
    return [Condition(right, part, left) for part in turn_around(parts)]


def question_word(noun: Noun) -> str:
    """`who`, `which sports team`, `what`."""
    return noun.question or ("who" if noun.person else f"which {noun.singular}")


def which_of(noun: Noun) -> str:
    """The question word after `Of the people who ...,`."""
    return "who" if noun.person else "which"


def relative(noun: Noun) -> str:
    """`who` or `that`."""
    return "who" if noun.person else "that"


def some(noun: Noun) -> str:
    """`someone`, `a sports team`."""
    if noun == ANYONE:
        return "someone or something"
    return "someone" if noun.person else indefinite(noun.singular)


def those(noun: Noun) -> str:
    """`the people`, `the sports teams`, `those`."""
    return "those" if noun == ANYONE else f"the {noun.plural}"


def that(noun: Noun) -> str:
    """`that person`, `that sports team`."""
    return f"that {noun.again}"


def the_one(noun: Noun) -> str:
    """`the person`, `the sports team`."""
    return f"the {noun.singular}"


def put(base: str, form: str, name: str = "") -> str:
    """A verb phrase in base form as `past`, `plural` past, `gerund` or `base`; `name` is the patient's, which stays as it is."""
    if form == "gerund" and base.startswith("stop being "):
        return f"ceasing to be {base.removeprefix('stop being ')}"
    if form != "plural":
        return base if form == "base" else inflected(base, gerund if form == "gerund" else past)
    verb, _, rest = inflected(base, past).partition(" ")
    is_name = bool(name) and rest.startswith(name)
    if not is_name and (found := re.match(r"(a|made a) (member|citizen|cardinal)\b", rest)):
        rest = f"{found[1][:-1]}{found[2]}s{rest[found.end() :]}"
    return f"{'were' if verb == 'was' else verb} {rest}".strip()


def ask(agent: str, base: str) -> str:
    """A verb phrase as a question about the agent: `did Ana Roy join`, `was Ana Roy elected`."""
    verb, _, rest = base.partition(" ")
    return f"was {agent} {rest}".strip() if verb == "be" else f"did {agent} {base}"


class Clauses:
    """Says facts and comparisons of one question in one style."""

    def __init__(self, asked: Asked, plain: bool, again: frozenset[str] = frozenset()) -> None:
        """`plain` spells out every granule and every name; `again` are the variables that need a noun to be spoken of again."""
        self.unit = asked.unit
        self.plain = plain
        self.names: dict[str, str] = {}
        own = [tell(fact) for stage in asked.stages for fact in stage.facts]
        named = [tell(fact) for stage in asked.stages for pair in stage.pairwise for fact in (pair.left, pair.right)]
        mentioned = [*own, *named]
        self.is_single = len(own) == 1
        self._patients: dict[str, set[Term]] = {}
        for told in mentioned:
            self._patients.setdefault(told.relation, set()).add(told.patient)
        self._nouns = {letter: self._noun(letter, own) for letter in "XYZ"}
        self._nouns.update({letter: ENTITY for letter in again if self._nouns[letter] == ANYONE})
        self._kinds: dict[Term, set[Noun]] = {}
        for told in mentioned:
            self._kinds.setdefault(told.agent, set()).add(told.words.agent)
            self._kinds.setdefault(told.patient, set()).add(told.words.patient)

    def _noun(self, letter: str, own: Sequence[Told]) -> Noun:
        nouns = [told.words.agent for told in own if told.agent == Variable(letter)]
        nouns += [told.words.patient for told in own if told.patient == Variable(letter)]
        return min(nouns, key=lambda noun: (not noun.narrow, noun.vague, noun != PERSON, noun in (THING, ANYONE)), default=PERSON)

    def noun(self, variable: Term) -> Noun:
        """The kind of thing that a variable stands for."""
        assert isinstance(variable, Variable)
        return self._nouns[variable.letter]

    def is_clear(self, term: Term) -> bool:
        """Whether `it` can only mean this: all else in the question is a person or of another kind."""
        return not any(may_be_meant(kinds, self._kinds[term]) for other, kinds in self._kinds.items() if other != term)

    def is_it(self, variable: Term) -> bool:
        """Whether a variable may be called `it`."""
        return not self.noun(variable).person and self.is_clear(variable)

    def name(self, term: Term, noun: Noun) -> str:
        """A label as it stands in a sentence, or a variable's current name."""
        if isinstance(term, Variable):
            return self.names.get(term.letter) or that(self.noun(term))
        if noun.title and '"' not in term.label and not _NEEDS_QUOTES.search(term.label):
            return f'"{term.label}"'
        if _NEEDS_QUOTES.search(term.label) or len(term.label) > 120:
            return f"“{term.label}”"
        return with_article(term.label, noun.article)

    def agent(self, told: Told) -> str:
        """The agent's name."""
        return self.name(told.agent, told.words.agent)

    def patient(self, told: Told) -> str:
        """The patient's name."""
        return self.name(told.patient, told.words.patient)

    def base(self, told: Told, moment: str, patient: str | None = None) -> str:
        """A moment's verb phrase in base form with a patient: its name, other words, or `GAP`."""
        is_open = not isinstance(told.patient, Name) or patient is not None
        if patient is None:
            patient = self.patient(told)
            if told.words.body_takes_to and isinstance(told.patient, Name) and _BODY.search(told.patient.label):
                is_open = True
        phrase = told.words.phrase(moment, is_open)
        if patient == "it" and (found := re.fullmatch(r"((?:be|become|stop being) )(?:the |a )?(.*) of \{p\}", phrase)):
            return f"{found[1]}its {found[2]}"
        before, _, after = phrase.partition("{p}")
        if patient == "it" and (found := re.fullmatch(r"(take|give) up ", before)):
            return f"{found[1]} it up{after}"
        return before.rstrip() + (f" {patient}" if patient else "") + after

    def state(self, told: Told, form: str) -> str:
        """The whole fact's verb phrase in a form."""
        return put(self.base(told, "state"), form, self.patient(told))

    def understood(self, told: Told, moment: str, many: bool) -> str:
        """The verb phrase where the patient was just named; short only if that cannot mislead."""
        short = told.words.short(moment)
        if self.plain or len(self._patients[told.relation]) > 1 or isinstance(told.patient, Variable):
            return self.base(told, moment)
        if short and (not many or told.words.open_state or (self.is_single and short.endswith(" there"))):
            return short
        if self.is_single and not told.words.patient.person and not told.words.open_state:
            return short if short and self.base(told, moment, "it").endswith(" of it") else self._with_it(told, moment)
        return short or self.base(told, moment)

    def _again(self, told: Told, moment: str) -> str:
        """The verb phrase where the fact's other moment was told just before, of the same subject."""
        with_it = self.base(told, moment, "it")
        if told.words.patient.person or isinstance(told.patient, Variable):
            return self.base(told, moment)
        return (told.words.short(moment) or self.base(told, moment)) if with_it.endswith(" of it") else self._with_it(told, moment)

    def _with_it(self, told: Told, moment: str) -> str:
        """The verb phrase with `it` for its patient, which was just named, or with the name where `it` may mean something else."""
        return self.base(told, moment, "it") if self.is_clear(told.patient) else self.base(told, moment)

    def when(self, conditions: Sequence[Condition], subject: Term | None, many: bool, can_echo: bool) -> str:
        """The adjuncts of one verb: what leans on the verb comes before a clause of its own."""
        adjuncts: list[tuple[int, str]] = []
        waiting = list(conditions)
        while waiting:
            part = waiting.pop(0)
            same = [other for other in waiting if not self.plain and other.comparison.sign != "="]
            closing = next((other for other in same if other.other == part.other and other.comparison.sign != part.comparison.sign), None)
            alike = [other for other in same if self._is_echo(part, can_echo) and self._is_echo(other, can_echo)]
            alike = [other for other in alike if other.comparison == part.comparison]
            if closing is not None and part.comparison.sign != "=":
                waiting.remove(closing)
                pair = (part, closing) if part.comparison.sign == ">" else (closing, part)
                adjuncts.append(self._within(*pair, subject, can_echo))
            elif alike:
                waiting = [other for other in waiting if other not in alike]
                who = listed([self.agent(other.other) for other in (part, *alike)])
                both = "both " if len(alike) == 1 else ""
                adjuncts.append((0, self._like(f"{both}{who}", self.base(part.told, part.comparison.moment), part.comparison.sign)))
            else:
                adjuncts.append(self.adjunct(part, subject, many, can_echo))
        texts = list(dict.fromkeys(text for _, text in sorted(adjuncts, key=lambda adjunct: adjunct[0])))
        if len(texts) > 1 and any(re.search(r" (?:and|but) before ", text) for text in texts):
            return f"{', '.join(texts[:-1])}, and {texts[-1]}"
        return listed(texts)

    def _is_echo(self, condition: Condition, can_echo: bool) -> bool:
        """Whether `before Bo Lind did` says it: the same moment of the same thing."""
        told, (moment, _, other_moment), other = condition.told, condition.comparison, condition.other
        is_alike = told.patient == other.patient and told.relation == other.relation and moment == other_moment
        return can_echo and is_alike and not self.plain

    def _within(self, after: Condition, before: Condition, subject: Term | None, can_echo: bool) -> tuple[int, str]:
        """`after joining FC Arn and before leaving it`: between the two moments of one fact."""
        place, opening = self.adjunct(after, subject, False, can_echo)
        other, moment = before.other, before.comparison.other_moment
        if place == 1:
            closing = self._again(other, moment) if isinstance(before.told.patient, Name) else self.base(other, moment)
            return place, f"{opening} and before {put(closing, 'gerund')}"
        is_same = before.told.patient == other.patient and before.told.relation == other.relation
        base = self.understood(other, moment, False) if is_same else self.base(other, moment)
        return place, f"{opening} but before {self.agent(other)} {put(base, 'past')}"

    def adjunct(self, condition: Condition, subject: Term | None, many: bool, can_echo: bool = True) -> tuple[int, str]:
        """`before Bo Lind joined`: when the condition's moment was, against the other's.

        The number orders adjuncts of one verb. `can_echo` allows `before Bo Lind did`, which would not
        say that it is the same team in `joined a team`.
        """
        told, (moment, sign, other_moment), other = condition.told, condition.comparison, condition.other
        is_same_patient = told.patient == other.patient
        if self._is_echo(condition, can_echo):
            return 0, self._like(self.agent(other), self.base(told, moment), sign)
        if not self.plain and subject is not None and subject == other.agent == told.agent:
            return 1, self._against(put(self.base(other, other_moment), "gerund"), sign, "as ")
        if is_same_patient and isinstance(told.patient, Name) and told.relation == other.relation:
            base = self.understood(other, other_moment, many)
        elif is_same_patient and isinstance(told.patient, Variable) and not self.plain and self.is_it(told.patient):
            base = self.base(other, other_moment, "it")
        else:
            base = self.base(other, other_moment)
        return 2, self._against(f"{self.agent(other)} {put(base, 'past')}", sign, "")

    def inverse(self, told: Told, agent: str, form: str) -> str:
        """The whole fact with the patient as subject: `was received by someone who ...`; its words have an inverse."""
        is_someone = agent.startswith("someone ") and not agent.startswith("someone or something")
        if (found := _HAVING.fullmatch(told.words.inverse)) and is_someone and not self.plain:
            one = "crew member" if found[1] == "crew" else found[1].removesuffix("s")
            return f"{put('have', form)} {indefinite(one)} {agent.removeprefix('someone ')}"
        its, it = ("their", "them") if form == "plural" else ("its", "it")
        return put(told.words.inverse.replace("{its}", its).replace("{it}", it), form).replace("{a}", agent)

    def _like(self, who: str, base: str, sign: str) -> str:
        if sign == "=":
            return f"{self._on} the same {self.unit} as {who}"
        return f"{_BEFORE[sign]} {who} {'was' if base.startswith('be ') else 'did'}"

    def _against(self, clause: str, sign: str, linked: str) -> str:
        on, unit = self._on, self.unit
        if sign == "=":
            if linked:
                return f"{on} the same {unit} {linked}{clause}"
            return f"{on} the same {unit} {on} which {clause}" if self.plain else f"{on} the {unit} {clause}"
        if self.plain and not linked:
            return f"{_BEFORE[sign]} the {unit} {on} which {clause}"
        return f"{_BEFORE[sign]} {clause}"

    @property
    def _on(self) -> str:
        return "on" if self.unit == "day" else "in"

    def happenings(
        self,
        conditions: Iterable[Condition],
        form: str,
        first: str | None,
        subject: Term | None,
        many: bool | None = None,
        can_echo: bool = True,
    ) -> list[str]:
        """Verb phrases, one a moment that the conditions speak of, each with its adjuncts.

        `first` is the patient of the verb phrases: `None` for its name, `GAP` where it is asked for.
        """
        groups: dict[tuple[Told, str], list[Condition]] = {}
        for condition in conditions:
            groups.setdefault((condition.told, condition.comparison.moment), []).append(condition)
        told_order = list(dict.fromkeys(told for told, _ in groups))
        several = len(groups) > 1 if many is None else many
        phrases = []
        seen: set[Told] = set()
        for told, moment in sorted(groups, key=lambda group: (told_order.index(group[0]), group[1] == "end")):
            is_again = self.is_single and told in seen and first is None
            base = self.understood(told, moment, several) if is_again else self.base(told, moment, first)
            seen.add(told)
            when = self.when(groups[told, moment], subject, several, can_echo)
            comma = "," if base.rpartition(" ")[2] == when.partition(" ")[0] else ""
            phrases.append(f"{put(base, form, self.patient(told))}{comma} {when}")
        return phrases

    def ranked(self, ordinal: Ordinal, patient: str | None, is_named: bool = False) -> str:
        """After `who`: `was the second to join FC Arn`, `played for FC Arn for the longest time`.

        `is_named` says that the sentence has just told the fact, with its patient.
        """
        told = tell(ordinal.fact)
        if ordinal.operator == "duration_rank":
            return put(self._lasting(told, ordinal, patient), "past")
        moment = _moment(ordinal)
        base = self.understood(told, moment, False) if is_named and patient is None else self.base(told, moment, patient)
        return f"was the {rank_word(ordinal.rank, ordinal.from_smallest)} to {base}"

    def ranked_gap(self, ordinal: Ordinal, agent: str) -> str:
        """After `which`: `was the second that Ana Roy joined`, `did Ana Roy play for the longest`."""
        told = tell(ordinal.fact)
        if ordinal.operator == "duration_rank":
            return ask(agent, self._lasting(told, ordinal, GAP))
        base = self.base(told, _moment(ordinal), GAP)
        who = f"which {agent}" if agent.startswith("that ") else f"that {agent}"
        return f"was the {rank_word(ordinal.rank, ordinal.from_smallest)} {who} {put(base, 'past')}"

    def ranked_after_agent(self, ordinal: Ordinal) -> str:
        """After `the team that Ana Roy`: `joined second`, `played for for the longest time`."""
        told = tell(ordinal.fact)
        if ordinal.operator == "duration_rank":
            return put(self._lasting(told, ordinal, GAP), "past")
        return f"{put(self.base(told, _moment(ordinal), GAP), 'past')} {rank_word(ordinal.rank, ordinal.from_smallest)}"

    def _lasting(self, told: Told, ordinal: Ordinal, patient: str | None) -> str:
        length = f"the {length_word(ordinal.rank, ordinal.from_smallest)}"
        is_open = patient is not None
        state = told.words.phrase("state", is_open)
        if told.words.span and (not is_open or state.endswith("for {p}")):
            spanned = told.words.span.replace("{length}", length)
            where = self.patient(told) if patient is None else patient
            return " ".join(spanned.replace("{p}", where).split()) if patient == GAP else spanned.replace("{p}", where)
        base = self.base(told, "state", patient)
        return f"{base}{',' if base.endswith(' for') else ''} for {length} time"


_BEFORE = {"<": "before", ">": "after"}


def _moment(ordinal: Ordinal) -> str:
    if ordinal.operator == "end_rank":
        return "end"
    return "state" if ordinal.is_point else "start"
