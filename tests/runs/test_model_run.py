"""A whole run with a model behind a server: prompts are kept, keys are not, replies are paid once."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import prompts
from runs.run_folder import RunReader
from state.vocabulary import Outcome, Role
from tests.command_line import here, refused
from tests.fake_openai_server import FakeServer, Reply, failure, good
from tests.known_model import ROLES, KnowsAll, ModelRun

KEY = "sk-test-DO-NOT-LEAK"


@dataclass(frozen=True)
class Setup(ModelRun):
    """A server, and how to call it."""

    server: FakeServer = field(kw_only=True)


@pytest.fixture
def setup(build_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Setup]:
    monkeypatch.setenv("CHRONOQG_TEST_KEY", KEY)
    monkeypatch.setenv("CHRONOQG_TEST_HEADER", "header-DO-NOT-LEAK")
    shutil.copytree(prompts.FOLDER, tmp_path / "prompts", ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    with FakeServer(KnowsAll(build_dir)) as server:
        address = server.url.replace("http://", "http://user:DO-NOT-LEAK-pw@") + "?api-key=DO-NOT-LEAK-query"
        model = {
            "provider": "openai", "model": "gpt-test", "api_key_env": "CHRONOQG_TEST_KEY", "base_url": address,
            "headers_env": {"X-Extra": "CHRONOQG_TEST_HEADER"}, "price": {"input": 1, "output": 2},
        }  # fmt: skip
        yield Setup(tmp_path, model, (f"prompts.path={tmp_path / 'prompts'}",), server=server)


def test_a_run_with_a_model_keeps_its_prompts_and_replays_without_server_or_cache(setup: Setup) -> None:
    done = setup.build("run")
    assert done.returncode == 0, done.stderr
    reader = RunReader(setup.folder / "run")
    assert reader.manifest.prompts is not None
    assert {f"{role}/v1" for role in ROLES} == set(reader.manifest.prompts)
    assert (reader.prompts_path / "verifier" / "v1.md").read_bytes() == (prompts.FOLDER / "verifier" / "v1.md").read_bytes()
    setup.server.__exit__()
    shutil.rmtree(setup.folder / "cache")
    for record in list(reader.traces())[:8]:
        replayed = here("replay", str(reader.path), record.id)
        assert replayed.returncode == 0, replayed.stderr


@pytest.mark.slow
def test_a_run_with_a_round_trip_reader_records_what_it_read_and_replays_without_server_or_cache(setup: Setup) -> None:
    done = setup.build("run", "--set", "agents.verifier.modes=[all, roundtrip]", "--set", "agents.round_trip_reader.model=gpt")
    assert done.returncode == 0, done.stderr
    reader = RunReader(setup.folder / "run")
    assert {f"{role}/v1" for role in (*ROLES, "round_trip_reader")} == set(reader.manifest.prompts or ())
    rows = json.loads((reader.path / "usage.json").read_bytes())["rows"]
    (row,) = [row for row in rows if row["role"] == "round_trip_reader"]
    assert row["calls"] > 0
    assert row["input"] == 11 * row["calls"]
    ident = reader.first_accepted()
    assert ident is not None
    with reader.database() as database:
        visits = database.trajectory(ident).visits
    (visit,) = [visit for visit in visits if visit.role is Role.ROUND_TRIP_READER]
    assert (visit.mode, visit.outcome, visit.result["verdict"]) == ("roundtrip", Outcome.AGREES, "match")
    assert visit.result["answers"] == [reader.record(ident).answer]
    shown = here("show", str(reader.path), ident).stdout
    assert "verify (round_trip_reader, mode roundtrip, prompt v1" in shown
    assert here("check", str(reader.path)).returncode == 0
    setup.server.__exit__()
    shutil.rmtree(setup.folder / "cache")
    replayed = here("replay", str(reader.path), "--all")
    assert replayed.returncode == 0, replayed.stderr


@pytest.mark.slow
def test_an_edited_prompt_of_the_run_stops_replay_and_build_and_a_newer_one_is_only_a_note(setup: Setup) -> None:
    assert setup.build("run").returncode == 0
    run = setup.folder / "run"
    ident = RunReader(run).first_accepted()
    assert ident is not None
    newer = setup.folder / "prompts" / "rewriter" / "v1.md"
    newer.write_text(newer.read_text().replace("# System\n", "# System\nBe brief. "))
    done = here("replay", str(run), ident)
    assert done.returncode == 0
    assert "prompt rewriter/v1 was changed since the run" in done.stderr
    assert "rewrite" in refused("replay", str(run), ident, "--current-prompts", code=1)
    continued = setup.build("run", "--limit", "9")
    assert continued.returncode == 0
    assert "goes on with its own copy" in continued.stderr
    assert here("replay", str(run), list(RunReader(run).traces())[8].id).returncode == 0
    own = run / "prompts" / "rewriter" / "v1.md"
    own.write_bytes(own.read_bytes().replace(b"a", b"e", 1))
    assert refused("replay", str(run), ident, code=1)
    message = here("build", *setup.arguments, "--limit", "10", "--out", str(run)).stderr
    assert "the run's own copy of the prompt was edited" in message


def test_usage_counts_tokens_and_a_second_run_pays_nothing(setup: Setup) -> None:
    assert setup.build("one").returncode == 0
    sent = len(setup.server.seen)
    assert sent >= 16
    rows = json.loads((setup.folder / "one" / "usage.json").read_bytes())["rows"]
    assert sum(row["calls"] for row in rows) == sent
    assert sum(row["input"] for row in rows) == 11 * sent
    assert sum(row["usd_paid"] for row in rows) == pytest.approx(sent * (11 + 2 * 7) / 1e6)
    assert setup.build("two").returncode == 0
    assert len(setup.server.seen) == sent
    again = json.loads((setup.folder / "two" / "usage.json").read_bytes())["rows"]
    assert sum(row["cached_calls"] for row in again) == sent
    assert sum(row["usd_paid"] for row in again) == 0
    for name in ("benchmark/years-S.jsonl", "benchmark/years-M.jsonl", "discarded.jsonl", "failed.jsonl"):
        assert (setup.folder / "one" / name).read_bytes() == (setup.folder / "two" / name).read_bytes()


@pytest.mark.slow
def test_a_server_that_fails_makes_failed_instances_and_retrying_mends_them(setup: Setup) -> None:
    knows_all = setup.server.script
    setup.server.script = lambda body: failure(400, "no such model")
    done = setup.build("run")
    assert done.returncode == 1
    assert "failed     8" in done.stdout
    assert "next: the same command with --retry-failed" in done.stderr, "the stored config lacks the address's credentials"
    setup.server.script = knows_all
    assert setup.build("run").returncode == 1
    mended = setup.build("run", "--retry-failed")
    assert mended.returncode == 0, mended.stderr
    assert "failed     0" in mended.stdout


@pytest.mark.slow
def test_retrying_asks_again_for_stored_questions_that_did_not_pass_the_gate(setup: Setup) -> None:
    knows_all = setup.server.script

    def names_nothing(body: dict[str, Any]) -> Reply:
        return good(question="Who was it?") if body["response_format"]["json_schema"]["name"] == "question" else knows_all(body)

    setup.server.script = names_nothing
    assert "failed     8" in setup.build("run").stdout
    sent = len(setup.server.seen)
    setup.server.script = knows_all
    assert "failed     8" in setup.build("other").stdout, "a run that is repeated pays for nothing again"
    assert len(setup.server.seen) == sent
    mended = setup.build("run", "--retry-failed")
    assert mended.returncode == 0, mended.stderr
    assert "failed     0" in mended.stdout
