"""A generator's reply -> the one question that is scored. Paper: not stated; the same for every method."""

from __future__ import annotations

import re

_MARKER = re.compile(r"(?:final\s+|merged\s+|rewritten\s+|revised\s+)?question[\"'”]?\s*:\s*", re.IGNORECASE)
_FENCE = re.compile(r"```[ \t]*\w*|```")
_EMPHASIS = re.compile(r"\*\*|__")
_PAIRS = {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "«": "»", "„": "“"}
_LIST_MARK = re.compile(r"(?:[-*•]\s+|\d+[.)]\s+)")
_SENTENCE = re.compile(r"[^?？]*[?？]")
_OPENERS = (
    "who|whom|whose|what|which|when|where|why|how|did|does|do|was|were|is|are|has|had|have|can|could|name|of|in|at|on|by|to|for|from|"
    "among|during|after|before|between|until|since|under|with|as|while"
)
_START = re.compile(rf"(?<=[.!:;])\s+(?=[\"'“]?(?:{_OPENERS})\b)", re.IGNORECASE)
"""Where a question begins after talk; a full stop alone ends no sentence (`St. Louis`, `Dr. King`, `U.S. Open`)."""


def post_process(reply: str) -> str:
    """The question in a reply.

    What follows the last marker (`Question:`), without fences, emphasis and quotes around it; of that the last
    line with a question mark, and of this the last sentence that ends in one; else the last line, with a question
    mark added. Blanks are collapsed. An empty reply stays empty.

    >>> post_process("Reasoning: two facts.\\nFinal question: Who led Norway after 2004?")
    'Who led Norway after 2004?'
    >>> post_process('"Who led Norway after 2004"')
    'Who led Norway after 2004?'
    """
    text = _EMPHASIS.sub("", _FENCE.sub("\n", reply))
    *_, text = _MARKER.split(text) if _MARKER.search(text) and _MARKER.split(text)[-1].strip() else (text,)
    lines = [" ".join(line.split()) for line in text.splitlines()]
    lines = [line for line in map(_unquoted, lines) if line]
    if not lines:
        return ""
    asking = [line for line in lines if "?" in line or "？" in line]
    if not asking:
        return f"{lines[-1].rstrip('.!:;, ')}?" if lines[-1].rstrip(".!:;, ") else ""
    *_, last = _SENTENCE.findall(asking[-1])
    *_, question = _START.split(last.strip())
    return _unquoted(question.strip())


def _unquoted(line: str) -> str:
    """The line without a list mark before it and quotes around it; nothing if it has no letter and no digit."""
    line = _LIST_MARK.sub("", line.strip(), count=1) if _LIST_MARK.match(line.strip()) else line.strip()
    while len(line) > 1 and _PAIRS.get(line[0]) == line[-1] and line[0] not in line[1:-1]:
        line = line[1:-1].strip()
    if line and line[0] in _PAIRS and _PAIRS[line[0]] not in line[1:]:  # the other one stood after the question mark
        line = line[1:].strip()
    return line if any(sign.isalnum() for sign in line) else ""
