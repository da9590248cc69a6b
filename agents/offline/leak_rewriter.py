"""The rule-based leak rewriter: another rendering of the template question, if one is free of the answer."""

from __future__ import annotations

from agents.names import spans, tokens
from agents.offline.rewriter import rewrite, rewrite_plainly
from state.roles import LeakRewriteRequest, QuestionReply, RewriteRequest


def leak_rewrite(request: LeakRewriteRequest) -> QuestionReply:
    """The first of our two renderings without the strings to avoid, else the plainer one.

    Raises:
        ModelReplyError: the template question is none of ours.
    """
    again = RewriteRequest(template_question=request.template_question, support_facts=(), answer=request.avoid[0] if request.avoid else "")
    renderings = [rewrite(again), rewrite_plainly(again)]
    for reply in renderings:
        if not any(spans(tokens(name), tokens(reply.question)) for name in request.avoid):
            return reply
    return renderings[-1]
