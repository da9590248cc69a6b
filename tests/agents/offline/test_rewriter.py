"""The offline rewriter: exact, whole and readable without the template beside it."""

from __future__ import annotations

import random
import re
import statistics
from collections.abc import Iterator

import pytest

from agents.offline.lexicon import LEXICON
from agents.offline.rewriter import rewrite, rewrite_plainly
from agents.offline.template_reader import UnreadableTemplate
from graph_sampler import templates
from graph_sampler.operators import ORDINALS, PAIRWISE
from state.interval import Granularity
from state.roles import RewriteRequest
from state.vocabulary import RankOrder
from tests.agents.offline.template_questions import condition, fact, question

PEOPLE = ("Ana Roy", "Bo Lind", "Cy Moe", "Ida Holt", "Arn", "The Oak Prize", "Order of the Lamp", "Dell & Co.", "Nova (film)", "U.N.C.")
UNLISTED = ("works near", "patron", "located in", "<advisesOn>", "sponsored_by", "is fond of", "Make a visit", "mentor of", "painted")

PAIRWISE_GOLDEN = {
    "I-equals-I": "Who joined FC Arn in the same year as Bo Lind, and left it in the same year as Bo Lind?",
    "I-starts-I": "Who joined FC Arn in the same year as Bo Lind, and left it before Bo Lind did?",
    "I-started-by-I": "Who joined FC Arn in the same year as Bo Lind, and left it after Bo Lind did?",
    "I-finishes-I": "Who joined FC Arn after Bo Lind did, and left it in the same year as Bo Lind?",
    "I-finished-by-I": "Who joined FC Arn before Bo Lind did, and left it in the same year as Bo Lind?",
    "I-before-I": "Who left FC Arn before Bo Lind joined?",
    "I-after-I": "Who joined FC Arn after Bo Lind left?",
    "I-meets-I": "Who left FC Arn in the year Bo Lind joined?",
    "I-met-by-I": "Who joined FC Arn in the year Bo Lind left?",
    "I-during-I": "Who joined FC Arn after Bo Lind did, and left it before Bo Lind did?",
    "I-contains-I": "Who joined FC Arn before Bo Lind did, and left it after Bo Lind did?",
    "I-overlaps-I": "Who joined FC Arn before Bo Lind did, and left it after Bo Lind joined but before Bo Lind left?",
    "I-overlapped-by-I": "Who joined FC Arn after Bo Lind did but before Bo Lind left, and left it after Bo Lind did?",
    "P-at-start-I": "Who received the Golden Oak in the same year as joining FC Arn?",
    "P-at-end-I": "Who received the Golden Oak in the same year as leaving FC Arn?",
    "P-before-I": "Who received the Golden Oak before joining FC Arn?",
    "P-after-I": "Who received the Golden Oak after leaving FC Arn?",
    "P-inside-I": "Who received the Golden Oak after joining FC Arn and before leaving it?",
    "I-starts-at-P": "Who joined FC Arn in the same year as receiving the Golden Oak?",
    "I-ends-at-P": "Who left FC Arn in the same year as receiving the Golden Oak?",
    "I-after-P": "Who joined FC Arn after receiving the Golden Oak?",
    "I-before-P": "Who left FC Arn before receiving the Golden Oak?",
    "I-covers-P": "Who received the Golden Oak after joining FC Arn and before leaving it?",
    "P-before-P": "Who received the Golden Oak before Bo Lind did?",
    "P-equals-P": "Who received the Golden Oak in the same year as Bo Lind?",
    "P-after-P": "Who received the Golden Oak after Bo Lind did?",
}
ORDINAL_GOLDEN = {
    ("start_rank", RankOrder.ASCENDING, 1): "Who was the first to join FC Arn?",
    ("start_rank", RankOrder.ASCENDING, 2): "Who was the second to join FC Arn?",
    ("start_rank", RankOrder.DESCENDING, 1): "Who was the last to join FC Arn?",
    ("start_rank", RankOrder.DESCENDING, 2): "Who was the second-to-last to join FC Arn?",
    ("end_rank", RankOrder.ASCENDING, 1): "Who was the first to leave FC Arn?",
    ("end_rank", RankOrder.ASCENDING, 2): "Who was the second to leave FC Arn?",
    ("end_rank", RankOrder.DESCENDING, 1): "Who was the last to leave FC Arn?",
    ("end_rank", RankOrder.DESCENDING, 2): "Who was the second-to-last to leave FC Arn?",
    ("duration_rank", RankOrder.ASCENDING, 1): "Who had the shortest spell with FC Arn?",
    ("duration_rank", RankOrder.ASCENDING, 2): "Who had the second-shortest spell with FC Arn?",
    ("duration_rank", RankOrder.DESCENDING, 1): "Who had the longest spell with FC Arn?",
    ("duration_rank", RankOrder.DESCENDING, 2): "Who had the second-longest spell with FC Arn?",
}


def own_and_reference(operator: str, unit: Granularity = Granularity.YEAR) -> str:
    """`A -> B` for operators between like facts, `C <- A -> B` for the others."""
    kinds = {"I": ("member of sports team", "FC Arn"), "P": ("award received", "Golden Oak")}
    (relation, name), (other, other_name) = kinds[operator[0]], kinds[operator[-1]]
    facts = [fact("X", relation, name, 1)]
    right = templates.reference_phrase("Bo Lind", other, other_name)
    if operator[0] != operator[-1]:
        facts.append(fact("X", other, other_name, 2))
        right = "the second fact"
    return templates.assemble("?a", [(facts, [condition(operator, "the first fact", right, unit)])])


@pytest.mark.parametrize("operator", [operator.name for operator in PAIRWISE])
def test_each_pairwise_operator_has_its_words(operator: str) -> None:
    assert question(own_and_reference(operator)) == PAIRWISE_GOLDEN[operator]


@pytest.mark.parametrize(("operator", "order", "rank"), list(ORDINAL_GOLDEN))
def test_each_rank_has_its_words(operator: str, order: RankOrder, rank: int) -> None:
    clause = templates.ordinal_clause(operator, "f1", rank, order, is_point=False)
    text = templates.assemble("?a", [([fact("X", "member of sports team", "FC Arn", 1)], [clause])])
    assert question(text) == ORDINAL_GOLDEN[operator, order, rank]


def test_no_two_operators_between_the_same_facts_are_said_alike() -> None:
    for plain in (False, True):
        for family in {operator.family for operator in PAIRWISE}:
            names = [operator.name for operator in PAIRWISE if operator.family is family]
            assert len({question(own_and_reference(name), plain) for name in names}) == len(names)


def test_a_day_graph_speaks_of_days() -> None:
    assert question(own_and_reference("I-meets-I", Granularity.DAY)) == "Who left FC Arn on the day Bo Lind joined?"
    plain = question(own_and_reference("I-before-I", Granularity.DAY), plain=True)
    assert plain == "Who left FC Arn before the day on which Bo Lind joined FC Arn?"


def test_words_of_ours_that_hold_the_answer_give_way_to_the_plainer_style() -> None:
    text = own_and_reference("I-before-I")
    request = RewriteRequest(template_question=text, support_facts=(), answer="Joined?")
    assert "joined" in question(text)
    assert rewrite(request) == rewrite_plainly(request) != rewrite(request.model_copy(update={"answer": "Join"}))


GOLDEN = [
    (
        "a short link and one moment",
        [
            ([fact("X", "educated at", "Arn College", 1)], []),
            (
                [fact("X", "award received", "Y", 2)],
                [condition("P-before-P", "the second fact", templates.reference_phrase("Bo Lind", "award received", "Golden Oak"))],
            ),
        ],
        "Which award did someone who studied at Arn College receive before Bo Lind received the Golden Oak?",
    ),
    (
        "a ranked link and no condition at the end",
        [
            ([fact("X", "educated at", "Arn College", 1)], [templates.ordinal_clause("start_rank", "f1", 2, RankOrder.ASCENDING, False)]),
            ([fact("X", "member of sports team", "Y", 2)], []),
        ],
        "Which sports team did the second person to enroll at Arn College play for?",
    ),
    (
        "a condition on the second of three hops",
        [
            ([fact("Ida Holt", "member of sports team", "X", 1)], []),
            (
                [fact("Y", "head coach of", "X", 2)],
                [condition("I-before-I", "the second fact", templates.reference_phrase("Bo Lind", "head coach of", "FC Arn"))],
            ),
            ([fact("Y", "award received", "Z", 3)], []),
        ],
        "Which award was received by someone who was head coach of a sports team that Ida Holt played for, "
        "and who stopped being head coach of that team before Bo Lind became head coach of FC Arn?",
    ),
    (
        "one relation on both hops, within the span of another fact",
        [
            ([fact("Ida Holt", "member of sports team", "X", 1)], []),
            (
                [fact("Y", "member of sports team", "X", 2)],
                [condition("I-during-I", "the second fact", templates.reference_phrase("Bo Lind", "member of sports team", "FC Arn"))],
            ),
        ],
        "Of the people who played for a sports team that Ida Holt also played for, "
        "who joined that team after Bo Lind joined FC Arn, and left that team before Bo Lind left FC Arn?",
    ),
    (
        "two siblings before whom it was",
        [
            (
                [fact("X", "award received", "Golden Oak", 1)],
                [
                    condition("P-before-P", "the first fact", templates.reference_phrase(name, "award received", "Golden Oak"))
                    for name in ("Bo Lind", "Cy Moe")
                ],
            )
        ],
        "Who received the Golden Oak before both Bo Lind and Cy Moe did?",
    ),
    (
        "a rank counts what the conditions before it left",
        [
            (
                [fact("X", "member of sports team", "FC Arn", 1)],
                [
                    condition("I-before-I", "the first fact", templates.reference_phrase("Bo Lind", "member of sports team", "FC Arn")),
                    templates.ordinal_clause("start_rank", "f1", 2, RankOrder.ASCENDING, is_point=False),
                ],
            )
        ],
        "Of the people who left FC Arn before Bo Lind joined, who was the second to join?",
    ),
    (
        "two spells of one person at two clubs",
        [
            (
                [fact("X", "member of sports team", "FC Arn", 1), fact("X", "member of sports team", "Real Lund", 2)],
                [condition("I-overlaps-I", "the first fact", "the second fact")],
            )
        ],
        "Who joined FC Arn before joining Real Lund, and left FC Arn after joining Real Lund and before leaving Real Lund?",
    ),
    (
        "one thing between two people",
        [
            (
                [fact("Ida Holt", "member of sports team", "X", 1), fact("Bo Lind", "head coach of", "X", 2)],
                [condition("I-after-I", "the first fact", "the second fact")],
            )
        ],
        "Which sports team did Ida Holt join after Bo Lind stopped being its head coach?",
    ),
    (
        "a condition on the way and none at the end",
        [
            (
                [fact("Ida Holt", "member of sports team", "X", 1)],
                [condition("I-met-by-I", "the first fact", templates.reference_phrase("Ida Holt", "member of sports team", "Real Lund"))],
            ),
            ([fact("Y", "head coach of", "X", 2)], []),
        ],
        "Who was head coach of a sports team that Ida Holt joined in the same year as leaving Real Lund?",
    ),
    (
        "a condition between the two facts of a walk",
        [
            ([fact("Ida Holt", "member of sports team", "X", 1)], []),
            ([fact("Y", "head coach of", "X", 2)], [condition("I-before-I", "the first fact", "the second fact")]),
        ],
        "Who became head coach of a sports team after Ida Holt left it?",
    ),
    (
        "a condition that could attach to two clauses",
        [
            ([fact("Ida Holt", "member of sports team", "X", 1)], []),
            (
                [fact("Y", "head coach of", "X", 2)],
                [condition("I-before-I", "the second fact", templates.reference_phrase("Bo Lind", "head coach of", "FC Arn"))],
            ),
        ],
        "Of the people who were head coach of a sports team that Ida Holt played for, "
        "who stopped being head coach of that team before Bo Lind became head coach of FC Arn?",
    ),
    (
        "a rank on the way after a condition",
        [
            (
                [fact("Ida Holt", "member of sports team", "X", 1)],
                [
                    condition("I-after-I", "the first fact", templates.reference_phrase("Ida Holt", "member of sports team", "FC Arn")),
                    templates.ordinal_clause("end_rank", "f1", 1, RankOrder.DESCENDING, is_point=False),
                ],
            ),
            ([fact("Y", "head coach of", "X", 2)], [condition("I-before-I", "the first fact", "the second fact")]),
        ],
        "Of the sports teams that Ida Holt joined after leaving FC Arn, take the one that Ida Holt left last: "
        "who became head coach of that team after Ida Holt left that team?",
    ),
    (
        "three hops with a condition in the middle",
        [
            ([fact("Ida Holt", "member of sports team", "X", 1)], []),
            ([fact("Y", "head coach of", "X", 2)], [condition("I-before-I", "the first fact", "the second fact")]),
            ([fact("Y", "award received", "Z", 3)], [condition("I-before-P", "the second fact", "the third fact")]),
        ],
        "Of the awards received by someone who became head coach of a sports team after Ida Holt left it, "
        "which did that person receive after ceasing to be head coach of that team?",
    ),
]


@pytest.mark.parametrize(("stages", "expected"), [(stages, text) for _, stages, text in GOLDEN], ids=[name for name, _, _ in GOLDEN])
def test_a_whole_question_reads_as_expected(stages: list[tuple[list[str], list[str]]], expected: str) -> None:
    assert question(templates.assemble(f"?{'abc'[len(stages) - 1]}", stages)) == expected


def corpus(seed: int, relations: tuple[str, ...], size: int) -> Iterator[tuple[str, list[str]]]:
    """Template questions of all templates with one to four constraints, and the names in each."""
    rng = random.Random(seed)
    for _ in range(size):
        names = rng.sample(PEOPLE, 5)
        used = rng.choices(relations, k=3)
        is_point = {relation: rng.random() < 0.5 for relation in relations}
        shape = rng.choice([(1,), (2,), (1, 1), (1, 1, 1)])
        number, variable, named, stages = 0, -1, [], []
        for position, count in enumerate(shape):
            facts, conditions, own = [], [], []
            previous, variable = "XYZ"[variable], variable + 1
            for index in range(count):
                number += 1
                other = names[index] if position == 0 else previous
                named += [other] if position == 0 else []
                ends = ("XYZ"[variable], other) if rng.random() < 0.5 else (other, "XYZ"[variable])
                facts.append(fact(ends[0], used[number - 1], ends[1], number))
                own.append((number, used[number - 1], ends))
            for _ in range(rng.randint(1, 2) if position == len(shape) - 1 else rng.randint(0, 1)):
                left, relation, ends = rng.choice(own)
                right, right_relation = f"the {templates.FACT_NAMES[f'f{number}']}", used[number - 1]
                if left == number or rng.random() < 0.5:
                    ends = tuple(names[4 - index] if end in "XYZ" else end for index, end in enumerate(ends))
                    right, right_relation = templates.reference_phrase(ends[0], relation, ends[1]), relation
                    named += ends
                kinds = ["P" if is_point[name] else "I" for name in (relation, right_relation)]
                fitting = [o.name for o in PAIRWISE if o.name[0] == kinds[0] and o.name[-1] == kinds[1]]
                conditions.append(condition(rng.choice(fitting), f"the {templates.FACT_NAMES[f'f{left}']}", right))
            if rng.random() < 0.25:
                left, relation, _ = rng.choice(own)
                operator = "start_rank" if is_point[relation] else rng.choice(ORDINALS).name
                conditions.append(
                    templates.ordinal_clause(operator, f"f{left}", rng.randint(1, 13), rng.choice(list(RankOrder)), is_point[relation])
                )
            stages.append((facts, conditions))
        yield templates.assemble(f"?{'abc'[variable]}", stages), named


CORPORA = {
    "listed relations": tuple(corpus(1, tuple(LEXICON), 600)),
    "unlisted relations": tuple(corpus(2, UNLISTED, 200)),
}
JARGON = re.compile(r"\b(?:relation|fact|facts|qualify|X|Y|Z)\b|[{}<>_]|  | ,|\?.")


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("which", list(CORPORA))
def test_every_question_is_one_plain_sentence_with_every_name(which: str, plain: bool) -> None:
    for text, names in CORPORA[which]:
        written = question(text, plain)
        assert written[0].isupper(), written
        assert written.endswith("?"), written
        assert all(name in written for name in names), (text, written)
        assert JARGON.search(written) is None, written
        assert re.search(r"\b(\w+) \1\b", written) is None, written


def test_questions_are_about_half_as_long_as_their_templates() -> None:
    ratios = [len(question(text).split()) / len(text.split()) for text, _ in CORPORA["listed relations"]]
    assert statistics.median(ratios) < 0.65


def test_different_conditions_give_different_questions() -> None:
    said: dict[str, str] = {}
    for text, _ in CORPORA["listed relations"]:
        assert said.setdefault(question(text), text) == text


def test_the_same_request_gives_the_same_words() -> None:
    texts = [text for text, _ in CORPORA["listed relations"][:100]]
    assert [question(text) for text in texts] == [question(text) for text in reversed(texts)][::-1]


@pytest.mark.parametrize(
    "label",
    ["The {Braces}", 'Say "no"', "one\nAnswer: X", "\x1b[31mred", "<b>bold</b>", "long " * 1000, "a (first fact), where Y", "!?", "Q17"],
)
@pytest.mark.parametrize("plain", [False, True])
def test_a_hostile_name_stands_in_the_question_as_it_is(label: str, plain: bool) -> None:
    reference = templates.reference_phrase(label, "educated at", "Arn College")
    text = templates.assemble("?a", [([fact("X", "educated at", "Arn College", 1)], [condition("I-after-I", "the first fact", reference)])])
    assert label in question(text, plain)
    anchored = templates.assemble(
        "?a",
        [([fact("X", "released", label, 1)], [templates.ordinal_clause("start_rank", "f1", 2, RankOrder.ASCENDING, is_point=True)])],
    )
    assert label in question(anchored, plain)


def test_the_lexicon_leaves_no_slot_open() -> None:
    for label, words in LEXICON.items():
        assert "{p}" in words.state, label
        assert all("{p}" in phrase for phrase in (words.start, words.end, words.open_state, words.open_start, words.open_end) if phrase), (
            label
        )
        assert words.inverse.endswith("{a}"), label


def test_a_label_that_reads_from_patient_to_agent_is_told_from_the_agent() -> None:
    reference = templates.reference_phrase("FC Arn", "head coach", "Bo Lind")
    text = templates.assemble("?a", [([fact("FC Arn", "head coach", "X", 1)], [condition("I-meets-I", "the first fact", reference)])])
    assert question(text) == "Who stopped being head coach of FC Arn in the year Bo Lind became head coach?"


@pytest.mark.parametrize("text", ["", "Who played for FC Arn?", "Which entity X is such that X won?"])
def test_a_text_that_is_no_template_question_is_refused(text: str) -> None:
    with pytest.raises(UnreadableTemplate):
        question(text)


@pytest.mark.parametrize(
    ("template", "question"),
    [
        ('Which entity X is such that "Henry VIII" has the relation "spouse" to X (first fact)?', "Who was Henry VIII married to?"),
        (
            'Which entity X is such that "Bo Lind" has the relation "member of sports team" to X (first fact), '
            'and "Ana Roy" has the relation "member of sports team" to X (second fact)?',
            "Of the sports teams that Ana Roy played for, which did Bo Lind play for?",
        ),
    ],
)
def test_a_question_without_a_temporal_constraint_is_still_asked(template: str, question: str) -> None:
    request = RewriteRequest(template_question=template, support_facts=(), answer="Cy Moe")
    assert rewrite(request).question == question
