"""The figures of a report, pinned to worked examples and to their definitions."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics.sentence_bleu import sentence_bleu
from evaluation.pages.tables import rounded
from evaluation.run_report.instances import NOT_FINISHED, ReportedInstance
from evaluation.run_report.tally import Tally, bin_edges
from runs.comparing import ACCEPTED
from state.instance import BenchmarkRecord
from state.trace import OrdinalStep, PairwiseStep
from state.vocabulary import ConstraintCount
from tests.sample_record import make_record

COACH = (
    'Which entity has the relation "coach of" to Harbour FC where the "coach of" (to Harbour FC) period ended before the'
    ' "coach of" (to Lagoon United) period began?',
    "Who coached Harbour FC before moving on to Lagoon United?",
)
GROUP = (
    'Which entity is linked from Ana Silva by the relation "member of" where the candidate period is ranked 2nd by start time?',
    "What was the second group that Ana joined?",
)
NAMES = {"Q11": "Harbour FC", "Q12": "Lagoon United", "Q14": "Ana Silva"}


def accepted(number: int, raw: str, final: str) -> ReportedInstance:
    return ReportedInstance(make_record(number=number, labels=NAMES, raw_question=raw), ACCEPTED, final, "", ())


def test_table_8_of_the_worked_examples() -> None:
    tally = Tally("accepted")
    tally.add(accepted(1, *COACH))
    tally.add(accepted(2, *GROUP))
    tally.add(ReportedInstance(make_record(number=3), "failed", None, "", ()))
    of_part, of_both = tally.rewording()
    assert (of_part.part, of_both.part) == (ConstraintCount.MULTI, None)
    for row in (of_part, of_both):
        assert (rounded(row.length.mean, 4), rounded(row.length.pooled, 4)) == ("63.9610", "64.0000")
        assert (row.preservation.retained, row.preservation.mentioned, rounded(row.preservation.micro)) == (2, 3, "66.7")
        assert row.bleu == 0
        assert "|n:2|" in row.bleu_signature


def test_bleu_takes_the_final_question_for_the_hypothesis() -> None:
    """A short final question pays the brevity penalty, the other way round it would not."""
    raw, final = "Who chaired the harbour board after Lena Voss but before Omar Haddad?", "Who chaired the harbour board after Lena Voss?"
    tally = Tally("accepted")
    tally.add(accepted(1, raw, final))
    assert rounded(tally.rewording()[0].bleu, 6) == "0.570099"
    assert rounded(sentence_bleu(COACH[1], COACH[0]), 6) == "0.010009"


@given(st.dictionaries(st.integers(0, 120), st.integers(1, 400), min_size=1, max_size=30))
def test_bins_hold_all_but_the_longest_half_percent(counts: dict[int, int]) -> None:
    lengths = Counter(counts)
    edges = bin_edges(lengths)
    assert list(edges) == list(range(0, edges[-1] + 1, 2))
    beyond = sum(count for length, count in lengths.items() if length >= edges[-1])
    assert beyond <= 0.005 * lengths.total()
    shorter = sum(count for length, count in lengths.items() if length < edges[-2])
    assert shorter < 0.995 * lengths.total()


def test_figure_4_counts_every_question_once(years_records: list[BenchmarkRecord]) -> None:
    tally = Tally("sampled")
    for record in years_records[:300]:
        tally.add(ReportedInstance(record, NOT_FINISHED, None, "", ()))
    for counts in tally.words():
        words = [len(record.raw_question.split()) for record in years_records[:300] if record.constraint_part is counts.part]
        ends = (*counts.edges[1:], 10**9)
        expected = [sum(start <= count < end for count in words) for start, end in zip(counts.edges, ends, strict=True)]
        assert list(counts.raw.bins) == expected
        assert (counts.raw.words, counts.raw.questions) == (sum(words), len(words))
        assert (counts.final.questions, counts.final.mean) == (0, None)


def test_candidates_by_step_are_those_of_the_traces(years_records: list[BenchmarkRecord]) -> None:
    tally = Tally("sampled")
    for record in years_records[:300]:
        tally.add(ReportedInstance(record, NOT_FINISHED, None, "", ()))
    for row in tally.steps():
        sizes = [
            step.candidates
            for record in years_records[:300]
            for step in record.trace.steps
            if record.constraint_part is row.part
            and row.kind == ("pairwise" if isinstance(step, PairwiseStep) else "ordinal" if isinstance(step, OrdinalStep) else step.action)
        ]
        assert (row.steps, row.candidates) == (len(sizes), sum(sizes))
    assert {row.kind for row in tally.steps() if row.steps} == {"root", "structural_filter", "forward_transition", "pairwise", "ordinal"}


def test_outcomes_by_operator_count_an_instance_once_for_each_operator() -> None:
    record = make_record()
    twice = record.model_copy(update={"operators": (record.operators[0], record.operators[0])})
    tally = Tally("accepted")
    tally.add(ReportedInstance(record, ACCEPTED, "Who?", "", ()))
    tally.add(ReportedInstance(twice, "failed", None, "", ()))
    assert {group.name: group.fates for group in tally.by_operator()} == {
        record.operators[0]: {ACCEPTED: 1, "failed": 1},
        record.operators[1]: {ACCEPTED: 1},
    }
