from __future__ import annotations

from pathlib import Path

import pytest

from agents.transitions import NODE_ROLES, START, Table, max_role_calls, state_machine_page, transition_table
from state.vocabulary import Node, Outcome, Role, Terminal

WRITES = {Outcome.WRITTEN, Outcome.NO_USABLE_REPLY}
VERIFIES = {Outcome.AGREES, Outcome.DISAGREES, Outcome.NO_USABLE_REPLY}
OUTCOMES = {
    Role.REWRITER: WRITES,
    Role.REVISER: WRITES,
    Role.LEAK_REWRITER: WRITES,
    Role.VERIFIER: VERIFIES,
    Role.APPEAL: VERIFIES,
    Role.ERROR_ANALYST: {Outcome.VERIFIER_AT_FAULT, Outcome.OTHER_CAUSE, Outcome.NO_USABLE_REPLY},
    Role.LEAK_FILTER: {Outcome.CLEAN, Outcome.LEAKS},
}


def ways(table: Table, node: Node) -> list[list[Node]]:
    """Every way from a node to a terminal."""
    targets = {to for (at, _), to in table.items() if at is node}
    found = [[node]] if any(isinstance(to, Terminal) for to in targets) else []
    return found + [[node, *way] for to in targets if isinstance(to, Node) for way in ways(table, to)]


@pytest.mark.parametrize("appeal", [True, False])
def test_every_outcome_of_every_node_leads_somewhere(appeal: bool) -> None:
    table = transition_table(appeal=appeal)
    expected = {(node, outcome) for node, role in NODE_ROLES.items() if appeal or node is not Node.APPEAL for outcome in OUTCOMES[role]}
    assert set(table) == expected


@pytest.mark.parametrize("appeal", [True, False])
def test_no_way_visits_a_node_twice(appeal: bool) -> None:
    for way in ways(transition_table(appeal=appeal), START):
        assert len(set(way)) == len(way)


def test_no_way_is_accepted_without_a_verification_and_a_leak_check_after_the_last_writing() -> None:
    table = transition_table(appeal=True)
    for way in ways(table, START):
        if table.get((way[-1], Outcome.CLEAN)) is not Terminal.ACCEPTED:
            continue
        roles = [NODE_ROLES[node] for node in way]
        last_written = max(index for index, role in enumerate(roles) if OUTCOMES[role] == WRITES)
        assert {Role.VERIFIER, Role.APPEAL} & set(roles[last_written:])
        assert roles[-1] is Role.LEAK_FILTER


@pytest.mark.parametrize("modes", [1, 2])
def test_the_longest_way_is_the_documented_maximum(modes: int) -> None:
    cost = {Role.LEAK_FILTER: 0, Role.VERIFIER: modes, Role.APPEAL: modes}
    longest = max(sum(cost.get(NODE_ROLES[node], 1) for node in way) for way in ways(transition_table(appeal=True), START))
    assert longest == max_role_calls(modes) == 4 + 4 * modes


def test_without_an_appeal_model_a_blamed_verifier_leads_to_the_reviser() -> None:
    assert transition_table(appeal=True)[Node.ANALYSE, Outcome.VERIFIER_AT_FAULT] is Node.APPEAL
    assert transition_table(appeal=False)[Node.ANALYSE, Outcome.VERIFIER_AT_FAULT] is Node.REVISE


def test_the_page_in_the_docs_is_current() -> None:
    page = Path(__file__).parents[2] / "docs" / "state_machine.md"
    assert page.read_text(encoding="utf-8") == state_machine_page(), "run python -m agents.transitions > docs/state_machine.md"
