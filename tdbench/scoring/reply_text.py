"""A reply in the form in which names and dates are looked for: no reasoning, one normal spelling, its lines kept."""

from __future__ import annotations

import re
from functools import lru_cache

from graph_sampler.labels import normalise_label

_TAG = r"(?:think|thinking|thought|reasoning)"
_CLOSE = re.compile(rf"</{_TAG}>", re.IGNORECASE)
_INITIAL = re.compile(r"(?<![^\W_])([^\W\d_])\.(?=[^\W\d_](?![^\W_]))")
_LONG_DASH = re.compile(r"(?<=\d)\s*[\u2012-\u2015\u2212]\s*(?=\d)")
_OPEN = re.compile(rf"<{_TAG}>", re.IGNORECASE)


@lru_cache(maxsize=4096)
def normalise_reply(text: str) -> str:
    """The reply without reasoning, each line in the normal form of names, lines of blanks left out.

    Reasoning stands between tags, or before a closing tag whose opening one was part of the prompt. What follows
    an opening tag that is never closed is reasoning that was cut off, and so no reply. Signs of markup that set a
    word in bold or italics are no part of it, nor are the points between initials (`F.C.`). A long dash
    between numbers is one of a span, never that of a date such as `2004-09`.

    >>> normalise_reply("<think>Bo?</think>**José Roy**,  since 5\u00a0May 2004")
    'jose roy, since 5 may 2004'
    """
    text = _LONG_DASH.sub(" - ", _without_reasoning(text))
    lines = (normalise_label(re.sub(r"[*`|]+|(?<!\w)_+|_+(?!\w)", " ", line)) for line in text.splitlines())
    return "\n".join(_INITIAL.sub(r"\1", re.sub(r"\s+([,.;:)])", r"\1", line)) for line in lines if line)


def _without_reasoning(text: str) -> str:
    kept, at = [], 0
    while opening := _OPEN.search(text, at):
        kept.append(text[at : opening.start()])
        closing = _CLOSE.search(text, opening.end())
        at = closing.end() if closing else len(text)
    *_, answer = _CLOSE.split("\n".join([*kept, text[at:]]))
    return answer
