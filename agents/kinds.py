"""The kinds of instance that the agents take into English, and what each role does for one."""

from __future__ import annotations

from collections.abc import Mapping

from agents.crew import Crew
from agents.error_analyst import analyse
from agents.instance_kind import InstanceKind
from agents.leak_filter import leak_filter
from agents.leak_rewriter import leak_rewrite
from agents.prompt_renderer import PROMPT_FOLDERS
from agents.reviser import revise
from agents.rewriter import rewrite
from agents.rules_backend import Rule
from agents.usable_question import usable_problem
from agents.verifier import appeal, read_what_differs, verify
from state.instance import BenchmarkRecord
from state.pipeline_state import GraphState, NodeResult
from state.vocabulary import Node, Role


async def _leak_check(state: GraphState, crew: Crew) -> NodeResult:
    return leak_filter(state)


def _graph_gate(question: str, record: BenchmarkRecord, require_names: bool) -> str | None:
    return usable_problem(question, record, require_names=require_names)


def _graph_rules() -> Mapping[Role, Rule]:
    from agents.rules import RULES

    return RULES


def _template_question(record: BenchmarkRecord) -> str:
    return record.raw_question


GRAPH = InstanceKind(
    name="graph",
    nodes={
        Node.REWRITE: rewrite,
        Node.VERIFY: verify,
        Node.ANALYSE: analyse,
        Node.APPEAL: appeal,
        Node.REVISE: revise,
        Node.VERIFY_REPAIR: verify,
        Node.LEAK_CHECK: _leak_check,
        Node.LEAK_REWRITE: leak_rewrite,
        Node.VERIFY_LEAK_REWRITE: verify,
        Node.SECOND_LEAK_CHECK: _leak_check,
    },
    gate=_graph_gate,
    prompt_folders=PROMPT_FOLDERS,
    load_rules=_graph_rules,
    given_question=_template_question,
    tell=read_what_differs,
)
"""A question about a temporal knowledge graph."""
