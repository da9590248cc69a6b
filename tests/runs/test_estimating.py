"""An estimate is made offline, writes nothing, and the run that follows lies within it."""

from __future__ import annotations

import json
import re
import shutil
import socket
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import SMALL, here, refused
from tests.fake_openai_server import FakeServer, Reply, good
from tests.runs.test_model_run import KnowsAll

ROLES = ("rewriter", "verifier", "error_analyst", "reviser", "leak_rewriter")


class CountsBytes(KnowsAll):
    """The same model on a server whose tokens are bytes, and which at times says what cannot be used."""

    def __call__(self, body: dict[str, Any]) -> Reply:
        asked = body["messages"]
        reply = super().__call__({**body, "messages": asked[:2]})
        number = sum(map(ord, asked[1]["content"]))
        if len(asked) == 2 and number % 3 == 0:
            reply = Reply(content="I would rather not say.\nMaybe later.")
        elif len(asked) == 2 and number % 3 == 1 and "answers" in (reply.content or ""):
            reply = good(answers=["Nobody"], cannot_tell=False)
        read = sum(len(message["content"].encode()) for message in asked) + len(json.dumps(body["response_format"]))
        return replace(reply, usage={"prompt_tokens": read, "completion_tokens": len(reply.content or ""), "total_tokens": read})


@dataclass
class Setup:
    """A server that nobody may reach but a build, and the arguments of both commands."""

    server: FakeServer
    folder: Path
    arguments: tuple[str, ...]

    @property
    def out(self) -> Path:
        return self.folder / "run"

    def call(self, command: str, *more: str, code: int = 0) -> Any:
        places = ("--out", str(self.out), *(() if command == "sample" else ("--set", f"cache.path={self.folder / 'cache'}")))
        done = here(command, *SMALL, *self.arguments, *places, *more)
        assert done.returncode == code, done.stderr
        return done

    def estimate(self, *more: str) -> dict[str, Any]:
        return dict(json.loads(self.call("estimate", "--json", *more).stdout))


@pytest.fixture(scope="module")
def shared(build_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Setup]:
    """A server and a sample for it; tests work on copies."""
    with FakeServer(CountsBytes(build_dir)) as server:
        model = {
            "provider": "openai", "model": "gpt-test", "api_key_env": "CHRONOQG_TEST_KEY", "base_url": server.url,
            "token_limit": 1000, "price": {"input": 1, "output": 2},
        }  # fmt: skip
        overrides = [f"models.gpt={json.dumps(model)}", *(f"agents.{role}.model=gpt" for role in ROLES)]
        made = Setup(server, tmp_path_factory.mktemp("models"), tuple(part for override in overrides for part in ("--set", override)))
        made.call("sample")
        yield made


@pytest.fixture
def empty(shared: Setup, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Setup:
    """A folder without a run."""
    monkeypatch.setenv("CHRONOQG_TEST_KEY", "sk-test")
    monkeypatch.setattr(shared.server, "seen", [])
    return replace(shared, folder=tmp_path)


@pytest.fixture
def setup(empty: Setup, shared: Setup, monkeypatch: pytest.MonkeyPatch) -> Setup:
    """A run that is sampled."""
    shutil.copytree(shared.out, empty.out)
    return empty


def snapshot(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {str(path): (path.stat().st_mtime_ns, path.read_bytes() if path.is_file() else b"") for path in sorted(folder.rglob("*"))}


@pytest.mark.slow
def test_an_estimate_needs_no_key_and_no_network_and_writes_nothing(empty: Setup, shared: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CHRONOQG_TEST_KEY")
    monkeypatch.chdir(empty.folder)

    def forbidden(*args: object, **kwargs: object) -> None:
        raise AssertionError("an estimate opened a socket")

    monkeypatch.setattr(socket, "socket", forbidden)
    told = empty.call("estimate", "--limit", "4")
    dry = empty.call("build", "--dry-run", "--limit", "4")
    assert told.stdout == dry.stdout
    assert "4 instances to take" in told.stdout
    assert "already in the cache: 0 of 4 rewriter calls" in told.stdout
    assert told.stderr.endswith("next: the same arguments with `chronoqg build`\n")
    assert dry.stderr.endswith("next: the same command without --dry-run\n")
    assert list(empty.folder.iterdir()) == []
    assert empty.server.seen == []
    before = snapshot(shared.folder)
    assert shared.call("estimate", "--limit", "4").stdout == told.stdout, "traces on disk are those that are sampled in memory"
    assert snapshot(shared.folder) == before


def test_a_real_run_lies_between_least_and_bound(setup: Setup) -> None:
    told = setup.estimate("--limit", "12")
    setup.call("build", "--limit", "12", code=0)
    rows = {row["role"]: row for row in json.loads((setup.out / "usage.json").read_bytes())["rows"]}
    least, bound = (by_role(told, case) for case in ("least", "bound"))
    assert rows["rewriter"]["calls"] > told["instances"], "some calls were sent again"
    assert set(rows) <= set(bound)
    for role, limits in bound.items():
        row = rows.get(role, Counter())
        assert least[role]["calls"] <= row["calls"] <= limits["calls"]
        assert least[role]["prompt_tokens"] <= row["input"] <= limits["prompt_tokens"]
        assert row["output"] <= limits["reply_tokens"]
        assert row["usd_paid"] <= limits["usd"]
    assert sum(row["usd_paid"] for row in rows.values()) <= told["total"]["bound"]["usd"]


def by_role(told: dict[str, Any], case: str) -> dict[str, Counter[str]]:
    sums: dict[str, Counter[str]] = {}
    for row in told["stages"]:
        sums.setdefault(row["role"], Counter()).update(row[case])
    return sums


@pytest.mark.slow
def test_an_estimate_counts_what_is_left_and_what_the_cache_holds(setup: Setup, build_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup.server, "script", KnowsAll(build_dir))
    setup.call("build", "--limit", "6")
    before, cached = snapshot(setup.out), snapshot(setup.folder / "cache").keys()
    nothing = setup.estimate("--limit", "6")
    assert (nothing["instances"], nothing["finished"]) == (0, 6)
    assert nothing["total"]["bound"] == {"calls": 0, "prompt_tokens": 0, "reply_tokens": 0, "usd": 0.0}
    assert nothing["usd_spent"] > 0
    more = setup.estimate("--limit", "10")
    assert (more["instances"], more["finished"], more["rewriter_calls_in_cache"]) == (4, 6, 0)
    assert more["total"]["least"]["calls"] == 8
    assert snapshot(setup.out) == before
    anew = setup.estimate("--limit", "10", "--out", str(setup.folder / "other"))
    assert (anew["instances"], anew["finished"], anew["rewriter_calls_in_cache"]) == (10, 0, 6)
    assert anew["stages"][0]["least"]["calls"] == 4
    assert anew["stages"][0]["most"]["calls"] == 10
    assert anew["stages"][0]["least"]["usd"] == pytest.approx(more["stages"][0]["least"]["usd"])
    assert snapshot(setup.folder / "cache").keys() == cached
    assert not (setup.folder / "other").exists()


def test_failed_instances_are_counted_only_when_they_are_to_be_redone(setup: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup.server, "script", lambda body: Reply(content="No.\nNo."))
    setup.call("build", "--limit", "3", code=1)
    assert setup.estimate("--limit", "3")["instances"] == 0
    assert setup.estimate("--limit", "3", "--retry-failed")["instances"] == 3


def test_the_tables_show_the_numbers_of_the_json(setup: Setup) -> None:
    told, lines = setup.estimate("--limit", "3"), setup.call("estimate", "--limit", "3").stdout.splitlines()
    names = [row["stage"] for row in told["stages"]]
    assert names == ["rewrite", "verify (all)", "analyse", "revise", "verify repair (all)", "leak rewrite", "verify leak rewrite (all)"]
    for name, row in [*zip(names, told["stages"], strict=True), ("total", told["total"])]:
        calls, tokens = (re.split(r"  +", line) for line in lines if line.startswith(f"{name}  "))
        cases = [row[case] for case in ("least", "most", "bound")]
        assert calls[-6:] == [f"{case['calls']:,}" for case in cases] + [f"{case['usd']:,.4f}" for case in cases]
        assert tokens[1:] == [f"{case[kind]:,}" for kind in ("prompt_tokens", "reply_tokens") for case in cases]
    assert told["total"]["most"]["usd"] == pytest.approx(sum(row["most"]["usd"] for row in told["stages"]))


@pytest.mark.slow
def test_a_missing_limit_or_price_is_said_and_a_budget_is_compared(empty: Setup) -> None:
    changed = [
        "--set", "models.free={provider: openai, model: free}", "--set", "agents.error_analyst.model=free",
        "--set", "models.gpt.token_limit=null", "--set", "models.gpt.rpm=2", "--set", "run.budget_usd=0.01",
    ]  # fmt: skip
    told = empty.estimate("--limit", "4", *changed)
    assert told["without_price"] == ["free"]
    assert told["stages"][2]["most"]["usd"] is None
    assert told["stages"][2]["most"]["prompt_tokens"] > 0
    assert {row["unbounded_by"] for row in told["stages"]} == {"gpt", "free"}
    assert told["total"]["bound"] == {"calls": 84, "prompt_tokens": None, "reply_tokens": None, "usd": None}
    assert told["within_budget"] == {"least": told["total"]["least"]["usd"] <= 0.01, "most": False, "bound": False}
    assert told["hours"]["gpt"] == {"least": 8 / 2 / 60, "most": 24 / 2 / 60, "bound": 72 / 2 / 60}
    text = empty.call("estimate", "--limit", "4", *changed).stdout
    assert "unbounded: no token_limit" in text
    assert "no price, and so not in the total: free" in text
    assert "no token_limit, and so no bound: free, gpt" in text
    assert "A build keeps a budget only if" in text
    assert re.search(r"budget 0\.01 USD: .*bound NOT within", text)
    assert "fewest hours for gpt at 2 requests a minute: least 0.07 h, most 0.20 h, bound 0.60 h" in text


def test_a_run_by_rules_costs_nothing(tmp_path: Path) -> None:
    done = here("estimate", *SMALL, "--limit", "5", "--out", str(tmp_path / "run"))
    assert done.returncode == 0, done.stderr
    assert "No model is called: offline-rules costs nothing." in done.stdout
    assert "already in the cache" not in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_what_a_build_would_refuse_is_refused(sample_copy: Path, tmp_path: Path) -> None:
    assert "Did you mean 'target'?" in refused("estimate", *SMALL, "--set", "sampler.tarket=3")
    other = ("--set", "dataset=other", "--out", str(sample_copy))
    assert refused("estimate", *SMALL, *other) == refused("build", *SMALL, *other)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "note.txt").write_text("mine")
    full = ("--out", str(tmp_path / "full"))
    assert refused("estimate", *SMALL, *full) == refused("build", *SMALL, *full)
    assert "it is a file" in refused("estimate", *SMALL, "--out", str(tmp_path / "full" / "note.txt"))
