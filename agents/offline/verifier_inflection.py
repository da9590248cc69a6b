"""Inflected forms of the base words in the verifier's lexicon."""

from __future__ import annotations

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
_PLURALS = frozenset(["man", "woman", "child", "wife", "alumnus"])
PAST = frozenset(
    form
    for base, forms in _IRREGULAR.items()
    if base not in _PLURALS
    for form in forms.split()
    if form != base and not form.endswith(("s", "ing"))
)
"""Irregular past forms: never nouns."""
_DOUBLING_WORDS = """
run win sit get put set begin split quit wed step transfer admit drop plan enrol cut permit commit pen sin abet refer
occur star expel
"""
_DOUBLING = frozenset(_DOUBLING_WORDS.split())


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
    if base in _DOUBLING:
        found |= {base + base[-1] + "ed", base + base[-1] + "ing"}
    if base in ("travel", "model", "enrol"):
        found |= {base + "led", base + "ling"}
    return frozenset(found)


def bases_of(form: str) -> set[str]:
    """The base forms that may have this inflected form; more than one where spelling does not tell."""
    found = {base for base, forms in _IRREGULAR.items() if form in forms.split()}
    if form.endswith(("ied", "ies")):
        found |= {form[:-3] + "y", form[:-1]}
    elif form.endswith("ed"):
        stem = form[:-2]
        found |= {stem, form[:-1], *([stem[:-1]] if stem[-2:-1] == stem[-1:] else [])}
    elif form.endswith("s"):
        found |= {form[:-1], *([form[:-2]] if form.endswith("es") else [])}
    return {base for base in found if form in forms_of(base)}


def phrases_of(base: str) -> set[tuple[str, ...]]:
    """The word sequences that a base form or a `_` phrase stands for; only its first word is inflected."""
    head, *rest = base.split("_")
    return {(form, *rest) for form in forms_of(head)}
