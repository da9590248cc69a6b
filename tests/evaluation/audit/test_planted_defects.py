"""A hand-broken file: each planted defect is found, and nothing else; what we make ourselves audits clean."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluation.audit.auditor import audit_file
from evaluation.audit.cases import FileFormat
from evaluation.audit.defects import DefectKind
from evaluation.audit.report import AuditReport
from evaluation.exports.release import release_lines
from graph_sampler.load import load_graph
from graph_sampler.sampler import Sample
from graph_sampler.temporal_graph import TemporalGraph
from state.config import GraphConfig
from state.instance import BenchmarkRecord
from state.vocabulary import ConstraintCount
from tests.planted_defects import OF_OURS, OF_RELEASE, Json, object_of, plant_all, released, restated, write_jsonl
from tests.shipped_sample import YEARS


def kinds_found(report: AuditReport) -> dict[str, set[DefectKind]]:
    found: dict[str, set[DefectKind]] = {}
    for row in report.defects:
        found.setdefault(row.id, set()).add(row.kind)
    return found


@pytest.mark.parametrize("form", list(FileFormat))
def test_our_own_benchmark_is_clean(
    form: FileFormat, years_sample: Sample, years_records: list[BenchmarkRecord], years_graph: TemporalGraph, tmp_path: Path
) -> None:
    path = tmp_path / "years.jsonl"
    lines = years_sample.lines if form is FileFormat.OURS else tuple(release_lines(years_records[::3]))
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    report = audit_file(path, years_graph)
    assert (report.file_format, report.records, report.unchecked, report.notes) == (form, len(lines), (), ())
    assert report.defects == ()
    assert report.is_clean


@pytest.mark.parametrize("form", [FileFormat.OURS, pytest.param(FileFormat.RELEASE, marks=pytest.mark.slow)])
def test_each_planted_defect_is_found_and_nothing_else(
    form: FileFormat, years_records: list[BenchmarkRecord], years_graph: TemporalGraph, tmp_path: Path
) -> None:
    good, broken = years_records[:40], years_records[40:]
    plants, write = (OF_OURS, object_of) if form is FileFormat.OURS else (OF_RELEASE, released)
    planted = list(plant_all(broken, plants, each=3))
    objects: list[Json] = [write(record) for record in good]
    objects += [made for _, made in planted]
    report = audit_file(write_jsonl(tmp_path / "broken.jsonl", objects), years_graph)
    assert kinds_found(report) == {made["id"]: {kind} for kind, made in planted}
    assert report.any_defect.all.hits == len(planted)
    for rate in report.kinds:
        assert rate.all.hits == sum(kind is rate.kind for kind, _ in planted)
        assert rate.all.hits == rate.single.hits + rate.multi.hits
        assert rate.all.of == len(objects)
    assert not report.is_clean


def test_repeated_records_are_found_and_their_originals_are_not_blamed(
    years_records: list[BenchmarkRecord], years_graph: TemporalGraph, tmp_path: Path
) -> None:
    first, second, third, *_ = (object_of(record) | {"final_question": f"Who is number {n}?"} for n, record in enumerate(years_records[:3]))
    same_id = third | {"id": first["id"]}
    same_query = second | {"id": "other-1", "raw_question": "Who, put otherwise?", "final_question": "Who else?"}
    same_question = object_of(years_records[3]) | {"final_question": "who IS  number 0?"}
    path = write_jsonl(tmp_path / "twice.jsonl", [first, second, same_id, same_query, same_question])
    report = audit_file(path, years_graph)
    assert {(row.number, row.kind) for row in report.defects} == {
        (3, DefectKind.DUPLICATE),
        (4, DefectKind.DUPLICATE),
        (5, DefectKind.DUPLICATE),
    }
    assert [row.why for row in report.defects] == [
        "it has the id of record 1",
        "it has the query of record 2",
        "it has the final question of record 1",
    ]


def test_the_same_query_written_the_other_way_round_is_a_duplicate(
    years_records: list[BenchmarkRecord], years_graph: TemporalGraph, tmp_path: Path
) -> None:
    record = next(record for record in years_records if record.temporal_constraint_count == 2 and _only_pairwise(record))
    other = object_of(record) | {"id": "other-1", "raw_question": "Who, put otherwise?"}
    steps = other["trace"]["steps"]
    steps[-2:] = [steps[-1] | {"candidates": steps[-2]["candidates"]}, steps[-2] | {"candidates": steps[-1]["candidates"]}]
    report = audit_file(write_jsonl(tmp_path / "turned.jsonl", [object_of(record), restated(other)]), years_graph)
    assert [(row.number, row.why) for row in report.defects] == [(2, "it has the query of record 1")]


def test_a_reference_with_a_second_spell_among_the_dropped_rows_is_ambiguous(years_records: list[BenchmarkRecord], tmp_path: Path) -> None:
    record = next(record for record in years_records if len(record.trace.references) == 1)
    (reference,) = record.trace.references.values()
    folder = tmp_path / "graph"
    folder.mkdir()
    for file in YEARS.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    with (folder / "full.txt").open("a", encoding="utf-8") as rows:
        rows.write(f"{reference.subject}\t{reference.relation}\t{reference.object}\t{int(reference.start) + 40}\tNone\n")
    graph, _ = load_graph(GraphConfig(path=str(folder)))
    report = audit_file(write_jsonl(tmp_path / "file.jsonl", map(object_of, years_records)), graph)
    expected = {each.id for each in years_records if reference in each.trace.references.values()}
    assert {row.id for row in report.defects if row.kind is DefectKind.AMBIGUOUS_REFERENCE} >= expected
    assert {row.kind for row in report.defects} == {DefectKind.AMBIGUOUS_REFERENCE}
    named = reference.subject, reference.relation, reference.object
    for each in years_records:
        if each.id in {row.id for row in report.defects} - expected:
            assert any((fact.subject, fact.relation, fact.object) == named for fact in each.support_facts)


def test_the_parts_are_counted_apart(years_records: list[BenchmarkRecord], years_graph: TemporalGraph, tmp_path: Path) -> None:
    single = next(record for record in years_records if record.constraint_part is ConstraintCount.SINGLE)
    multi = next(record for record in years_records if record.constraint_part is ConstraintCount.MULTI)
    objects = [object_of(single), object_of(multi) | {"final_question": f"Is it {multi.answer}?"}]
    report = audit_file(write_jsonl(tmp_path / "two.jsonl", objects), years_graph)
    (leak,) = [rate for rate in report.kinds if rate.kind is DefectKind.ANSWER_LEAK]
    assert (leak.single.hits, leak.single.of, leak.multi.hits, leak.multi.of) == (0, 1, 1, 1)
    assert [row.id for row in leak.examples] == [multi.id]


def _only_pairwise(record: BenchmarkRecord) -> bool:
    return all("rank" not in step.model_dump() for step in record.trace.steps) and all(
        step["action"] == "temporal_filter" for step in object_of(record)["trace"]["steps"][-2:]
    )
