"""What README and docs name exists: commands, options, files, config keys."""

from __future__ import annotations

import importlib.util
import re
import shlex
import subprocess
from pathlib import Path
from types import ModuleType
from typing import Any

import click
import pytest
import typer
import yaml

from graph_sampler.operators import OPERATOR_NAMES
from runs.cli import app
from state.config import Config
from tests.command_line import here

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").glob("*.md"))]
HEADINGS = [
    "A real instance", "Install and first run", "The picture", "Use your own graph", "Use your own model",
    "Look at a run, score generators, give a benchmark away", "Ask about temporal tables", "Reproduce the paper",
    "Where things are", "Limits", "Citation",
]  # fmt: skip


def load_ci() -> ModuleType:
    """The module by which CI reads the README."""
    spec = importlib.util.spec_from_file_location("ci_readme", ROOT / ".ci" / "readme.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def shown_commands() -> list[str]:
    """Every `chronoqg` command of the pages, in code blocks and between backticks."""
    found: dict[str, None] = {}
    for page in PAGES:
        text = (ROOT / page).read_text(encoding="utf-8")
        lines = [line for block in re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL) for line in block.splitlines()]
        lines += re.findall(r"`([^`\n]*)`", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL))
        parts = [re.split(r"#", part)[0].strip().removeprefix(".venv/bin/") for line in lines for part in line.split("&&")]
        found |= dict.fromkeys(part for part in parts if part.startswith("chronoqg "))
    return list(found)


def resolve(words: list[str]) -> tuple[click.Command, list[str]]:
    """The command that the words call, and the words that are left for it."""
    command: Any = typer.main.get_command(app)
    while hasattr(command, "commands") and words and not words[0].startswith("-"):
        assert words[0] in command.commands, f"no command {words[0]!r}; there are {sorted(command.commands)}"
        command, words = command.commands[words[0]], words[1:]
    return command, words


@pytest.mark.parametrize("line", shown_commands())
def test_a_command_of_the_pages_exists_with_its_options_and_configs(line: str) -> None:
    command, words = resolve(shlex.split(line)[1:])
    known = {"--help", *(name for parameter in command.params for name in parameter.opts)}
    assert {word for word in words if word.startswith("--")} <= known
    configs = [word for word in words if word.startswith("runs/") and word.endswith(".yaml")]
    assert [word for word in configs if not (ROOT / word).is_file()] == []


@pytest.mark.slow
def test_the_pages_show_every_command() -> None:
    called = {resolve(shlex.split(line)[1:])[0].name for line in shown_commands()}
    assert {command.name for command in every_command()} <= called


def every_command(group: Any = None, path: str = "") -> list[Any]:
    """Every command that is registered; each gets a `full_name` such as `graph inspect`."""
    found = []
    for name, command in (group or typer.main.get_command(app)).commands.items():
        if hasattr(command, "commands"):
            found += every_command(command, f"{name} ")
        else:
            command.full_name = path + name
            found.append(command)
    return found


@pytest.mark.parametrize("command", [command.full_name for command in every_command()])
def test_a_command_has_help_with_an_example(command: str) -> None:
    done = here(*command.split(), "--help")
    assert done.returncode == 0, done.stderr
    assert f"chronoqg {command}" in done.stdout.split("Example:")[1]


def test_the_readme_keeps_its_order() -> None:
    assert re.findall(r"^## (.*)$", README, re.MULTILINE) == HEADINGS


@pytest.mark.parametrize("name", ["main", "look", "test"])
def test_a_command_that_ci_runs_is_one_line_that_bash_can_read(name: str) -> None:
    line = load_ci().marked_blocks(README)["command", name]
    assert "\n" not in line
    assert subprocess.run(["bash", "-n", "-c", line], capture_output=True, check=False).returncode == 0


def test_ci_takes_its_commands_from_the_readme() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert set(re.findall(r"readme_command (\w+)", script)) == {"main", "look", "test"}
    assert set(re.findall(r"readme\.py compare (\w+)", script)) == {
        name for kind, name in load_ci().marked_blocks(README) if kind == "output"
    }


def test_a_shown_output_is_found_whatever_its_line_breaks_and_missed_if_a_word_differs() -> None:
    missing_parts = load_ci().missing_parts
    assert missing_parts("a b\nc\n...\nd", "x a  b c y d") == []
    assert missing_parts("a b\nc\n...\nd", "x a  b y c d") == ["a b c"]


@pytest.mark.parametrize("block", re.findall(r"^```yaml\n(.*?)^```", README, re.MULTILINE | re.DOTALL))
def test_a_config_of_the_readme_has_known_keys_only(block: str) -> None:
    config = Config.model_validate({"dataset": "any", "graph": {"path": "any"}, **yaml.safe_load(block)})
    roles = [role for role in config.agents.model_dump().values() if isinstance(role, dict)]
    assert {role["model"] for role in roles} <= set(config.models)


@pytest.mark.parametrize("page", PAGES)
def test_every_file_that_a_page_names_exists(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    links = {target.split("#")[0] for target in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in target}
    missing = [link for link in links if not ((ROOT / page).parent / link).exists()]
    named = re.findall(r"`((?:agents|graph_sampler|prompts|runs|state|tests|benchmarks|docs|\.ci)/[\w./-]+)`", text)
    missing += [name for name in named if not name.startswith("runs/output") and not (ROOT / name).exists()]
    assert missing == []


def test_the_readme_counts_the_operators_rightly() -> None:
    assert f"taxonomy of {len(OPERATOR_NAMES)} operators" in README


def test_every_page_of_the_docs_is_named_in_the_readme() -> None:
    assert [page for page in PAGES if page.startswith("docs/") and page not in README] == []
