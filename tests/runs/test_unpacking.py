"""What a stranger's zip may hold: a run is unpacked, anything else is refused and leaves nothing behind."""

from __future__ import annotations

import random
import resource
import shutil
import sqlite3
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from runs.packing import pack_run
from runs.unpacking import MAX_FILES, parse_size, unpack_run
from state.errors import ChronoQGError, RunFolderError
from tests.command_line import here, refused
from tests.packed_runs import Members, make_run, members_of, rejected, zip_of


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A packed run of composed records; not to be changed."""
    run = make_run(tmp_path_factory.mktemp("packed") / "run")
    return pack_run(run).path


def database_changed(members: Members, folder: Path, *statements: str) -> Members:
    """The same run with its database changed by hand."""
    path = folder / "changed.sqlite"
    path.write_bytes(members["run.sqlite"])
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.executescript(statement)
    connection.close()
    return {**members, "run.sqlite": path.read_bytes()}


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
    assert what in rejected(zip_of(tmp_path / "x.zip", members_of(packed), (name, b"x")))


def test_a_name_with_control_characters_is_refused_and_shown_escaped(packed: Path, tmp_path: Path) -> None:
    message = rejected(zip_of(tmp_path / "x.zip", members_of(packed), ("benchmark/\x1b[2J.jsonl", b"x")))
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
    file = zip_of(tmp_path / "x.zip", members_of(packed), (one, b""), (other, b""))
    assert "is there twice, in another spelling" in rejected(file)


def test_a_name_that_is_there_twice_is_refused(packed: Path, tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        file = zip_of(tmp_path / "x.zip", members_of(packed), ("failed.jsonl", b""))
    assert "'failed.jsonl' is there twice" in rejected(file)


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFDIR, stat.S_IFSOCK])
def test_links_and_special_files_are_refused(packed: Path, tmp_path: Path, kind: int) -> None:
    member = zipfile.ZipInfo("report.html")
    member.external_attr = (kind | 0o777) << 16
    assert "is a link or another special file" in rejected(zip_of(tmp_path / "x.zip", members_of(packed), (member, b"/etc/passwd")))


def test_an_encrypted_member_is_refused(packed: Path, tmp_path: Path) -> None:
    data = bytearray(zip_of(tmp_path / "x.zip", members_of(packed)).read_bytes())
    data[data.rindex(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "x.zip").write_bytes(data)
    assert "is encrypted" in rejected(tmp_path / "x.zip")


def test_other_compressions_are_refused(packed: Path, tmp_path: Path) -> None:
    member = zipfile.ZipInfo("report.html")
    with zipfile.ZipFile(zip_of(tmp_path / "x.zip", members_of(packed)), "a") as opened:
        opened.writestr(member, b"x", compress_type=zipfile.ZIP_LZMA)
    assert "is compressed in a way" in rejected(tmp_path / "x.zip")


def test_a_bomb_is_refused_by_the_bytes_that_come_out(packed: Path, tmp_path: Path) -> None:
    file = zip_of(tmp_path / "x.zip", members_of(packed), ("report.html", bytes(20_000_000)))
    assert file.stat().st_size < 200_000
    assert "it holds more than --max-size" in rejected(file, "--max-size", "19MB")
    assert here("unpack", str(file), "--out", str(tmp_path / "new"), "--max-size", "21MB").returncode == 0


@pytest.mark.parametrize("said", [1, 40_000_000])
def test_a_member_whose_size_is_a_lie_is_refused(packed: Path, tmp_path: Path, said: int) -> None:
    file = zip_of(tmp_path / "x.zip", members_of(packed), ("report.html", bytes(20_000_000)))
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


def test_a_disk_that_takes_no_more_is_told_with_a_remedy_and_leaves_nothing(packed: Path, tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(RunFolderError, match=r"cannot be unpacked: File too large\. Free the place of --out, or choose another"):
            unpack_run(packed, tmp_path / "new" / "run")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert list(tmp_path.iterdir()) == []


def test_folders_listed_by_another_zip_program_do_no_harm(packed: Path, tmp_path: Path) -> None:
    report = unpack_run(zip_of(tmp_path / "x.zip", members_of(packed), ("benchmark/", b""), ("prompts/", b"")), tmp_path / "new")
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
    message = rejected(zip_of(tmp_path / "x.zip", altered))
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
        ("UPDATE outcomes SET status = 'x'", "a stored outcome cannot be read"),
        ("UPDATE outcomes SET last_node = 'nowhere'", "a stored outcome cannot be read"),
        ("UPDATE outcomes SET question = x'ff'", "a stored outcome cannot be read"),
        ("UPDATE visits SET visit = '{}'", "a stored node visit cannot be read"),
    ],
)
def test_a_strangers_database_with_anything_else_in_it_is_refused(packed: Path, tmp_path: Path, statement: str, what: str) -> None:
    (tmp_path / "zip").mkdir()
    altered = database_changed(members_of(packed), tmp_path, statement)
    assert what in rejected(zip_of(tmp_path / "zip" / "x.zip", altered))


def test_a_database_with_a_damaged_index_is_refused(packed: Path, tmp_path: Path) -> None:
    (tmp_path / "zip").mkdir()
    hide = "PRAGMA writable_schema = ON; DELETE FROM sqlite_master WHERE name = 'sqlite_autoindex_outcomes_1';"
    altered = database_changed(members_of(packed), tmp_path, hide)
    assert "x.zip/run.sqlite" in rejected(zip_of(tmp_path / "zip" / "x.zip", altered))


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
    assert "x.zip/cache.jsonl" in rejected(zip_of(tmp_path / "x.zip", members_of(packed), ("cache.jsonl", good_line + line + b"\n")))


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
