"""Questions in free English, by relation: most relations of the shipped graphs."""

# ruff: noqa: E501 - a question stands on one line
from __future__ import annotations

from tests.agents.offline.verifier_graphs import PEOPLE as P
from tests.agents.offline.verifier_graphs import POINT_IN, SPANS, Graph, branch, chain, fact, one
from tests.agents.offline.verifier_graphs import POINT_PEOPLE as V
from tests.agents.offline.verifier_graphs import POINT_RIVALS as X

QUESTIONS: list[tuple[Graph, str, tuple[str, ...]]] = []
"""Graph, question, every entity that fits."""


def add(graph: Graph, *questions: tuple[str, str | tuple[str, ...]]) -> None:
    """Puts questions about one graph on the list."""
    for text, answer in questions:
        QUESTIONS.append((graph, text, (answer,) if isinstance(answer, str) else answer))


AWARD = "award received"
CEO = "chief executive of"
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

HARD = (
    "Who was studying at Yale University before Tom Reed arrived and graduated while he was still a student there?",
    "Who attended both the University of Calgary and the University of Alberta, with both periods starting and ending in the same years?",
    "Which coach of a club where Tom Reed played left in the same year as Tom Reed, but arrived after him?",
    "Whose reign as head coach of one of Tom Reed's former clubs ended before Tom Reed's arrival at the club?",
    "Which album came from a member of Genesis in the year that they quit the group?",
)
"""Questions of the list that are beyond the verifier so far: it may refuse them, but must not misread them."""
