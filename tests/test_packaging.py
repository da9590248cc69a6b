"""The package list, the data files and the dependencies of `pyproject.toml` are what the code has and needs."""

from __future__ import annotations

import ast
import importlib.util
import sys
import tomllib
from fnmatch import fnmatch
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PACKAGES = [Path(*name.split(".")) for name in PROJECT["tool"]["setuptools"]["packages"]]
TOP = sorted({package.parts[0] for package in PACKAGES})

EXTRAS = PROJECT["project"]["optional-dependencies"]


def names(requirements: list[str]) -> set[str]:
    """The distributions of a list of requirements, in normal form."""
    return {
        requirement.split(">")[0].split("=")[0].split("<")[0].split("[")[0].strip().lower().replace("_", "-")
        for requirement in requirements
    }


@cache
def imported(*folders: str) -> dict[str, set[str]]:
    """Top-level module of others that files under the folders import -> the distributions that provide it."""
    modules: set[str] = set()
    for folder in folders:
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Import):
                    modules |= {alias.name.split(".")[0] for alias in node.names}
                elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                    modules.add(node.module.split(".")[0])
    owners = packages_distributions()
    others = modules - set(sys.stdlib_module_names) - {*TOP, "tests", "benchmarks"}
    return {module: {owner.lower().replace("_", "-") for owner in owners.get(module, [module])} for module in others}


def test_every_folder_with_an_init_file_is_a_listed_package() -> None:
    folders = {
        path.parent.relative_to(ROOT) for top in ROOT.iterdir() if (top / "__init__.py").is_file() for path in top.rglob("__init__.py")
    }
    assert folders == set(PACKAGES)


def test_every_folder_with_code_is_a_package() -> None:
    lost = [str(path) for top in TOP for path in (ROOT / top).rglob("*.py") if not (path.parent / "__init__.py").is_file()]
    assert lost == []


@pytest.mark.parametrize("top", TOP)
def test_every_data_file_of_a_package_is_shipped(top: str) -> None:
    data = PROJECT["tool"]["setuptools"]["package-data"]
    patterns = [
        "/".join([*package.split(".")[1:], glob]) for package, globs in data.items() if package.split(".")[0] == top for glob in globs
    ]
    files = [path.relative_to(ROOT / top) for path in (ROOT / top).rglob("*") if path.is_file() and path.suffix not in {".py", ".pyc"}]
    files = [path for path in files if "__pycache__" not in path.parts and (top, path.parts[0]) != ("runs", "output")]
    lost = [
        str(path) for path in files if not any(fnmatch(str(path), glob) and str(path).count("/") == glob.count("/") for glob in patterns)
    ]
    assert lost == []


@pytest.mark.slow
def test_every_dependency_is_imported() -> None:
    provided = set().union(*imported(*TOP).values())
    assert names(PROJECT["project"]["dependencies"]) - provided == set()


def test_every_import_is_a_dependency() -> None:
    # pydantic's core is the same release as pydantic and no choice of ours; what an extra brings is imported when it is asked for
    declared = names(PROJECT["project"]["dependencies"]) | names([*EXTRAS["hf"], *EXTRAS["postgres"], *EXTRAS["ray"]]) | {"pydantic-core"}
    assert {module for module, owners in imported(*TOP).items() if not owners & declared} == set()


@pytest.mark.slow
def test_what_the_tests_import_is_in_the_extra_for_tests() -> None:
    # click comes with typer, and only what typer makes of the commands is looked at
    declared = names(PROJECT["project"]["dependencies"]) | names(EXTRAS["test"]) | {"click"}
    without_extras = {module for module, owners in imported("tests").items() if not owners & declared}
    assert without_extras <= {"ray"}, "its tests are marked, and import it when they run"


def test_the_wheel_check_expects_prompts_configs_and_graphs() -> None:
    spec = importlib.util.spec_from_file_location("wheel_contents", ROOT / ".ci" / "wheel_contents.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    expected = module.expected_files(ROOT)
    some = {"prompts/verifier/v1.md", "runs/quickstart.yaml", "graph_sampler/data/years/full.txt", "state/py.typed"}
    assert some <= expected
    assert not any(path.startswith("runs/output") for path in expected)
