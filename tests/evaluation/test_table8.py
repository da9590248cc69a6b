"""Table 8: length reduction and entity preservation, pinned to worked examples and to the paper's printed figures."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.entity_preservation import NamedPair, entity_names, entity_preservation, is_mentioned
from evaluation.length_reduction import Pair, length_reduction
from evaluation.pages.tables import rounded
from tests.sample_record import make_record

COACH = Pair(
    'Which entity has the relation "coach of" to Harbour FC where the "coach of" (to Harbour FC) period ended before the'
    ' "coach of" (to Lagoon United) period began?',
    "Who coached Harbour FC before moving on to Lagoon United?",
)
GROUP = Pair(
    'Which entity is linked from Ana Silva by the relation "member of" where the candidate period is ranked 2nd by start time?',
    "What was the second group that Ana joined?",
)
ENTITIES = (("Harbour FC",), ("Lagoon United",), ("Ana Silva",))


def test_length_reduction_of_the_worked_examples() -> None:
    one, other, both = length_reduction([COACH]), length_reduction([GROUP]), length_reduction([COACH, GROUP])
    assert (one.raw_words, one.final_words, other.raw_words, other.final_words) == (28, 10, 22, 8)
    assert [rounded(figure, 4) for figure in (one.mean, other.mean, both.mean, both.pooled)] == ["64.2857", "63.6364", "63.9610", "64.0000"]
    assert both.mean_signature.startswith("length_reduction|avg:question-mean|words:blank-separated|n:2|excl:0|chronoqg:")
    assert both.mean_signature != both.pooled_signature


def test_preservation_of_the_worked_examples() -> None:
    both = entity_preservation([NamedPair(*COACH, ENTITIES), NamedPair(*GROUP, ENTITIES)])
    assert (both.retained, both.mentioned, both.questions, both.excluded) == (2, 3, 2, 0)
    assert (rounded(both.micro), rounded(both.macro)) == ("66.7", "50.0")
    assert both.micro_signature.startswith("entity_preservation|avg:micro|names:labels|match:token-boundaries|n:2|excl:0|chronoqg:")


def test_the_papers_averages_are_halves_up() -> None:
    reductions, preserved = ["49.8", "62.1", "52.6", "63.1"], ["98.0", "94.4", "94.1", "92.1"]
    assert rounded(sum(map(Fraction, reductions)) / 4) == "56.9"
    assert rounded(sum(map(Fraction, preserved)) / 4, 2) == "94.65"
    assert rounded(sum(map(Fraction, preserved)) / 4) == "94.7"


def test_nothing_to_count_is_no_number() -> None:
    nothing = length_reduction([Pair("  ", "Who?")])
    assert (nothing.mean, nothing.pooled, nothing.questions, nothing.excluded) == (None, None, 0, 1)
    unnamed = entity_preservation([NamedPair("Who?", "Who?", ENTITIES)])
    assert (unnamed.micro, unnamed.macro, unnamed.questions, unnamed.excluded) == (None, None, 0, 1)
    assert entity_preservation([]).micro is None


def test_a_question_that_grew_counts_as_negative() -> None:
    assert length_reduction([Pair("a b", "a b c")]).mean == -50


@pytest.mark.parametrize(
    ("names", "question", "expected"),
    [
        (["Niger"], "Who ruled Nigeria?", False),
        (["Niger"], "Who ruled Niger's north?", True),
        (["João Pessoa"], "Who led joao  pessoa?", True),
        (["Ana Silva"], "Who followed Ana?", False),
        (["Ana Silva", "A. Silva"], "Who followed A. Silva?", True),
        (["C"], "Who wrote C++?", False),
        (["?!"], "Who sang ?!", True),
        ([""], "Who?", False),
        ([], "Who?", False),
    ],
)
def test_a_mention_stands_at_token_boundaries(names: list[str], question: str, expected: bool) -> None:
    assert is_mentioned(names, question) is expected


PAIRS = st.lists(st.tuples(st.text("ab ", max_size=12), st.text("ab ", max_size=12)), max_size=8)


@given(PAIRS, st.data())
def test_order_does_not_matter(pairs: list[tuple[str, str]], data: st.DataObject) -> None:
    turned = data.draw(st.permutations(pairs))
    names = (("a",), ("b",), ("aa bb",))
    assert length_reduction(Pair(*pair) for pair in pairs) == length_reduction(Pair(*pair) for pair in turned)
    assert entity_preservation(NamedPair(*pair, names) for pair in pairs) == entity_preservation(NamedPair(*pair, names) for pair in turned)


@given(PAIRS)
def test_an_unchanged_question_keeps_all_and_saves_nothing(pairs: list[tuple[str, str]]) -> None:
    same = [(raw, raw) for raw, _ in pairs]
    assert length_reduction(Pair(*pair) for pair in same).mean in (0, None)
    assert entity_preservation(NamedPair(*pair, (("a",), ("b",))) for pair in same).micro in (100, None)


def test_a_record_knows_aliases_of_its_answer_only() -> None:
    record = make_record()
    names = entity_names(record)
    assert (record.answer, *record.answer_aliases) in names
    assert all(len(own) == 1 for own in names if own[0] != record.answer)
