"""Inflected forms of the base words in the verifier's lexicon."""

from __future__ import annotations

import re
from functools import cache

_IRREGULAR: dict[str, str] = {
    "become": "became become", "begin": "began begun", "bring": "brought", "buy": "bought", "choose": "chose chosen", "come": "came come",
    "drive": "drove driven", "fall": "fell fallen", "fight": "fought", "find": "found", "fly": "flew flown flies", "get": "got gotten",
    "give": "gave given", "go": "went gone goes", "hold": "held", "lead": "led", "leave": "left", "lie": "lay lain lying", "lose": "lost",
    "make": "made", "put": "put", "read": "read", "ride": "rode ridden", "run": "ran run", "sell": "sold", "set": "set", "shoot": "shot",
    "show": "shown", "sing": "sang sung", "sit": "sat", "stand": "stood", "swear": "swore sworn", "take": "took taken", "teach": "taught",
    "tie": "tying", "win": "won", "write": "wrote written", "split": "split", "die": "dying", "wed": "wed",
    "be": "is was were been being are",
    "learn": "learnt", "send": "sent", "see": "saw seen", "have": "has had having", "do": "did does done doing", "keep": "kept",
    "bear": "bore born borne", "build": "built", "draw": "drew drawn", "know": "knew known", "meet": "met", "speak": "spoke spoken",
    "man": "men", "woman": "women", "child": "children", "wife": "wives", "alumnus": "alumni",
}  # fmt: skip
"""Base form -> the forms that no rule makes."""
_PLURALS = frozenset(["man", "woman", "child", "wife", "alumnus"])
"""Those that are nouns."""
PAST = frozenset(
    form
    for base, forms in _IRREGULAR.items()
    if base not in _PLURALS
    for form in forms.split()
    if form != base and not form.endswith(("s", "ing"))
)
"""Irregular past forms: never nouns."""
_DOUBLING = re.compile(
    r"[^aeiou]*[aeiou][bdgmnprt]|begin|quit|transfer|admit|permit|commit|abet|refer|occur"
    r"|travel|model|enrol|control|cancel|label|patrol|compel|expel|propel|fulfil"
)
"""Verbs that may double their last letter: those of one syllable, and the others that are known to."""


@cache
def forms_of(base: str) -> frozenset[str]:
    """A base form with its inflections as verb and as noun (an over-generated few do no harm)."""
    found = {base, *_IRREGULAR.get(base, "").split()}
    if base.endswith("e"):
        found |= {base + "s", base + "d", base[:-1] + "ing"}
        if base.endswith("ie"):
            found.add(base[:-2] + "ying")
    elif base.endswith("y") and base[-2:-1] not in tuple("aeiou"):
        found |= {base[:-1] + "ies", base[:-1] + "ied", base + "ing"}
    elif base.endswith(("s", "x", "z", "ch", "sh")):
        found |= {base + "es", base + "ed", base + "ing"}
    else:
        found |= {base + "s", base + "ed", base + "ing"}
    if _DOUBLING.fullmatch(base):
        found |= {base + base[-1] + "ed", base + base[-1] + "ing"}
    return frozenset(found)


_NO_FORMS = frozenset(
    """
    bed bleed breed exceed feed hundred indeed kindred need proceed red sacred seed shed speed succeed weed
    """.split()  # noqa: SIM905 - a word list is read more easily in lines
)
"""Words that end like an inflected form and are none."""
_NEEDS_E = re.compile(
    r".*(?:[vuc]|[^e]e|[^aeiouyrwl]l|dg|rg|[aeiourn]s(?<!focus)(?<!bias)(?<!canvas)|[^z]z|[bt]ut|(?<!comb)(?<!form)(?<![eo])at|[^ae]ir|[^o]ur(?<!occur)(?<!incur)|[^e]ar(?<!star))"
    r"|[^aeiouy]*.?"
)
"""What no base form is without an `e` after it, as `divorc`, `su`, `agre`."""
_NEEDS_NO_E = re.compile(r".*(?:ll|ss|ff|[aeo]in|ck|[^i]sh|ct|ion|(?<!qu)[aeo][aeiou][dtrnpkm](?<!creat)|[^aeiouys][dtkmnp]|sk|[xwyh])e")
"""What no base form is, as `kille`, `joine`."""
_DOUBLED = re.compile(
    r".*[^aeiou]?([bdgmnpr])\1e?(?<!add)(?<!err)(?<!odd)|.*[^s]tte?|(?:contro|trave|cance|mode|labe|expe|compe|prope|patro|fulfi)ll"
)
"""What no base form is, for all that it looks like in `stopped`."""


def bases_of(form: str) -> set[str]:
    """The base forms that may have this inflected form; more than one where spelling does not tell."""
    found = {base for base, forms in _IRREGULAR.items() if form in forms.split()}
    if found or form in _NO_FORMS:
        return found
    if form in ("died", "dies", "lied", "lies", "tied", "ties", "vied", "vies"):
        return {form[:-1]}
    if form.endswith(("ied", "ies")):
        found |= {form[:-3] + "y", form[:-1]}
    elif form.endswith("ed"):
        stem = form[:-2]
        short = {stem[:-1]} if stem[-2:-1] == stem[-1:] and stem[-2:] not in ("ss", "ff", "zz") else set()
        found |= {stem, form[:-1], *short}
        found = {base for base in found if not (_NEEDS_NO_E if base.endswith("e") else _NEEDS_E).fullmatch(base)}
        found = {base for base in found if not _DOUBLED.fullmatch(base)} or found
    elif form.endswith("s"):
        found |= {form[:-1], *([form[:-2]] if form.endswith("es") else [])}
    return {base for base in found if form in forms_of(base)}


def phrases_of(base: str) -> set[tuple[str, ...]]:
    """The word sequences that a base form or a `_` phrase stands for; only its first word is inflected."""
    head, *rest = base.split("_")
    return {(form, *rest) for form in forms_of(head)}
