"""The directory of a study: a run directory whose records are the items, with one fork for each cell of the grid.

So `chronoqg show STUDY@CELL ID`, `replay STUDY@CELL --all` and `compare STUDY@A STUDY@B` open what a
study recorded, and a cell is continued, locked and paid for as a fork is. What is asked (`traces.jsonl`,
`items.jsonl`, `sample.json`, `config.yaml`, the manifest) never changes once it is written; another sample
is another study.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from runs.claimed_folder import ClaimedFolder
from runs.config_file import load_config
from runs.config_identity import dump_config, first_difference, identity, plain
from runs.forks import ForkReader, fork_names, sha256_of
from runs.json_lines import RESTORE, model_line, parse_line, parse_lines, pretty_json, read_bytes, write_lines, write_whole
from runs.manifest import GraphNote, Manifest, TracesNote, git_commit, package_versions
from runs.run_folder import CONFIG, MANIFEST, TRACES, RunReader
from runs.study_items import ITEMS, item_file
from state.config import Config
from state.errors import ChronoQGError, RunFolderError
from state.instance import BenchmarkRecord
from state.model_base import Contract
from state.study import Stratum, StudyItem

Kind = Literal["verifier", "rewriter", "generators"]
Identity = Callable[[Config], dict[str, Any]]
"""Config -> what of it decides what is asked; another such identity needs another directory."""
SAMPLE = "sample.json"
_MADE_AT_FIRST = frozenset((TRACES, ITEMS, SAMPLE, CONFIG))


class SampleNote(Contract):
    """`sample.json`: how the sample of a study was drawn."""

    format: Literal[1] = 1
    """Format version."""
    kind: Kind
    """Which role is studied."""
    source: str
    """Where the traces come from: a run's path, or the graph's name."""
    strata: tuple[Stratum, ...]
    """The sample by family; none where it was not stratified."""
    notes: tuple[str, ...]
    """What a reader must know of the sample."""


class Asked(NamedTuple):
    """What a study asks."""

    records: Sequence[BenchmarkRecord]
    """Sorted by id; each item is one, and a study of the rewriter has the traces themselves."""
    items: Sequence[StudyItem]
    """What is known of each; none in a study of the rewriter."""
    graph: GraphNote
    """The source graph."""
    note: SampleNote
    """How it was drawn."""


class StudyFolder:
    """The directory of a study, owned by this process while it is open."""

    def __init__(self, path: Path, config: Config, identity_of: Identity, make: Callable[[], Asked], seed: int) -> None:
        """Claims the directory; a new one is filled with what `make` returns.

        Args:
            path: the directory.
            config: the setup.
            identity_of: what of a setup decides what `make` returns.
            make: what is asked.
            seed: what it is drawn with.

        Raises:
            RunFolderError: it cannot be written, another process owns it, or it belongs to something else.
            ChronoQGError: whatever `make` raises.
        """
        self.path = path
        self._claim = ClaimedFolder(path, _MADE_AT_FIRST, "a study's")
        try:
            now = identity_of(config)
            if not (path / MANIFEST).exists():
                self._begin(config, now, make(), seed)
            self.reader = RunReader(path)
            if self.reader.manifest.config_sha256 != _sha256(now):
                raise self._another(identity_of, now)
            self._check_files()
            self.note = parse_line(SampleNote, read_bytes(path / SAMPLE), path / SAMPLE, 1)
            self.items = tuple(parse_lines(StudyItem, item_file(path)))
        except BaseException:
            self._claim.give_up()
            raise

    def __enter__(self) -> StudyFolder:
        return self

    def __exit__(self, *_: object) -> None:
        self._claim.release()

    def cells(self) -> list[ForkReader]:
        """Every cell that was ever begun here, sorted by name, those of edited prompts included."""
        return [ForkReader(self.path, name) for name in fork_names(self.path)]

    def _begin(self, config: Config, identity_now: dict[str, Any], asked: Asked, seed: int) -> None:
        """The manifest comes last, so that a directory without one is no study yet."""
        lines = [model_line(record) for record in asked.records]
        write_lines(self.path / TRACES, lines)
        files = {
            ITEMS: b"".join(model_line(item) + b"\n" for item in asked.items),
            SAMPLE: pretty_json(asked.note.model_dump(mode="json")),
        }
        for name, content in files.items():
            write_whole(self.path / name, [content])
        write_whole(self.path / CONFIG, [dump_config(config).encode()])
        manifest = Manifest(
            dataset=asked.records[0].dataset,
            versions=package_versions(),
            git_commit=git_commit(),
            config_sha256=_sha256(identity_now),
            seed=seed,
            graph=asked.graph,
            traces=TracesNote(count=len(lines), sha256=hashlib.sha256(b"".join(line + b"\n" for line in lines)).hexdigest()),
            study=sha256_of(files),
        )
        write_whole(self.path / MANIFEST, [pretty_json(manifest.model_dump(mode="json"))])

    def _check_files(self) -> None:
        for name, sha256 in (self.reader.manifest.study or {}).items():
            if hashlib.sha256(read_bytes(self.path / name)).hexdigest() != sha256:
                raise RunFolderError("the file is not the one that was written", where=str(self.path / name), remedy=RESTORE)

    def _another(self, identity_of: Identity, now: dict[str, Any]) -> RunFolderError:
        try:
            key = first_difference(now, identity_of(load_config(self.path / CONFIG).config))
        except ChronoQGError:
            key = None
        return RunFolderError(
            f"the directory belongs to another study or run{f' ({key} differs)' if key else ''}",
            where=str(self.path),
            remedy="Choose another --out; replies that stay the same come from the cache.",
        )


def study_identity(kind: Kind, config: Config) -> dict[str, Any]:
    """What decides the items of a study; models, prompts and the grid may change from one call to the next."""
    whole, drawn = identity(config), plain(config)["study"]
    del drawn["verifier"], drawn["rewriter"]
    if kind == "rewriter":
        del drawn["damages"], drawn["damages_per_question"], drawn["registers"], drawn["allocation"]
    if config.study.run is not None:
        return {"kind": kind, "study": drawn, "traces": RunReader(config.study.run).manifest.traces.sha256}
    return {"kind": kind, "study": drawn, **{key: whole[key] for key in ("dataset", "graph", "sampler", "evidence")}}


def _sha256(data: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()
