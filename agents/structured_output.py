"""Does a server keep to a response schema? Asked once, with a question whose plain answer would not fit it.

A server may refuse the schema, or take it and answer as it likes. Only a reply that is exactly what the
schema allows, to a message that says nothing of JSON, shows that it is kept.
"""

from __future__ import annotations

import json
from typing import Literal

from agents.addresses import public_address
from agents.backends import MOST_FAULTS
from agents.model_client import ModelClient
from agents.pace import FAULTS
from agents.replies import RawReply
from agents.response_cache import request_key
from state.config import ModelConfig
from state.errors import ModelCallError
from state.trajectory import Request
from state.vocabulary import Role

Mode = Literal["json_schema", "prompt"]

PROBE_ROLE = "probe"
"""How the ledger names who asks."""
_WORD = "ready"
_SCHEMA = {
    "type": "json_schema",
    "json_schema": {
        "name": "state",
        "strict": True,
        "schema": {
            "type": "object",
            "properties": {"state": {"type": "string", "enum": [_WORD]}},
            "required": ["state"],
            "additionalProperties": False,
        },
    },
}


def probe_request(config: ModelConfig) -> Request:
    """The one request that finds out."""
    params = dict(config.params)
    if config.token_limit is not None:
        params[config.token_limit_name] = config.token_limit
    return Request(
        messages=({"role": "user", "content": "Good morning. How are you?"},),
        schema=_SCHEMA,
        model=config.model or "",
        base_url=public_address(config.base_url),
        params_sent={name: value for name, value in sorted(params.items()) if name not in config.omit_params},
    )


async def probe(client: ModelClient) -> tuple[Mode, str]:
    """The mode that suits the server, and why.

    Raises:
        ModelCallError: the server cannot be asked at all.
        BudgetReached: the budget has no room for the one call.
    """
    request = probe_request(client.config)
    key = request_key(Role.VERIFIER, PROBE_ROLE, request, 0)
    left = MOST_FAULTS
    while True:
        try:
            raw = await client.send(request, role=PROBE_ROLE, key=key, may_refuse=("response_format",))
        except ModelCallError as error:
            raise ModelCallError(
                f"asking for the structured-output mode failed: {error.what}", where=error.where, remedy=error.remedy
            ) from None
        left -= raw.error in FAULTS and raw.counted  # a busy server, or one that is gone, has said nothing of schemas
        if raw.error not in FAULTS or not left:
            return mode_shown_by(raw)


def mode_shown_by(raw: RawReply) -> tuple[Mode, str]:
    """What the reply to the probe says."""
    if raw.error is not None:
        return "prompt", f"the server refuses a schema: {raw.detail}"
    if is_cut_off(raw):
        return "prompt", "the reply was cut off by the token limit before it could show whether a schema is kept to"
    try:
        kept = json.loads(raw.text or "") == {"state": _WORD}
    except ValueError:
        kept = False
    if kept:
        return "json_schema", "the server keeps to a schema"
    return "prompt", "the server takes a schema and does not keep to it"


def is_cut_off(raw: RawReply) -> bool:
    """Whether the reply ends where the token limit was, which says nothing of schemas."""
    return raw.finish_reason in ("length", "max_tokens")
