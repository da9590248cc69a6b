"""A run directory: the only writer of `runs/output/`.

One process owns it, by a lock of the operating system that its death releases. What a directory
holds beside `run.sqlite` appears whole or not at all, and the manifest comes last, so a directory
without one is nobody's run.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from filelock import FileLock, Timeout

from runs.config_file import LoadedConfig, load_config
from runs.config_identity import dump_config, first_difference, identity
from runs.database import InstanceOutcome, RunDatabase, UsageRow
from runs.json_lines import WholeFile, escape_line_ends, parse_line, pretty_json, read_bytes, read_lines, write_lines, write_whole
from runs.manifest import GraphNote, Manifest, TracesNote, config_sha256, git_commit, package_versions
from runs.results import PARTS, Group, Part, Results
from runs.trace_file import TraceFile
from state.any_instance import INSTANCE_TYPES, Instance, Origin
from state.config import Config
from state.coverage import CoverageReport
from state.errors import ChronoQGError, RunFolderError, did_you_mean
from state.instance import BenchmarkRecord
from state.model_base import FORMAT_VERSION, Contract
from state.vocabulary import Status

LOCK = ".lock"
MANIFEST = "manifest.json"
CONFIG = "config.yaml"
TRACES = "traces.jsonl"
COVERAGE = "coverage.json"
DATABASE = "run.sqlite"
PROMPTS = "prompts"
BENCHMARK = "benchmark"
DISCARDED = "discarded.jsonl"
FAILED = "failed.jsonl"
USAGE = "usage.json"

_LEFT_BY_A_KILLED_RUN = {LOCK, CONFIG, TRACES, COVERAGE, *(f".{name}.part" for name in (CONFIG, TRACES, COVERAGE, MANIFEST))}


class RunReader:
    """A run directory, to be read; it may be a sample without agents, or unfinished."""

    def __init__(self, path: str | Path) -> None:
        """Reads the manifest.

        Raises:
            RunFolderError: the directory is no run directory, or its manifest is damaged.
        """
        self.path = Path(path)
        if not self.path.is_dir():
            raise RunFolderError(
                "there is no such run directory", where=str(path), remedy="Make one with `chronoqg build CONFIG` or name another."
            )
        if not (self.path / MANIFEST).exists():
            raise _no_run(self.path)
        content = read_bytes(self.path / MANIFEST)
        if b'"tdbench evaluate"' in content:
            what = "this is the directory of an evaluation on temporal tables, and no run"
            remedy = "Read its evaluation.html; `chronoqg tdbench evaluate CONFIG --out DIR` goes on with it, and --replay checks it."
            raise RunFolderError(what, where=str(path), remedy=remedy)
        self.manifest = parse_line(Manifest, content, self.path / MANIFEST, 1)
        self._traces: TraceFile[Any] | None = None

    def config(self) -> LoadedConfig:
        """The resolved config that the run keeps."""
        return load_config(self.path / CONFIG)

    def coverage(self) -> CoverageReport:
        """What the sample covers."""
        path = self.path / COVERAGE
        return parse_line(CoverageReport, read_bytes(path), path, 1)

    def instances(self) -> TraceFile[Instance]:
        """`traces.jsonl`, looked through once, whatever its lines are.

        Raises:
            RunFolderError: the file is damaged; the message names the broken line.
        """
        if self._traces is None:
            self._traces = TraceFile(self.path / TRACES, self.manifest.traces.sha256, INSTANCE_TYPES[self.manifest.origin])
        return self._traces

    def trace_file(self) -> TraceFile[BenchmarkRecord]:
        """`traces.jsonl` of a run over a graph.

        Raises:
            RunFolderError: the run is about tables, or the file is damaged; the message names the broken line.
        """
        if self.manifest.origin != "graph":
            raise self._about_tables()
        self.instances()
        assert self._traces is not None, "it was looked through just now"
        return self._traces

    def trace_lines(self) -> Iterator[bytes]:
        """The lines of `traces.jsonl`, as they were sampled; the file is looked through before the first is asked for.

        Raises:
            RunFolderError: the file is damaged; the message names the broken line.
        """
        return self.instances().lines()

    def traces(self) -> Iterator[BenchmarkRecord]:
        """The sampled records of a run over a graph, sorted by id.

        Raises:
            RunFolderError: as `trace_file`.
        """
        return self.trace_file().records()

    def record(self, instance_id: str) -> BenchmarkRecord:
        """The sampled record of an instance of a run over a graph; see `instance`.

        Raises:
            RunFolderError: as `trace_file`, or no instance, or more than one, has this id.
        """
        return self.trace_file().record(self._number(instance_id))

    def instance(self, instance_id: str) -> Instance:
        """An instance of any run, named by its id or the beginning of its hex digits that only it has.

        Raises:
            RunFolderError: no instance, or more than one, has this id, or the file is damaged.
        """
        return self.instances().record(self._number(instance_id))

    def _about_tables(self) -> RunFolderError:
        remedy = "Name a run that `chronoqg build` made; `chronoqg show`, `check`, `replay` and `tdbench evaluate` take this one."
        return RunFolderError("this run asks about tables, not about a graph", where=str(self.path), remedy=remedy)

    def _number(self, instance_id: str) -> int:
        """The place of an instance in the file."""
        traces = self.instances()
        ids = traces.ids()
        found = [number for number, ident in enumerate(ids) if ident == instance_id][:1]
        if instance_id and not found:
            found = [number for number, ident in enumerate(ids) if _is_meant(instance_id, ident, self.manifest)]
        if len(found) == 1:
            return found[0]
        known = [ids[number] for number in found] or ids
        what = f"{len(found)} instances begin with {instance_id!r}" if found else f"no instance {instance_id!r}"
        remedy = did_you_mean(instance_id, known) if len(known) < 10 else f"Ids look like {known[0]}; they stand in {traces.path}."
        raise RunFolderError(what, where=str(self.path), remedy=remedy)

    def benchmark_file(self, part: Part) -> Path:
        """Where the records of one part stand once a build has finished.

        Raises:
            RunFolderError: a run about tables has no such part.
        """
        if part not in PARTS[self.manifest.origin]:
            raise self._about_tables()
        return self.path / BENCHMARK / (f"{self.manifest.dataset}.jsonl" if part == "all" else f"{self.manifest.dataset}-{part}.jsonl")

    def benchmark_files(self) -> dict[Part, Path]:
        """Where the records of each part stand once a build has finished."""
        return {part: self.benchmark_file(part) for part in PARTS[self.manifest.origin]}

    @property
    def prompts_path(self) -> Path:
        """The folder of the run's own prompt files."""
        return self.path / PROMPTS

    def check_prompts(self) -> None:
        """Passes if the run's own prompt files are the ones that it began with.

        Raises:
            RunFolderError: one is missing or was edited.
        """
        for name, sha256 in (self.manifest.prompts or {}).items():
            path = self.prompts_path / f"{name}.md"
            if hashlib.sha256(read_bytes(path)).hexdigest() != sha256:
                raise RunFolderError(
                    "the run's own copy of the prompt was edited", where=str(path), remedy="Restore it or make the run anew."
                )

    def first_accepted(self) -> str | None:
        """The id of an accepted instance; `None` if there is none."""
        for path in self.benchmark_files().values():
            for line in read_lines(path):
                return parse_line(INSTANCE_TYPES[self.manifest.origin], line, path, 1).id
        return None

    @property
    def has_agents(self) -> bool:
        """Whether agents have worked on the run."""
        return (self.path / DATABASE).exists()

    @contextlib.contextmanager
    def database(self) -> Iterator[RunDatabase]:
        """The database, to be read.

        Raises:
            RunFolderError: no agents have worked here yet, or the database is damaged.
        """
        if not self.has_agents:
            raise RunFolderError(
                "no agents have worked in this run directory", where=str(self.path), remedy="It was made by `chronoqg sample`; use build."
            )
        database = RunDatabase(self.path / DATABASE, writable=False)
        try:
            yield database
        finally:
            database.close()


class RunFolder:
    """A run directory that this process owns and writes."""

    def __init__(self, path: str | Path, loaded: LoadedConfig, origin: Origin = "graph") -> None:
        """Claims the directory for a config, and creates it if need be.

        Args:
            path: the directory.
            loaded: the config.
            origin: what the run's traces are made of.

        Raises:
            RunFolderError: it cannot be written, another process owns it, or it belongs to something else.
        """
        self.path = Path(path)
        self.loaded = loaded
        self.origin: Origin = origin
        self._made = self._make_directory()
        self._refuse_other_contents()
        self._lock = FileLock(self.path / LOCK)
        try:
            self._lock.acquire(timeout=0)
        except Timeout as err:
            raise RunFolderError("another process is working in this run directory", where=str(path), remedy="Wait for it to end.") from err
        except OSError as err:
            raise _unwritable(self.path, err) from err
        self.reader: RunReader | None = None
        self._database: RunDatabase | None = None
        try:
            self._take_over()
        except ChronoQGError:
            self.close()
            raise

    def __enter__(self) -> RunFolder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Releases the directory; one in which nothing was made is left as it was found."""
        if self._database is not None:
            self._database.close()
            self._database = None
        if not (self.path / MANIFEST).exists():
            with contextlib.suppress(OSError):
                if {entry.name for entry in self.path.iterdir()} == {LOCK}:
                    (self.path / LOCK).unlink()
            for folder in reversed(self._made):
                with contextlib.suppress(OSError):
                    folder.rmdir()
        self._lock.release()

    @property
    def config(self) -> Config:
        """The config of this run."""
        return self.loaded.config

    @property
    def manifest(self) -> Manifest:
        """The manifest as it stands."""
        assert self.reader is not None, "the run has no traces yet"
        return self.reader.manifest

    @property
    def database(self) -> RunDatabase:
        """The database, to be written; created on first use."""
        if self._database is None:
            self._database = RunDatabase(self.path / DATABASE, writable=True)
        return self._database

    def write_sample(self, lines: Sequence[bytes], coverage: Contract, graph: GraphNote) -> None:
        """Stores the sampled traces; from here on the directory is this config's run."""
        digest = hashlib.sha256()
        config, is_graph = self.config, self.origin == "graph"
        self._write_config()
        write_lines(self.path / TRACES, _told(digest, map(escape_line_ends, lines)))
        write_whole(self.path / COVERAGE, [pretty_json(coverage.model_dump(mode="json"))])
        self._write_manifest(
            Manifest(
                dataset=config.dataset,
                versions=package_versions(),
                git_commit=git_commit(),
                config_sha256=config_sha256(config, self.origin),
                seed=config.sampler.seed if is_graph else config.tdbench.seed,
                origin=self.origin,
                graph=graph,
                traces=TracesNote(count=len(lines), sha256=digest.hexdigest()),
            )
        )

    def store_prompts(self, files: Mapping[str, bytes]) -> None:
        """Keeps the run's own copy of each prompt file, `<role>/<version>` -> bytes, unless it has them already."""
        if self.manifest.prompts is not None:
            return
        for name, content in sorted(files.items()):
            write_whole(self.path / PROMPTS / f"{name}.md", [content])
        hashes = {name: hashlib.sha256(content).hexdigest() for name, content in sorted(files.items())}
        self._write_manifest(self.manifest.model_copy(update={"prompts": hashes}))

    def reopen(self) -> None:
        """Notes that the final files, if there are any, are about to be out of date: a run killed from here on is not finished."""
        if self.manifest.counts is not None:
            self._write_manifest(self.manifest.model_copy(update={"counts": None}))

    def write_results(self, results: Results) -> list[Path]:
        """Writes the final files side by side, the manifest last; returns their paths.

        None appears before all are written.
        """
        assert self.reader is not None
        places: dict[Group, Path] = dict(self.reader.benchmark_files().items())
        places |= {Status.DISCARDED: self.path / DISCARDED, Status.FAILED: self.path / FAILED}
        with contextlib.ExitStack() as stack:
            files = {group: stack.enter_context(WholeFile(path)) for group, path in places.items()}
            for group, line in results.lines():
                files[group].write(line + b"\n")
            self.database.store_duplicates(results.duplicates)
        rows = [row.model_dump() for row in self.database.usage()]
        write_whole(self.path / USAGE, [pretty_json({"format": FORMAT_VERSION, "rows": rows})])
        self._write_config()
        self._write_manifest(self.manifest.model_copy(update={"taken": results.taken, "counts": results.counts}))
        return [*places.values(), self.path / USAGE]

    def has_results(self, taken: int) -> bool:
        """Whether the final files cover that many traces, are all there, and no instance has been taken up since."""
        assert self.reader is not None
        files = [*self.reader.benchmark_files().values()]
        files += [self.path / name for name in (DISCARDED, FAILED, USAGE)]
        return self.manifest.counts is not None and self.manifest.taken >= taken and all(file.exists() for file in files)

    def _make_directory(self) -> list[Path]:
        made = [folder for folder in (self.path, *self.path.parents) if not folder.exists()][::-1]
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as err:
            raise _unwritable(self.path, err) from err
        return made

    def _refuse_other_contents(self) -> None:
        names = {entry.name for entry in self.path.iterdir()}
        left_over = LOCK in names and names <= _LEFT_BY_A_KILLED_RUN
        if names and MANIFEST not in names and not left_over:
            raise RunFolderError("the directory is not empty and not a run directory", where=str(self.path), remedy="Choose another --out.")

    def _take_over(self) -> None:
        """Goes on with the run that is in the directory, if it is this config's."""
        if not (self.path / MANIFEST).exists():
            return
        self.reader = RunReader(self.path)
        if self.reader.manifest.origin != self.origin or self.reader.manifest.config_sha256 != config_sha256(self.config, self.origin):
            key = first_difference(identity(self.config, self.origin), _stored_identity(self.reader, self.origin))
            raise RunFolderError(
                f"the run directory belongs to another config{f' ({key} differs)' if key else ''}",
                where=str(self.path),
                remedy="Choose another --out, or delete the directory.",
            )

    def _write_config(self) -> None:
        write_whole(self.path / CONFIG, [dump_config(self.config).encode()])

    def _write_manifest(self, manifest: Manifest) -> None:
        write_whole(self.path / MANIFEST, [pretty_json(manifest.model_dump(mode="json"))])
        self.reader = RunReader(self.path)


def outcomes_by_id(database: RunDatabase) -> dict[str, InstanceOutcome]:
    """Instance id -> outcome."""
    return {outcome.instance_id: outcome for outcome in database.outcomes()}


def spent(rows: Sequence[UsageRow]) -> float:
    """US dollars paid."""
    return sum(row.usd_paid for row in rows)


def _is_meant(typed: str, ident: str, manifest: Manifest) -> bool:
    """Whether an id, or what of it follows the name of its dataset or table, begins with what was typed."""
    if manifest.origin == "graph":
        return ident.removeprefix(f"{manifest.dataset}-").startswith(typed)
    return ident.startswith(typed) or ident.rpartition("-")[2].startswith(typed)


def _stored_identity(reader: RunReader, origin: Origin) -> dict[str, Any] | None:
    try:
        return identity(reader.config().config, origin)
    except (ChronoQGError, yaml.YAMLError):
        return None


def _told(digest: Any, lines: Iterable[bytes]) -> Iterator[bytes]:
    """The lines, each told to a digest, with its newline, as it goes by."""
    for line in lines:
        digest.update(line + b"\n")
        yield line


def _no_run(path: Path) -> RunFolderError:
    if (path / "refresh.json").exists():
        what = "this is a refreshed benchmark, and no run directory"
        remedy = "Its questions are asked by `chronoqg tdbench evaluate CONFIG --set tdbench.evaluate.run=DIR`."
        return RunFolderError(what, where=str(path), remedy=remedy)
    return RunFolderError("this is not a run directory: it has no manifest.json", where=str(path))


def _unwritable(path: Path, err: OSError) -> RunFolderError:
    return RunFolderError(f"the run directory cannot be written: {err.strerror}", where=str(path), remedy="Choose another --out.")
