"""The verifier's words for relations whose facts are told as a whole: what happens in a moment, or has no words for its ends.

Paper: section 4.3.2.
"""

from __future__ import annotations

from agents.offline.verifier_entry import Entry, told_whole

_WON = "win receive award earn get collect take honour honor bestow confer give present grant claim land pick_up"
"""Verbs for getting a prize or a victory."""

POINT_RELATIONS: dict[str, Entry] = {
    "award received": told_whole(
        _WON,
        "award winner recipient laureate winning honour prize win award_winner receipt",
        "medal order title honours distinction decoration trophy",
    ),
    "winner of": told_whole(
        _WON + " triumph prevail",
        "winner win victory champion triumph success title",
        "tournament event race contest championship competition award prize edition trophy driver rider cyclist team player competitor",
    ),
    "winner": told_whole(
        _WON + " triumph prevail",
        "winner win victory champion triumph success",
        "tournament event race contest championship competition award prize edition season team player competitor",
    ),
    "host of": told_whole(
        "host stage hold present_host", "host venue hosting host_city", "city games event olympics tournament cup edition"
    ),
    "inducted into": told_whole("induct enshrine enter admit", "inductee induction member", "hall fame artist band act musician group"),
    "elected to": told_whole(
        "elect vote win choose return", "election winner victory", "office presidency position post seat body politician"
    ),
    "acceded to": told_whole(
        "accede join enter admit ratify",
        "accession member entry joining admission membership",
        "organisation organization union country state nation treaty bloc alliance",
    ),
    "director of film": told_whole("direct make helm shoot", "director filmmaker direction", "film movie picture"),
    "starred in": told_whole(
        "star appear act feature play perform", "star lead role cast appearance performance", "film movie series show picture actor actress"
    ),
    "released": told_whole(
        "release issue put_out bring_out publish launch record", "release", "album song single record film product artist band"
    ),
    "released album": told_whole(
        "release issue put_out bring_out publish record drop", "release recording", "album record lp artist band group act singer musician"
    ),
    "author of": told_whole(
        "write author publish pen compose", "author writer novelist publication poet playwright", "book novel work play poem story"
    ),
    "founded": told_whole(
        "found establish start create set_up co-found cofound launch",
        "founder founding creation establishment foundation co-founder cofounder creator",
        "company organisation organization firm business newspaper city club institution entrepreneur",
    ),
    "founded by": told_whole(
        "found establish start create set_up co-found cofound launch",
        "founder founding creation establishment foundation co-founder cofounder creator",
        "company organisation organization firm business institution",
    ),
    "introduced product": told_whole(
        "introduce launch release unveil make produce bring_out create bring_to_market sell debut",
        "introduction launch product maker release manufacturer",
        "company firm device brand model car aircraft plane console phone computer camera game system software drug vehicle",
    ),
    "acquired": told_whole("acquire buy purchase take_over", "acquisition buyer purchase takeover owner acquirer", "company firm business"),
    "discovered": told_whole(
        "discover find identify detect isolate",
        "discoverer discovery finder finding",
        "element planet moon comet asteroid scientist astronomer object",
    ),
    "discoverer or inventor": told_whole(
        "discover find invent identify", "discoverer discovery finder inventor invention", "element object planet"
    ),
    "flew aboard": told_whole(
        "fly travel launch board go crew ride carry", "flight astronaut cosmonaut crew passenger trip", "mission spacecraft shuttle space"
    ),
    "took place in": told_whole(
        "hold stage host",
        "host venue location site host_city hosting staging",
        "city country event games place tournament edition championship",
    ),
    "signatory of": told_whole(
        "sign ratify", "signatory signing signature signer", "treaty country agreement pact convention accord state"
    ),
    "edition of": told_whole(
        "hold stage take_place run",
        "edition staging instalment installment event",
        "games tournament cup championship festival olympics series",
    ),
    "premiered": told_whole(
        "premiere debut open show stage perform",
        "premiere debut opening performance",
        "opera play theatre work film composer musical ballet piece venue house",
    ),
    "nominated for": told_whole("nominate shortlist", "nominee nomination contender", "award prize oscar work film"),
    "academic degree": told_whole(
        "earn receive obtain hold get gain award complete", "degree graduate doctorate graduation holder", "scholar"
    ),
    "performer": told_whole("perform sing record play release", "performer singer performance artist", "song album track band single"),
    "replaces": told_whole("replace succeed supersede follow", "predecessor successor replacement", ""),
    "beatified by": told_whole("beatify declare_blessed", "beatification", "pope pontiff blessed saint"),
    "canonized by": told_whole(
        "canonize canonise declare_a_saint make_a_saint", "canonization canonisation saint sainthood", "pope pontiff"
    ),
    "fought at": told_whole(
        "fight battle serve command take_part participate lead",
        "combatant fighter participant commander fighting participation",
        "battle general officer commander marshal soldier",
    ),
    "launched by": told_whole(
        "launch send_up send", "launch launcher", "agency organisation spacecraft probe satellite mission vehicle craft country"
    ),
    "launched on": told_whole(
        "launch take_into_space fly go_up lift_off blast_off travel go send",
        "launch flight astronaut cosmonaut crew liftoff",
        "mission spacecraft shuttle rocket space",
    ),
    "played in": told_whole(
        "play appear feature compete line_up take_part participate take_the_field",
        "player appearance participant footballer",
        "match game final fixture tournament team side",
    ),
    "signed": told_whole("sign put_name ratify", "signatory signer signing signature", "document treaty agreement accord declaration pact"),
    "significant event": told_whole("", "event", "building place"),
    "place of birth": told_whole("bear", "birth birthplace native", "place city town"),
    "place of death": told_whole("die pass_away", "death", "place city town"),
}
"""Normalised label -> its words."""
