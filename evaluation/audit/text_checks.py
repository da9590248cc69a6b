"""What a record's questions show: the answer, or machinery that should have been filled in. Traps: A01, B04, B08."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from evaluation.audit.cases import Case
from evaluation.audit.defects import Defect, DefectKind
from evaluation.entity_preservation import is_mentioned
from evaluation.exports.release import OPERATOR_OF
from graph_sampler.labels import is_usable_label, normalise_label
from graph_sampler.operators import BY_NAME

_CODES = "|".join(re.escape(code) for code in OPERATOR_OF if OPERATOR_OF[code] in BY_NAME)
_SLOT = re.compile(
    rf"""\{{[^{{}}]*\}} | \{{ | \}}                        # braces, filled or left over
      | <[A-Za-z_][A-Za-z0-9_ ]*>                          # <entity>
      | \[[A-Z][A-Z0-9_]+\] | \[[a-z]+_[a-z0-9_]+\]        # [MASK], [head_entity]
      | \b(?:head|tail|entity|relation)_?\d+\b             # tail2
      | (?<!\w)\?[a-z]\b                                   # a variable
      | (?<!\w)%[sd]\b | __+                               # %s, a blank to fill
      | \b(?:{_CODES})\b                                   # an operator's code
    """,
    re.VERBOSE,
)
_MAYBE_SLOT = re.compile(r"[{}<\[%_\d]")
"""One of these signs is in every slot but a variable, whose question mark is not the last sign; this alone is quick."""
_WORD = re.compile(r"[\w:/.#-]*\w")
_WIKIDATA = re.compile(r"\b[QP]\d+\b")
_NO_LETTERS = bytes(sign for sign in range(128) if not chr(sign).isalnum())
_ASIDE = " _label "


def normalise_question(text: str) -> str:
    """A question as `normalise_label` makes it, word by word: most words have been seen before."""
    if text.isascii():
        return normalise_label(text)
    return " ".join(filter(None, map(normalise_label, text.split(" "))))


def leak_of(case: Case, aliases: tuple[str, ...]) -> Defect | None:
    """The answer's name that stands in a question, if one does; `aliases` are the graph's."""
    names = dict.fromkeys(name for name in (case.answer, *case.aliases, *aliases) if len(normalise_label(name)) > 1)
    for where, question in _questions(case):
        letters = _letters(normalise_question(question))
        for name in names:
            if (own := _letters(normalise_label(name))) and letters and own not in letters:
                continue
            if is_mentioned((name,), question):
                return Defect(DefectKind.ANSWER_LEAK, f"{where} says {name!r}")
    return None


def slot_of(case: Case, is_known: Callable[[str], bool]) -> Defect | None:
    """What was left unfilled in a question, if anything.

    Labels are data: `The {Braces}` or `F1` are names where the record has an entity that is called so. A label that
    is no more than an identifier is not one.

    Args:
        case: the record.
        is_known: whether the graph has an entity or a relation with this id.
    """
    for where, question in _questions(case):
        has_sign = "?" in question[:-1] or _MAYBE_SLOT.search(question)
        if not has_sign and not any(map(question.__contains__, case.labels)):  # no id, so none as a word of its own
            continue
        text = _without_labels(question, case)
        if has_sign and (found := _SLOT.search(text)):
            return Defect(DefectKind.UNFILLED_SLOT, f"{where} holds {found.group()!r}")
        ids = [word for word in _WORD.findall(text) if word in case.labels and not _is_plain(word)]
        ids += [word for word in _WIKIDATA.findall(text) if is_known(word)]
        if ids:
            return Defect(DefectKind.UNFILLED_SLOT, f"{where} holds the id {ids[0]!r}")
    return None


def blank_of(case: Case) -> Defect | None:
    """A question of the record that says nothing; one that is not there at all is not blank."""
    for where, question in (("the final question", case.final_question), ("the raw question", case.raw_question)):
        if question is not None and not question.strip():
            return Defect(DefectKind.BLANK_QUESTION, f"{where} is blank")
    return None


def _questions(case: Case) -> Iterator[tuple[str, str]]:
    if case.final_question is not None:
        yield "the final question", case.final_question
    if case.raw_question is not None:
        yield "the raw question", case.raw_question


def _letters(plain: str) -> bytes | None:
    """The letters and digits of a normalised text, run together; `None` where it is not plain ASCII.

    A name whose letters are not among a question's cannot stand in it.
    """
    return plain.encode().translate(None, _NO_LETTERS) if plain.isascii() else None


def _is_plain(word: str) -> bool:
    """Whether an id is a plain word or a number as well, so that its presence shows nothing."""
    return word.isdigit() or (word.isalpha() and word[1:].islower())


def _without_labels(question: str, case: Case) -> str:
    """The question with the names in it set aside, longest first."""
    names = {label for ident, label in case.labels.items() if label in question and label.strip() and is_usable_label(label, ident)}
    for name in sorted(names, key=lambda each: (-len(each), each)):
        question = question.replace(name, _ASIDE)
    return question
