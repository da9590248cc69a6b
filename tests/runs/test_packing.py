"""A run packed, sent and unpacked is the same run; anything else in the zip leaves nothing behind."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
import stat
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from filelock import FileLock

from agents.response_cache import ResponseCache
from runs.config_file import load_config
from runs.engine import run_pending
from runs.packed_files import is_known_file
from runs.packing import pack_run
from runs.run_folder import RunFolder, RunReader
from runs.unpacking import MAX_FILES, parse_size, unpack_run
from state.errors import ChronoQGError, RunFolderError
from tests.command_line import SMALL, here, refused
from tests.fake_openai_server import FakeServer, good
from tests.run_directory import ScriptedAgents, config, mixed, records, result_files, sampled

Members = dict[str, bytes]


def make_run(path: Path, *overrides: str, count: int = 6) -> Path:
    """A finished run of composed records."""
    with RunFolder(path, config(path.parent, *overrides)) as folder:
        sampled(folder, records(count))
        run_pending(folder, ScriptedAgents(mixed).agents)
    return path


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A packed run of composed records; not to be changed."""
    run = make_run(tmp_path_factory.mktemp("packed") / "run")
    return pack_run(run).path


def members_of(file: Path) -> Members:
    with zipfile.ZipFile(file) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def write(file: Path, members: Members, *more: tuple[zipfile.ZipInfo | str, bytes]) -> Path:
    """A zip of these members."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, data in (*members.items(), *more):
            opened.writestr(name, data)
    return file


def rejected(file: Path, *options: str) -> str:
    """The one line with which unpacking refuses; nothing is left beside the file."""
    before = sorted(file.parent.iterdir())
    message = refused("unpack", str(file), "--out", str(file.parent / "deep" / "new"), *options)
    assert sorted(file.parent.iterdir()) == before
    return message


def tree(path: Path) -> Members:
    return {str(file.relative_to(path)): file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file()}


def database_changed(members: Members, folder: Path, *statements: str) -> Members:
    """The same run with its database changed by hand."""
    path = folder / "changed.sqlite"
    path.write_bytes(members["run.sqlite"])
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.executescript(statement)
    connection.close()
    return {**members, "run.sqlite": path.read_bytes()}


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
        assert what in rejected(write(tmp_path / "zip" / "x.zip", altered))


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


def test_the_servers_and_variables_of_a_strangers_config_are_named(tmp_path: Path) -> None:
    model = "{provider: openai, model: m, base_url: 'http://elsewhere.example/v1', api_key_env: MY_KEY, headers_env: {X-A: OTHER}}"
    run = make_run(tmp_path / "run", f"models={{offline: {{provider: offline-rules}}, gpt: {model}}}", "agents.verifier.model=gpt")
    done = here("unpack", str(pack_run(run).path), "--out", str(tmp_path / "theirs"))
    assert done.returncode == 0, done.stderr
    assert "its model 'gpt' is asked at http://elsewhere.example/v1, with the values of MY_KEY, OTHER; look at" in done.stderr


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("../evil", "leads out of the directory"),
        ("prompts/../../evil.md", "leads out of the directory"),
        ("/etc/passwd", "leads out of the directory"),
        ("C:/evil", "leads out of the directory"),
        ("C:evil", "leads out of the directory"),
        ("prompts\\verifier\\v1.md", "leads out of the directory"),
        ("evil.sh", "is no file of a run"),
        (".lock", "is no file of a run"),
        ("run.sqlite-wal", "is no file of a run"),
        ("benchmark/.hidden.jsonl", "is no file of a run"),
        ("benchmark/a/b.jsonl", "is no file of a run"),
        ("prompts/verifier/v1.py", "is no file of a run"),
        ("forks/traces.jsonl", "is no file of a run"),
        ("forks/f/traces.jsonl", "is no file of a run"),
        ("cache/cache.db", "is no file of a run"),
        ("benchmark/" + "x" * 200 + ".jsonl", "is no file of a run"),
        ("elsewhere/", "is no file of a run"),
        ("prompts/verifier/deeper/", "is no file of a run"),
        ("manifest.json/", "is no file of a run"),
        ("manifest.json ", "is no file of a run"),
        ("MANIFEST.json", "is no file of a run"),
    ],
)
def test_a_name_that_no_run_has_is_refused(packed: Path, tmp_path: Path, name: str, what: str) -> None:
    assert what in rejected(write(tmp_path / "x.zip", members_of(packed), (name, b"x")))


def test_a_name_with_control_characters_is_refused_and_shown_escaped(packed: Path, tmp_path: Path) -> None:
    message = rejected(write(tmp_path / "x.zip", members_of(packed), ("benchmark/\x1b[2J.jsonl", b"x")))
    assert "\x1b" not in message
    assert "is no file of a run" in message


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("benchmark/a.jsonl", "benchmark/A.jsonl"),
        ("benchmark/é.jsonl", "benchmark/e\u0301.jsonl"),
        ("benchmark/ß.jsonl", "benchmark/SS.jsonl"),
        ("forks/f/fork.json", "forks/F/config.yaml"),
    ],
)
def test_names_that_some_disks_take_for_one_are_refused(packed: Path, tmp_path: Path, one: str, other: str) -> None:
    file = write(tmp_path / "x.zip", members_of(packed), (one, b""), (other, b""))
    assert "is there twice, in another spelling" in rejected(file)


def test_a_name_that_is_there_twice_is_refused(packed: Path, tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        file = write(tmp_path / "x.zip", members_of(packed), ("failed.jsonl", b""))
    assert "'failed.jsonl' is there twice" in rejected(file)


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFDIR, stat.S_IFSOCK])
def test_links_and_special_files_are_refused(packed: Path, tmp_path: Path, kind: int) -> None:
    member = zipfile.ZipInfo("report.html")
    member.external_attr = (kind | 0o777) << 16
    assert "is a link or another special file" in rejected(write(tmp_path / "x.zip", members_of(packed), (member, b"/etc/passwd")))


def test_an_encrypted_member_is_refused(packed: Path, tmp_path: Path) -> None:
    data = bytearray(write(tmp_path / "x.zip", members_of(packed)).read_bytes())
    data[data.rindex(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "x.zip").write_bytes(data)
    assert "is encrypted" in rejected(tmp_path / "x.zip")


def test_other_compressions_are_refused(packed: Path, tmp_path: Path) -> None:
    member = zipfile.ZipInfo("report.html")
    with zipfile.ZipFile(write(tmp_path / "x.zip", members_of(packed)), "a") as opened:
        opened.writestr(member, b"x", compress_type=zipfile.ZIP_LZMA)
    assert "is compressed in a way" in rejected(tmp_path / "x.zip")


def test_a_bomb_is_refused_by_the_bytes_that_come_out(packed: Path, tmp_path: Path) -> None:
    file = write(tmp_path / "x.zip", members_of(packed), ("report.html", bytes(20_000_000)))
    assert file.stat().st_size < 200_000
    assert "it holds more than --max-size" in rejected(file, "--max-size", "19MB")
    assert here("unpack", str(file), "--out", str(tmp_path / "new"), "--max-size", "21MB").returncode == 0


@pytest.mark.parametrize("said", [1, 40_000_000])
def test_a_member_whose_size_is_a_lie_is_refused(packed: Path, tmp_path: Path, said: int) -> None:
    file = write(tmp_path / "x.zip", members_of(packed), ("report.html", bytes(20_000_000)))
    data = bytearray(file.read_bytes())
    at = data.rindex(b"PK\x01\x02") + 24
    assert int.from_bytes(data[at : at + 4], "little") == 20_000_000
    data[at : at + 4] = said.to_bytes(4, "little")
    file.write_bytes(data)
    assert "cut short" in rejected(file)


def test_too_many_members_are_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as opened:
        for number in range(MAX_FILES + 1):
            opened.writestr(f"benchmark/{number}.jsonl", b"")
    assert "more than any run has" in rejected(tmp_path / "x.zip")


def test_what_is_no_zip_or_is_cut_short_or_flipped_is_refused(packed: Path, tmp_path: Path) -> None:
    file, whole = tmp_path / "x.zip", packed.read_bytes()
    for damage in (b"", b"PK", b"no zip at all" * 100, whole[:-1], whole[: len(whole) // 2], whole[:-200] + bytes(200)):
        file.write_bytes(damage)
        assert "this is not a zip file, or it is damaged or cut short" in rejected(file)
    rng = random.Random(5)
    for _ in range(25):
        data = bytearray(whole)
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        file.write_bytes(data)
        try:
            unpack_run(file, tmp_path / "new")
        except ChronoQGError:
            assert sorted(path.name for path in tmp_path.iterdir()) == ["x.zip"]
        else:
            shutil.rmtree(tmp_path / "new")
    assert "no such file" in rejected_missing(tmp_path)


def rejected_missing(folder: Path) -> str:
    return refused("unpack", str(folder / "none.zip"), "--out", str(folder / "new")).lower()


def test_an_existing_target_is_refused_and_left_alone(packed: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "dangling").symlink_to("nowhere")
    for name in ("mine", "dangling"):
        assert f"{name}: it exists already" in refused("unpack", str(packed), "--out", str(tmp_path / name))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dangling", "mine"]


def test_folders_listed_by_another_zip_program_do_no_harm(packed: Path, tmp_path: Path) -> None:
    report = unpack_run(write(tmp_path / "x.zip", members_of(packed), ("benchmark/", b""), ("prompts/", b"")), tmp_path / "new")
    assert report.files == len(members_of(packed))


@pytest.mark.parametrize(
    ("name", "change", "what"),
    [
        ("manifest.json", lambda data: None, "no manifest.json"),
        ("config.yaml", lambda data: None, "'config.yaml' should be there"),
        ("traces.jsonl", lambda data: None, "'traces.jsonl' should be there"),
        ("failed.jsonl", lambda data: None, "'failed.jsonl' should be there"),
        ("manifest.json", lambda data: b"{", "x.zip/manifest.json:1: broken line"),
        ("manifest.json", lambda data: data.replace(b'"format": 1', b'"format": 2'), "manifest.json"),
        ("manifest.json", lambda data: data.replace(b'"sample"', b'"../../sample"', 1), "different datasets"),
        ("manifest.json", lambda data: data.replace(b'"prompts": {}', b'"prompts": {"../../secret": "0"}'), "no file of a run"),
        ("manifest.json", lambda data: data.replace(b'"count": 6', b'"count": 7'), "counts other traces"),
        ("traces.jsonl", lambda data: data.replace(b"number 2", b"number 9"), "x.zip/traces.jsonl: the file is not the one"),
        ("traces.jsonl", lambda data: data[:-5], "cut off"),
        ("config.yaml", lambda data: data + b"a: &a [x]\nb: [*a, *a]\n", "no YAML aliases"),
        ("config.yaml", lambda data: data + b"a: " + b"[" * 100_000, "nested too deeply"),
        ("config.yaml", lambda data: data + b"more: 1\n", "x.zip/config.yaml"),
        ("config.yaml", lambda data: b"\xff\xfe\x00", "x.zip/config.yaml"),
        ("run.sqlite", lambda data: b"no database", "x.zip/run.sqlite: the run's database cannot be used"),
        ("run.sqlite", lambda data: data[:6000] + bytes(3000) + data[9000:], "x.zip/run.sqlite"),
        ("run.sqlite", lambda data: data[: len(data) // 2], "x.zip/run.sqlite"),
    ],
)
def test_what_does_not_read_as_a_run_is_refused(
    packed: Path, tmp_path: Path, name: str, change: Callable[[bytes], bytes | None], what: str
) -> None:
    members = members_of(packed)
    members["manifest.json"] = members["manifest.json"].replace(b'"prompts": null', b'"prompts": {}')
    changed = change(members[name])
    assert changed != members[name]
    altered = {**{key: data for key, data in members.items() if key != name}, **({} if changed is None else {name: changed})}
    message = rejected(write(tmp_path / "x.zip", altered))
    assert what in message
    assert "/." not in message.replace("/../", ""), "the temporary folder is nobody's business"


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("CREATE TRIGGER t AFTER INSERT ON outcomes BEGIN DELETE FROM visits; END", "trigger 't'"),
        ("CREATE VIEW v AS SELECT * FROM outcomes", "view 'v'"),
        ("CREATE TABLE more (x)", "table 'more'"),
        ("CREATE VIRTUAL TABLE f USING fts5(x)", "table 'f"),
        ("CREATE INDEX i ON outcomes (lower(status))", "index 'i'"),
        ("DROP TABLE duplicates", "index 'sqlite_autoindex_duplicates_1'"),
        ("ALTER TABLE meta ADD COLUMN x TEXT DEFAULT 'y'", "table 'meta'"),
        ("DROP TABLE outcomes; CREATE VIEW outcomes AS SELECT 1", "index 'sqlite_autoindex_outcomes_1'"),
        ("UPDATE meta SET value = '2'", "not of format 1"),
        ("UPDATE outcomes SET status = 'x'", "holds what no run writes"),
        ("UPDATE outcomes SET last_node = 'nowhere'", "a stored outcome cannot be read"),
        ("UPDATE outcomes SET question = x'ff'", "a stored outcome cannot be read"),
        ("UPDATE visits SET visit = '{}'", "a stored node visit cannot be read"),
    ],
)
def test_a_strangers_database_with_anything_else_in_it_is_refused(packed: Path, tmp_path: Path, statement: str, what: str) -> None:
    (tmp_path / "zip").mkdir()
    altered = database_changed(members_of(packed), tmp_path, statement)
    assert what in rejected(write(tmp_path / "zip" / "x.zip", altered))


def test_a_database_with_a_damaged_index_is_refused(packed: Path, tmp_path: Path) -> None:
    (tmp_path / "zip").mkdir()
    hide = "PRAGMA writable_schema = ON; DELETE FROM sqlite_master WHERE name = 'sqlite_autoindex_outcomes_1';"
    altered = database_changed(members_of(packed), tmp_path, hide)
    assert "x.zip/run.sqlite" in rejected(write(tmp_path / "zip" / "x.zip", altered))


@pytest.mark.parametrize(
    "line",
    [
        b"{}",
        b"no json",
        b'{"format":2,"key":"' + b"0" * 64 + b'","entry":"x"}',
        b'{"format":1,"key":"../x","entry":"x"}',
        b'{"format":1,"key":"' + b"0" * 64 + b'","entry":{"a":1}}',
        b'{"format":1,"key":"' + b"0" * 64 + b'","entry":"\\ud800"}',
        b'{"format":1,"key":"' + b"1" * 64 + b'","entry":"again"}',
    ],
)
def test_a_packed_cache_holds_text_under_hashes_only(packed: Path, tmp_path: Path, line: bytes) -> None:
    good_line = b'{"format":1,"key":"' + b"1" * 64 + b'","entry":"text"}\n'
    assert "x.zip/cache.jsonl" in rejected(write(tmp_path / "x.zip", members_of(packed), ("cache.jsonl", good_line + line + b"\n")))


@pytest.mark.parametrize(
    ("text", "size"), [("500MB", 500_000_000), ("4GB", 4_000_000_000), ("4 gb", 4_000_000_000), ("12", 12), ("7kb", 7000)]
)
def test_sizes_are_read_in_powers_of_ten(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "0", "-1", "4XB", "GB", "1.5GB", "1e9", "4GiB", "٤GB", "9" * 40])
def test_what_is_no_size_is_refused(packed: Path, tmp_path: Path, text: str) -> None:
    with pytest.raises(RunFolderError, match="is no size"):
        parse_size(text)
    assert "--max-size" in refused("unpack", str(packed), "--out", str(tmp_path / "new"), f"--max-size={text}")


def test_every_file_that_a_run_writes_is_known(build_dir: Path) -> None:
    names = {str(path.relative_to(build_dir)) for path in build_dir.rglob("*") if path.is_file()}
    assert {name for name in names if not is_known_file(name)} == {".lock"}
    assert load_config(build_dir / "config.yaml").config.dataset == "years"
