"""The benchmarks that generators are scored on: finished runs, or files of records, split once and read once."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from baselines.method import Pool
from baselines.task import Example, task_of
from evaluation.generators.rows import Dataset
from runs.json_lines import model_line, parse_lines
from runs.manifest import GraphNote
from runs.run_folder import RunReader
from runs.splits import Split, split
from state.config import Config
from state.errors import ConfigError
from state.evaluate_config import EvaluateConfig
from state.instance import BenchmarkRecord
from state.vocabulary import ConstraintCount


@dataclass(frozen=True)
class Benchmark:
    """One benchmark and its split."""

    name: str
    """Name of the benchmark; its parts are `NAME-S` and `NAME-M`."""
    path: str
    """The run or file as the config names it."""
    records: tuple[BenchmarkRecord, ...]
    """All records with a question, sorted by id."""
    split: Split
    graph: GraphNote | None
    """The source graph; `None` where only a file of records is known."""
    sha256: str
    """SHA-256 of the records, which names the very benchmark."""

    def pool(self, seed: int, *, shows_path: bool) -> Pool:
        """The training part as demonstrations."""
        train = (record for record in self.records if self.split.part_of(record.id) == "train")
        return Pool(tuple(Example(task_of(record, shows_path=shows_path), record.final_question or "") for record in train), seed)

    def datasets(self, config: EvaluateConfig) -> list[Dataset]:
        """What is scored of S and of M; a part without any record is left out."""
        found = []
        for part in ConstraintCount:
            records = [record for record in self.records if record.constraint_part is part and self._is_scored(record.id, config)]
            records = drawn(records, config.limit, config.seed)
            if records:
                groups = {record.id: self.split.group_of[record.id] for record in records}
                found.append(Dataset(f"{self.name}-{part.value}", self.name, tuple(records), groups))
        return found

    def _is_scored(self, ident: str, config: EvaluateConfig) -> bool:
        part = self.split.part_of(ident)
        return part == "test" if config.part == "test" else part != "train"


def drawn(records: Iterable[BenchmarkRecord], limit: int | None, seed: int) -> list[BenchmarkRecord]:
    """So many of the records, sorted by id; a larger limit holds a smaller one's."""
    order = sorted(records, key=lambda record: hashlib.sha256(f"{seed} {record.id}".encode()).digest())
    return sorted(order[:limit], key=lambda record: record.id)


def read_benchmarks(config: Config, own: Path) -> list[Benchmark]:
    """The benchmarks of a config.

    Args:
        config: its `evaluate.runs` names run directories and `.jsonl` files of records.
        own: the directory of the config's own build, taken where none is named.

    Raises:
        ConfigError: one is not there or not finished, has no records, or two have one name.
        RunFolderError: one is damaged.
    """
    found: dict[str, Benchmark] = {}
    for path in config.evaluate.runs or (str(own),):
        benchmark = _read(path, config)
        if benchmark.name in found:
            what = f"{path} and {found[benchmark.name].path} are both called {benchmark.name!r}"
            raise ConfigError(what, where="evaluate.runs", remedy="Score them in two evaluations.")
        found[benchmark.name] = benchmark
    return list(found.values())


def _read(path: str, config: Config) -> Benchmark:
    where = f"evaluate.runs: {path}"
    graph = None
    if Path(path).is_file():
        records = list(parse_lines(BenchmarkRecord, Path(path)))
    else:
        if not Path(path).exists():
            raise ConfigError("there is no such run", where=where, remedy="Build it first, or name finished runs under evaluate.runs.")
        reader = RunReader(path)
        if reader.manifest.counts is None or reader.manifest.study is not None:
            raise ConfigError("this is no finished build", where=where, remedy="Finish it with `chronoqg build`.")
        graph = reader.manifest.graph
        records = [record for part in ConstraintCount for record in parse_lines(BenchmarkRecord, reader.benchmark_file(part))]
    records = sorted((record for record in records if record.final_question), key=lambda record: record.id)
    if not records:
        raise ConfigError("it holds no accepted question", where=where)
    names = sorted({record.dataset for record in records})
    if len(names) > 1:
        raise ConfigError(f"it mixes the benchmarks {', '.join(names)}", where=where, remedy="Name a file for each.")
    digest = hashlib.sha256(b"".join(model_line(record) + b"\n" for record in records)).hexdigest()
    return Benchmark(
        names[0], path, tuple(records), split(records, config.evaluate.seed, exact=config.evaluate.exact_shares), graph, digest
    )


def all_datasets(benchmarks: Sequence[Benchmark], config: EvaluateConfig) -> list[Dataset]:
    """What is scored, benchmark by benchmark.

    Raises:
        ConfigError: nothing is in the part that is to be scored.
    """
    found = [dataset for benchmark in benchmarks for dataset in benchmark.datasets(config)]
    if not found:
        tests = config.part == "test"
        what = "no record is in the test part" if tests else "every record is in the training part"
        remedy = f"Build more, or take another evaluate.seed{', or set evaluate.part to all' if tests else ''}."
        raise ConfigError(what, where="evaluate.part", remedy=remedy)
    return found
