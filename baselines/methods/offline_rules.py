"""The offline rewriter as a row of its own: free, reads the template question, and writes most of an offline benchmark itself."""

from __future__ import annotations

from dataclasses import dataclass

from agents.rules import RULES
from agents.rules_backend import LABEL
from baselines.method import Reference
from state.instance import BenchmarkRecord
from state.roles import QuestionReply, RewriteRequest
from state.vocabulary import Role


@dataclass(frozen=True)
class OfflineRules(Reference):
    """Rewrites the template question by rules."""

    key = "offline_rules"
    label = "Offline rules"
    backend = LABEL

    def write(self, record: BenchmarkRecord) -> str:
        """The rewriter's question; empty where the rules find none."""
        facts = tuple(record.labelled(fact) for fact in record.support_facts)
        request = RewriteRequest(template_question=record.raw_question, support_facts=facts, answer=record.answer)
        reply = RULES[Role.REWRITER](request, None)
        return reply.question if isinstance(reply, QuestionReply) else ""


METHOD = OfflineRules()
