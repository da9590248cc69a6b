"""What the offline rewriter knows of a relation: its nouns and its verbs, both ways round.

A fact is told with its *agent* as the grammatical subject and its *patient* after the verb. For
most relations the agent is the fact's subject; where the label reads the other way ("head
coach", from team to person), the words are `flipped` and the agent is the fact's object.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Noun:
    """A kind of thing, as one word or two."""

    singular: str
    plural: str
    person: bool = False
    """Whether `who` and `someone` fit."""
    question: str = ""
    """The question words; empty for `who` or `which <singular>`."""
    article: str = ""
    """Which names of this kind take `the`: `titled`, `place`, `school`, `team`, or none."""
    title: bool = False
    """Whether names of this kind are titles of works and stand in quotation marks."""
    vague: bool = False
    """Whether the word says nothing (person, thing), so that the other relation's word is better."""
    narrow: bool = False
    """Whether the verbs of its relations fit nothing else, so that this word is better than any other."""
    short: str = ""
    """The word for a thing of this kind that was named before; empty: the singular."""

    @property
    def again(self) -> str:
        """The word for a thing of this kind that was named before."""
        return self.short or self.singular


PERSON = Noun("person", "people", person=True, vague=True)
THING = Noun("thing", "things", question="what", vague=True)
ANYONE = Noun("one", "ones", question="who or what", vague=True)


@dataclass(frozen=True)
class Words:
    """Verb phrases in base form; `{p}` is the patient, `{a}` the agent, `{its}` and `{it}` the patient again."""

    agent: Noun
    patient: Noun
    state: str
    """The whole fact: `play for {p}`; for a point fact, what happened."""
    start: str = ""
    """Its beginning: `join {p}`."""
    end: str = ""
    """Its end: `leave {p}`."""
    inverse: str = ""
    """The fact with the patient as subject, the agent last: `have among {its} players {a}`."""
    short_start: str = ""
    """The beginning where the patient is understood; empty if it cannot be left out."""
    short_end: str = ""
    """The end where the patient is understood."""
    open_state: str = ""
    """The fact where the patient is no name but `it`, `an office` or asked for; empty: as `state`."""
    open_start: str = ""
    """The same for the beginning."""
    open_end: str = ""
    """The same for the end."""
    span: str = ""
    """How to say how long: `have {length} spell with {p}`; empty: the state `for {length} time`."""
    flipped: bool = False
    """Whether the agent is the fact's object."""
    body_takes_to: bool = False
    """Whether a patient that is a body of people (a parliament) is told like an unnamed one."""

    def phrase(self, event: str, is_open: bool) -> str:
        """The verb phrase of an event (`state`, `start`, `end`) with `{p}` in it."""
        phrases = {
            "state": (self.state, self.open_state),
            "start": (self.start or _derived("start", self.state), self.open_start or _derived_open("start", self)),
            "end": (self.end or _derived("cease", self.state), self.open_end or _derived_open("cease", self)),
        }
        named, unnamed = phrases[event]
        return unnamed if is_open and unnamed else named

    def short(self, event: str) -> str:
        """The verb phrase without its patient, or the empty string."""
        given = {"start": self.short_start, "end": self.short_end}.get(event, "")
        return given or (_without_patient(self.phrase(event, False)) if event != "state" else "")


def _derived(verb: str, state: str) -> str:
    return f"{verb} to {state}"


def _derived_open(verb: str, words: Words) -> str:
    return _derived(verb, words.open_state) if words.open_state and not (words.start or words.end) else ""


def _without_patient(phrase: str) -> str:
    found = re.fullmatch(r"((?:become|stop being) (?!part\b).*) of \{p\}", phrase)
    return found[1] if found else ""


def role(noun: str, agent: Noun, patient: Noun, inverse: str, article: str = "") -> Words:
    """Words for a role of one in another: `be head coach of {p}`."""
    named = f"{article}{noun}"
    return Words(
        agent, patient, f"be {named} of {{p}}", f"become {named} of {{p}}", f"stop being {named} of {{p}}", inverse,
        short_start=f"become {named}", short_end=f"stop being {named}",
    )  # fmt: skip


def flip(words: Words) -> Words:
    """The same words for a label that reads from patient to agent."""
    return replace(words, flipped=True)
