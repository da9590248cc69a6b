"""The one normalising function for labels, and what makes a label fit to stand in a question.

Sampler, answer matcher and leak filter compare labels through `normalise_label` and nothing else.
Stored labels keep their spelling. Paper: section 4.2.1.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

_APOSTROPHES = "'`´‘’‚‛ʹʻʼʽˈ′‵＇"
_QUOTES = '"“”„‟«»″‶＂'
_DASHES = "-‐‑‒–—―⁃−﹘﹣－"
_LETTERS = {"ł": "l", "ø": "o", "đ": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "ð": "d", "þ": "th"}
_FOLD = (
    {ord(sign): "'" for sign in _APOSTROPHES}
    | {ord(sign): '"' for sign in _QUOTES}
    | {ord(sign): "-" for sign in _DASHES}
    | {ord(letter): plain for letter, plain in _LETTERS.items()}
)
# Accents of Latin, Greek and Cyrillic only: in other scripts a combining mark is often a letter.
_MARKS = re.compile("[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]")
# Signs that show nothing although their category is not "format".
_BLANK = re.compile("[\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")

_IDENTIFIER = re.compile(
    r"""[QPL]\d+                                  # Wikidata item, property or lexeme
      | [QP]\d+[-$][0-9A-Fa-f-]{8,}               # Wikidata statement
      | /?[mg]/[0-9a-z_]{2,}                      # Freebase, Knowledge Graph
      | _:\S+                                     # blank node
      | [A-Za-z][A-Za-z0-9+.-]*://\S+             # address
      | [0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}
    """,
    re.VERBOSE,
)

_PLAIN = r"^[!->@-~][ -~]* [ -~]*[!-~]$"
"""Printable ASCII with a blank within: long enough, and no identifier has a blank; nor does it begin with `?`."""


class LabelProblem(StrEnum):
    """Why a label cannot stand in a question."""

    MISSING = "no label"
    TOO_SHORT = "fewer than two characters"
    IS_ID = "label is the id"
    IDENTIFIER = "label looks like an identifier"
    VARIABLE = "id begins with '?', as variables do"


@lru_cache(maxsize=65536)
def normalise_label(text: str) -> str:
    """The form in which two labels are compared; applying it twice changes nothing.

    In order: typographic apostrophes, quotes and dashes become the plain ones; compatibility forms
    are resolved (NFKD) and case is folded; accents of Latin, Greek and Cyrillic letters go, and a few
    letters that have no decomposition (`ł`, `ø`, `æ`) become plain; format characters (zero width,
    direction marks, soft hyphen), other invisible signs and control characters go; every run of white
    space, no-break and line separators included, becomes one blank, none at the ends; what is left is
    composed (NFC). Punctuation stays. The result may be empty, which no caller may treat as a match.
    """
    if text.isascii() and text.isprintable():
        return " ".join(text.casefold().replace("`", "'").split())
    while (folded := _fold(text)) != text:
        text = folded
    return text


def _fold(text: str) -> str:
    text = unicodedata.normalize("NFKD", text.translate(_FOLD)).casefold()
    text = _BLANK.sub("", _MARKS.sub("", unicodedata.normalize("NFKD", text))).translate(_FOLD)
    shown = (sign for sign in text if sign.isspace() or unicodedata.category(sign) not in ("Cf", "Cc"))
    return unicodedata.normalize("NFC", " ".join("".join(shown).split()))


def label_problem(label: str | None, identifier: str | None) -> LabelProblem | None:
    """What is wrong with a label, or `None` where it can stand in a question.

    Args:
        label: the stored label; `None` where the label file lacks the id.
        identifier: the id, or `None` where labels are the ids; then a bare number is an identifier too.
    """
    text = (label or "").strip()
    shown = text if text.isascii() and text.isprintable() else normalise_label(text)
    if not shown:
        return LabelProblem.MISSING
    if len(shown) < 2:
        return LabelProblem.TOO_SHORT
    if identifier is not None and text == identifier:
        return LabelProblem.IS_ID
    if _IDENTIFIER.fullmatch(text) or (identifier is None and text.isdecimal()):
        return LabelProblem.IDENTIFIER
    if (text if identifier is None else identifier).startswith("?"):
        return LabelProblem.VARIABLE
    return None


def label_problems(labels: Sequence[str | None], identifiers: Sequence[str] | None) -> list[LabelProblem | None]:
    """`label_problem` of each label; the plain ones, which have a blank within them, are told all at once."""
    texts = pa.array(labels, pa.large_string())
    is_plain = pc.match_substring_regex(texts, _PLAIN)
    if identifiers is not None:
        ids = pa.array(identifiers, pa.large_string())
        is_plain = pc.and_(is_plain, pc.and_(pc.not_equal(texts, ids), pc.invert(pc.starts_with(ids, "?"))))
    problems: list[LabelProblem | None] = [None] * len(labels)
    for row in np.flatnonzero(~pc.fill_null(is_plain, False).to_numpy(zero_copy_only=False)).tolist():
        problems[row] = label_problem(labels[row], None if identifiers is None else identifiers[row])
    return problems


def normalise_labels(labels: Sequence[str] | pa.Array) -> Any:
    """`normalise_label` of each label, as an Arrow array; those of printable ASCII are told all at once."""
    texts = pa.array(labels, pa.large_string())
    is_other = pc.invert(pc.match_substring_regex(texts, r"^[ -~]*$"))
    others = pa.array([normalise_label(label) for label in texts.filter(is_other).to_pylist()], pa.large_string())
    plain = pc.replace_substring(pc.ascii_lower(texts), "`", "'")
    if pc.any(pc.match_substring(plain, "  ")).as_py():
        plain = pc.replace_substring_regex(plain, " +", " ")
    plain = pc.ascii_trim_whitespace(plain)
    return pc.replace_with_mask(plain, is_other, others)


def shared_label_count(labels: Sequence[str]) -> int:
    """How many labels have a normalised form that another of them has too."""
    counts = normalise_labels(labels).value_counts().field("counts").to_numpy()
    return int(counts[counts > 1].sum())


def is_usable_label(label: str | None, identifier: str | None) -> bool:
    """Whether a label can stand in a question: two characters or more, not the id, not like an identifier."""
    return label_problem(label, identifier) is None
