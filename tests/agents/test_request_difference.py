"""A request that is not in the record is shown beside the recorded one that is most like it."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agents.request_difference import LONGEST_LINE, MOST_LINES, nearest_difference, readable
from state.trajectory import Request

TEXTS = st.text(st.sampled_from("ab \n\t\x1b\u2028"), max_size=3 * LONGEST_LINE)


def request(content: str, **changed: Any) -> Request:
    messages = ({"role": "system", "content": "Be brief."}, {"role": "user", "content": content})
    return Request(messages=messages, **{"schema": None, "model": "m", "base_url": "http://x/v1", "params_sent": {}, **changed})


def test_the_nearest_of_several_is_the_one_that_is_shown() -> None:
    recorded = [request("one\ntwo\nthree\nfour"), request("five\nsix\nseven\neight"), request("nine")]
    diff = nearest_difference(request("five\nsix\nseven and a half\neight"), recorded)
    assert diff[:2] == ("--- recorded", "+++ now")
    assert [line for line in diff[2:] if line[0] in "+-"] == ["-seven", "+seven and a half"]


def test_of_two_that_are_equally_near_the_first_is_shown() -> None:
    assert "-one" in nearest_difference(request("three"), [request("one"), request("two")])


def test_model_address_parameters_and_schema_are_lines_of_their_own() -> None:
    changed = request("x", model="n", base_url="http://y/v1", params_sent={"seed": 1}, schema={"name": "question"})
    diff = nearest_difference(changed, [request("x")])
    assert {"-model: m", "+model: n", "-address: http://x/v1", "+address: http://y/v1", "+seed: 1", '+ "name": "question"'} <= set(diff)


def test_without_a_recorded_request_or_a_difference_nothing_is_shown() -> None:
    assert nearest_difference(request("x"), []) == ()
    assert nearest_difference(request("x"), [request("y"), request("x")]) == ()


def test_a_long_difference_is_cut_and_says_how_much_is_left() -> None:
    diff = nearest_difference(request("\n".join(f"a{number}" for number in range(100))), [request("b")])
    assert len(diff) == MOST_LINES
    whole = 3 + 5 + 101  # head; two lines around each end; what differs
    assert diff[-1].startswith("... ")
    assert abs(int(diff[-1].split()[1]) + MOST_LINES - 1 - whole) <= 3


def test_the_typed_request_of_the_rules_is_laid_out_so_that_the_difference_is_one_line() -> None:
    diff = nearest_difference(request('{"question":"Who?","hint":"A -> B"}'), [request('{"question":"Whom?","hint":"A -> B"}')])
    assert [line for line in diff[2:] if line[0] in "+-"] == ['- "question": "Whom?",', '+ "question": "Who?",']


@given(TEXTS)
def test_long_lines_are_broken_and_nothing_of_them_is_lost(text: str) -> None:
    lines = list(readable(request(text)))
    assert all(len(line) <= LONGEST_LINE for line in lines)
    at = lines.index("[user]") + 1
    assert "".join(lines[at : lines.index("[request]", at)]) == text.replace("\n", "")
