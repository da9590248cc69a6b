"""The verifier on free English: all operators and templates, and what it must refuse."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.offline.verifier import verify
from state.fact import LabelledFact
from state.roles import VerifyRequest
from tests.agents.offline import verifier_joint_questions as joint_questions
from tests.agents.offline import verifier_questions as data
from tests.agents.offline import verifier_relation_questions as relation_questions
from tests.agents.offline.verifier_graphs import Graph, request_about

request = data.request
RELATIONS = [*relation_questions.QUESTIONS, *joint_questions.QUESTIONS]
HARD = (*relation_questions.HARD, *joint_questions.HARD)
READABLE = [question for question in data.QUESTIONS if question[2]]


@pytest.mark.parametrize(("graph", "text", "answer"), READABLE, ids=[text for _, text, _ in READABLE])
def test_free_question_names_the_one_that_fits(graph: str, text: str, answer: str) -> None:
    reply = verify(request(graph, text), "all")
    assert (list(reply.answers), reply.cannot_tell) == ([answer], False)


@pytest.mark.parametrize(("graph", "text", "answers"), RELATIONS, ids=[text for _, text, _ in RELATIONS])
def test_question_about_a_known_relation_names_all_that_fit(graph: Graph, text: str, answers: tuple[str, ...]) -> None:
    reply = verify(request_about(graph, text), "all")
    if text in HARD:
        assert reply.cannot_tell or sorted(reply.answers) == sorted(answers)
    else:
        assert (sorted(reply.answers), reply.cannot_tell) == (sorted(answers), False)


@pytest.mark.parametrize(("graph", "text", "answer"), data.MAY_ABSTAIN, ids=[text for _, text, _ in data.MAY_ABSTAIN])
def test_hard_question_is_read_rightly_or_not_at_all(graph: str, text: str, answer: str) -> None:
    reply = verify(request(graph, text), "all")
    assert reply.cannot_tell or list(reply.answers) == [answer]


@pytest.mark.parametrize(("graph", "text"), data.REFUSED, ids=[text for _, text in data.REFUSED])
def test_question_with_something_unexplained_cannot_be_told(graph: str, text: str) -> None:
    assert verify(request(graph, text), "all").cannot_tell


@pytest.mark.parametrize(("graph", "text", "answer"), READABLE, ids=[text for _, text, _ in READABLE])
def test_added_condition_cannot_be_told(graph: str, text: str, answer: str) -> None:
    for extra in (", and was born in Paris", ", who spoke French", " in 1996", " but not with Ed Poe's brother"):
        assert verify(request(graph, text[:-1] + extra + "?"), "all").cannot_tell


@pytest.mark.parametrize(("graph", "text", "answer"), READABLE[::5], ids=[text for _, text, _ in READABLE[::5]])
def test_shuffled_and_renamed_evidence_gives_the_same(graph: str, text: str, answer: str) -> None:
    asked = request(graph, text)
    rng = random.Random(text)
    rows = [fact.model_dump() for fact in asked.evidence]
    rng.shuffle(rows)
    ids = sorted({row[key] for row in rows for key in ("subject", "relation", "object")})
    new = dict(zip(ids, rng.sample(range(10_000), len(ids)), strict=True))
    evidence = tuple(
        LabelledFact.model_validate({**row, **{key: f"N{new[row[key]]}" for key in ("subject", "relation", "object")}}) for row in rows
    )
    assert verify(asked.model_copy(update={"evidence": evidence}), "all") == verify(asked, "all")


@pytest.mark.parametrize(("graph", "text", "other"), data.REVERSED, ids=[text for _, text, _ in data.REVERSED])
def test_reversed_question_names_somebody_else(graph: str, text: str, other: str) -> None:
    first, second = verify(request(graph, text), "all"), verify(request(graph, other), "all")
    assert not first.cannot_tell
    assert not second.cannot_tell
    assert not set(first.answers) & set(second.answers)


def test_dropped_condition_names_more_than_one() -> None:
    assert len(verify(request("club", "Who played for Ajax?"), "all").answers) == 14
    assert len(verify(request("two clubs", "Who played for Ajax and FC Arn?"), "all").answers) == 13
    assert len(verify(request("coaches", "Who coached a team that Tom Reed played for?"), "all").answers) == 13


def test_truncated_question_without_its_mark_cannot_be_told() -> None:
    for graph, text, _ in READABLE:
        assert verify(request(graph, text[:-1]), "all").cannot_tell


def test_question_cut_before_its_last_connective_does_not_pass_for_the_whole() -> None:
    cuts = 0
    for graph, text, answer in READABLE:
        head, found, _ = text.rpartition(" after ") if " after " in text else text.rpartition(" before ")
        if found and not text.startswith("After"):
            reply = verify(request(graph, head.rstrip(",") + "?"), "all")
            assert reply.cannot_tell or list(reply.answers) != [answer], head
            cuts += 1
    assert cuts >= 25


def test_free_questions_are_read_in_a_fresh_process_after_normalisation() -> None:
    script = (
        "import json, sys\nfrom agents.offline.verifier import verify\nfrom state.roles import VerifyRequest\n"
        "print(json.dumps([verify(VerifyRequest.model_validate(r), 'all').answers for r in json.load(sys.stdin)]))\n"
        "assert not {m for m in sys.modules if 'rewriter' in m or 'graph_sampler.templates' in m}"
    )
    requests = []
    for graph, text, _ in READABLE:
        plain = unicodedata.normalize("NFKC", text)
        plain = "".join(sign for sign in plain if unicodedata.category(sign) != "Cf")
        requests.append({**request(graph, text).model_dump(mode="json"), "question": plain})
    done = subprocess.run([sys.executable, "-c", script], input=json.dumps(requests), capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [[answer] for _, _, answer in READABLE]


@pytest.mark.parametrize("text", ["WHO LEFT AJAX BEFORE TOM REED JOINED?", "Who left  Ajax before Tom\u200b Re\u200bed joined?"])
def test_case_blanks_and_invisible_signs_do_not_matter(text: str) -> None:
    assert verify(request("club", text), "all").answers == ("Ana Roy",)


WORDS = sorted({word for _, text, _ in data.QUESTIONS for word in text[:-1].split()} | {",", "<BEFORE>", "@0", "@99", '"', "'s", "\x00"})


@given(graph=st.sampled_from(sorted(data.GRAPHS)), words=st.lists(st.sampled_from(WORDS), max_size=14))
def test_word_salad_is_answered_or_refused_but_never_fails(graph: str, words: list[str]) -> None:
    asked = request(graph, " ".join(words) + "?")
    labels = {label for fact in asked.evidence for label in (fact.subject_label, fact.object_label)}
    reply = verify(asked, "all")
    assert set(reply.answers) <= labels
    assert not (reply.cannot_tell and reply.answers)


@given(text=st.text(max_size=60), hint=st.text(max_size=20))
def test_any_text_and_hint_is_refused_without_failing(text: str, hint: str) -> None:
    assert verify(request("club", text), "all").cannot_tell
    assert verify(request("club", "Who left Ajax before Tom Reed joined?").model_copy(update={"structure_hint": hint}), "all").cannot_tell


@pytest.mark.parametrize(("label", "question"), [
    ("plays for", "Who joined FC Arn after Ana Roy left it?"),
    ("is married to", "Who married FC Arn after Ana Roy divorced it?"),
    ("graduated from", "Who enrolled at FC Arn after Ana Roy left it?"),
])  # fmt: skip
def test_a_relation_of_another_schema_is_read_by_the_words_of_its_meaning(label: str, question: str) -> None:
    facts = [("Ana Roy", "1990", "1994"), ("Bo Lind", "1996", "1999"), ("Cy Moe", "1991", "1993"), ("Di Fox", "1985", "1988")]
    evidence = tuple(
        LabelledFact(
            subject=f"Q{n}",
            relation="R",
            object="Q9",
            start=start,
            end=end,
            subject_label=name,
            relation_label=label,
            object_label="FC Arn",
        )
        for n, (name, start, end) in enumerate(facts)
    )
    hint = f'Topology A -> B, 1 hop, relations "{label}".'
    reply = verify(VerifyRequest(question=question, evidence=evidence, structure_hint=hint), "all")
    assert (reply.answers, reply.cannot_tell) == (("Bo Lind",), False)
