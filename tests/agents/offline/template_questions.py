"""Template questions for the tests of the rewriter, and what it makes of them."""

from __future__ import annotations

from agents.offline.rewriter import rewrite, rewrite_plainly
from graph_sampler import templates
from state.interval import Granularity
from state.roles import RewriteRequest


def question(template_question: str, plain: bool = False) -> str:
    """What the rewriter makes of a template question."""
    write = rewrite_plainly if plain else rewrite
    return write(RewriteRequest(template_question=template_question, support_facts=(), answer="")).question


def fact(subject: str, relation: str, object_: str, number: int) -> str:
    """A fact as a template question states it; X, Y and Z are unknowns."""
    ends = [end if end in ("X", "Y", "Z") else templates.quote(end) for end in (subject, object_)]
    return f"{templates.clause(ends[0], relation, ends[1])} ({templates.FACT_NAMES[f'f{number}']})"


def condition(operator: str, left: str, right: str, unit: Granularity = Granularity.YEAR) -> str:
    """A temporal constraint as a template question states it."""
    return templates.pairwise_clause(operator, left, right, unit)
