"""A worker that hands every request back takes an instance the way that agents who ask for themselves take it."""

from __future__ import annotations

import asyncio
import pickle
import sys
from base64 import b64encode
from pathlib import Path

import pytest

from agents.kinds import GRAPH
from agents.rules_backend import LABEL, RulesSource
from agents.setup import workflow_over
from agents.workflow import InstanceResult, run_instance
from runs.building import prompt_files
from runs.code_digest import code_digest, refuse_other_code
from runs.conversations import Ask, Conversations, Done, Forgotten
from runs.executors import AgentSetup
from runs.ray_executor import secret_variables, without_secrets
from state.config import Config
from state.errors import ClusterError
from state.instance import BenchmarkRecord
from state.trajectory import Visit
from tests.command_line import ROOT, SMALL, refused
from tests.known_model import ROLES

USER, PASSWORD, QUERY = "somebody", "DO-NOT-LEAK-pw", "DO-NOT-LEAK-query"


@pytest.fixture(scope="module")
def setup(years_config: Config) -> AgentSetup:
    """Writers by a language model, the verifier by rules."""
    model = {
        "provider": "openai", "model": "m", "base_url": f"http://{USER}:{PASSWORD}@127.0.0.1:1/v1?api-key={QUERY}",
        "api_key_env": "A_NAME", "headers_env": {"X-Extra": "ANOTHER_NAME"},
    }  # fmt: skip
    data = years_config.model_dump(mode="json")
    data["models"]["gpt"] = model
    for role in ROLES:
        data["agents"][role]["model"] = LABEL if role == "verifier" else "gpt"
    data["models"].setdefault(LABEL, {"provider": LABEL})
    return AgentSetup(Config.model_validate(data), "graph")


async def _told(worker: Conversations, record: BenchmarkRecord, seen: list[bytes]) -> InstanceResult:
    """Drives a worker over the rules, and looks at everything that crosses over."""
    rules = RulesSource(GRAPH.rules)
    message = await worker.begin(record)
    while isinstance(message, Ask):
        seen.append(pickle.dumps(message))
        message = await worker.go_on(record.id, await rules.fetch(message.exchange, lambda raw: True))
    assert isinstance(message, Done)
    seen.append(pickle.dumps(message))
    return message.result


def _timeless(result: InstanceResult) -> InstanceResult:
    def timeless(visit: Visit) -> Visit:
        return visit.model_copy(update={"tries": tuple(one.model_copy(update={"latency_s": 0.0}) for one in visit.tries)})

    return result._replace(visits=tuple(map(timeless, result.visits)))


def test_instances_that_a_worker_takes_at_once_end_as_they_do_where_the_agents_ask_for_themselves(
    setup: AgentSetup, years_records: list[BenchmarkRecord]
) -> None:
    records = years_records[:12]
    told, seen = setup._replace(config=without_secrets(setup.config)), list[bytes]()
    worker = Conversations(told, prompt_files(setup.config), code_digest())
    direct = workflow_over(setup.config, lambda name, model: RulesSource(GRAPH.rules))

    async def both() -> tuple[list[InstanceResult], list[InstanceResult]]:
        await worker.ready()
        there = await asyncio.gather(*(_told(worker, record, seen) for record in records))
        return there, [await run_instance(record, direct) for record in records]

    there, here = asyncio.run(both())
    assert list(map(_timeless, there)) == list(map(_timeless, here))
    assert len(seen) > len(records), "somebody was asked"
    sent = [pickle.dumps((told, prompt_files(setup.config), records)), *seen]
    secret = b64encode(f"{USER}:{PASSWORD}".encode())
    assert not [form for form in (secret, PASSWORD.encode(), QUERY.encode()) if any(form in one for one in sent)]
    assert any(b"http://127.0.0.1:1/v1" in one for one in sent), "the address itself is part of every request"


def test_a_worker_started_anew_says_that_it_knows_nothing_of_an_instance(setup: AgentSetup, years_records: list[BenchmarkRecord]) -> None:
    async def drive() -> None:
        told = setup._replace(config=without_secrets(setup.config))
        worker, record = Conversations(told, prompt_files(setup.config), code_digest()), years_records[0]
        first = await worker.begin(record)
        assert isinstance(first, Ask)
        again = await worker.begin(record)
        assert again == first, "begun anew, it asks the same"
        raw = await RulesSource(GRAPH.rules).fetch(first.exchange, lambda raw: True)
        await worker.drop(record.id)
        assert isinstance(await worker.go_on(record.id, raw), Forgotten)

    asyncio.run(drive())


def test_a_worker_with_other_code_is_refused() -> None:
    refuse_other_code(code_digest())
    with pytest.raises(ClusterError, match="other code"):
        refuse_other_code("0" * 64)


def test_variables_that_the_config_reads_or_that_look_secret_are_kept_from_the_cluster(setup: AgentSetup) -> None:
    environ = dict.fromkeys(("PATH", "HOME", "A_NAME", "ANOTHER_NAME", "MY_API_KEY", "DB_PASSWORD", "RAY_AUTH_TOKEN"), "x")
    environ["HTTPS_PROXY"] = "http://me:secret@proxy:3128"
    assert secret_variables(setup.config, environ) == ["ANOTHER_NAME", "A_NAME", "DB_PASSWORD", "HTTPS_PROXY", "MY_API_KEY"]


def test_without_the_extra_the_command_says_in_one_line_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)  # as if it were not there
    out = tmp_path / "run"
    for command in ("sample", "build"):
        line = refused(command, *SMALL, "--out", str(out), "--executor", "ray")
        assert line == "error: --executor ray: Ray is not installed. Install the extra: pip install -e '.[ray]' in a checkout."
    assert not out.exists()


def test_an_address_without_a_cluster_is_refused(tmp_path: Path) -> None:
    line = refused("sample", *SMALL, "--out", str(tmp_path / "run"), "--address", "127.0.0.1:1")
    assert line == "error: --address: an address means nothing without a cluster. Add --executor ray."
    assert not (tmp_path / "run").exists()


def test_no_module_imports_ray_when_it_is_loaded() -> None:
    packages = [path.parent for path in ROOT.glob("*/__init__.py") if path.parent.name != "tests"]
    lines = {line for package in packages for file in package.rglob("*.py") for line in file.read_text(encoding="utf-8").splitlines()}
    assert len(packages) > 6
    assert not [line for line in lines if line.startswith(("import ray", "from ray"))]
