from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.replies import RawReply, parse_reply
from state.roles import AnswersReply, CauseReply, QuestionReply, ReadingReply
from state.vocabulary import Cause, OperatorWord, Role, TryError

ANA = '{"answers": ["Ana Roy"], "cannot_tell": false}'
BO = '{"answers": ["Bo Lind"], "cannot_tell": false}'


def answers(text: str, finish: str = "stop") -> tuple[str, ...] | TryError | None:
    parsed = parse_reply(RawReply(text, finish), Role.VERIFIER)
    return parsed.reply.answers if isinstance(parsed.reply, AnswersReply) else parsed.error


def question(text: str) -> str | TryError | None:
    parsed = parse_reply(RawReply(text, "stop"), Role.REWRITER)
    return parsed.reply.question if isinstance(parsed.reply, QuestionReply) else parsed.error


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"<think>Could be Bo Lind {BO}</think>{ANA}", ("Ana Roy",)),
        ("maybe Bo Lind</think>Ana Roy", ("Ana Roy",)),
        (f"maybe {BO}</think>{ANA}", ("Ana Roy",)),
        ("<think>Bo Lind seems right", TryError.TRUNCATED),
        ("<think>first</think><think>second, unfinished", TryError.TRUNCATED),
        ("<think>only</think>  ", TryError.EMPTY),
        (f"<THINK>x</THINK>\n```json\n{ANA}\n```", ("Ana Roy",)),
        ('{"answers": ["<think>"], "cannot_tell": false}', ("<think>",)),
        ('<think>x</think>{"answers": ["a </think> b"], "cannot_tell": false}', ("a </think> b",)),
        (f"Here it is:\n{ANA}\nHope this helps.", ("Ana Roy",)),
        ("Ana Roy", ("Ana Roy",)),
    ],
)
def test_reasoning_and_wrapping_are_not_the_answer(text: str, expected: tuple[str, ...] | TryError) -> None:
    assert answers(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        ANA + BO,
        f"{ANA} or rather {BO}",
        f"```\n{ANA}\n```\n```\n{BO}\n```",
        '{"answers": ["Ana Roy"]}',
        '{"cannot_tell": false}',
        '{"answers": "Ana Roy", "cannot_tell": false}',
        '{"answers": [1], "cannot_tell": false}',
        '{"answers": null, "cannot_tell": false}',
        '{"answers": [], "cannot_tell": "maybe"}',
        '{"answers": [], "cannot_tell": 0}',
        '{"answers": [], "cannot_tell": null}',
        '{"answers": ["Ana Roy"], "cannot_tell": true}',
        '{"answers": ["Ana Roy"], "answers": ["Bo Lind"], "cannot_tell": false}',
        '{"answers": ["Ana Roy", "cannot_tell": false}',
        "Ana Roy\nBo Lind",
        '["Ana Roy"]',
    ],
)
def test_what_cannot_be_read_for_certain_is_unparsable(text: str) -> None:
    assert answers(text) is TryError.UNPARSABLE


def test_the_word_false_is_false() -> None:
    assert answers('{"answers": ["Ana Roy"], "cannot_tell": "false"}') == ("Ana Roy",)
    parsed = parse_reply(RawReply('{"answers": [], "cannot_tell": "True"}', "stop"), Role.APPEAL)
    assert parsed.reply == AnswersReply(answers=(), cannot_tell=True)


@pytest.mark.parametrize(
    "text",
    [
        "INCORRECT",
        "missing",
        '{"cause": "missing"}',
        '{"reason": "no leak"}',
        "Not yet correct. Yes, it leaks.",
        "Correct?",
        '{"cause": true, "reason": ""}',
        '{"cause": "not a missing constraint", "reason": ""}',
        '{"cause": "unclear", "reason": ""}{"cause": "wrong relation", "reason": ""}',
    ],
)
def test_only_an_exact_cause_of_the_closed_list_counts(text: str) -> None:
    assert parse_reply(RawReply(text, "stop"), Role.ERROR_ANALYST).error is TryError.UNPARSABLE


@pytest.mark.parametrize("cause", list(Cause))
def test_every_cause_of_the_closed_list_is_read_plain_or_fenced(cause: Cause) -> None:
    text = json.dumps({"cause": cause.value, "reason": "because"})
    for wrapped in (text, f"```json\n{text}\n```"):
        assert parse_reply(RawReply(wrapped, "stop"), Role.ERROR_ANALYST).reply == CauseReply(cause=cause, reason="because")


@pytest.mark.parametrize(
    ("raw", "error"),
    [
        (RawReply(None, "stop"), TryError.EMPTY),
        (RawReply(" \n", "stop"), TryError.EMPTY),
        (RawReply("", "length"), TryError.TRUNCATED),
        (RawReply(ANA, "length"), TryError.TRUNCATED),
        (RawReply(ANA, "content_filter"), TryError.FILTERED),
        (RawReply("I will not", "stop", refused=True), TryError.REFUSED),
        (RawReply(None, error=TryError.TIMEOUT, detail="slow"), TryError.TIMEOUT),
    ],
)
@pytest.mark.parametrize("role", [Role.REWRITER, Role.VERIFIER, Role.ERROR_ANALYST])
def test_a_reply_that_was_not_finished_is_an_error_whatever_it_holds(raw: RawReply, error: TryError, role: Role) -> None:
    assert parse_reply(raw, role).error is error


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"question": "Who?"}', "Who?"),
        ("Who was it?", "Who was it?"),
        ('"Who was it?"', "Who was it?"),
        ("**Who was it?**", "Who was it?"),
        ('Who said "yes"?', 'Who said "yes"?'),
        ("<think>Who led?</think>", TryError.EMPTY),
        ("I would ask this:\nWho was it?", TryError.UNPARSABLE),
        ("I cannot do that.", TryError.UNPARSABLE),
        ('{"question": ""}', TryError.EMPTY),
        ('{"question": null}', TryError.UNPARSABLE),
        ('{"text": "Who?"}', TryError.UNPARSABLE),
    ],
)
def test_a_question_is_taken_whole_or_not_at_all(text: str, expected: str | TryError) -> None:
    assert question(text) == expected


@given(st.text(max_size=60))
def test_any_text_is_a_reply_or_an_error_and_never_a_crash(text: str) -> None:
    for role in (Role.REWRITER, Role.VERIFIER, Role.ERROR_ANALYST):
        parsed = parse_reply(RawReply(text, "stop"), role)
        assert (parsed.reply is None) != (parsed.error is None)


@given(st.lists(st.text(min_size=1).map(str.strip).filter(bool), max_size=3))
def test_any_names_survive_the_way_through_json(names: list[str]) -> None:
    assert answers(json.dumps({"answers": names, "cannot_tell": False})) == tuple(names)


@pytest.mark.parametrize("text", ["{" * 100_000, '{"answers": ' + "[" * 100_000, "<think>" * 1000])
def test_a_hostile_reply_is_an_error(text: str) -> None:
    assert isinstance(answers(text), TryError)


@pytest.mark.parametrize(
    ("finish", "error"),
    [
        ("MAX_TOKENS", TryError.TRUNCATED), ("model_length", TryError.TRUNCATED), ("incomplete", TryError.TRUNCATED),
        ("abort", TryError.TRUNCATED), ("error", TryError.TRUNCATED), ("SAFETY", TryError.FILTERED), ("STOP", None), ("eos", None),
    ],
)  # fmt: skip
def test_a_reply_that_did_not_come_to_its_end_is_none_in_any_servers_words(finish: str, error: TryError | None) -> None:
    assert parse_reply(RawReply('{"question": "Who?"}', finish), Role.REWRITER).error is error


FACT = {"relation": "employer", "subject": None, "object": "Old Mill"}
PAIR: dict[str, Any] = {"operator": "before", "left": FACT, "right": FACT, "rank": None, "order": None}
RANK: dict[str, Any] = {"operator": "end rank", "left": FACT, "right": None, "rank": 2, "order": "descending"}


def reading(*constraints: Any, **fields: Any) -> ReadingReply | str:
    """The reply, or why there is none."""
    text = json.dumps({"constraints": list(constraints), "cannot_tell": False} | fields)
    parsed = parse_reply(RawReply(text, "stop"), Role.ROUND_TRIP_READER)
    return parsed.reply if isinstance(parsed.reply, ReadingReply) else parsed.detail


def test_read_constraints_are_read_as_they_were_written() -> None:
    found = reading(PAIR, RANK)
    assert isinstance(found, ReadingReply)
    assert found.model_dump(mode="json") == {"constraints": [PAIR, RANK], "cannot_tell": False}
    assert reading() == ReadingReply(constraints=(), cannot_tell=False)
    assert reading(cannot_tell=True) == ReadingReply(constraints=(), cannot_tell=True)


@pytest.mark.parametrize("word", list(OperatorWord))
def test_every_word_is_read(word: OperatorWord) -> None:
    found = reading((RANK if word.is_rank else PAIR) | {"operator": word.value})
    assert isinstance(found, ReadingReply)
    assert found.constraints[0].operator is word


@pytest.mark.parametrize(
    ("constraint", "told"),
    [
        (PAIR | {"operator": "precedes"}, "'operator' must be one of: before, after"),
        (PAIR | {"operator": None}, "'operator' must be one of"),
        (PAIR | {"operator": "Before"}, "'operator' must be one of"),
        (PAIR | {"right": None}, "'right' must be an object with the keys relation, subject and object"),
        (PAIR | {"left": "Old Mill"}, "'left' must be an object"),
        (PAIR | {"rank": 1}, "'rank' and 'order' must be null for 'before'"),
        (PAIR | {"order": "ascending"}, "'rank' and 'order' must be null for 'before'"),
        (PAIR | {"left": FACT | {"subject": ""}}, "or null where the question leaves it open"),
        (PAIR | {"left": FACT | {"object": 7}}, "or null where the question leaves it open"),
        (PAIR | {"left": FACT | {"relation": None}}, "'relation' must be a string"),
        (PAIR | {"left": {"relation": "employer", "subject": None}}, "the key 'object' is missing"),
        ({name: value for name, value in PAIR.items() if name != "order"}, "the key 'order' is missing"),
        (RANK | {"right": FACT}, "'right' must be null for 'end rank'"),
        (RANK | {"rank": 0}, "'rank' must be a whole number from 1"),
        (RANK | {"rank": True}, "'rank' must be a whole number from 1"),
        (RANK | {"rank": 1.5}, "'rank' must be a whole number from 1"),
        (RANK | {"rank": None}, "'rank' must be a whole number from 1"),
        (RANK | {"rank": 10**30}, "'rank' must be a whole number from 1 to 1000000"),
        (RANK | {"order": None}, "'order' must be one of: ascending, descending"),
        (RANK | {"order": "latest"}, "'order' must be one of: ascending, descending"),
        ("before", "'constraints' must be a list of objects"),
    ],
)
def test_a_constraint_that_is_not_just_so_is_refused_with_the_reason(constraint: Any, told: str) -> None:
    found = reading(PAIR, constraint)
    assert isinstance(found, str)
    assert told in found


def test_a_reader_cannot_both_list_and_not_be_able_to_tell() -> None:
    assert "cannot tell" in str(reading(PAIR, cannot_tell=True))
    assert "cannot_tell" in str(reading(cannot_tell="perhaps"))
    assert parse_reply(RawReply("before", "stop"), Role.ROUND_TRIP_READER).error is TryError.UNPARSABLE


@pytest.mark.parametrize(
    ("role", "payload"),
    [
        (Role.REWRITER, {"question": "Who \ud800?"}),
        (Role.VERIFIER, {"answers": ["Ana \udfff", "Bo"], "cannot_tell": False}),
        (Role.ERROR_ANALYST, {"cause": "unclear", "reason": "\ud800"}),
        (
            Role.ROUND_TRIP_READER,
            {
                "constraints": [
                    {
                        "operator": "before",
                        "left": {"relation": "\ud800", "subject": "a\ud800", "object": None},
                        "right": {"relation": "b", "subject": None, "object": "\udc00"},
                        "rank": None,
                        "order": None,
                    }
                ],
                "cannot_tell": False,
            },
        ),
    ],
)
def test_half_a_character_that_json_escapes_does_not_end_up_in_a_reply(role: Role, payload: dict[str, Any]) -> None:
    """The text of the reply is plain ASCII; only what its JSON stands for cannot be stored."""
    parsed = parse_reply(RawReply(json.dumps(payload), "stop"), role)
    assert parsed.reply is not None, parsed.detail
    assert "\ufffd" in parsed.reply.model_dump_json()
