"""Words about time, order and grammar that the offline verifier knows in free English.

`MARKERS` are tried in order on the normalised question, entity names already replaced; each puts a
marker `<...>` in the place of a temporal phrase. A word that neither these tables nor the relation
lexicon know makes the question unreadable. Paper: section 4.1, Table 1.
"""

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


_ADVERB = r"(?:(?:strictly|entirely|wholly|completely|fully|exactly|precisely|only|some time|sometime|at some point) )?"
MARKERS: list[tuple[re.Pattern[str], Callable[[re.Match[str]], str]]] = [
    (re.compile(pattern), _in_capitals(replacement))
    for pattern, replacement in [
        (rf",? past its start {_UNIT} and before its end {_UNIT}", " "),
        (rf"\b(?:the|an?|in|\d+|one|two|few|some) {_UNIT} (?:before|after|prior|earlier|later)\b(?! than)", " <bad> "),
        (rf"\b(?:in |during )?the {_UNIT} (?:leading up to|up to)\b", " <bad> "),
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
        (r"\b(?:entirely |wholly |completely |fully )?(?:within|inside|in the course of|over the course of|in the middle of|in the midst of|during|amid)\b", " <during> "),
        (r"\b(?:while|whilst)\b", " <while> "),
        (r"\bwhen\b", " <when> "),
        (r"\b(?:right )?(?:up )?(?:until|till)\b", " <until> "),
        (r"\b(?:ever )?since\b", " <since> "),
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
        (r"\bgot under way\b|\bgot underway\b|\bgot going\b", " started "),
        (r"\b(?:both )?(?:began|begun|started|joined|arrived) and (?:ended|finished|left|departed)(?= +(?:(?:@\d+|the|club|there|at|for|it|in) +)*<(?:SAME|EQUALS|DURING))", " <both> "),
    ]
]  # fmt: skip

CONNECTIVES = frozenset(
    "before after earlier later same when coincide overlap overlap-start overlap-end contains during while until since equals at then prev".split()
)
COMPARATIVES = frozenset({"later-end", "earlier-end"})
STARTS = frozenset(
    "begin begins began begun beginning start starts started starting commence commenced commencing commences"
    " beginnings outset opening arrival inauguration onset debut".split()
)
ENDS = frozenset(
    "end ends ended ending finish finishes finished finishing cease ceased ceases ceasing stop stops stopped stopping conclude"
    " concluded concludes concluding conclusion departure expire expired expires expiring exit lapse lapsed close closed".split()
)
SPELLS = frozenset(
    "spell spells stint stints time period periods tenure term terms run stay career service years association relationship involvement"
    " post job role office spot times".split()
)
PRONOUNS = frozenset(
    "he she they him her hers his it its them their theirs himself herself themselves itself that this those these there one ones".split()
)
AUXILIARIES = frozenset("did do does had has have was were is are".split())
RELATIVES = frozenset("who whom whose which that what where".split())
FUNCTION = frozenset(
    """a an the of in on at to for by with from into onto as and but or is are was were be been being am has have had having do does did doing done
    would will can could both too also either all any each every other another else same well among amongst out up down over off back away own ever
    still already just once eventually exactly precisely entirely wholly completely fully strictly some point course moment so such way
    come came comes coming get gets got getting make makes made making take takes took taken taking give gives gave given giving
    serve serves served serving hold holds held holding name named called happened last lasted lasts lasting stayed remained remain stay
    through across between about whole entire full together respectively itself during ' ( ) " ” “ : - . & /
    then see saw seen ran run set went go goes going gone spend spent spending fell fall falls lay act acted acting acts only very""".split()
)  # fmt: skip
TYPES = frozenset(
    """person people individual individuals man men woman women figure figures someone anyone somebody anybody entity entities thing things
    organisation organization organisations organizations place places city cities country countries state states nation nations company companies
    group groups body bodies role roles office offices post posts job jobs team teams club clubs side film films movie book work works award awards
    prize prizes event events tournament edition party parties band album artist politician leader leaders player players university institution
    school mission document treaty battle war title titles position positions candidate candidates recipients fact""".split()
)  # fmt: skip
