"""An HTTP status -> what went wrong, whether asking again can help, and what to do where it cannot."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from agents.replies import RawReply
from state.config import ModelConfig
from state.trajectory import Request
from state.vocabulary import TryError

_PARAMETER_AT_FAULT = re.compile(
    r"support|unknown|unrecogni[sz]ed|unexpected|extra|invalid|not allowed|not permitted|deprecated", re.IGNORECASE
)
_TOO_LONG = re.compile(r"context|too long|too large|too many tokens|maximum.{0,20}length", re.IGNORECASE)
_KEPT = "What is finished is kept; then run the same command."
_ANEW = "A run that has begun keeps its models: with a new --out the replies that were paid for come from the cache."


def fault_of_status(
    status: int, headers: Mapping[str, str], body: object, request: Request, config: ModelConfig, where: str, *, proven: bool
) -> RawReply:
    """The failure that a status stands for.

    Args:
        status: the HTTP status, not a 2xx.
        headers: the response's headers.
        body: the response's JSON, or its text.
        request: what was sent.
        config: the model's settings.
        where: the config key of the model, for remedies.
        proven: whether the model has replied before, so that a plain "forbidden" concerns this request alone.
    """
    told, code = _told(body), _code(body)
    detail = f"status {status}: {told}"
    parameter = parameter_at_fault(body, request) if status in (400, 422) else None
    if status == 401:
        detail = f"the server refuses the key: {detail}"
    if parameter is not None:
        detail += f" (parameter {parameter})"
    return RawReply(
        text=None,
        error=_kind(status, told),
        detail=detail,
        refuses=parameter or "",
        answered=status not in _OF_A_GATEWAY,
        retry_after_s=retry_after(headers),
        stops_run="" if status == 403 and proven else _remedy(status, code, parameter, request, config, where),
    )


def parameter_at_fault(body: object, request: Request) -> str | None:
    """The parameter of a request that the server refuses; `None` if the refusal is about something else."""
    sent = [*request.params_sent, *(["response_format"] if request.schema_ is not None else [])]
    told = _told(body)
    if _code(body) == "context_length_exceeded" or _TOO_LONG.search(told):
        return None
    named = _error_object(body).get("param")
    if isinstance(named, str) and named:
        return next((name for name in sent if named == name or named.startswith((f"{name}.", f"{name}["))), None)
    if not _PARAMETER_AT_FAULT.search(told):
        return None
    return next((name for name in sent if re.search(rf"(?<![\w]){re.escape(name)}(?![\w])", told)), None)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds from a `Retry-After` header, given as a number or as a date."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name)
        if value is None:
            continue
        try:
            seconds = float(value) * unit
        except ValueError:
            try:
                seconds = parsedate_to_datetime(value).timestamp() - time.time()
            except (TypeError, ValueError, OverflowError):
                continue
        return max(0.0, seconds) if seconds == seconds else None
    return None


_OF_A_GATEWAY = frozenset((408, 502, 504, 520, 522, 524))
"""Statuses of something between us and the server, which says nothing of what the server did and will charge for."""
_TOO_LARGE_EVER = re.compile(r"request (?:is )?too large", re.IGNORECASE)
_KINDS = {401: TryError.AUTHENTICATION, 408: TryError.TIMEOUT, 409: TryError.SERVER_ERROR, 429: TryError.RATE_LIMITED}


def _kind(status: int, told: str) -> TryError:
    if status == 429 and _TOO_LARGE_EVER.search(told):  # more tokens than a minute allows: waiting does not help
        return TryError.BAD_REQUEST
    return _KINDS.get(status) or (TryError.SERVER_ERROR if status >= 500 else TryError.BAD_REQUEST)


def _remedy(status: int, code: str, parameter: str | None, request: Request, config: ModelConfig, where: str) -> str:
    """What to do about a failure that every request would meet; empty if it may be this request's own."""
    if status == 401:
        return "Check the key: api_key_env names its variable."
    if status == 402 or code in ("insufficient_quota", "billing_not_active", "billing_hard_limit_reached"):
        return f"Top up the account or name another model. {_KEPT}"
    if status == 403:
        return f"Check that the key may use {where}.model. {_KEPT}"
    if status == 404:
        return f"Check {where}.model and {where}.base_url. {_ANEW}"
    if parameter is None:
        return ""
    if parameter == "response_format":
        return f"Set {where}.structured_output to prompt, or to auto. {_ANEW}"
    if parameter == config.token_limit_name:
        other = "max_tokens" if parameter == "max_completion_tokens" else "max_completion_tokens"
        # A limit that was doubled after a cut-off reply is this request's own.
        is_own = request.params_sent[parameter] != config.token_limit
        return "" if is_own else f"Set {where}.token_limit_name to {other}. {_ANEW}"
    return f"Leave it out: {where}.omit_params: [{parameter}]. {_ANEW}"


def _error_object(body: object) -> Mapping[str, Any]:
    """The error in a body: OpenAI puts it under `error`, others put it there as a text, or leave that level out."""
    if not isinstance(body, Mapping):
        return {}
    inner = body.get("error")
    if isinstance(inner, str):
        return {"message": inner}
    return inner if isinstance(inner, Mapping) else body


def _code(body: object) -> str:
    error = _error_object(body)
    code = error.get("code") or error.get("type")
    return code if isinstance(code, str) else ""


def _told(body: object) -> str:
    error = _error_object(body)
    told = error.get("message") or error.get("detail") or body
    return told if isinstance(told, str) else json.dumps(told)
