"""`chronoqg export`: whole folders of every format, and one clear line where there is nothing to export."""

from __future__ import annotations

import json
import re
import resource
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
import yaml

from evaluation.exports.dataset_card import dataset_card
from evaluation.exports.parquet import SCHEMA, pq, read_parquet
from evaluation.exports.report import ExportFormat, ExportReport
from evaluation.exports.source import Records
from evaluation.exports.support_graph import support_graph
from evaluation.exports.writing import export_run
from runs.json_lines import model_line
from runs.manifest import GraphNote, Manifest
from runs.run_folder import RunFolder, RunReader
from runs.splits import split
from runs.terminal import shown
from state.errors import ConfigError, RunFolderError
from state.instance import Backend, BenchmarkRecord
from state.vocabulary import ConstraintCount
from tests.command_line import chronoqg, here, refused
from tests.run_directory import config, records, sampled

PARTS = ("train", "dev", "test")
KINDS = ("S", "M")


def benchmark(run: Path) -> list[bytes]:
    """The lines of both benchmark files."""
    return [line for kind in ConstraintCount for line in RunReader(run).benchmark_file(kind).read_bytes().splitlines()]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def exported(run: Path, form: str, out: Path, *more: str) -> ExportReport:
    done = here("export", str(run), "--format", form, "--out", str(out), "--json", *more)
    assert done.returncode == 0, done.stderr
    assert done.stderr.endswith(f"wrote {out}\n") or form == "hf"
    report = ExportReport.model_validate_json(done.stdout)
    assert ExportReport.model_validate_json((out / "export.json").read_bytes()) == report
    return report


def test_json_lines_are_the_benchmarks_own_each_in_its_part(export_run_dir: Path, tmp_path: Path) -> None:
    report = exported(export_run_dir, "jsonl", tmp_path / "out", "--split-seed", "3")
    lines = benchmark(export_run_dir)
    made = split((BenchmarkRecord.model_validate_json(line) for line in lines), 3)
    found = []
    for kind in KINDS:
        for part in PARTS:
            here_ = (tmp_path / "out" / kind / f"{part}.jsonl").read_bytes().splitlines()
            assert {made.part_of(json.loads(line)["id"]) for line in here_} <= {part}
            assert report.split is not None
            assert report.split.sizes[ConstraintCount(kind)][part] == len(here_)  # type: ignore[index]
            found += here_
    assert sorted(found) == sorted(lines)
    assert report.count == len(lines)
    assert set(contents(tmp_path / "out")) == {*(f"{kind}/{part}.jsonl" for kind in KINDS for part in PARTS), "export.json"}


def test_parquet_holds_the_benchmark_byte_for_byte(export_run_dir: Path, tmp_path: Path) -> None:
    exported(export_run_dir, "hf", tmp_path / "out", "--split-seed", "1")
    exported(export_run_dir, "jsonl", tmp_path / "lines", "--split-seed", "1")
    for kind in KINDS:
        for part, name in zip(PARTS, ("train", "validation", "test"), strict=True):
            path = tmp_path / "out" / kind / f"{name}.parquet"
            assert pq.read_schema(path) == SCHEMA
            lines = b"".join(model_line(record) + b"\n" for record in read_parquet(path))
            assert lines == (tmp_path / "lines" / kind / f"{part}.jsonl").read_bytes()


def test_the_card_names_files_terms_models_and_overlaps(export_run_dir: Path, tmp_path: Path) -> None:
    report = exported(export_run_dir, "hf", tmp_path / "out")
    assert report.warnings == ()
    _, front, text = (tmp_path / "out" / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    head = yaml.safe_load(front)
    assert head["license"] == "cc0-1.0"
    assert {entry["config_name"]: bool(entry.get("default")) for entry in head["configs"]} == {"all": True, "S": False, "M": False}
    named = {path for entry in head["configs"] for files in entry["data_files"] for path in files["path"]}
    assert named == {path for path in contents(tmp_path / "out") if path.endswith(".parquet")}
    assert "http://a.example/b" in text
    assert "keep its terms" in text
    assert "| rewriter | the offline rules (offline-rules): rules, not a language model |" in text
    assert "| support-fact set | train and test | 0 of " in text
    assert report.split is not None
    assert f"{report.count} temporal questions" in text
    for part, name in (("train", "train"), ("dev", "validation"), ("test", "test")):
        sizes = [str(report.split.sizes[kind][part]) for kind in ConstraintCount]  # type: ignore[index]
        assert f"| {name} | {' | '.join(sizes)} |" in text


def card(export_run_dir: Path, tmp_path: Path, note: GraphNote, *backends: Backend) -> str:
    report = exported(export_run_dir, "hf", tmp_path / "out")
    manifest: Manifest = RunReader(export_run_dir).manifest.model_copy(update={"graph": note})
    return dataset_card(report, manifest, backends, {"reviser": "offline-rules"}).decode()


def test_the_card_survives_what_strangers_write(export_run_dir: Path, tmp_path: Path) -> None:
    name = "a\n---\n# b [x](javascript:1) <script> |"
    note = RunReader(export_run_dir).manifest.graph.model_copy(update={"name": name, "licence": name, "source": name})
    text = card(export_run_dir, tmp_path, note, Backend(rewriter=name, verifier="gpt-y"))
    _, front, rest = text.split("---\n", 2)
    assert yaml.safe_load(front)["license_name"] == shown(name)
    assert yaml.safe_load(front)["license"] == "other"
    assert "<script>" not in rest
    assert not any(line.startswith(("# b", "---")) for line in rest.split("\n"))
    assert "| verifier | gpt-y |" in rest
    assert "| reviser | the offline rules" in rest


def test_unknown_terms_are_warned_of_and_shown_as_unknown(tmp_path: Path) -> None:
    with RunFolder(tmp_path / "run", config(tmp_path)) as folder:
        sampled(folder, records(3))
    done = here("export", str(tmp_path / "run"), "--format", "hf", "--part", "sampled")
    assert done.returncode == 0, done.stderr
    warnings = [line for line in done.stderr.split("\n") if line.startswith("warning: ")]
    assert ["licence" in warnings[0], "source" in warnings[1], len(warnings)] == [True, True, 2]
    text = (tmp_path / "run" / "export" / "hf-sampled" / "README.md").read_text(encoding="utf-8")
    assert "license: unknown\n" in text
    assert "* licence: unknown\n" in text
    assert "* source: unknown\n" in text
    assert "No model has worked on these records" in text


@pytest.mark.parametrize("form", ["graphml", "node-link"])
def test_support_subgraphs_are_in_their_parts(export_run_dir: Path, tmp_path: Path, form: str) -> None:
    exported(export_run_dir, form, tmp_path / "out")
    records = [BenchmarkRecord.model_validate_json(line) for line in benchmark(export_run_dir)]
    made = split(records, 0)
    for record in records:
        place = tmp_path / "out" / record.constraint_part / made.part_of(record.id)
        wanted = support_graph(record, made.part_of(record.id))
        if form == "graphml":
            read = nx.read_graphml(place / f"{record.id}.graphml", edge_key_type=int, force_multigraph=True)
            assert set(read.edges(keys=True)) == set(wanted.edges(keys=True))
        else:
            lines = place.with_suffix(".jsonl").read_bytes().splitlines()
            line = next(line for line in lines if json.loads(line)["graph"]["instance_id"] == record.id)
            assert nx.utils.graphs_equal(nx.node_link_graph(json.loads(line), edges="edges"), wanted)
    assert len(contents(tmp_path / "out")) == 1 + (len(records) if form == "graphml" else 6)


def test_the_released_schema_has_no_split(export_run_dir: Path, tmp_path: Path) -> None:
    report = exported(export_run_dir, "chronoqg-release", tmp_path / "out")
    assert report.split is None
    for kind in ConstraintCount:
        lines = (tmp_path / "out" / f"{kind}.jsonl").read_bytes().splitlines()
        ours = RunReader(export_run_dir).benchmark_file(kind).read_bytes().splitlines()
        assert [json.loads(line)["id"] for line in lines] == [json.loads(line)["id"] for line in ours]
    run = ("export", str(export_run_dir), "--format", "chronoqg-release", "--out", str(tmp_path / "other"))
    assert "--split-seed: chronoqg-release has no split" in refused(*run, "--split-seed", "1")
    assert "--exact-shares: chronoqg-release has no split" in refused(*run, "--exact-shares")
    assert "no place for records without a final question" in refused(*run, "--part", "sampled")
    assert not (tmp_path / "other").exists()


@pytest.mark.slow
def test_the_same_run_gives_the_same_bytes_in_any_process(export_run_dir: Path, tmp_path: Path) -> None:
    for form in ("hf", "jsonl", "graphml", "node-link", "chronoqg-release"):
        exported(export_run_dir, form, tmp_path / form)
        done = chronoqg("export", str(export_run_dir), "--format", form, "--out", str(tmp_path / "again"), PYTHONHASHSEED="1")
        assert done.returncode == 0, done.stderr
        assert contents(tmp_path / "again") == contents(tmp_path / form)
        shutil.rmtree(tmp_path / "again")


@pytest.mark.parametrize("form", ["hf", "graphml"])
def test_an_export_made_again_has_the_same_bytes(export_run_dir: Path, tmp_path: Path, form: str) -> None:
    exported(export_run_dir, form, tmp_path / "out")
    before = contents(tmp_path / "out")
    exported(export_run_dir, form, tmp_path / "out")
    assert contents(tmp_path / "out") == before


def test_an_earlier_export_of_the_run_is_replaced_and_nothing_else(export_run_dir: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    exported(export_run_dir, "jsonl", out)
    before = contents(out)
    exported(export_run_dir, "jsonl", out, "--split-seed", "5")
    assert contents(out) != before
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    command = ("export", str(export_run_dir), "--format", "jsonl", "--out", str(out))
    (out / "notes.txt").write_text("mine")
    assert "also holds 'notes.txt', which is not this export's" in refused(*command)
    (out / "notes.txt").unlink()
    assert "also holds 'M/dev.jsonl'" in refused(*command[:3], "hf", *command[4:])
    note = json.loads((out / "export.json").read_bytes())
    (out / "export.json").write_text(json.dumps({**note, "config_sha256": "0"}))
    assert "holds the export of another run" in refused(*command)
    (out / "export.json").unlink()
    assert "not empty, and not an export" in refused(*command)
    link = tmp_path / "link"
    link.symlink_to(out)
    assert "this is no folder" in refused(*command[:-1], str(link))
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["link", "out"]


def unfinished(run: Path) -> None:
    with RunFolder(run, config(run.parent, "dataset=years")) as folder:
        folder.reopen()


def without_agents(run: Path) -> None:
    unfinished(run)
    (run / "run.sqlite").unlink()


def a_study(run: Path) -> None:
    (run / "items.jsonl").write_text("")


def nothing_accepted(run: Path) -> None:
    manifest = RunReader(run).manifest
    assert manifest.counts is not None
    none = manifest.model_copy(update={"counts": manifest.counts.model_copy(update={"accepted": 0})})
    (run / "manifest.json").write_bytes(model_line(none))


def a_line_lost(run: Path) -> None:
    path = RunReader(run).benchmark_file(ConstraintCount.MULTI)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))


def a_line_broken(run: Path) -> None:
    path = RunReader(run).benchmark_file(ConstraintCount.MULTI)
    path.write_bytes(path.read_bytes() + b"{}\n")


def the_parts_swapped(run: Path) -> None:
    shutil.copy(RunReader(run).benchmark_file(ConstraintCount.SINGLE), RunReader(run).benchmark_file(ConstraintCount.MULTI))


def changed(run: Path, **fields: Any) -> None:
    """Edits the last record of S by hand."""
    path = RunReader(run).benchmark_file(ConstraintCount.SINGLE)
    *lines, last = path.read_bytes().splitlines()
    path.write_bytes(b"".join(line + b"\n" for line in (*lines, json.dumps({**json.loads(last), **fields}).encode())))


def an_id_that_leads_elsewhere(run: Path) -> None:
    changed(run, id="../../years-000000000001")


def a_question_twice(run: Path) -> None:
    first = json.loads(benchmark(run)[0])["final_question"]
    changed(run, final_question=f" {first.upper()}")


def a_step_that_is_text(run: Path) -> None:
    trace = last_of_single(run)["trace"]
    changed(run, trace={**trace, "steps": ["root", *trace["steps"][1:]]})


def no_manifest(run: Path) -> None:
    (run / "manifest.json").unlink()


@pytest.mark.parametrize(
    ("spoil", "what"),
    [
        (unfinished, "the run is not finished. Go on with the command that began it, or export its traces"),
        (without_agents, "no agents have worked in this run directory. Make it a build"),
        (a_study, "this is a study's directory, and runs are exported"),
        (nothing_accepted, "the run accepted no question, so there is nothing to export"),
        (a_line_lost, "records are there, the manifest counts"),
        (a_line_broken, "years-M.jsonl:"),
        (the_parts_swapped, "years-M.jsonl:1: no accepted record of this part"),
        (an_id_that_leads_elsewhere, "no run makes the id '../../years-000000000001'"),
        (a_question_twice, " has the question of years-"),
        (a_step_that_is_text, "broken line: trace.steps.0: "),
        (no_manifest, "this is not a run directory: it has no manifest.json"),
    ],
)
def test_what_cannot_be_exported_is_refused_and_leaves_nothing(
    export_run_dir: Path, tmp_path: Path, spoil: Callable[[Path], None], what: str
) -> None:
    run = Path(shutil.copytree(export_run_dir, tmp_path / "run"))
    spoil(run)
    for form in ("hf", "graphml", "chronoqg-release"):
        assert what in refused("export", str(run), "--format", form)
    assert not (run / "export").exists()
    assert [path.name for path in tmp_path.iterdir() if path.name != "sample.yaml"] == ["run"]


def last_of_single(run: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(RunReader(run).benchmark_file(ConstraintCount.SINGLE).read_bytes().splitlines()[-1])
    return found


def sentences_lost(run: Path) -> None:
    changed(run, space_search_process=[])


def a_fact_that_nothing_binds(run: Path) -> None:
    trace = last_of_single(run)["trace"]
    side = "left" if "left" in trace["steps"][-1] else "fact"
    changed(run, trace={**trace, "steps": [*trace["steps"][:-1], {**trace["steps"][-1], side: "f9"}]})


def a_number_as_text(run: Path) -> None:
    changed(run, provenance={**last_of_single(run)["provenance"], "seed": "0"})


@pytest.mark.parametrize(
    ("form", "spoil", "what"),
    [
        (ExportFormat.RELEASE, sentences_lost, "trace, facts, labels and sentences do not belong together"),
        (ExportFormat.RELEASE, a_fact_that_nothing_binds, "trace, facts, labels and sentences do not belong together"),
        (ExportFormat.HF, a_number_as_text, "a value is not of its column's type: "),
    ],
)
def test_a_record_that_a_format_has_no_place_for_is_refused_in_one_line(
    export_run_dir: Path, tmp_path: Path, form: ExportFormat, spoil: Callable[[Path], None], what: str
) -> None:
    run = Path(shutil.copytree(export_run_dir, tmp_path / "run"))
    spoil(run)
    with pytest.raises(RunFolderError, match=re.escape(what)) as caught:
        export_run(run, form)
    assert "\n" not in str(caught.value)
    assert not (run / "export").exists()


def test_a_failure_leaves_an_earlier_export_as_it_was(export_run_dir: Path, tmp_path: Path) -> None:
    run = Path(shutil.copytree(export_run_dir, tmp_path / "run"))
    target, _ = export_run(run, ExportFormat.HF)
    assert target == run / "export" / "hf"
    before = contents(run)
    a_line_broken(run)
    assert "years-M.jsonl" in refused("export", str(run), "--format", "hf")
    assert contents(target) == {name.removeprefix("export/hf/"): data for name, data in before.items() if name.startswith("export/")}


@pytest.mark.parametrize("form", list(ExportFormat))
def test_a_disk_that_takes_no_more_is_told_with_the_name_and_leaves_nothing(
    export_run_dir: Path, tmp_path: Path, form: ExportFormat
) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(RunFolderError, match=r"new/out: cannot be written: File too large\. Free the place or choose another --out"):
            export_run(export_run_dir, form, tmp_path / "new" / "out")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert list(tmp_path.iterdir()) == []


def test_exact_shares_are_said_to_be_so(export_run_dir: Path, tmp_path: Path) -> None:
    report = exported(export_run_dir, "hf", tmp_path / "out", "--exact-shares")
    assert report.split is not None
    assert report.split.is_exact
    made = split((BenchmarkRecord.model_validate_json(line) for line in benchmark(export_run_dir)), 0, exact=True)
    for kind in KINDS:
        ids = {record.id for record in read_parquet(tmp_path / "out" / kind / "train.parquet")}
        assert {made.part_of(ident) for ident in ids} == {"train"}
    assert "The shares were dealt within S and M" in (tmp_path / "out" / "README.md").read_text(encoding="utf-8")


def test_sampled_traces_are_exported_from_a_run_of_any_state(export_run_dir: Path, tmp_path: Path) -> None:
    run = Path(shutil.copytree(export_run_dir, tmp_path / "run"))
    without_agents(run)
    target, report = export_run(run, ExportFormat.JSONL, records=Records.SAMPLED)
    assert target == run / "export" / "jsonl-sampled"
    lines = [line for path in target.rglob("*.jsonl") for line in path.read_bytes().splitlines()]
    assert sorted(lines) == sorted(RunReader(run).trace_lines())
    assert report.records is Records.SAMPLED


def test_the_report_is_printed_for_a_person(export_run_dir: Path, tmp_path: Path) -> None:
    done = here("export", str(export_run_dir), "--format", "hf", "--out", str(tmp_path / "out"))
    lines = done.stdout.split("\n")
    assert lines[0] == f"exported   {len(benchmark(export_run_dir))} accepted records of years as hf"
    assert any(line.startswith("in common  support-fact set 0, query 0, normalised question 0, single support fact ") for line in lines)
    assert f"wrote {tmp_path / 'out'}\nnext: python -c " in done.stderr


def test_a_seed_that_json_cannot_hold_is_refused(export_run_dir: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="the seed is too large"):
        export_run(export_run_dir, ExportFormat.JSONL, tmp_path / "out", split_seed=1 << 63)
    assert not list(tmp_path.iterdir())


def test_an_unknown_format_is_refused(export_run_dir: Path) -> None:
    done = here("export", str(export_run_dir), "--format", "csv")
    assert done.returncode == 2
    assert "csv" in done.stderr


def test_the_command_offers_every_format_and_choice(export_run_dir: Path) -> None:
    from runs.cli import exporting

    assert [form.value for form in exporting._Format] == [form.value for form in ExportFormat]
    assert [kind.value for kind in exporting._Records] == [kind.value for kind in Records]
