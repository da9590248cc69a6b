"""A chat completion as JSON -> raw reply: content, finish reason, refusal and usage, the one place where they are read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from agents.replies import RawReply
from state.trajectory import MOST_TOKENS, Usage
from state.vocabulary import TryError


def read_completion(body: object) -> RawReply:
    """The first choice of a completion; a body that is none, such as an error object with status 200, is a server error."""
    choices = body.get("choices") if isinstance(body, Mapping) else None
    if not isinstance(body, Mapping) or not isinstance(choices, list) or not choices or not isinstance(choices[0], Mapping):
        told = _error_text(body)
        return _no_completion(f": {told}" if told else "")
    choice = choices[0]
    message = choice.get("message")
    if not isinstance(message, Mapping):
        return _no_completion(": it has no message")
    refusal = message.get("refusal")
    finish = choice.get("finish_reason")
    usage = body.get("usage")
    return RawReply(
        text=refusal if isinstance(refusal, str) and refusal else "".join(_texts(message.get("content"))),
        finish_reason=finish if isinstance(finish, str) else None,
        refused=isinstance(refusal, str) and bool(refusal),
        usage=read_usage(usage),
        reports_usage=isinstance(usage, Mapping) and _is_told(usage),
    )


def read_usage(usage: object) -> Usage:
    """Token counts; reasoning counts as output also where a server lists it beside its completion tokens."""
    if not isinstance(usage, Mapping):
        return Usage()
    prompt, completion, total = (_count(usage.get(name)) for name in ("prompt_tokens", "completion_tokens", "total_tokens"))
    reasoning = _detail(usage, "completion_tokens_details", "reasoning_tokens")
    return Usage(
        input=prompt,
        cached_input=min(_detail(usage, "prompt_tokens_details", "cached_tokens"), prompt),
        output=min(max(completion, total - prompt if prompt else 0, reasoning), MOST_TOKENS),
        reasoning=reasoning,
    )


def _no_completion(why: str) -> RawReply:
    return RawReply(text=None, error=TryError.SERVER_ERROR, detail=f"the reply is no chat completion{why}", answered=False)


def _detail(usage: Mapping[str, Any], group: str, name: str) -> int:
    details = usage.get(group)
    return _count(details.get(name)) if isinstance(details, Mapping) else 0


def _is_told(usage: Mapping[str, Any]) -> bool:
    """Whether both counts that a bill is made of are there and can be meant."""
    return _is_count(usage.get("completion_tokens")) and _count(usage.get("prompt_tokens")) > 0


def _is_count(value: object) -> bool:
    return type(value) in (int, float) and 0 <= value <= MOST_TOKENS and value == int(value)  # type: ignore[operator, call-overload]


def _count(value: object) -> int:
    """A number of tokens; what cannot be one counts as not reported, since a server's word is not to end a run."""
    return int(value) if _is_count(value) else 0  # type: ignore[call-overload]


def _texts(content: object) -> Iterator[str]:
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, str):
            yield part
        elif isinstance(part, Mapping) and isinstance(part.get("text"), str):
            yield part["text"]


def _error_text(body: object) -> str:
    error = body.get("error") if isinstance(body, Mapping) else None
    told = error.get("message") if isinstance(error, Mapping) else error
    return told if isinstance(told, str) else "" if told is None else json.dumps(told)
