"""Which entities that the template question names are still named in the final one. Paper: Table 8.

An entity counts as mentioned if one of its names stands in the question at token boundaries, both in normal
form: `Ana` is no mention of Ana Silva, `ana silva's` is one. An entity is mentioned wherever its name stands, also
within a longer name.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from agents.names import spans, tokens
from evaluation.statistics.intervals import package_version
from graph_sampler.labels import normalise_label
from state.instance import BenchmarkRecord
from state.model_base import Contract


class NamedPair(NamedTuple):
    """One question before and after, and the names that may stand in it."""

    raw: str
    """The template question."""
    final: str
    """The final question."""
    entities: Sequence[Sequence[str]]
    """The names of each distinct entity."""


class EntityPreservation(Contract):
    """Entity mentions kept, in percent."""

    questions: int
    """Questions counted."""
    excluded: int
    """Questions left out: the raw one names no entity."""
    mentioned: int
    """Mentions in the raw questions: pairs of question and distinct entity."""
    retained: int
    """Of these, mentioned in the final question too."""
    micro: float | None
    """100 x retained / mentioned; `None` if no question was counted."""
    macro: float | None
    """100 x the mean over the questions of their own share; `None` likewise."""
    micro_signature: str
    """How the micro figure was made."""
    macro_signature: str
    """How the macro figure was made."""


def entity_preservation(pairs: Iterable[NamedPair], *, names: str = "labels") -> EntityPreservation:
    """The preservation over pairs of questions; their order does not matter.

    Cost: each name of a pair is looked for in its raw question.

    Args:
        pairs: questions with the names of their entities.
        names: what those names are, for the signature: `labels`, or `labels+aliases`.
    """
    counts = [_kept(pair) for pair in pairs]
    counted = [(retained, mentioned) for retained, mentioned in counts if mentioned]
    retained, mentioned = (sum(column) for column in zip((0, 0), *counted, strict=True))
    shares = sum((Fraction(*count) for count in counted), Fraction())
    excluded = len(counts) - len(counted)
    end = f"names:{names}|match:token-boundaries|n:{len(counted)}|excl:{excluded}|chronoqg:{package_version()}"
    return EntityPreservation(
        questions=len(counted),
        excluded=excluded,
        mentioned=mentioned,
        retained=retained,
        micro=float(100 * Fraction(retained, mentioned)) if counted else None,
        macro=float(100 * shares / len(counted)) if counted else None,
        micro_signature=f"entity_preservation|avg:micro|{end}",
        macro_signature=f"entity_preservation|avg:macro|{end}",
    )


def is_mentioned(names: Iterable[str], question: str) -> bool:
    """Whether one of an entity's names stands in a question.

    A name without a letter or digit has no tokens; it is looked for sign by sign.

    >>> is_mentioned(["Ana Silva"], "Which group did Ana join?"), is_mentioned(["U.K."], "Who left the UK?")
    (False, True)
    """
    text = tokens(question)
    for name in names:
        wanted = tokens(name)
        if wanted.joined:
            if spans(wanted, text):
                return True
        elif (plain := normalise_label(name)) and plain in normalise_label(question):
            return True
    return False


def entity_names(record: BenchmarkRecord) -> tuple[tuple[str, ...], ...]:
    """The names of every entity of a record, sorted by id: of the answer with its aliases, of the others the label.

    A record knows other names of the answer only, and a template question names entities by their labels.
    """
    ids = {record.answer_id}.union(*((fact.subject, fact.object) for fact in record.evidence))
    return tuple((record.labels[ident], *(record.answer_aliases if ident == record.answer_id else ())) for ident in sorted(ids))


def _kept(pair: NamedPair) -> tuple[int, int]:
    """Entities retained, and entities mentioned in the raw question."""
    mentioned = [names for names in pair.entities if is_mentioned(names, pair.raw)]
    return sum(is_mentioned(names, pair.final) for names in mentioned), len(mentioned)
