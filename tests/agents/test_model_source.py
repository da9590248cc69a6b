"""The cache in front of the client: one request for each key, and none for what is stored."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agents.response_cache import ResponseCache
from tests.fake_openai_server import FakeServer, Reply, in_turn
from tests.model_calls import QUESTION, ask, settings


def test_one_request_is_in_flight_per_key_and_the_others_get_its_reply(tmp_path: Any) -> None:
    with FakeServer(in_turn(Reply(content='{"question": "Who?"}', delay_s=0.1))) as server:
        calls = ask(settings(server), ResponseCache(tmp_path / "cache"), times=5)
    assert len(server.seen) == 1
    assert sorted(call.tries[0].cached for call in calls) == [False, True, True, True, True]


def test_a_cached_reply_needs_no_server_and_a_broken_one_is_a_miss(tmp_path: Any, caplog: pytest.LogCaptureFixture) -> None:
    cache = ResponseCache(tmp_path / "cache")
    with FakeServer(in_turn(QUESTION)) as server:
        (first,) = ask(settings(server), cache)
        (second,) = ask(settings(server), cache)
        assert (first.tries[0].cached, second.tries[0].cached, len(server.seen)) == (False, True, 1)
        assert second.tries[0].usage == first.tries[0].usage
        text, usage = json.dumps(first.tries[0].reply_raw), '{"input": 1' + "0" * 30 + "}"
        too_many = f'{{"format": 1, "text": {text}, "finish_reason": "stop", "usage": {usage}}}'
        for broken in ("", "{", "[]", '{"format": 1, "text": 5}', '{"format": 9}', first.tries[0].reply_raw or "", too_many):
            caplog.clear()
            cache.put(first.tries[0].request_sha256, broken)
            (again,) = ask(settings(server), cache)
            assert not again.tries[0].cached
            assert "is passed over" in caplog.text
