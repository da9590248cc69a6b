"""Eleven worked pairs: every metric, to the digit, as other people's programs compute it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from evaluation.metrics.bleu import bleu_counts, corpus_bleu
from evaluation.metrics.caption_rouge import caption_rouge
from evaluation.metrics.rouge import rouge
from evaluation.metrics.rouge_unicode import unicode_rouge
from evaluation.metrics.scores import METRICS, ItemScores, score_pair
from evaluation.metrics.sentence_bleu import sentence_bleu
from evaluation.pages.tables import rounded

CHAIRED = "Who chaired the harbour board after Lena Voss but before Omar Haddad?"
WON = "Who won the river prize in the same year as Ida Holm"


class Pin(NamedTuple):
    """A pair and what it scores; numbers to six decimals, halves up."""

    hypothesis: str
    reference: str
    tokens: tuple[int, int]
    bleu: str
    sentence: str
    rouge2: tuple[str, str, str]
    rougeL: tuple[str, str, str]
    unicode: tuple[str, str]
    caption: str


ONE, NIL = "1.000000", "0.000000"
PINS = (
    Pin(
        "Which club did Ana Silva join after 2004?",
        "Which club did Ana Silva join after 2004?",
        (9, 9), ONE, ONE, (ONE, ONE, ONE), (ONE, ONE, ONE), (ONE, ONE), ONE,
    ),
    Pin(
        "Which club did Ana Silva join before 2004?",
        "Which club did Ana Silva join after 2004?",
        (9, 9), "0.660633", "0.660633", ("0.714286",) * 3, ("0.875000",) * 3, ("0.750000", "0.888889"), "0.888889",
    ),
    Pin(
        "Who led Norway's Labour Party?",
        "Who led Norway's Labour Party while Oslo hosted the winter congress?",
        (8, 14), "0.410695", "0.410695",
        (ONE, "0.454545", "0.625000"), (ONE, "0.500000", "0.666667"), ("0.600000", "0.727273"), "0.693182",
    ),
    Pin(
        "Who chaired the harbour board after Lena Voss?",
        CHAIRED,
        (9, 13), "0.570099", "0.570099",
        (ONE, "0.636364", "0.777778"), (ONE, "0.666667", "0.800000"), ("0.700000", "0.818182"), "0.792208",
    ),
    Pin(
        "Who chaired the harbour board after Lena Voss and Omar Haddad?",
        CHAIRED,
        (12, 13), "0.676130", "0.676130",
        ("0.800000", "0.727273", "0.761905"), ("0.909091", "0.833333", "0.869565"), ("0.782609", "0.880000"), "0.873698",
    ),
    Pin(
        f"{WON} but not in the same year as Juan Prado?",
        f"{WON}?",
        (22, 13), "0.520341", "0.520341",
        ("0.550000", ONE, "0.709677"), ("0.571429", ONE, "0.727273"), ("0.666667", "0.742857"), "0.778978",
    ),
    Pin(
        "the the the the the the the",
        "the cat is on the mat",
        (7, 6), NIL, "0.039281", (NIL, NIL, NIL), ("0.285714", "0.333333", "0.307692"), (NIL, "0.307692"), "0.312020",
    ),
    Pin(
        "Who studied at Bergen while also enrolled at Lund?",
        "Which person was educated at Bergen during a period that overlapped the Lund period?",
        (10, 15), NIL, "0.032193",
        ("0.125000", "0.076923", "0.095238"), ("0.333333", "0.214286", "0.260870"), ("0.086957", "0.320000"), "0.308861",
    ),
    Pin(
        "Who succeeded Kwame Boateng?",
        "Which minister took the office right after Kwame Boateng stepped down?",
        (5, 12), NIL, "0.031008",
        ("0.333333", "0.100000", "0.153846"), ("0.500000", "0.181818", "0.266667"), ("0.133333", "0.352941"), "0.328546",
    ),
    Pin(
        "totally unrelated words here now",
        "which person held that office ?",
        (5, 6), NIL, NIL, (NIL, NIL, NIL), (NIL, NIL, NIL), (NIL, NIL), NIL,
    ),
    Pin(
        "Who preceded Zoë Müller?",
        "Who succeeded Zoë Müller?",
        (5, 5), NIL, "0.285744", ("0.500000",) * 3, ("0.800000",) * 3, ("0.500000", "0.800000"), "0.800000",
    ),
)  # fmt: skip


def six(*values: float | None) -> tuple[str, ...]:
    return tuple(rounded(value, 6) for value in values)


@pytest.mark.parametrize("pin", PINS, ids=range(1, 12))
def test_a_pair_scores_what_other_programs_give_it(pin: Pin) -> None:
    hypothesis, reference = pin.hypothesis, pin.reference
    counts = bleu_counts(hypothesis, reference)
    plain, unicode = rouge(hypothesis, reference), unicode_rouge(hypothesis, reference)
    assert tuple(counts[-2:]) == pin.tokens
    assert six(corpus_bleu(counts), sentence_bleu(hypothesis, reference)) == (pin.bleu, pin.sentence)
    assert (six(*plain.rouge2), six(*plain.rougeL)) == (pin.rouge2, pin.rougeL)
    assert six(unicode.rouge2.f1, unicode.rougeL.f1) == pin.unicode
    assert six(caption_rouge(hypothesis, reference)) == (pin.caption,)
    together = score_pair(hypothesis, reference)
    assert six(*together[1:]) == (
        pin.sentence, pin.rouge2[2], pin.rougeL[2], pin.rouge2[1], pin.rougeL[1], *pin.unicode, pin.caption,
    )  # fmt: skip
    assert np.array_equal(together.bleu_counts, counts)


def test_the_pairs_as_one_corpus() -> None:
    items = ItemScores.of((pin.hypothesis, pin.reference) for pin in PINS)
    assert items.counts.sum(axis=0).tolist() == [71, 51, 40, 32, 101, 90, 79, 68, 101, 115]
    scores = items.corpus()
    assert scores.n == 11
    assert {name: rounded(getattr(scores, name), 6) for name in METRICS} == {
        "bleu4": "0.483209",
        "rouge2_f1": "0.485248",
        "rougeL_f1": "0.597612",
        "sentence_bleu4_m1": "0.384193",
        "rouge2_recall": "0.473581",
        "rougeL_recall": "0.582222",
        "unicode_rouge2_f1": "0.474506",
        "unicode_rougeL_f1": "0.621621",
        "caption_rougeL": "0.616035",
    }


def test_a_missing_question_mark_moves_bleu() -> None:
    hypothesis, reference = PINS[1].hypothesis.rstrip("?"), PINS[1].reference.rstrip("?")
    assert six(corpus_bleu(bleu_counts(hypothesis, reference))) == ("0.707107",)


def test_case_does_not_matter() -> None:
    assert score_pair("WHICH club did Ana Silva join after 2004?", PINS[0].reference)[1:] == (1.0,) * 8


def test_nothing_is_stemmed() -> None:
    plain = rouge("who coached the players", "who coaches the player")
    assert six(plain.rouge2.f1, plain.rougeL.f1) == ("0.000000", "0.500000")


def test_accents_cut_words_only_in_the_plain_setting() -> None:
    pair = ("Who preceded Éva Nagy?", "Who preceded Iva Nagy?")
    plain, unicode = rouge(*pair), unicode_rouge(*pair)
    assert six(plain.rouge2.f1, plain.rougeL.f1) == ("0.333333", "0.750000")
    assert six(unicode.rouge2.f1, unicode.rougeL.f1) == ("0.500000", "0.800000")


def test_a_bigram_counts_as_often_as_it_occurs() -> None:
    assert six(rouge(PINS[5].hypothesis, PINS[5].reference).rouge2.f1) == ("0.709677",)
