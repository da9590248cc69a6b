"""Runs on a Ray cluster of two nodes in one machine: the bytes of a local run, whoever is killed on the way."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.counting_server import Replies
from benchmarks.loopback_server import write_script
from runs.run_folder import RunReader
from tests.command_line import COMMAND, ROOT, SMALL, environment, here
from tests.fake_openai_server import FakeServer, Reply
from tests.known_model import ROLES
from tests.run_directory import result_files

pytestmark = [pytest.mark.extras, pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="needs the extra `ray`")]

KEY = "sk-test-DO-NOT-LEAK"
CONCURRENCY = 6
INSTANCES = 20


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """The address of a cluster of two nodes with one processor each."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")  # nodes are named by the loopback address
        from ray.cluster_utils import Cluster

        made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
        made.add_node(num_cpus=1)
        yield made.address
        made.shutdown()


class Scripted:
    """A server of which every kind of end comes, and what is to happen at its n-th request."""

    def __init__(self, sample: Path, folder: Path) -> None:
        script = write_script(RunReader(sample).traces(), folder / "script.json")
        self._replies = Replies(json.loads(script.read_bytes()))
        self._lock = threading.Lock()
        self.bodies: list[str] = []
        self.at: dict[int, Callable[[], None]] = {}

    def __call__(self, body: dict[str, Any]) -> Reply:
        self.bodies.append(hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest())
        self.at.pop(len(self.bodies), lambda: None)()
        return Reply(content=self._replies(body), delay_s=0.02)


class Scene:
    """A server, and the command that builds with it."""

    def __init__(self, folder: Path, sample: Path) -> None:
        self.folder, self.script = folder, Scripted(sample, folder)
        self.server = FakeServer(self.script)

    def command(self, name: str, *more: str) -> list[str]:
        """A build with a cache of its own."""
        model = {
            "provider": "openai", "model": "m", "base_url": self.server.url, "api_key_env": "CHRONOQG_TEST_KEY", "token_limit": 60,
            "price": {"input": 0.25, "output": 2}, "concurrency": CONCURRENCY,
        }  # fmt: skip
        overrides = [f"models.gpt={json.dumps(model)}", f"cache.path={self.folder / name}.cache", f"run.concurrency={CONCURRENCY}"]
        overrides += [f"agents.{role}.model=gpt" for role in ROLES]
        words = ["build", *SMALL, *(part for override in overrides for part in ("--set", override))]
        return [*words, "--limit", str(INSTANCES), "--out", str(self.folder / name), *more]

    def whole(self, name: str, *more: str) -> tuple[dict[str, bytes], Counter[str]]:
        """The files of a build that ends, and how often each request arrived."""
        self.script.bodies.clear()
        done = here(*self.command(name, *more))
        assert done.returncode == 1, done.stderr  # some instances fail
        return result_files(self.folder / name), Counter(self.script.bodies)


@pytest.fixture
def scene(sample_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scene]:
    monkeypatch.setenv("CHRONOQG_TEST_KEY", KEY)
    scene = Scene(tmp_path, sample_dir)
    with scene.server:
        yield scene


def _processes() -> dict[int, tuple[int, str]]:
    """Process -> its parent and how it was called."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                called = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                state, parent, *_ = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if state != "Z":  # dead, and nobody has asked how it ended
                found[int(entry.name)] = (int(parent), called)
    return found


def _below(top: int) -> dict[int, str]:
    """The processes that a process has started, and theirs."""
    processes, inside = _processes(), {top}
    while more := {pid for pid, (parent, _) in processes.items() if parent in inside} - inside:
        inside |= more
    return {pid: processes[pid][1] for pid in inside - {top}}


def test_a_build_whose_sampler_and_agents_work_on_two_nodes_gives_the_bytes_of_a_local_one(
    cluster: str, build_dir: Path, tmp_path: Path
) -> None:
    done = here("build", *SMALL, "--out", str(tmp_path / "run"), "--executor", "ray", "--address", cluster)
    assert done.returncode == 0, done.stderr
    assert f"joining the Ray cluster at {cluster}" in done.stderr
    assert "Ray" not in done.stdout
    assert result_files(tmp_path / "run") == result_files(build_dir)
    assert (tmp_path / "run" / "traces.jsonl").read_bytes() == (build_dir / "traces.jsonl").read_bytes()
    assert (tmp_path / "run" / "coverage.json").read_bytes() == (build_dir / "coverage.json").read_bytes()
    assert here("check", str(tmp_path / "run")).returncode == 0


def test_a_build_over_tables_gives_the_bytes_of_a_local_one(cluster: str, tmp_path: Path) -> None:
    for name, *more in (("local",), ("ray", "--executor", "ray", "--address", cluster)):
        limits = ["--set", "tdbench.limit=5", "--set", f"cache.path={tmp_path / name}.cache"]
        done = here("tdbench", "build", str(ROOT / "runs/tdbench-quickstart.yaml"), *limits, "--out", str(tmp_path / name), *more)
        assert done.returncode == 0, done.stderr
    files = result_files(tmp_path / "local")
    assert files["benchmark/tables.jsonl"]
    assert result_files(tmp_path / "ray") == files


def test_a_worker_that_is_killed_costs_nothing_and_changes_no_byte(cluster: str, scene: Scene) -> None:
    files, asked = scene.whole("local")
    assert all(files.values()), "every kind of end is there"
    killed: list[int] = []

    def kill() -> None:  # a worker that has work, or has just begun anew
        alive = [pid for pid, called in _below(os.getpid()).items() if called.startswith("ray::AgentActor") and pid not in killed]
        killed.append(alive[0])
        os.kill(alive[0], signal.SIGKILL)

    scene.script.at = {10: kill, 30: kill}
    assert scene.whole("ray", "--executor", "ray", "--address", cluster) == (files, asked)
    assert len(killed) == 2


def test_a_driver_that_is_killed_is_gone_on_with_by_the_same_command(cluster: str, scene: Scene) -> None:
    files, asked = scene.whole("local")
    scene.script.bodies.clear()
    command = [*COMMAND, *scene.command("ray", "--executor", "ray", "--address", cluster)]
    driver = subprocess.Popen(command, cwd=ROOT, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    scene.script.at = {25: driver.kill}
    _, err = driver.communicate(timeout=100)
    assert driver.returncode == -signal.SIGKILL, err
    assert not (scene.folder / "ray" / "benchmark").exists()
    before = Counter(scene.script.bodies)
    again_files, again = scene.whole("ray", "--executor", "ray", "--address", cluster)
    assert again_files == files
    assert set(before) | set(again) == set(asked)
    assert sum((before + again).values()) - sum(asked.values()) <= CONCURRENCY


def test_ray_that_the_command_starts_itself_knows_no_key_and_ends_with_a_killed_driver(sample_dir: Path, tmp_path: Path) -> None:
    command = [*COMMAND, "sample", *SMALL, "--out", str(tmp_path / "run"), "--executor", "ray"]
    driver = subprocess.Popen(
        command, cwd=ROOT, env=environment(OPENAI_API_KEY=KEY), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    started: dict[int, str] = {}
    inherited: set[int] = set()
    while driver.poll() is None and not any("ask_shard" in called for called in started.values()):
        started |= _below(driver.pid)
        for pid in started:
            try:
                if KEY.encode() in Path(f"/proc/{pid}/environ").read_bytes():
                    inherited.add(pid)
            except OSError:
                continue
        time.sleep(0.02)
    driver.kill()
    _, err = driver.communicate()
    assert any("ask_shard" in called for called in started.values()), err
    assert not inherited
    # Ray's own two agents of a node notice later.
    working = {pid: called for pid, called in started.items() if not called.startswith(("ray::DashboardAgent", "ray::RuntimeEnvAgent"))}
    until = time.monotonic() + 60
    while (left := {pid: working[pid] for pid in working.keys() & _processes().keys()}) and time.monotonic() < until:
        time.sleep(0.1)
    assert not left
