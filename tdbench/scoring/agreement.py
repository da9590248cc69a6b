"""How far a judge that is a model and the deterministic one agree on the dates of replies."""

from __future__ import annotations

import re
from collections.abc import Mapping

from state.tdbench_scoring import JudgeAgreement, ScoredQuestion, TimeVerdict


def agreement(first: Mapping[str, TimeVerdict], second: Mapping[str, TimeVerdict]) -> JudgeAgreement:
    """The share of same verdicts and Cohen's kappa, over the ids that both have a verdict on.

    >>> yes, no = TimeVerdict.YES, TimeVerdict.NO
    >>> found = agreement({"1": yes, "2": yes, "3": no, "4": no}, {"1": yes, "2": no, "3": no, "4": no})
    >>> found.share, found.kappa
    (Fraction(3, 4), Fraction(1, 2))
    """
    shared = sorted(first.keys() & second.keys())
    pairs = [(first[ident], second[ident]) for ident in shared]
    return JudgeAgreement(
        judged=len(pairs),
        agreed=sum(one is other for one, other in pairs),
        left_out=len(first.keys() ^ second.keys()),
        table={one: {other: pairs.count((one, other)) for other in TimeVerdict} for one in TimeVerdict},
    )


def read_verdict(text: str, question: ScoredQuestion) -> TimeVerdict | None:
    """The verdict that a model wrote, or `None` if the text is not exactly one of those that the question allows.

    >>> question = ScoredQuestion(id="1", question="?", gold=(), relation="after", cardinality="none", time_checked="start")
    >>> read_verdict("Yes.", question), read_verdict("yes, but", question), read_verdict("half", question)
    (<TimeVerdict.YES: 'yes'>, None, None)
    """
    word = re.sub(r"^\W+|\W+$", "", text).lower()
    allowed = {verdict.value: verdict for verdict in TimeVerdict if verdict is not TimeVerdict.HALF or question.time_checked == "both"}
    return allowed.get(word)
