from __future__ import annotations

import json
import logging
import pickle
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import diskcache
import pytest

from agents.response_cache import ForeignRow, ResponseCache, TextDisk, request_key
from state.errors import ConfigError
from state.trajectory import Request
from state.vocabulary import Role

BASE: dict[str, Any] = {
    "messages": ({"role": "user", "content": "facts: 1, 2"},),
    "schema": {"type": "json_schema"},
    "model": "m",
    "base_url": "http://a/v1",
    "params_sent": {"temperature": 0, "seed": 1, "max_tokens": 10},
}


def key(role: Role = Role.REWRITER, provider: str = "openai", sample: int = 0, **changed: Any) -> str:
    return request_key(role, provider, Request(**{**BASE, **changed}), sample)


def test_everything_that_can_change_a_reply_changes_the_key() -> None:
    keys = [
        key(),
        key(model="n"),
        key(base_url="http://b/v1"),
        key(params_sent={"temperature": 0.5, "seed": 1, "max_tokens": 10}),
        key(params_sent={"temperature": 0, "seed": 2, "max_tokens": 10}),
        key(params_sent={"temperature": 0, "seed": 1, "max_tokens": 20}),
        key(params_sent={"temperature": 0, "seed": 1, "max_completion_tokens": 10}),
        key(messages=({"role": "user", "content": "facts: 2, 1"},)),
        key(messages=({"role": "system", "content": "facts: 1, 2"},)),
        key(schema=None),
        key(schema={"type": "json_object"}),
        key(role=Role.VERIFIER),
        key(provider="offline-rules"),
        key(sample=1),
    ]
    assert len(set(keys)) == len(keys)


def test_the_order_of_a_dict_does_not_change_the_key() -> None:
    assert key(params_sent={"max_tokens": 10, "seed": 1, "temperature": 0}) == key()


def test_the_key_is_the_same_in_another_process() -> None:
    script = (
        "import json, sys\nfrom agents.response_cache import request_key\nfrom state.trajectory import Request\n"
        "from state.vocabulary import Role\n"
        "print(request_key(Role.REWRITER, 'openai', Request(**json.load(sys.stdin)), 0))"
    )
    done = subprocess.run([sys.executable, "-c", script], input=json.dumps(BASE), capture_output=True, text=True, check=True)
    assert done.stdout.strip() == key()


def test_a_text_comes_back_and_nothing_else_does(tmp_path: Path) -> None:
    cache = ResponseCache(tmp_path / "cache")
    cache.put(key(), '{"a": "\ufffd é"}')
    assert cache.get(key()) == '{"a": "\ufffd é"}'
    assert cache.get(key(sample=1)) is None


def test_the_folder_is_for_its_owner_alone(tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir(mode=0o755)
    ResponseCache(tmp_path / "cache")
    assert (tmp_path / "cache").stat().st_mode & 0o777 == 0o700


def test_nothing_is_evicted(tmp_path: Path) -> None:
    cache = ResponseCache(tmp_path / "cache")
    keys = [key(sample=number) for number in range(300)]
    for one in keys:
        cache.put(one, "x" * 8000)
    cache.close()
    assert all(ResponseCache(tmp_path / "cache").get(one) == "x" * 8000 for one in keys[:3])
    assert len(ResponseCache(tmp_path / "cache")) == 300
    assert [path.name for path in (tmp_path / "cache").iterdir() if path.suffix == ".val" or path.is_dir()] == []


class Planted:
    """Runs code when unpickled."""

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return (exec, ("raise SystemExit('the pickle ran')",))


def tampered(folder: Path, one: str, **columns: Any) -> None:
    with sqlite3.connect(folder / "cache.db") as connection:
        settings = ", ".join(f"{name} = ?" for name in columns)
        assert connection.execute(f"UPDATE Cache SET {settings} WHERE key = ?", (*columns.values(), one)).rowcount == 1
    connection.close()


@pytest.mark.parametrize("mode", [2, 3, 4])
def test_a_planted_row_is_refused_before_it_is_touched(tmp_path: Path, mode: int, caplog: pytest.LogCaptureFixture) -> None:
    folder, victim = tmp_path / "cache", tmp_path / "victim"
    victim.write_bytes(pickle.dumps(Planted()))
    cache = ResponseCache(folder)
    for name, columns in {
        "pickle": {"mode": 4, "value": pickle.dumps(Planted()), "filename": None},
        "file": {"mode": mode, "value": None, "filename": "../victim"},
        "inline with a file": {"mode": 1, "value": "text", "filename": "../victim"},
        "bytes": {"mode": 1, "value": b"bytes", "filename": None},
        "number": {"mode": 1, "value": 5, "filename": None},
    }.items():
        cache.put(name, "good")
        tampered(folder, name, **columns)
        with caplog.at_level(logging.WARNING):
            assert cache.get(name) is None
        assert name[:12] in caplog.text
        cache.put(name, "better")
        assert cache.get(name) == "better"
    assert victim.read_bytes() == pickle.dumps(Planted())


def test_the_disk_refuses_what_is_not_text(tmp_path: Path) -> None:
    disk = TextDisk(str(tmp_path))
    for call in (
        lambda: disk.put(1),
        lambda: disk.put(("a",)),
        lambda: disk.store({"a": 1}, False),
        lambda: disk.get(b"x", False),
        disk.filename,
    ):
        with pytest.raises(ForeignRow):
            call()


def test_a_cache_with_other_settings_is_refused(tmp_path: Path) -> None:
    diskcache.Cache(str(tmp_path / "cache"), size_limit=200_000).close()
    with pytest.raises(ConfigError, match="another setting"):
        ResponseCache(tmp_path / "cache")


@pytest.mark.parametrize("content", [b"not a database at all, only text" * 100, b"SQLite format 3\x00" + b"\xff" * 4096])
def test_a_broken_database_is_one_clear_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "cache.db").write_bytes(content)
    with pytest.raises(ConfigError, match="not a readable cache"):
        ResponseCache(tmp_path / "cache")


def test_a_file_in_place_of_the_folder_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("x")
    with pytest.raises(ConfigError, match="cannot be used"):
        ResponseCache(tmp_path / "cache")


def test_a_folder_of_other_things_is_left_as_it_is(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "thesis.txt").write_text("x")
    with pytest.raises(ConfigError, match="holds other things"):
        ResponseCache(tmp_path)
    assert tmp_path.stat().st_mode & 0o777 == 0o755
