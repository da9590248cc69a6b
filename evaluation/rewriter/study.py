"""`study rewriter`: the same traces through all agents, once for each setting of the rewriter. Paper: section 4.3.1, Table 8."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from agents.rules_backend import LABEL
from evaluation.pages.rate_text import usd_text
from evaluation.rewriter.outcomes import rewriter_cell, rewriter_instance
from evaluation.rewriter.report import summary_lines, write_rewriter_report
from evaluation.rewriter.summary import RewriterSummary, summarise_rewriter_study
from evaluation.study.asking import ask_cells, check_cells, open_cache_for
from evaluation.study.cells import rewriter_cells
from evaluation.study.estimate import StudyEstimate, estimate_study
from evaluation.study.folder import Asked, SampleNote, StudyFolder, study_identity
from evaluation.study.source import StudySource, source_of
from runs.config_file import LoadedConfig
from runs.json_lines import pretty_json
from runs.terminal import Advance, say
from state.config import Config
from state.instance import BenchmarkRecord
from state.rewriter_study import RewriterStudy
from state.study import Register
from state.vocabulary import Status


@dataclass(frozen=True)
class RewriterReport:
    """What a study of the rewriter came to."""

    path: Path
    study: RewriterStudy
    summary: RewriterSummary
    usd_paid: float
    """US dollars paid in the study's directory, cells of prompts that were edited since included."""
    written: tuple[Path, ...]
    """The files written."""

    @property
    def failed(self) -> int:
        """Failed instances over all cells."""
        return sum(outcome.status is Status.FAILED for cell in self.study.cells for outcome in cell.outcomes)

    def lines(self) -> list[str]:
        """The summary for a person."""
        *table_and_notes, recommendation = summary_lines(self.study, self.summary)
        paid = f"paid in this directory: {usd_text(self.usd_paid)} USD, cells of prompts that were edited since included"
        return [*table_and_notes, *([paid] if self.usd_paid else []), recommendation]

    def as_json(self) -> bytes:
        """The summary for a machine, with what was paid."""
        usage = {cell.name: cell.usage.model_dump(mode="json") for cell in self.study.cells}
        return pretty_json({**self.summary.model_dump(mode="json"), "path": str(self.path), "usd_paid": self.usd_paid, "usage": usage})

    def talk(self) -> Iterator[str]:
        """What was written, and the command that most likely comes next."""
        yield f"wrote {', '.join(str(path) for path in self.written if path.suffix in ('.html', '.md', '.json'))}"
        if self.failed:
            yield "next: the same command with --retry-failed"
            return
        address = {cell.name: f"{self.path}@{cell.address.rpartition('@')[2]}" for cell in self.study.cells}
        for pair in self.summary.comparisons:
            if any(test.only_a or test.only_b for test in pair.tests):
                yield f"next: chronoqg compare {address[pair.a]} {address[pair.b]}"
                return
        yield f"next: chronoqg show {next(iter(address.values()))} {self.study.instances[0].id}"


def study_rewriter(path: Path, loaded: LoadedConfig, *, retry_failed: bool = False, advance: Advance | None = None) -> RewriterReport:
    """Makes or continues a study; everything that the user may have got wrong is looked at first.

    Args:
        path: the study's directory.
        loaded: the config; its `study` says what is asked, its `agents` who plays the other roles.
        retry_failed: redo instances that failed.
        advance: is told how far the work has come.

    Raises:
        ChronoQGError: config, source, directory, cache or server is not as it must be, or the budget is reached.
        KeyboardInterrupt: the user stopped it; what is finished is kept.
    """
    cells = rewriter_cells(loaded)
    check_cells(loaded, cells)
    config = loaded.config
    folder_of = StudyFolder(path, config, partial(study_identity, "rewriter"), lambda: _asked(config, advance), config.study.seed)
    with folder_of as study, open_cache_for(cells) as cache:
        answered = ask_cells(study, cells, cache, tell=say, retry_failed=retry_failed, advance=advance)
        instances = tuple(map(rewriter_instance, study.reader.traces()))
        folder = path.resolve().name
        data = RewriterStudy(
            dataset=study.reader.manifest.dataset,
            source=study.note.source,
            seed=config.study.seed,
            instances=instances,
            cells=tuple(rewriter_cell(one, instances, f"{folder}@{one.cell.folder}") for one in answered),
            notes=(*study.note.notes, *_notes(config)),
        )
        summary = summarise_rewriter_study(data)
        return RewriterReport(path, data, summary, _paid(study), tuple(write_rewriter_report(path, data, summary)))


def estimate_rewriter_study(path: Path, loaded: LoadedConfig, advance: Advance | None = None) -> StudyEstimate:
    """What `study_rewriter` with the same arguments would still call and cost.

    Raises:
        ChronoQGError: config, prompts, source, cache or directory are not as they must be.
    """
    return estimate_study(path, rewriter_cells(loaded), lambda: _asked(loaded.config, advance), advance)


def drawn(records: Iterable[BenchmarkRecord], size: int, seed: int) -> list[BenchmarkRecord]:
    """So many of the records, or all where there are fewer, sorted by id.

    They are taken in an order that their ids and the seed fix: a larger sample holds a smaller one, and the
    order of the records does not matter.
    """
    taken = sorted(records, key=lambda record: hashlib.sha256(f"{seed} {record.id}".encode()).digest())[:size]
    return sorted(taken, key=lambda record: record.id)


def _asked(config: Config, advance: Advance | None) -> Asked:
    # Which questions of a run were accepted is nothing to a study of the rewriter: it asks the template questions.
    only_templates = config.study.model_copy(update={"registers": (Register.TEMPLATE,)})
    source = source_of(config.model_copy(update={"study": only_templates}), say, advance)
    records = drawn(source.records, config.study.size, config.study.seed)
    note = SampleNote(kind="rewriter", source=source.name, strata=(), notes=tuple(_sample_notes(source, config.study.size)))
    return Asked(records, (), source.graph, note)


def _sample_notes(source: StudySource, size: int) -> Iterator[str]:
    there = len(source.records)
    if there < size:
        yield f"the source was taken whole: it has {there} of the {size} traces wanted"
    else:
        yield f"{size} of {there} traces, drawn without regard to family or number of constraints"


def _notes(config: Config) -> Iterator[str]:
    verifier = config.agents.verifier
    used = config.models.get(verifier.model)
    model = verifier.model if used is None else used.model or used.provider
    yield (
        f"accepted and agreed are by the verifier of the config ({model}, mode {'+'.join(verifier.modes)}), which errs too: "
        "study it first, and do not set shares under different verifiers beside each other"
    )
    yield "no duplicate step follows in a study: a build discards questions that repeat an earlier one's"
    yield "entities are looked for by their labels; records know other names of the answer only"
    if used is None or used.provider == LABEL:
        yield "the verifier is the offline rules, not any language model: what they accept is no measure of what a model would"


def _paid(study: StudyFolder) -> float:
    paid = 0
    for reader in study.cells():
        if reader.has_agents:
            with reader.database() as database:
                paid += database.spent()
    return paid / 1e9
