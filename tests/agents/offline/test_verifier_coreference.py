"""The verifier on what points back: nested clauses, one relation said twice, shared subjects, ranked noun phrases."""

# ruff: noqa: E501
from __future__ import annotations

import pytest

from agents.offline.verifier import verify
from state.roles import AnswersReply
from tests.agents.offline.verifier_graphs import fact, request_about

Row = tuple[str, str, str, int, int]

TEAM, COACH, OFFICE, SAINT, AWARD, PART = (
    "member of sports team", "head coach of", "position held", "canonized by", "award received", "part of",
)  # fmt: skip
AJAX: list[Row] = [
    ("Ana Roy", TEAM, "Ajax", 1990, 1995), ("Bo Lind", TEAM, "Ajax", 1992, 1999), ("Cy Moe", TEAM, "Ajax", 1994, 2000),
    ("Di Fox", TEAM, "Ajax", 1996, 2001),
]  # fmt: skip
COACHES: list[Row] = [
    ("Ana Roy", COACH, "FC Arn", 2000, 2005),
    ("Bo Lind", COACH, "FC Bex", 2001, 2003),
    ("Cy Moe", COACH, "FC Cor", 2003, 2008),
]
PLAYERS: list[Row] = [
    ("Ed Poe", TEAM, "FC Arn", 1999, 2002), ("Flo Ray", TEAM, "FC Arn", 2003, 2007), ("Gus Kay", TEAM, "FC Bex", 2000, 2004),
    ("Hal Orr", TEAM, "FC Cor", 2003, 2006), ("Ivy Low", TEAM, "FC Cor", 2004, 2005),
]  # fmt: skip
THREE_HOPS = (f'Topology A -> B -> C -> D, 3 hops, relations "{TEAM}", "{COACH}".', AJAX + COACHES + PLAYERS)
TWO_HOPS = (f'Topology A -> B -> C, 2 hops, relations "{TEAM}", "{COACH}".', AJAX + COACHES)
SAME_TWICE = (
    f'Topology A -> B -> C -> D, 3 hops, relations "{COACH}".',
    [
        ("Ana Roy", COACH, "Ajax", 1990, 1994), ("Ana Roy", COACH, "FC Arn", 1995, 1999), ("Bo Lind", COACH, "Ajax", 1994, 1998),
        ("Cy Moe", COACH, "FC Arn", 1990, 1995), ("Bo Lind", COACH, "FC Bex", 1999, 2003), ("Cy Moe", COACH, "FC Cor", 1985, 1989),
        ("Bo Lind", COACH, "FC Dun", 1990, 1993),
    ],
)  # fmt: skip
OFFICES = (
    f'Topology A -> B -> C, 2 hops, relations "{OFFICE}".',
    [
        ("Ana Roy", OFFICE, "Mayor of Arn", 1990, 1995), ("Bo Lind", OFFICE, "Mayor of Arn", 1995, 1999),
        ("Ana Roy", OFFICE, "Mayor of Bex", 1980, 1985), ("Bo Lind", OFFICE, "Mayor of Cor", 1999, 2004),
        ("Ana Roy", OFFICE, "Mayor of Dun", 1990, 1999), ("Bo Lind", OFFICE, "Mayor of Elm", 1985, 1995),
    ],
)  # fmt: skip
SAINTS = (
    f'Topology A -> B -> C, 2 hops, relations "{SAINT}".',
    [
        ("Ana Roy", SAINT, "Cy Moe", 1990, 1990), ("Cy Moe", SAINT, "Di Fox", 2000, 2000), ("Ed Poe", SAINT, "Cy Moe", 1995, 1995),
        ("Cy Moe", SAINT, "Flo Ray", 1985, 1985),
    ],
)  # fmt: skip
RANKED_PRIZES = (
    f'Topology A -> B -> C, 2 hops, relations "{TEAM}", "{AWARD}".',
    [*AJAX, ("Ana Roy", AWARD, "Prize A", 1996, 1996), ("Bo Lind", AWARD, "Prize B", 1991, 1991), ("Cy Moe", AWARD, "Prize C", 2003, 2003)],
)
TWO_CLUBS = (
    f'Topology C <- A -> B, 2 hops, relations "{TEAM}".',
    [*AJAX, ("Ana Roy", TEAM, "FC Arn", 1980, 1985), ("Cy Moe", TEAM, "FC Arn", 2000, 2004), ("Tom Reed", TEAM, "FC Arn", 1991, 1993)],
)
HELD_THRICE = (f'Topology A -> B -> C -> D, 3 hops, relations "{OFFICE}".', OFFICES[1])
SHORT_SPANS = (
    f'Topology A -> B, 1 hop, relations "{PART}".',
    [("Arn", PART, "Old Union", 1995, 1995), ("Bex", PART, "Old Union", 1994, 1994), ("Cor", PART, "Old Union", 1995, 1995)],
)

QUESTIONS: list[tuple[tuple[str, list[Row]], str, tuple[str, ...]]] = [
    # "that person", "its", "that team"
    (THREE_HOPS, "Of the people who played for a team that had a coach who played for Ajax, who joined that team after that person became its coach, and left that team before that person stopped being its coach?", ("Ivy Low",)),
    (THREE_HOPS, "Of the people who played for a team that had a coach who played for Ajax, who joined that team before that person became its coach, and left it after that person stopped being its coach?", ("Gus Kay",)),
    (THREE_HOPS, "Of the people who played for a team coached by someone who played for Ajax, who left that team before that person stopped coaching it?", ("Ed Poe", "Hal Orr", "Ivy Low")),
    # nested constraints stay with the clause in which they stand
    (THREE_HOPS, "Who played for a team coached by someone who left Ajax after Bo Lind did but before Di Fox did?", ("Hal Orr", "Ivy Low")),
    (THREE_HOPS, "Who played for a team coached by someone who joined Ajax after both Ana Roy and Bo Lind did?", ("Hal Orr", "Ivy Low")),
    (THREE_HOPS, "Who played for a team coached by someone who joined Ajax before Cy Moe did, and left Ajax after Ana Roy did?", ("Gus Kay",)),
    # "considering only", "such a team"
    (THREE_HOPS, "Of the people who played for a team that had a coach who played for Ajax, considering only those who joined that team after that person became its coach, who was the first to leave such a team?", ("Ivy Low",)),
    (THREE_HOPS, "Of the people who played for a team that had a coach who played for Ajax, considering only those who joined that team after that person became its coach, who was the last to leave such a team?", ("Flo Ray",)),
    # ranked noun phrases
    (THREE_HOPS, "Who played for a team coached by the third person to leave Ajax?", ("Hal Orr", "Ivy Low")),
    (THREE_HOPS, "Who played for a team coached by the first person to join Ajax?", ("Ed Poe", "Flo Ray")),
    (RANKED_PRIZES, "Which award was received by the person who was the second to leave Ajax?", ("Prize B",)),
    (RANKED_PRIZES, "Of the people who left Ajax after Ana Roy did, take the one who was the second to leave Ajax: which award did that person receive?", ("Prize C",)),
    (RANKED_PRIZES, "Of the people who left Ajax after Ana Roy did, take the one who was the first to leave Ajax: which award was received by that person?", ("Prize B",)),
    # subjects and objects left out
    (TWO_HOPS, "Which team did someone become coach of after leaving Ajax and before Cy Moe became coach of FC Cor?", ("FC Arn", "FC Bex")),
    (TWO_HOPS, "Of the teams that had a coach who played for Ajax, which did that person become coach of after Bo Lind became coach of FC Bex, and leave after Bo Lind left FC Bex?", ("FC Cor",)),
    (TWO_HOPS, "Of the teams that had a coach who joined Ajax before Di Fox did, and who left Ajax before Di Fox did, which did such a person coach for the shortest time?", ("FC Bex",)),
    # one relation at every hop
    (SAME_TWICE, "Of the teams that had a coach who was head coach of a team that Ana Roy was head coach of, where that person became head coach of the other team in the year Ana Roy left it, which did that person become head coach of after Cy Moe left FC Cor and before Bo Lind became head coach of Ajax?", ("FC Dun",)),
    (SAME_TWICE, "Of the teams that had a coach who was head coach of a team that Ana Roy was head coach of, and who left the other team in the year Ana Roy became head coach of it, which did that person leave before Bo Lind became head coach of FC Dun?", ("FC Cor",)),
    # phrasal verbs around a pronoun
    (HELD_THRICE, "Of the people who held an office held by someone who was Mayor of Bex, who took up that office in the year that person gave it up?", ("Bo Lind",)),
    (HELD_THRICE, "Of the people who held an office held by someone who was Mayor of Bex, who took it up in the year that person gave up that office?", ("Bo Lind",)),
    (OFFICES, "Which office did someone take up in the year that person left office as Mayor of Arn?", ("Mayor of Cor",)),
    # who does and who is done to
    (SAINTS, "Who was canonized by someone canonized by Flo Ray?", ("Ana Roy", "Ed Poe")),
    (SAINTS, "Who was canonized by someone who was canonized by Flo Ray after Ana Roy was canonized by Cy Moe?", ()),
    # a span of one year is no point where its end is spoken of
    (SHORT_SPANS, "Which region stopped being part of Old Union in the year Cor became part of it?", ()),
    (SHORT_SPANS, "Which region stopped being part of Old Union before Cor became part of it?", ("Bex",)),
]  # fmt: skip


def ask(graph: tuple[str, list[Row]], question: str) -> AnswersReply:
    """The verifier's reply to a question about a graph."""
    hint, rows = graph
    return verify(request_about(([fact(*row) for row in rows], hint), question), "all")


@pytest.mark.parametrize(("graph", "text", "answers"), QUESTIONS, ids=[text for _, text, _ in QUESTIONS])
def test_what_points_back_is_resolved(graph: tuple[str, list[Row]], text: str, answers: tuple[str, ...]) -> None:
    reply = ask(graph, text)
    assert (tuple(sorted(reply.answers)), reply.cannot_tell) == (answers, False)


LOST: list[tuple[tuple[str, list[Row]], str, str]] = [
    (THREE_HOPS, QUESTIONS[0][1], ", and left that team before that person stopped being its coach"),
    (THREE_HOPS, QUESTIONS[1][1], ", and left it after that person stopped being its coach"),
    (THREE_HOPS, "Who played for a team coached by someone who joined Ajax before Cy Moe did, and left Ajax after Ana Roy did?", ", and left Ajax after Ana Roy did"),
    (THREE_HOPS, "Who played for a team coached by someone who left Ajax after Bo Lind did but before Di Fox did?", " after Bo Lind did but before Di Fox did"),
    (TWO_HOPS, "Of the teams that had a coach who played for Ajax, which did that person become coach of after Bo Lind became coach of FC Bex, and leave after Bo Lind left FC Bex?", " after Bo Lind became coach of FC Bex, and leave after Bo Lind left FC Bex"),
]  # fmt: skip


@pytest.mark.parametrize(("graph", "text", "part"), LOST, ids=[text for _, text, _ in LOST])
def test_lost_condition_is_noticed(graph: tuple[str, list[Row]], text: str, part: str) -> None:
    assert part in text
    whole, rest = ask(graph, text), ask(graph, text.replace(part, ""))
    assert not whole.cannot_tell
    assert rest.cannot_tell or rest.answers != whole.answers


@pytest.mark.parametrize(("graph", "text", "answers"), QUESTIONS, ids=[text for _, text, _ in QUESTIONS])
def test_turned_condition_is_noticed(graph: tuple[str, list[Row]], text: str, answers: tuple[str, ...]) -> None:
    for word, other in [(" after ", " before "), (" before ", " after "), ("first", "last"), ("shortest", "longest")]:
        if word in text and answers:
            reply = ask(graph, text.replace(word, other, 1))
            assert reply.cannot_tell or reply.answers != answers


UNCLEAR: list[tuple[tuple[str, list[Row]], str]] = [
    # whose fact is meant depends on the row, or on which clause the words belong to
    (THREE_HOPS, "Who played for a team that had a coach who played for Ajax, and left that team in an earlier year than Hal Orr?"),
    # one of the two facts is never spoken of
    (TWO_CLUBS, "Who played for Ajax after Tom Reed left FC Arn?"),
    (TWO_CLUBS, "Who left Ajax before Tom Reed joined FC Arn?"),
    # a contradiction
    (TWO_HOPS, "Which team had a coach who joined Ajax before Bo Lind did and after Bo Lind did?"),
    (TWO_HOPS, "Which team was someone who joined Ajax after Bo Lind coach of?"),
    (
        THREE_HOPS,
        "Of the people who played for a team that had a coach who played for Ajax, who joined such a referee before that person left?",
    ),
    (
        THREE_HOPS,
        "Of the people who played for a team that had a coach who played for Ajax, considering only the tall ones, who left first?",
    ),
    (TWO_HOPS, "Of the teams that had a coach who played for Ajax, take the one: which did that person leave?"),
    (RANKED_PRIZES, "Which award was received by the person who left Ajax after somebody left a club?"),
]


@pytest.mark.parametrize(("graph", "text"), UNCLEAR, ids=[text for _, text in UNCLEAR])
def test_unclear_question_cannot_be_told(graph: tuple[str, list[Row]], text: str) -> None:
    assert ask(graph, text).cannot_tell
