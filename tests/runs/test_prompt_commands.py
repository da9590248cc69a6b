"""`chronoqg prompts`: what is listed can be used, a copy has its source's bytes, and no file can steer the terminal."""

from __future__ import annotations

import hashlib
import json
import shlex
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import prompts
from agents.prompt_renderer import PROMPT_FOLDERS
from agents.setup import check_crew
from runs.config_file import load_config
from runs.prompt_files import FileDifference, PromptFile, setting
from runs.run_folder import PROMPTS, RunFolder
from state.config import Config, RoleConfig
from tests.command_line import QUICKSTART, here, refused
from tests.run_directory import HOSTILE, config, records, sampled

PACKAGED = sorted((path.parent.name, path.stem) for path in prompts.FOLDER.glob("*/*.md"))
ROLES = sorted({role for role, _ in PACKAGED})
SOURCE = (prompts.FOLDER / "verifier" / "v1.md").read_bytes()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the package's prompts."""
    ignored = shutil.ignore_patterns("*.py", "__pycache__")
    return Path(shutil.copytree(prompts.FOLDER, tmp_path / "mine", ignore=ignored))


def listed(folder: Path, code: int = 0) -> dict[str, dict[str, object]]:
    """The rows of a folder's list by `<role>/<version>`."""
    done = here("prompts", "list", "--folder", str(folder), "--json")
    assert done.returncode == code, done.stderr
    return {f"{row['role']}/{row['version']}": row for row in json.loads(done.stdout)["prompts"]}


def files_below(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_the_packages_prompts_are_listed_with_hash_size_and_purpose() -> None:
    done = here("prompts", "list")
    assert done.returncode == 0
    header, *rows = done.stdout.splitlines()
    assert header.split() == ["role", "version", "sha256", "bytes", "tokens", "purpose"]
    assert sorted({row.split()[0] for row in rows}) == ROLES
    row = next(row for row in rows if row.startswith("verifier "))
    assert hashlib.sha256(SOURCE).hexdigest()[:12] in row.split()
    assert str(len(SOURCE)) in row.split()
    assert row.endswith(prompts.load("verifier", "v1").purpose)
    assert "appeal uses the prompts of verifier" in done.stderr


def test_what_is_listed_without_an_error_loads_and_says_the_same() -> None:
    rows = json.loads(here("prompts", "list", "--json").stdout)["prompts"]
    assert len(rows) >= len(ROLES)
    for row in rows:
        prompt = prompts.load(row["role"], row["version"])
        assert row["error"] is None
        assert (row["sha256"], row["purpose"], tuple(row["variables"])) == (prompt.sha256, prompt.purpose, prompt.variables)
        size = len((prompt.system + prompt.user).encode())
        assert size / 5 - 1 <= row["tokens"]["least"] < row["tokens"]["most"] <= size


def test_versions_are_listed_in_the_order_a_person_counts(folder: Path) -> None:
    for version in ("v10", "v2", "v2.1"):
        (folder / "verifier" / f"{version}.md").write_bytes(SOURCE)
    assert [name for name in listed(folder) if name.startswith("verifier/")] == [f"verifier/{v}" for v in ("v1", "v2", "v2.1", "v10")]


def test_an_edited_prompt_is_listed_with_another_hash(folder: Path) -> None:
    before = listed(folder)
    (folder / "verifier" / "v1.md").write_bytes(SOURCE.replace(b"Forget what you know", b"Forget all that you know"))
    after = listed(folder)
    assert [name for name in before if before[name] != after[name]] == ["verifier/v1"]
    assert before["verifier/v1"]["sha256"] != after["verifier/v1"]["sha256"]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "not a prompt file. Begin with a front matter"),
        (b"\xff\xfe" + SOURCE, "not a prompt file"),
        (SOURCE.replace(b"purpose: Answer", b"purpose: 2024-99-99\nother: Answer"), "not a prompt file"),
        (SOURCE.replace(b"purpose: Answer", b"purpose: " + b"[" * 600), "not a prompt file"),
        (SOURCE.replace(b"mode: {{mode}}\n", b""), "each variable must stand once"),
        (SOURCE.replace(b"mode: {{mode}}\n", b"").replace(b", mode]", b"]"), "the variable 'mode' is missing"),
        (SOURCE.replace(b"{{mode}}", b"{{answer}}").replace(b", mode]", b", answer]"), "unknown variable 'answer'"),
        (SOURCE.replace(b"response: answers", b"response: cause"), "the response is 'cause'. This role replies 'answers'."),
    ],
)
def test_a_broken_file_is_listed_with_its_error_among_the_others(folder: Path, content: bytes, told: str) -> None:
    (folder / "verifier" / "v2.md").write_bytes(content)
    rows = listed(folder, code=1)
    assert told in str(rows["verifier/v2"]["error"])
    assert {name for name, row in rows.items() if row["error"] is not None} == {"verifier/v2"}
    done = here("prompts", "list", "--folder", str(folder))
    assert done.returncode == 1
    assert [line.split()[:2] for line in done.stdout.splitlines() if "error: " in line] == [["verifier", "v2"]]
    assert f"error: {told}" in done.stdout


def test_a_file_that_cannot_be_read_or_chosen_is_listed_with_its_error(folder: Path) -> None:
    (folder / "verifier" / "gone.md").symlink_to(folder / "nowhere")
    (folder / "verifier" / "folder.md").mkdir()
    (folder / "verifier" / "my draft.md").write_bytes(SOURCE)
    (folder / "verifier" / ".#v1.md").write_bytes(b"an editor's own")
    rows = listed(folder, code=1)
    assert rows["verifier/gone"]["error"] == "cannot be read: No such file or directory."
    assert rows["verifier/folder"]["error"] == "not a file."
    assert "a version cannot be called 'my draft'" in str(rows["verifier/my draft"]["error"])
    assert len([name for name in rows if name.startswith("verifier/")]) == 4
    row = next(line for line in here("prompts", "list", "--folder", str(folder)).stdout.splitlines() if " gone " in line)
    assert row.split()[:6] == ["verifier", "gone", "-", "-", "-", "error:"]
    assert "gone.md: cannot be read" in refused("prompts", "show", "verifier", "gone", "--folder", str(folder))


def test_a_folder_that_lacks_a_role_says_so(folder: Path) -> None:
    shutil.rmtree(folder / "reviser")
    done = here("prompts", "list", "--folder", str(folder))
    assert done.returncode == 0
    assert "no prompt here for reviser" in done.stderr
    assert json.loads(here("prompts", "list", "--folder", str(folder), "--json").stdout)["missing"] == ["reviser"]


def test_what_is_no_folder_of_prompts_is_refused(tmp_path: Path) -> None:
    assert "there is no such folder" in refused("prompts", "list", "--folder", str(tmp_path / "none"))
    assert "the folder holds no prompts" in refused("prompts", "show", "verifier", "v1", "--folder", str(tmp_path))


@pytest.mark.parametrize("role", ROLES)
def test_show_prints_the_file_as_it_is(role: str) -> None:
    done = here("prompts", "show", role, "v1")
    assert done.returncode == 0
    assert done.stdout.encode() == (prompts.FOLDER / role / "v1.md").read_bytes()


@pytest.mark.parametrize("role", ROLES)
def test_a_rendered_prompt_is_the_two_messages_with_every_variable_filled_in(role: str) -> None:
    prompt = prompts.load(role, "v1")
    told = json.loads(here("prompts", "show", role, "v1", "--rendered", "--json").stdout)
    assert (told["system"], told["user"]) == (prompt.system, prompt.user)
    system, user = told["messages"]
    assert (system["role"], system["content"], user["role"]) == ("system", prompt.system, "user")
    assert "{{" not in user["content"]
    assert "Fenn Mill" in user["content"]
    text = here("prompts", "show", role, "v1", "--rendered").stdout
    assert text == f"[system]\n{system['content']}\n\n[user]\n{user['content']}\n"


@pytest.mark.parametrize(("role", "version"), PACKAGED)
def test_the_example_of_a_packaged_prompt_leaves_no_variable_open(role: str, version: str) -> None:
    told = json.loads(here("prompts", "show", role, version, "--rendered", "--json").stdout)
    user = told["messages"][1]["content"]
    assert "an example of" not in user
    nothing = [line for line in user.splitlines() if line.endswith(": null")]
    assert all("null if there was none" in line for line in nothing)  # an appeal, which few questions get


def test_a_role_that_the_program_does_not_know_is_shown_with_what_its_variables_are_called_elsewhere(folder: Path) -> None:
    text = b"---\npurpose: p\nvariables: [question, colour]\nresponse: hue\n---\n# System\ns\n# User\n"
    (folder / "painter").mkdir()
    (folder / "painter" / "v1.md").write_bytes(text + b"<data>\n{{question}}\n{{colour}}\n</data>\n")
    assert listed(folder)["painter/v1"]["used_by"] == []
    lines = here("prompts", "show", "painter", "v1", "--rendered", "--folder", str(folder)).stdout.splitlines()
    assert "Fenn Mill" in lines[-3]
    assert lines[-2] == '"an example of colour"'
    done = here("prompts", "new", "painter", "v2", "--from", "v1", "--folder", str(folder))
    assert "--set" not in done.stderr  # no config key would be read


def test_a_broken_file_can_be_looked_at_but_not_rendered(folder: Path) -> None:
    (folder / "verifier" / "v2.md").write_bytes(b"no prompt \xff")
    assert here("prompts", "show", "verifier", "v2", "--folder", str(folder)).stdout == "no prompt \\udcff\n"
    for option in ("--rendered", "--json"):
        assert "v2.md: not a prompt file" in refused("prompts", "show", "verifier", "v2", option, "--folder", str(folder))


def test_a_file_cannot_steer_the_terminal(folder: Path) -> None:
    bad = " ".join(HOSTILE.values())
    text = SOURCE.decode().replace("# System\n", f"# System\n{bad}\n").replace("purpose: Answer", "purpose: A\u202e\u200bnswer")
    (folder / "verifier" / "v2.md").write_text(text, encoding="utf-8", newline="\n")
    (folder / "x\x1b[2J\u202ey").mkdir()
    (folder / "x\x1b[2J\u202ey" / "v1.md").write_bytes(b"\x1b[2J")
    for command in (("list",), ("show", "verifier", "v2"), ("show", "verifier", "v2", "--rendered"), ("diff", "verifier", "v1", "v2")):
        for as_json in ((), ("--json",)):
            done = here("prompts", *command, *as_json, "--folder", str(folder))
            assert done.returncode == (1 if command == ("list",) else 0)
            printed = done.stdout + done.stderr
            assert [sign for sign in printed if sign != "\n" and not sign.isprintable()] == []
            assert command == ("list",) or "[bold red]Ana[/]" in printed


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("show", "verifer", "v1"), "there is no role 'verifer' with prompts. Did you mean 'verifier'?"),
        (("show", "appeal", "v1"), "appeal has no prompts of its own. It uses those of verifier."),
        (("show", "../prompts", "v1"), "there is no role '../prompts'"),
        (("show", "verifier", "v7"), "there is no version 'v7' of verifier. Known: v1."),
        (("show", "verifier", "../rewriter/v1"), "there is no version '../rewriter/v1' of verifier"),
        (("diff", "verifier", "v1", "v1.md"), "there is no version 'v1.md' of verifier. Known: v1."),
        (("diff", "verifier", "v1"), "B: name a second version. Or compare with a run's own copy: --run RUN."),
        (("diff", "verifier", "v1", "--run", "no/such/run"), "there is no such run directory"),
        (("new", "verifier", "v2", "--from", "v7"), "there is no version 'v7' of verifier. Known: v1."),
        (("new", "appeal", "v2", "--from", "v1"), "appeal has no prompts of its own"),
        (("new", "painter", "v2", "--from", "v1"), "there is no role 'painter' with prompts. Known: "),
        (("new", "verifier", "a b", "--from", "v1"), "a version cannot be called 'a b'. Use letters, digits"),
        (("new", "verifier", "../v2", "--from", "v1"), "a version cannot be called '../v2'"),
        (("new", "verifier", "v" * 101, "--from", "v1"), "100 at most"),
        (("new", "verifier", "v2.md", "--from", "v1"), "Leave out the .md."),
        (("new", "verifier", "v1", "--from", "v1"), "v1.md: this version exists"),
    ],
)
def test_what_is_not_there_or_cannot_be_called_so_is_one_line_and_writes_nothing(
    folder: Path, arguments: tuple[str, ...], told: str
) -> None:
    before = files_below(folder)
    message = refused("prompts", *arguments, "--folder", str(folder)).replace(f"{folder}/verifier: ", "")
    assert told in message
    assert files_below(folder) == before


def test_a_diff_shows_what_changed_and_its_exit_code_is_0(folder: Path) -> None:
    (folder / "verifier" / "v2.md").write_bytes(SOURCE.replace(b"Forget what you know", b"Forget all that you know"))
    done = here("prompts", "diff", "verifier", "v1", "v2", "--folder", str(folder))
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[:2] == [f"--- {folder / 'verifier' / 'v1.md'}", f"+++ {folder / 'verifier' / 'v2.md'}"]
    assert len([line for line in lines[2:] if line.startswith("-")]) == len([line for line in lines[2:] if line.startswith("+")]) == 1
    told = json.loads(here("prompts", "diff", "verifier", "v1", "v2", "--folder", str(folder), "--json").stdout)
    assert (told["same"], told["diff"]) == (False, lines)


def test_two_versions_that_are_the_same_print_a_line_on_stderr_only(folder: Path) -> None:
    done = here("prompts", "diff", "verifier", "v1", "v1", "--folder", str(folder))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "no difference\n")
    assert json.loads(here("prompts", "diff", "verifier", "v1", "v1", "--json").stdout)["same"] is True


@given(st.binary(max_size=40), st.binary(max_size=40), st.sampled_from([b"", b"\n", b"\xff", b"\\xff", b"\r\n", b"\xe2\x80\xa8"]))
def test_a_diff_is_empty_exactly_for_the_same_bytes(one: bytes, other: bytes, end: bytes) -> None:
    def difference(a: bytes, b: bytes) -> FileDifference:
        return FileDifference(PromptFile("r", "a", Path("a"), a), PromptFile("r", "b", Path("b"), b))

    for a, b in ((one, other), (one, one + end), (one, one)):
        found = difference(a, b)
        assert (found.lines() == []) is found.is_same is (a == b)


def test_a_missing_last_newline_is_told() -> None:
    a, b = (PromptFile("r", version, Path(version), content) for version, content in (("a", b"x\n"), ("b", b"x")))
    assert FileDifference(a, b).lines()[-3:] == ["-x", "+x", "\\ No newline at end of file"]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run that keeps a verifier's prompt of its own."""
    with RunFolder(tmp_path / "run", config(tmp_path)) as made:
        sampled(made, records(1))
        made.store_prompts({"verifier/v1": SOURCE.replace(b"Forget what you know", b"Ignore what you know")})
    return tmp_path / "run"


def test_a_runs_own_copy_is_compared_with_the_folders_file_of_the_same_or_another_version(run: Path, folder: Path) -> None:
    done = here("prompts", "diff", "verifier", "v1", "--run", str(run), "--folder", str(folder))
    assert done.returncode == 0
    assert done.stdout.splitlines()[0] == f"--- {run / PROMPTS / 'verifier' / 'v1.md'}"
    assert "-You answer" in done.stdout
    assert "Ignore what you know" in done.stdout
    shutil.copyfile(run / PROMPTS / "verifier" / "v1.md", folder / "verifier" / "v2.md")
    assert here("prompts", "diff", "verifier", "v1", "v2", "--run", str(run), "--folder", str(folder)).stderr == "no difference\n"


def test_a_runs_copy_that_it_does_not_keep_or_that_was_edited_is_refused(run: Path, sample_dir: Path) -> None:
    assert "the run did not use 'verifier/v2'. Did you mean 'verifier/v1'?" in refused(
        "prompts", "diff", "verifier", "v2", "--run", str(run)
    )
    assert "the run did not use 'rewriter/v1'" in refused("prompts", "diff", "rewriter", "v1", "--run", str(run))
    assert "the run keeps no prompts" in refused("prompts", "diff", "verifier", "v1", "--run", str(sample_dir))
    (run / PROMPTS / "verifier" / "v1.md").write_bytes(SOURCE)
    assert "the run's own copy of the prompt was edited" in refused("prompts", "diff", "verifier", "v1", "--run", str(run))


def test_a_new_prompt_has_the_bytes_of_its_source_and_names_the_way_to_use_it(folder: Path) -> None:
    before = files_below(folder)
    done = here("prompts", "new", "verifier", "v2", "--from", "v1", "--folder", str(folder))
    assert (done.returncode, done.stdout) == (0, "")
    assert files_below(folder) == before | {"verifier/v2.md": before["verifier/v1.md"]}
    wrote, following, use = done.stderr.splitlines()
    assert wrote == f"wrote {folder / 'verifier' / 'v2.md'}, a copy of v1"
    command = shlex.split(following.partition("chronoqg ")[2])
    assert here(*command).stderr == "no difference\n"
    assert use.endswith(f"--set agents.verifier.prompt=v2 --set prompts.path={folder}")


def test_the_way_to_use_a_new_prompt_works_for_any_folder_of_the_users_own(tmp_path: Path) -> None:
    place = tmp_path / "my prompts: [draft"
    done = here("prompts", "new", "reviser", "2", "--from", "v1", "--folder", str(place))
    assert f"copied the package's prompts of {', '.join(ROLES)}" in done.stderr
    package = {name: content for name, content in files_below(prompts.FOLDER).items() if name.endswith(".md")}
    assert files_below(place) == package | {"reviser/2.md": package["reviser/v1.md"]}
    assert listed(place)["reviser/2"]["error"] is None
    settings = shlex.split(done.stderr.splitlines()[-1].removeprefix("to use it: "))
    file = tmp_path / "models.yaml"
    roles = "".join(f"  {role}: {{model: gpt}}\n" for role in set(PROMPT_FOLDERS.values()) - {"round_trip_reader"})
    file.write_text(f"dataset: a\ngraph: {{path: x}}\nmodels:\n  gpt: {{provider: openai, model: m}}\nagents:\n{roles}")
    loaded = load_config(file, settings[1::2]).config
    assert (loaded.agents.reviser.prompt, loaded.prompts.path) == ("2", str(place))
    check_crew(loaded)


def test_only_the_roles_that_a_folder_lacks_are_copied(folder: Path) -> None:
    shutil.rmtree(folder / "rewriter")
    (folder / "reviser" / "v1.md").write_bytes(b"mine")
    before = files_below(folder)
    done = here("prompts", "new", "verifier", "v2", "--from", "v1", "--folder", str(folder))
    assert "copied the package's prompts of rewriter: " in done.stderr
    assert files_below(folder).keys() - before.keys() == {"rewriter/v1.md", "verifier/v2.md"}
    assert (folder / "reviser" / "v1.md").read_bytes() == b"mine"
    assert "copied" not in here("prompts", "new", "verifier", "v3", "--from", "v2", "--folder", str(folder)).stderr


def test_a_folder_in_the_making_takes_no_name_that_the_package_uses(tmp_path: Path) -> None:
    assert "this version exists" in refused("prompts", "new", "verifier", "v1", "--from", "v1", "--folder", str(tmp_path / "new"))
    assert "this version exists" in refused("prompts", "new", "verifier", "v1", "--from", "v1")
    assert list(tmp_path.iterdir()) == []


def test_a_copy_of_what_is_no_prompt_is_refused(folder: Path) -> None:
    (folder / "verifier" / "v1.md").write_bytes(b"no prompt")
    assert "v1.md: not a prompt file" in refused("prompts", "new", "verifier", "v2", "--from", "v1", "--folder", str(folder))
    assert not (folder / "verifier" / "v2.md").exists()


def test_a_folder_that_cannot_be_written_is_one_line_and_nothing_is_left(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    message = refused("prompts", "new", "verifier", "v2", "--from", "v1", "--folder", str(tmp_path / "file" / "prompts"))
    assert "cannot be written: Not a directory. Name another --folder." in message
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "verifier").write_text("in the way")
    message = refused("prompts", "new", "verifier", "v2", "--from", "v1", "--folder", str(tmp_path / "mine"))
    assert "cannot be written: " in message
    assert files_below(tmp_path) == {"file": b"mine", "mine/verifier": b"in the way"}
    assert list((tmp_path / "mine").iterdir()) == [tmp_path / "mine" / "verifier"]


VERSIONS = st.from_regex(RoleConfig.model_fields["prompt"].metadata[1].pattern, fullmatch=True).filter(lambda name: len(name) <= 100)


@given(VERSIONS | st.sampled_from(["2", "1.5", "null", "true", "no", "2024-01-01", "1_000", "0x1f", "1e5"]))
def test_a_setting_gives_the_config_the_very_version(name: str) -> None:
    assert read_back(setting("agents.verifier.prompt", name)).agents.verifier.prompt == name


@given(st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp", "Cn", "Co")), min_size=1, max_size=30))
def test_a_setting_gives_the_config_the_very_folder(path: str) -> None:
    assert read_back(setting("prompts.path", path)).prompts.path == path


def read_back(option: str) -> Config:
    flag, value = shlex.split(option)
    assert flag == "--set"
    return load_config(QUICKSTART, [value]).config
