"""Question files in the published TimelineKGQA layout: each planted defect is found, and a sound file is clean."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.audit.reading import AuditError
from evaluation.audit.timelinekgqa.answers import expected_answer
from evaluation.audit.timelinekgqa.auditor import audit_timeline
from evaluation.audit.timelinekgqa.defects import MEANING, REMARKS, TimelineDefectKind
from evaluation.audit.timelinekgqa.facts import stated_facts
from evaluation.audit.timelinekgqa.items import is_timeline_file
from evaluation.audit.timelinekgqa.records import read_timeline_case
from evaluation.audit.timelinekgqa.relations import SIGNS, relate, word_for
from evaluation.audit.timelinekgqa.report import TimelineAuditReport
from evaluation.audit.timelinekgqa.times import Span, written
from graph_sampler.load import import_graph
from state.config import GraphConfig
from state.interval import Granularity
from tests.command_line import here, refused

Json = dict[str, Any]
Fact = tuple[str, str, str, str, str]
ANA: Fact = ("Ana Roy", "plays for", "FC Arn", "1996-01-01", "2003-01-01")
BO: Fact = ("Bo Lind", "plays for", "FC Arn", "1999-05-03", "2001-02-02")
CY: Fact = ("Cy Dorn", "plays for", "FC Arn", "2004-01-01", "2008-06-30")
ANA_LATER: Fact = ("Ana Roy", "plays for", "FC Bel", "2004-01-01", "2005-01-01")
DI: Fact = ("Di Holt", "plays for", "FC Bel", "1996-01-01", "2003-01-01")
ED: Fact = ("Ed Marr", "plays for", "FC Bel", "1996-01-01", "2003-01-01")
FAY: Fact = ("Fay Low", "plays for", "FC Bel", "2009-01-01", "2011-01-01")
GUS: Fact = ("Gus Orr", "plays for", "FC Cor", "1999-01-01", "2000-01-01")
GUS_BEFORE: Fact = ("Gus Orr", "plays for", "FC Cor", "1990-01-01", "1992-01-01")
HAL: Fact = ("Hal Pim", "wins", "Cup", "2002-07-01", "2002-07-01")
KIT: Fact = ("Kit Sol", "leads", "Guild", "2003-01-01", "end of time")
LEA: Fact = ("Lea Tan", "owns", "Mill", "1997-01-01", "2000-01-01")
MAX: Fact = ("Max Uhl", "plays for", "FC Dun", "1980-01-01", "1982-01-01")
NED: Fact = ("Ned Vex", "plays for", "FC Dun", "1990-01-01", "1992-01-01")
ORA: Fact = ("Ora Wye", "plays for", "FC Dun", "2001-01-01", "2003-01-01")
PAM: Fact = ("Pam Zed", "wins", "Shield", "1985-03-01", "1985-03-01")
NOE: Fact = ("Noe Abt", "leads", "Guild", "beginning of time", "1999-12-31")
SAM: Fact = ("Sam Dee", "plays for", "FC Fin", "1990-01-01", "1992-01-01")
QI: Fact = ("Qi Abe", "plays for", "FC Fin", "1990-01-01", "1993-01-01")
ROB: Fact = ("Rob Cee", "plays for", "FC Fin", "1989-01-01", "1992-01-01")
HOSTILE: Fact = ('=cmd("x"), {The} Braces\u202e', "plays for", "FC Eld", "1996-01-01", "2003-01-01")
FACTS = [ANA, BO, CY, ANA_LATER, DI, ED, FAY, GUS, GUS_BEFORE, HAL, KIT, LEA, MAX, NED, ORA, PAM, NOE, SAM, QI, ROB, HOSTILE]
LEVELS = {1: "simple", 2: "medium", 3: "complex"}
TYPES = {
    ("simple", True): "temporal_constrained_retrieval",
    ("simple", False): "timeline_position_retrieval",
    ("medium", True): "timeline_position_retrieval_temporal_constrained_retrieval",
    ("medium", False): "timeline_position_retrieval_timeline_position_retrieval",
    ("complex", True): "timeline_position_retrieval*2+temporal_constrained_retrieval",
    ("complex", False): "timeline_position_retrieval*3",
}
SPANNED = "relation_union_or_intersection"
LENGTH = "relation_duration"


def record(asked: str, relation: str, answer: object, *events: Fact, ident: int, **changed: Any) -> Json:
    """A record whose question names every event but what is asked."""
    level, is_entity = LEVELS[len(events)], asked in ("subject", "object")
    told = [" ".join(event[:3]) for event in events]
    if is_entity:
        first = events[0]
        told[0] = " ".join((*(("who", first[1], first[2]) if asked == "subject" else (first[0], first[1], "what")),))
    return {
        "id": ident,
        "source_kg_id": ident,
        "question": f"Asked by number {ident + 1000}: {', '.join(told)}?",
        "answer": answer,
        "paraphrased_question": f"Put otherwise, number {ident + 1000}?",
        "events": ["|".join(event) for event in events],
        "question_level": level,
        "question_type": TYPES[level, is_entity],
        "answer_type": asked,
        "temporal_relation": relation,
        "split": "train",
    } | changed


def sound() -> list[Json]:
    made: list[tuple[str, str, object, tuple[Fact, ...]]] = [
        ("subject", "timeline", "Cy Dorn", (CY,)),
        ("object", "timeline", "FC Arn", (ANA,)),
        ("timestamp_start", "timeline", "1999-05-03", (BO,)),
        ("timestamp_end", "timeline", "2001-02-02", (BO,)),
        ("timestamp_range", "timeline", "1999-05-03 and 2001-02-02", (BO,)),
        ("duration", "timeline", "2001-02-02 - 1999-05-03", (BO,)),
        ("subject", "X > Y", "Cy Dorn", (CY, HAL)),
        ("object", "X > Y", "FC Bel", (ANA_LATER, HAL)),
        ("subject", "X di Y", ["Ana Roy"], (ANA, HAL)),
        (SPANNED, "intersection", "(1999-05-03, 2001-02-02)", (ANA, BO)),
        (SPANNED, "union", "(1996-01-01, 2003-01-01)", (ANA, BO)),
        (SPANNED, "union", "No Answer", (BO, CY)),
        (SPANNED, "union", "1999-05-03 - 2001-02-02; 2004-01-01 - 2008-06-30", (CY, BO)),
        (LENGTH, "duration", "(1999-05-03, 2001-02-02)", (BO, ANA)),
        (LENGTH, "duration_compare", "shorter", (BO, ANA)),
        (LENGTH, "sum", "3 years, 9 months, 6 days, 0 hours, 0 minutes, 0 seconds", (BO, FAY)),
        (LENGTH, "average", "1 years, 10 months, 20 days, 0 hours, 0 minutes, 0 seconds", (BO, FAY)),
        ("relation_allen", "X d Y", "X d Y", (BO, ANA)),
        ("subject", "X > Y&X < Y", "Ned Vex", (NED, PAM, LEA)),
        ("subject", "duration_1767 days after&duration_1827 days before", "Sam Dee", (SAM, PAM, LEA)),
        (SPANNED, "intersection", "(1999-05-03, 2000-01-01)", (ANA, BO, LEA)),
        (LENGTH, "duration_compare", "2", (BO, ANA, ANA_LATER)),
        ("relation_ranking", "rank_start_time", 2, (BO, ANA, CY)),
        ("relation_ranking", "rank_end_time", "1", (BO, ANA, CY)),
        ("timestamp_start", "timeline", "1996-01-01", (HOSTILE,)),
    ]
    records = [record(asked, relation, answer, *events, ident=ident) for ident, (asked, relation, answer, events) in enumerate(made)]
    days = record("subject", "duration_after", "Cy Dorn", CY, HAL, ident=30)
    claim = record("relation_allen", "X d Y", "False", BO, ANA, ident=31)
    older = record("object", "X > Y", "FC Bel", ANA_LATER, HAL, ident=32, question_type="timeline_recovery_temporal_constrainted_retrieval")
    return [
        *records,
        days | {"question": f"549 days on: {days['question']}"},
        claim | {"question": f"Is it X m Y? {claim['question']}"},
        older,
    ]


def planted() -> list[tuple[TimelineDefectKind, Json]]:
    kind = TimelineDefectKind
    unnamed = record("relation_ranking", "rank_start_time", "2", BO, ANA, CY, ident=62)
    late = ("Bo Lind", "plays for", "FC Arn", "1999-05-04", "2001-02-02")
    days = record("subject", "duration_after", "Cy Dorn", CY, HAL, ident=70)
    return [
        (kind.ANSWER_LEAK, record("timestamp_start", "timeline", "1999-05-03", BO, ident=40, paraphrased_question="On May 3rd, 1999?")),
        (kind.ANSWER_LEAK, record("subject", "timeline", "Cy Dorn", CY, ident=41, paraphrased_question="Was it  cy DORN?")),
        (kind.ANSWER_LEAK, record(LENGTH, "duration_compare", "2", BO, ANA, ANA_LATER, ident=42, paraphrased_question="Which is 2nd?")),
        (kind.ANSWER_LEAK, record(LENGTH, "duration_compare", "shorter", BO, ANA, ident=43, paraphrased_question="Is it shorter?")),
        (kind.NO_ANSWER, record(LENGTH, "duration", None, BO, CY, ident=44)),
        (kind.WRONG_ANSWER, record("relation_ranking", "rank_start_time", 1, BO, ANA, CY, ident=45)),
        (kind.WRONG_ANSWER, record("subject", "timeline", "Bo Lind", CY, ident=46)),
        (kind.WRONG_ANSWER, record(SPANNED, "union", "(1999-05-03, 2008-06-30)", BO, CY, ident=47)),
        (kind.FALSE_RELATION, record("subject", "X < Y", "Cy Dorn", CY, HAL, ident=48)),
        (kind.FALSE_RELATION, days | {"question": f"550 days on: {days['question']}"}),
        (kind.NOT_UNIQUE, record("subject", "timeline", "Di Holt", DI, ident=50)),
        (kind.NOT_UNIQUE, record("timestamp_end", "timeline", "2000-01-01", GUS, ident=51)),
        (kind.NOT_NEEDED, record("subject", "X < Y", "Lea Tan", LEA, HAL, ident=52)),
        (kind.NOT_NEEDED, record("subject", "X > Y&X < Y", "Ned Vex", NED, PAM, FAY, ident=53) | {"answer": ["Ned Vex", "Ora Wye"]}),
        (kind.AMBIGUOUS_EVENT, record(SPANNED, "intersection", "(1999-01-01, 2000-01-01)", ANA, GUS, ident=54)),
        (kind.TIE, record("relation_ranking", "rank_start_time", "1", DI, ED, BO, ident=55)),
        (kind.NOT_IN_GRAPH, record("timestamp_start", "timeline", "1999-05-04", late, ident=56)),
        (kind.UNBOUNDED, record("timestamp_end", "timeline", "end of time", KIT, ident=57)),
        (kind.UNBOUNDED, record(LENGTH, "sum", "forever", KIT, BO, ident=58)),
        (kind.MALFORMED, record("timestamp_end", "timeline", "2001-02-02", BO, ident=59, events=["Bo|Lind|plays for|FC Arn|1999|2001"])),
        (kind.MALFORMED, record("timestamp_end", "timeline", "2001-02-02", BO, ident=60, events=["Bo Lind|plays for|FC Arn|2001|1999"])),
        (kind.CONTRADICTION, record(SPANNED, "union", "(1996-01-01, 2003-01-01)", ANA, BO, ident=61, question_level="complex")),
        (kind.UNNAMED, unnamed | {"question": unnamed["question"].replace("Cy Dorn", "somebody")}),
        (kind.UNFILLED_SLOT, record("subject", "timeline", "Cy Dorn", CY, ident=63, paraphrased_question="Who is {object}?")),
        (kind.DUPLICATE, record("subject", "timeline", "Cy Dorn", CY, ident=64, paraphrased_question="put OTHERWISE,  number 1000?")),
        (kind.BLANK_QUESTION, record("subject", "timeline", "Cy Dorn", CY, ident=65, paraphrased_question=" ")),
    ]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "unified_kg_arn.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(("id", "subject", "subject_json", "predicate", "predicate_json", "object", "object_json", "start_time", "end_time"))
        rows.writerows((place, s, '{"a": "b"}', p, "{}", o, "{}", start, end) for place, (s, p, o, start, end) in enumerate(FACTS))
    return path


def audited(table: Path, records: Sequence[object], *, array: bool = False) -> TimelineAuditReport:
    path = table.parent / "questions.json.gz"
    path.write_bytes(gzip.compress((json.dumps(records) if array else "\n".join(map(json.dumps, records))).encode()))
    assert is_timeline_file(path)
    return audit_timeline(path, stated_facts(GraphConfig(path=str(table))))


def found_in(report: TimelineAuditReport) -> dict[str, set[TimelineDefectKind]]:
    found: dict[str, set[TimelineDefectKind]] = {}
    for row in report.defects:
        if row.kind not in REMARKS:
            found.setdefault(row.id, set()).add(row.kind)
    return found


@pytest.mark.parametrize("array", [True, False])
def test_a_sound_file_is_clean(table: Path, array: bool) -> None:
    report = audited(table, sound(), array=array)
    assert found_in(report) == {}
    assert (report.is_clean, report.executed, report.records, report.rows) == (True, 28, 28, len(FACTS))
    assert {rate.kind: rate.rates.all.hits for rate in report.kinds if rate.is_remark} == {
        TimelineDefectKind.SAYS_NONE: 1,
        TimelineDefectKind.OTHER_KIND: 3,
    }


def test_each_planted_defect_is_found_and_nothing_else(table: Path) -> None:
    plants = planted()
    report = audited(table, [*sound(), *(made for _, made in plants)])
    assert found_in(report) == {str(made["id"]): {kind} for kind, made in plants}
    assert {kind for kind, _ in plants} == set(MEANING) - REMARKS
    assert report.any_defect.all.hits == len(plants)
    for rate in report.kinds:
        assert rate.rates.all.hits == sum(share.hits for share in rate.rates.levels.values())
        if not rate.is_remark:
            assert rate.rates.all.hits == sum(kind is rate.kind for kind, _ in plants)
    assert not report.is_clean


def test_a_record_whose_type_is_not_known_is_counted_as_not_executed(table: Path) -> None:
    report = audited(table, [sound()[2] | {"answer_type": "weekday"}, sound()[7] | {"temporal_relation": "X near Y"}])
    assert report.executed == 1
    reasons = {(each.reason, kind): each.records for each in report.unchecked for kind in each.kinds}
    assert reasons["not executed: its type is none of the published", TimelineDefectKind.WRONG_ANSWER] == 1
    for kind in (TimelineDefectKind.FALSE_RELATION, TimelineDefectKind.NOT_UNIQUE, TimelineDefectKind.NOT_NEEDED):
        assert reasons["its temporal_relation is none of the published", kind] == 1


def test_lines_that_are_no_records_are_told_and_a_file_without_any_is_refused(table: Path, tmp_path: Path) -> None:
    good = sound()[0]
    lines: list[object] = [
        good,
        {"id": 1},
        7,
        good | {"question_level": "hard"},
        good | {"events": "__import__('os')"},
        good | {"events": "[__import__('os')]"},
        good | {"answer": {"a": 1}},
        good | {"question": 3},
        good | {"id": None},
    ]
    report = audited(table, lines)
    assert (report.records, [line.number for line in report.bad_lines]) == (2, [2, 3, 4, 6, 7, 8, 9])
    assert found_in(report)["0"] == {TimelineDefectKind.MALFORMED, TimelineDefectKind.DUPLICATE}
    other = tmp_path / "other.jsonl"
    other.write_text('{"trace": 1}\n')
    assert not is_timeline_file(other)
    with pytest.raises(AuditError, match="holds no record of format timelinekgqa"):
        audit_timeline(other, stated_facts(GraphConfig(path=str(table))))


def test_the_published_table_of_questions_reads_like_its_twin(table: Path, tmp_path: Path) -> None:
    records = [*sound(), *(made for _, made in planted())]
    text = io.StringIO()
    rows = csv.DictWriter(text, list(records[0]))
    rows.writeheader()
    rows.writerows(each | {"events": repr(each["events"])} for each in records)
    path = tmp_path / "questions.csv"
    path.write_text("\ufeff" + text.getvalue(), encoding="utf-8", newline="")
    report = audit_timeline(path, stated_facts(GraphConfig(path=str(table))))
    lists = {str(each["id"]) for each in records if isinstance(each["answer"], list)}
    assert (report.records, report.bad_line_count) == (len(records), 0)
    twin = found_in(audited(table, records))
    assert {key: kinds for key, kinds in found_in(report).items() if key not in lists} == {
        key: kinds for key, kinds in twin.items() if key not in lists
    }


@pytest.mark.parametrize("content", [b"", b"x" * 200_000, b"\0\xff\n", b"[", b"[" * 100_000, b"\x1f\x8b\x08cut", b"7\n"])
def test_any_other_bytes_are_no_such_file(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "file").write_bytes(content)
    assert not is_timeline_file(tmp_path / "file")


def test_a_record_is_known_whatever_signs_stand_in_its_texts(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_text("\n" + json.dumps(sound()[0] | {"paraphrased_question": "a\u2028b\x85c"}, ensure_ascii=False), encoding="utf-8")
    assert is_timeline_file(path)


@pytest.mark.parametrize("unit", list(Granularity))
def test_an_imported_graph_file_gives_its_facts_at_their_first_days(tmp_path: Path, table: Path, unit: Granularity) -> None:
    file = tmp_path / "imported"
    graph, _ = import_graph(GraphConfig(path=str(table), format="timelinekgqa", granularity=unit), str(file))
    facts = stated_facts(GraphConfig(path=str(file), granularity=unit))
    assert len(facts) == len(graph) < len(FACTS)
    starts = {Granularity.YEAR: "1999-01-01", Granularity.MONTH: "1999-05-01", Granularity.DAY: "1999-05-03"}
    (span,) = facts.spells(*BO[:3])
    assert written(span.start) == starts[unit]


def test_facts_of_other_layouts_are_found_by_their_labels() -> None:
    facts = stated_facts(GraphConfig(path="bundled:years"))
    assert len(facts) > 3000
    name = facts.names[0]
    assert facts.code_of(f"  {name.upper()} ") == 0
    assert facts.rows("no such predicate", name, is_subject=True) == []


def test_the_command_guesses_the_format_writes_and_refuses(table: Path, tmp_path: Path) -> None:
    path, out = tmp_path / "questions.jsonl", tmp_path / "out"
    path.write_text("\n".join(map(json.dumps, [*sound(), planted()[8][1]])), encoding="utf-8")
    done = here("audit", str(path), "--graph", str(table), "--out", str(out))
    assert done.returncode == 1
    assert "false relation: 48 (line 29): it says X < Y, and X > Y holds" in done.stdout
    assert "48,medium,false relation," in (out / "audit.csv").read_text(encoding="utf-8")
    assert json.loads((out / "audit.json").read_bytes())["file_format"] == "timelinekgqa"
    assert here("audit", str(path), "--graph", str(table), "--format", "timelinekgqa", "--json").returncode == 1
    assert "with --graph" in refused("audit", str(path), "--tables", str(table), "--format", "timelinekgqa")
    assert "cannot be read" in refused("audit", str(tmp_path / "no"), "--graph", str(table))


def test_the_shared_complex_questions_are_of_another_layout(shared_data: Path) -> None:
    assert not is_timeline_file(shared_data / "cr_tkgqa" / "test_sample1000_seed1.json.gz")


spans = st.tuples(st.integers(0, 6), st.integers(0, 6)).map(sorted).map(lambda pair: Span(*pair))
CONVERSES = {"<": ">", "m": "mi", "o": "oi", "s": "si", "d": "di", "f": "fi", "=": "="}


@settings(max_examples=40)
@given(spans, spans)
def test_every_pair_of_events_has_one_relation_and_the_converse_the_other_way_round(x: Span, y: Span) -> None:
    both = {relate(x, y), relate(y, x)}
    assert both <= set(SIGNS)
    assert any(both == {sign, converse} for sign, converse in CONVERSES.items())
    shared = {*range(x.start, x.end + 1)} & {*range(y.start, y.end + 1)}
    assert (word_for(x, y) in ("before", "after")) == (not shared)


@settings(max_examples=40)
@given(st.lists(spans, min_size=2, max_size=3))
def test_unions_and_intersections_are_those_of_their_days(parts: list[Span]) -> None:
    days = [{*range(span.start, span.end + 1)} for span in parts]
    common = set.intersection(*days)
    whole = range(min(set.union(*days)), max(set.union(*days)) + 1)
    # Two spells that meet on no common day are apart, however near.
    touching = all(any(day in part and day + 1 in part for part in days) for day in whole[:-1])
    for operation, shared, is_one in (("intersection", common, bool(common)), ("union", set(whole), touching)):
        events = [("a", "b", str(place), written(span.start), written(span.end)) for place, span in enumerate(parts)]
        expected = expected_answer(read_timeline_case(record(SPANNED, operation, None, *events, ident=0), 1))
        assert expected is not None
        if is_one:
            assert expected.fits([f"({written(min(shared))}, {written(max(shared))})"])
        assert expected.fits(["No Answer"]) or is_one
