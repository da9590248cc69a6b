"""A run packed, sent and unpacked is the same run, with its forks and, if asked for, its replies."""

from __future__ import annotations

import json
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from filelock import FileLock

from agents.response_cache import ResponseCache
from runs.config_file import load_config
from runs.packed_files import is_known_file
from runs.packing import pack_run
from runs.run_folder import RunFolder, RunReader
from runs.unpacking import unpack_run
from tests.command_line import SMALL, here, refused
from tests.fake_openai_server import FakeServer, good
from tests.packed_runs import make_run, members_of, rejected, zip_of
from tests.run_directory import config, records, result_files, sampled


def tree(path: Path) -> dict[str, bytes]:
    return {str(file.relative_to(path)): file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file()}


@pytest.mark.slow
def test_a_packed_build_replays_checks_and_shows_where_it_is_unpacked_and_the_original_is_gone(build_copy: Path, tmp_path: Path) -> None:
    before, ident = result_files(build_copy), RunReader(build_copy).first_accepted()
    assert ident is not None
    packing = here("pack", str(build_copy), "--out", str(tmp_path / "sent" / "mine.zip"))
    assert packing.returncode == 0, packing.stderr
    assert f"next: chronoqg unpack {tmp_path}/sent/mine.zip --out DIR" in packing.stderr
    shutil.rmtree(build_copy)
    theirs = tmp_path / "far" / "theirs"
    unpacking = here("unpack", str(tmp_path / "sent" / "mine.zip"), "--out", str(theirs))
    assert unpacking.returncode == 0, unpacking.stderr
    assert f"next: chronoqg replay {theirs} {ident}" in unpacking.stderr
    assert "note:" not in unpacking.stderr, "no server is named in this run"
    assert result_files(theirs) == before
    for record in list(RunReader(theirs).traces())[:5]:
        assert here("replay", str(theirs), record.id).returncode == 0
    assert "Final question" in here("show", str(theirs), ident).stdout
    assert "no finding" in here("check", str(theirs)).stdout
    assert here("build", *SMALL, "--out", str(theirs)).stderr.startswith(f"{theirs} was finished before")
    assert [path.name for path in theirs.parent.iterdir()] == ["theirs"]
    assert stat.S_IMODE(theirs.stat().st_mode) == stat.S_IMODE(theirs.parent.stat().st_mode)


def test_the_same_run_gives_the_same_bytes_and_so_does_its_unpacked_copy(build_copy: Path, tmp_path: Path) -> None:
    one = pack_run(build_copy, tmp_path / "one.zip")
    unpack_run(one.path, tmp_path / "copy")
    for name, run in (("two", build_copy), ("three", tmp_path / "copy")):
        assert pack_run(run, tmp_path / f"{name}.zip").path.read_bytes() == one.path.read_bytes()


def test_a_sample_without_agents_is_packed_too(tmp_path: Path) -> None:
    with RunFolder(tmp_path / "run", config(tmp_path)) as folder:
        sampled(folder, records(3))
    report = pack_run(tmp_path / "run")
    assert report.files == ("config.yaml", "coverage.json", "manifest.json", "traces.jsonl")
    unpack_run(report.path, tmp_path / "copy")
    assert tree(tmp_path / "copy") == {name: (tmp_path / "run" / name).read_bytes() for name in report.files}


def test_the_log_travels_in_the_database_and_what_was_deleted_does_not(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    connection = sqlite3.connect(run / "run.sqlite")
    connection.execute("CREATE TABLE gone (x TEXT)")
    connection.executemany("INSERT INTO gone VALUES (?)", [("TOP-SECRET" * 300,)] * 50)
    connection.commit()
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.execute("DROP TABLE gone")
    connection.commit()
    connection.execute("INSERT INTO duplicates VALUES ('sample-in-the-log', 'x')")
    connection.commit()
    shutil.copytree(run, tmp_path / "killed")
    connection.close()
    assert (tmp_path / "killed" / "run.sqlite-wal").stat().st_size
    assert b"TOP-SECRET" in (tmp_path / "killed" / "run.sqlite").read_bytes()
    members = members_of(pack_run(tmp_path / "killed").path)
    assert b"TOP-SECRET" not in members["run.sqlite"]
    assert b"sample-in-the-log" in members["run.sqlite"]
    assert "run.sqlite-wal" not in members


def test_only_a_runs_own_files_travel_and_what_stays_is_said(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    (run / "notes.txt").write_text("mine")
    (run / "cache").mkdir()
    (run / "cache" / "cache.db").write_text("large")
    (run / "prompts" / "rewriter").mkdir(parents=True)
    (run / "prompts" / "rewriter" / "draft.txt").write_text("mine")
    (run / "report.html").write_text("<p>")
    report = pack_run(run, tmp_path / "x.zip")
    assert report.left == ("cache/", "notes.txt", "prompts/rewriter/draft.txt")
    assert "left out   cache/, notes.txt, prompts/rewriter/draft.txt" in report.lines()
    assert set(members_of(report.path)) == set(report.files)
    assert "report.html" in report.files
    assert not any("lock" in name or "-wal" in name for name in report.files)


def test_a_link_in_a_run_is_not_followed(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    (tmp_path / "secret").write_text("mine")
    (run / "report.html").symlink_to(tmp_path / "secret")
    assert "report.html: this is a link" in refused("pack", str(run))
    (run / "report.html").unlink()
    (tmp_path / "elsewhere").mkdir()
    (run / "prompts").symlink_to(tmp_path / "elsewhere")
    assert "prompts: this is a link" in refused("pack", str(run))
    assert not (tmp_path / "run.zip").exists()


def test_packing_refuses_what_is_no_run_what_exists_and_what_is_damaged(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    assert "not a run directory" in refused("pack", str(tmp_path))
    assert "no such run directory" in refused("pack", str(tmp_path / "none"))
    (tmp_path / "there.zip").write_text("precious")
    assert "there.zip: it exists already" in refused("pack", str(run), "--out", str(tmp_path / "there.zip"))
    assert (tmp_path / "there.zip").read_text() == "precious"
    (run / "failed.jsonl").rename(tmp_path / "kept")
    assert "'failed.jsonl' should be there" in refused("pack", str(run), "--out", str(tmp_path / "new" / "x.zip"))
    assert not (tmp_path / "new").exists()
    (tmp_path / "kept").rename(run / "failed.jsonl")
    (run / "traces.jsonl").write_bytes((run / "traces.jsonl").read_bytes().replace(b"number 2", b"number 9"))
    assert "not the one that was sampled" in refused("pack", str(run))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run", "sample.yaml", "there.zip"]


def test_a_run_that_another_process_works_in_is_not_packed(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    code = (
        "from runs.run_folder import RunFolder\nfrom runs.config_file import load_config\n"
        f"folder = RunFolder({str(run)!r}, load_config({str(tmp_path / 'sample.yaml')!r}))\nprint('mine', flush=True)\ninput()\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == "mine\n"
        assert "another process is working in this run directory" in refused("pack", str(run))
        owner.communicate("\n")
    assert here("pack", str(run)).returncode == 0


@pytest.mark.slow
def test_forks_travel_with_their_run_and_one_that_was_never_begun_does_not(build_copy: Path, tmp_path: Path) -> None:
    ident = RunReader(build_copy).first_accepted()
    assert ident is not None
    forking = ("--from", "verify", "--live", "--name", "other", "--set", "agents.retries=1")
    assert here("replay", str(build_copy), ident, *forking).returncode == 0
    (build_copy / "forks" / "half").mkdir()
    shutil.copy(build_copy / "config.yaml", build_copy / "forks" / "half")
    report = pack_run(build_copy, tmp_path / "x.zip")
    assert report.left == ("forks/half/",)
    assert {name for name in report.files if "fork" in name} == {
        f"forks/other/{name}" for name in ("fork.json", "config.yaml", "run.sqlite")
    }
    theirs = tmp_path / "theirs"
    unpack_run(report.path, theirs)
    assert pack_run(theirs, tmp_path / "y.zip").path.read_bytes() == report.path.read_bytes()
    shutil.rmtree(build_copy)
    assert here("replay", f"{theirs}@other", ident).returncode == 0
    assert "changed fate      0 of 1" in here("compare", str(theirs), f"{theirs}@other").stdout
    members = members_of(report.path)
    evil = members["forks/other/fork.json"].replace(b'"prompts": {}', b'"prompts": {"../../../secret": "0"}')
    for name, data, what in (
        ("forks/other/fork.json", None, "the run has no fork 'other'"),
        ("forks/other/fork.json", members["forks/other/fork.json"].replace(b'"other"', b'"../other"'), "calls itself '../other'"),
        ("forks/other/fork.json", evil, "'forks/other/prompts/../../../secret.md' should be there"),
        ("forks/other/config.yaml", b"a: &a 1\nb: *a\n", "no YAML aliases"),
        ("forks/other/run.sqlite", b"none", "x.zip/forks/other/run.sqlite"),
    ):
        (tmp_path / "zip").mkdir(exist_ok=True)
        altered = {key: value for key, value in {**members, name: data}.items() if value is not None}
        assert what in rejected(zip_of(tmp_path / "zip" / "x.zip", altered))


def test_a_run_is_not_packed_while_somebody_works_on_a_fork_of_it(build_copy: Path, tmp_path: Path) -> None:
    (build_copy / "forks" / "other").mkdir(parents=True)
    (build_copy / "forks" / "other" / "fork.json").write_text("{}")
    with FileLock(build_copy / "forks" / "other" / ".lock"):
        assert "forks/other: another process is working in this" in refused("pack", str(build_copy), "--out", str(tmp_path / "x.zip"))
    assert "fork.json:1: broken line" in refused("pack", str(build_copy), "--out", str(tmp_path / "x.zip"))


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[Callable[..., object]]:
    """Builds with a model that always says the same, into a run directory of the test's own."""
    with FakeServer(lambda body: good(question="Who was it?")) as server:

        def build(name: str, cache: Path) -> object:
            model = {"provider": "openai", "model": "gpt-test", "base_url": server.url}
            arguments = [f"models={json.dumps({'offline': {'provider': 'offline-rules'}, 'gpt': model})}", f"cache.path={cache}"]
            arguments += ["agents.rewriter.model=gpt", "agents.retries=0", "sampler.target=8"]
            overrides = [part for argument in arguments for part in ("--set", argument)]
            return here("build", *SMALL, *overrides, "--limit", "4", "--out", str(tmp_path / name))

        build.server = server  # type: ignore[attr-defined]
        yield build


@pytest.mark.slow
def test_the_packed_replies_make_a_build_without_the_server_the_same(asked: Callable[..., object], tmp_path: Path) -> None:
    asked("run", tmp_path / "cache")
    other = ResponseCache(tmp_path / "cache")
    other.put("f" * 64, "another run's")
    other.close()
    done = here("pack", str(tmp_path / "run"), "--with-cache", "--out", str(tmp_path / "x.zip"))
    assert done.returncode == 0, done.stderr
    assert "cache      4 of 4 requests, 0 are not in the cache" in done.stdout
    lines = [json.loads(line) for line in members_of(tmp_path / "x.zip")["cache.jsonl"].splitlines()]
    assert [set(line) for line in lines] == [{"format", "key", "entry"}] * 4
    assert [line["key"] for line in lines] == sorted(line["key"] for line in lines)
    shutil.rmtree(tmp_path / "cache")
    done = here("unpack", str(tmp_path / "x.zip"), "--out", str(tmp_path / "theirs"))
    assert done.returncode == 0, done.stderr
    assert f"its replies: --set cache.path={tmp_path}/theirs/cache" in done.stderr
    asked.server.__exit__()  # type: ignore[attr-defined]
    assert f"its model 'gpt' is asked at {asked.server.url}; look at" in done.stderr  # type: ignore[attr-defined]
    again = pack_run(tmp_path / "theirs", tmp_path / "y.zip", with_cache=True, cache=tmp_path / "theirs" / "cache")
    assert again.path.read_bytes() == (tmp_path / "x.zip").read_bytes()
    for name in ("run.sqlite", "discarded.jsonl", "failed.jsonl"):
        (tmp_path / "theirs" / name).unlink()
    asked("theirs", tmp_path / "theirs" / "cache")
    assert result_files(tmp_path / "theirs") == result_files(tmp_path / "run")
    with RunReader(tmp_path / "theirs").database() as database:
        assert sum(row.cached_calls for row in database.usage() if row.role == "rewriter") == 4


def test_requests_that_the_cache_lacks_are_counted_and_a_missing_cache_is_refused(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    assert "there is no such cache" in refused("pack", str(run), "--with-cache", "--cache", str(tmp_path / "none"))
    assert not (tmp_path / "none").exists()
    ResponseCache(tmp_path / "empty").close()
    report = pack_run(run, with_cache=True, cache=tmp_path / "empty")
    with RunReader(run).database() as database:
        visits = [visit for ident in database.finished() for visit in database.trajectory(ident).visits]
    keys = {one.request_sha256 for visit in visits for one in visit.tries}
    assert keys
    assert f"cache      0 of {len(keys)} requests, {len(keys)} are not in the cache" in report.lines()
    assert "cache.jsonl" not in report.files


def test_every_file_that_a_run_writes_is_known(build_dir: Path) -> None:
    names = {str(path.relative_to(build_dir)) for path in build_dir.rglob("*") if path.is_file()}
    assert {name for name in names if not is_known_file(name)} == {".lock"}
    assert load_config(build_dir / "config.yaml").config.dataset == "years"
