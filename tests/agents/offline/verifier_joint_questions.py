"""Questions in free English with several constraints at once, or with a constraint within a description."""

# ruff: noqa: E501 - a question stands on one line
from __future__ import annotations

from tests.agents.offline.verifier_graphs import Graph, fact

TEAM = "member of sports team"
OFFICE = "position held"
SPOUSE = "spouse"
STARRED = "starred in"
CEO = "chief executive of"
FOUNDED = "founded"
ACQUIRED = "acquired"
EDUCATED = "educated at"
BAND = "member of band"
RELEASED = "released"
CLUB: Graph = (
    [
        fact("Tom Reed", TEAM, "Ajax", 1990, 2000),
        fact("Sam Fox", TEAM, "Ajax", 1996, 2004),
        fact("Ana Roy", TEAM, "Ajax", 1992, 1998),
        fact("Bo Lind", TEAM, "Ajax", 1994, 2001),
        fact("Cy Moe", TEAM, "Ajax", 1988, 1995),
        fact("Di Fox", TEAM, "Ajax", 2001, 2003),
        fact("Ed Poe", TEAM, "Ajax", 2002, 2008),
        fact("Flo Ray", TEAM, "Ajax", 1980, 1985),
    ],
    f'Topology A -> B, 1 hop, relations "{TEAM}".',
)
PRIME_MINISTERS: Graph = (
    [
        fact("Tom Reed", OFFICE, "Prime Minister of Arn", 1950, 1955),
        fact("Sam Fox", OFFICE, "Prime Minister of Arn", 1970, 1975),
        fact("Ana Roy", OFFICE, "Prime Minister of Arn", 1956, 1960),
        fact("Bo Lind", OFFICE, "Prime Minister of Arn", 1960, 1962),
        fact("Cy Moe", OFFICE, "Prime Minister of Arn", 1962, 1969),
        fact("Di Fox", OFFICE, "Prime Minister of Arn", 1940, 1950),
        fact("Ed Poe", OFFICE, "Prime Minister of Arn", 1975, 1990),
    ],
    'Topology A -> B, 1 hop, relations "position held".',
)
FILMS_OF_SPOUSES: Graph = (
    [
        fact("Mia Farrow", SPOUSE, "Frank Sinatra", 1966, 1968),
        fact("Mia Farrow", SPOUSE, "Andre Previn", 1970, 1979),
        fact("Frank Sinatra", STARRED, "Tony Rome", 1967),
        fact("Frank Sinatra", STARRED, "The Detective", 1968),
        fact("Frank Sinatra", STARRED, "High Society", 1956),
        fact("Frank Sinatra", STARRED, "Cannonball", 1984),
    ],
    'Topology A -> B -> C, 2 hops, relations "spouse", "starred in".',
)
SCHOOLS_OF_EXECUTIVES: Graph = (
    [
        fact("Tim Cook", CEO, "Apple", 2011, 2024),
        fact("Steve Jobs", CEO, "Apple", 1997, 2011),
        fact("Gil Amelio", CEO, "Apple", 1996, 1997),
        fact("John Sculley", CEO, "Apple", 1983, 1993),
        fact("Steve Jobs", EDUCATED, "Reed College", 1972, 1974),
        fact("Tim Cook", EDUCATED, "Duke University", 1986, 1988),
        fact("Gil Amelio", EDUCATED, "Georgia Tech", 1961, 1968),
        fact("John Sculley", EDUCATED, "Brown University", 1957, 1961),
    ],
    'Topology A -> B -> C, 2 hops, relations "chief executive of", "educated at".',
)
FOUNDERS_OF_BOUGHT_FIRMS: Graph = (
    [
        fact("Google", ACQUIRED, "YouTube", 2006),
        fact("Google", ACQUIRED, "Motorola", 2012),
        fact("Larry Page", FOUNDED, "Google", 1998),
        fact("Chad Hurley", FOUNDED, "YouTube", 2005),
        fact("Steve Chen", FOUNDED, "YouTube", 2005),
        fact("Paul Galvin", FOUNDED, "Motorola", 1928),
    ],
    'Topology A -> B -> C -> D, 3 hops, relations "founded", "acquired".',
)
TWO_CLUBS: Graph = (
    (
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
    ),
    f'Topology C <- A -> B, 2 hops, relations "{TEAM}".',
)
ALBUMS_OF_MEMBERS: Graph = (
    [
        fact(n, BAND, "Genesis", *a)
        for n, a in [
            ("Phil", (1970, 1996)),
            ("Peter", (1967, 1975)),
            ("Steve H", (1971, 1977)),
            ("Tony", (1967, 1998)),
            ("Ray", (1996, 1998)),
        ]
    ]
    + [
        fact(n, RELEASED, w, y)
        for n, w, y in [
            ("Phil", "Face Value", 1981),
            ("Peter", "So", 1986),
            ("Steve H", "Acolyte", 1975),
            ("Tony", "Curious", 1979),
            ("Ray", "Snow", 1999),
            ("Phil", "No Jacket", 1985),
        ]
    ],
    'Topology A -> B -> C, 2 hops, relations "member of band", "released".',
)

QUESTIONS: list[tuple[Graph, str, tuple[str, ...]]] = [
    (graph, text, tuple(answer) if isinstance(answer, list) else (answer,))
    for graph, text, answer in [
        (CLUB, "Who joined Ajax after Tom Reed joined and left before Tom Reed left?", "Ana Roy"),
        (CLUB, "Which player joined Ajax during Tom Reed's spell there and left during Sam Fox's?", ["Bo Lind", "Ana Roy"]),
        (CLUB, "Who joined Ajax after Tom Reed left the club and left it before Sam Fox did?", "Di Fox"),
        (CLUB, "Among the players who joined Ajax while Tom Reed was there, who was the first to leave?", "Ana Roy"),
        (CLUB, "Who, after Tom Reed had left, was the second player to join Ajax?", "Ed Poe"),
        (CLUB, "Which player, having joined Ajax after Tom Reed left, had the longest stay there?", "Ed Poe"),
        (CLUB, "Who had the second longest spell at Ajax?", ["Sam Fox"]),
        (CLUB, "Of all those who left Ajax before Sam Fox joined, who left last?", "Cy Moe"),
        (CLUB, "Whose Ajax career began after Tom Reed's began but ended before his did?", "Ana Roy"),
        (
            CLUB,
            "Who signed for Ajax while Tom Reed was still at the club, and left it after Sam Fox had joined but before he left?",
            ["Bo Lind", "Ana Roy"],
        ),
        (
            PRIME_MINISTERS,
            "Who became Prime Minister of Arn after Tom Reed and left office before Sam Fox took over?",
            ["Ana Roy", "Bo Lind", "Cy Moe"],
        ),
        (
            PRIME_MINISTERS,
            "Which Prime Minister of Arn served longest among those who took office after Tom Reed left and stepped down before Sam Fox took office?",
            "Cy Moe",
        ),
        (PRIME_MINISTERS, "Who was the last Prime Minister of Arn to leave office before Sam Fox took up the post?", "Cy Moe"),
        (PRIME_MINISTERS, "Who was the first to become Prime Minister of Arn after Tom Reed's tenure?", "Ana Roy"),
        (PRIME_MINISTERS, "Which politician was Prime Minister of Arn until Tom Reed became Prime Minister?", "Di Fox"),
        (PRIME_MINISTERS, "Who held the position of Prime Minister of Arn for the shortest time?", "Bo Lind"),
        (FILMS_OF_SPOUSES, "Which film did Mia Farrow's husband star in while they were married?", "Tony Rome"),
        (FILMS_OF_SPOUSES, "In which film did a spouse of Mia Farrow appear before marrying her?", "High Society"),
        (FILMS_OF_SPOUSES, "What movie featured Mia Farrow's spouse in the year their marriage ended?", "The Detective"),
        (FILMS_OF_SPOUSES, "Which film starred someone who was married to Mia Farrow, after they had divorced?", "Cannonball"),
        (FILMS_OF_SPOUSES, "What was the first film in which Mia Farrow's husband starred after their marriage ended?", "Cannonball"),
        (FILMS_OF_SPOUSES, "What was the last film that a husband of Mia Farrow starred in before he married her?", "High Society"),
        (SCHOOLS_OF_EXECUTIVES, "Where did the first chief executive of Apple study?", "Brown University"),
        (SCHOOLS_OF_EXECUTIVES, "Which college did the longest-serving chief executive of Apple attend?", ["Reed College"]),
        (
            FOUNDERS_OF_BOUGHT_FIRMS,
            "Who founded the first company that the company founded by Larry Page acquired?",
            ["Chad Hurley", "Steve Chen"],
        ),
        (FOUNDERS_OF_BOUGHT_FIRMS, "Who founded the company that was acquired last by the company that Larry Page founded?", "Paul Galvin"),
        (TWO_CLUBS, "Who played for Ajax and FC Arn, and joined Ajax in the year he left FC Arn?", "Di Fox"),
        (TWO_CLUBS, "Which player left Ajax before joining FC Arn, having joined Ajax in the same year as Ana Roy?", "Bo Lind"),
        (TWO_CLUBS, "Who left Ajax before Tom Reed did and joined FC Arn before Sam Fox joined it?", "Cy Moe"),
        (TWO_CLUBS, "Of the players who left Ajax before they joined FC Arn, who was the first to leave FC Arn?", "Bo Lind"),
        (TWO_CLUBS, "Who moved to FC Arn in the year he left Ajax?", ["Ana Roy", "Ed Poe"]),
        (TWO_CLUBS, "Who, having played for both Ajax and FC Arn, was at FC Arn the longest?", "Cy Moe"),
        (ALBUMS_OF_MEMBERS, "Which album did a member of Genesis release after leaving the band?", ["Snow", "So"]),
        (ALBUMS_OF_MEMBERS, "Which album did a member of Genesis who joined after Peter left release?", ["Snow"]),
        (ALBUMS_OF_MEMBERS, "Which was the second album released by a Genesis member while he was in the band?", ["Curious"]),
    ]
]
"""Graph, question, every entity that fits."""

HARD = (
    "Which politician was Prime Minister of Arn until Tom Reed became Prime Minister?",
    "Which album did a member of Genesis who joined after Peter left release?",
)
"""Questions of the list that are beyond the verifier so far: it may refuse them, but must not misread them."""
