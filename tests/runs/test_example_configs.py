"""Every config that the package carries loads, says how it is used, and could be run by whoever has its key or server."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from agents.setup import check_crew
from runs.checking_models import asked_models
from runs.config_file import LoadedConfig, check_environment, load_config
from state.config import ModelConfig
from state.errors import ConfigError
from tests.command_line import ROOT, SMALL, here
from tests.fake_openai_server import FakeServer, good, in_turn
from tests.test_readme import resolve

FILES = sorted(path.name for path in (ROOT / "runs").glob("*.yaml"))
OFFLINE = ["cron.yaml", "days.yaml", "event.yaml", "quickstart.yaml", "tdbench-quickstart.yaml"]
PAID = ["openai.yaml", "table2.yaml", "table4.yaml"]
LOCAL = {"llamacpp.yaml": 8080, "ollama.yaml": 11434, "vllm.yaml": 8000}


def load(name: str) -> LoadedConfig:
    return load_config(ROOT / "runs" / name)


def servers(name: str) -> dict[str, ModelConfig]:
    """The entries that a server answers for, used or not."""
    return {entry: model for entry, model in load(name).config.models.items() if model.provider == "openai"}


def header(name: str) -> str:
    """The comment with which a file begins, as one text."""
    lines = (ROOT / "runs" / name).read_text(encoding="utf-8").split("\n\n", 1)[0].splitlines()
    assert all(line.startswith("#") for line in lines)
    return "\n".join(line.removeprefix("#").removeprefix(" ") for line in lines)


def variables(model: ModelConfig) -> Iterator[str]:
    yield from ([model.api_key_env] if model.api_key_env else [])
    yield from model.headers_env.values()


def test_the_examples_are_those_that_the_tests_below_sort() -> None:
    assert sorted([*OFFLINE, *LOCAL, *PAID]) == FILES


@pytest.mark.parametrize("name", FILES)
def test_an_example_is_valid_down_to_its_prompts_and_its_budget(name: str) -> None:
    loaded = load(name)
    check_crew(loaded.config)
    check_environment(loaded, {variable: "sk-test" for model in servers(name).values() for variable in variables(model)})


@pytest.mark.parametrize("name", FILES)
def test_an_example_begins_with_commands_that_exist_and_name_it(name: str) -> None:
    shown = [re.sub(r"\s+#.*", "", line).strip() for line in header(name).splitlines() if line.strip().startswith("chronoqg ")]
    assert shown
    for line in shown:
        command, words = resolve(shlex.split(line)[1:])
        assert words[0] == f"runs/{name}"
        assert {word for word in words if word.startswith("--")} <= {option for parameter in command.params for option in parameter.opts}
    if name not in OFFLINE:
        assert {tuple(line.split()[1:-1])[:2] for line in shown} >= {("models", "check"), ("estimate",)}
        assert any(line.split()[1] == "build" for line in shown)


@pytest.mark.parametrize("name", OFFLINE)
def test_an_offline_example_asks_no_server_and_needs_no_variable(name: str) -> None:
    assert servers(name) == {}
    check_environment(load(name), {})


@pytest.mark.parametrize("name", LOCAL)
def test_a_local_example_speaks_to_the_port_that_its_server_is_started_on(name: str) -> None:
    (model,) = servers(name).values()
    address = urlsplit(model.base_url or "")
    assert (address.hostname, address.port, address.path) == ("localhost", LOCAL[name], "/v1")
    assert f"--port {LOCAL[name]}" in header(name) or name == "ollama.yaml", "Ollama listens on its own port by default"
    assert list(variables(model)) == []
    assert model.timeout_s >= 300
    assert load(name).config.run.concurrency == model.concurrency


@pytest.mark.parametrize("name", [*LOCAL, *PAID])
def test_every_model_of_an_example_has_a_price_and_a_limit_so_that_a_budget_can_be_set(name: str) -> None:
    assert [entry for entry, model in servers(name).items() if model.price is None or model.token_limit is None] == []
    config = load(name).config
    assert config.graph.path == "bundled:years" or "--set graph.path=DIR" in header(name), "it needs no download, or says so"
    budgeted = config.model_copy(update={"run": config.run.model_copy(update={"budget_usd": 1.0})})
    check_environment(LoadedConfig(budgeted, name, {}, frozenset()), {"OPENAI_API_KEY": "sk-test"})


def test_the_openai_example_has_the_papers_rewriter_and_verifier_and_asks_for_its_key() -> None:
    loaded = load("openai.yaml")
    agents, models = loaded.config.agents, loaded.config.models
    assert (models[agents.rewriter.model].model, models[agents.verifier.model].model) == ("gpt-4o-mini", "gpt-5-mini")
    assert agents.appeal is not None
    assert agents.appeal.model != agents.verifier.model
    assert loaded.config.run.budget_usd is not None
    with pytest.raises(ConfigError, match="OPENAI_API_KEY is not set"):
        check_environment(loaded, {})
    reasoning = [model for model in models.values() if "reasoning_effort" in model.params]
    assert reasoning
    assert all("temperature" in model.omit_params and (model.token_limit or 0) >= 4000 for model in reasoning)


@pytest.mark.parametrize("name", [*LOCAL, *PAID])
def test_a_model_that_answers_makes_an_example_ready(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    with FakeServer(in_turn(good(state="ready"))) as server:
        moved = [part for entry in servers(name) for part in ("--set", f"models.{entry}.base_url={server.url}")]
        done = here("models", "check", str(ROOT / "runs" / name), *moved)
    assert done.returncode == 0, done.stdout
    assert {seen.body["model"] for seen in server.seen} == {
        model.model for entry, model in servers(name).items() if entry in asked_models(load(name).config)
    }


def test_the_openai_example_can_be_estimated_without_a_key(tmp_path: Path) -> None:
    caps = SMALL[-2:]
    done = here(
        "estimate", str(ROOT / "runs" / "openai.yaml"), "--set", "sampler.target=20", *caps, "--out", str(tmp_path / "run"), "--json"
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["instances"] == 20
    assert told["without_price"] == []
    assert told["within_budget"]["most"] is True
    assert list(tmp_path.iterdir()) == []


def test_the_table_2_example_has_the_papers_four_verifiers_and_its_sample() -> None:
    config = load("table2.yaml").config
    assert [config.models[name].model for name in config.study.verifier.models] == ["gpt-4o-mini", "gpt-4o", "gpt-5-mini", "gpt-5"]
    assert (config.study.size, config.study.allocation) == (500, "paper")
    assert "single" in config.study.verifier.modes


@pytest.mark.slow
def test_the_table_2_example_can_be_estimated_without_a_key(tmp_path: Path) -> None:
    few = ("graph.path=bundled:years", "sampler.target=48", SMALL[-1], "study.size=8", "sampler.workers=1")
    overrides = [part for override in few for part in ("--set", override)]
    out = str(tmp_path / "study")
    done = here("study", "verifier", str(ROOT / "runs" / "table2.yaml"), *overrides, "--out", out, "--dry-run", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert [cell["name"] for cell in told["cells"]][:2] == ["gpt-4o-mini/v1/single", "gpt-4o-mini/v1/all"]
    assert all(cell["usd"]["least"] > 0 and cell["is_bounded"] for cell in told["cells"])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("changes", [[], ["graph.path=bundled:days", "graph.format=cronkg"]])
def test_the_event_example_reads_a_day_level_graph_of_points_and_intervals(changes: list[str]) -> None:
    overrides = [part for change in changes for part in ("--set", change)]
    done = here("graph", "inspect", str(ROOT / "runs" / "event.yaml"), *overrides, "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["granularity"], report["facts"]) == ("day", 2235)
    assert {relation["type"] for relation in report["relations"]} >= {"point", "interval"}
