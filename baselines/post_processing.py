"""A generator's reply -> the one question that is scored. Paper: not stated; the same for every method."""

from __future__ import annotations

import json
import re

_MARKER = re.compile(
    r"(?:final\s+|merged\s+|rewritten\s+|revised\s+)?question(?:\s+\d+)?[\"'”]?\s*:\s*|^[^\w\n]*(?:final )?question +[-–—] ",
    re.IGNORECASE | re.MULTILINE,
)
_FENCE = re.compile(r"```[ \t]*\w*|```")
_ELEMENT = re.compile(r"</?(?:final_)?(?:question|answer|output|response|p)>", re.IGNORECASE)
_EMPHASIS = re.compile(r"\*\*|__|</?(?:b|i|em|strong)>|\ufeff", re.IGNORECASE)
_PAIRS = {'"': '"', "'": "'", "`": "`", "*": "*", "_": "_", "“": "”", "‘": "’", "«": "»", "„": "“", "「": "」"}
_LIST_MARK = re.compile(r"(?:[-*•]\s+|\d+[.)]\s+|>\s*)")
_WORDS = "who|whom|whose|what|which|when|where|why|how"
_ASKING = rf"{_WORDS}|did|does|do|was|were|is|are|has|had|have|can|could|name"
_OPENERS = rf"{_ASKING}|of|in|at|on|by|to|for|from|among|during|after|before|between|until|since|under|with|as|while"
_ASKS = re.compile(rf"[\"'“¿]*(?:{_ASKING})\b", re.IGNORECASE)
_LEADS = re.compile(rf"[\"'“]?(?:{_OPENERS})\b.*?\b(?:{_WORDS})\b", re.IGNORECASE)
"""How a question begins that asks for something further on: `In which year`."""
_CAPITAL = rf"[\"'“(]*(?=[A-Z])(?i:{_OPENERS})\b"
_ANOTHER = re.compile(rf"[?？][\"'”’)*_]*\s+(?={_CAPITAL}|¿)|？(?=.)")
"""Where a further question begins; titles have question marks too, as in `Virginia Woolf?" after 2004`."""
_AFTER_TALK = re.compile(rf"(?P<stop>[.!:;])\s+(?={_CAPITAL})|[!:;]\s+(?=(?:{_WORDS})\b)")
"""Where a question may begin after talk."""
_SHORT = re.compile(r"(?<!\w)(?:[^\W\d_]|dr|mr|mrs|ms|st|jr|sr|inc|co|ltd|vs|no|prof|gen|capt|sgt|lt|col)\Z", re.IGNORECASE)
"""What a full stop may follow without ending a sentence: `Dr. Who`, `the U.S. In`."""


def post_process(reply: str) -> str:
    """The question in a reply.

    What follows the last marker (`Question:`), without fences, emphasis and quotes around it, or a JSON object's
    question; of that the last line with a question mark, and of this the last question; else the last line, with a
    question mark added. Blanks are collapsed. An empty reply stays empty.

    >>> post_process("Reasoning: two facts.\\nFinal question: Who led Norway after 2004?")
    'Who led Norway after 2004?'
    >>> post_process('"Who led Norway after 2004"')
    'Who led Norway after 2004?'
    >>> post_process("Who hosted Jeopardy! in the U.S. before Ken Jennings?")
    'Who hosted Jeopardy! in the U.S. before Ken Jennings?'
    """
    plain = _FENCE.sub("\n", reply)
    text = _EMPHASIS.sub("", _ELEMENT.sub("\n", _in_json(plain) or plain))
    *_, text = _MARKER.split(text) if _MARKER.search(text) and _MARKER.split(text)[-1].strip() else (text,)
    lines = [" ".join(line.split()) for line in text.splitlines()]
    lines = [line for line in map(_unquoted, lines) if line]
    if not lines:
        return ""
    asking = [line for line in lines if "?" in line or "？" in line]
    if not asking:
        return f"{lines[-1].rstrip('.!:;, ')}?" if lines[-1].rstrip(".!:;, ") else ""
    return _unquoted(_without_talk(_last_question(asking[-1])))


def _in_json(text: str) -> str:
    """The last text of a JSON object whose key speaks of a question; nothing if the reply is no such object."""
    if not text.lstrip("\ufeff \r\n\t").startswith("{"):
        return ""
    try:
        data = json.loads(text.strip("\ufeff \r\n\t"))
    except (ValueError, RecursionError):
        return ""
    found = [value for key, value in data.items() if "question" in key.casefold() and isinstance(value, str)]
    return found[-1] if found else ""


def _last_question(line: str) -> str:
    """What stands after all but the last question of a line, up to its last question mark."""
    asked = line[: max(line.rfind("?"), line.rfind("？")) + 1]
    return asked[max([0, *(found.end() for found in _ANOTHER.finditer(asked))]) :]


def _without_talk(text: str) -> str:
    """The text from where a question begins; a text that begins as one does is kept whole, whatever names it holds."""
    later = [
        found.end()
        for found in _AFTER_TALK.finditer(text)
        if not (found["stop"] == "." and _SHORT.search(text, max(0, found.start() - 5), found.start()))
    ]
    starts = [0, *later]
    for start, end in zip(starts, [*later, len(text)], strict=True):
        if _ASKS.match(text, start) or _LEADS.match(text, start, end):
            return text[start:]
    return text[starts[-1] :]


def _unquoted(line: str) -> str:
    """The line without a list mark before it and quotes around it; nothing if it has no letter and no digit."""
    line = _LIST_MARK.sub("", line.strip(), count=1) if _LIST_MARK.match(line.strip()) else line.strip()
    while _is_quoted(line):
        line = line[1:-1].strip()
    if line and line[0] in _PAIRS and _is_unpaired(line):  # the other one stood after the question mark
        line = line[1:].strip()
    return line if any(sign.isalnum() for sign in line) else ""


def _is_quoted(line: str) -> bool:
    """Whether the first and the last sign are quotes of one pair, not the first and the last of two."""
    if len(line) < 2 or _PAIRS.get(line[0]) != line[-1]:
        return False
    inner = line[1:-1]
    found = re.search(rf"(?<!\w)[{re.escape(line[0] + line[-1])}]|[{re.escape(line[0] + line[-1])}](?!\w)", inner)
    return found is None or found.start() == 0 or inner[found.start() - 1].isspace()


def _is_unpaired(line: str) -> bool:
    closing = _PAIRS[line[0]]
    return line.count(closing) % 2 == 1 if closing in '"*_`' and closing == line[0] else closing not in line[1:]
