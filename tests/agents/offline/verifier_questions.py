"""Small graphs by name, and questions about them in free English."""

# ruff: noqa: E501
from __future__ import annotations

from state.roles import VerifyRequest
from tests.agents.offline.verifier_graphs import PEOPLE, POINT_IN, POINT_PEOPLE, SPANS, fact, request_about

Fact = tuple[str, str, str, int, int]

TEAM, COACH, AWARD, OFFICE, SPOUSE, BAND, FILM = (
    "member of sports team", "head coach of", "award received", "position held", "spouse", "member of band", "starred in",
)  # fmt: skip


GRAPHS: dict[str, tuple[str, list[Fact]]] = {
    "club": (
        f'Topology A -> B, 1 hop, relations "{TEAM}".',
        [("Tom Reed", TEAM, "Ajax", 1990, 2000), *((PEOPLE[name], TEAM, "Ajax", *span) for name, span in SPANS.items())],
    ),
    "office": (
        f'Topology A -> B, 1 hop, relations "{OFFICE}".',
        [("Tom Reed", OFFICE, "Mayor of Arn", 1990, 2000), *((PEOPLE[n], OFFICE, "Mayor of Arn", *span) for n, span in SPANS.items())],
    ),
    "prize": (
        f'Topology A -> B, 1 hop, relations "{AWARD}".',
        [(who, AWARD, "Golden Boot", year, year) for who, year in
         [("Tom Reed", 1990), ("Ana Roy", 1980), ("Bo Lind", 1990), ("Cy Moe", 1995), ("Di Fox", 1985), ("Ed Poe", 2001), ("Sue Orr", 1998)]],
    ),
    "two clubs": (
        f'Topology C <- A -> B, 2 hops, relations "{TEAM}".',
        [(PEOPLE[n], TEAM, "Ajax", *span) for n, span in SPANS.items()] + [(PEOPLE[n], TEAM, "FC Arn", 1990, 2000) for n in SPANS]
        + [("Tom Reed", TEAM, "Ajax", 1990, 1999)],
    ),
    "club and prize": (
        f'Topology C <- A -> B, 2 hops, relations "{TEAM}", "{AWARD}".',
        [(who, TEAM, "Ajax", 1990, 2000) for who in POINT_PEOPLE.values()]
        + [(who, AWARD, "Golden Boot", POINT_IN[name], POINT_IN[name]) for name, who in POINT_PEOPLE.items()]
        + [("Ana Roy", TEAM, "Ajax", 1990, 1999)],
    ),
    "coaches": (
        f'Topology A -> B -> C, 2 hops, relations "{TEAM}", "{COACH}".',
        [("Tom Reed", TEAM, f"Team {n}", 1990, 2000) for n in SPANS] + [(PEOPLE[n], COACH, f"Team {n}", *span) for n, span in SPANS.items()],
    ),
    "spouse prizes": (
        f'Topology A -> B -> C, 2 hops, relations "{SPOUSE}", "{AWARD}".',
        [("Tom Reed", SPOUSE, "Una Wye", 1990, 2000)]
        + [("Una Wye", AWARD, f"Prize of {who}", POINT_IN[n], POINT_IN[n]) for n, who in POINT_PEOPLE.items()]
        + [("Tom Reed", SPOUSE, "Viv Zed", 2004, 2007), ("Viv Zed", AWARD, "Silver Shoe", 1970, 1970)],
    ),
    "coach prizes": (
        f'Topology A -> B -> C -> D, 3 hops, relations "{TEAM}", "{COACH}", "{AWARD}".',
        [("Tom Reed", TEAM, "Ajax", 1990, 1995), ("Tom Reed", TEAM, "FC Arn", 1996, 2000),
         ("Ana Roy", COACH, "Ajax", 1990, 1993), ("Bo Lind", COACH, "Ajax", 1996, 1999), ("Cy Moe", COACH, "FC Arn", 1990, 1999),
         ("Ana Roy", AWARD, "Prize A", 1992, 1992), ("Ana Roy", AWARD, "Prize B", 1999, 1999), ("Bo Lind", AWARD, "Prize C", 1997, 1997),
           ("Cy Moe", AWARD, "Prize D", 1980, 1980), ("Cy Moe", AWARD, "Prize E", 1995, 1995)],
    ),
    "ranks": (
        f'Topology A -> B, 1 hop, relations "{BAND}".',
        [("Ana Roy", BAND, "The Arns", 1980, 1999), ("Bo Lind", BAND, "The Arns", 1982, 1985), ("Cy Moe", BAND, "The Arns", 1984, 1998),
         ("Di Fox", BAND, "The Arns", 1986, 1988), ("Ed Poe", BAND, "The Arns", 1990, 1997)],
    ),
}  # fmt: skip


def request(graph: str, question: str) -> VerifyRequest:
    """What the verifier gets for a question about one of the graphs."""
    hint, rows = GRAPHS[graph]
    return request_about(([fact(*row) for row in rows], hint), question)


P = PEOPLE
Q = POINT_PEOPLE
QUESTIONS: list[tuple[str, str, str]] = [
    # one hop, I-I
    ("club", "Who left Ajax before Tom Reed joined?", P["I-before-I"]),
    ("club", "Which player's time at Ajax was over before Tom Reed arrived there?", P["I-before-I"]),
    ("club", "Who joined Ajax after Tom Reed had left the club?", P["I-after-I"]),
    ("club", "Which footballer signed for Ajax only after Tom Reed's departure?", P["I-after-I"]),
    ("club", "Who left Ajax in the same year that Tom Reed joined?", P["I-meets-I"]),
    ("club", "Whose spell at Ajax ended in the year Tom Reed's began?", P["I-meets-I"]),
    ("club", "Who played for Ajax until Tom Reed arrived?", P["I-meets-I"]),
    ("club", "Who joined Ajax the year Tom Reed left?", P["I-met-by-I"]),
    ("club", "Which player began his Ajax career in the same year in which Tom Reed's stint there came to an end?", P["I-met-by-I"]),
    ("club", "Who joined Ajax before Tom Reed and left while Tom Reed was still there?", P["I-overlaps-I"]),
    ("club", "Whose spell at Ajax began before Tom Reed's and ended during it?", P["I-overlaps-I"]),
    ("club", "Who joined Ajax during Tom Reed's spell there and left after him?", P["I-overlapped-by-I"]),
    ("club", "Which player joined Ajax while Tom Reed was there and left later than he did?", P["I-overlapped-by-I"]),
    ("club", "Whose time at Ajax fell entirely within Tom Reed's?", P["I-during-I"]),
    ("club", "Who arrived at Ajax after Tom Reed did and departed before he did?", P["I-during-I"]),
    ("club", "Who played for Ajax during Tom Reed's time at the club?", P["I-during-I"]),
    ("club", "Who joined Ajax before Tom Reed joined and left after he left?", P["I-contains-I"]),
    ("club", "Which player started at Ajax earlier than Tom Reed and finished there later than him?", P["I-contains-I"]),
    ("club", "Whose spell at Ajax completely contained Tom Reed's?", P["I-contains-I"]),
    ("club", "Who joined Ajax in the same year as Tom Reed but left before him?", P["I-starts-I"]),
    ("club", "Which player joined Ajax in the same year as Tom Reed but left earlier?", P["I-starts-I"]),
    ("club", "Who signed for Ajax in the same year as Tom Reed and left after he did?", P["I-started-by-I"]),
    ("club", "Who left Ajax in the same year as Tom Reed, having joined later?", P["I-finishes-I"]),
    ("club", "Whose spell at Ajax ended in the same year as Tom Reed's but started later?", P["I-finishes-I"]),
    ("club", "Who left Ajax in the same year as Tom Reed but had joined before him?", P["I-finished-by-I"]),
    ("club", "Which player joined Ajax earlier than Tom Reed but departed in the same year as he did?", P["I-finished-by-I"]),
    ("club", "Who joined and left Ajax in the same years as Tom Reed?", P["I-equals-I"]),
    ("club", "Whose spell at Ajax covered exactly the same years as Tom Reed's?", P["I-equals-I"]),
    ("club", "Who both started and finished at Ajax in the same year as Tom Reed?", P["I-equals-I"]),
    ("office", "Who became Mayor of Arn after Tom Reed stepped down?", P["I-after-I"]),
    ("office", "Which politician held the office of Mayor of Arn until Tom Reed took over?", P["I-meets-I"]),
    ("office", "Who took office as Mayor of Arn in the year that Tom Reed left office?", P["I-met-by-I"]),
    ("office", "Which Mayor of Arn had left office before Tom Reed took up the post?", P["I-before-I"]),
    ("office", "Who became Mayor of Arn in the same year as Tom Reed but stepped down later?", P["I-started-by-I"]),
    ("office", "Whose tenure as Mayor of Arn lay wholly within Tom Reed's tenure?", P["I-during-I"]),
    ("office", "After Tom Reed left office, who became Mayor of Arn?", P["I-after-I"]),
    # one hop, P-P
    ("prize", "Who won the Golden Boot in the same year as Tom Reed?", "Bo Lind"),
    ("prize", "Who else received the Golden Boot the year Tom Reed won it?", "Bo Lind"),
    ("prize", "Who was the last to win the Golden Boot before Tom Reed?", "Di Fox"),
    ("prize", "Who was the first person to win the Golden Boot after Tom Reed did?", "Cy Moe"),
    ("prize", "Which player received the Golden Boot after Cy Moe but before Ed Poe?", "Sue Orr"),
    ("prize", "Who was awarded the Golden Boot later than Cy Moe and earlier than Ed Poe?", "Sue Orr"),
    ("prize", "Who was the second recipient of the Golden Boot?", "Di Fox"),
    ("prize", "Who is the most recent winner of the Golden Boot?", "Ed Poe"),
    ("prize", "Among those who won the Golden Boot after Tom Reed, who was the second to do so?", "Sue Orr"),
    ("prize", "Who was the second-to-last winner of the Golden Boot?", "Sue Orr"),
    ("prize", "Which player got the Golden Boot before Di Fox was given it?", "Ana Roy"),
    # branch, I-I
    ("two clubs", "Who played for Ajax before joining FC Arn?", P["I-before-I"]),
    ("two clubs", "Which player left Ajax before he joined FC Arn?", P["I-before-I"]),
    ("two clubs", "Who played for FC Arn and later for Ajax?", P["I-after-I"]),
    ("two clubs", "Which player joined Ajax only after leaving FC Arn?", P["I-after-I"]),
    ("two clubs", "Who left Ajax in the same year he joined FC Arn?", P["I-meets-I"]),
    ("two clubs", "Who played for both FC Arn and Ajax, joining Ajax in the year he left FC Arn?", P["I-met-by-I"]),
    ("two clubs", "Who was a member of both Ajax and FC Arn, with his time at Ajax beginning earlier and ending during his time at FC Arn?", P["I-overlaps-I"]),
    ("two clubs", "Who played for Ajax and FC Arn, joining Ajax during his spell at FC Arn and leaving it later than he left FC Arn?", P["I-overlapped-by-I"]),
    ("two clubs", "Which player of FC Arn had a spell at Ajax that fell entirely within his time at FC Arn?", P["I-during-I"]),
    ("two clubs", "Which player joined Ajax before joining FC Arn and left Ajax after leaving FC Arn?", P["I-contains-I"]),
    ("two clubs", "Who joined Ajax in the same year as FC Arn but left Ajax before leaving FC Arn?", P["I-starts-I"]),
    ("two clubs", "Which player started at Ajax the year he started at FC Arn, and left Ajax after he left FC Arn?", P["I-started-by-I"]),
    ("two clubs", "Who left Ajax in the same year he left FC Arn, but joined Ajax after joining FC Arn?", P["I-finishes-I"]),
    ("two clubs", "Who left Ajax in the same year as he left FC Arn but had joined Ajax before he joined FC Arn?", P["I-finished-by-I"]),
    ("two clubs", "Which player's spell at Ajax had the same start and end years as his spell at FC Arn?", P["I-equals-I"]),
    ("two clubs", "Who played for Ajax after having previously played for FC Arn?", P["I-after-I"]),
    # branch, P-I and I-P
    ("club and prize", "Who won the Golden Boot before joining Ajax?", Q["P-before-I"]),
    ("club and prize", "Which Ajax player won the Golden Boot after leaving the club?", Q["P-after-I"]),
    ("club and prize", "Who won the Golden Boot while playing for Ajax?", Q["P-inside-I"]),
    ("club and prize", "Which player received the Golden Boot during his time at Ajax?", Q["P-inside-I"]),
    ("club and prize", "Who won the Golden Boot in the year he joined Ajax?", Q["P-at-start-I"]),
    ("club and prize", "Who was awarded the Golden Boot in the same year that he left Ajax?", Q["P-at-end-I"]),
    ("club and prize", "Which winner of the Golden Boot joined Ajax in the same year he won it?", Q["P-at-start-I"]),
    ("club and prize", "Who left Ajax in the year he received the Golden Boot?", Q["P-at-end-I"]),
    ("club and prize", "Who left Ajax before he won the Golden Boot?", Q["P-after-I"]),
    ("club and prize", "Who joined Ajax after winning the Golden Boot?", Q["P-before-I"]),
    ("club and prize", "Who was playing for Ajax when he won the Golden Boot?", Q["P-inside-I"]),
    ("club and prize", "Who won the Golden Boot and later joined Ajax?", Q["P-before-I"]),
    ("club and prize", "Who played for Ajax, having won the Golden Boot before that?", Q["P-before-I"]),
    ("club and prize", "Who joined Ajax before winning the Golden Boot and left after winning it?", Q["P-inside-I"]),
    # two hops, I-I
    ("coaches", "Who became head coach of a team that Tom Reed played for after Tom Reed had left it?", P["I-after-I"]),
    ("coaches", "Which coach left the team that Tom Reed played for before Tom Reed joined it?", P["I-before-I"]),
    ("coaches", "Who coached a club Tom Reed played for, taking over in the year Tom Reed left?", P["I-met-by-I"]),
    ("coaches", "Who stepped down as coach of a team Tom Reed played for in the same year that Tom Reed joined it?", P["I-meets-I"]),
    ("coaches", "Whose spell as coach of a club that Tom Reed played for fell entirely within Tom Reed's time there?", P["I-during-I"]),
    ("coaches", "Who coached one of Tom Reed's teams during his time as a player there?", P["I-during-I"]),
    ("coaches", "Who took charge of a team Tom Reed played for before Tom Reed joined it and left the job after he left?", P["I-contains-I"]),
    # two hops, I-P
    ("spouse prizes", "Which prize did Tom Reed's wife win after their marriage ended?", f"Prize of {Q['P-after-I']}"),
    ("spouse prizes", "Which award did Tom Reed's spouse receive during their marriage?", f"Prize of {Q['P-inside-I']}"),
    ("spouse prizes", "Which award was received by the spouse of Tom Reed in the year they married?", f"Prize of {Q['P-at-start-I']}"),
    ("spouse prizes", "Which award did the wife of Tom Reed win in the same year that their marriage ended?", f"Prize of {Q['P-at-end-I']}"),
    ("spouse prizes", "Which prize did the person who was married to Tom Reed win while they were married?", f"Prize of {Q['P-inside-I']}"),
    # three hops
    ("coach prizes", "Which award was won before coaching it by the coach of a team that Tom Reed played for?", "Prize D"),
    ("coach prizes", "Which award did the person who coached a team Tom Reed played for receive after he had stepped down as coach?", "Prize B"),
    ("coach prizes", "Which award was won after his time as coach by someone who coached a team that Tom Reed played for?", "Prize B"),
    ("coach prizes", "Which prize was won by someone who became coach of a team Tom Reed played for after Tom Reed had left it?", "Prize C"),
    ("coach prizes", "Which award did someone win before becoming coach of a team Tom Reed played for?", "Prize D"),
    # ordinals
    ("ranks", "Who was the first to join The Arns?", "Ana Roy"),
    ("ranks", "Who was the second member to join The Arns?", "Bo Lind"),
    ("ranks", "Who joined The Arns last?", "Ed Poe"),
    ("ranks", "Who was the second-to-last musician to join The Arns?", "Di Fox"),
    ("ranks", "Who was the first to leave The Arns?", "Bo Lind"),
    ("ranks", "Who was the last member to leave The Arns?", "Ana Roy"),
    ("ranks", "Which musician had the longest spell in The Arns?", "Ana Roy"),
    ("ranks", "Who had the second-shortest stint with The Arns?", "Bo Lind"),
    ("ranks", "Who had the shortest time in The Arns?", "Di Fox"),
    ("ranks", "Who was the longest-serving member of The Arns?", "Ana Roy"),
    ("ranks", "Among the members who joined The Arns after Bo Lind left, who had the longest spell?", "Ed Poe"),
    ("ranks", "Of those who joined The Arns after Bo Lind joined, who was the first to leave?", "Di Fox"),
    ("ranks", "Who was the third person to leave The Arns?", "Ed Poe"),
    ("ranks", "Which member joined The Arns the earliest after Bo Lind had left?", "Di Fox"),
    ("ranks", "Who was the second most recent musician to leave The Arns?", "Cy Moe"),
]  # fmt: skip
"""Graph, question, the one entity that fits."""

MAY_ABSTAIN: list[tuple[str, str, str]] = [
    ("club", "Which player was at Ajax before Tom Reed joined, overlapped with the start of his spell and left before he did?", P["I-overlaps-I"]),
    ("club", "Who was at Ajax both before Tom Reed joined and after he left?", P["I-contains-I"]),
    ("club", "Who arrived at Ajax in the same year as Tom Reed but stayed on after he left?", P["I-started-by-I"]),
    ("office", "Who became Mayor of Arn in the same year as Tom Reed but held on to the job longer?", P["I-started-by-I"]),
    ("two clubs", "Which player left Ajax and joined FC Arn in the same year?", P["I-meets-I"]),
    ("two clubs", "Who joined Ajax and FC Arn in the same year but left Ajax first?", P["I-starts-I"]),
    ("club and prize", "Which Ajax player had already left the club when he won the Golden Boot?", Q["P-after-I"]),
    ("coach prizes", "Which award did the coach of the team that Tom Reed played for win while coaching that team, having joined the team in the same year as Tom Reed?", "Prize A"),
    ("coach prizes", "Which award did someone who became coach of Tom Reed's team in the year Tom Reed joined it win after leaving the job?", "Prize B"),
    ("coaches", "Who coached a team that Tom Reed played for before Tom Reed joined it?", P["I-before-I"]),
]  # fmt: skip
"""Wordings that are hard or loose: they may be refused, but must not be misread."""

REFUSED: list[tuple[str, str]] = [
    ("club", "Who?"),
    ("club", "?"),
    ("club", ""),
    ("club", "Who left Ajax before?"),
    ("club", "Who left before Tom Reed joined?"),
    ("club", "Ajax?"),
    ("club", "Who left Ajax before @1 joined?"),
    ("club", "Who left Ajax before @99 joined?"),
    ("club", "Who left Ajax <before> Tom Reed joined?"),
    ("club", "Who left Ajax before Tom Reed joined"),
    ("club", "Who left Ajax the year before Tom Reed joined?"),
    ("club", "Who left Ajax two years before Tom Reed joined?"),
    ("club", "Who did not leave Ajax before Tom Reed joined?"),
    ("club", "Who never played for Ajax after Tom Reed left?"),
    ("club", "Who left Ajax shortly before Tom Reed joined?"),
    ("club", "Who left Ajax before Tom Reed joined in Amsterdam?"),
    ("club", "Who scored for Ajax before Tom Reed joined?"),
    ("club", "Who left Ajax before Somebody Unknown joined?"),
    ("club", "Which Dutch player left Ajax before Tom Reed joined?"),
    ("club", "Who left Ajax before Tom Reed won the Golden Boot?"),
    ("club", "Who joined Ajax after Tom Reed?"),
    ("club", "Whose spell at Ajax overlapped with Tom Reed's?"),
    ("club", "Colourless green ideas sleep furiously?"),
    ("club", "Who left Ajax? Tom Reed before joined?"),
    ("two clubs", "Who played for Ajax before Tom Reed?"),
    ("two clubs", "Who played for Ajax?"),
    ("coaches", "Which team did Tom Reed play for?"),
    ("coaches", "Who coached Ajax?"),
    ("ranks", "Who joined The Arns?!?"),
    ("ranks", "Who was the oldest member of The Arns?"),
]

REVERSED: list[tuple[str, str, str]] = [
    ("club", "Who left Ajax before Tom Reed joined?", "Who joined Ajax after Tom Reed left?"),
    ("two clubs", "Who played for Ajax before joining FC Arn?", "Who played for Ajax after leaving FC Arn?"),
    ("prize", "Who won the Golden Boot before Tom Reed?", "Who won the Golden Boot after Tom Reed?"),
    ("club and prize", "Who won the Golden Boot before joining Ajax?", "Who won the Golden Boot after leaving Ajax?"),
    ("ranks", "Who was the first to join The Arns?", "Who was the last to join The Arns?"),
    ("ranks", "Who had the longest spell in The Arns?", "Who had the shortest spell in The Arns?"),
    ("coaches", "Who took over as coach of a team Tom Reed played for after Tom Reed left it?", "Who left as coach of a team Tom Reed played for before Tom Reed joined it?"),
]  # fmt: skip
"""Graph, question, the same question the other way round."""
