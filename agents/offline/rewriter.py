"""Rewriter by rules: template question -> fluent English, from the question's text alone. Paper: section 4.3.2."""

from __future__ import annotations

from agents.names import spans, tokens
from agents.offline.questions import compose
from agents.offline.template_reader import read_template
from state.roles import QuestionReply, RewriteRequest


def rewrite(request: RewriteRequest) -> QuestionReply:
    """The template question in natural English; the same request always gives the same words.

    Where our own words would hold the answer ("Pope"), the plainer style has others.

    Raises:
        UnreadableTemplate: the template question is none of ours.
    """
    asked = read_template(request.template_question)
    written = compose(asked, plain=False)
    is_leaking = bool(spans(tokens(request.answer), tokens(written)))
    return QuestionReply(question=compose(asked, plain=True) if is_leaking else written)


def rewrite_plainly(request: RewriteRequest) -> QuestionReply:
    """The template question in plainer words: nothing is left to be understood, granules are spelled out.

    Raises:
        UnreadableTemplate: the template question is none of ours.
    """
    return QuestionReply(question=compose(read_template(request.template_question), plain=True))
