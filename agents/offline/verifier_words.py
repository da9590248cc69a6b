"""Words about time, order and grammar that the offline verifier knows in free English.

`MARKERS` are tried in order on the normalised question, entity names already replaced; each puts a
marker `<...>` in the place of a temporal phrase. A word that neither these tables nor the relation
lexicon know makes the question unreadable. Paper: section 4.1, Table 1.
"""

# ruff: noqa: E501 - a pattern is read more easily on one line
from __future__ import annotations

import re
from collections.abc import Callable

_UNIT = r"(?:calendar )?(?:years?|months?|days?|dates?)"
_THAT = r"(?: (?:that|when|in which|on which|during which|which|where|of))?"
_RANK_WORDS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10,
    "eleventh": 11, "twelfth": 12,
}  # fmt: skip
_NTH = rf"({'|'.join(_RANK_WORDS)}|\d+(?:st|nd|rd|th))"
_LENGTH = r"(longest|shortest|briefest)(?:[ -](?:serving|lasting|running|reigning|standing|lived))?"
_MOST = r"(earliest|latest|most recent(?:ly)?|last|final|first|soonest)"


def _number(word: str) -> int:
    return _RANK_WORDS.get(word) or int(re.sub(r"\D", "", word))


def _length(match: re.Match[str]) -> str:
    rank = _number(match[1]) if match[1] else 1
    return f" <ord:duration:{rank}:{'desc' if match[2] == 'longest' else 'asc'}> "


def _extreme(match: re.Match[str]) -> str:
    rank = _number(match[1]) if match[1] else 1
    descending = match[2] in ("latest", "most recent", "most recently", "last", "final")
    return f" <ord:time:{rank}:{'desc' if descending else 'asc'}> "


def _from_last(match: re.Match[str]) -> str:
    return f" <ord:time:{_number(match[1])}:desc> "


def _bare_rank(match: re.Match[str]) -> str:
    return f" <ord:time:{_number(match[1])}:asc> "


def _in_capitals(replacement: str | Callable[[re.Match[str]], str]) -> Callable[[re.Match[str]], str]:
    def replace(match: re.Match[str]) -> str:
        text = replacement if isinstance(replacement, str) else replacement(match)
        return re.sub("<[^>]*>", lambda marker: marker[0].upper(), text)

    return replace


_ADVERB = r"(?:(?:strictly|entirely|wholly|completely|fully|only|some time|sometime|at some point) )?"
_PHRASES: list[tuple[str, str | Callable[[re.Match[str]], str]]] = [
    (rf",? past its start {_UNIT} and before its end {_UNIT}", " "),
    (rf"\b(?:the|an?|in|\d+|one|two|few|some) {_UNIT} (?:before|after|prior|earlier|later)\b(?! than)", " <bad> "),
    (rf"\b(?:in |during )?the {_UNIT} (?:leading up to|up to)\b", " <bad> "),
    (r"\b(g[ia]ve|gives|given|giving|took|takes?|taken|taking|hand(?:s|ed|ing)?) (it|them|that \w+) (up|over|on)\b", lambda m: f"{m[1]} {m[3]} {m[2]}"),
    # same start and same end
    (rf"\b(?:(?:with|has|have|had|over|for|in|during|at) )?(?:exactly )?(?:the )?(?:very )?same start(?:ing)?(?: {_UNIT})? and (?:the )?(?:very )?(?:same )?"
     rf"(?:end|finish)(?:ing)?(?: {_UNIT})?(?: as)?\b", " <equals> "),
    (r"\b(?:(?:over|for|in|during|through|across|cover(?:ed|ing|s)?|spann(?:ed|ing)|occup(?:ied|ying)) )?(?:exactly |precisely )?the (?:exact |very )?same (?:years|period|span|stretch|spell of years|dates|interval|time span|months|days)"
     r"(?: (?:as|that))?\b", " <equals> "),
    (r"\bbefore (?:that|this|which)(?= *(?:,|$|\bfor\b|\bat\b|\bwith\b|\bhad\b|\bin\b|\bof\b))", " <prev> "),
    (r"\bafter (?:that|this|which)(?= *(?:,|$|\bfor\b|\bat\b|\bwith\b|\bhad\b|\bin\b|\bof\b))", " <then> "),
    # comparatives
    (rf"\b(?:in |on |at )?(?:an? |some )?(earlier|later|sooner)(?: {_UNIT}| point| date)? than(?: (?:in |on )?the (?:one|{_UNIT}){_THAT}| when| that of)?\b",
     lambda m: " <later> " if m[1] == "later" else " <earlier> "),
    (rf"\b{_ADVERB}(?:prior to|ahead of|before|preceding|was followed by|being followed by)(?: (?:the|that) (?:one|{_UNIT})(?:{_THAT}))?\b", " <before> "),
    (rf"\b{_ADVERB}(?:subsequent to|following|after|was preceded by|being preceded by)(?: (?:the|that) (?:one|{_UNIT})(?:{_THAT}))?\b", " <after> "),
    (r"\bpreceded\b", " <before> "),
    (r"\bfollowed\b", " <after> "),
    (rf"\b(?:right )?(?:up )?(?:until|till)(?: the {_UNIT}{_THAT}| when)?\b", " <until> "),
    (rf"\b(?:ever )?(?:since|from the {_UNIT}{_THAT}|from when)\b", " <since> "),
    # the same year
    (rf"\b(?:(?:in|on|during|within|of) )?(?:exactly |precisely )?(?:the |that |this )?(?:very |exact )?same {_UNIT}"
     rf"(?: (?:as|that|when|in which|on which|during which|which|where))?(?: the one{_THAT}| the {_UNIT}{_THAT}| when)?(?! was)\b", " <same> "),
    (r"\bat (?:exactly )?the (?:very )?(?:same )?(?:time|moment|point)(?: (?:as|that|when|of))?\b", " <when> "),
    (rf"\b(?:(?:in|on|during) )?(?:precisely |exactly )?(?:the|that) (?:very |exact )?{_UNIT}{_THAT}\b", " <same> "),
    (r"\bcoincid(?:e|ed|es|ing) (?:exactly )?with\b", " <coincide> "),
    (r"\bsimultaneously with\b|\bjust as\b|\bas soon as\b|\bthe moment\b", " <when> "),
    # overlap, containment
    (r"\boverlap(?:s|ped|ping)?(?: with| into)? the (?:start|beginning|opening|early part|first part) of\b", " <overlap-start> "),
    (r"\boverlap(?:s|ped|ping)?(?: with| into)? the (?:end|close|finish|final part|last part|latter part|tail end) of\b", " <overlap-end> "),
    (r"\boverlap(?:s|ped|ping)?(?: (?:partly|partially))?(?: (?:with|into))?(?: (?:some|part) of)?\b", " <overlap> "),
    (r"\b(?:entirely |wholly |completely |fully )?(?:contain|encompass|enclose|surround|embrace|envelop|span|cover|bracket)(?:s|es|ed|ning|ing)? "
     r"(?:the whole of |all of |the entire |entirely )?", " <contains> "),
    (r"\b(?:entirely |wholly |completely |fully )?(?:(?:during|in) the (?:time|period|years) (?:when|that|in which)|within|inside|in the course of|over the course of|in the middle of|in the midst of|during|amid)\b", " <during> "),
    (r"\b(?:while|whilst)\b", " <while> "),
    (r"\bwhen\b", " <when> "),
    # start and end as nouns
    (r"\b(?:at|from|with|on) the (?:very )?(?:start|beginning|outset) of\b", " <at> started "),
    (r"\b(?:at|with|on|by) the (?:very )?(?:end|close|conclusion) of\b", " <at> ended "),
    # order
    (r"\b(?:second|next)[ -]to[ -]last\b|\blast but one\b|\bpenultimate\b|\bsecond last\b", " <ord:time:2:desc> "),
    (rf"\b{_NTH}[ -](?:to|from)[ -](?:the )?last\b", _from_last),
    (rf"\b(?:{_NTH}[ -])?{_LENGTH}\b", _length),
    (rf"\b(?:{_NTH}[ -])?{_MOST}\b", _extreme),
    (rf"\b{_NTH}\b", _bare_rank),
    # sequence
    (r"\b(?:went|gone|go|goes|going) on to\b|\b(?:thereafter|afterwards?|subsequently|in turn)\b", " <then> "),
    (r"\blater(?= *(?:[,.;?]|$|and\b|but\b|while\b))", " <later-end> "),
    (r"\b(?:earlier|sooner|beforehand)(?= *(?:[,.;?]|$|and\b|but\b|while\b))", " <earlier-end> "),
    (r"\blater\b|\bthen\b", " <then> "),
    (r"\b(?:previously|formerly|earlier)\b", " <prev> "),
    (r"\b(?:took|takes?|taking|taken) place\b|\b(?:happen|occur)(?:s|ed|red|ing|ring)?\b|\bcame about\b", " happened "),
    (r"\b(?:came|comes?|coming) to an end\b|\bwas over\b|\bran out\b|\bdrew to a close\b", " ended "),
    (r"\bwas (?:still )?under ?way\b", " was "),
    (r"\bgot under way\b|\bgot underway\b|\bgot going\b", " started "),
    (r"\b(?:both )?(?:began|begun|started|joined|arrived) and (?:ended|finished|left|departed)(?= +(?:(?:@\d+|the|club|there|at|for|it|in) +)*<(?:SAME|EQUALS|DURING))", " <both> "),
]  # fmt: skip
MARKERS = [(re.compile(pattern), _in_capitals(replacement)) for pattern, replacement in _PHRASES]

ANYTHING = [
    (re.compile(pattern), word)
    for pattern, word in (
        (r"\bsomeone or something\b", "an unnamed"),
        (r"\bwho or what\b", "which unnamed"),
        (r"^of those (?=(?:that|who|which|with)\b|@|\w+ed\b)", "of the unnamed "),
        (r"\bsuch a one\b", "such an unnamed"),
        (r"\b((?:the|that) other|that) one\b", r"\1 unnamed"),
        (r"(?<!\btake )\bthe one (?=that\b|who\b|which\b)", "the unnamed "),
    )
]
"""Words for what may be a person or a thing, and the noun to read for them, which no other word points back to."""

_CONNECTIVES = """
after at before coincide contains during earlier equals later overlap overlap-end overlap-start prev same since then until when
while
"""
_STARTS = """
arrival began begin beginning beginnings begins begun commence commenced commences commencing debut inauguration onset opening
outset start started starting starts
"""
_ENDS = """
cease ceased ceases ceasing close closed conclude concluded concludes concluding conclusion departure end ended ending ends exit
expire expired expires expiring finish finished finishes finishing lapse lapsed stop stopped stopping stops
"""
_SPELLS = """
association career involvement job office period periods post reign reigns relationship role run service spell spells spot stay
stint stints tenure term terms time times years
"""
_PRONOUNS = """
he her hers herself him himself his it its itself one ones she that their theirs them themselves there these they this those
"""
_AUXILIARIES = """
are did do does had has have is was were
"""
_RELATIVES = """
that what where which who whom whose
"""
_FUNCTION = """
" & ' ( ) - . / : a aboard about across act acted acting acts all already also am among lying lie lies falling amongst an and another any
are as at away back be became become becomes becoming been being between both but by called came can come comes coming completely
considering could course did do does doing done down during each either else entire entirely eventually ever every fall falls fell for
from full fully gave get gets getting give given gives giving go goes going gone got had happened has have having held hold holding holds
in into is itself last lasted lasting lasts lay made make makes making moment name named of off on only onto or other out over own point
precisely ran regard remain remained respectively run same saw see seen serve served serves serving set so some spend spending spent stay
stayed still strictly such take taken takes taking the then through to too took up very was way well went were whole wholly will with
would “ ”
"""
_TYPES = """
album anybody anyone artist award awards band battle bodies body book candidate candidates cities city club clubs
committee companies company competitor competitors countries country document edition entities entity event events fact
figure figures film films group groups individual individuals institution job jobs larger leader leaders legislative man
men mission movie nation nations office offices organisation organisations organization organizations parties party
people person place places player players politician position positions post posts prize prizes racing recipients region
regions role roles school series side somebody someone space sports state states team teams thing things title titles
tournament treaty university unnamed war woman women work works
"""

CONNECTIVES = frozenset(_CONNECTIVES.split())
"""Markers that join two events."""
STARTS = frozenset(_STARTS.split())
"""Words for the start of whatever fact is spoken of."""
ENDS = frozenset(_ENDS.split())
"""Words for its end."""
SPELLS = frozenset(_SPELLS.split())
"""Nouns for an interval fact as a whole."""
PRONOUNS = frozenset(_PRONOUNS.split())
"""Words that point back."""
AUXILIARIES = frozenset(_AUXILIARIES.split())
"""Verbs that may stand for a verb said before."""
RELATIVES = frozenset(_RELATIVES.split())
"""Words that ask, or begin a relative clause."""
FUNCTION = frozenset(_FUNCTION.split())
"""Words that say nothing by themselves."""
TYPES = frozenset(_TYPES.split())
"""Nouns for kinds of things in general."""
COMPARATIVES = frozenset({"later-end", "earlier-end"})
"""Markers of a comparison whose second side was said before."""
BE = frozenset(["was", "were", "been", "being", "is", "are"])
"""Forms of "be" that make a passive or say what something was."""
ARTICLES = frozenset(["a", "an", "the", "both"])
"""Words before a noun or a name that say nothing of it."""
POSSESSIVES = frozenset(["its", "their", "his", "her", "it", "them"])
"""Words that point back to what has something."""
HAVE = frozenset(["have", "has", "had", "having"])
"""Forms of "have"."""
BECOME = frozenset(["become", "became", "becomes", "becoming"])
"""Forms of "become", which say the start of what they stand before."""
SOMEONE = frozenset(["someone", "somebody", "anyone", "anybody"])
"""Words for an unknown person."""
