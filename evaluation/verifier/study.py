"""`chronoqg study verifier`: how often a verifier passes sound questions, and how often it notices damaged ones.

Paper: section 4.3.2, Table 2, which measures the first half only: a verifier that says yes to everything
would look perfect there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from evaluation.damage.relation_kinds import point_relations
from evaluation.study.asking import Answered, ask_cells, check_cells, open_cache_for
from evaluation.study.cells import verifier_cells
from evaluation.study.estimate import StudyEstimate, estimate_study
from evaluation.study.folder import Asked, SampleNote, StudyFolder, study_identity
from evaluation.study.source import StudySource, source_of
from evaluation.verifier.first_look import first_to_open
from evaluation.verifier.item_outcomes import cell_result
from evaluation.verifier.items import make_items
from evaluation.verifier.report import summary_lines, write_verifier_report
from evaluation.verifier.strata import allocate, draw, populations
from evaluation.verifier.summary import VerifierSummary, summarise_verifier_study
from runs.config_file import LoadedConfig
from runs.json_lines import pretty_json
from runs.terminal import Advance, say
from state.config import Config
from state.errors import SamplingError
from state.study import Reading, VerifierStudy


@dataclass(frozen=True)
class VerifierReport:
    """What a study of the verifier came to."""

    path: Path
    study: VerifierStudy
    summary: VerifierSummary
    written: tuple[Path, ...]

    @property
    def failed(self) -> int:
        """How often an item got no usable reply, over all cells."""
        return sum(outcome.reading is Reading.NO_REPLY for cell in self.study.cells for outcome in cell.outcomes)

    def lines(self) -> list[str]:
        """The summary for a person."""
        return summary_lines(self.study, self.summary)

    def as_json(self) -> bytes:
        """The summary for a machine."""
        return pretty_json(self.summary.model_dump(mode="json"))

    def talk(self) -> Iterator[str]:
        """What was written, and the command that most likely comes next."""
        yield f"wrote {', '.join(str(path) for path in self.written if path.suffix in ('.html', '.md', '.json'))}"
        if self.failed:
            yield f"{self.failed} items got no usable reply"
            yield "next: the same command with --retry-failed"
            return
        cell, item = first_to_open(self.study, self.summary)
        yield f"next: chronoqg show {self.path}@{cell.address.rpartition('@')[2]} {item.id}"


def study_verifier(path: Path, loaded: LoadedConfig, *, retry_failed: bool = False, advance: Advance | None = None) -> VerifierReport:
    """Makes or continues a study; everything that the user may have got wrong is looked at before a model is asked.

    Raises:
        ChronoQGError: config, graph, run, directory, cache or server is not as it must be, or the budget is reached.
        KeyboardInterrupt: the user stopped it; what is finished is kept.
    """
    with answered_study(path, loaded, retry_failed=retry_failed, advance=advance) as study:
        summary = summarise_verifier_study(study)
        written = write_verifier_report(path, study, summary)
    return VerifierReport(path, study, summary, tuple(written))


@contextmanager
def answered_study(
    path: Path, loaded: LoadedConfig, *, retry_failed: bool = False, advance: Advance | None = None
) -> Iterator[VerifierStudy]:
    """The data of a study that is asked to its end; its directory stays owned while the `with` block lasts.

    Raises:
        ChronoQGError: as `study_verifier`.
        KeyboardInterrupt: the user stopped it; what is finished is kept.
    """
    cells = verifier_cells(loaded)
    check_cells(loaded, cells)
    config = loaded.config
    with StudyFolder(path, config, partial(study_identity, "verifier"), lambda: ask(config, advance), config.study.seed) as folder:
        with open_cache_for(cells) as cache:
            answered = ask_cells(folder, cells, cache, tell=say, retry_failed=retry_failed, advance=advance)
        yield study_of(folder, answered)


def estimate_verifier_study(path: Path, loaded: LoadedConfig, advance: Advance | None = None) -> StudyEstimate:
    """What `study_verifier` with the same arguments would still call and cost.

    Raises:
        ChronoQGError: config, prompts, source, cache or directory are not as they must be.
    """
    return estimate_study(path, verifier_cells(loaded), lambda: ask(loaded.config, advance), advance)


def ask(config: Config, advance: Advance | None = None) -> Asked:
    """The items of a config's study.

    Raises:
        ChronoQGError: as `source_of`; or there is no trace with a single constraint.
    """
    source = source_of(config, say, advance)
    strata = allocate(populations(source.records), config.study.allocation, config.study.size)
    drawn = draw(source.records, strata, config.study.seed)
    if not drawn:
        raise SamplingError(
            "no trace with a single temporal constraint is in the families asked for",
            where=source.name,
            remedy="Give a larger sampler.target, another study.run, or another study.allocation.",
        )
    made = make_items(drawn, source.finals, config.study, point_relations(source.records))
    note = SampleNote(kind="verifier", source=source.name, strata=strata, notes=tuple(sample_notes(source)))
    return Asked(tuple(made.records[item.id] for item in made.items), made.items, source.graph, note)


def study_of(folder: StudyFolder, answered: Sequence[Answered]) -> VerifierStudy:
    """The data of a study whose cells are finished.

    Raises:
        RunFolderError: one is not, or a database is damaged.
    """
    manifest, note = folder.reader.manifest, folder.note
    return VerifierStudy(
        dataset=manifest.dataset,
        source=note.source,
        seed=manifest.seed,
        strata=note.strata,
        items=folder.items,
        cells=tuple(cell_result(one, folder.items, f"{folder.path.resolve().name}@{one.cell.folder}") for one in answered),
        notes=note.notes,
    )


def sample_notes(source: StudySource) -> Iterator[str]:
    """What a reader must know of where the traces come from."""
    if source.is_bundled:
        yield "the graph ships with the package, and any large model knows its facts: measure models on a graph of your own"
