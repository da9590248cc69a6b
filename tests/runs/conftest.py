"""One sample of the shipped graph and one build of it, made by the command line itself."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.command_line import SMALL, chronoqg
from tests.made_once import made_once


@pytest.fixture(scope="session")
def sample_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sampled run directory; not to be changed."""

    def make(path: Path) -> None:
        done = chronoqg("sample", *SMALL, "--out", str(path), PYTHONHASHSEED="0")
        assert done.returncode == 0, done.stderr

    return made_once("sampled", make, tmp_path_factory)


@pytest.fixture(scope="session")
def build_dir(sample_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A built run directory; not to be changed."""

    def make(path: Path) -> None:
        shutil.copytree(sample_dir, path)
        done = chronoqg("build", *SMALL, "--out", str(path), PYTHONHASHSEED="0")
        assert done.returncode == 0, done.stderr

    return made_once("built", make, tmp_path_factory)


@pytest.fixture
def sample_copy(sample_dir: Path, tmp_path: Path) -> Path:
    """A sampled run directory of the test's own."""
    return Path(shutil.copytree(sample_dir, tmp_path / "run"))


@pytest.fixture
def build_copy(build_dir: Path, tmp_path: Path) -> Path:
    """A built run directory of the test's own."""
    return Path(shutil.copytree(build_dir, tmp_path / "run"))
