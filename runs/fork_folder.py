"""The folder of a fork, owned by one process while it is written."""

from __future__ import annotations

from filelock import FileLock, Timeout

from runs.building import prompt_files
from runs.config_identity import dump_config, first_difference, identity
from runs.forks import FORK, ForkDatabase, ForkNote, ForkReader, fork_folder, sha256_of
from runs.json_lines import pretty_json, write_whole
from runs.kinds import kind_of
from runs.manifest import config_sha256
from runs.run_folder import CONFIG, DATABASE, LOCK, PROMPTS, RunReader
from state.config import Config
from state.errors import RunFolderError
from state.vocabulary import Node


class ForkFolder:
    """A fork's directory, owned by this process while it is open."""

    def __init__(self, reader: RunReader, name: str, node: Node, config: Config, *, verifies_only: bool = False) -> None:
        """Claims the folder, and begins the fork if it is new.

        Args:
            reader: the run that it is a fork of.
            name: what to call it.
            node: the first node that is asked anew.
            config: the fork's own config.
            verifies_only: whether template questions are verified and nothing else is done.

        Raises:
            RunFolderError: it cannot be written, another process owns it, or it is there with another config.
        """
        self.path = fork_folder(reader.path, name)
        self.address = f"{reader.path}@{name}"
        if like := [other.name for other in self.path.parent.glob("*") if other.name != name and other.name.lower() == name.lower()]:
            # Where capitals do not count, the two would be one folder.
            raise RunFolderError(f"there is a fork {like[0]!r}", where=self.address, remedy="Choose another --name.")
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._lock = FileLock(self.path / LOCK)
            self._lock.acquire(timeout=0)
        except Timeout as err:
            raise RunFolderError("another process is working on this fork", where=self.address, remedy="Wait for it to end.") from err
        except OSError as err:
            raise RunFolderError(f"the fork cannot be written: {err.strerror}", where=str(self.path)) from err
        try:
            self._origin = reader.manifest.origin
            if not (self.path / FORK).exists():
                self._begin(name, node, config, verifies_only)
            self.reader = ForkReader(reader.path, name)
            self._refuse_another(node, config)
            self.reader.check_prompts()
            self.database = ForkDatabase(self.path / DATABASE, node, writable=True)
        except BaseException:
            self._lock.release()
            raise

    def __enter__(self) -> ForkFolder:
        return self

    def __exit__(self, *_: object) -> None:
        self.database.close()
        self._lock.release()

    def _begin(self, name: str, node: Node, config: Config, verifies_only: bool) -> None:
        """The note comes last, so that a folder without one is no fork yet."""
        files = prompt_files(config, kind_of(self._origin))
        for prompt, content in sorted(files.items()):
            write_whole(self.path / PROMPTS / f"{prompt}.md", [content])
        write_whole(self.path / CONFIG, [dump_config(config).encode()])
        note = ForkNote(
            name=name, node=node, config_sha256=config_sha256(config, self._origin), prompts=sha256_of(files), verifies_only=verifies_only
        )
        write_whole(self.path / FORK, [pretty_json(note.model_dump(mode="json", by_alias=True))])

    def _refuse_another(self, node: Node, config: Config) -> None:
        note, remedy = self.reader.note, "Choose another --name."
        if note.node is not node:
            raise RunFolderError(f"the fork is there already, from {note.node.value}", where=self.address, remedy=remedy)
        if note.config_sha256 != config_sha256(config, self._origin):
            key = first_difference(identity(config, self._origin), identity(self.reader.config().config, self._origin))
            raise RunFolderError(f"the fork is there already, with another config ({key} differs)", where=self.address, remedy=remedy)
