"""What a question states otherwise than its trace, one label at a time, and on questions damaged by machine."""

from __future__ import annotations

from collections import Counter

from evaluation.damage.trace_damage import FILTER, damages, random_stream
from evaluation.generators.failures import (
    Failure,
    count_failures,
    failure,
    offline_reader,
    pooled,
    reader_of,
)
from evaluation.generators.scoring import score_rows
from graph_sampler.templates import Verbaliser
from state.fact import TemporalFact
from state.instance import BenchmarkRecord
from state.interval import parse_iso
from state.roles import FactDescription, ReadingReply, StatedConstraint
from state.study import DamageKind
from state.trace import PairwiseStep, RootStep, Trace
from state.vocabulary import Difference, Family, OperatorWord, Template
from tests.planted_evaluation import of_records, row
from tests.sample_record import make_record

HARBOUR = "Who chaired the harbour board after Lena Voss but before Omar Haddad?"
PRIZE = "Who won the river prize in the same year as Ida Holm?"


def harbour() -> BenchmarkRecord:
    """Who chaired the board between two others."""
    record = make_record(labels={"Q1": "harbour board", "P39": "chaired", "Q12": "Lena Voss", "Q14": "Omar Haddad"})
    return record.model_copy(update={"final_question": HARBOUR})


def prize() -> BenchmarkRecord:
    """Who won the prize in the year in which somebody else did."""
    labels = {"Q1": "river prize", "P39": "won", "Q11": "Ida Holm", "Q12": "Bo Lind", "Q13": "Juan Prado", "Q14": "Eva Dunn"}
    winners = ((11, "1990"), (12, "1990"), (13, "1995"), (14, "2000"))
    facts = tuple(TemporalFact(subject=f"Q{number}", relation="P39", object="Q1", start=year, end=year) for number, year in winners)
    trace = Trace(
        template=Template.ONE_HOP,
        answer_variable="?a",
        steps=(
            RootStep(fact="f1", pattern=("?a", "P39", "Q1"), candidates=4),
            PairwiseStep(constraint="c1", operator="P-equals-P", left="f1", right="g1", candidates=1),
        ),
        references={"g1": facts[0]},
    )
    update = {
        "trace": trace, "labels": labels, "answer": "Bo Lind", "answer_id": "Q12", "answer_aliases": (), "final_question": PRIZE,
        "temporal_constraint_count": 1, "temporal_constraints": ("P-equals-P: ...",), "families": (Family.P_P,),
        "operators": ("P-equals-P",), "support_facts": (facts[1], facts[0]), "evidence": facts,
    }  # fmt: skip
    return make_record().model_copy(update=update)


def offline(record: BenchmarkRecord, question: str) -> Failure | None:
    of = of_records("d", [record])
    asked = row(of, [question])
    return failure(asked, record, offline_reader([asked], seed=0))


def labels(record: BenchmarkRecord, question: str) -> tuple[str, ...]:
    found = offline(record, question)
    assert found is not None
    return found.labels


def test_a_question_that_states_just_its_constraints_is_clean() -> None:
    assert labels(harbour(), HARBOUR) == labels(prize(), PRIZE) == ("clean",)


def test_a_constraint_left_out_is_missing() -> None:
    assert labels(harbour(), "Who chaired the harbour board after Lena Voss?") == ("missing",)


def test_a_constraint_stated_with_another_operator_is_wrong() -> None:
    found = offline(harbour(), "Who chaired the harbour board after Lena Voss and Omar Haddad?")
    assert found is not None
    assert found.differences <= {Difference.WRONG, Difference.REVERSED}
    counts = count_failures([found])
    assert counts is not None
    assert (counts.wrong, counts.reversed, counts.missing, counts.unnecessary, counts.clean) == (1, 1, 0, 0, 0)


def test_a_condition_that_the_trace_does_not_have_is_unnecessary_even_if_it_changes_no_answer() -> None:
    assert labels(prize(), "Who won the river prize in the same year as Ida Holm and before Juan Prado?") == ("unnecessary",)
    # The rules cannot make out a negation; a model that lists it brings the condition.
    denied = "Who won the river prize in the same year as Ida Holm but not in the same year as Juan Prado?"
    assert labels(prize(), denied) == ("could not be read",)
    winner, ida, juan = (FactDescription(relation="won", subject=name, object="river prize") for name in (None, "Ida Holm", "Juan Prado"))
    stated = tuple(StatedConstraint(operator=OperatorWord.EQUALS, left=winner, right=other, rank=None, order=None) for other in (ida, juan))
    record = prize()
    asked = row(of_records("d", [record]), [denied])
    reply = ReadingReply(constraints=stated, cannot_tell=False)
    found = failure(asked, record, reader_of("gpt-test", {(asked.key, record.id): reply}))
    assert found is not None
    assert found.labels == ("unnecessary",)


def test_empty_and_unread_questions_are_counted_and_are_neither_clean_nor_wrong() -> None:
    record = harbour()
    of = of_records("d", [record])
    asked, blank = row(of, [HARBOUR]), row(of, [" "], "cot")
    none = reader_of("gpt-test", {(asked.key, record.id): ReadingReply(constraints=(), cannot_tell=True)})
    assert failure(blank, record, none) is None
    counts = count_failures([offline(record, " "), failure(asked, record, none), None, offline(record, HARBOUR)])
    assert counts is not None
    assert (counts.asked, counts.read, counts.unread, counts.clean, counts.missing, counts.wrong) == (3, 1, 2, 1, 0, 0)
    assert count_failures([None]) is None
    both = pooled([counts, None, counts])
    assert both is not None
    assert (both.asked, both.clean) == (6, 2)
    assert pooled([None]) is None


def test_the_offline_reader_reads_the_same_records_of_every_row_and_no_more_than_told() -> None:
    records = [harbour().model_copy(update={"id": f"d-{number}"}) for number in range(12)]
    of = of_records("d", records)
    rows = [row(of, [HARBOUR] * 12), row(of, ["Who chaired the harbour board after Lena Voss?"] * 12, "cot")]
    made = score_rows([of], rows, seed=1, resamples=100, reader=offline_reader(rows, seed=1, most=5))
    first, second = ([found is not None for found in one.failures] for one in made.measured)
    assert first == second
    assert sum(first) == 5
    told, missed = (figures.failures for figures in made.summary.rows)
    assert told is not None
    assert missed is not None
    assert (told.asked, told.clean, missed.missing) == (5, 5, 5)
    assert [note for note in made.summary.notes if "5 of its 12" in note]
    assert score_rows([of], rows, seed=1, resamples=100, reader=None).summary.rows[0].failures is None


_SHOWN = {
    DamageKind.DROPPED: {("missing",)},
    DamageKind.REVERSED: {("reversed",), ("clean",)},
    DamageKind.REPLACED: {("wrong",)},
    DamageKind.REBOUND: {("wrong",), ("clean",)},
    DamageKind.SWAPPED: {("wrong",)},
    DamageKind.ADDED: {("unnecessary",)},
    DamageKind.UNNECESSARY: {("unnecessary",)},
}
"""Damage to a template question -> its labels; no words tell two facts of one walk apart whose ends are both open."""


def test_damage_to_questions_of_the_shipped_sample_is_named(years_records: list[BenchmarkRecord], years_points: frozenset[str]) -> None:
    seen: dict[DamageKind, Counter[tuple[str, ...]]] = {}
    for record in years_records[:16]:
        words = Verbaliser(record.labels, years_points, parse_iso(record.evidence[0].start)[1])
        assert labels(record, record.raw_question) == ("clean",)
        for damage in damages(record, years_points, random_stream(0, record.id)):
            if damage.operator != FILTER:
                seen.setdefault(damage.kind, Counter())[labels(record, words.question(damage.trace))] += 1
    assert seen.keys() == _SHOWN.keys()
    for kind, counts in seen.items():
        assert counts.keys() <= _SHOWN[kind], kind
        assert counts["clean",] <= counts.total() / 2, kind
