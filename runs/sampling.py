"""The first half of a run: the config's graph is loaded and sampled into the run directory."""

from __future__ import annotations

from collections.abc import Callable

from graph_sampler.load import load_graph
from graph_sampler.sampler import sample_traces
from runs.executors import Executor
from runs.manifest import GraphNote
from runs.run_folder import RunFolder
from runs.terminal import Advance
from state.config import Config
from state.coverage import CoverageReport
from state.graph_report import CleaningReport

Note = Callable[[str], None]


def sample_into(folder: RunFolder, note: Note, advance: Advance | None = None, executor: Executor | None = None) -> CoverageReport:
    """Samples the config's traces and stores them; `note` is told what the graph is.

    Args:
        folder: where they are stored.
        note: is told in lines what the graph is.
        advance: is told how far it is.
        executor: where roots are asked; `None` for this machine.

    Raises:
        ClusterError: the cluster cannot be used.
        GraphFormatError: the graph is refused.
        SamplingError: no trace can be had.
    """
    graph, report = load_graph(folder.config.graph)
    for line in describe_graph(report):
        note(line)
    sample = sample_traces(graph, folder.config, progress=advance, workers=None if executor is None else executor.workers)
    folder.write_sample(sample.lines, sample.coverage, graph_note(folder.config, report))
    return sample.coverage


def graph_note(config: Config, report: CleaningReport) -> GraphNote:
    """What the manifest says of the source graph; licence and origin are those of an imported file unless the config has its own."""
    imported = report.source
    return GraphNote(
        name=report.name,
        content_hash=report.content_hash,
        granularity=report.granularity,
        licence=config.graph.licence or (imported.licence if imported else None),
        source=config.graph.source or (imported.origin if imported else None),
    )


def describe_graph(report: CleaningReport) -> list[str]:
    """One line on the graph, and one for each note on its source; `chronoqg graph inspect` tells the rest."""
    dropped = sum(report.dropped.values())
    why = " (`chronoqg graph inspect` says why)" if dropped else ""
    line = f"graph {report.name}: {report.facts:,} facts, {report.entities:,} entities; {dropped:,} rows dropped{why}"
    return [line, *(f"note: {note}" for note in (report.source.notes if report.source else ()))]
