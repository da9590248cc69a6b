"""One sample of the shipped graph and one build of it, made by the command line itself."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.command_line import SMALL, chronoqg


@pytest.fixture(scope="session")
def sample_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sampled run directory; not to be changed."""
    path = tmp_path_factory.mktemp("sampled") / "run"
    done = chronoqg("sample", *SMALL, "--out", str(path), PYTHONHASHSEED="0")
    assert done.returncode == 0, done.stderr
    return path


@pytest.fixture(scope="session")
def build_dir(sample_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A built run directory; not to be changed."""
    path = tmp_path_factory.mktemp("built") / "run"
    shutil.copytree(sample_dir, path)
    done = chronoqg("build", *SMALL, "--out", str(path), PYTHONHASHSEED="0")
    assert done.returncode == 0, done.stderr
    return path


@pytest.fixture
def sample_copy(sample_dir: Path, tmp_path: Path) -> Path:
    """A sampled run directory of the test's own."""
    return Path(shutil.copytree(sample_dir, tmp_path / "run"))


@pytest.fixture
def build_copy(build_dir: Path, tmp_path: Path) -> Path:
    """A built run directory of the test's own."""
    return Path(shutil.copytree(build_dir, tmp_path / "run"))
