"""More questions in free English, by relation: most relations of the shipped graphs, several constraints at once."""

# ruff: noqa: E501 - a question stands on one line
from __future__ import annotations

from collections.abc import Mapping

from state.fact import LabelledFact
from state.roles import VerifyRequest
from tests.agents.offline.verifier_questions import PEOPLE as P
from tests.agents.offline.verifier_questions import POINT_IN, SPANS
from tests.agents.offline.verifier_questions import POINT_PEOPLE as V

Graph = tuple[list[LabelledFact], str]
POINTS = {"P-before-P": 1980, "P-equals-P": 1990, "P-after-P": 2000}
X = dict(zip(POINTS, ("Ana Roy", "Bo Lind", "Cy Moe"), strict=True))


def fact(subject: str, relation: str, object_: str, start: int | str, end: int | str | None = None) -> LabelledFact:
    """A fact whose ids are its labels; without an end it is a point."""
    return LabelledFact(
        subject=subject, relation=relation, object=object_, start=str(start), end=str(start if end is None else end),
        subject_label=subject, relation_label=relation, object_label=object_,
    )  # fmt: skip


def one(relation: str, anchor: str, reference: str, is_interval: bool, is_object: bool = True) -> Graph:
    """An anchor, a reference 1990-2000 (or in 1990), and one rival in every relation to it."""
    rivals = {P[name]: span for name, span in SPANS.items()} if is_interval else {X[name]: (year, year) for name, year in POINTS.items()}
    rows = {reference: (1990, 2000 if is_interval else 1990), **rivals}
    made = [fact(who, relation, anchor, *span) if is_object else fact(anchor, relation, who, *span) for who, span in rows.items()]
    return made, f'Topology A -> B, 1 hop, relations "{relation}".'


def branch(first: str, anchor: str, second: str, other: str, is_interval: bool) -> Graph:
    """Rivals whose first fact lasts 1990-2000 and whose second one stands in every relation to it."""
    spans = SPANS if is_interval else {name: (year, year) for name, year in POINT_IN.items()}
    who = P if is_interval else V
    made = [fact(who[name], first, anchor, 1990, 2000) for name in spans] + [
        fact(who[name], second, other, *span) for name, span in spans.items()
    ]
    return made, f"Topology C <- A -> B, 2 hops, relations {_quoted(first, second)}."


def chain(
    first: str,
    anchor: str,
    second: str,
    middle: str,
    spans: Mapping[str, tuple[int, int]],
    who: Mapping[str, str],
    forward: tuple[bool, bool],
) -> Graph:
    """Walks from the anchor over 1990-2000 to one end in every relation to that."""
    made = []
    for number, (name, span) in enumerate(spans.items()):
        bridge = f"{middle} {number + 1}"
        made.append(fact(anchor, first, bridge, 1990, 2000) if forward[0] else fact(bridge, first, anchor, 1990, 2000))
        made.append(fact(bridge, second, who[name], *span) if forward[1] else fact(who[name], second, bridge, *span))
    return made, f"Topology A -> B -> C, 2 hops, relations {_quoted(first, second)}."


def _quoted(*relations: str) -> str:
    return ", ".join(f'"{relation}"' for relation in dict.fromkeys(relations))


def request(graph: Graph, question: str) -> VerifyRequest:
    """What the verifier gets for a question about a graph."""
    return VerifyRequest(question=question, evidence=tuple(graph[0]), structure_hint=graph[1])


QUESTIONS: list[tuple[Graph, str, tuple[str, ...]]] = []
"""Graph, question, every entity that fits."""


def add(graph: Graph, *questions: tuple[str, str | tuple[str, ...]]) -> None:
    """Puts questions about one graph on the list."""
    for text, answer in questions:
        QUESTIONS.append((graph, text, (answer,) if isinstance(answer, str) else answer))


TEAM = "member of sports team"
OFFICE = "position held"
AWARD = "award received"
SPOUSE = "spouse"
STARRED = "starred in"
CEO = "chief executive of"
FOUNDED = "founded"
ACQUIRED = "acquired"
EDUCATED = "educated at"
BAND = "member of band"
RELEASED = "released"
add(
    one("drove for", "Ferrari", "Niki Lauda", True),
    ("Which driver began racing for Ferrari in the year Niki Lauda left the team?", P["I-met-by-I"]),
    ("Who drove for Ferrari and left before Niki Lauda arrived?", P["I-before-I"]),
    ("Whose stint at Ferrari started in the same year as Niki Lauda's but ended sooner?", P["I-starts-I"]),
)
add(
    one("head coach of", "Real Madrid", "Zidane", True),
    ("Who managed Real Madrid until the year Zidane took charge?", P["I-meets-I"]),
    ("Which manager's reign at Real Madrid began while Zidane was in charge and ended after his?", P["I-overlapped-by-I"]),
    ("Who coached Real Madrid within Zidane's tenure?", P["I-during-I"]),
)
add(
    one("inducted into", "Rock Hall", "Elvis", False),
    ("Which artist was inducted into the Rock Hall in the same year as Elvis?", X["P-equals-P"]),
    ("Who entered the Rock Hall earlier than Elvis?", X["P-before-P"]),
    ("Who was inducted into the Rock Hall after Elvis was?", X["P-after-P"]),
)
add(
    one("reigned over", "Sweden", "Gustav", True),
    ("Which monarch ruled Sweden before Gustav came to the throne?", P["I-before-I"]),
    ("Who ascended the throne of Sweden in the year that Gustav's reign ended?", P["I-met-by-I"]),
    ("Who reigned over Sweden for exactly the same period as Gustav?", P["I-equals-I"]),
)
add(
    one("member of political party", "Labour Party", "Tom Reed", True),
    ("Who joined the Labour Party in the same year as Tom Reed and left it later?", P["I-started-by-I"]),
    ("Whose membership of the Labour Party ended in the same year as Tom Reed's but began earlier?", P["I-finished-by-I"]),
)
add(
    one("educated at", "Yale University", "Tom Reed", True),
    ("Who enrolled at Yale University after Tom Reed had graduated?", P["I-after-I"]),
    ("Who was studying at Yale University before Tom Reed arrived and graduated while he was still a student there?", P["I-overlaps-I"]),
    ("Who finished at Yale University the year Tom Reed started?", P["I-meets-I"]),
)
add(
    one("elected to", "Governor of California", "Tom Reed", False),
    ("Who was elected Governor of California before Tom Reed?", X["P-before-P"]),
    ("Which politician was elected to be Governor of California in the same year as Tom Reed?", X["P-equals-P"]),
)
add(
    one("acceded to", "European Union", "Sweden", False),
    ("Which country joined the European Union in the same year as Sweden?", X["P-equals-P"]),
    ("Which state acceded to the European Union after Sweden did?", X["P-after-P"]),
    ("Which country became a member of the European Union earlier than Sweden?", X["P-before-P"]),
)
add(
    one("director of film", "Ridley Scott", "Alien", False, False),
    ("Which film did Ridley Scott direct in the same year as Alien?", X["P-equals-P"]),
    ("Which movie did Ridley Scott make before Alien?", X["P-before-P"]),
    ("What film did Ridley Scott direct after directing Alien?", X["P-after-P"]),
)
add(
    one("starred in", "Tom Hanks", "Big", False, False),
    ("In which film did Tom Hanks appear in the year he starred in Big?", X["P-equals-P"]),
    ("Which film featuring Tom Hanks came out before Big?", X["P-before-P"]),
)
add(
    one("portrayed", "James Bond", "Sean Connery", False),
    ("Which actor played James Bond in the same year as Sean Connery?", X["P-equals-P"]),
    ("Who portrayed James Bond after Sean Connery did?", X["P-after-P"]),
)
add(
    one("member of band", "Genesis", "Phil Collins", True),
    ("Who was in Genesis until Phil Collins joined the band?", P["I-meets-I"]),
    ("Which musician joined Genesis after Phil Collins but quit the band before him?", P["I-during-I"]),
)
add(
    one("released", "Deep Purple", "Machine Head", False, False),
    ("Which album did Deep Purple release in the same year as Machine Head?", X["P-equals-P"]),
    ("What did Deep Purple put out before Machine Head?", X["P-before-P"]),
)
add(
    one("author of", "George Orwell", "Animal Farm", False, False),
    ("Which book did George Orwell write after Animal Farm?", X["P-after-P"]),
    ("Which work by George Orwell was published in the same year as Animal Farm?", X["P-equals-P"]),
)
add(
    one("employer", "CERN", "Tom Reed", True),
    ("Who worked at CERN, starting in the same year as Tom Reed but leaving earlier?", P["I-starts-I"]),
    ("Who was employed by CERN only after Tom Reed had left?", P["I-after-I"]),
)
add(
    one("chief executive of", "IBM", "Tom Reed", True),
    ("Who became chief executive of IBM in the year Tom Reed stepped down?", P["I-met-by-I"]),
    ("Who ran IBM before Tom Reed took over?", P["I-before-I"]),
    ("Whose time as CEO of IBM ended the year Tom Reed's began?", P["I-meets-I"]),
)
add(
    one("founded", "Steve Jobs", "Apple", False, False),
    ("Which company did Steve Jobs found after Apple?", X["P-after-P"]),
    ("Which company was founded by Steve Jobs in the same year as Apple?", X["P-equals-P"]),
)
add(
    one("introduced product", "Ford", "Model T", False, False),
    ("Which product did Ford launch before the Model T?", X["P-before-P"]),
    ("Which car did Ford introduce in the same year as the Model T?", X["P-equals-P"]),
)
add(
    one("acquired", "Google", "YouTube", False, False),
    ("Which company did Google buy in the same year as YouTube?", X["P-equals-P"]),
    ("Which firm was acquired by Google after YouTube was?", X["P-after-P"]),
)
add(
    one("discovered", "William Herschel", "Uranus", False, False),
    ("What did William Herschel discover after Uranus?", X["P-after-P"]),
    ("Which object was discovered by William Herschel in the year he discovered Uranus?", X["P-equals-P"]),
)
add(one("crew member of", "STS-82", "Tom Reed", False), ("Who flew on STS-82 before Tom Reed?", X["P-before-P"]))
add(
    one("music director of", "Berlin Philharmonic", "Karajan", True),
    ("Who was music director of the Berlin Philharmonic before Karajan took up the post?", P["I-before-I"]),
    ("Which conductor led the Berlin Philharmonic from the year Karajan stepped down?", P["I-met-by-I"]),
)
add(
    one("capital of", "Brazil", "Rio", True),
    ("Which city was the capital of Brazil before Rio became the capital?", P["I-before-I"]),
    ("Which city became capital of Brazil in the year Rio ceased to be the capital?", P["I-met-by-I"]),
)
add(
    one("host of", "World Cup", "Italy", False),
    ("Which country hosted the World Cup in the same year as Italy?", X["P-equals-P"]),
    ("Which nation staged the World Cup after Italy had hosted it?", X["P-after-P"]),
)
add(
    one("winner of", "US Open", "Roger Federer", False),
    ("Who won the US Open the year Roger Federer won it?", X["P-equals-P"]),
    ("Which player triumphed at the US Open before Roger Federer?", X["P-before-P"]),
)
add(
    one("spouse", "Elizabeth Taylor", "Richard Burton", True, False),
    ("Who was married to Elizabeth Taylor before she married Richard Burton?", P["I-before-I"]),
    ("Whom did Elizabeth Taylor marry in the year she divorced Richard Burton?", P["I-met-by-I"]),
    ("Who wed Elizabeth Taylor after her marriage to Richard Burton ended?", P["I-after-I"]),
)
add(
    one("member of legislature", "House of Commons", "Tom Reed", True),
    ("Who entered the House of Commons in the same year as Tom Reed but left it earlier?", P["I-starts-I"]),
    ("Who sat in the House of Commons entirely during Tom Reed's time there?", P["I-during-I"]),
)
add(
    branch("position held", "President of France", "member of political party", "Radical Party", True),
    ("Who joined the Radical Party after stepping down as President of France?", P["I-after-I"]),
    ("Which President of France left the Radical Party in the year he took office?", P["I-meets-I"]),
    ("Who was a member of the Radical Party only during his time as President of France?", P["I-during-I"]),
)
add(
    branch("head coach of", "Juventus", "award received", "Best Coach", False),
    ("Who received Best Coach while in charge of Juventus?", V["P-inside-I"]),
    ("Which coach of Juventus won Best Coach in the year he took over the club?", V["P-at-start-I"]),
    ("Who won Best Coach after he had left Juventus?", V["P-after-I"]),
)
add(
    branch("member of band", "Genesis", "released", "Duke", False),
    ("Which member of Genesis released Duke in the year he left the band?", V["P-at-end-I"]),
    ("Who released Duke before joining Genesis?", V["P-before-I"]),
)
add(
    branch("position held", "Prime Minister", "elected to", "Governor", False),
    ("Who was elected Governor during his term as Prime Minister?", V["P-inside-I"]),
    ("Who became Prime Minister in the year he was elected Governor?", V["P-at-start-I"]),
    ("Who stopped being Prime Minister before he was elected Governor?", V["P-after-I"]),
)
NATO = [
    fact(country, "acceded to", "NATO", day)
    for country, day in [
        ("Poland", "1999-03-12"),
        ("Hungary", "1999-03-12"),
        ("Spain", "1982-05-30"),
        ("Croatia", "2009-04-01"),
        ("Albania", "2009-04-01"),
        ("Finland", "2023-04-04"),
    ]
]
HD = 'Topology A -> B, 1 hop, relations "acceded to".'
add(
    (NATO, HD),
    ("Which country joined NATO on the same day as Poland?", "Hungary"),
    ("Which country entered NATO before Poland did?", "Spain"),
    ("Which country was the last to accede to NATO?", "Finland"),
    ("Which nation became a NATO member on the day that Croatia joined?", "Albania"),
)
add(
    branch("educated at", "University of Calgary", "educated at", "University of Alberta", True),
    (
        "Who studied at the University of Alberta, starting before enrolling at the University of Calgary and finishing during their studies at the University of Calgary?",
        P["I-overlaps-I"],
    ),
    ("Who attended the University of Alberta for a period lying entirely within their time at the University of Calgary?", P["I-during-I"]),
    (
        "Who enrolled at the University of Alberta in the same year as at the University of Calgary, but graduated from the University of Alberta earlier than from the University of Calgary?",
        P["I-starts-I"],
    ),
    (
        "Which student left the University of Alberta in the very year in which they began studying at the University of Calgary?",
        P["I-meets-I"],
    ),
    (
        "Who attended both the University of Calgary and the University of Alberta, with both periods starting and ending in the same years?",
        P["I-equals-I"],
    ),
    (
        "Who finished studying at the University of Alberta and the University of Calgary in the same year, having started at the University of Alberta later?",
        P["I-finishes-I"],
    ),
    (
        "Which alumnus of the University of Calgary had already finished at the University of Alberta before starting at the University of Calgary?",
        P["I-before-I"],
    ),
    ("Who was educated at the University of Alberta after completing their education at the University of Calgary?", P["I-after-I"]),
    ("Who went to the University of Alberta only after they had graduated from the University of Calgary?", P["I-after-I"]),
    (
        "Who began at the University of Alberta during their time at the University of Calgary and finished there after leaving the University of Calgary?",
        P["I-overlapped-by-I"],
    ),
)
add(
    branch("chief executive of", "IBM", "award received", "Gold Medal", False),
    ("Which chief executive of IBM received the Gold Medal during their time in the job?", V["P-inside-I"]),
    ("Who was awarded the Gold Medal in the year they became chief executive of IBM?", V["P-at-start-I"]),
    ("Who received the Gold Medal in the same year in which their time as chief executive of IBM ended?", V["P-at-end-I"]),
    ("Who received the Gold Medal before becoming chief executive of IBM?", V["P-before-I"]),
    ("Who received the Gold Medal after stepping down as chief executive of IBM?", V["P-after-I"]),
    ("Who took over as chief executive of IBM after having received the Gold Medal?", V["P-before-I"]),
    ("Whose tenure as chief executive of IBM began in the year that they received the Gold Medal?", V["P-at-start-I"]),
    ("Whose tenure as chief executive of IBM began before they received the Gold Medal and ended after it?", V["P-inside-I"]),
    ("Which recipient of the Gold Medal led IBM, stepping down in the year of the award?", V["P-at-end-I"]),
)
add(
    (
        [fact(n, "elected to", "Senate", y, y) for n, y in [("Ana Roy", 1990), ("Bo Lind", 1990), ("Cy Moe", 1990)]]
        + [fact(n, AWARD, "Medal", y, y) for n, y in [("Ana Roy", 1985), ("Bo Lind", 1990), ("Cy Moe", 1999)]],
        'Topology C <- A -> B, 2 hops, relations "elected to", "award received".',
    ),
    ("Who received the Medal before being elected to the Senate?", "Ana Roy"),
    ("Who was elected to the Senate in the year they received the Medal?", "Bo Lind"),
    ("Who was elected to the Senate before winning the Medal?", "Cy Moe"),
    ("Who won the Medal and was elected to the Senate in the same year?", "Bo Lind"),
    ("Who won the Medal after their election to the Senate?", "Cy Moe"),
)
add(
    chain("member of sports team", "Tom Reed", "head coach of", "Team", SPANS, P, (True, False)),
    ("Who took charge of a team that Tom Reed played for in the year he left it?", P["I-met-by-I"]),
    ("Who coached a team for which Tom Reed played, beginning in the same year as Tom Reed but leaving after him?", P["I-started-by-I"]),
    ("Which coach of a club where Tom Reed played left in the same year as Tom Reed, but arrived after him?", P["I-finishes-I"]),
    ("Who was head coach of a team Tom Reed was a member of for exactly the same period as Tom Reed's membership?", P["I-equals-I"]),
    ("Whose reign as head coach of one of Tom Reed's former clubs ended before Tom Reed's arrival at the club?", P["I-before-I"]),
    ("Who coached a team that Tom Reed had been a member of, but only after Tom Reed's time there had ended?", P["I-after-I"]),
)
add(
    chain(
        "member of band",
        "Genesis",
        "released",
        "Singer",
        {name: (year, year) for name, year in POINT_IN.items()},
        {name: f"Album {i}" for i, name in enumerate(POINT_IN)},
        (False, True),
    ),
    ("Which album did a member of Genesis release before joining the band?", "Album 0"),
    ("Which album was released by a member of Genesis after they left the band?", "Album 1"),
    ("Which album did a Genesis member put out while still in the band?", "Album 2"),
    ("Which album did a member of Genesis issue in the year he joined Genesis?", "Album 3"),
    ("Which album came from a member of Genesis in the year that they quit the group?", "Album 4"),
    ("What was released by a Genesis musician before he became a member of the band?", "Album 0"),
)
ch = [
    fact("Ana Roy", "founded", "Acme", 1990, 1990),
    fact("Ana Roy", AWARD, "Prize A", 1985, 1985),
    fact("Ana Roy", AWARD, "Prize B", 1990, 1990),
    fact("Ana Roy", AWARD, "Prize C", 1999, 1999),
    fact("Bo Lind", "founded", "Acme", 1980, 1980),
    fact("Bo Lind", AWARD, "Prize D", 1981, 1981),
]
add(
    (ch, 'Topology A -> B -> C, 2 hops, relations "founded", "award received".'),
    ("Which award did a founder of Acme receive in the year he founded it?", "Prize B"),
    ("Which prize did a founder of Acme win before founding the company?", "Prize A"),
    ("Which award did the last person to found Acme receive after founding it?", "Prize C"),
    ("What was the last award that a founder of Acme received?", "Prize C"),
    ("Which award did the first founder of Acme receive?", "Prize D"),
)
club = [
    fact("Tom Reed", TEAM, "Ajax", 1990, 2000),
    fact("Sam Fox", TEAM, "Ajax", 1996, 2004),
    fact("Ana Roy", TEAM, "Ajax", 1992, 1998),
    fact("Bo Lind", TEAM, "Ajax", 1994, 2001),
    fact("Cy Moe", TEAM, "Ajax", 1988, 1995),
    fact("Di Fox", TEAM, "Ajax", 2001, 2003),
    fact("Ed Poe", TEAM, "Ajax", 2002, 2008),
    fact("Flo Ray", TEAM, "Ajax", 1980, 1985),
]
H1 = f'Topology A -> B, 1 hop, relations "{TEAM}".'
pm = [
    fact("Tom Reed", OFFICE, "Prime Minister of Arn", 1950, 1955),
    fact("Sam Fox", OFFICE, "Prime Minister of Arn", 1970, 1975),
    fact("Ana Roy", OFFICE, "Prime Minister of Arn", 1956, 1960),
    fact("Bo Lind", OFFICE, "Prime Minister of Arn", 1960, 1962),
    fact("Cy Moe", OFFICE, "Prime Minister of Arn", 1962, 1969),
    fact("Di Fox", OFFICE, "Prime Minister of Arn", 1940, 1950),
    fact("Ed Poe", OFFICE, "Prime Minister of Arn", 1975, 1990),
]
H2 = 'Topology A -> B, 1 hop, relations "position held".'
ch = [
    fact("Mia Farrow", SPOUSE, "Frank Sinatra", 1966, 1968),
    fact("Mia Farrow", SPOUSE, "Andre Previn", 1970, 1979),
    fact("Frank Sinatra", STARRED, "Tony Rome", 1967),
    fact("Frank Sinatra", STARRED, "The Detective", 1968),
    fact("Frank Sinatra", STARRED, "High Society", 1956),
    fact("Frank Sinatra", STARRED, "Cannonball", 1984),
]
HCH = 'Topology A -> B -> C, 2 hops, relations "spouse", "starred in".'
co = [
    fact("Steve Jobs", FOUNDED, "Apple", 1976),
    fact("Steve Wozniak", FOUNDED, "Apple", 1976),
    fact("Steve Jobs", FOUNDED, "NeXT", 1985),
    fact("Steve Jobs", FOUNDED, "Pixar", 1986),
    fact("Steve Wozniak", FOUNDED, "CL 9", 1987),
]
HCO = 'Topology A -> B -> C, 2 hops, relations "founded".'
ceo = [
    fact("Tim Cook", CEO, "Apple", 2011, 2024),
    fact("Steve Jobs", CEO, "Apple", 1997, 2011),
    fact("Gil Amelio", CEO, "Apple", 1996, 1997),
    fact("John Sculley", CEO, "Apple", 1983, 1993),
    fact("Steve Jobs", EDUCATED, "Reed College", 1972, 1974),
    fact("Tim Cook", EDUCATED, "Duke University", 1986, 1988),
    fact("Gil Amelio", EDUCATED, "Georgia Tech", 1961, 1968),
    fact("John Sculley", EDUCATED, "Brown University", 1957, 1961),
]
HCEO = 'Topology A -> B -> C, 2 hops, relations "chief executive of", "educated at".'
acq = [
    fact("Google", ACQUIRED, "YouTube", 2006),
    fact("Google", ACQUIRED, "Motorola", 2012),
    fact("Larry Page", FOUNDED, "Google", 1998),
    fact("Chad Hurley", FOUNDED, "YouTube", 2005),
    fact("Steve Chen", FOUNDED, "YouTube", 2005),
    fact("Paul Galvin", FOUNDED, "Motorola", 1928),
]
HACQ = 'Topology A -> B -> C -> D, 3 hops, relations "founded", "acquired".'
two = (
    [
        fact(n, TEAM, "Ajax", *a)
        for n, a in [
            ("Ana Roy", (1990, 1995)),
            ("Bo Lind", (1990, 1994)),
            ("Cy Moe", (1985, 1990)),
            ("Di Fox", (1999, 2004)),
            ("Ed Poe", (1991, 1996)),
        ]
    ]
    + [
        fact(n, TEAM, "FC Arn", *a)
        for n, a in [
            ("Ana Roy", (1995, 2000)),
            ("Bo Lind", (1996, 1999)),
            ("Cy Moe", (1991, 2001)),
            ("Di Fox", (1990, 1999)),
            ("Ed Poe", (1996, 1997)),
        ]
    ]
    + [fact("Tom Reed", TEAM, "Ajax", 1986, 1993), fact("Sam Fox", TEAM, "FC Arn", 1993, 1998)]
)
H3 = f'Topology C <- A -> B, 2 hops, relations "{TEAM}".'
band = [
    fact(n, BAND, "Genesis", *a)
    for n, a in [("Phil", (1970, 1996)), ("Peter", (1967, 1975)), ("Steve H", (1971, 1977)), ("Tony", (1967, 1998)), ("Ray", (1996, 1998))]
] + [
    fact(n, RELEASED, w, y)
    for n, w, y in [
        ("Phil", "Face Value", 1981),
        ("Peter", "So", 1986),
        ("Steve H", "Acolyte", 1975),
        ("Tony", "Curious", 1979),
        ("Ray", "Snow", 1999),
        ("Phil", "No Jacket", 1985),
    ]
]
HB = 'Topology A -> B -> C, 2 hops, relations "member of band", "released".'
for graph, text, answer in [
    ((club, H1), "Who joined Ajax after Tom Reed joined and left before Tom Reed left?", "Ana Roy"),
    ((club, H1), "Which player joined Ajax during Tom Reed's spell there and left during Sam Fox's?", ["Bo Lind", "Ana Roy"]),
    ((club, H1), "Who joined Ajax after Tom Reed left the club and left it before Sam Fox did?", "Di Fox"),
    ((club, H1), "Among the players who joined Ajax while Tom Reed was there, who was the first to leave?", "Ana Roy"),
    ((club, H1), "Who, after Tom Reed had left, was the second player to join Ajax?", "Ed Poe"),
    ((club, H1), "Which player, having joined Ajax after Tom Reed left, had the longest stay there?", "Ed Poe"),
    ((club, H1), "Who had the second longest spell at Ajax?", ["Sam Fox"]),
    ((club, H1), "Of all those who left Ajax before Sam Fox joined, who left last?", "Cy Moe"),
    ((club, H1), "Whose Ajax career began after Tom Reed's began but ended before his did?", "Ana Roy"),
    (
        (club, H1),
        "Who signed for Ajax while Tom Reed was still at the club, and left it after Sam Fox had joined but before he left?",
        ["Bo Lind", "Ana Roy"],
    ),
    (
        (pm, H2),
        "Who became Prime Minister of Arn after Tom Reed and left office before Sam Fox took over?",
        ["Ana Roy", "Bo Lind", "Cy Moe"],
    ),
    (
        (pm, H2),
        "Which Prime Minister of Arn served longest among those who took office after Tom Reed left and stepped down before Sam Fox took office?",
        "Cy Moe",
    ),
    ((pm, H2), "Who was the last Prime Minister of Arn to leave office before Sam Fox took up the post?", "Cy Moe"),
    ((pm, H2), "Who was the first to become Prime Minister of Arn after Tom Reed's tenure?", "Ana Roy"),
    ((pm, H2), "Which politician was Prime Minister of Arn until Tom Reed became Prime Minister?", "Di Fox"),
    ((pm, H2), "Who held the position of Prime Minister of Arn for the shortest time?", "Bo Lind"),
    ((ch, HCH), "Which film did Mia Farrow's husband star in while they were married?", "Tony Rome"),
    ((ch, HCH), "In which film did a spouse of Mia Farrow appear before marrying her?", "High Society"),
    ((ch, HCH), "What movie featured Mia Farrow's spouse in the year their marriage ended?", "The Detective"),
    ((ch, HCH), "Which film starred someone who was married to Mia Farrow, after they had divorced?", "Cannonball"),
    ((ch, HCH), "What was the first film in which Mia Farrow's husband starred after their marriage ended?", "Cannonball"),
    ((ch, HCH), "What was the last film that a husband of Mia Farrow starred in before he married her?", "High Society"),
    ((ceo, HCEO), "Where did the first chief executive of Apple study?", "Brown University"),
    ((ceo, HCEO), "Which college did the longest-serving chief executive of Apple attend?", ["Reed College"]),
    ((acq, HACQ), "Who founded the first company that the company founded by Larry Page acquired?", ["Chad Hurley", "Steve Chen"]),
    ((acq, HACQ), "Who founded the company that was acquired last by the company that Larry Page founded?", "Paul Galvin"),
    ((two, H3), "Who played for Ajax and FC Arn, and joined Ajax in the year he left FC Arn?", "Di Fox"),
    ((two, H3), "Which player left Ajax before joining FC Arn, having joined Ajax in the same year as Ana Roy?", "Bo Lind"),
    ((two, H3), "Who left Ajax before Tom Reed did and joined FC Arn before Sam Fox joined it?", "Cy Moe"),
    ((two, H3), "Of the players who left Ajax before they joined FC Arn, who was the first to leave FC Arn?", "Bo Lind"),
    ((two, H3), "Who moved to FC Arn in the year he left Ajax?", ["Ana Roy", "Ed Poe"]),
    ((two, H3), "Who, having played for both Ajax and FC Arn, was at FC Arn the longest?", "Cy Moe"),
    ((band, HB), "Which album did a member of Genesis release after leaving the band?", ["Snow", "So"]),
    ((band, HB), "Which album did a member of Genesis who joined after Peter left release?", ["Snow"]),
    ((band, HB), "Which was the second album released by a Genesis member while he was in the band?", ["Curious"]),
]:
    add(graph, (text, tuple(answer) if isinstance(answer, list) else answer))

HARD = (
    "Who was studying at Yale University before Tom Reed arrived and graduated while he was still a student there?",
    "Who attended both the University of Calgary and the University of Alberta, with both periods starting and ending in the same years?",
    "Which coach of a club where Tom Reed played left in the same year as Tom Reed, but arrived after him?",
    "Whose reign as head coach of one of Tom Reed's former clubs ended before Tom Reed's arrival at the club?",
    "Which album came from a member of Genesis in the year that they quit the group?",
    "Which politician was Prime Minister of Arn until Tom Reed became Prime Minister?",
    "Which album did a member of Genesis who joined after Peter left release?",
)
"""Questions of the list that are beyond the verifier so far: it may refuse them, but must not misread them."""
