"""What somebody or something changed in a study's directory is never counted: one line says which file it is."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from evaluation.rewriter.study import study_rewriter
from evaluation.verifier.study import study_verifier
from runs.config_file import LoadedConfig, load_config
from runs.forks import fork_folder, fork_names
from state.errors import ConfigError, RunFolderError
from tests.command_line import QUICKSTART, SMALL

STUDIES: dict[str, Callable[..., object]] = {"verifier": study_verifier, "rewriter": study_rewriter}


def config(*overrides: str) -> LoadedConfig:
    small = (part for part in SMALL[1:] if part != "--set")
    return load_config(QUICKSTART, [*small, "study.size=4", "study.verifier.modes=[all]", *overrides])


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a finished study of each role; not to be changed."""
    folder = tmp_path_factory.mktemp("finished")
    for kind, study in STUDIES.items():
        study(folder / kind, config())
    return folder


@pytest.fixture
def studies(finished: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return shutil.copytree(finished, tmp_path / "copy")


def cell_of(study: Path) -> Path:
    """The folder of its one cell."""
    (name,) = fork_names(study)
    return fork_folder(study, name)


@pytest.mark.parametrize(
    ("kind", "name", "said", "instead"),
    [
        ("verifier", "items.jsonl", b'"kind":"reversed"', b'"kind":null'),
        ("verifier", "items.jsonl", b'"wording":"template"', b'"wording":"final"'),
        ("verifier", "sample.json", b'"population": ', b'"population": 9'),
        ("rewriter", "sample.json", b'"kind": "rewriter"', b'"kind": "verifier"'),
    ],
)
def test_an_edited_item_or_sample_is_refused(kind: str, name: str, said: bytes, instead: bytes, studies: Path) -> None:
    file = studies / kind / name
    assert said in file.read_bytes()
    file.write_bytes(file.read_bytes().replace(said, instead, 1))
    with pytest.raises(RunFolderError, match="not the one that was written") as caught:
        STUDIES[kind](studies / kind, config())
    assert caught.value.where == str(file)


def test_an_item_that_stands_twice_is_refused(studies: Path) -> None:
    file = studies / "verifier" / "items.jsonl"
    file.write_bytes(file.read_bytes() + file.read_bytes().split(b"\n")[0] + b"\n")
    with pytest.raises(RunFolderError, match="not the one that was written"):
        study_verifier(studies / "verifier", config())


@pytest.mark.parametrize("kind", STUDIES)
@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("UPDATE outcomes SET status = 'well'", "stored outcome cannot be read"),
        ("UPDATE outcomes SET status = 'discarded', reason = 'answer leak' WHERE status = 'accepted'", "stored history does not lead"),
        ("DELETE FROM visits", "stored history does not lead"),
        ("DELETE FROM visits WHERE seq = 0", "stored history does not lead"),
        ("UPDATE visits SET visit = '{'", "stored node visit cannot be read"),
    ],
)
def test_a_database_that_contradicts_itself_is_refused(kind: str, change: str, says: str, studies: Path) -> None:
    with sqlite3.connect(cell_of(studies / kind) / "run.sqlite") as connection:
        assert connection.execute(change).rowcount > 0
    connection.close()
    with pytest.raises(RunFolderError, match=says):
        STUDIES[kind](studies / kind, config())


def test_a_folder_of_something_else_that_was_locked_once_is_left_alone(studies: Path) -> None:
    cell = cell_of(studies / "verifier")
    (cell / ".lock").touch()
    before = {path.name: path.read_bytes() for path in cell.iterdir() if path.is_file()}
    with pytest.raises(RunFolderError, match="not empty and not a study's"):
        study_verifier(cell, config())
    assert {path.name: path.read_bytes() for path in cell.iterdir() if path.is_file()} == before


@pytest.mark.slow
def test_a_study_that_was_killed_before_its_manifest_is_begun_anew(studies: Path) -> None:
    study = studies / "verifier"
    whole = (study / "items.jsonl").read_bytes()
    for path in study.iterdir():
        if path.name not in (".lock", "traces.jsonl", "items.jsonl"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    (study / ".lock").touch()
    (study / "items.jsonl").rename(study / ".items.jsonl.part")
    study_verifier(study, config())
    assert (study / "items.jsonl").read_bytes() == whole


@pytest.mark.parametrize("kind", STUDIES)
def test_questions_that_a_study_damaged_are_no_source_of_another(kind: str, studies: Path) -> None:
    with pytest.raises(ConfigError, match="whose questions are damaged"):
        STUDIES[kind](studies / "new", config(f"study.run={studies / 'verifier'}"))
    assert not (studies / "new").exists()


@pytest.mark.slow
@pytest.mark.parametrize("kind", STUDIES)
def test_the_sound_traces_of_a_study_of_the_rewriter_are_a_source(kind: str, studies: Path) -> None:
    STUDIES[kind](studies / "new", config(f"study.run={studies / 'rewriter'}"))
