"""The rule-based analyst, reviser and leak rewriter: simple, honest, and never the verifier's judge."""

from __future__ import annotations

import asyncio
import json

import pytest

from agents.offline.error_analyst import analyse
from agents.offline.leak_rewriter import leak_rewrite
from agents.offline.reviser import revise
from agents.rules import RULES
from agents.setup import build_workflow
from agents.usable_question import usable_problem
from agents.workflow import run_instance
from state.config import Config
from state.roles import AnalyseRequest, LeakRewriteRequest, ReviseRequest
from state.trajectory import Trajectory
from state.vocabulary import Cause, Role, Status
from tests.sample_record import GOOD_QUESTION, make_record

RECORD = make_record()
CONFIG = Config.model_validate({"dataset": "sample", "graph": {"path": "x"}})


def request(question: str = GOOD_QUESTION, answers: tuple[str, ...] = ("Cy Moe",), cannot_tell: bool = False) -> AnalyseRequest:
    return AnalyseRequest(
        template_question=RECORD.raw_question,
        question=question,
        verifier_answers=answers,
        cannot_tell=cannot_tell,
        answer="Bo Lind",
        evidence=tuple(RECORD.labelled(fact) for fact in RECORD.evidence),
    )


@pytest.mark.parametrize(
    ("asked", "cause"),
    [
        (request(answers=(), cannot_tell=True), Cause.UNCLEAR),
        (request(GOOD_QUESTION.replace(" and before Cy Moe held the position Mayor of Arn", "")), Cause.MISSING_CONSTRAINT),
        (request(answers=("Bo Lind", "Cy Moe")), Cause.MISSING_CONSTRAINT),
        (request(answers=("Cy Moe",)), Cause.WRONG_CONSTRAINT),
        (request(answers=()), Cause.WRONG_CONSTRAINT),
        (request(answers=("Bo Lind",)), Cause.UNCLEAR),
    ],
)
def test_the_analyst_says_what_the_words_show(asked: AnalyseRequest, cause: Cause) -> None:
    reply = analyse(asked)
    assert reply.cause is cause
    assert reply.reason


def test_the_analyst_sees_before_and_after_change_places() -> None:
    template = RECORD.raw_question.replace("ended in an earlier year", "started in a later year")
    asked = request(GOOD_QUESTION.replace(" after ", " before ")).model_copy(update={"template_question": template})
    assert analyse(asked).cause is Cause.REVERSED_CONSTRAINT


def test_the_reviser_writes_a_usable_question_from_the_template_alone() -> None:
    told = {"cause": Cause.UNCLEAR, "reason": "", "appeal_answers": None}
    first, second = (revise(ReviseRequest(**dict(request(question)), **told)) for question in (GOOD_QUESTION, "Who?"))
    assert first == second
    assert usable_problem(first.question, RECORD) is None


def test_the_leak_rewriter_leaves_the_answer_out() -> None:
    reply = leak_rewrite(LeakRewriteRequest(question="Is it Bo Lind?", template_question=RECORD.raw_question, avoid=("Bo Lind", "Lind")))
    assert "Lind" not in reply.question
    assert usable_problem(reply.question, RECORD) is None


def test_every_role_has_its_rule() -> None:
    assert set(RULES) == set(Role) - {Role.LEAK_FILTER, Role.GENERATOR, Role.ANSWERER, Role.JUDGE}


def test_an_instance_is_accepted_by_rules_alone_and_its_record_says_so() -> None:
    workflow = build_workflow(CONFIG, environ={})
    result = asyncio.run(run_instance(RECORD, workflow))
    assert result.status is Status.ACCEPTED
    assert result.final_question is not None
    assert usable_problem(result.final_question, RECORD) is None
    assert (workflow.backend_names().rewriter, workflow.backend_names().verifier) == ("offline-rules", "offline-rules")
    for visit in result.visits:
        assert visit.prompt is None
        for a_try in visit.tries:
            assert (a_try.request.model, a_try.request.base_url, a_try.usd) == ("offline-rules", None, None)
    seen = json.loads(result.visits[1].tries[0].request.messages[0]["content"])
    assert set(seen) == {"question", "evidence", "structure_hint"}


def test_a_template_that_is_none_of_ours_fails_the_instance_not_the_run() -> None:
    record = make_record(raw_question="What is love?")
    result = asyncio.run(run_instance(record, build_workflow(CONFIG, environ={})))
    assert result.status is Status.FAILED
    assert "rewriter" in result.detail
    assert Trajectory(instance_id=record.id, visits=result.visits).visits
