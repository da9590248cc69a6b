"""What counts as accepted: a terminal written by the last node, and proof for the very text."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from agents.crew import Crew
from agents.kinds import GRAPH
from agents.rules_backend import rules_backend
from agents.transitions import Table, transition_table
from agents.workflow import Workflow, conclude, run_instance
from state.pipeline_state import initial_state
from state.roles import AnswersReply, CauseReply, QuestionReply
from state.vocabulary import Cause, Node, Outcome, Role, Status, Terminal
from tests.sample_record import GOOD_QUESTION, make_record

OTHER_QUESTION = GOOD_QUESTION.replace("Who became", "Which person became")
N, T = Node, Terminal


def finished_state(**changed: Any) -> Any:
    state = initial_state(make_record(), Node.REWRITE)
    state.update({"question": GOOD_QUESTION, "verified": GOOD_QUESTION, "cleared": GOOD_QUESTION, "to": Terminal.ACCEPTED, **changed})  # type: ignore[typeddict-item]
    return state


def test_accepted_needs_its_terminal_and_proof_for_the_very_text() -> None:
    assert conclude(finished_state()).status is Status.ACCEPTED
    for changed in (
        {"verified": None},
        {"cleared": None},
        {"verified": OTHER_QUESTION},
        {"cleared": OTHER_QUESTION},
        {"question": OTHER_QUESTION},
        {"question": "", "verified": "", "cleared": ""},
        {"to": Node.LEAK_CHECK},
        {"to": Node.VERIFY},
    ):
        result = conclude(finished_state(**changed))
        assert (result.status, result.final_question) == (Status.FAILED, None)


def stub_crew() -> Crew:
    backend = rules_backend(
        {
            Role.REWRITER: lambda request, mode: QuestionReply(question=GOOD_QUESTION),
            Role.VERIFIER: lambda request, mode: AnswersReply(answers=("Ana Roy",), cannot_tell=False),
            Role.ERROR_ANALYST: lambda request, mode: CauseReply(cause=Cause.UNCLEAR, reason=""),
            Role.REVISER: lambda request, mode: QuestionReply(question=GOOD_QUESTION),
        }
    )
    return Crew(backends=dict.fromkeys(Role, backend), kind=GRAPH)


@pytest.mark.parametrize(
    "edit",
    [
        {(N.VERIFY, Outcome.DISAGREES): N.LEAK_CHECK},
        {(N.VERIFY, Outcome.DISAGREES): T.ACCEPTED},
        {(N.REWRITE, Outcome.WRITTEN): T.ACCEPTED},
        {(N.REWRITE, Outcome.WRITTEN): N.LEAK_CHECK},
        {(N.VERIFY, Outcome.DISAGREES): N.REWRITE},
        {(N.VERIFY, Outcome.DISAGREES): N.VERIFY},
        {(N.VERIFY, Outcome.DISAGREES): None},
    ],
)
def test_a_faulty_table_ends_as_failed_never_as_accepted_and_never_loops(edit: dict[tuple[Node, Outcome], Any]) -> None:
    table: dict[Any, Any] = {**transition_table(appeal=False), **edit}
    faulty: Table = {row: to for row, to in table.items() if to is not None}
    result = asyncio.run(run_instance(make_record(), Workflow(stub_crew(), faulty)))
    assert (result.status, result.final_question) == (Status.FAILED, None)
    assert len(result.visits) <= 10
