"""English word forms for the offline rewriter: verbs, counts, lists and the article before a name."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

_IRREGULAR = {
    "be": ("was", "being"),
    "become": ("became", "becoming"),
    "begin": ("began", "beginning"),
    "fight": ("fought", "fighting"),
    "fly": ("flew", "flying"),
    "get": ("got", "getting"),
    "give": ("gave", "giving"),
    "have": ("had", "having"),
    "hold": ("held", "holding"),
    "lead": ("led", "leading"),
    "leave": ("left", "leaving"),
    "lose": ("lost", "losing"),
    "make": ("made", "making"),
    "run": ("ran", "running"),
    "take": ("took", "taking"),
    "win": ("won", "winning"),
    "write": ("wrote", "writing"),
    "build": ("built", "building"),
    "speak": ("spoke", "speaking"),
    "sing": ("sang", "singing"),
    "bear": ("bore", "bearing"),
    "sell": ("sold", "selling"),
    "teach": ("taught", "teaching"),
    "know": ("knew", "knowing"),
    "die": ("died", "dying"),
    "drive": ("drove", "driving"),
    "go": ("went", "going"),
    "lay": ("laid", "laying"),
    "choose": ("chose", "choosing"),
    "come": ("came", "coming"),
    "draw": ("drew", "drawing"),
    "meet": ("met", "meeting"),
    "quit": ("quit", "quitting"),
    "wear": ("wore", "wearing"),
    "bring": ("brought", "bringing"),
    "set": ("set", "setting"),
    "buy": ("bought", "buying"),
    "catch": ("caught", "catching"),
    "fall": ("fell", "falling"),
    "find": ("found", "finding"),
    "forget": ("forgot", "forgetting"),
    "grow": ("grew", "growing"),
    "keep": ("kept", "keeping"),
    "pay": ("paid", "paying"),
    "put": ("put", "putting"),
    "ride": ("rode", "riding"),
    "rise": ("rose", "rising"),
    "see": ("saw", "seeing"),
    "send": ("sent", "sending"),
    "sit": ("sat", "sitting"),
    "spend": ("spent", "spending"),
    "stand": ("stood", "standing"),
    "steal": ("stole", "stealing"),
    "swear": ("swore", "swearing"),
    "throw": ("threw", "throwing"),
    "withdraw": ("withdrew", "withdrawing"),
    "wake": ("woke", "waking"),
}
"""Base form -> past tense and -ing form, where the spelling gives no rule for both."""
_PARTICIPLES = {
    "choose": "chosen", "draw": "drawn", "drive": "driven", "fly": "flown", "give": "given", "know": "known", "run": "run",
    "speak": "spoken", "take": "taken", "wear": "worn", "write": "written", "fall": "fallen", "forget": "forgotten", "grow": "grown",
    "ride": "ridden", "see": "seen", "sing": "sung", "steal": "stolen", "swear": "sworn", "throw": "thrown", "withdraw": "withdrawn",
    "begin": "begun", "become": "become", "come": "come", "bear": "borne",
}  # fmt: skip
"""Base form -> past participle, where it is not the past tense."""
_BASES = {
    form: verb for verb in _IRREGULAR if verb not in ("be", "have") for form in (_IRREGULAR[verb][0], _PARTICIPLES.get(verb, ""))
    if form and form != verb
}  # fmt: skip
"""Irregular past tense or participle -> base form; auxiliaries are no verbs of a relation."""
_NO_PASTS = frozenset(
    """
    bed bleed breed deed exceed feed heed hundred indeed kindred need proceed red sacred seed shed speed succeed weed
    """.split()  # noqa: SIM905 - a word list is read more easily in lines
)
"""Words that end like a past tense and are none."""
_DOUBLED = re.compile(
    r"(?:[^aeiou]*|[^aeiou]*qu)[aeiou][bdgmnprt]|equip|(?:ad|com|per|sub|o|trans|re|e)mit|(?:re|pre|de|trans|con|in)fer|oc+ur|abet|regret"
    r"|(?:control|patrol|compel|expel|propel|dispel|repel|rebel|excel|enrol|fulfil|travel|cancel|label|model|signal|quarrel|counsel)"
)
"""Verbs that double their last letter."""
_SILENT_E = re.compile(
    r"(?:[^aeiouy]*|[^aeiouy]*qu)[aeiouy](?:[bcdgklmnprstvz]|e)|.*(?:[vucz]|s(?<!canvas)(?<!focus)(?<!bias)|[^n]g|[ae]ng|[^aeiourw]l|ul|[^eo]at"
    r"|[^e]ed|[^ao]id|[^eo]ad|[uo]d(?<![ou][uo]d)|[^ae]ir|[^o]ur|[^e]ar|[^aoe]in|[^aeo]am|[^o]um|[^o]ok|[bcptl]ut|(?<!h)ib|yp|fre|gre)"
)
"""Stems of one syllable whose last letter would be doubled if no `e` were lost, and endings that have lost one."""
_SILENT_E_TOO = frozenset(
    """
    creat recreat welcom excret guarante compil profil reconcil invit unit incit excit ignit recit expedit promot devot denot compet
    complet delet restor explor ignor ador deplor implor postpon condon dethron conven interven escap landscap reshap elop interfer
    adher persever decre refere overse
    """.split()  # noqa: SIM905 - a word list is read more easily in lines
)
"""Other stems that have lost an `e`, which their endings do not tell."""
_COUNTS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth")


def past(verb: str) -> str:
    """The past tense of a verb's base form: `join` -> `joined`."""
    if verb in _IRREGULAR:
        return _IRREGULAR[verb][0]
    if verb.endswith("e"):
        return verb + "d"
    if _DOUBLED.fullmatch(verb):
        return verb + verb[-1] + "ed"
    if re.search(r"[^aeiou]y\Z", verb):
        return verb[:-1] + "ied"
    return verb + "ed"


def gerund(verb: str) -> str:
    """The -ing form of a verb's base form: `leave` -> `leaving`."""
    if verb in _IRREGULAR:
        return _IRREGULAR[verb][1]
    if _DOUBLED.fullmatch(verb):
        return verb + verb[-1] + "ing"
    return verb[:-1] + "ing" if verb.endswith("e") and not verb.endswith("ee") else verb + "ing"


def base_of_past(form: str) -> str | None:
    """The base form of a past tense or participle: `joined` -> `join`, `led` -> `lead`; `None` for what is neither."""
    if form in _BASES:
        return _BASES[form]
    if not form.endswith("ed") or form in _NO_PASTS or not re.search(r"[aeiouy]", form[:-2]):
        return None
    stem = form[:-2]
    if form.endswith("ied"):
        return stem + "e" if len(form) < 5 else form[:-3] + "y"
    if stem in ("add", "err", "bang", "hang"):
        return stem
    if stem[-2:] in ("ll", "ss", "ff", "zz"):
        return stem[:-1] if _DOUBLED.fullmatch(stem[:-1]) else stem
    if stem[-1] == stem[-2:-1] and stem[-1] not in "aeiou":
        return stem[:-1]
    return stem + "e" if _SILENT_E.fullmatch(stem) or stem in _SILENT_E_TOO else stem


def participle(verb: str) -> str:
    """The past participle of a verb's base form: `give` -> `given`."""
    return _PARTICIPLES.get(verb) or past(verb)


OPENING_VERBS = re.compile(r"[\w-]+(?:, [\w-]+)*,? or [\w-]+|[^\s,]*")
"""What a verb phrase begins with: its verb, or all of `praise or endorse`."""


def inflected(phrase: str, form: Callable[[str], str]) -> str:
    """A phrase with its verb, or each of `praise or endorse`, in another form: `co-found Arn` -> `co-founded Arn`."""

    def each(verbs: re.Match[str]) -> str:
        return re.sub(r"[^\s,]+", lambda verb: verb[0] if verb[0] == "or" else form(verb[0]), verbs[0])

    return OPENING_VERBS.sub(each, phrase, count=1)


def count_word(rank: int) -> str:
    """`first`, `second`, ..., `twelfth`, `13th`."""
    if rank <= len(_COUNTS):
        return _COUNTS[rank - 1]
    suffix = "th" if 10 <= rank % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(rank % 10, "th")
    return f"{rank}{suffix}"


def rank_word(rank: int, from_start: bool) -> str:
    """`second`, or from the far end `last`, `second-to-last`."""
    if from_start:
        return count_word(rank)
    return "last" if rank == 1 else f"{count_word(rank)}-to-last"


def length_word(rank: int, from_shortest: bool) -> str:
    """`longest`, `second-longest`, `third-shortest`."""
    superlative = "shortest" if from_shortest else "longest"
    return superlative if rank == 1 else f"{count_word(rank)}-{superlative}"


def listed(parts: Sequence[str], conjunction: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {conjunction} {parts[-1]}"


def indefinite(noun: str) -> str:
    """`a team`, `an award`, `a university`."""
    vowel = noun[:1].lower() in "aeiou" and not re.match(r"(?:uni(?!n)|use|one\b|eu)", noun, re.IGNORECASE)
    return f"{'an' if vowel else 'a'} {noun}"


_OWN_ARTICLE = re.compile(r"(?:the|a|an|la|le|les|el|il|die|der|das)\b", re.IGNORECASE)
_PLACE_WITH_ARTICLE = re.compile(
    r"(?:United |Soviet Union|Netherlands|Philippines|Bahamas|Maldives|Kingdom of|Republic of (?!Ireland\b)|Confederate|Grand Duchy"
    r"|Duchy of"
    r"|Principality of|Dominican Republic|Czech Republic|Holy Roman|Weimar|Gambia)"
    r"|.* (?:Empire|Dynasty|Union|Republic|Federation|Confederation|Kingdom|Commonwealth|dynasty|Governorate)\Z"
)
_SCHOOL_WITH_ARTICLE = re.compile(r"(?:University of|Institute|Academy|Royal|London School|University College|United States|Technical)")
_TEAM_WITH_ARTICLE = re.compile(r".*(?: (?:team|Orchestra|Philharmonic|Symphony|Opera)|[a-z] [A-Z][a-z]+[^sS\W]s)\Z")


_SINGLE_WORDS_WITH_ARTICLE = {"Bundestag", "Reichstag", "Knesset", "Senate", "Eurozone", "OECD", "UN", "EU", "Riksdag", "Sejm"}


def with_article(label: str, kind: str) -> str:
    """A name as it stands in a sentence: `the FIFA World Cup`, `FC Barcelona`, `the United States`."""
    if re.match(r"\d+(?:st|nd|rd|th) ", label):
        return f"the {label}" if kind else label
    if kind == "office" and label.startswith("member of "):
        return f"a {label}"
    if _OWN_ARTICLE.match(label) or not (label[:1].isupper() or kind == "edition"):
        return label
    if kind in ("titled", "edition") and label in _SINGLE_WORDS_WITH_ARTICLE:
        return f"the {label}"
    has_many_words = " " in label.strip()
    needs = {
        "titled": has_many_words and not re.match(r"\w+['’]s?\s|World War ", label),
        "edition": has_many_words,
        "place": bool(_PLACE_WITH_ARTICLE.match(label)),
        "school": bool(_SCHOOL_WITH_ARTICLE.match(label)),
        "team": bool(_TEAM_WITH_ARTICLE.match(label)),
        "side": bool(re.search(r" (?:team|squad)\Z", label)),
    }
    return f"the {label}" if needs.get(kind, False) else label
