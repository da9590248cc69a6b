"""A fact that a question names must be told in its own direction, whatever the words for its relation."""

from __future__ import annotations

import re

import pytest

from agents.offline.lexicon import LEXICON
from agents.offline.verifier import verify
from agents.offline.verifier_lexicon import ENTRIES, OTHER_LABELS
from agents.offline.verifier_named_facts import says_no_fact
from agents.offline.verifier_query import Evidence
from agents.offline.verifier_tokens import tokenise
from benchmarks.verifier_rates import Reading, Register, read, word
from graph_sampler import templates
from state.fact import LabelledFact
from state.instance import BenchmarkRecord
from tests.agents.offline import template_questions
from tests.agents.offline.verifier_graphs import fact, request_about

UNKNOWN = (
    "nominated", "Criticize or denounce", "Make statement", "mentor of", "mentor", "opposition leader", "sponsored_by", "located in",
    "member of team", "playsFor", "leads to", "Consult", "captain of club", "place of origin",
)  # fmt: skip
LABELS = sorted({*UNKNOWN, *ENTRIES, *OTHER_LABELS, *LEXICON})
SYMMETRIC = frozenset(["spouse", "is married to", "married to", "unmarried partner", "twinned administrative body"])
HINT = 'Topology A -> B, 1 hop, relations "{}".'


def about(relation: str, is_interval: bool) -> list[LabelledFact]:
    """Three facts of Arn, one after the other."""
    starts = (("Ana Roy", 1980), ("Tom Reed", 1990), ("Bo Lind", 2000))
    return [fact(who, relation, "Arn", start, start + 4 * is_interval) for who, start in starts]


def exchanged(question: str, first: str, second: str) -> list[str]:
    """The question once for each clause that has both names, these exchanged there."""
    between = rf"\b((?:(?!{first}|{second})[^,?])+)\b"
    found = re.finditer(rf"(?<!\w)(?:({first}){between}({second})|({second}){between}({first}))(?!\w)", question)
    parts = [(match.span(), [group for group in match.groups() if group]) for match in found]
    return [question[:start] + after + said + before + question[stop:] for (start, stop), (before, said, after) in parts]


@pytest.mark.parametrize("is_interval", [True, False])
def test_a_named_fact_of_any_relation_told_the_wrong_way_round_is_refused(is_interval: bool) -> None:
    operator, answer = ("I-after-I" if is_interval else "P-after-P"), ("Bo Lind",)
    refused = set()
    for relation in sorted({*LABELS} - SYMMETRIC):
        graph = about(relation, is_interval), HINT.format(relation)
        reference = templates.reference_phrase("Tom Reed", relation, "Arn")
        condition = template_questions.condition(operator, "the first fact", reference)
        text = templates.assemble("?a", [([template_questions.fact("X", relation, "Arn", 1)], [condition])])
        for plain in (False, True):
            question = template_questions.question(text, plain)
            if verify(request_about(graph, question), "all").answers != answer:
                continue
            for other in exchanged(question, "Tom Reed", "Arn"):
                assert verify(request_about(graph, other), "all").answers != answer, other
                refused.add(relation)
    assert len(refused) >= 110


@pytest.mark.parametrize(
    ("relation", "right", "wrong"),
    [
        ("founded by", "Arn founded Tom Reed", "Tom Reed founded Arn"),
        ("founded by", "Tom Reed was founded by Arn", "Arn was founded by Tom Reed"),
        ("head coach", "Tom Reed had as its head coach Arn", "Arn had as its head coach Tom Reed"),
        ("head coach", "Tom Reed appointed Arn", "Arn appointed Tom Reed"),
        ("head coach of", "Arn was coached by Tom Reed", "Tom Reed was coached by Arn"),
        ("employer", "Arn hired Tom Reed", "Tom Reed hired Arn"),
        ("employer", "Tom Reed was employed by Arn", "Arn was employed by Tom Reed"),
        ("starred in", "Arn starred Tom Reed", "Tom Reed starred Arn"),
        ("member of sports team", "Tom Reed signed for Arn", "Arn signed for Tom Reed"),
        ("member of sports team", "Arn signed Tom Reed", "Tom Reed signed Arn"),
        ("place of birth", "Arn was the birthplace of Tom Reed", "Tom Reed was the birthplace of Arn"),
        ("took place in", "Arn hosted Tom Reed", "Tom Reed hosted Arn"),
        ("award received", "Arn was awarded to Tom Reed", "Tom Reed was awarded to Arn"),
        ("nominated", "Arn was nominated by Tom Reed", "Tom Reed was nominated by Arn"),
        ("mentor", "Arn was mentor of Tom Reed", "Tom Reed was mentor of Arn"),
        ("sponsored_by", "Arn sponsored Tom Reed", "Tom Reed sponsored Arn"),
    ],
)
def test_the_voice_of_a_clause_says_who_does_what(relation: str, right: str, wrong: str) -> None:
    evidence = Evidence([fact("Tom Reed", relation, "Arn", 1990)])
    for statement, is_fact in ((right, True), (wrong, False)):
        tokens = tokenise(f"Who went on after {statement}?", evidence, frozenset([relation.replace("_", " ")]) | {relation})
        assert says_no_fact(tokens, evidence) is not is_fact, statement


def test_no_reference_of_a_shipped_graph_holds_when_its_names_change_places(years_records: list[BenchmarkRecord]) -> None:
    count = 0
    for record in years_records[:400:8]:
        evidence = tuple(record.labelled(one) for one in record.evidence)
        for register in (Register.REWRITTEN, Register.PLAIN):
            question = word(record.raw_question, record, register)
            for reference in record.trace.references.values():
                ends = [re.escape(record.labels[end]) for end in (reference.subject, reference.object)]
                for other in exchanged(question, *ends) if record.labels[reference.relation] not in SYMMETRIC else ():
                    assert read(other, evidence, record.structure_hint, record.answer)[0] is not Reading.GOLD, other
                    count += 1
    assert count >= 40
