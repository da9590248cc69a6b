"""Records go into Parquet and come back as they were, whatever they hold."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluation.exports import parquet
from evaluation.exports.parquet import ROWS, SCHEMA, ParquetFile, read_parquet
from runs.json_lines import model_line
from state.errors import RunFolderError
from state.fact import TemporalFact
from state.instance import Backend, BenchmarkRecord, Provenance
from state.trace import FilterStep, OrdinalStep, PairwiseStep, RootStep, Trace, TransitionStep
from tests.run_directory import HOSTILE
from tests.sample_record import make_record


def written(path: Path, lines: Sequence[bytes]) -> Path:
    with ParquetFile(path) as file:
        for line in lines:
            file.write(line)
    return path


def answered(record: BenchmarkRecord) -> BenchmarkRecord:
    return record.model_copy(update={"final_question": f"Who is {record.id}?", "backend": Backend(rewriter="gpt-x", verifier="gpt-y")})


def test_every_kind_of_record_comes_back_byte_for_byte(tmp_path: Path, years_records: list[BenchmarkRecord]) -> None:
    records = [answered(record) if place % 2 else record for place, record in enumerate(years_records[:300])]
    kinds = {type(step) for record in records for step in record.trace.steps}
    assert kinds == {RootStep, FilterStep, TransitionStep, PairwiseStep, OrdinalStep}
    assert {bool(record.trace.references) for record in records} == {True, False}
    lines = [model_line(record) for record in records]
    path = written(tmp_path / "a.parquet", lines)
    assert [model_line(record) for record in read_parquet(path)] == lines
    assert pq.ParquetFile(path).metadata.num_row_groups == -(-len(lines) // ROWS)


@given(st.dictionaries(st.sampled_from(("Q1", "Q11", "Q13", "P39")), st.text()), st.one_of(st.none(), st.text()))
@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_comes_back(tmp_path: Path, labels: dict[str, str], question: str | None) -> None:
    record = make_record(labels=labels).model_copy(update={"final_question": question})
    line = model_line(record)
    assert [model_line(back) for back in read_parquet(written(tmp_path / "a.parquet", [line]))] == [line]


def test_hostile_labels_come_back(tmp_path: Path) -> None:
    lines = [model_line(make_record(number=number, labels={"Q13": label})) for number, label in enumerate(HOSTILE.values())]
    assert [model_line(record) for record in read_parquet(written(tmp_path / "a.parquet", lines))] == lines


def test_the_columns_are_a_records_keys() -> None:
    assert SCHEMA.names == list(BenchmarkRecord.model_fields)
    for column, model in (("backend", Backend), ("trace", Trace), ("provenance", Provenance)):
        assert [field.name for field in SCHEMA.field(column).type] == list(model.model_fields)
    for column in ("support_facts", "evidence"):
        assert [field.name for field in SCHEMA.field(column).type.value_type] == list(TemporalFact.model_fields)
    steps = {field.name for field in SCHEMA.field("trace").type.field("steps").type.value_type}
    assert steps == set().union(*(kind.model_fields for kind in (RootStep, FilterStep, TransitionStep, PairwiseStep, OrdinalStep)))


def test_a_file_without_records_has_the_columns(tmp_path: Path) -> None:
    path = written(tmp_path / "a.parquet", [])
    assert pq.read_schema(path) == SCHEMA
    assert list(read_parquet(path)) == []


def test_the_same_records_give_the_same_bytes(tmp_path: Path) -> None:
    lines = [model_line(make_record(number=number)) for number in range(ROWS + 1)]
    one, other = (written(tmp_path / name / "a.parquet", lines) for name in ("one", "other"))
    assert one.read_bytes() == other.read_bytes()
    assert pq.ParquetFile(one).metadata.num_row_groups == 2


def test_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_bytes(b"PAR1 or not")
    with pytest.raises(RunFolderError, match="cannot be read as records in Parquet"):
        list(read_parquet(tmp_path / "a.parquet"))
    other = parquet.pa.table({"id": ["a"]})
    pq.write_table(other, tmp_path / "b.parquet")
    with pytest.raises(RunFolderError, match="cannot be read as records in Parquet"):
        list(read_parquet(tmp_path / "b.parquet"))
