"""Words for a relation that the lexicon does not list, read from its label as English."""

from __future__ import annotations

import re

from agents.offline.english import OPENING_VERBS, base_of_past, gerund, participle, past
from agents.offline.event_lexicon import EVENTS, event
from agents.offline.lexicon import LEXICON, member
from agents.offline.words import ANYONE, Noun, Words, flip, role

_PREPOSITIONS = {"at", "in", "on", "for", "to", "with", "from", "into", "by", "of", "under", "over", "against", "near", "as", "through"}
"""What may stand between a verb or a noun and the patient."""
_PARTICLES = _PREPOSITIONS - {"of"}
"""Those that show a word in `-s` before them to be a verb: `plays for`."""
_INTRANSITIVE = {
    "participated", "competed", "worked", "lived", "died", "played", "served", "starred", "appeared", "resided", "studied",
    "graduated", "performed", "belonged", "collaborated", "retired", "moved", "travelled", "traveled", "visited", "merged",
    "agreed", "disagreed", "argued", "arrived", "campaigned", "clashed", "cooperated", "departed", "debuted", "defected", "emigrated",
    "escaped", "lectured", "migrated", "negotiated", "preached", "resigned", "returned", "sailed", "settled", "stayed", "stepped",
    "succeeded", "trained", "voted",
}  # fmt: skip
"""Pasts that are active before a preposition: `worked for`, but `employed by`."""
_TRANSITIVE_TOO = {
    "argued", "escaped", "merged", "moved", "performed", "played", "returned", "sailed", "served", "settled", "starred", "studied",
    "succeeded", "trained", "visited",
}  # fmt: skip
"""Those that may stand without a preposition."""
_BASES = {
    "abduct", "accede", "accuse", "acknowledge", "apologize", "appeal", "arrest", "assassinate", "attempt", "block", "bring", "carry",
    "coerce", "complain", "conduct", "confiscate", "consider", "consult", "cooperate", "criticize", "declare", "decline", "defend",
    "defy", "demand", "demonstrate", "deny", "deport", "destroy", "discuss", "ease", "employ", "endorse", "engage", "expel", "express",
    "fight", "give", "grant", "halt", "host", "impose", "increase", "investigate", "join", "kill", "make", "mediate", "meet", "mobilize",
    "negotiate", "obstruct", "occupy", "play", "praise", "protest", "provide", "rally", "receive", "reduce", "refuse", "reject",
    "release", "return", "seize", "share", "sign", "threaten", "torture", "use", "veto", "violate", "win", "yield",
}  # fmt: skip
"""Verbs that open a label in their base form, as event data has them: `Make a visit`."""
_OFTEN_NOUNS = {"block", "fight", "play", "protest", "rally", "release", "share", "veto", "win", "yield"}
"""Those that are as often nouns, as in `release date`."""
_NOUNS_ALONE = {"return", "use"}
"""Those that are nouns where they stand alone."""
_AFTER_VERBS = _PREPOSITIONS | {"a", "an", "the", "intelligence", "opposition", "support", "violently", "violently,"}
"""What shows that such a word is a verb."""
_TRANSITIVE = {
    "abduct", "accuse", "arrest", "assassinate", "coerce", "consult", "deport", "expel", "investigate", "praise", "reject", "threaten",
    "torture", "criticize",
}  # fmt: skip
"""Those that take what they are done to as their object, with nothing between."""
_ACTIVE_PASTS = frozenset(
    """
    became began came chose drew drove fell flew forgot gave got grew knew ran rode rose sang sat saw spoke stole stood swore took
    threw went withdrew woke wore wrote
    """.split()  # noqa: SIM905 - a word list is read more easily in lines
)
"""Irregular pasts that are no participles, or of verbs that are seldom told in the passive."""
_PARTICIPLES_TOO = frozenset(
    """
    bought brought built caught fought found held kept led left lost made met paid sent sold spent taught won
    """.split()  # noqa: SIM905 - a word list is read more easily in lines
)
"""Irregular pasts that are passive before a preposition: `held by`, `made in`."""
_SELDOM_PASSIVE = frozenset(["fought", "led", "left", "lost", "met", "spent", "taught", "won"])
"""Those that are active before a preposition as well, as in `lost to`, other than `by` and `of`."""
_DENIAL = re.compile(
    r"\b(?:not|never|no|non|almost|nearly|hardly|barely|neither|nor|cannot|without|been|did|does)\b|n['’]t\b"
    r"|\b(?:fail|refus|declin|neglect|forg[eo]t|hesitat|tried|tries|attempted|attempts)\w* to\b"
)
"""What makes a label say that something is not so, or only meant: no verb phrase is made of such a label."""
_ROLE = re.compile(r"(member) of (?:the )?(.+)|((?:\w+ )?(?:captain|citizen|coach|employee|member|player)) of (?!the )(.+)")
"""What a label begins with that says whose its object is: `member of team`, but `place of birth` and `player of the match`."""
_PLURALS = {"headquarters", "colours", "colors", "studies", "works"}
"""Nouns that look like verbs of the third person before a preposition: `headquarters in`."""
_THIRD_PERSON = {
    "owns", "contains", "replaces", "follows", "produces", "manufactures", "leads", "runs", "operates", "controls", "makes", "sells",
    "supports", "employs", "includes", "borders", "shares", "influences", "teaches", "manages", "publishes", "sponsors", "uses",
    "builds", "knows", "visits", "represents", "administers", "governs", "occupies", "has", "plays", "works", "lives",
}  # fmt: skip
"""Verbs of the third person that need no preposition to be told from plural nouns."""


def words_for(label: str) -> Words:
    """The words for a relation label: from the lexicon, else from the label itself."""
    plain = readable(label)
    return LEXICON.get(plain) or EVENTS.get(plain) or _read(plain)


def is_noun(label: str) -> bool:
    """Whether a label is a noun, as `head coach`, which does not say whose: verbs and what ends in a preposition do."""
    return _read(readable(label)).flipped


def readable(label: str) -> str:
    """A label in lower case with its words apart: `<playsFor>`, `plays_for`, `/sport/athlete/plays_for` -> `plays for`."""
    label = re.sub(r"\A(?:/[^/\s]+)+(?=/[^/\s]+\Z)", "", label)
    text = re.sub(r"[<>\"{}\[\]?!\x00-\x1f\x7f]+", " ", label)
    text = re.sub(r"\(s\)", "s", text)
    text = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).replace("_", " ").replace("/", " ")
    text = re.sub(r"\b(\w+)( \1\b)+", r"\1", " ".join(text.split()).lower())
    return text.removeprefix("http:").strip() or "link"


def _read(plain: str) -> Words:
    first, _, rest = plain.partition(" ")
    second, last = rest.partition(" ")[0], plain.rpartition(" ")[2]
    is_name = (first in _OFTEN_NOUNS and second not in _AFTER_VERBS) or (first in _NOUNS_ALONE and not rest)
    if first.rstrip(",") in _BASES and not is_name:
        return _event(plain)
    if _DENIAL.search(plain) or (plain in _INTRANSITIVE and plain not in _TRANSITIVE_TOO):
        return Words(ANYONE, ANYONE, f'have the relation "{plain}" to {{p}}')
    if first in ("is", "was", "are", "were") and rest:
        return _passive_or_role(rest)
    if first == "has" and rest:
        if (done := base_of_past(second)) is not None:
            return _verb(done, rest.partition(" ")[2])
        return Words(ANYONE, ANYONE, f"have {rest} {{p}}" if last in _PREPOSITIONS else f"have as {rest} {{p}}")
    if (found := _ROLE.fullmatch(plain)) and last not in _PREPOSITIONS:
        return _role(found[1] or found[3], found[2] or found[4])
    if first in _THIRD_PERSON or (first.endswith("s") and first not in _PLURALS and not first.endswith("ss") and second in _PARTICLES):
        return _verb(_base_of_third_person(first), rest)
    base = base_of_past(first)
    is_regular = base is not None and first.endswith("ed")
    is_active = first in _ACTIVE_PASTS | _INTRANSITIVE or (first in _SELDOM_PASSIVE and second not in ("by", "of"))
    is_bare = (is_regular or first in _PARTICIPLES_TOO) and second not in _PREPOSITIONS
    if base is not None and (is_active or is_bare):
        return _verb(base, rest)
    if is_regular or last in _PREPOSITIONS:
        return _passive_or_role(plain)
    return flip(_passive_or_role(f"{plain} of"))


def _verb(base: str, rest: str) -> Words:
    phrase = " ".join(f"{base} {rest} {{p}}".split())
    if not rest:
        return Words(ANYONE, ANYONE, phrase, inverse=f"be {participle(base)} by {{a}}" if past(base).endswith("ed") else "")
    is_open = rest.rpartition(" ")[2] in _PREPOSITIONS and rest != "over"
    return Words(ANYONE, ANYONE, phrase, inverse=f"have {gerund(base)} {rest} {{it}} {{a}}" if is_open else "")


def _event(plain: str) -> Words:
    """What event data call by a verb, with what or whom it has to do after it: `criticize or denounce {p}`."""
    rest = OPENING_VERBS.sub("", plain, count=1).strip()
    is_direct = not rest and re.split(r"\W", plain)[0] in _TRANSITIVE
    return event(plain if is_direct or plain.rpartition(" ")[2] in _PREPOSITIONS else f"{plain} with regard to")


def _role(name: str, kind: str) -> Words:
    """A role in a thing of some kind: `member of team`, with the team as the fact's object."""
    noun = Noun(kind, _plural(kind))
    if name == "member":
        return member(ANYONE, noun)
    return role(name, ANYONE, noun, f"have as {{its}} {name} {{a}}", "a " if name in ("citizen", "employee", "player") else "")


def _plural(kind: str) -> str:
    """`sports teams`, `parties`, `teams in class 2`."""
    head, link, rest = re.fullmatch(rf"(.+?)(?:( (?:{'|'.join(sorted(_PREPOSITIONS))}) )(.*))?", kind).groups(default="")  # type: ignore[union-attr]
    return (head if head.endswith("s") else re.sub(r"(?<![aeiou])y\Z", "ie", head) + "s") + link + rest


def _passive_or_role(rest: str) -> Words:
    named = f"a {rest}" if rest.startswith("member ") else rest
    first, _, last = rest.rpartition(" ")
    verb = first.partition(" ")[0]
    if last == "of":
        inverse = f"have as {{its}} {first} {{a}}"
    elif last == "by" and base_of_past(verb) is not None:
        inverse = f"{base_of_past(verb)} {first.partition(' ')[2]} {{a}}".replace("  ", " ")
    else:
        inverse = f"have {rest} {{it}} {{a}}" if last in _PREPOSITIONS else ""
    return Words(ANYONE, ANYONE, f"be {named} {{p}}", f"become {named} {{p}}", f"stop being {named} {{p}}", inverse)


def _base_of_third_person(verb: str) -> str:
    if verb == "has":
        return "have"
    if verb.endswith("ies") and len(verb) > 4:
        return verb[:-3] + "y"
    if re.search(r"(?:ch|sh|x|ss|o)es\Z", verb):
        return verb[:-2]
    return verb[:-1]
