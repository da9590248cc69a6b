"""The rule-based round-trip reader: it reads what the offline verifier reads, and says what is wrong with damage."""

from __future__ import annotations

from collections import Counter

import pytest

from agents.agreement import Verdict
from agents.constraint_difference import Finding
from agents.offline.error_analyst import analyse
from agents.offline.rewriter import rewrite
from agents.offline.verifier_round_trip import CANNOT_TELL, read_constraints
from agents.read_constraints import Bench
from agents.round_trip import Reading, judge_reading, read_request
from state.instance import BenchmarkRecord
from state.roles import AnalyseRequest, RewriteRequest
from state.vocabulary import Cause, Difference
from tests.sample_record import GOOD_QUESTION, OFFICE, make_record

RECORD = make_record()
SHARE = 0.9
"""Least share of rewritten questions that it must read; it reads all of these."""


@pytest.fixture(scope="module")
def records(years_records: list[BenchmarkRecord]) -> list[BenchmarkRecord]:
    return years_records[:80]


def read(record: BenchmarkRecord, question: str) -> Reading:
    return judge_reading(read_constraints(read_request(record, question)), record)


def rewritten(record: BenchmarkRecord) -> str:
    support = tuple(record.labelled(fact) for fact in record.support_facts)
    return rewrite(RewriteRequest(template_question=record.raw_question, support_facts=support, answer=record.answer)).question


def test_template_questions_are_read_in_full_and_name_the_gold_answer(records: list[BenchmarkRecord]) -> None:
    for record in records:
        reading = read(record, record.raw_question)
        assert (reading.findings, reading.answers) == ((), (record.answer,)), record.raw_question
        stated = read_constraints(read_request(record, record.raw_question))
        assert len(stated.constraints) == len(Bench(record).state().constraints)


def test_rewritten_questions_are_read_without_a_wrong_finding(records: list[BenchmarkRecord]) -> None:
    verdicts = Counter(read(record, rewritten(record)).verdict.value for record in records)
    assert verdicts["other constraints"] == 0
    assert verdicts["match"] >= SHARE * len(records)


QUESTION = f"Who became {OFFICE} after Ana Roy left office, and left office before Cy Moe took office?"


@pytest.mark.parametrize(
    ("question", "labels"),
    [
        (QUESTION, []),
        (QUESTION.replace(", and left office before Cy Moe took office", ""), ["missing"]),
        (QUESTION.replace("left office before Cy Moe took office", "took office after Cy Moe left office"), ["reversed"]),
        (QUESTION.replace("Cy Moe", "Eva Dunn"), ["wrong"]),
        (QUESTION.replace("Ana Roy left office", "Ana Roy left office and after Ida Holt left office"), ["unnecessary"]),
    ],
)
def test_each_damage_is_told_by_its_name(question: str, labels: list[str]) -> None:
    reading = read(RECORD, question)
    assert [finding.label.value for finding in reading.findings] == labels
    assert reading.verdict is (Verdict.OTHER_CONSTRAINTS if labels else Verdict.MATCH)


def test_a_comparison_that_no_word_says_is_not_read_as_another() -> None:
    assert read_constraints(read_request(RECORD, GOOD_QUESTION)) == CANNOT_TELL, "became before he held it: start before start"


@pytest.mark.parametrize("question", ["Who was it?", "Was it Ana Roy or Cy Moe?", f"Who blew up {OFFICE} after Ana Roy?", ""])
def test_what_cannot_be_read_is_not_guessed_at(question: str) -> None:
    assert read_constraints(read_request(RECORD, question)) == CANNOT_TELL


def test_evidence_without_facts_cannot_be_read() -> None:
    assert read_constraints(read_request(RECORD, GOOD_QUESTION).model_copy(update={"facts": ()})) == CANNOT_TELL


@pytest.mark.parametrize("label", list(Difference))
def test_the_analyst_takes_the_cause_from_the_first_finding(label: Difference) -> None:
    first, second = Finding(label, "a: b", "c").sentence, Finding(Difference.MISSING, "d", None).sentence
    asked = AnalyseRequest(
        template_question=RECORD.raw_question, question=GOOD_QUESTION, verifier_answers=(), cannot_tell=False, answer="Bo Lind",
        evidence=RECORD.labelled_evidence, findings=(first, second),
    )  # fmt: skip
    reply = analyse(asked)
    assert (reply.cause, reply.reason) == (Cause(f"{label.value} constraint"), first)
    for nothing in (None, ()):
        assert analyse(asked.model_copy(update={"findings": nothing})) == analyse(asked.model_copy(update={"findings": None}))
