"""The relation lexicon of the offline rewriter: relation label -> natural verbs and nouns.

Labels that are not listed are read as English by `unknown_relations`.
"""

from __future__ import annotations

from agents.offline.words import ANYONE, PERSON, THING, Noun, Words, flip, role

ALBUM = Noun("album", "albums", title=True)
ARTIST = Noun("artist", "artists", person=True, vague=True)
AWARD = Noun("award", "awards", article="titled", narrow=True)
BAND = Noun("band", "bands")
BATTLE = Noun("battle", "battles", article="titled")
BOOK = Noun("book", "books", title=True)
CHARACTER = Noun("character", "characters")
CITY = Noun("city", "cities")
COMPANY = Noun("company", "companies", vague=True)
COMPETITION = Noun("competition", "competitions", article="titled")
CONTENDER = Noun("competitor", "competitors", person=True, article="side", vague=True)
COUNTRY = Noun("country", "countries", article="place")
DEGREE = Noun("academic degree", "academic degrees", short="degree")
EMPLOYER = Noun("employer", "employers", article="school", vague=True)
EVENT = Noun("event", "events", article="edition")
FILM = Noun("film", "films", title=True)
FIRM = Noun("company", "companies")
HALL = Noun("hall of fame", "halls of fame", article="titled")
INSTITUTION = Noun("institution", "institutions", article="school")
KIND = Noun("kind of thing", "kinds of things")
LEGISLATURE = Noun("legislative body", "legislative bodies", article="titled", short="body")
LAUNCHER = Noun("launcher", "launchers", article="place", vague=True)
MATCH = Noun("match", "matches", article="edition")
MISSION = Noun("space mission", "space missions", short="mission")
MISSION_OR_PROBE = Noun("spacecraft or mission", "spacecraft or missions", vague=True)
OCCUPATION = Noun("occupation", "occupations")
OFFICE = Noun("office", "offices", article="office")
ORCHESTRA = Noun("orchestra", "orchestras", article="team")
ORGANISATION = Noun("organization", "organizations", article="titled")
PARTY = Noun("political party", "political parties", article="titled", short="party")
PLACE = Noun("place", "places", article="place")
POPE = Noun("pope", "popes", person=True)
PRODUCT = Noun("product", "products")
RACING_TEAM = Noun("racing team", "racing teams", short="team")
RECIPIENT = Noun("person", "people", person=True, vague=True)
REGION = Noun("region", "regions", article="place")
SERIES = Noun("series of events", "series of events", article="titled")
SHIP = Noun("ship", "ships")
SUMMIT = Noun("meeting", "meetings", article="edition")
SPACECRAFT = Noun("spacecraft", "spacecraft")
TEAM = Noun("sports team", "sports teams", article="team", short="team")
TITLE = Noun("title", "titles")
TREATY = Noun("treaty", "treaties", article="titled")
WAR = Noun("war", "wars", article="titled")
WORK = Noun("work", "works", title=True)

_OFFICE = Words(
    PERSON, OFFICE, "be {p}", "become {p}", "leave office as {p}", "be held by {a}",
    short_start="take office", short_end="leave office",
    open_state="hold {p}", open_start="take up {p}", open_end="give up {p}",
    span="have {length} term as {p}",
)  # fmt: skip
_CROWN = Words(
    PERSON, TITLE, "reign as {p}", "become {p}", "cease to reign as {p}", "be held by {a}",
    short_start="come to the throne", short_end="cease to reign",
    open_state="hold {p}", open_start="take up {p}", open_end="cease to hold {p}",
    span="have {length} reign as {p}",
)  # fmt: skip
_PLAYER = Words(
    PERSON, TEAM, "play for {p}", "join {p}", "leave {p}", "have among {its} players {a}",
    short_start="join", short_end="leave", span="have {length} spell with {p}",
)  # fmt: skip
_DRIVER = Words(
    PERSON, RACING_TEAM, "drive for {p}", "join {p} as a driver", "leave {p} as a driver", "have among {its} drivers {a}",
    short_start="join", short_end="leave", span="have {length} spell with {p}",
)  # fmt: skip
_STUDENT = Words(
    PERSON, INSTITUTION, "study at {p}", "enroll at {p}", "finish studies at {p}", "have among {its} students {a}",
    short_start="enroll there", short_end="finish studies there",
)  # fmt: skip
_WORKER = Words(
    PERSON, EMPLOYER, "work at {p}", "join the staff of {p}", "leave the staff of {p}", "employ {a}",
    short_start="join the staff", short_end="leave the staff", span="have {length} spell working at {p}",
)  # fmt: skip
_SPOUSE = Words(
    PERSON, PERSON, "be married to {p}", "marry {p}", "stop being married to {p}", "be married to {a}",
    span="have {length} marriage to {p}",
)  # fmt: skip
_LEGISLATOR = Words(
    PERSON, LEGISLATURE, "serve in {p}", "enter {p}", "leave {p}", "have among {its} members {a}",
    short_start="enter", short_end="leave",
)  # fmt: skip


def member(agent: Noun, group: Noun) -> Words:
    """Words for members of a kind of group."""
    return Words(
        agent, group, "be a member of {p}", "join {p}", "leave {p}", "have among {its} members {a}",
        short_start="join", short_end="leave", span="have {length} spell as a member of {p}",
    )  # fmt: skip


_COACH = role("head coach", PERSON, TEAM, "have as {its} head coach {a}")
_HEAD_OF_GOVERNMENT = role("head of government", PERSON, REGION, "have as {its} head of government {a}")
_HEAD_OF_STATE = role("head of state", PERSON, COUNTRY, "have as {its} head of state {a}")
_CAPITAL = role("capital", CITY, COUNTRY, "have as {its} capital {a}", "the ")
_CHAIR = role("chairperson", PERSON, ORGANISATION, "be chaired by {a}")
_OWNER = Words(ANYONE, THING, "own {p}", "become owner of {p}", "cease to own {p}", "be owned by {a}")
_SITUATED = Words(PLACE, REGION, "be part of {p}", "become part of {p}", "stop being part of {p}", "include {a}")
_WON = Words(CONTENDER, COMPETITION, "win {p}", inverse="be won by {a}")
_SEATED = Words(
    ORGANISATION, PLACE, "have headquarters in {p}", "set up headquarters in {p}", "close headquarters in {p}",
    "be home to the headquarters of {a}",
)  # fmt: skip
_COACHED = role("coach", PERSON, TEAM, "have as {its} coach {a}")
_RELEASED = Words(ARTIST, ALBUM, "release {p}", inverse="be released by {a}")
_WROTE = Words(PERSON, BOOK, "write {p}", inverse="be written by {a}")
_ACTED = Words(PERSON, FILM, "star in {p}", inverse="star {a}")
_PERFORMED = Words(ARTIST, WORK, "perform {p}", inverse="be performed by {a}")
_FOUNDED = Words(PERSON, FIRM, "found {p}", inverse="be founded by {a}")
_FOUGHT = Words(PERSON, WAR, "fight in {p}", "start to fight in {p}", "cease to fight in {p}", inverse="have among {its} fighters {a}")
_REPLACED = Words(ANYONE, ANYONE, "replace {p}", inverse="be replaced by {a}")
_FOLLOWED = Words(ANYONE, ANYONE, "follow {p}", inverse="be followed by {a}")
_RECEIVED = Words(RECIPIENT, AWARD, "receive {p}", inverse="be received by {a}")
_CITIZEN = Words(
    PERSON, COUNTRY, "be a citizen of {p}", "become a citizen of {p}", "stop being a citizen of {p}", "have among {its} citizens {a}"
)
_GROUP = Words(
    ANYONE, ORGANISATION, "be a member of {p}", "join {p}", "leave {p}", "have among {its} members {a}",
    short_start="join", short_end="leave", span="have {length} spell as a member of {p}",
)  # fmt: skip

LEXICON: dict[str, Words] = {
    # careers in sport
    "member of sports team": _PLAYER,
    "plays for": _PLAYER,
    "head coach of": _COACH,
    "head coach": flip(_COACH),
    "coach of sports team": _COACHED,
    "drove for": _DRIVER,
    "inducted into": Words(PERSON, HALL, "be inducted into {p}", inverse="induct {a}"),
    "winner of": _WON,
    "winner": flip(_WON),
    "has winner": flip(_WON),
    "host of": Words(PLACE, EVENT, "host {p}", inverse="be hosted by {a}"),
    # prizes
    "award received": _RECEIVED,
    "receive award": _RECEIVED,
    "nominated for": Words(RECIPIENT, AWARD, "be nominated for {p}", inverse="have among {its} nominees {a}"),
    "has won prize": Words(RECIPIENT, AWARD, "win {p}", inverse="be won by {a}"),
    "beatified by": Words(PERSON, POPE, "be beatified by {p}", inverse="beatify {a}"),
    "canonized by": Words(PERSON, POPE, "be canonized by {p}", inverse="canonize {a}"),
    "created cardinal by": Words(PERSON, POPE, "be made a cardinal by {p}", inverse="make a cardinal of {a}"),
    # politics and rule
    "position held": _OFFICE,
    "cabinet office held": _OFFICE,
    "elected to": Words(
        PERSON, OFFICE, "be elected {p}", inverse="be won in an election by {a}", open_state="be elected to {p}", body_takes_to=True
    ),
    "reigned over": Words(
        PERSON, COUNTRY, "reign over {p}", "begin to reign over {p}", "cease to reign over {p}", "have as {its} monarch {a}",
        short_start="begin to reign", short_end="cease to reign", span="have {length} reign over {p}",
    ),
    "reigned as": _CROWN,
    "member of political party": member(PERSON, PARTY),
    "member of legislature": _LEGISLATOR,
    "served in": _LEGISLATOR,
    "head of government of": _HEAD_OF_GOVERNMENT,
    "head of government": flip(_HEAD_OF_GOVERNMENT),
    "has head of government": flip(_HEAD_OF_GOVERNMENT),
    "head of state of": _HEAD_OF_STATE,
    "head of state": flip(_HEAD_OF_STATE),
    "acceded to": Words(COUNTRY, ORGANISATION, "join {p}", inverse="be joined by {a}"),
    "signatory of": Words(COUNTRY, TREATY, "sign {p}", inverse="be signed by {a}"),
    "capital of": _CAPITAL,
    "capital": flip(_CAPITAL),
    "country of citizenship": _CITIZEN,
    "country": Words(PLACE, COUNTRY, "belong to {p}", "become part of {p}", "stop being part of {p}", "include {a}"),
    "located in the administrative territorial entity": _SITUATED,
    "contains administrative territorial entity": flip(_SITUATED),
    "contains the administrative territorial entity": flip(_SITUATED),
    "twinned administrative body": Words(
        PLACE, PLACE, "be twinned with {p}", "become twinned with {p}", "stop being twinned with {p}", "be twinned with {a}"
    ),
    "heritage designation": Words(
        PLACE, Noun("heritage status", "heritage statuses"), "be listed as {p}", "become listed as {p}", "stop being listed as {p}",
        "be given to {a}", open_state="have {p}", open_start="get {p}", open_end="lose {p}",
    ),
    "took place in": Words(EVENT, PLACE, "take place in {p}", inverse="be the scene of {a}"),
    "held in": Words(
        EVENT, PLACE, "be held in {p}", "begin in {p}", "end in {p}", "be the venue of {a}", short_start="begin", short_end="end"
    ),
    "edition of": Words(
        EVENT, SERIES, "be an edition of {p}", "begin as an edition of {p}", "end as an edition of {p}", "have among {its} editions {a}",
        short_start="begin", short_end="end",
    ),
    "attended": Words(PERSON, SUMMIT, "attend {p}", "start to attend {p}", "cease to attend {p}", "be attended by {a}"),
    "fought at": Words(PERSON, BATTLE, "fight at {p}", inverse="have among {its} fighters {a}"),
    "commanded in": Words(
        PERSON, BATTLE, "hold a command in {p}", "take up a command in {p}", "give up a command in {p}", "have among {its} commanders {a}"
    ),
    "played in": Words(PERSON, MATCH, "play in {p}", inverse="have among {its} players {a}"),
    "signed": Words(PERSON, TREATY, "sign {p}", inverse="be signed by {a}"),
    "fought in": _FOUGHT,
    "conflict": _FOUGHT,
    "part of": Words(
        Noun("event", "events", article="titled", vague=True), Noun("larger event", "larger events", article="titled", vague=True),
        "be part of {p}", "begin as part of {p}", "end as part of {p}",
        "include {a}", short_start="begin", short_end="end",
    ),
    # learning and work
    "educated at": _STUDENT,
    "graduated from": Words(PERSON, INSTITUTION, "graduate from {p}", inverse="have among {its} graduates {a}"),
    "academic degree": Words(PERSON, DEGREE, "earn the degree of {p}", inverse="be earned by {a}", open_state="earn {p}"),
    "employer": _WORKER,
    "works at": _WORKER,
    "chief executive of": role("chief executive", PERSON, COMPANY, "have as {its} chief executive {a}"),
    "chairperson of": _CHAIR,
    "chairperson": flip(_CHAIR),
    "music director of": role("music director", PERSON, ORCHESTRA, "have as {its} music director {a}"),
    "occupation": Words(
        PERSON, OCCUPATION, "work as {p}", "start to work as {p}", "give up work as {p}", "be followed by {a}",
        open_state="have {p}", open_start="take up {p}", open_end="give up {p}",
    ),
    "headquarters in": _SEATED,
    "headquarters location": _SEATED,
    "residence": Words(
        PERSON, PLACE, "live in {p}", "move to {p}", "move away from {p}", "be home to {a}",
        short_start="move there", short_end="move away",
    ),
    "founded": _FOUNDED,
    "founded by": flip(_FOUNDED),
    "introduced product": Words(COMPANY, PRODUCT, "introduce {p}", inverse="be introduced by {a}"),
    "acquired": Words(COMPANY, FIRM, "acquire {p}", inverse="be acquired by {a}"),
    "discovered": Words(PERSON, THING, "discover {p}", inverse="be discovered by {a}"),
    "created": Words(PERSON, WORK, "create {p}", inverse="be created by {a}"),
    "owns": _OWNER,
    "owned by": flip(_OWNER),
    "replaces": _REPLACED,
    "replaced by": flip(_REPLACED),
    "follows": _FOLLOWED,
    "followed by": flip(_FOLLOWED),
    "crew member of": Words(PERSON, MISSION, "fly on {p}", inverse="have among {its} crew {a}"),
    "flew aboard": Words(
        PERSON, SPACECRAFT, "fly aboard {p}", "start a flight aboard {p}", "end a flight aboard {p}", "carry {a}",
    ),
    "launched on": Words(PERSON, MISSION, "be launched into space on {p}", inverse="take into space {a}"),
    "launched by": flip(Words(LAUNCHER, MISSION_OR_PROBE, "launch {p}", inverse="be launched by {a}")),
    "flown by": Words(
        MISSION, SPACECRAFT, "be flown by {p}", "begin as a flight of {p}", "end as a flight of {p}", "fly {a}",
        short_start="begin", short_end="end",
    ),
    "served on": Words(
        PERSON, SHIP, "serve on {p}", "join the crew of {p}", "leave the crew of {p}", "have among {its} crew {a}",
        short_start="join the crew", short_end="leave the crew",
    ),
    # arts
    "director of film": Words(PERSON, FILM, "direct {p}", inverse="be directed by {a}"),
    "starred in": _ACTED,
    "cast member": flip(Words(PERSON, FILM, "appear in {p}", inverse="have in {its} cast {a}")),
    "performer": flip(_PERFORMED),
    "portrayed": Words(
        PERSON, CHARACTER, "play {p}", "take on the role of {p}", "give up the role of {p}", "be played by {a}",
        short_start="take on the role", short_end="give up the role",
    ),
    "member of band": member(PERSON, BAND),
    "member of": _GROUP,
    "is affiliated to": _GROUP,
    "released": _RELEASED,
    "released album": _RELEASED,
    "author of": _WROTE,
    "author": flip(_WROTE),
    "premiered": Words(Noun("venue", "venues", article="titled"), WORK, "premiere {p}", inverse="be premiered by {a}"),
    # people
    "spouse": _SPOUSE,
    "is married to": _SPOUSE,
    "unmarried partner": Words(
        PERSON, PERSON, "be the partner of {p}", "become the partner of {p}", "stop being the partner of {p}", "be the partner of {a}"
    ),
    "place of birth": Words(PERSON, PLACE, "be born in {p}", inverse="be the birthplace of {a}"),
    "place of death": Words(PERSON, PLACE, "die in {p}", inverse="be the place of death of {a}"),
    "was born in": Words(PERSON, PLACE, "be born in {p}", inverse="be the birthplace of {a}"),
    "died in": Words(PERSON, PLACE, "die in {p}", inverse="be the place of death of {a}"),
    "significant event": Words(THING, EVENT, "go through {p}", inverse="happen to {a}"),
    "instance of": Words(
        THING, KIND, "be {p}", "become {p}", "stop being {p}", "be the kind of {a}",
        open_state="belong to {p}", open_start="start to belong to {p}", open_end="cease to belong to {p}",
    ),
}  # fmt: skip
"""Relation label, lower case and with its words apart -> its words."""
