"""An HTTP status -> what went wrong, whether asking again can help, and what to do where it cannot."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

import openai

from agents.replies import RawReply
from state.config import ModelConfig
from state.trajectory import Request
from state.vocabulary import TryError

_PARAMETER_AT_FAULT = re.compile(
    r"support|unknown|unrecogni[sz]ed|unexpected|extra|invalid|not allowed|not permitted|deprecated", re.IGNORECASE
)
_TOO_LONG = re.compile(r"context|too long|too large|too many tokens|maximum.{0,20}length", re.IGNORECASE)
_KEPT = "What is finished is kept; then run the same command."


def fault_of_status(error: openai.APIStatusError, request: Request, config: ModelConfig, where: str, *, proven: bool) -> RawReply:
    """The failure that a status stands for.

    Args:
        error: the client's error.
        request: what was sent.
        config: the model's settings.
        where: the config key of the model, for remedies.
        proven: whether the model has replied before, so that a plain "forbidden" concerns this request alone.
    """
    told, code = _told(error), _code(error)
    detail = f"status {error.status_code}: {told}"
    parameter = parameter_at_fault(error, told, request) if error.status_code in (400, 422) else None
    if error.status_code == 401:
        detail = f"the server refuses the key: {detail}"
    if parameter is not None:
        detail += f" (parameter {parameter})"
    return RawReply(
        text=None,
        error=_KINDS.get(error.status_code) or (TryError.SERVER_ERROR if error.status_code >= 500 else TryError.BAD_REQUEST),
        detail=detail,
        refuses=parameter or "",
        retry_after_s=retry_after(error.response.headers),
        stops_run="" if error.status_code == 403 and proven else _remedy(error.status_code, code, parameter, request, config, where),
    )


def parameter_at_fault(error: openai.APIStatusError, told: str, request: Request) -> str | None:
    """The parameter of a request that the server refuses; `None` if the refusal is about something else."""
    sent = [*request.params_sent, *(["response_format"] if request.schema_ is not None else [])]
    code = _code(error)
    if code == "context_length_exceeded" or _TOO_LONG.search(told):
        return None
    named = error.param or _error_object(error).get("param")
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
            except (TypeError, ValueError):
                continue
        return max(0.0, seconds) if seconds == seconds else None
    return None


_KINDS = {401: TryError.AUTHENTICATION, 408: TryError.TIMEOUT, 409: TryError.SERVER_ERROR, 429: TryError.RATE_LIMITED}


def _remedy(status: int, code: str, parameter: str | None, request: Request, config: ModelConfig, where: str) -> str:
    """What to do about a failure that every request would meet; empty if it may be this request's own."""
    if status == 401:
        return "Check the key: api_key_env names its variable."
    if status == 402 or code in ("insufficient_quota", "billing_not_active", "billing_hard_limit_reached"):
        return f"Top up the account or name another model. {_KEPT}"
    if status == 403:
        return f"Check that the key may use {where}.model. {_KEPT}"
    if status == 404:
        return f"Check {where}.model and {where}.base_url. {_KEPT}"
    if parameter is None:
        return ""
    if parameter == "response_format":
        return f"Set {where}.structured_output to prompt, or to auto."
    if parameter == config.token_limit_name:
        other = "max_tokens" if parameter == "max_completion_tokens" else "max_completion_tokens"
        # A limit that was doubled after a cut-off reply is this request's own.
        return f"Set {where}.token_limit_name to {other}." if request.params_sent[parameter] == config.token_limit else ""
    return f"Leave it out: {where}.omit_params: [{parameter}]."


def _error_object(error: openai.APIStatusError) -> Mapping[str, Any]:
    body = error.body
    if isinstance(body, Mapping):
        inner = body.get("error")
        return inner if isinstance(inner, Mapping) else body
    return {}


def _code(error: openai.APIStatusError) -> str:
    code = error.code or _error_object(error).get("code") or _error_object(error).get("type")
    return code if isinstance(code, str) else ""


def _told(error: openai.APIStatusError) -> str:
    told = _error_object(error).get("message")
    if told is None:
        told = error.message
    return told if isinstance(told, str) else json.dumps(told)
