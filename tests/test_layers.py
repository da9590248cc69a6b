"""Imports point one way only, and the offline verifier shares nothing with what it judges."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("agents", "baselines", "evaluation", "graph_sampler", "prompts", "runs", "state", "tdbench")


@pytest.fixture(scope="module")
def imports() -> grimp.ImportGraph:
    return grimp.build_graph(*PACKAGES, include_external_packages=True, cache_dir=None)


def test_the_contracts_of_import_linter_hold() -> None:
    code = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_nothing_but_the_command_line_imports_the_command_line(imports: grimp.ImportGraph) -> None:
    command_line = imports.find_descendants("runs.cli") | {"runs.cli"}
    importers = set().union(*(imports.find_modules_that_directly_import(module) for module in command_line))
    assert importers - command_line == set()


def test_the_offline_verifier_reaches_nothing_of_the_rewriter(imports: grimp.ImportGraph) -> None:
    verifier = {module for module in imports.modules if module.startswith("agents.offline.verifier")}
    assert verifier
    reached = set().union(*(imports.find_upstream_modules(module) for module in verifier)) - verifier
    ours = {module for module in reached if module.split(".")[0] in PACKAGES}
    allowed = {"agents", "agents.offline", "graph_sampler", "graph_sampler.labels", "graph_sampler.operators"}
    assert {module for module in ours if not module.startswith("state")} <= allowed


def test_the_offline_verifier_of_tables_reaches_nothing_of_the_rewriter(imports: grimp.ImportGraph) -> None:
    verifier = {module for module in imports.modules if module.startswith("agents.offline.tables.verifier")}
    assert "agents.offline.tables.verifier" in verifier
    reached = set().union(*(imports.find_upstream_modules(module) for module in verifier)) - verifier
    ours = {module for module in reached if module.split(".")[0] in PACKAGES and not module.startswith("state")}
    assert ours <= {"agents", "agents.offline", "agents.offline.tables", "graph_sampler", "graph_sampler.labels"}


def test_only_the_verifiers_own_parts_and_the_wiring_import_the_offline_verifier(imports: grimp.ImportGraph) -> None:
    verifier = {module for module in imports.modules if module.startswith("agents.offline.verifier")}
    importers = set().union(*(imports.find_modules_that_directly_import(module) for module in verifier)) - verifier
    assert {module for module in importers if module.startswith("agents.offline.")} == set()


@pytest.mark.parametrize("package", ["graph_sampler", "state"])
def test_sampler_and_contracts_import_no_client_of_a_model(imports: grimp.ImportGraph, package: str) -> None:
    outside = {"langchain_core", "langchain_openai", "langgraph", "langsmith", "openai", "httpx", "diskcache", "typer", "rich"}
    for module in imports.find_descendants(package) | {package}:
        assert not imports.find_modules_directly_imported_by(module) & outside, module


def test_contracts_read_no_file(imports: grimp.ImportGraph) -> None:
    for module in imports.find_descendants("state"):
        assert not imports.find_modules_directly_imported_by(module) & {"os", "pathlib", "io", "sqlite3", "subprocess", "yaml"}, module
