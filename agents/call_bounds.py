"""What one call can cost at most, from its request alone: no tokenizer, no network.

Every token of a byte-level tokenizer covers at least one byte of what was sent, so bytes bound tokens
whatever the model is. The budget reserves by these bounds and `chronoqg estimate` prints them.
"""

from __future__ import annotations

import json
from decimal import Decimal

from state.config import ModelConfig
from state.trajectory import Request

MESSAGE_TOKENS = 64
"""Most tokens that a server's chat template puts around one message: role, separators, a line on the reply."""
_MILLION = Decimal(1_000_000)


def request_bytes(request: Request) -> int:
    """UTF-8 bytes of what a model reads of a request: the contents of the messages, and the schema."""
    contents = sum(_length(message.get("content", "")) for message in request.messages)
    return contents + (0 if request.schema_ is None else _length(_json(request.schema_)))


def prompt_token_bound(request: Request) -> int:
    """Most prompt tokens of a request: one a byte of contents, schema and parameters, and `MESSAGE_TOKENS` a message.

    The parameters count because some of them (`tools`) are read by the model.
    """
    return request_bytes(request) + _length(_json(request.params_sent)) + MESSAGE_TOKENS * len(request.messages)


def reply_token_bound(request: Request, model: ModelConfig) -> int | None:
    """Most completion tokens of the reply, reasoning included: the limit that is sent; `None` if none is.

    A request for `n` replies may have `n` times as many.
    """
    limit, replies = request.params_sent.get(model.token_limit_name), request.params_sent.get("n", 1)
    if type(limit) is not int or limit < 0 or type(replies) is not int:
        return None
    return limit * max(1, replies)


def call_cost_bound(request: Request, model: ModelConfig) -> Decimal | None:
    """Most US dollars of one call; `None` if the model has no price, or a priced reply no limit."""
    if model.price is None:
        return None
    reply = reply_token_bound(request, model)
    if reply is None and model.price.output > 0:
        return None
    return token_cost(prompt_token_bound(request), reply or 0, model)


def token_cost(prompt: int, reply: int, model: ModelConfig) -> Decimal:
    """US dollars of so many tokens where the server's own cache saves nothing; 0 for a model without a price.

    Exact, so that a sum does not depend on its order.
    """
    if model.price is None:
        return Decimal(0)
    dearer = max(model.price.input, model.price.cached_input or 0)
    return (prompt * Decimal(str(dearer)) + reply * Decimal(str(model.price.output))) / _MILLION


def _length(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
