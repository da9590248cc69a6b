"""The verifier's words for relations whose facts last: verbs for the start and the end of a fact stand beside those for the whole.

Paper: section 4.3.2.
"""

from __future__ import annotations

from agents.offline.verifier_entry import Entry

_OFFICE_START = (
    "become appoint take_over take_up take_office take_charge assume enter_office install inaugurate swear_in "
    "come_to_power come_into_office arrive hire begin elect take_the_helm"
)
"""Verbs for taking an office."""
_OFFICE_END = (
    "leave step_down resign retire relinquish vacate give_up depart quit leave_office fall lose_power lose_office"
    " hand_over step_aside sack dismiss exit go stand_down"
)
"""Verbs for giving one up."""
_JOIN = "join sign move_to transfer become arrive come_to"
"""Verbs for coming to a group."""
_LEAVE = "leave depart quit exit part_company part_ways walk_away go move_on"
"""Verbs for going from one."""
_STATES = "country state nation realm kingdom empire territory land"
"""Nouns for countries."""

INTERVAL_RELATIONS: dict[str, Entry] = {
    "member of sports team": Entry(
        "play appear feature represent turn_out line_up compete",
        _JOIN,
        _LEAVE,
        "player footballer teammate member squad playing membership",
        "team club side franchise athlete sportsperson",
    ),
    "head coach of": Entry(
        "coach manage lead train head run steer in_charge at_the_helm",
        _OFFICE_START,
        _OFFICE_END,
        "coach manager boss coaching management managership trainer",
        "team club side",
    ),
    "head coach": Entry(
        "coach manage lead train head run steer in_charge at_the_helm",
        _OFFICE_START,
        _OFFICE_END,
        "coach manager boss coaching management trainer",
        "team club side",
    ),
    "drove for": Entry("drive race compete", _JOIN, _LEAVE, "driver racing seat drive", "team constructor racer outfit"),
    "position held": Entry(
        "hold serve occupy be_in_office",
        _OFFICE_START,
        _OFFICE_END,
        "position officeholder holder incumbent tenure office post term_of_office service",
        "politician role job seat title statesman leader",
    ),
    "reigned over": Entry(
        "reign rule govern",
        "ascend accede crown come_to_the_throne take_the_throne become take_the_crown succeed",
        "abdicate depose dethrone lose_the_throne die",
        "reign ruler monarch king queen emperor sovereign rule",
        _STATES + " throne",
    ),
    "reigned as": Entry(
        "reign rule serve hold bear",
        "ascend accede crown come_to_the_throne take_the_throne take_up become succeed",
        "abdicate depose dethrone lose_the_throne die step_down resign",
        "reign rule pontificate papacy papal",
        "ruler monarch king queen emperor pope title sovereign throne office",
    ),
    "spouse": Entry(
        "be_married",
        "marry wed tie_the_knot become",
        "divorce split separate part",
        "spouse husband wife marriage wedding partner union married",
        "actor actress star",
    ),
    "member of political party": Entry(
        "belong represent", "join enter", _LEAVE, "member membership affiliation party_member", "party politician"
    ),
    "educated at": Entry(
        "study attend educate learn read train school",
        "enrol enroll matriculate enter join begin",
        "graduate leave finish complete",
        "student alumnus alumni alumna pupil education studies graduate schooling degree attendance",
        "university college school institution scholar",
    ),
    "member of legislature": Entry(
        "sit serve",
        "enter join elect become take_seat",
        _OFFICE_END,
        "member seat legislator lawmaker mp representative senator membership sitting",
        "parliament legislature chamber house assembly senate congress politician",
    ),
    "capital of": Entry("be_the_capital serve seat_of", "become", "lose_status cease", "capital seat", "city country state nation empire"),
    "portrayed": Entry("portray play depict", "take_on", "give_up", "portrayal actor actress performer role", "character film"),
    "member of band": Entry(
        "play perform sing drum",
        _JOIN,
        _LEAVE,
        "member bandmate musician guitarist drummer bassist singer vocalist line-up membership",
        "band group act artist",
    ),
    "member of": Entry(
        "belong",
        "join enter become elect",
        _LEAVE,
        "member membership",
        "organisation organization body group club society academy association union country state",
    ),
    "employer": Entry(
        "work employ serve teach",
        "join hire start become",
        _LEAVE,
        "employer employee employment job work staff colleague professor",
        "company firm organisation organization university institution scientist",
    ),
    "chief executive of": Entry(
        "lead run head manage serve",
        _OFFICE_START,
        _OFFICE_END,
        "chief executive ceo boss officer leadership chief_executive head",
        "company firm corporation business",
    ),
    "crew member of": Entry(
        "fly crew serve board",
        "launch join",
        "return",
        "crew astronaut cosmonaut crewmate member flight",
        "mission spacecraft shuttle expedition",
    ),
    "music director of": Entry(
        "lead direct conduct head",
        _OFFICE_START,
        _OFFICE_END,
        "director conductor directorship music_director leadership musical music chief",
        "orchestra ensemble philharmonic",
    ),
    "served on": Entry(
        "serve sit",
        _OFFICE_START + " join",
        _OFFICE_END,
        "justice judge member service justice_of seat membership",
        "court board bench council committee",
    ),
    "part of": Entry(
        "belong include form be_part",
        "join become incorporate",
        _LEAVE + " secede break_away",
        "part member component membership",
        _STATES + " union region republic province",
    ),
    "fought in": Entry(
        "fight serve battle participate take_part combat",
        "enter join",
        "leave withdraw surrender",
        "fighter combatant belligerent participant soldier commander participation fighting",
        "war battle conflict country army",
    ),
    "participant in": Entry(
        "participate compete take_part fight enter",
        "join",
        "leave withdraw",
        "participant participation competitor entrant",
        "war battle event games",
    ),
    "head of government": Entry(
        "head lead govern run serve",
        _OFFICE_START,
        _OFFICE_END,
        "head government premier prime minister mayor leader leadership chancellor governor premiership prime_minister",
        "city country town state municipality region",
    ),
    "head of state": Entry(
        "head lead rule reign serve", _OFFICE_START, _OFFICE_END, "head state president monarch leader presidency", "country nation"
    ),
    "country": Entry(
        "belong include contain lie locate be_part", "join become", "leave", "country part", "state nation territory city town place region"
    ),
    "country of citizenship": Entry(
        "hold be_citizen",
        "become naturalise naturalize gain acquire take",
        "lose renounce give_up",
        "citizen national citizenship nationality subject",
        "country state nation",
    ),
    "residence": Entry(
        "live reside dwell settle stay inhabit",
        "move settle",
        "leave depart move_away move_out",
        "resident residence home inhabitant",
        "city town place",
    ),
    "heritage designation": Entry(
        "designate list protect classify register inscribe",
        "",
        "lose delist",
        "designation listing protection status heritage",
        "building site monument place church",
    ),
    "twinned administrative body": Entry(
        "twin partner pair",
        "twin",
        "",
        "twin sister partner partnership twinning town_twinning sister_city twinned",
        "city town municipality administrative body",
    ),
    "located in the administrative territorial entity": Entry(
        "locate lie belong situate include be_part",
        "join become transfer",
        "leave",
        "part",
        "region province district county state municipality city town place village area entity",
    ),
    "contains administrative territorial entity": Entry(
        "contain include comprise",
        "gain",
        "lose",
        "part division subdivision",
        "region province district county state municipality city town entity village area",
    ),
    "cast member": Entry(
        "star appear act feature play perform", "join", "leave", "star cast actor actress role member", "film movie series show"
    ),
    "occupation": Entry(
        "work be_employed practise practice", "become", "give_up retire quit", "occupation profession career job trade", ""
    ),
    "owned by": Entry(
        "own hold possess",
        "acquire buy purchase take_over become",
        "sell dispose",
        "owner ownership owned proprietor",
        "company firm club business",
    ),
    "attended": Entry(
        "attend participate take_part be_present",
        "arrive",
        "leave",
        "attendee participant delegate attendance participation",
        "summit conference meeting leader event gathering politician statesman",
    ),
    "cabinet office held": Entry(
        "hold serve occupy head run",
        _OFFICE_START,
        _OFFICE_END,
        "cabinet office officeholder holder incumbent tenure position post",
        "politician role job minister secretary",
    ),
    "commanded in": Entry(
        "command lead fight serve",
        "take_command take_up",
        "leave give_up",
        "commander command general leader commanding",
        "battle siege campaign officer army",
    ),
    "created cardinal by": Entry("create make elevate name appoint raise", "become", "", "cardinal elevation creation", "pope pontiff"),
    "flown by": Entry(
        "fly carry carry_out perform use",
        "launch lift_off take_off begin",
        "land return",
        "flight orbiter vehicle",
        "mission spacecraft shuttle",
    ),
    "head of government of": Entry(
        "head lead govern run serve",
        _OFFICE_START,
        _OFFICE_END,
        "head government premier minister prime_minister leader leadership chancellor premiership",
        "country nation state politician",
    ),
    "held in": Entry(
        "hold stage host take_place",
        "open",
        "close",
        "host venue location site hosting staging",
        "city country event games place tournament edition championship conference summit nation",
    ),
    "officeholder": Entry(
        "hold serve occupy", _OFFICE_START, _OFFICE_END, "officeholder holder incumbent tenure", "office position post role"
    ),
    "manager": Entry("manage coach run", _OFFICE_START, _OFFICE_END, "manager management boss", "team club"),
    "sport": Entry("play compete", "take_up", "give_up", "sport", ""),
    "chairperson": Entry(
        "chair head lead run preside",
        _OFFICE_START,
        _OFFICE_END,
        "chair chairman chairwoman head president",
        "organisation organization company club society",
    ),
    "headquarters in": Entry("base locate", "set_up open establish", "close leave", "headquarters seat home", "place city organization"),
    "noble title": Entry("hold bear", "become inherit receive", "lose", "title holder", "duke earl count king"),
}
"""Normalised label -> its words."""
