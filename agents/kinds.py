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
from agents.tables.error_analyst import analyse_table
from agents.tables.leak_filter import table_leak_filter
from agents.tables.leak_rewriter import leak_rewrite_table
from agents.tables.prompt_variables import TABLE_PROMPT_FOLDERS
from agents.tables.reviser import revise_table
from agents.tables.rewriter import translate
from agents.tables.usable_question import table_problem
from agents.tables.verifier import appeal_table, check_table_agents, verify_table
from agents.usable_question import usable_problem
from agents.verifier import appeal, read_what_differs, verify
from state.instance import BenchmarkRecord
from state.pipeline_state import GraphState, NodeResult
from state.table_instance import TableInstance
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


def _table_rules() -> Mapping[Role, Rule]:
    from agents.offline.tables.rules import TABLE_RULES

    return TABLE_RULES


def _accepted_question(instance: TableInstance) -> str:
    return instance.final_question or ""


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

TABLE = InstanceKind(
    name="tables",
    nodes={
        Node.REWRITE: translate,
        Node.VERIFY: verify_table,
        Node.ANALYSE: analyse_table,
        Node.APPEAL: appeal_table,
        Node.REVISE: revise_table,
        Node.VERIFY_REPAIR: verify_table,
        Node.LEAK_CHECK: table_leak_filter,
        Node.LEAK_REWRITE: leak_rewrite_table,
        Node.VERIFY_LEAK_REWRITE: verify_table,
        Node.SECOND_LEAK_CHECK: table_leak_filter,
    },
    gate=table_problem,
    prompt_folders=TABLE_PROMPT_FOLDERS,
    load_rules=_table_rules,
    given_question=_accepted_question,
    check=check_table_agents,
)
"""A phrasing of a query of temporal tables."""
