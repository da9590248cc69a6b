from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.agreement import Gold, Verdict, closeness, judge, names_gold, same_name
from state.roles import AnswersReply

INSIDE = [
    ("Niger", "Nigeria"),
    ("Oman", "Romania"),
    ("Mali", "Somalia"),
    ("Sudan", "South Sudan"),
    ("Guinea", "Papua New Guinea"),
    ("Dominica", "Dominican Republic"),
    ("Dominica", "Dominican"),
    ("Queen", "Queensland"),
    ("Ann Li", "Ann Lindh"),
    ("FC Arn", "FC Arn B"),
]
WHOLE = [
    ("Henry VII", "Henry VIII"),
    ("Louis XIV", "Louis XV"),
    ("1994", "1995"),
    ("J. Smith", "A. Smith"),
    ("George H. W. Dane", "George W. Dane"),
    ("Austria", "Australia"),
    ("Season 9", "Season 10"),
    ("Bernardine Lane II", "Bernardine Lane III"),
    ("C++", "C#"),
    ("Flight 123456789", "Flight 1234506789"),
    ("Anno MDCCCXXXVIII", "Anno MDCCCLXXXVIII"),
    ("C", "C++"),
]
EMPTY = [("Niger", ""), ("Niger", "?"), ("!!!", "???"), ("A", "B"), ("The The", "The Who"), ("The The", "The")]
SAME = [
    ("Canceled", "Cancelled"),
    ("Ana María Roy", "Ana Maria Roy"),
    ("Roy, Ana", "Ana Roy"),
    ("José", "Jose\u0301"),
    ("São Tomé", "Sao Tome"),
    ("New York", "New\u00a0York"),
    ("O'Neill", "O’Neill"),
    ("ANA ROY", "Ana Roy"),
    ("Straße 9", "STRASSE 9"),
    ("1996-2003", "1996–2003"),
    ("Niger", "Ni\u200bger"),
    ("!!!", "!!!"),
    ("The Beatles", "Beatles"),
    ("J. Smith", "J Smith"),
]


def reply(*answers: str, cannot_tell: bool = False) -> AnswersReply:
    return AnswersReply(answers=answers, cannot_tell=cannot_tell)


def gold(label: str, *rivals: str, aliases: tuple[str, ...] = ()) -> Gold:
    return Gold(label, aliases, rivals)


@pytest.mark.parametrize(("one", "other"), INSIDE + WHOLE + EMPTY)
def test_two_names_that_differ_do_not_match_in_either_direction(one: str, other: str) -> None:
    assert not same_name(one, other)
    assert not same_name(other, one)
    assert not names_gold(other, gold(one))
    assert not names_gold(one, gold(other))


@pytest.mark.parametrize(("one", "other"), SAME)
def test_one_name_in_other_bytes_matches_in_both_directions(one: str, other: str) -> None:
    assert same_name(one, other)
    assert same_name(other, one)
    assert names_gold(other, gold(one, "Cy Moe"))


@given(st.text(max_size=20), st.text(max_size=20))
def test_matching_is_symmetric(one: str, other: str) -> None:
    assert same_name(one, other) == same_name(other, one)
    assert closeness(one, other) == closeness(other, one)


@given(st.sampled_from(["", " ", "\u200b", "\u00a0", "\u00ad"]), st.text(max_size=12))
def test_nothing_matches_an_empty_side(empty: str, name: str) -> None:
    assert not same_name(empty, name)
    assert judge(reply(empty), "all", gold(name)) is not Verdict.MATCH


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        ("It was Ana Roy, not Bo Lind", Verdict.WRONG),
        ("Either Ana Roy or Bo Lind", Verdict.WRONG),
        ("Ana Roy, Bo Lind, Cy Moe", Verdict.WRONG),
        ("I cannot determine this; Bo Lind is only mentioned as a coach", Verdict.ABSTAINED),
        ("None of the facts say", Verdict.ABSTAINED),
        ("Nonetheless, Bo Lind", Verdict.MATCH),
        ("Answer: Bo Lind.", Verdict.MATCH),
        ("The answer is Bo Lind", Verdict.MATCH),
    ],
)
def test_an_answer_that_contains_the_gold_need_not_give_it(answer: str, verdict: Verdict) -> None:
    assert judge(reply(answer), "all", gold("Bo Lind", "Ana Roy", "Cy Moe")) is verdict


@pytest.mark.parametrize("name", ["Unknown", "Nobody", "None", "Nothing But Thieves"])
def test_an_entity_may_be_called_like_an_abstention(name: str) -> None:
    assert judge(reply(name), "all", gold(name, "Ana Roy")) is Verdict.MATCH
    assert judge(reply(name), "all", gold("Ana Roy", name)) is Verdict.WRONG


def test_a_rival_that_is_as_near_forbids_the_match() -> None:
    assert names_gold("Cancelled", gold("Canceled"))
    assert not names_gold("Cancelled", gold("Canceled", "Cancelled"))
    assert names_gold("Wandeerland Trio", gold("Wanderland Trio"))
    assert not names_gold("Wandeerland Trio", gold("Wanderland Trio", "Wandeerlaand Trio"))
    assert not names_gold("Ana María Roy", gold("Ana Maria Roy", "Ana María Roy", aliases=("Ana María Roy",)))
    assert not names_gold("Lindy", gold("Bo Lind", "Lindy", aliases=("Lindy",)))
    assert not names_gold("Bo Lind", gold("Bo Lind", "bo lind "))


def test_mode_all_wants_exactly_the_gold_entity() -> None:
    own = gold("Bo Lind", "Ana Roy", aliases=("Lindy",))
    assert judge(reply("Bo Lind"), "all", own) is Verdict.MATCH
    assert judge(reply("Bo Lind", "Lindy"), "all", own) is Verdict.MATCH
    assert judge(reply("Bo Lind", "Ana Roy"), "all", own) is Verdict.WRONG
    assert judge(reply("Ana Roy"), "all", own) is Verdict.WRONG
    assert judge(reply(), "all", own) is Verdict.NONE_FITS


def test_mode_single_wants_exactly_one_answer() -> None:
    own = gold("Bo Lind", "Ana Roy", aliases=("Lindy",))
    assert judge(reply("Bo Lind"), "single", own) is Verdict.MATCH
    assert judge(reply("Bo Lind", "Ana Roy"), "single", own) is Verdict.AMBIGUOUS
    assert judge(reply("Bo Lind", "Lindy"), "single", own) is Verdict.AMBIGUOUS


def test_abstention_is_counted_apart_even_beside_a_name() -> None:
    assert judge(reply(cannot_tell=True), "all", gold("Bo Lind")) is Verdict.ABSTAINED
    assert judge(reply("Bo Lind", cannot_tell=True), "all", gold("Bo Lind")) is Verdict.ABSTAINED
