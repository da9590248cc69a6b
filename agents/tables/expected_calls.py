"""The calls of a question about tables before any is made: what each role would be shown and how much it would say."""

from __future__ import annotations

import json
import math

from agents.crew import Crew
from agents.tables.agreement import other_names
from agents.tables.error_analyst import table_analyse_request
from agents.tables.leak_rewriter import table_leak_rewrite_request
from agents.tables.reviser import table_revise_request
from agents.tables.rewriter import translate_request
from agents.tables.usable_question import named_years, quoted_names, required_values
from agents.tables.verifier import table_verify_request
from agents.transitions import START
from agents.usual_tokens import CAUSE_TOKENS, NAMES_TOLD, REASON, Outlook, fewest_tokens, most_tokens
from state.pipeline_state import TableState, initial_state
from state.roles import AnswersReply, RoleRequest
from state.table_instance import TableInstance
from state.vocabulary import Cause, Role

QUESTION_SHARE = (0.2, 1.3)
"""Length of a written question, as shares of its SQL's; the rules write 0.24 to 1.15 over the tables of the package."""


def table_request(role: Role, instance: TableInstance, crew: Crew) -> RoleRequest:
    """What a role would be shown, the SQL standing for what others wrote and the right answers for what they named.

    The rewriter's is exact.
    """
    if role is Role.REWRITER:
        return translate_request(instance, crew.phrasings)
    if role in (Role.VERIFIER, Role.APPEAL):
        return table_verify_request(instance, instance.sql)
    if role is Role.LEAK_REWRITER:
        return table_leak_rewrite_request(instance, instance.sql)
    named = instance.answers
    state: TableState = initial_state(instance, START)
    state["question"], state["objection"] = instance.sql, AnswersReply(answers=named, cannot_tell=False)
    if role is Role.ERROR_ANALYST:
        return table_analyse_request(state)
    state["cause"], state["reason"] = Cause.AMBIGUOUS_REFERENCE, REASON
    state["appeal_answers"] = named if Role.APPEAL in crew.backends else None
    return table_revise_request(state)


def _reply_tokens(role: Role, instance: TableInstance) -> tuple[int, int]:
    if role is Role.ERROR_ANALYST:
        return CAUSE_TOKENS
    if role in (Role.VERIFIER, Role.APPEAL):
        return _answers_tokens(instance)
    size, frame = len(instance.sql.encode()), len(json.dumps({"question": ""}))
    low, high = QUESTION_SHARE
    return fewest_tokens(frame + math.floor(low * size)), most_tokens(frame + math.ceil(high * size))


def _answers_tokens(instance: TableInstance) -> tuple[int, int]:
    """From the right answers alone to those and the longest of the other names."""
    others = sorted((len(name.encode()) for name in set(other_names(instance)) - set(instance.answers)), reverse=True)
    own = len(json.dumps({"answers": instance.answers, "cannot_tell": False}, ensure_ascii=False).encode())
    return fewest_tokens(own), most_tokens(own + sum(4 + length for length in others[: NAMES_TOLD - 1]))


def _names(instance: TableInstance) -> tuple[str, ...]:
    return (*required_values(instance), *named_years(instance), max(quoted_names(instance.sql), key=len, default=""))


TABLE_OUTLOOK = Outlook(table_request, _reply_tokens, _names)
"""Of questions about tables."""
