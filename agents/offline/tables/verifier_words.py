"""The English that the verifier of tables follows: what begins and ends a row, what compares, and words that change nothing.

Written apart from the rewriter's; a word that is not here makes the verifier abstain.
"""

from __future__ import annotations

from enum import StrEnum


class Sign(StrEnum):
    """What a phrase does in a condition on time."""

    BEGIN = "the row's start"
    END = "the row's end"
    BEFORE = "earlier than a date"
    AFTER = "later than a date"
    UP_TO = "that date or earlier"
    FROM_ON = "that date or later"
    IN = "within a date"
    AS_OF = "holding at a date"
    WHOLE = "all through a date"
    FROM = "from a date"
    ONWARDS = "and later"
    SINCE = "since a date"
    UNTIL = "until a date"
    TO = "to a date"
    BY = "by a date"
    BETWEEN = "between two dates"
    INCLUSIVE = "both included"
    EXCLUSIVE = "neither included"
    RAN = "it lasted"
    BEYOND = "it lasted longer than a date"
    AT_LEAST = "or longer"
    UNENDED = "no end so far"
    OR_OPEN = "or without an end"
    NOW = "today"
    ALWAYS = "at whatever time"
    STILL = "still"
    AND = "and"
    IS = "present tense"
    MEANWHILE = "while another row holds"


def _rows(sign: Sign, text: str) -> dict[tuple[str, ...], Sign]:
    return {tuple(phrase.split()): sign for phrase in text.split("|")}


PHRASES: dict[tuple[str, ...], Sign] = {
    **_rows(
        Sign.BEGIN,
        "began|begin|begins|begun|beginning|started|start|starts|starting|took office|taking office|take office|takes office"
        "|took over|taking over|took up office|entered office|entering office|came to power|coming to power|came into office"
        "|came into force|coming into force|came into effect|took effect|assumed office|assuming office|commenced|commencing"
        "|appointed|was introduced|introduced|start date|starting date|start time|took up the post|took the post|join|joins|joined"
        "|joining"
        "|took charge|took on the role|took on the position|took the role|took the position|took up|assumed|taking charge|sworn in"
        "|was sworn in|assumed the role|assumed the position|assumed the post|got the job"
        "|took up the role|took up the position|entered into force|entered force|became",
    ),
    **_rows(
        Sign.END,
        "ended|end|ends|ending|finished|finish|finishes|finishing|left office|leaving office|leave office|left|leave|leaves|leaving"
        "|stepped down|stepping down|came to an end|coming to an end|came to its end|ceased|ceasing|stopped|stopping|concluded"
        "|concluding|conclude|concludes|completed|completing|expired|expiring|end date|ending date|end time|departed|departing"
        "|vacated office|left the post|left the role"
        "|left the position|gave up the post|gave up office|resigned",
    ),
    **_rows(Sign.BEFORE, "before|earlier than|prior to|sooner than|strictly before|ahead of"),
    **_rows(Sign.AFTER, "after|post -|later than|beyond|past|following|subsequent to|strictly after"),
    **_rows(
        Sign.UP_TO,
        "no later than|not later than|on or before|in or before|before or on|before or in|not after|at or before|no later than in"
        "|at the latest in|at the latest on|by no later than|not any later than",
    ),
    **_rows(
        Sign.FROM_ON,
        "no earlier than|not earlier than|on or after|in or after|after or on|after or in|not before|at or after|no sooner than"
        "|at the earliest in|at the earliest on",
    ),
    **_rows(Sign.IN, "in|on|during|within|exactly in|exactly on|some time in|sometime in|sometime during|at some point in"),
    **_rows(Sign.AS_OF, "as of|as at|as on|at"),
    **_rows(Sign.WHOLE, "throughout|for all of|for the whole of|all through"),
    **_rows(Sign.FROM, "from"),
    **_rows(Sign.ONWARDS, "onwards|onward|or later|or after"),
    **_rows(Sign.SINCE, "since"),
    **_rows(Sign.UNTIL, "until|till|up until"),
    **_rows(Sign.TO, "to|through|up to"),
    **_rows(Sign.BY, "by"),
    **_rows(Sign.BETWEEN, "between"),
    **_rows(Sign.INCLUSIVE, "inclusive|inclusively|both included|both inclusive|both dates included|including both"),
    **_rows(Sign.EXCLUSIVE, "exclusive|exclusively|both excluded|neither included|both dates excluded"),
    **_rows(Sign.RAN, "ran|run|running|lasted|lasting|lasts|continued|continuing|extended|extending|remained|stayed|went on|went"),
    **_rows(
        Sign.BEYOND,
        "extends beyond|extends past|extended well beyond|went beyond|ran past|ran beyond|lasted past|lasted beyond|lasting beyond"
        "|lasting past|lasted until after"
        "|until after|continued past|continued beyond"
        "|continuing past|continuing beyond|extended past|extended beyond|extending beyond|remained past|remained beyond|stayed past"
        "|stayed beyond|went on past|went on beyond|outlasted|continued after|stayed on after|remained in office after"
        "|stayed in office past|stayed in office beyond|remained in office past|remained in office beyond",
    ),
    **_rows(Sign.AT_LEAST, "at least"),
    **_rows(
        Sign.UNENDED,
        "has not ended|had not ended|has not yet ended|had not yet ended|not ended|has not left office|had not left office"
        "|had not yet left office|has not yet left office|had not come to an end|has not come to an end|had not yet come to an end"
        "|is ongoing|was ongoing|is still ongoing|was still ongoing|had not finished|has not finished|had not yet finished"
        "|not yet ended|had not stepped down|had not left|had not yet left|has not left|has no end|have not ended",
    ),
    **_rows(
        Sign.OR_OPEN,
        "or not at all|or never|or has not ended|or have not ended|or has not ended yet|or had not ended|or is ongoing"
        "|or is still ongoing|or has no end|or has no end date|or has not left office|or has not left|or not yet|if at all|if ever"
        "|if it ended at all|or never ended|or has not come to an end|or not left office|or never left office|or never left"
        "|or is still in office|or has not yet ended",
    ),
    **_rows(Sign.NOW, "now|right now|at this moment|at the present moment|at this time|at the current time|as of now|currently|today"
        "|at present|at the moment|presently|current|nowadays|at the present time"),
    **_rows(Sign.ALWAYS, "ever|at any time|regardless of dates|regardless of date|at whatever time|at some time|whenever|of all time"),
    **_rows(Sign.STILL, "still"),
    **_rows(Sign.AND, "and|but|and also|and then|and who|and which|and that|but who|but which"),
    **_rows(Sign.IS, "is|are"),
    **_rows(Sign.MEANWHILE, "while|at the time of|when"),
}  # fmt: skip
"""Phrase -> what it does, the longest that fits being taken; `during` is `MEANWHILE` where no date follows."""

PLAIN = frozenset((
    "who", "whom", "whose", "which", "what", "was", "were", "be", "been", "being", "has", "have", "had", "did", "do", "does", "the",
    "a", "an", "of", "for", "as", "that", "this", "these", "those", "with", "it", "its", "their", "his", "her", "they", "he", "she",
    "any", "all", "one", "ones", "person", "persons", "people", "served", "serve", "serves", "serving", "held", "hold", "holds",
    "holding", "occupied", "occupy", "occupying", "office", "offices", "role", "position", "post", "job", "title", "term", "terms",
    "tenure", "spell", "spells", "stint", "period", "periods", "entry", "entries", "record", "records", "recorded", "listed",
    "list", "given", "named", "called", "applied", "applies", "apply", "applying", "valid", "value", "reported", "shown", "worked",
    "working", "acted", "acting", "led", "leading", "headed", "heading", "ruled", "governed", "reigned", "hosted", "host",
    "hosting", "directed", "play", "plays", "played", "playing", "belonged", "belongs", "belong", "there", "according", "table",
    "known", "in", "on", "at", "from", "row", "rows", "among", "time", "stood", "stands", "s", "to", "having", "can", "could",
    "you", "tell", "me", "us", "identify", "provide", "know", "exactly", "service", "reign", "leadership", "contracted", "contract",
    "associated", "part", "member", "under", "status", "functioned", "functioning", "leader", "leaders", "politician",
    "politicians", "holder", "holders", "official", "officials", "individual", "individuals",
    "?", ",", "'", '"', "(", ")", "“", "”", "‘", "’", ":", "`",
))  # fmt: skip
"""Words and signs that change nothing of what is asked; `in` and the like only where no date follows."""
RECORDED = frozenset(("recorded", "listed", "on", "known", "given", "reported", "shown", "named"))
"""After `is` they speak of the record, not of today."""
WHO = frozenset((
    "who", "whom", "whose", "person", "persons", "people", "individual", "individuals", "leader", "leaders", "politician", "politicians",
    "holder", "holders", "official", "officials",
))  # fmt: skip
"""Words that ask for a person; a column of that name is asked for before any."""
PERSONS = frozenset(("name", "person", "leader", "holder", "office holder", "officeholder", "head", "incumbent", "politician"))
"""Columns that `who` may ask for."""
