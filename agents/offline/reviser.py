"""The rule-based reviser: the template question again, in the plainest words that are still English."""

from __future__ import annotations

from agents.offline.rewriter import rewrite_plainly
from state.roles import QuestionReply, ReviseRequest, RewriteRequest


def revise(request: ReviseRequest) -> QuestionReply:
    """A careful rendering that leaves nothing to be understood; the failed question plays no part.

    Raises:
        ModelReplyError: the template question is none of ours.
    """
    plain = RewriteRequest(template_question=request.template_question, support_facts=(), answer=request.answer)
    return rewrite_plainly(plain)
