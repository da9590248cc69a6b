"""No call costs more than its bound, whatever the tokenizer, the server and the reply are."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agents.backends import cost
from agents.call_bounds import MESSAGE_TOKENS, call_cost_bound, prompt_token_bound, reply_token_bound, request_bytes
from state.config import ModelConfig, Price
from state.trajectory import Request, Usage

CONTENTS = st.lists(st.text(max_size=60), min_size=1, max_size=4)
SCHEMAS = st.none() | st.dictionaries(st.text(max_size=8), st.text(max_size=8) | st.integers() | st.lists(st.text(max_size=5)), max_size=4)
PRICES = st.builds(
    Price,
    input=st.floats(0, 100),
    cached_input=st.none() | st.floats(0, 100),
    output=st.floats(0, 100),
)


def request_of(contents: list[str], schema: dict[str, Any] | None = None, **params: Any) -> Request:
    messages = tuple({"role": "user", "content": content} for content in contents)
    return Request(messages=messages, schema=schema, model="m", base_url=None, params_sent=params)


def model_of(**settings: Any) -> ModelConfig:
    return ModelConfig(provider="openai", model="m", **settings)


@st.composite
def cut_up(draw: st.DrawFn, text: str) -> list[bytes]:
    """The text's bytes as the tokens of some byte-level tokenizer: pieces of at least one byte."""
    data, tokens = text.encode("utf-8", "surrogatepass"), []
    while data:
        size = draw(st.integers(1, min(6, len(data))))
        tokens.append(data[:size])
        data = data[size:]
    return tokens


@given(st.data(), CONTENTS, SCHEMAS)
def test_no_byte_level_tokenizer_counts_more_than_the_bound(data: st.DataObject, contents: list[str], schema: Any) -> None:
    request = request_of(contents, schema)
    read = [*contents, *([] if schema is None else [json.dumps(schema, ensure_ascii=False)])]
    counted = sum(len(data.draw(cut_up(text))) for text in read)
    bound = prompt_token_bound(request)
    assert counted <= sum(len(text.encode("utf-8", "surrogatepass")) for text in read) == request_bytes(request)
    assert counted + MESSAGE_TOKENS * len(contents) <= bound


@given(CONTENTS, SCHEMAS, PRICES, st.data())
def test_no_usage_within_the_bounds_costs_more_than_the_bound(contents: list[str], schema: Any, price: Price, data: st.DataObject) -> None:
    model = model_of(price=price, token_limit=data.draw(st.integers(1, 5000)))
    request = request_of(contents, schema, max_completion_tokens=model.token_limit)
    used = data.draw(st.integers(0, prompt_token_bound(request)))
    reply_bound = reply_token_bound(request, model)
    assert reply_bound == model.token_limit
    usage = Usage(input=used, cached_input=data.draw(st.integers(0, used)), output=data.draw(st.integers(0, reply_bound or 0)))
    paid, most = cost(usage, price), call_cost_bound(request, model)
    assert paid is not None
    assert most is not None
    assert paid <= float(most) * (1 + 1e-12)


def test_the_bound_counts_bytes_and_not_letters() -> None:
    assert prompt_token_bound(request_of(["é" * 10])) - prompt_token_bound(request_of(["e" * 10])) == 10
    assert request_bytes(request_of(["ab", "c"], {"a": 1})) == 3 + len('{"a": 1}')


def test_the_longest_reply_is_the_limit_that_is_sent_and_not_the_one_that_is_set() -> None:
    model = model_of(token_limit=100)
    assert reply_token_bound(request_of(["q"]), model) is None, "omit_params took it out"
    assert reply_token_bound(request_of(["q"], max_completion_tokens=400), model) == 400, "a cut-off reply doubled it twice"
    assert reply_token_bound(request_of(["q"], max_tokens=400), model) is None
    assert reply_token_bound(request_of(["q"], max_tokens=400), model_of(token_limit_name="max_tokens")) == 400
    assert reply_token_bound(request_of(["q"], max_completion_tokens=400, n=3), model) == 1200
    assert reply_token_bound(request_of(["q"], max_completion_tokens="400"), model) is None


def test_a_call_has_no_bound_without_price_or_limit_unless_replies_are_free() -> None:
    limited, free_replies = request_of(["q"], max_completion_tokens=10), Price(input=1, output=0)
    assert call_cost_bound(limited, model_of()) is None
    assert call_cost_bound(request_of(["q"]), model_of(price=Price(input=1, output=2))) is None
    assert call_cost_bound(request_of(["q"]), model_of(price=free_replies)) == Decimal(prompt_token_bound(request_of(["q"]))) / 10**6
    assert call_cost_bound(limited, model_of(price=Price(input=1, output=2))) == Decimal(prompt_token_bound(limited) + 20) / 10**6


def test_tools_among_the_parameters_are_part_of_the_prompt() -> None:
    tools = [{"type": "function", "function": {"name": "look_up", "description": "x" * 500}}]
    assert prompt_token_bound(request_of(["q"], tools=tools)) > prompt_token_bound(request_of(["q"])) + 500
