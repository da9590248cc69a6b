"""`chronoqg evaluate`: methods, models and benchmarks beside each other. Paper: section 5, Tables 4 to 6, Figures 5 to 7."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from evaluation.generators.asking import check_models, open_cache_for, write_cells
from evaluation.generators.cells import generator_cells
from evaluation.generators.datasets import Benchmark, all_datasets, read_benchmarks
from evaluation.generators.failures import Reader, offline_reader
from evaluation.generators.reading import model_reader, reader_config
from evaluation.generators.report import summary_lines, write_evaluation_report
from evaluation.generators.row_making import outside_rows, rows_of_cells
from evaluation.generators.rows import Dataset
from evaluation.generators.scoring import Evaluation, score_rows
from evaluation.pages.rate_text import usd_text
from evaluation.study.folder import Asked, Identity, SampleNote, StudyFolder
from runs.config_file import LoadedConfig, check_environment
from runs.json_lines import pretty_json
from runs.manifest import GraphNote
from runs.terminal import Advance, say
from state.config import Config
from state.errors import ConfigError
from state.interval import parse_iso


@dataclass(frozen=True)
class EvaluationReport:
    """What an evaluation came to."""

    path: Path
    evaluation: Evaluation
    usd_paid: float
    """US dollars paid in the directory, rows of methods that were edited since included."""
    cut_off: int
    """Calls whose end nobody learned, since the process died or was stopped."""
    written: tuple[Path, ...]
    """The files written."""

    @property
    def failed(self) -> int:
        """Questions without a usable reply, over all rows."""
        return sum(row.failed for row in self.evaluation.summary.rows)

    def lines(self) -> list[str]:
        """The summary for a person."""
        paid = f"paid in this directory: {usd_text(self.usd_paid)} USD, rows of methods that were edited since included"
        cut = f"; {self.cut_off} calls were cut off before their end was known, and count with the most that they can have cost"
        return [*summary_lines(self.evaluation.summary), *([paid + (cut if self.cut_off else "")] if self.usd_paid else [])]

    def as_json(self) -> bytes:
        """The summary for a machine, with what was paid."""
        return pretty_json({**self.evaluation.summary.model_dump(mode="json"), "path": str(self.path), "usd_paid": self.usd_paid})

    def talk(self) -> Iterator[str]:
        """What was written, and the command that most likely comes next."""
        yield f"wrote {', '.join(str(path) for path in self.written if path.suffix in ('.html', '.md', '.json'))}"
        if self.failed:
            yield "next: the same command with --retry-failed"
            return
        shown = next((row for row in self.evaluation.summary.rows if row.address), None)
        if shown is not None:
            ident = next(dataset for dataset in self.evaluation.datasets if dataset.name == shown.dataset).records[0].id
            yield f"next: chronoqg show {self.path}@{shown.address.rpartition('@')[2]} {ident}"


def evaluate(
    path: Path, loaded: LoadedConfig, own_run: Path, *, retry_failed: bool = False, advance: Advance | None = None
) -> EvaluationReport:
    """Makes or continues an evaluation, and writes its report; see `score_generators`."""
    report = score_generators(path, loaded, own_run, retry_failed=retry_failed, advance=advance)
    return replace(report, written=tuple(write_evaluation_report(path, report.evaluation)))


def score_generators(
    path: Path, loaded: LoadedConfig, own_run: Path, *, retry_failed: bool = False, advance: Advance | None = None
) -> EvaluationReport:
    """Has every row written and scored; everything that the user may have got wrong is looked at first.

    Args:
        path: the evaluation's directory.
        loaded: the config; its `evaluate` says what is scored.
        own_run: the directory of the config's own build, scored where `evaluate.runs` names none.
        retry_failed: ask again for questions that got no usable reply.
        advance: is told how far the work has come.

    Raises:
        ChronoQGError: config, runs, predictions, directory, cache or server is not as it must be, or the budget is reached.
        KeyboardInterrupt: the user stopped it; what is finished is kept.
    """
    config = loaded.config
    benchmarks = read_benchmarks(config, own_run)
    datasets = all_datasets(benchmarks, config.evaluate)
    cells = generator_cells(loaded, benchmarks)
    check_models(loaded, cells)
    reading = reader_config(loaded)
    if reading is not None:
        check_environment(replace(loaded, config=reading), models=[config.evaluate.reader])
    outside = outside_rows(config.evaluate.predictions, datasets, benchmarks, say)
    if not cells and not outside:
        raise ConfigError(
            "there is nothing to score", where="evaluate.methods", remedy="Name a method, or a file under evaluate.predictions."
        )
    with _folder(path, config, benchmarks, datasets) as study, open_cache_for(loaded, cells, reads=reading is not None) as cache:
        written = write_cells(study, cells, benchmarks, cache, tell=say, retry_failed=retry_failed, advance=advance)
        rows = [*rows_of_cells(written, datasets, path.resolve().name), *outside]
        records = {record.id: record for dataset in datasets for record in dataset.records}
        if reading is not None:
            reader: Reader | None = model_reader(study, reading, rows, records, cache, say, advance, retry_failed=retry_failed)
        else:
            reader = None if config.evaluate.reader == "none" else offline_reader(rows, seed=config.evaluate.seed)
        say(f"scoring {len(rows)} rows")
        evaluation = score_rows(datasets, rows, seed=config.evaluate.seed, resamples=config.evaluate.resamples, reader=reader)
        return EvaluationReport(path, evaluation, *_paid(study), ())


def _folder(path: Path, config: Config, benchmarks: Sequence[Benchmark], datasets: Sequence[Dataset]) -> StudyFolder:
    records = sorted((record for dataset in datasets for record in dataset.records), key=lambda record: record.id)

    def make() -> Asked:
        notes = tuple(f"{one.name}: {one.path}, {len(one.records)} questions" for one in benchmarks)
        note = SampleNote(kind="generators", source=", ".join(one.path for one in benchmarks), strata=(), notes=notes)
        # As in every `traces.jsonl`: no method is near a reference, and the questions are those that the rows write.
        asked = [record.model_copy(update={"final_question": None, "backend": None}) for record in records]
        return Asked(asked, (), _graph_note(benchmarks), note)

    return StudyFolder(path, config, _identity_of({one.name: one.sha256 for one in benchmarks}), make, config.evaluate.seed)


def _identity_of(sha256: Mapping[str, str]) -> Identity:
    """What decides the records: the benchmarks' content, wherever they lie now, and which of them are scored."""

    def identity(config: Config) -> dict[str, Any]:
        chosen = config.evaluate
        drawn = {"part": chosen.part, "seed": chosen.seed, "exact_shares": chosen.exact_shares, "limit": chosen.limit}
        return {"kind": "generators", "benchmarks": dict(sha256), "evaluate": drawn}

    return identity


def _graph_note(benchmarks: Sequence[Benchmark]) -> GraphNote:
    """The graphs as one, since a run directory has one."""
    known = [one.graph for one in benchmarks if one.graph is not None]
    first = benchmarks[0].records[0]
    names = " + ".join(dict.fromkeys(graph.name for graph in known)) or first.provenance.source
    hashes = "+".join(dict.fromkeys(graph.content_hash for graph in known)) or first.provenance.content_hash
    granularity = known[0].granularity if known else parse_iso(first.support_facts[0].start)[1]
    return GraphNote(
        name=names, content_hash=hashes, granularity=granularity, licence=_joined(known, "licence"), source=_joined(known, "source")
    )


def _joined(graphs: Sequence[GraphNote], name: str) -> str | None:
    return "; ".join(dict.fromkeys(text for graph in graphs if (text := getattr(graph, name)))) or None


def _paid(study: StudyFolder) -> tuple[float, int]:
    """US dollars paid in all forks, and the calls among them that were cut off."""
    paid = cut_off = 0
    for reader in study.cells():
        if reader.has_agents:
            with reader.database() as database:
                paid += database.spent()
                cut_off += sum(row.open_calls for row in database.usage())
    return paid / 1e9, cut_off
