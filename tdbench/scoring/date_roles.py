"""What each date of a text is the date of: a start, an end, or nobody says. Paper: TDBench, section 4.

A date takes its role from the span that it belongs to (`from 2004 to 2009`), from a word directly behind it
(`2004 (start)`), from the nearest word before it in its sentence (`resigned in 2009`), or from one behind it that
is not the next date's (`In 2004 she took office`). A date by itself has none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

Span = tuple[int, int]


class DateRole(StrEnum):
    """What a date is the date of."""

    START = "start"
    END = "end"
    UNKNOWN = "unknown"


class Role(NamedTuple):
    """The role of a date, and what it says besides."""

    role: DateRole
    """Its role."""
    opens_span: bool = False
    """Whether it is the first date of a span."""
    implies_present: bool = False
    """Whether it says that what began then goes on."""


class Present(NamedTuple):
    """A word that says that something holds still."""

    start: int
    """Offset in the text."""
    end: int
    """Offset behind it."""
    is_firm: bool
    """Whether it stands where an end would."""


class _Cue(NamedTuple):
    start: int
    end: int
    role: DateRole
    implies_present: bool


_STARTS = "|".join((
    r"starts?(?: date)?", r"start(?:ed|ing)", r"begins?", r"beg[au]n", r"beginning", r"commenc\w+", r"onset",
    r"(?:took|takes?|taking|taken) (?:up )?(?:the )?(?:office|over|power|charge|throne|position|post|role)", r"took up", r"assum\w+",
    r"appoint\w*", r"elected", r"election", r"inaugurat\w+", r"bec[ao]mes?", r"becoming", r"join(?:s|ed|ing)?", r"sworn in",
    r"enter(?:s|ed|ing)?", r"install\w+", r"enthroned", r"crowned", r"ascen\w+", r"acced\w+", r"accession",
    r"c[ao]me (?:to power|into (?:force|effect|office))", r"effective", r"enacted", r"legali[sz]\w+", r"introduced", r"established",
    r"inscri\w+", r"proclaim\w+", r"released?", r"launch\w*", r"open(?:ed|ing)", r"signed",
    r"(?<!was )(?<!were )(?<!been )(?:succeeded|replaced)(?! by)",
))  # fmt: skip
"""Words that say that the date beside them is a start."""
_ENDS = "|".join((
    r"ends?(?: date)?", r"end(?:ed|ing)", r"left", r"leav(?:es|ing)", r"depart\w+", r"resign\w*", r"retir\w+", r"died", r"death", r"dying",
    r"step(?:s|ped|ping)? down", r"ousted", r"removed", r"removal", r"dismiss\w+", r"fired", r"depos\w+", r"overthrown", r"abdicat\w+",
    r"finish\w*", r"ceas\w+", r"conclu\w+", r"expir\w+", r"repeal\w*", r"abolish\w*", r"closed", r"closing", r"terminat\w+",
    r"(?:was|were|been) (?:succeeded|replaced)", r"succeeded by", r"replaced by", r"hand(?:ed|ing) over", r"stood down", r"vacat\w+",
    r"impeach\w*", r"lost", r"losing", r"defeat(?:ed)?",
))  # fmt: skip
"""Words that say that it is an end."""
_NEITHER = r"born|birth|as of|announced|married|published"
_CUES = re.compile(rf"\b(?:(?P<since>since)|(?P<start>{_STARTS})|(?P<end>until|till|{_ENDS})|(?P<neither>{_NEITHER}))\b")
ABOUT = r"(?: (?:about|around|circa|the|years?|early|mid|late|start|beginning|end|of|on|in)\b)*[ -]?\Z"
"""What may stand between a preposition and its date."""
_BESIDE = re.compile(rf"\b(?:(?P<start>from)|(?P<end>to|through|thru|up to)){ABOUT}")
_SPAN = re.compile(
    r",? ?(?:-+|->|\u2192|to|until|till|through|thru|up (?:to|until)|and (?:up )?(?:to|until)"
    rf"|(?:and )?(?:ending|ended|end)(?: date)?:?){ABOUT}"
)
_BETWEEN = re.compile(rf"\bbetween{ABOUT}")
_AND = re.compile(rf",? (?:and|&){ABOUT}")
_TAG = re.compile(rf" ?[(\[] ?(?:(?P<start>{_STARTS}|from)|(?P<end>{_ENDS}|until|to))\b")
_ONWARD = re.compile(r" ?(?:-|to)? ?(?:onwards?\b|and (?:on|after)\b|- ?(?=[),.;\n]|\Z))|-(?=[),.;\n]|\Z)")
_BREAK = re.compile(r"(?<![ .(][a-z])(?<![ .(][a-z]{2})[.!?](?=\s)|;|(?<!:)\n")
_SEPARATOR = re.compile(r"[,()]| (?:and|but|while|whereas|then) ")
_AT_THE_EDGE = re.compile(r" of(?: the)?(?: year| month)?(?: of)? ?\Z")

_NOW = re.compile(
    r"(?<!not )(?<!no longer )(?<!n't )(?:"
    r"(?P<firm>(?:\bto|\buntil|\btill|\bthrough|\bthru|-|\band|\bend(?: date)?(?: is)?:?|\bended:?|->|\u2192) ?(?:the |is )?"
    r"(?:present(?: day| time)?|now|today|current(?:ly)?(?: day)?|(?<=to )date|this day|ongoing|incumbent|still)\b)"
    r"|(?P<none>\bend(?: date)?(?: is)?: ?(?:n/a|none|null|not applicable|-(?! ?\d)))"
    r"|\b(?:currently|current|incumbent|ongoing|presently|present|still|remains|is now|as of (?:now|today)|no end date|not (?:yet )?ended"
    r"|has no end)\b)"
)


def find_present(text: str) -> tuple[Present, ...]:
    """The words that say that something holds still, as `present` in `2004 to present`, in order."""
    return tuple(Present(*match.span(), bool(match["firm"] or match["none"])) for match in _NOW.finditer(text))


def decide_roles(text: str, dates: Sequence[Span], present: Sequence[Present] = ()) -> tuple[Role, ...]:
    """The role of each date of a text in normal form.

    Args:
        text: the text.
        dates: where the dates stand, in order.
        present: where it says that something holds still; a date that such a word follows is a start.
    """
    firm = frozenset(word.start for word in present if word.is_firm)
    roles: list[Role] = []
    free = 0  # what stands before this offset has given its role to an earlier date
    for index, (start, end) in enumerate(dates):
        following = dates[index + 1][0] if index + 1 < len(dates) else len(text)
        role, free = _role(text, free, (start, end), following, index + 1 < len(dates), roles[-1] if roles else None, firm)
        roles.append(role)
    return tuple(roles)


def _role(text: str, free: int, date: Span, following: int, has_next: bool, before: Role | None, firm: frozenset[int]) -> tuple[Role, int]:
    """The role of one date, and the offset up to which the text is used up."""
    start, end = date
    if before is not None and before.opens_span:
        return Role(DateRole.END), end
    ahead, behind = text[free:start], text[end:following]
    if has_next and (_SPAN.fullmatch(behind) or (_BETWEEN.search(ahead) and _AND.fullmatch(behind))):
        return Role(DateRole.START, opens_span=True), following
    if any(end + gap in firm for gap in range(3)):
        return Role(DateRole.START), end
    if tag := _TAG.match(behind):
        return Role(_named(tag)), end + tag.end()
    if onward := _ONWARD.match(behind):
        return Role(DateRole.START, implies_present=True), end + onward.end()
    if beside := _BESIDE.search(ahead):
        return Role(_named(beside)), end
    since = max((match.end() for match in _BREAK.finditer(ahead)), default=0)
    cues = [cue for cue in _cues(ahead[since:]) if not _AT_THE_EDGE.fullmatch(ahead[since:], cue.end)]
    if cues:
        return Role(cues[-1].role, implies_present=cues[-1].implies_present), end
    stop = _BREAK.search(behind)
    later = _cues(behind[: stop.start()] if stop else behind)
    if later and not (has_next and stop is None and len(later) == 1 and not _SEPARATOR.search(behind, later[0].end)):
        return Role(later[0].role, implies_present=later[0].implies_present), end + later[0].end
    return Role(DateRole.UNKNOWN), end


def _cues(text: str) -> list[_Cue]:
    return [_Cue(*match.span(), _named(match), bool(match.groupdict().get("since"))) for match in _CUES.finditer(text)]


def _named(match: re.Match[str]) -> DateRole:
    groups = match.groupdict()
    if groups.get("end"):
        return DateRole.END
    return DateRole.UNKNOWN if groups.get("neither") else DateRole.START
