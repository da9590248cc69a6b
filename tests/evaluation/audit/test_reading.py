"""Files as they come: other line ends, other packing, bad lines, wrong graphs, hostile labels; and the command."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path

import orjson
import pytest

from evaluation.audit.auditor import audit_file
from evaluation.audit.cases import FileFormat
from evaluation.audit.defects import DefectKind
from evaluation.audit.reading import AuditError
from evaluation.audit.report import AuditReport
from graph_sampler.temporal_graph import TemporalGraph
from state.instance import BenchmarkRecord
from tests.command_line import here, refused
from tests.planted_defects import Json, leak, object_of, released, write_jsonl
from tests.shipped_sample import YEARS


@pytest.fixture(scope="module")
def objects(years_records: list[BenchmarkRecord]) -> list[Json]:
    return [object_of(record) for record in years_records[:6]]


def lines_of(objects: list[Json], end: bytes = b"\n") -> bytes:
    return b"".join(orjson.dumps(each) + end for each in objects)


def audited(path: Path, content: bytes, graph: TemporalGraph, form: FileFormat | None = None) -> AuditReport:
    path.write_bytes(content)
    return audit_file(path, graph, form)


def test_packing_line_ends_and_marks_change_nothing(objects: list[Json], years_graph: TemporalGraph, tmp_path: Path) -> None:
    plain = lines_of(objects)
    expected = audited(tmp_path / "file", plain, years_graph)
    assert (expected.records, expected.is_clean) == (6, True)
    contents = {
        "gzip": gzip.compress(plain),
        "carriage returns": lines_of(objects, b"\r\n"),
        "byte order mark": b"\xef\xbb\xbf" + plain,
        "blank lines": b"\n\n" + plain.replace(b"\n", b"\n \r\n"),
        "no last line end": plain.rstrip(b"\n"),
        "array": orjson.dumps(objects),
        "array over lines": b"\xef\xbb\xbf" + json.dumps(objects, indent=1).encode(),
        "array after blank lines": b"\xef\xbb\xbf\r\n\n" + orjson.dumps(objects),
        "packed array": gzip.compress(orjson.dumps(objects)),
    }
    for name, content in contents.items():
        assert audited(tmp_path / "file", content, years_graph) == expected, name


def test_bad_lines_are_named_and_the_rest_goes_on(objects: list[Json], years_graph: TemporalGraph, tmp_path: Path) -> None:
    first, second, third, fourth, fifth, _ = map(orjson.dumps, objects)
    without = objects[4].copy()
    del without["trace"]
    unknown = objects[4] | {"trace": objects[4]["trace"] | {"steps": objects[4]["trace"]["steps"][1:]}}
    rows = [
        first,
        b"not json",
        second,
        b"[1, 2]",
        third,
        b"17",
        orjson.dumps(without),
        orjson.dumps(unknown),
        b'{"a": "\xff"}',
        fourth,
        fifth[:-300],
    ]
    report = audited(tmp_path / "file", b"\n".join(rows), years_graph)
    assert (report.records, report.defects, report.is_clean) == (4, (), False)
    named = {line.number: line.what for line in report.bad_lines}
    assert list(named) == [2, 4, 6, 7, 8, 9, 11]
    assert report.bad_line_count == 7
    assert named[7] == "no record of format ours: it lacks trace"
    assert named[8].startswith("no record of format ours: trace: ")
    assert named[11].endswith("the file ends within it")
    assert "bad line 2: not JSON" in "\n".join(report.lines())


def test_support_facts_that_are_no_facts_are_a_defect_and_the_rest_goes_on(
    objects: list[Json], years_graph: TemporalGraph, tmp_path: Path
) -> None:
    facts = objects[0]["support_facts"]
    for odd in ([{**facts[0], "start": [1996]}, *facts[1:]], [{**facts[0], "object": {}}, *facts[1:]], ["f1", *facts[1:]]):
        report = audited(tmp_path / "file", lines_of([objects[0] | {"support_facts": odd}, *objects[1:]]), years_graph)
        assert [(row.number, row.kind) for row in report.defects] == [(1, DefectKind.CONTRADICTION)]
        assert report.records == 6


def test_a_gzip_stream_that_breaks_off_is_refused_and_not_audited_in_part(
    objects: list[Json], years_graph: TemporalGraph, tmp_path: Path
) -> None:
    packed = gzip.compress(b"".join(lines_of(objects) for _ in range(30)), compresslevel=0)
    broken = packed[:-1000] + bytes(10) + packed[-990:]
    for content, told in ((packed[: len(packed) // 2], "cut short"), (packed[:-4], "cut short"), (packed[:1], ""), (broken, "damaged")):
        with pytest.raises(AuditError, match=f"line [0-9]+: the gzip stream is {told}. Fetch the file again" if told else "not JSON"):
            audited(tmp_path / "file", content, years_graph)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "the file is empty"),
        (b"\n \r\n", "the file is empty"),
        (b"[]", "the file is empty"),
        (b"hello\n", "its one line is none; line 1 is not JSON"),
        (b'{"question": "Who?"}\n{"question": "Who else?"}\n', "none of its 2 lines is one; line 1 is no record of either format"),
        (b"[{]", "begins like a JSON array and is none"),
        ("[{}]".encode("utf-16"), "no plain text but UTF-16. Give JSON Lines or one JSON array in UTF-8, plain or gzip"),
        ('{"a": 1}'.encode("utf-16-le"), "no plain text but UTF-16 or no text at all"),
        (b"PK\x03\x04 and so on", "no plain text but a zip archive"),
        (gzip.compress(b"BZh9 and so on", mtime=0), "no plain text but a bzip2 file"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "not JSON"),
    ],
)
def test_a_file_that_is_nothing_of_the_kind_is_one_line(content: bytes, told: str, years_graph: TemporalGraph, tmp_path: Path) -> None:
    with pytest.raises(AuditError, match=told) as caught:
        audited(tmp_path / "file", content, years_graph)
    assert "\n" not in str(caught.value)


def test_the_wrong_format_is_refused_with_the_right_one(
    years_records: list[BenchmarkRecord], years_graph: TemporalGraph, tmp_path: Path
) -> None:
    path = write_jsonl(tmp_path / "file", map(released, years_records[:3]))
    with pytest.raises(AuditError, match="it looks like a record of format chronoqg-release"):
        audit_file(path, years_graph, FileFormat.OURS)


@pytest.mark.parametrize("write", [object_of, released])
def test_records_of_another_graph_are_told_in_one_note(
    write: object, years_records: list[BenchmarkRecord], years_graph: TemporalGraph, tmp_path: Path
) -> None:
    assert callable(write)
    provenance = years_records[0].provenance.model_copy(update={"content_hash": "ab" * 32})
    path = write_jsonl(tmp_path / "file", [write(record.model_copy(update={"provenance": provenance})) for record in years_records[:3]])
    report = audit_file(path, years_graph)
    assert report.notes == (
        "3 of 3 records say that they come from another graph: theirs has the content hash abababababab, "
        f"this one {years_graph.content_hash[:12]}",
    )
    assert report.defects == ()


@pytest.mark.parametrize("write", [object_of, released])
def test_records_in_another_unit_than_the_graph_are_refused_rather_than_accused(
    write: object, years_records: list[BenchmarkRecord], tmp_path: Path
) -> None:
    assert callable(write)
    path = write_jsonl(tmp_path / "file", map(write, years_records[:3]))
    rows = tmp_path / "train.txt"
    rows.write_text("Ann Roy\tmet\tBo Lind\t2014-01-01\nBo Lind\tmet\tAnn Roy\t2014-02-01\n")
    said = refused("audit", str(path), "--graph", str(rows))  # its layout and unit are guessed
    assert said.endswith("these records are by year, and this graph is by day. Set graph.granularity=year, or import the graph by year.")
    assert "by year" not in here("audit", str(path), "--graph", str(rows), "--set", "graph.granularity=year").stderr


def test_records_of_another_graph_whose_facts_are_not_here_are_refused_and_not_if_one_of_them_is(
    objects: list[Json], years_graph: TemporalGraph, tmp_path: Path
) -> None:
    strange = [
        each | {"provenance": {"content_hash": "ab" * 32}, "evidence": [{**fact, "subject": "nobody"} for fact in each["evidence"]]}
        for each in objects
    ]
    with pytest.raises(AuditError, match="sampled from another graph, with content hash abababababab, and this one, "):
        audited(tmp_path / "file", lines_of(strange), years_graph)
    assert audited(tmp_path / "file", lines_of([objects[0], *strange[1:]]), years_graph).records == 6


def test_labels_of_strangers_cannot_steer_what_is_printed_or_written(
    years_records: list[BenchmarkRecord], tmp_path: Path, years_graph: TemporalGraph
) -> None:
    hostile = "=cmd|'/c calc'!A0\x1b[31m\u202e\n[bold]<script>"
    record = leak(years_records[0]) | {"answer": hostile, "id": "=1+1\x1b", "final_question": f"Is it {hostile}?"}
    path = write_jsonl(tmp_path / "file.jsonl", [record])
    out = tmp_path / "out"
    done = here("audit", str(path), "--graph", "bundled:years", "--out", str(out))
    assert done.returncode == 1
    assert "\x1b" not in done.stdout + done.stderr
    assert "[bold]" in done.stdout
    rows = list(csv.reader(io.StringIO((out / "audit.csv").read_text(encoding="utf-8"))))
    assert rows[0] == ["line", "id", "part", "kind", "why"]
    assert all(not cell.startswith("=") for row in rows for cell in row)
    data = orjson.loads((out / "audit.json").read_bytes())
    assert {rate["kind"]: rate["all"]["hits"] for rate in data["kinds"]}["answer leak"] == 1


def test_the_command_tells_by_its_exit_code(years_records: list[BenchmarkRecord], objects: list[Json], tmp_path: Path) -> None:
    clean = write_jsonl(tmp_path / "clean.jsonl", objects)
    broken = write_jsonl(tmp_path / "broken.jsonl", [*objects[1:], leak(years_records[0])])
    for graph in ("bundled:years", str(YEARS), "runs/quickstart.yaml"):
        done = here("audit", str(clean), "--graph", graph)
        assert (done.returncode, done.stdout.split("\n")[-2]) == (0, "audited 6 records: no defect found")
    done = here("audit", str(broken), "--graph", "bundled:years", "--json")
    data = json.loads(done.stdout)
    assert done.returncode == 1
    assert (data["records"], data["any_defect"]["all"]) == (6, {"hits": 1, "of": 6})
    assert [example["number"] for rate in data["kinds"] for example in rate["examples"]] == [6]


def test_the_command_refuses_in_one_line(tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    assert "the file is empty" in refused("audit", str(empty), "--graph", "bundled:years")
    assert "cannot be read" in refused("audit", str(tmp_path / "none.jsonl"), "--graph", "bundled:years")
    assert "Did you mean 'bundled:years'?" in refused("audit", str(empty), "--graph", "bundled:yeers")
    said = refused("audit", str(tmp_path / "none.jsonl"), "--graph", "none", "--out", str(empty))  # told before anything is read
    assert "empty.jsonl/audit.json: cannot be written" in said
    assert "the file is empty" in refused("audit", str(empty), "--graph", "bundled:years", "--out", str(tmp_path / "new" / "out"))
    assert list(tmp_path.iterdir()) == [empty]
    table = "question,answer,events,question_level,question_type,answer_type\n" + "a,b,c,simple,x,y\n" * 1000
    empty.write_bytes(gzip.compress(table.encode(), compresslevel=0)[:-50])
    assert "the gzip stream is cut short" in refused("audit", str(empty), "--graph", "bundled:years")
    empty.write_bytes(table.encode("utf-16"))
    assert "no plain text but UTF-16" in refused("audit", str(empty), "--graph", "bundled:years")
