"""The commands: bad input is one line and exit code 2, results go to stdout, talk to stderr."""

from __future__ import annotations

import errno
import json
import re
import shlex
import shutil
import sqlite3
from pathlib import Path

import pytest
import typer.main

from runs.cli import app
from runs.cli.options import errors_as_lines
from runs.run_folder import RunReader
from tests.command_line import QUICKSTART, ROOT, SMALL, chronoqg, here, refused

COMMANDS = (
    ("sample",),
    ("estimate",),
    ("build",),
    ("check",),
    ("show",),
    ("replay",),
    ("report",),
    ("compare",),
    ("evaluate",),
    ("export",),
    ("audit",),
    ("pack",),
    ("unpack",),
    ("study", "verifier"),
    ("study", "rewriter"),
    ("prompts", "list"),
    ("prompts", "show"),
    ("prompts", "diff"),
    ("prompts", "new"),
    ("models", "check"),
    ("graph", "inspect"),
    ("graph", "import"),
    ("graph", "generate"),
    ("graph", "counts"),
    ("tdbench", "to-graph"),
    ("tdbench", "from-graph"),
    ("tdbench", "evaluate"),
)


def an_id(run: Path) -> str:
    ident = RunReader(run).first_accepted()
    assert ident is not None
    return ident


def config_file(tmp_path: Path, text: str) -> str:
    path = tmp_path / "my.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_every_command_has_a_help_with_an_example_that_parses() -> None:
    for command in COMMANDS:
        done = here(*command, "--help")
        assert done.returncode == 0
        examples = re.findall(r"^ +chronoqg (.*)$", done.stdout, re.MULTILINE)
        assert examples, command
        for example in examples:
            words = shlex.split(example)
            assert tuple(words[: len(command)]) == command
            group = typer.main.get_command(app)
            context = group.make_context("chronoqg", list(words), resilient_parsing=True)
            for word in command:
                group = group.get_command(context, word)
            assert group.make_context(command[-1], words[len(command) :]).params


def test_the_commands_are_those_that_work() -> None:
    listed = re.findall(r"^  (\w+)  ", here("--help").stdout, re.MULTILINE)
    assert listed == list(dict.fromkeys(command[0] for command in COMMANDS))


@pytest.mark.parametrize("command", ["sample", "build"])
@pytest.mark.parametrize(
    ("overrides", "what"),
    [
        (("sampler.tarket=3",), "--set sampler.tarket: unknown key. Did you mean 'target'?"),
        (("agents.verifier.model=ofline",), "no model 'ofline' in models. Did you mean 'offline'?"),
        (("graph.path=bundled:yeers",), "Did you mean 'bundled:years'?"),
        (("graph.path=no/such/folder",), "no/such/folder"),
        (("sampler.caps.seed_min=5000", "sampler.caps.seed_max=6000"), "no root has 5000 to 6000 candidates"),
    ],
)
def test_a_wrong_setting_is_refused_and_leaves_nothing(tmp_path: Path, command: str, overrides: tuple[str, ...], what: str) -> None:
    arguments = [argument for override in overrides for argument in ("--set", override)]
    assert what in refused(command, QUICKSTART, *arguments, "--out", str(tmp_path / "run"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("model", "told"),
    [
        ("{provider: openai, model: m, token_limit: 100}", "models.paid.price: a budget is set, and the model has no price"),
        ("{provider: openai, model: m, price: {input: 1, output: 1}}", "models.paid.token_limit: a budget is set, and the model sends no"),
        (
            "{provider: openai, model: m, price: {input: 1, output: 1}, token_limit: 9, omit_params: [max_completion_tokens]}",
            "sends no token limit",
        ),
        (
            "{provider: openai, model: m, price: {input: 1, output: 1}, token_limit: 9, params: {max_tokens: 500}}",
            "stands beside token_limit",
        ),
    ],
)
def test_a_budget_needs_a_price_and_a_token_limit(tmp_path: Path, model: str, told: str) -> None:
    arguments = ("--set", "run.budget_usd=2", "--set", f"models.paid={model}", "--set", "agents.verifier.model=paid")
    message = refused("build", QUICKSTART, *arguments, "--out", str(tmp_path / "run"))
    assert told in message
    assert not (tmp_path / "run").exists()


def test_a_missing_config_file_is_refused(tmp_path: Path) -> None:
    assert "there is no such config file" in refused("build", str(tmp_path / "no.yaml"))


def test_a_missing_key_variable_is_refused_before_any_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CHRONOQG_TEST_KEY", raising=False)
    text = "dataset: a\ngraph: {path: nowhere}\nmodels:\n  gpt: {provider: openai, model: gpt, api_key_env: CHRONOQG_TEST_KEY}\n"
    roles = "agents:\n" + "".join(
        f"  {role}: {{model: gpt}}\n" for role in ("rewriter", "verifier", "error_analyst", "reviser", "leak_rewriter")
    )
    file = config_file(tmp_path, text + roles)
    message = refused("build", file, "--out", str(tmp_path / "run"))
    assert message.startswith(f"error: {file}:4, models.gpt.api_key_env: the environment variable CHRONOQG_TEST_KEY is not set.")
    assert not (tmp_path / "run").exists()


def test_a_corrupt_cache_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHRONOQG_TEST_KEY", "sk-test-DO-NOT-LEAK")
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "cache.db").write_bytes(b"no database " * 500)
    gpt = "models.gpt={provider: openai, model: gpt, api_key_env: CHRONOQG_TEST_KEY}"
    arguments = (
        "--set",
        gpt,
        "--set",
        "agents.verifier.model=gpt",
        "--set",
        f"cache.path={tmp_path / 'cache'}",
        "--out",
        str(tmp_path / "run"),
    )
    assert "cache" in refused("build", QUICKSTART, *arguments)
    assert not (tmp_path / "run").exists()


def test_an_output_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    assert "cannot be written" in refused("sample", QUICKSTART, "--out", str(tmp_path / "file" / "run"))
    assert (tmp_path / "file").read_text() == "mine"


def test_another_configs_run_is_refused(build_copy: Path) -> None:
    message = refused("build", *SMALL, "--set", "sampler.seed=8", "--out", str(build_copy))
    assert "belongs to another config (sampler.seed differs)" in message


def test_a_corrupt_database_is_one_line_for_every_command(build_copy: Path) -> None:
    ident = an_id(build_copy)
    (build_copy / "run.sqlite").write_bytes(b"no database " * 500)
    for command in (("check", str(build_copy)), ("show", str(build_copy), ident), ("replay", str(build_copy), ident)):
        assert "run.sqlite: the run's database cannot be used" in refused(*command)
    assert "run.sqlite: the run's database cannot be used" in refused("build", *SMALL, "--out", str(build_copy))


def test_a_broken_line_in_the_traces_is_named_by_every_command(build_copy: Path) -> None:
    ident, file = an_id(build_copy), build_copy / "traces.jsonl"
    lines = file.read_bytes().split(b"\n")
    lines[4] = lines[4][:300]
    file.write_bytes(b"\n".join(lines))
    for command in (("check", str(build_copy)), ("show", str(build_copy), ident), ("replay", str(build_copy), ident)):
        assert "traces.jsonl:5: broken line" in refused(*command)


def test_what_is_no_run_and_no_instance_is_refused(build_dir: Path, tmp_path: Path) -> None:
    assert "no such run directory" in refused("show", str(tmp_path / "none"), "x")
    assert "not a run directory" in refused("check", str(tmp_path))
    (tmp_path / "refresh.json").write_text("{}")
    assert "this is a refreshed benchmark" in refused("check", str(tmp_path))
    (tmp_path / "manifest.json").write_text('{"kind": "tdbench evaluate"}')
    assert "of an evaluation on temporal tables, and no run. Read its evaluation.html" in refused("show", str(tmp_path), "x")
    assert "no instance 'years-zzz'" in refused("show", str(build_dir), "years-zzz")
    not_utf8 = b"\xff".decode("utf-8", "surrogateescape")  # as the system hands over such an argument
    assert "no instance '\\udcff'" in refused("show", str(build_dir), not_utf8)


@pytest.mark.slow
def test_debug_shows_where_an_error_comes_from(tmp_path: Path) -> None:
    done = chronoqg("build", str(tmp_path / "no.yaml"), "--debug")
    assert "Traceback" in done.stderr
    assert "ConfigError" in done.stderr


@pytest.mark.parametrize(("continues", "told"), [(True, "the same command continues"), (False, "the same command begins anew")])
def test_ctrl_c_says_whether_the_same_command_continues(continues: bool, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped, errors_as_lines(debug=False, continues=continues):
        raise KeyboardInterrupt
    assert stopped.value.code == 130
    assert told in capsys.readouterr().err


@pytest.mark.parametrize("error", [MemoryError("of 9 GiB"), OSError(errno.ENOMEM, "no"), RuntimeError("can't start new thread")])
def test_lack_of_memory_is_one_line_and_any_other_fault_is_not(error: Exception, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped, errors_as_lines(debug=False):
        raise error
    assert stopped.value.code == 2
    assert re.fullmatch(r"error: memory ran out \(.*\)\. Give it more .*\n", capsys.readouterr().err)
    with pytest.raises(RuntimeError, match="a fault"), errors_as_lines(debug=False):
        raise RuntimeError("a fault")


def test_sample_prints_its_coverage_and_says_what_it_wrote(sample_copy: Path) -> None:
    done = here("sample", *SMALL, "--out", str(sample_copy))
    assert done.returncode == 0
    assert "already sampled" in done.stderr
    assert f"wrote {sample_copy / 'traces.jsonl'} (48 traces)" in done.stderr
    assert "48 of 48 traces" in done.stdout
    assert "I-overlaps-I" in done.stdout
    as_json = json.loads(here("sample", *SMALL, "--out", str(sample_copy), "--json").stdout)
    assert (as_json["found"], as_json["format"]) == (48, 1)


def test_a_sample_and_its_build_are_clean(sample_dir: Path, build_dir: Path) -> None:
    for run in (sample_dir, build_dir):
        done = here("check", str(run))
        assert done.returncode == 0, done.stdout
        assert "no finding" in done.stdout
        assert json.loads(here("check", str(run), "--json").stdout)["findings"] == []


def test_build_ends_with_a_summary_that_adds_up(build_copy: Path) -> None:
    done = here("build", *SMALL, "--out", str(build_copy), "--json")
    summary = json.loads(done.stdout)
    assert summary["accepted"] + sum(summary["discarded"].values()) + summary["failed"] == summary["taken"] == 48
    lines = here("build", *SMALL, "--out", str(build_copy)).stdout.splitlines()
    assert lines[0] == f"accepted   {summary['accepted']} of 48"
    assert f"next: chronoqg show {build_copy}" in done.stderr


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("UPDATE outcomes SET question = question || ' ' WHERE instance_id = ?", "not the one that the agents accepted"),
        ("DELETE FROM visits WHERE instance_id = ?", "its trajectory does not end in accepted"),
        ("DELETE FROM visits WHERE seq = 1 AND instance_id = ?", "not every mode of the verifier"),
    ],
)
def test_check_finds_an_accepted_record_without_proof(build_copy: Path, statement: str, what: str) -> None:
    ident = an_id(build_copy)
    connection = sqlite3.connect(build_copy / "run.sqlite")
    connection.execute(statement, (ident,))
    connection.commit()
    connection.close()
    done = here("check", str(build_copy))
    assert done.returncode == 1
    assert f"{ident}: " in done.stdout
    assert what in done.stdout


def test_check_finds_a_changed_record_and_a_copied_one(build_copy: Path) -> None:
    file = build_copy / "benchmark" / "years-S.jsonl"
    lines = file.read_bytes().split(b"\n")
    record = json.loads(lines[0])
    record["structure_hint"] = "changed"
    file.write_bytes(b"\n".join([json.dumps(record).encode(), *lines[1:-1], lines[1], b""]))
    done = here("check", str(build_copy))
    assert done.returncode == 1
    assert f"{record['id']}: it differs from its trace" in done.stdout
    assert f"{json.loads(lines[1])['id']}: its id is in the final files twice" in done.stdout


@pytest.mark.parametrize("edit", ["reordered", "another backend", "moved", "counts"])
def test_check_finds_final_files_that_are_not_what_the_agents_left(build_copy: Path, edit: str) -> None:
    single, discarded = build_copy / "benchmark" / "years-S.jsonl", build_copy / "discarded.jsonl"
    first, second, *others = single.read_bytes().splitlines(keepends=True)
    if edit == "reordered":
        single.write_bytes(b"".join([second, first, *others]))
    elif edit == "another backend":
        single.write_bytes(b"".join([first.replace(b'"rewriter":"offline-rules"', b'"rewriter":"gpt-5"'), second, *others]))
    elif edit == "moved":
        single.write_bytes(b"".join([second, *others]))
        thrown = first.rstrip()[:-1] + b',"reason":"answer leak","detail":"x","last_node":"leak_check"}\n'
        discarded.write_bytes(b"".join(sorted([*discarded.read_bytes().splitlines(keepends=True), thrown])))
    else:
        manifest = build_copy / "manifest.json"
        counts = json.loads(manifest.read_bytes())
        counts["counts"]["accepted"] += 1
        manifest.write_text(json.dumps(counts))
    done = here("check", str(build_copy))
    assert done.returncode == 1
    assert "manifest.json: its counts" in done.stdout if edit == "counts" else "what the agents' outcomes come to" in done.stdout


def test_check_notices_another_graph(build_copy: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(ROOT / "graph_sampler" / "data" / "years", tmp_path / "years"))
    facts = (folder / "full.txt").read_bytes().split(b"\n")
    (folder / "full.txt").write_bytes(b"\n".join(facts[: len(facts) // 2]) + b"\n")
    config = build_copy / "config.yaml"
    config.write_text(config.read_text().replace("bundled:years", str(folder)))
    done = here("check", str(build_copy))
    assert done.returncode == 1
    assert "its content hash differs" in done.stdout
    assert re.search(r"the graph answers .* instead of", done.stdout)


def test_show_tells_facts_trace_and_history(build_dir: Path, sample_dir: Path) -> None:
    ident = an_id(build_dir)
    text = here("show", str(build_dir), ident).stdout
    record = RunReader(build_dir).record(ident)
    for part in (ident, record.raw_question, record.answer, *record.space_search_process, "1. rewrite (rewriter)", "Final question"):
        assert part in text
    assert "no agent has worked on it: this is a sample" in here("show", str(sample_dir), ident).stdout
    data = json.loads(here("show", str(build_dir), ident.rpartition("-")[2][:8], "--json").stdout)
    assert (data["record"]["id"], data["trajectory"]["visits"][0]["node"]) == (ident, "rewrite")


@pytest.mark.slow
def test_every_instance_replays(build_dir: Path) -> None:
    for record in RunReader(build_dir).traces():
        done = here("replay", str(build_dir), record.id)
        assert done.returncode == 0, done.stderr
        assert "the same as recorded" in done.stdout


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("UPDATE visits SET visit = replace(visit, 'reply_raw\":\"{', 'reply_raw\":\"{ ') WHERE seq = 0 AND instance_id = ?", "hash"),
        ("DELETE FROM visits WHERE seq = 1 AND instance_id = ?", "verif"),
        ("UPDATE outcomes SET status = 'discarded', reason = 'answer leak' WHERE instance_id = ?", "recorded outcome"),
    ],
)
def test_replay_fails_at_the_first_difference(build_copy: Path, statement: str, what: str) -> None:
    ident = an_id(build_copy)
    connection = sqlite3.connect(build_copy / "run.sqlite")
    connection.execute(statement, (ident,))
    connection.commit()
    connection.close()
    assert what in refused("replay", str(build_copy), ident, code=1)


def test_replay_of_a_sample_says_that_no_agent_has_worked(sample_dir: Path) -> None:
    assert "no agents have worked" in refused("replay", str(sample_dir), next(RunReader(sample_dir).traces()).id)


def test_reading_a_run_leaves_nothing_behind(build_copy: Path) -> None:
    before = sorted(path.name for path in build_copy.iterdir())
    for command in (
        ("check", str(build_copy)),
        ("show", str(build_copy), an_id(build_copy)),
        ("replay", str(build_copy), an_id(build_copy)),
    ):
        assert here(*command).returncode == 0
    assert sorted(path.name for path in build_copy.iterdir()) == before


def test_graph_inspect_prints_a_report_of_a_bundled_graph_and_of_a_config() -> None:
    assert "relations" in here("graph", "inspect", "bundled:days").stdout
    report = json.loads(here("graph", "inspect", QUICKSTART, "--json").stdout)
    assert report["facts"] > 1000
    assert "no such bundled graph" in refused("graph", "inspect", "bundled:nights")


@pytest.mark.slow
def test_output_is_plain_where_there_is_no_terminal(build_dir: Path) -> None:
    done = chronoqg("show", str(build_dir), an_id(build_dir), PYTHONIOENCODING="utf-8")
    assert "\x1b" not in done.stdout + done.stderr


def test_a_terminal_that_lacks_a_letter_is_shown_an_escape(tmp_path: Path) -> None:
    (tmp_path / "facts.jsonl").write_text(json.dumps({"s": "Ana Roy", "r": "alumna de São Tomé", "o": "FC Arn", "a": 1, "b": 2}))
    (tmp_path / "my.yaml").write_text(
        f"dataset: my\ngraph:\n  path: {tmp_path}/facts.jsonl\n  format: table\n"
        "  columns: {subject: s, relation: r, object: o, start: a, end: b}\n"
    )
    done = chronoqg("graph", "inspect", str(tmp_path / "my.yaml"), PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert "alumna de S\\xe3o Tom\\xe9" in done.stdout


def test_a_rival_package_that_owns_our_names_is_refused_at_start(tmp_path: Path) -> None:
    rival = tmp_path / "openai_agents-9.0.dist-info"
    rival.mkdir()
    (rival / "METADATA").write_text("Metadata-Version: 2.1\nName: openai-agents\nVersion: 9.0\n")
    (rival / "RECORD").write_text("agents/__init__.py,sha256=x,1\nagents/run.py,sha256=x,1\n")
    done = chronoqg("--help", PYTHONPATH=f"{ROOT}:{tmp_path}")
    assert done.returncode == 2
    assert done.stderr.startswith("error: the installed package 'openai-agents' provides a module 'agents', as ChronoQG does.")
    assert done.stdout == ""


@pytest.mark.slow
def test_check_wants_the_agreement_of_every_mode(tmp_path: Path) -> None:
    overrides = ("--set", "agents.verifier.modes=[single, all]", "--limit", "4", "--out", str(tmp_path / "run"))
    assert here("build", *SMALL, *overrides).returncode == 0
    assert here("check", str(tmp_path / "run")).returncode == 0
    statement = (
        'UPDATE visits SET visit = replace(visit, \'"outcome":"agrees"\', \'"outcome":"disagrees"\') WHERE seq = ? AND instance_id = ?'
    )
    for seq in (1, 2):
        spoilt = tmp_path / f"spoilt {seq}"
        shutil.copytree(tmp_path / "run", spoilt)
        with sqlite3.connect(spoilt / "run.sqlite") as connection:
            connection.execute(statement, (seq, an_id(spoilt)))
        done = here("check", str(spoilt))
        assert done.returncode == 1
        assert "not every mode of the verifier and the leak check passed" in done.stdout
