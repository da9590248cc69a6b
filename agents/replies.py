"""Model text -> validated reply, the one place where a raw reply is read.

Lenient about wrapping (reasoning blocks, code fences, talk around the JSON), strict about content:
every key must be there, a value must be exactly one of its closed set, and two objects are none.
What cannot be read for certain is an error to ask again about, never a half answer to compare.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from state.answer_roles import VerdictReply
from state.roles import AnswersReply, CauseReply, FactDescription, QuestionReply, ReadingReply, RoleReply, StatedConstraint, TextReply
from state.tdbench_scoring import TimeVerdict
from state.trajectory import Usage
from state.vocabulary import Cause, OperatorWord, RankOrder, Role, TryError

_TAG = r"(?:think|thinking|thought|reasoning)"
_OPEN = re.compile(rf"\s*<({_TAG})>", re.IGNORECASE)
_CLOSE = re.compile(rf"</{_TAG}>", re.IGNORECASE)
_FENCE = re.compile(r"```[ \t]*\w*[ \t]*\r?\n(.*?)```", re.DOTALL)
_SURROGATES = re.compile("[\ud800-\udfff]")
_BARE_ANSWER_LIMIT = 200
_BRACE_LIMIT = 1000
"""Braces in a text that is not JSON as a whole; past it the search for an object would take seconds."""

_LAST_RANK = 1_000_000
"""No evidence holds so many facts; a number of many digits could not be written in every form of JSON."""

_FILTERED = frozenset(("content_filter", "safety", "recitation", "prohibited_content"))
_CUT_OFF = frozenset(("length", "max_tokens", "model_length", "incomplete", "abort", "error", "cancelled"))
"""Reasons, in small letters, after which a text is not the whole reply."""


class RawReply(NamedTuple):
    """One reply as the source gave it, or the failure in its place."""

    text: str | None
    finish_reason: str | None = None
    refused: bool = False
    """Whether `text` is what the server put into its refusal field."""
    usage: Usage = Usage()
    error: TryError | None = None
    """A failure of the call itself; the text is then `None`."""
    detail: str = ""
    latency_s: float = 0.0
    cached: bool = False
    retry_after_s: float | None = None
    reached: bool = True
    """Whether the request got to a server; after a refused connection it certainly did not."""
    answered: bool = True
    """Whether the server said how the request ended; after a time-out nobody knows what it will charge."""
    counted: bool = True
    """Whether a failure may be the request's own doing, and so counts against its tries."""
    stops_run: str = ""
    """What to do about a failure that every request would meet; empty: the next one may fare better."""
    refuses: str = ""
    """The parameter that the server refuses, if that is the failure."""
    reports_usage: bool = True
    """Whether the server counted the tokens."""
    usd: float | None = None
    """What the call was charged with, where that is not the price of its usage."""


class ParsedReply(NamedTuple):
    """A validated reply, or why there is none."""

    reply: RoleReply | None
    error: TryError | None = None
    detail: str = ""


class _Unreadable(Exception):
    """Why a text holds no valid reply."""

    def __init__(self, detail: str, error: TryError = TryError.UNPARSABLE) -> None:
        self.detail = detail
        self.error = error
        super().__init__(detail)


def without_surrogates(text: str) -> str:
    """The text with lone surrogates, which no file can hold, replaced by U+FFFD."""
    return _SURROGATES.sub("\ufffd", text)


def parse_reply(raw: RawReply, role: Role) -> ParsedReply:
    """The reply of a role, validated, or the error that it is."""
    if raw.error is not None:
        return ParsedReply(None, raw.error, raw.detail)
    if raw.refused:
        return ParsedReply(None, TryError.REFUSED, "the model refused")
    finish = (raw.finish_reason or "").lower()
    if finish in _FILTERED:
        return ParsedReply(None, TryError.FILTERED, "the server's content filter cut the reply")
    if finish in _CUT_OFF:
        return ParsedReply(None, TryError.TRUNCATED, "the reply was cut off by the token limit")
    if raw.text is None or not raw.text.strip():
        return ParsedReply(None, TryError.EMPTY, "the reply is empty")
    try:
        if role in (Role.GENERATOR, Role.ANSWERER):
            return ParsedReply(TextReply(text=without_surrogates(_without_reasoning(raw.text)).strip()))
        return ParsedReply(_SCHEMAS[role](_payload(raw.text)))
    except _Unreadable as problem:
        return ParsedReply(None, problem.error, problem.detail)


def _payload(text: str) -> dict[str, Any] | str:
    """The one JSON object of a reply, or its bare text without reasoning."""
    whole = _json_object(text)
    if whole is not None:
        return whole
    text = _without_reasoning(text)
    whole = _json_object(text)
    if whole is not None:
        return whole
    fenced = [inner for inner in _FENCE.findall(text) if inner.strip()]
    if len(fenced) == 1:
        inner = _json_object(fenced[0])
        return inner if inner is not None else str(fenced[0]).strip()
    found = _objects_within(text)
    if len(found) > 1:
        raise _Unreadable("the reply holds more than one JSON object")
    return found[0] if found else text.strip()


def _without_reasoning(text: str) -> str:
    while opening := _OPEN.match(text):
        closing = _CLOSE.search(text, opening.end())
        if closing is None:
            raise _Unreadable("the reply ends within its reasoning", TryError.TRUNCATED)
        text = text[closing.end() :]
    if _json_object(text) is None:  # a closing tag alone: the opening one was part of the prompt
        *_, text = _CLOSE.split(text)
    if re.search(rf"<{_TAG}>", text, re.IGNORECASE) and _json_object(text) is None and not _objects_within(text):
        raise _Unreadable("the reply ends within its reasoning", TryError.TRUNCATED)
    if not text.strip():
        raise _Unreadable("the reply is reasoning only", TryError.EMPTY)
    return text


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise _Unreadable("a key stands twice in the reply's JSON")
    return {key: _holdable(value) for key, value in pairs}


def _holdable(value: Any) -> Any:
    """A text, or a list of texts, without the lone surrogates that JSON can escape."""
    if isinstance(value, str):
        return without_surrogates(value)
    return [without_surrogates(part) if isinstance(part, str) else part for part in value] if isinstance(value, list) else value


def _no_constant(name: str) -> Any:
    raise ValueError(name)


_DECODER = json.JSONDecoder(object_pairs_hook=_unique_keys, parse_constant=_no_constant)


def _json_object(text: str) -> dict[str, Any] | None:
    text = text.strip()
    if not text.startswith("{"):
        return None
    try:
        value = _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _objects_within(text: str) -> list[dict[str, Any]]:
    if text.count("{") > _BRACE_LIMIT:
        raise _Unreadable("the reply is not the JSON object asked for")
    found: list[dict[str, Any]] = []
    at = text.find("{")
    while at != -1:
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            found.append(value)
        at = text.find("{", end)
    return found


def _field(payload: dict[str, Any], name: str) -> Any:
    if name not in payload:
        raise _Unreadable(f"the key {name!r} is missing from the reply")
    return payload[name]


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise _Unreadable(f"{name!r} must be a string")
    if not value.strip():
        raise _Unreadable(f"{name!r} is empty", TryError.EMPTY)
    return value.strip()


def _truth(value: Any, name: str) -> bool:
    """A boolean, or exactly the word for it: the string "false" is false, not true by being a string."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().lower() in ("true", "false"):
        return value.strip().lower() == "true"
    raise _Unreadable(f"{name!r} must be true or false")


def _question(payload: dict[str, Any] | str) -> QuestionReply:
    if isinstance(payload, dict):
        return QuestionReply(question=_text(_field(payload, "question"), "question"))
    lines = [line.strip() for line in payload.splitlines() if line.strip()]
    if len(lines) != 1 or not lines[0].strip("\"'“”*").endswith("?"):
        raise _Unreadable("the reply is neither the JSON object asked for nor one question")
    return QuestionReply(question=_unwrapped(lines[0]))


def _unwrapped(text: str) -> str:
    """A bare question without the quotes or asterisks around the whole of it."""
    for opening, closing in (('"', '"'), ("“", "”"), ("**", "**"), ("*", "*")):
        inner = text[len(opening) : -len(closing)]
        if text.startswith(opening) and text.endswith(closing) and inner.endswith("?") and opening not in inner:
            return inner.strip()
    return text


def _answers(payload: dict[str, Any] | str) -> AnswersReply:
    if isinstance(payload, dict):
        answers = _field(payload, "answers")
        if not isinstance(answers, list) or not all(isinstance(answer, str) for answer in answers):
            raise _Unreadable("'answers' must be a list of strings")
        cannot_tell = _truth(_field(payload, "cannot_tell"), "cannot_tell")
        if cannot_tell and answers:
            raise _Unreadable("the reply both names answers and says that it cannot tell")
        return AnswersReply(answers=tuple(answer.strip() for answer in answers), cannot_tell=cannot_tell)
    if "\n" in payload or len(payload) > _BARE_ANSWER_LIMIT or any(sign in payload for sign in "{}[]"):
        raise _Unreadable("the reply is not the JSON object asked for")
    return AnswersReply(answers=(payload,), cannot_tell=False)


def _cause(payload: dict[str, Any] | str) -> CauseReply:
    if not isinstance(payload, dict):
        raise _Unreadable("the reply is not the JSON object asked for")
    cause = _field(payload, "cause")
    if not isinstance(cause, str) or cause not in Cause.__members__.values():
        raise _Unreadable(f"'cause' must be one of: {', '.join(Cause)}")
    reason = _field(payload, "reason")
    if not isinstance(reason, str):
        raise _Unreadable("'reason' must be a string")
    return CauseReply(cause=Cause(cause), reason=reason.strip())


def _reading(payload: dict[str, Any] | str) -> ReadingReply:
    if not isinstance(payload, dict):
        raise _Unreadable("the reply is not the JSON object asked for")
    constraints = _field(payload, "constraints")
    if not isinstance(constraints, list) or not all(isinstance(item, dict) for item in constraints):
        raise _Unreadable("'constraints' must be a list of objects")
    cannot_tell = _truth(_field(payload, "cannot_tell"), "cannot_tell")
    if cannot_tell and constraints:
        raise _Unreadable("the reply both lists constraints and says that it cannot tell")
    return ReadingReply(constraints=tuple(map(_constraint, constraints)), cannot_tell=cannot_tell)


def _constraint(item: dict[str, Any]) -> StatedConstraint:
    operator = _field(item, "operator")
    if not isinstance(operator, str) or operator not in OperatorWord.__members__.values():
        raise _Unreadable(f"'operator' must be one of: {', '.join(OperatorWord)}")
    word = OperatorWord(operator)
    left, right = _description(_field(item, "left"), "left"), _field(item, "right")
    rank, order = _field(item, "rank"), _field(item, "order")
    if not word.is_rank:
        if rank is not None or order is not None:
            raise _Unreadable(f"'rank' and 'order' must be null for {word.value!r}, which compares two facts")
        return StatedConstraint(operator=word, left=left, right=_description(right, "right"), rank=None, order=None)
    if right is not None:
        raise _Unreadable(f"'right' must be null for {word.value!r}, which ranks one fact")
    if type(rank) is not int or not 1 <= rank <= _LAST_RANK:
        raise _Unreadable(f"'rank' must be a whole number from 1 to {_LAST_RANK} for {word.value!r}")
    if not isinstance(order, str) or order not in RankOrder.__members__.values():
        raise _Unreadable(f"'order' must be one of: {', '.join(RankOrder)}")
    return StatedConstraint(operator=word, left=left, right=None, rank=rank, order=RankOrder(order))


def _description(value: Any, name: str) -> FactDescription:
    if not isinstance(value, dict):
        raise _Unreadable(f"{name!r} must be an object with the keys relation, subject and object")
    ends = [_field(value, end) for end in ("subject", "object")]
    if not all(end is None or (isinstance(end, str) and end.strip()) for end in ends):
        raise _Unreadable(f"subject and object of {name!r} must be a name, or null where the question leaves it open")
    subject, object_ = (None if end is None else end.strip() for end in ends)
    return FactDescription(relation=_text(_field(value, "relation"), "relation"), subject=subject, object=object_)


def _verdict(payload: dict[str, Any] | str) -> VerdictReply:
    if not isinstance(payload, dict):
        raise _Unreadable("the reply is not the JSON object asked for")
    words = {}
    for name in ("answer", "time"):
        word = _field(payload, name)
        if not isinstance(word, str) or word not in TimeVerdict.__members__.values():
            raise _Unreadable(f"{name!r} must be one of: {', '.join(TimeVerdict)}")
        words[name] = TimeVerdict(word)
    return VerdictReply(answer=words["answer"], time=words["time"])


_SCHEMAS: dict[Role, Callable[[dict[str, Any] | str], RoleReply]] = {
    Role.REWRITER: _question,
    Role.REVISER: _question,
    Role.LEAK_REWRITER: _question,
    Role.VERIFIER: _answers,
    Role.APPEAL: _answers,
    Role.ERROR_ANALYST: _cause,
    Role.ROUND_TRIP_READER: _reading,
    Role.JUDGE: _verdict,
}
