"""A fork repeats a record up to a node and asks anew from there: apart from the run, paid once, and only of trusted servers."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from filelock import FileLock

import prompts
from runs.forks import ForkReader, open_run
from runs.run_folder import LOCK, RunReader
from state.errors import RunFolderError
from state.trajectory import Visit
from state.vocabulary import DiscardReason, Node, Status
from tests.command_line import SMALL, here, refused
from tests.fake_openai_server import FakeServer, Reply, good
from tests.known_model import ROLES, KnowsAll, kind_of

KEY = "sk-test-DO-NOT-LEAK"


@dataclass
class Setup:
    """A run whose verifier never agreed, the server that made it, and another server with a model that knows all."""

    run: Path
    first: FakeServer
    second: FakeServer
    mine: Path
    """A config whose models are those of the second server."""
    prompts: Path

    @property
    def ids(self) -> list[str]:
        return ids_of(self.run)

    def fork(self, *arguments: str) -> Any:
        return here("replay", str(self.run), *arguments, "--live")


def ids_of(run: str | Path) -> list[str]:
    with open_run(run).database() as database:
        return sorted(database.finished())


def visits_of(run: str | Path, ident: str) -> Sequence[Visit]:
    with open_run(run).database() as database:
        return database.trajectory(ident).visits


@pytest.fixture(scope="module")
def made(build_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, FakeServer, KnowsAll]]:
    """The run, not to be changed."""
    knows_all = KnowsAll(build_dir)
    folder = tmp_path_factory.mktemp("made")
    shutil.copytree(prompts.FOLDER, folder / "prompts", ignore=shutil.ignore_patterns("*.py", "__pycache__"))

    def doubts(body: dict[str, Any]) -> Reply:
        return good(answers=[], cannot_tell=True) if kind_of(body) == "answers" else knows_all(body)

    with FakeServer(doubts) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHRONOQG_TEST_KEY", KEY)
        model = {"provider": "openai", "model": "gpt-test", "api_key_env": "CHRONOQG_TEST_KEY", "base_url": server.url}
        changes = [f"models.gpt={json.dumps(model)}", f"cache.path={folder / 'cache'}", f"prompts.path={folder / 'prompts'}"]
        changes += [f"agents.{role}.model=gpt" for role in ROLES]
        arguments = [part for change in changes for part in ("--set", change)]
        done = here("build", *SMALL, *arguments, "--limit", "6", "--out", str(folder / "run"))
        assert done.returncode == 0, done.stdout + done.stderr
        assert "6  failed verification" in done.stdout
        yield folder, server, knows_all


@pytest.fixture
def setup(made: tuple[Path, FakeServer, KnowsAll], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Setup]:
    folder, first, knows_all = made
    monkeypatch.setenv("CHRONOQG_TEST_KEY", KEY)
    run = shutil.copytree(folder / "run", tmp_path / "run")
    config = yaml.safe_load((run / "config.yaml").read_text())
    config["cache"]["path"] = str(tmp_path / "cache")
    (run / "config.yaml").write_text(yaml.safe_dump(config))
    first.seen.clear()
    with FakeServer(knows_all) as second:
        model = {
            "provider": "openai", "model": "other", "base_url": f"{second.url}?api-key=DO-NOT-LEAK-query",
            "api_key_env": "CHRONOQG_TEST_KEY", "token_limit": 100, "price": {"input": 1, "output": 2},
        }  # fmt: skip
        mine = tmp_path / "mine.yaml"
        mine.write_text(yaml.safe_dump({"models": {"gpt": model}}))
        yield Setup(run, first, second, mine, folder / "prompts")


def contents(run: Path) -> dict[str, bytes]:
    return {str(path.relative_to(run)): path.read_bytes() for path in run.rglob("*") if path.is_file() and "forks" not in path.parts}


def test_a_fork_at_verify_asks_another_model_from_there_on_and_leaves_the_run_as_it_was(setup: Setup) -> None:
    before, ident = contents(setup.run), setup.ids[2]
    done = setup.fork(ident, "--from", "verify", "--name", "other", "--config", str(setup.mine))
    assert done.returncode == 0, done.stdout + done.stderr
    assert setup.first.seen == []
    assert [kind_of(seen.body) for seen in setup.second.seen] == ["answers"]
    assert f"Bearer {KEY}" in setup.second.seen[0].headers.values()
    assert contents(setup.run) == before
    fork = f"{setup.run}@other"
    visits, recorded = visits_of(fork, ident), visits_of(setup.run, ident)
    assert visits[0] == recorded[0]
    assert [visit.node for visit in visits] == [Node.REWRITE, Node.VERIFY, Node.LEAK_CHECK]
    assert [a_try.request.model for visit in visits for a_try in visit.tries] == ["gpt-test", "other"]
    assert f"{ident}: discarded: failed verification -> accepted" in done.stdout
    assert "History" in done.stdout
    assert f"next: chronoqg compare {setup.run} {fork}" in done.stderr
    assert json.loads((setup.run / "forks" / "other" / "fork.json").read_bytes())["from"] == "verify"
    compared = here("compare", str(setup.run), fork)
    assert compared.returncode == 0, compared.stderr
    with open_run(fork).database() as database:
        assert sum(row.calls for row in database.usage()) == 1, "what the record answered was the run's expense"


@pytest.mark.slow
def test_a_fork_is_shown_and_replayed_with_the_server_gone_and_checks_both_parts(setup: Setup) -> None:
    ident, fork = setup.ids[0], f"{setup.run}@other"
    assert setup.fork("--all", "--from", "verify", "--name", "other", "--config", str(setup.mine)).returncode == 0
    setup.second.__exit__()
    shutil.rmtree(setup.run.parent / "cache")
    setup.mine.unlink()
    assert "accepted (at leak_check)" in here("show", fork, ident).stdout
    assert "failed verification" in here("show", str(setup.run), ident).stdout
    done = here("replay", fork, "--all")
    assert (done.returncode, done.stdout.split(":")[1]) == (0, " all the same as recorded\n"), done.stderr
    assert here("replay", fork, ident).returncode == 0
    for part, role in ((setup.run, "rewriter"), (setup.run / "forks" / "other", "verifier")):
        prompt = part / "prompts" / role / "v1.md"
        text = prompt.read_text()
        prompt.write_text(text.replace("the", "thee", 1))
        refusal = here("replay", fork, ident)
        assert refusal.returncode == 1
        assert f"({'rewrite' if role == 'rewriter' else 'verify'})" in refusal.stderr.splitlines()[0]
        prompt.write_text(text)
    assert here("replay", fork, ident).returncode == 0


@pytest.mark.slow
def test_a_fork_at_revise_with_another_prompt_version_keeps_that_prompt(setup: Setup) -> None:
    first = (setup.prompts / "reviser" / "v1.md").read_text()
    (setup.prompts / "reviser" / "v2.md").write_text(first.replace("# System\n", "# System\nMarked as new. ", 1))
    try:
        arguments = ("--all", "--from", "revise", "--name", "v2", "--config", str(setup.mine), "--set", "agents.reviser.prompt=v2")
        done = setup.fork(*arguments)
    finally:
        (setup.prompts / "reviser" / "v2.md").unlink()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "forked 6 instances: 6 come out otherwise than recorded" in done.stdout
    assert done.stdout.count("discarded: failed verification -> accepted") == 6
    marked = [seen for seen in setup.second.seen if "Marked as new." in seen.body["messages"][0]["content"]]
    assert len(marked) == 6
    assert len(setup.second.seen) == 12
    fork = open_run(f"{setup.run}@v2")
    assert "Marked as new." in (fork.prompts_path / "reviser" / "v2.md").read_text()
    assert not (fork.prompts_path / "reviser" / "v1.md").exists()
    assert here("replay", f"{setup.run}@v2", "--all").returncode == 0


def test_without_the_users_word_no_server_of_the_runs_config_is_asked(setup: Setup) -> None:
    ask = ("replay", str(setup.run), setup.ids[0], "--from", "revise", "--name", "f", "--live")
    message = refused(*ask)
    assert "models that the run's own config names: gpt" in message
    assert "--trust-config" in message
    told = here(*ask).stderr
    assert f"models.gpt: gpt-test at {setup.first.url}, sends what CHRONOQG_TEST_KEY holds" in told
    assert "names: gpt" in refused(*ask, "--set", "models.gpt.model=another")
    assert setup.first.seen == setup.second.seen == []
    assert not (setup.run / "forks").exists()
    done = here(*ask, "--trust-config")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"gpt-test at {setup.first.url}" in done.stderr
    assert [kind_of(seen.body) for seen in setup.first.seen] == ["question", "answers"]


def test_a_model_that_the_user_gives_whole_on_the_command_line_is_the_users(setup: Setup) -> None:
    model = {"provider": "openai", "model": "typed", "base_url": setup.second.url}
    done = setup.fork(setup.ids[0], "--from", "verify", "--name", "f", "--set", f"models.gpt={json.dumps(model)}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert [seen.body["model"] for seen in setup.second.seen] == ["typed"]
    assert all(f"Bearer {KEY}" not in seen.headers.values() for seen in setup.second.seen)


@pytest.mark.slow
def test_continuing_a_fork_pays_for_nothing_twice_and_another_fork_of_that_name_is_refused(setup: Setup) -> None:
    common = ("--name", "f", "--config", str(setup.mine))
    assert setup.fork(setup.ids[3], "--from", "verify", *common).returncode == 0
    assert len(setup.second.seen) == 1
    shutil.rmtree(setup.run.parent / "cache")
    done = setup.fork("--all", "--from", "verify", *common)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(setup.second.seen) == 6
    again = setup.fork("--all", "--from", "verify", *common)
    assert again.returncode == 0
    assert "was finished before; nothing to do" in again.stderr
    assert "forked 6 instances" in again.stdout
    assert len(setup.second.seen) == 6
    ask = ("replay", str(setup.run), "--all", "--live", *common)
    assert "there already, from verify" in refused(*ask, "--from", "revise")
    assert "(agents.retries differs)" in refused(*ask, "--from", "verify", "--set", "agents.retries=7")
    own = setup.run / "forks" / "f" / "prompts" / "verifier" / "v1.md"
    own.write_text(own.read_text() + "x")
    assert "own copy of the prompt was edited" in refused(*ask, "--from", "verify")
    assert len(setup.second.seen) == 6


def test_a_record_that_was_tampered_with_before_the_node_is_not_forked(setup: Setup) -> None:
    prompt = setup.run / "prompts" / "rewriter" / "v1.md"
    prompt.write_text(prompt.read_text().replace("the", "thee", 1))
    done = setup.fork("--all", "--from", "verify", "--name", "f", "--config", str(setup.mine))
    assert done.returncode == 1
    assert "visit 0 (rewrite): prompt.sha256 was" in done.stderr
    assert setup.second.seen == []


def test_what_cannot_be_forked_is_one_clear_line(setup: Setup) -> None:
    ident, mine = setup.ids[0], ("--config", str(setup.mine))

    def ask(*arguments: str) -> str:
        return refused("replay", str(setup.run), *arguments, *mine)

    assert "Did you mean 'verify'?" in ask(ident, "--from", "verfy", "--live", "--name", "f")
    assert f"the instance never came to {Node.SECOND_LEAK_CHECK}" in ask(ident, "--from", "second_leak_check", "--live", "--name", "f")
    assert "no finished instance" in ask("--all", "--from", "leak_rewrite", "--live", "--name", "f")
    assert "has no appeal" in ask(ident, "--from", "appeal", "--live", "--name", "f")
    for name in ("../f", ".f", "", "a/b", "a@b", "é"):
        assert "cannot be called" in ask(ident, "--from", "verify", "--live", "--name", name)
    assert "also needs --live and --name NAME" in ask(ident, "--from", "verify")
    assert "also needs --from NODE" in ask(ident, "--live", "--name", "f")
    assert "no such config file" in refused(
        "replay", str(setup.run), ident, "--from", "verify", "--live", "--name", "f", "--config", "none.yaml"
    )
    assert not (setup.run / "forks").exists()
    assert setup.fork(ident, "--from", "verify", "--name", "f", *mine).returncode == 0
    assert "a fork cannot be forked" in refused("replay", f"{setup.run}@f", ident, "--from", "verify", "--live", "--name", "g", *mine)
    with FileLock(setup.run / "forks" / "f" / LOCK):
        assert "another process is working on this fork" in ask("--all", "--from", "verify", "--live", "--name", "f")


def test_a_fork_stays_within_the_budget_of_its_config(setup: Setup) -> None:
    done = setup.fork("--all", "--from", "verify", "--name", "f", "--config", str(setup.mine), "--set", "run.budget_usd=0.0000001")
    assert done.returncode == 1
    assert "the budget of 1e-07 USD is reached" in done.stderr
    assert setup.second.seen == []


def test_the_budget_of_the_users_own_config_holds_and_its_agents_are_said_to_play_no_part(setup: Setup) -> None:
    mine = yaml.safe_load(setup.mine.read_text())
    setup.mine.write_text(yaml.safe_dump({**mine, "run": {"budget_usd": 0.0000001}, "agents": {"verifier": {"model": "nobody"}}}))
    done = setup.fork("--all", "--from", "verify", "--name", "f", "--config", str(setup.mine))
    assert done.returncode == 1
    assert "the budget of 1e-07 USD is reached" in done.stderr
    assert "its agents play no part" in done.stderr
    assert setup.second.seen == []


def test_models_by_rules_stay_beside_the_users_own(build_dir: Path, setup: Setup) -> None:
    """A run by rules names the model `offline`; the user's file does not, and only the verifier is swapped."""
    by_rules = shutil.copytree(build_dir, setup.mine.parent / "by_rules")
    arguments = ("--from", "verify", "--config", str(setup.mine), "--set", "agents.verifier.model=gpt", "--live", "--name", "swapped")
    done = here("replay", str(by_rules), ids_of(by_rules)[0], *arguments, "--set", f"cache.path={setup.mine.parent / 'cache'}")
    assert done.returncode == 0, done.stderr
    assert len(setup.second.seen) >= 1


def test_no_key_of_a_fork_reaches_disk_or_terminal(setup: Setup) -> None:
    done = setup.fork("--all", "--from", "verify", "--name", "f", "--config", str(setup.mine))
    assert done.returncode == 0
    assert "DO-NOT-LEAK" not in done.stdout + done.stderr
    folder = setup.run.parent
    files = [file for file in folder.rglob("*") if file.is_file() and file != setup.mine]
    assert len(files) > 20
    assert [file for file in files if b"DO-NOT-LEAK" in file.read_bytes()] == []


@pytest.mark.slow
def test_a_fork_of_a_run_by_rules_needs_nobodys_word(build_copy: Path) -> None:
    done = here("replay", str(build_copy), "--all", "--from", "leak_check", "--live", "--name", "again")
    assert done.returncode == 0, done.stdout + done.stderr
    reached = [ident for ident in ids_of(build_copy) if any(visit.node is Node.LEAK_CHECK for visit in visits_of(build_copy, ident))]
    left = len(ids_of(build_copy)) - len(reached)
    assert f"forked {len(reached)} instances: 0 come out otherwise than recorded\nleft out {left} that never" in done.stdout
    assert ids_of(f"{build_copy}@again") == reached
    assert here("replay", f"{build_copy}@again", "--all").returncode == 0
    told = json.loads(here("replay", str(build_copy), "--all", "--from", "leak_check", "--live", "--name", "again", "--json").stdout)
    assert (len(told["instances"]), told["changed"], told["not_reached"]) == (len(reached), 0, left)


def test_an_appeal_that_only_the_fork_has_is_asked_from_its_node_on_and_not_before(setup: Setup) -> None:
    """The recorded way leads from the analyst to the reviser; a fork at the reviser keeps to it."""
    done = setup.fork(
        setup.ids[0], "--from", "revise", "--name", "f", "--config", str(setup.mine), "--set", "agents.appeal={model: gpt, prompt: v1}"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert Node.APPEAL not in [visit.node for visit in visits_of(f"{setup.run}@f", setup.ids[0])]
    assert here("replay", f"{setup.run}@f", setup.ids[0]).returncode == 0


def test_an_address_names_the_fork_unless_a_directory_has_that_very_name(build_copy: Path) -> None:
    assert here("replay", str(build_copy), "--all", "--from", "leak_check", "--live", "--name", "f").returncode == 0
    assert isinstance(open_run(f"{build_copy}@f"), ForkReader)
    odd = Path(shutil.copytree(build_copy, build_copy.with_name(f"{build_copy.name}@f")))
    assert type(open_run(odd)) is RunReader
    assert here("show", str(odd), ids_of(odd)[0]).returncode == 0
    with pytest.raises(RunFolderError, match=r"no fork 'g'\. .*Known: f"):
        open_run(f"{build_copy}@g")
    with pytest.raises(RunFolderError, match="no such run directory"):
        open_run(f"{build_copy}-not@f")


def test_a_forks_reader_tells_the_forks_outcomes_not_the_runs(setup: Setup) -> None:
    assert setup.fork("--all", "--from", "verify", "--name", "f", "--config", str(setup.mine)).returncode == 0
    run, fork = open_run(setup.run), open_run(f"{setup.run}@f")
    assert run.first_accepted() is None
    assert fork.first_accepted() == setup.ids[0]
    assert (fork.manifest.counts, fork.manifest.taken) == (None, 0)
    with run.database() as database:
        outcome = database.outcome(setup.ids[0])
    assert outcome is not None
    assert (outcome.status, outcome.reason) == (Status.DISCARDED, DiscardReason.FAILED_VERIFICATION)
    assert fork.config().config.models["gpt"].model == "other"
    assert fork.config().config.dataset == run.config().config.dataset
