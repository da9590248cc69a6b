"""Where the traces of a study come from: a run directory, or the config's graph sampled anew."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from graph_sampler.load import BUNDLED, load_graph
from graph_sampler.sampler import sample_traces
from runs.json_lines import parse_lines, read_lines
from runs.manifest import GraphNote
from runs.run_folder import RunReader
from runs.sampling import Note, describe_graph, graph_note
from runs.study_items import item_file
from runs.terminal import Advance
from state.config import Config
from state.errors import ConfigError
from state.instance import BenchmarkRecord
from state.study import Register
from state.vocabulary import ConstraintCount


class StudySource(NamedTuple):
    """The traces that a study draws from."""

    records: tuple[BenchmarkRecord, ...]
    """All traces, sorted by id."""
    finals: Mapping[str, str]
    """Id -> accepted question; empty for fresh traces."""
    graph: GraphNote
    """The source graph."""
    name: str
    """The run as the config names it, or the graph's name."""
    is_bundled: bool
    """Whether the graph is one that the package ships."""


def source_of(config: Config, note: Note, advance: Advance | None = None) -> StudySource:
    """The traces that a config's study draws from: those of a run, or the very ones that a build of the config would sample.

    Raises:
        ConfigError: final questions are asked for, and there are none.
        ChronoQGError: the run is damaged, or the graph cannot be read or sampled.
    """
    source = _of_run(config.study.run) if config.study.run is not None else _fresh(config, note, advance)
    if Register.FINAL in config.study.registers and not source.finals:
        remedy = "Name a finished build under study.run."
        raise ConfigError("there are no accepted questions to ask", where="study.registers", remedy=remedy)
    return source


def _of_run(path: str) -> StudySource:
    reader = RunReader(path)
    if item_file(reader.path).exists() and next(read_lines(item_file(reader.path)), None) is not None:
        remedy = "Name a run directory, such as the one that the study was made from."
        raise ConfigError("this is a study of the verifier, whose questions are damaged", where=f"study.run: {path}", remedy=remedy)
    finals: dict[str, str] = {}
    if reader.manifest.counts is not None:
        for part in ConstraintCount:
            for record in parse_lines(BenchmarkRecord, reader.benchmark_file(part)):
                finals[record.id] = record.final_question or ""
    manifest = reader.manifest
    return StudySource(tuple(reader.traces()), finals, manifest.graph, path, _is_bundled(reader.config().config))


def _fresh(config: Config, note: Note, advance: Advance | None) -> StudySource:
    graph, report = load_graph(config.graph)
    for line in describe_graph(report):
        note(line)
    lines = sample_traces(graph, config, progress=advance).lines
    records = tuple(BenchmarkRecord.model_validate_json(line) for line in lines)
    return StudySource(records, {}, graph_note(config, report), report.name, _is_bundled(config))


def _is_bundled(config: Config) -> bool:
    return isinstance(config.graph.path, str) and config.graph.path.startswith(BUNDLED)
