"""What the metrics make of other scripts, short texts, line breaks, wrong types and empty questions."""

from __future__ import annotations

import unicodedata
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics.bleu import bleu_counts, corpus_bleu
from evaluation.metrics.caption_rouge import caption_rouge
from evaluation.metrics.rouge import rouge
from evaluation.metrics.rouge_unicode import unicode_rouge
from evaluation.metrics.scores import METRICS, SIGNATURES, ItemScores, measure, score_pair
from evaluation.metrics.sentence_bleu import sentence_bleu
from evaluation.metrics.tokens import word_tokens
from evaluation.pages.tables import rounded

ASKED = "Which club did Ana Silva join after 2004?"


def values(items: ItemScores) -> list[float | None]:
    scores = items.corpus()
    return [getattr(scores, name) for name in METRICS]


@pytest.mark.parametrize("text", ["谁是市长", "кто был мэром", "Who led Łódź?", "誰が 市長 でした か", "من كان العمدة", "कौन महापौर था"])
def test_identical_text_scores_one_in_every_script(text: str) -> None:
    scores = unicode_rouge(text, text)
    assert scores.rougeL == (1, 1, 1)
    assert caption_rouge(text, text) == pytest.approx(1)
    assert scores.rouge2 == ((1, 1, 1) if len(word_tokens(text)) > 1 else (0, 0, 0))


@pytest.mark.parametrize("text", ["谁是市长", "кто был мэром"])
def test_the_plain_setting_cannot_see_other_scripts(text: str) -> None:
    assert rouge(text, text).rougeL == (0, 0, 0)
    assert score_pair(text, text).rougeL_f1 == 0
    assert score_pair(text, text).unicode_rougeL_f1 == 1


def test_two_cities_are_two_tokens() -> None:
    plain, unicode = rouge("Who led Gdańsk?", "Who led Łódź?"), unicode_rouge("Who led Gdańsk?", "Who led Łódź?")
    assert [rounded(score, 2) for score in (plain.rouge2.f1, plain.rougeL.f1)] == ["0.40", "0.57"]
    assert word_tokens("Who led Łódź?") == ("who", "led", "łódź", "?")
    assert (unicode.rouge2.f1, unicode.rougeL.f1) == pytest.approx((1 / 3, 3 / 4))
    sao = unicode_rouge("Who led Sao Paulo?", "Who led São Paulo?")
    assert (sao.rouge2.f1, sao.rougeL.f1) == pytest.approx((2 / 4, 4 / 5))


@given(st.text(max_size=30))
def test_a_letter_is_the_same_however_it_was_typed(text: str) -> None:
    composed, decomposed = unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text)
    assert word_tokens(composed) == word_tokens(decomposed) == word_tokens(text)


def test_corpus_bleu_of_three_identical_words_is_exactly_zero() -> None:
    assert corpus_bleu(bleu_counts("who led it", "who led it")) == 0.0
    assert sentence_bleu("who led it", "who led it") == pytest.approx(0.1**0.25)


def test_a_corpus_is_not_the_mean_of_its_questions() -> None:
    pairs = [(ASKED, ASKED), ("Who led it?", "Who led the club?")]
    scores = ItemScores.of(pairs).corpus()
    assert scores.bleu4 != pytest.approx(scores.sentence_bleu4_m1, abs=0.05)


def test_a_hand_computed_case() -> None:
    # Of 5, 4, 3 and 2 n-grams, "led the old" and both fours are not in the reference; the second question adds 4, 3, 2 and 1 of each.
    split = bleu_counts("who led the old club", "who led the club of the old club")
    assert split.tolist() == [5, 4, 2, 0, 5, 4, 3, 2, 5, 8]
    total = split + bleu_counts("when was it ?", "when was it ?")
    assert total.tolist() == [9, 7, 4, 1, 9, 7, 5, 3, 9, 12]
    expected = (4 / 5 * 1 / 3) ** 0.25 * np.exp(1 - 12 / 9)
    assert corpus_bleu(total) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\u2028", "\u0085", "\v", "\t"])
def test_a_line_break_is_a_blank(line_break: str) -> None:
    broken = ASKED.replace(" ", line_break, 3)
    assert values(ItemScores.of([(broken, ASKED)])) == pytest.approx([1.0] * len(METRICS))
    other = "Who joined\nthe club?"
    assert values(ItemScores.of([(other, ASKED)])) == values(ItemScores.of([(other.replace("\n", line_break), ASKED)]))


@pytest.mark.parametrize("function", [bleu_counts, sentence_bleu, rouge, unicode_rouge, caption_rouge, score_pair])
@pytest.mark.parametrize("wrong", [["who", "led", "it"], b"who led it", None, 7, ("who",)])
def test_only_text_is_scored(function: Any, wrong: object) -> None:
    with pytest.raises(TypeError, match=f"the hypothesis must be a string, not {type(wrong).__name__}"):
        function(wrong, ASKED)
    with pytest.raises(TypeError, match=f"the reference must be a string, not {type(wrong).__name__}"):
        function(ASKED, wrong)


@pytest.mark.parametrize("nothing", ["", " ", "\n \t", "\u3000"])
def test_an_empty_question_scores_zero_and_is_counted(nothing: str) -> None:
    assert set(values(ItemScores.of([(nothing, ASKED)]))) == {0.0}
    alone, both = ItemScores.of([(ASKED, ASKED)]).corpus(), ItemScores.of([(ASKED, ASKED), (nothing, ASKED)]).corpus()
    assert (alone.n, both.n) == (1, 2)
    assert (alone.rougeL_f1, both.rougeL_f1) == (1.0, 0.5)
    assert both.bleu4 == pytest.approx(np.exp(1 - 18 / 9))


def test_no_questions_have_no_scores() -> None:
    nothing = ItemScores.of([])
    assert (len(nothing), nothing.corpus().n, set(values(nothing))) == (0, 0, {None})
    assert nothing.select([]).corpus() == nothing.corpus()
    assert ItemScores.of([(ASKED, ASKED)]).select([]).corpus() == nothing.corpus()


def test_rows_are_chosen_by_index_or_mask() -> None:
    items = ItemScores.of([(ASKED, ASKED), ("Who?", ASKED), ("", ASKED)])
    assert items.select([2, 0]).corpus() == items.select(np.array([True, False, True])).corpus()
    assert items.select([1]).corpus() == ItemScores.of([("Who?", ASKED)]).corpus()


def test_measures_read_many_sums_at_once() -> None:
    items = ItemScores.of([(ASKED, ASKED), ("Which club did she join after 2004?", ASKED), ("", ASKED)])
    weights = np.array([[1, 1, 1], [2, 1, 0]])
    sums = weights @ items.statistics()
    repeated = [items.corpus(), items.select([0, 0, 1]).corpus()]
    for name in METRICS:
        assert measure(name, sums) == pytest.approx([getattr(scores, name) for scores in repeated], abs=1e-12)


def test_every_number_says_how_it_was_made() -> None:
    signatures = ItemScores.of([(ASKED, ASKED)]).corpus().signatures
    assert tuple(signatures) == METRICS
    assert set(SIGNATURES) == set(METRICS)
    assert len(set(signatures.values())) == len(METRICS)
    for name, signature in signatures.items():
        keys = [part.partition(":")[0] for part in signature.split("|")]
        assert keys == [name, "avg", "order", "smoothing", "case", "tokens", "stemming", "references", "lib", "n", "chronoqg"]
        assert "|n:1|" in signature
    assert signatures["bleu4"].startswith("bleu4|avg:corpus|order:1-4|smoothing:none|case:lower|tokens:nfc,")
    assert "tokens:[a-z0-9]+|stemming:none|references:single|lib:own=rouge_score-0." in signatures["rougeL_f1"]
    assert signatures["unicode_rougeL_f1"].partition("|")[2] != signatures["rougeL_f1"].partition("|")[2]
