"""BLEU as NLTK and sacrebleu have it, ROUGE as rouge-score has it, on random texts."""

from __future__ import annotations

import math
import random

import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.translate.bleu_score import SmoothingFunction
from nltk.translate.bleu_score import corpus_bleu as nltk_bleu
from nltk.translate.bleu_score import sentence_bleu as nltk_sentence_bleu
from rouge_score.rouge_scorer import RougeScorer

from evaluation.metrics.caption_rouge import caption_rouge
from evaluation.metrics.overlap import rouge_of_tokens
from evaluation.metrics.rouge import rouge
from evaluation.metrics.rouge_unicode import unicode_rouge
from evaluation.metrics.scores import METRICS, ItemScores
from evaluation.metrics.sentence_bleu import sentence_bleu
from evaluation.metrics.tokens import word_tokens

WORDS = ("who", "led", "the", "club", "after", "łódź", "市", "?", "'", "2004")
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=14).map(" ".join)
long_texts = st.lists(st.sampled_from(WORDS), min_size=4, max_size=14).map(" ".join)
"""NLTK counts one n-gram where a text is too short to have any, also in a corpus; no other program does."""
blank_or_any = st.one_of(st.just(" "), texts, st.text(max_size=20))


def spaced(text: str) -> str:
    return " ".join(word_tokens(text))


@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=6))
@settings(max_examples=50)
def test_corpus_bleu_is_sacrebleus(pairs: list[tuple[str, str]]) -> None:
    theirs = sacrebleu.corpus_bleu(
        [spaced(hypothesis) for hypothesis, _ in pairs],
        [[spaced(reference) for _, reference in pairs]],
        tokenize="none",
        smooth_method="none",
        force=True,
    )
    assert ItemScores.of(pairs).corpus().bleu4 == pytest.approx(theirs.score / 100, abs=1e-6)


@given(st.lists(st.tuples(long_texts, texts), min_size=1, max_size=6))
@settings(max_examples=50)
@pytest.mark.filterwarnings(r"ignore:\s*The hypothesis contains")
def test_corpus_bleu_is_nltks(pairs: list[tuple[str, str]]) -> None:
    theirs = nltk_bleu(
        [[list(word_tokens(reference))] for _, reference in pairs], [list(word_tokens(hypothesis)) for hypothesis, _ in pairs]
    )
    assert ItemScores.of(pairs).corpus().bleu4 == pytest.approx(theirs, abs=1e-6)


@given(blank_or_any, texts)
def test_smoothed_sentence_bleu_is_nltks(hypothesis: str, reference: str) -> None:
    theirs = nltk_sentence_bleu(
        [list(word_tokens(reference))], list(word_tokens(hypothesis)), smoothing_function=SmoothingFunction().method1
    )
    assert sentence_bleu(hypothesis, reference) == pytest.approx(theirs, abs=1e-9)


class WordTokenizer:
    def tokenize(self, text: str) -> tuple[str, ...]:
        return word_tokens(text)


@given(blank_or_any, blank_or_any)
def test_rouge_is_the_packages_own(hypothesis: str, reference: str) -> None:
    theirs = RougeScorer(["rouge2", "rougeL"], use_stemmer=False).score(reference, hypothesis)
    assert rouge(hypothesis, reference) == (tuple(theirs["rouge2"]), tuple(theirs["rougeL"]))


@given(blank_or_any, blank_or_any)
def test_unicode_rouge_is_the_packages_with_other_tokens(hypothesis: str, reference: str) -> None:
    theirs = RougeScorer(["rouge2", "rougeL"], tokenizer=WordTokenizer()).score(reference, hypothesis)
    assert unicode_rouge(hypothesis, reference) == (tuple(theirs["rouge2"]), tuple(theirs["rougeL"]))


@given(st.lists(st.sampled_from("abc"), max_size=150), st.lists(st.sampled_from("abc"), max_size=150))
@settings(max_examples=50)
def test_long_texts_have_the_packages_scores_too(hypothesis: list[str], reference: list[str]) -> None:
    theirs = RougeScorer(["rouge2", "rougeL"], use_stemmer=False).score(" ".join(reference), " ".join(hypothesis))
    assert rouge_of_tokens(hypothesis, reference) == (tuple(theirs["rouge2"]), tuple(theirs["rougeL"]))


@given(blank_or_any, texts)
def test_caption_rouge_lies_between_precision_and_recall_and_favours_recall(hypothesis: str, reference: str) -> None:
    overlap, score = unicode_rouge(hypothesis, reference).rougeL, caption_rouge(hypothesis, reference)
    low, high = sorted(overlap[:2])
    assert low - 1e-12 <= score <= high + 1e-12
    if overlap.recall > overlap.precision:
        assert score > overlap.f1
    elif overlap.recall < overlap.precision:
        assert score < overlap.f1


@given(st.lists(st.tuples(blank_or_any, texts), min_size=1, max_size=8), st.randoms())
@settings(max_examples=50)
def test_the_order_of_questions_does_not_matter_and_no_score_leaves_its_scale(pairs: list[tuple[str, str]], rng: random.Random) -> None:
    items = ItemScores.of(pairs)
    order = list(range(len(pairs)))
    rng.shuffle(order)
    scores = items.corpus()
    assert items.select(order).corpus() == scores
    assert all(0 <= getattr(scores, name) <= 1 for name in METRICS)


@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=6))
@settings(max_examples=30)
def test_means_are_means(pairs: list[tuple[str, str]]) -> None:
    scores = ItemScores.of(pairs).corpus()
    assert scores.rouge2_f1 == pytest.approx(math.fsum(rouge(*pair).rouge2.f1 for pair in pairs) / len(pairs), abs=1e-12)
    assert scores.caption_rougeL == pytest.approx(math.fsum(caption_rouge(*pair) for pair in pairs) / len(pairs), abs=1e-12)
