"""Forks of a run: `RUN/forks/NAME`, addressed as `RUN@NAME`, and how one is read.

A fork repeats the recorded visits of a run's instances up to a node and goes on from there with a config
of its own. It keeps what the run does not: config, prompts and database; the traces stay the run's.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from pydantic import ConfigDict, Field

from agents.fork import visits_before
from runs.config_file import LoadedConfig, load_config
from runs.database import InstanceOutcome, RunDatabase
from runs.json_lines import parse_line, read_bytes
from runs.run_folder import CONFIG, DATABASE, PROMPTS, RunReader
from state.errors import RunFolderError, did_you_mean
from state.model_base import Contract
from state.trajectory import Visit
from state.vocabulary import Node, Status

FORKS = "forks"
FORK = "fork.json"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}\Z", re.ASCII)
"""What a fork may be called."""


class ForkNote(Contract):
    """`fork.json`: what a fork is; written when it is begun, and never changed."""

    model_config = ConfigDict(populate_by_name=True)

    format: Literal[1] = 1
    """Format version."""
    name: str
    """Its name, the same as its folder's."""
    node: Node = Field(alias="from")
    """The first node that was asked anew."""
    config_sha256: str
    """SHA-256 of what of its config must stay the same for it to be continued."""
    prompts: dict[str, str]
    """`<role>/<version>` -> SHA-256 of each prompt file that it keeps."""
    verifies_only: bool = False
    """Whether it is a cell of a study of the verifier: each record's template question was verified, and nothing else done."""


class ForkDatabase(RunDatabase):
    """A fork's `run.sqlite`: whole histories, of which only what the fork itself asked counts as used."""

    def __init__(self, path: Path, node: Node, *, writable: bool) -> None:
        super().__init__(path, writable=writable)
        self._node = node

    def commit(self, outcome: InstanceOutcome, visits: Sequence[Visit], used: Sequence[Visit] | None = None) -> None:
        """Stores an instance as a run's database does; the recorded visits before the fork's node were used by the run."""
        before = visits_before(self._node, visits)
        super().commit(outcome, visits, visits[len(before or ()) :] if used is None else used)


class ForkReader(RunReader):
    """A fork, to be read like a run: traces are its run's, all else its own."""

    def __init__(self, run: str | Path, name: str) -> None:
        """Reads the run's manifest and the fork's note.

        Raises:
            RunFolderError: there is no such fork, or one of the two is damaged.
        """
        super().__init__(run)
        self.parent = RunReader(run)
        """The run itself."""
        self.folder = self.path / FORKS / name
        """Where the fork lies."""
        path = self.folder / FORK
        if not NAME.match(name) or not path.is_file():
            known = fork_names(self.path)
            remedy = did_you_mean(name, known) if known else "Make one with `chronoqg replay RUN ID --from NODE --live --name NAME`."
            raise RunFolderError(f"the run has no fork {name!r}", where=str(run), remedy=remedy)
        self.note = parse_line(ForkNote, read_bytes(path), path, 1)
        if self.note.name != name:
            raise RunFolderError(f"the fork calls itself {self.note.name!r}", where=str(path))
        changed = {"config_sha256": self.note.config_sha256, "prompts": self.note.prompts, "taken": 0, "counts": None}
        self.manifest = self.manifest.model_copy(update=changed)

    @property
    def node(self) -> Node:
        """The first node that was asked anew."""
        return self.note.node

    def config(self) -> LoadedConfig:
        """The resolved config that the fork keeps."""
        return load_config(self.folder / CONFIG)

    @property
    def prompts_path(self) -> Path:
        """The folder of the fork's own prompt files."""
        return self.folder / PROMPTS

    def first_accepted(self) -> str | None:
        """The id of an accepted instance; `None` if there is none."""
        with self.database() as database:
            return next((ident for ident, status in sorted(database.finished().items()) if status is Status.ACCEPTED), None)

    @property
    def has_agents(self) -> bool:
        """Whether agents have worked on the fork."""
        return (self.folder / DATABASE).exists()

    @contextlib.contextmanager
    def database(self) -> Iterator[RunDatabase]:
        """The fork's database, to be read.

        Raises:
            RunFolderError: nothing in it is finished yet, or it is damaged.
        """
        if not self.has_agents:
            where, remedy = f"{self.path}@{self.note.name}", "Go on with the command that began it."
            raise RunFolderError("no agents have worked in this fork", where=where, remedy=remedy)
        database = ForkDatabase(self.folder / DATABASE, self.node, writable=False)
        try:
            yield database
        finally:
            database.close()


def fork_names(run: Path) -> list[str]:
    """The forks of a run, sorted by name."""
    return sorted(note.parent.name for note in (run / FORKS).glob(f"*/{FORK}"))


def fork_folder(run: Path, name: str) -> Path:
    """Where a fork of a run lies.

    Raises:
        RunFolderError: nothing can be called so.
    """
    if not NAME.match(name):
        remedy = "Use letters, digits, '_', '.' and '-', a letter or digit first."
        raise RunFolderError(f"a fork cannot be called {name!r}", where="--name", remedy=remedy)
    return run / FORKS / name


def open_run(address: str | Path) -> RunReader:
    """The reader of a run directory, or of the fork that `RUN@FORK` names; a directory with an @ in its own name comes first.

    Raises:
        RunFolderError: there is no such run or fork, or it is damaged.
    """
    run, at, name = str(address).rpartition("@")
    if not at or Path(address).exists() or not Path(run).is_dir():
        return RunReader(address)
    return ForkReader(run, name)


def sha256_of(files: dict[str, bytes]) -> dict[str, str]:
    """Name -> SHA-256 of each content, sorted by name."""
    return {name: hashlib.sha256(content).hexdigest() for name, content in sorted(files.items())}
