"""The verifier's own words for relations: which verbs and nouns of a question may speak of which relation.

Each row gives base forms; their inflections are made in `verifier_inflection`. Words of a relation's own label
always count, so an unknown relation is still found by its name. Paper: section 4.3.2.
"""

from __future__ import annotations

from typing import NamedTuple


class Trigger(NamedTuple):
    """What a word says of one relation."""

    relation: str
    """Normalised relation label."""
    aspect: str | None
    """`s` where the word means the fact's start, `e` its end, `None` the fact as a whole."""
    is_verb: bool


class Entry(NamedTuple):
    """Words for one relation, each column blank-separated; `_` joins a phrase."""

    whole: str
    """Verbs for the fact while it holds, or for a point fact."""
    start: str
    """Verbs for its start."""
    end: str
    """Verbs for its end."""
    nouns: str
    """Nouns for the fact or for one of its ends as such (`coach`, `winner`)."""
    types: str
    """Nouns for the kind of thing at either end: they name no relation by themselves."""


_OFFICE_START = (
    "become appoint take_over take_up take_office take_charge assume enter_office install inaugurate swear_in "
    "come_to_power come_into_office arrive hire begin elect take_the_helm"
)
_OFFICE_END = (
    "leave step_down resign retire relinquish vacate give_up depart quit leave_office fall lose_power lose_office"
    " hand_over step_aside sack dismiss exit go stand_down"
)
_JOIN = "join sign move_to transfer become arrive come_to"
_LEAVE = "leave depart quit exit part_company part_ways walk_away go move_on"
_WON = "win receive award earn get collect take honour honor bestow confer give present grant claim land pick_up"
_PERSON = "person people individual man men woman women figure someone"
_STATES = "country state nation realm kingdom empire territory land"

ENTRIES: dict[str, Entry] = {
    "member of sports team": Entry(
        "play appear feature represent turn_out line_up compete",
        _JOIN + " sign_for",
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
    "award received": Entry(
        _WON,
        "",
        "",
        "award winner recipient laureate winning honour prize win award_winner receipt",
        "medal order title honours distinction decoration trophy",
    ),
    "winner of": Entry(
        _WON + " triumph prevail",
        "",
        "",
        "winner win victory champion triumph success title",
        "tournament event race contest championship competition award prize edition trophy driver rider cyclist team",
    ),
    "winner": Entry(
        _WON + " triumph prevail",
        "",
        "",
        "winner win victory champion triumph success",
        "tournament event race contest championship competition award prize edition season team",
    ),
    "drove for": Entry("drive race compete", _JOIN, _LEAVE, "driver racing seat drive", "team constructor racer outfit"),
    "host of": Entry(
        "host stage hold present_host", "", "", "host venue hosting host_city", "city games event olympics tournament cup edition"
    ),
    "inducted into": Entry("induct enshrine enter admit", "", "", "inductee induction member", "hall fame artist band act musician group"),
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
    "elected to": Entry(
        "elect vote win choose return", "", "", "election winner victory", "office presidency position post seat body politician"
    ),
    "acceded to": Entry(
        "accede join enter admit ratify",
        "",
        "",
        "accession member entry joining admission membership",
        "organisation organization union country state nation treaty bloc alliance",
    ),
    "capital of": Entry("be_the_capital serve seat_of", "become", "lose_status cease", "capital seat", "city country state nation empire"),
    "director of film": Entry("direct make helm shoot", "", "", "director filmmaker direction", "film movie picture"),
    "director": Entry("direct make helm shoot", "", "", "director filmmaker direction", "film movie picture"),
    "starred in": Entry(
        "star appear act feature play perform",
        "",
        "",
        "star lead role cast appearance performance",
        "film movie series show picture actor actress",
    ),
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
    "released": Entry(
        "release issue put_out bring_out publish launch record", "", "", "release", "album song single record film product artist band"
    ),
    "released album": Entry(
        "release issue put_out bring_out publish record drop",
        "",
        "",
        "release recording",
        "album record lp artist band group act singer musician",
    ),
    "author of": Entry(
        "write author publish pen compose", "", "", "author writer novelist publication poet playwright", "book novel work play poem story"
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
    "founded": Entry(
        "found establish start create set_up co-found cofound launch",
        "",
        "",
        "founder founding creation establishment foundation co-founder cofounder creator",
        "company organisation organization firm business newspaper city club institution entrepreneur",
    ),
    "founded by": Entry(
        "found establish start create set_up co-found cofound launch",
        "",
        "",
        "founder founding creation establishment foundation co-founder cofounder creator",
        "company organisation organization firm business institution",
    ),
    "introduced product": Entry(
        "introduce launch release unveil make produce bring_out create bring_to_market sell debut",
        "",
        "",
        "introduction launch product maker release manufacturer",
        "company firm device brand model car aircraft plane console phone computer camera game system software drug vehicle",
    ),
    "acquired": Entry(
        "acquire buy purchase take_over", "", "", "acquisition buyer purchase takeover owner acquirer", "company firm business"
    ),
    "discovered": Entry(
        "discover find identify detect isolate",
        "",
        "",
        "discoverer discovery finder finding",
        "element planet moon comet asteroid scientist astronomer object",
    ),
    "discoverer or inventor": Entry(
        "discover find invent identify", "", "", "discoverer discovery finder inventor invention", "element object planet"
    ),
    "crew member of": Entry(
        "fly crew serve board",
        "launch join",
        "return",
        "crew astronaut cosmonaut crewmate member flight",
        "mission spacecraft shuttle expedition",
    ),
    "flew aboard": Entry(
        "fly travel launch board go crew ride carry",
        "",
        "",
        "flight astronaut cosmonaut crew passenger trip",
        "mission spacecraft shuttle space",
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
    "took place in": Entry(
        "hold stage host",
        "",
        "",
        "host venue location site host_city hosting staging",
        "city country event games place tournament edition championship",
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
    "signatory of": Entry(
        "sign ratify", "", "", "signatory signing signature signer", "treaty country agreement pact convention accord state"
    ),
    "edition of": Entry(
        "hold stage take_place run",
        "",
        "",
        "edition staging instalment installment event",
        "games tournament cup championship festival olympics",
    ),
    "premiered": Entry(
        "premiere debut open show stage perform",
        "",
        "",
        "premiere debut opening performance",
        "opera play theatre work film composer musical ballet piece venue house",
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
    "nominated for": Entry("nominate shortlist", "", "", "nominee nomination contender", "award prize oscar work film"),
    "academic degree": Entry(
        "earn receive obtain hold get gain award complete", "", "", "degree graduate doctorate graduation holder", "scholar"
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
    "performer": Entry("perform sing record play release", "", "", "performer singer performance artist", "song album track band single"),
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
    "replaces": Entry("replace succeed supersede follow", "", "", "predecessor successor replacement", ""),
    "replaced by": Entry("replace succeed supersede follow", "", "", "predecessor successor replacement", ""),
    "attended": Entry(
        "attend participate take_part be_present",
        "arrive",
        "leave",
        "attendee participant delegate attendance participation",
        "summit conference meeting leader event gathering politician statesman",
    ),
    "beatified by": Entry("beatify declare_blessed", "", "", "beatification", "pope pontiff blessed saint"),
    "canonized by": Entry(
        "canonize canonise declare_a_saint make_a_saint", "", "", "canonization canonisation saint sainthood", "pope pontiff"
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
    "fought at": Entry(
        "fight battle serve command take_part participate lead",
        "",
        "",
        "combatant fighter participant commander fighting participation",
        "battle general officer commander marshal soldier",
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
    "launched by": Entry(
        "launch send_up send", "", "", "launch launcher", "agency organisation spacecraft probe satellite mission vehicle craft country"
    ),
    "launched on": Entry(
        "launch take_into_space fly go_up lift_off blast_off travel go send",
        "",
        "",
        "launch flight astronaut cosmonaut crew liftoff",
        "mission spacecraft shuttle rocket space",
    ),
    "played in": Entry(
        "play appear feature compete line_up take_part participate take_the_field",
        "",
        "",
        "player appearance participant footballer",
        "match game final fixture tournament team side",
    ),
    "signed": Entry(
        "sign put_name ratify", "", "", "signatory signer signing signature", "document treaty agreement accord declaration pact"
    ),
    "officeholder": Entry(
        "hold serve occupy", _OFFICE_START, _OFFICE_END, "officeholder holder incumbent tenure", "office position post role"
    ),
    "manager": Entry("manage coach run", _OFFICE_START, _OFFICE_END, "manager management boss", "team club"),
    "significant event": Entry("", "", "", "event", "building place"),
    "sport": Entry("play compete", "take_up", "give_up", "sport", ""),
    "place of birth": Entry("bear", "", "", "birth birthplace native", "place city town"),
    "place of death": Entry("die pass_away", "", "", "death", "place city town"),
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

OTHER_LABELS: dict[str, str] = {
    "plays for": "member of sports team",
    "played for": "member of sports team",
    "is married to": "spouse",
    "married to": "spouse",
    "unmarried partner": "spouse",
    "is affiliated to": "member of",
    "graduated from": "educated at",
    "works at": "employer",
    "worked at": "employer",
    "has won prize": "award received",
    "owns": "owned by",
    "created": "author of",
    "chairperson of": "chief executive of",
    "served in": "member of legislature",
    "conflict": "fought in",
    "is citizen of": "country of citizenship",
    "receive award": "award received",
    "has winner": "winner",
    "has head of government": "head of government",
    "coach of sports team": "head coach",
    "headquarters location": "headquarters in",
    "premiered in": "premiered",
    "directed by": "director",
    "was born in": "place of birth",
    "died in": "place of death",
}
"""Labels of other schemas that mean a relation above."""
