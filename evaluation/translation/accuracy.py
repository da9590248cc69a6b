"""Translator accuracy: the share of first phrasings that the verifier passes at once. Paper: TDBench, section 3.3 (91.5 %).

A phrasing that failed, or that only a revision saved, counts as a miss. Phrasings of one query hang together, so
the figure is of the first ones, of which each query has one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluation.pages.rate_text import rate_text
from evaluation.pages.tables import Table, as_text
from evaluation.statistics.intervals import Rate, wilson_rate
from runs.building import BuildReport
from runs.json_lines import parse_line, pretty_json, read_bytes
from runs.run_folder import COVERAGE, RunReader
from state.model_base import Contract
from state.table_instance import TableInstance
from state.tdbench_coverage import TdbenchCoverage
from state.trajectory import Visit
from state.vocabulary import Node, Outcome, Status

_STEM = "translator accuracy|first phrasings|passed by the first verification"


class Translated(Contract):
    """What became of the queries of one table or of all."""

    name: str
    """The table, or `all`."""
    first: Rate
    """First phrasings that the verifier passed at once: the translator's accuracy."""
    accepted: Rate
    """Phrasings, first or not, that were accepted in the end, duplicates included."""


@dataclass(frozen=True)
class TableBuildReport:
    """What a build from tables came to."""

    build: BuildReport
    coverage: TdbenchCoverage
    translated: tuple[Translated, ...]
    """All tables together, then each."""
    verifier: str
    """Who verified; a figure by rules is no figure of a model."""

    @property
    def failed(self) -> int:
        """Phrasings that an agent could not finish."""
        return self.build.counts.failed

    def lines(self) -> list[str]:
        """The summary for a person."""
        rows = tuple((one.name, rate_text(one.first), rate_text(one.accepted)) for one in self.translated)
        header = ("table", "translator accuracy", "phrasings accepted")
        title = f"First phrasings that the verifier ({self.verifier}) passed at once, in percent [95 %]"
        return [*self.build.lines(), "", *as_text(Table("translation", title, header, rows)), *self._losses()]

    def _losses(self) -> Iterator[str]:
        """What was not read, and what is not asked, of each table."""
        for table in self.coverage.tables:
            if table.dropped:
                total = table.rows + sum(table.dropped.values())
                why = "; ".join(f"{count} {reason}" for reason, count in table.dropped.items())
                yield f"{table.name}: {sum(table.dropped.values())} of {total} rows were dropped in reading: {why}"
            for reason, count in table.left_out.items():
                yield f"{table.name}: {count} questions are not asked: {reason}"

    def as_json(self) -> bytes:
        """The summary for a machine."""
        translated = [one.model_dump(mode="json") for one in self.translated]
        coverage = self.coverage.model_dump(mode="json")
        return pretty_json({**self.build.as_data(), "coverage": coverage, "verifier": self.verifier, "translation": translated})

    def talk(self) -> Iterator[str]:
        """What was written, and the command that most likely comes next."""
        yield from self.build.talk()


def report_of(build: BuildReport) -> TableBuildReport:
    """The report of a finished build from tables.

    Raises:
        RunFolderError: the directory is damaged.
    """
    reader = RunReader(build.path)
    config = reader.config().config
    verifier = config.models[config.agents.verifier.model]
    return TableBuildReport(build, coverage_of(reader.path), translated(reader), verifier.model or verifier.provider)


def coverage_of(path: Path) -> TdbenchCoverage:
    """What the run in a directory covers.

    Raises:
        RunFolderError: the file is missing or damaged.
    """
    return parse_line(TdbenchCoverage, read_bytes(path / COVERAGE), path / COVERAGE, 1)


def translated(reader: RunReader) -> tuple[Translated, ...]:
    """Translator accuracy over all tables and of each, from a run's recorded histories.

    Raises:
        RunFolderError: the run is damaged.
    """
    firsts: defaultdict[str, list[bool]] = defaultdict(list)
    ends: defaultdict[str, list[bool]] = defaultdict(list)
    with reader.database() as database:
        for instance in reader.instances().records():
            outcome = database.outcome(instance.id)
            if outcome is None or not isinstance(instance, TableInstance):
                continue
            for name in ("all", instance.question.table):
                ends[name].append(outcome.status is Status.ACCEPTED)
                if instance.phrasing == 1:
                    firsts[name].append(_passed_at_once(database.trajectory(instance.id).visits))
    return tuple(Translated(name=name, first=_rate(firsts[name], _STEM), accepted=_rate(ends[name], "phrasings accepted")) for name in ends)


def _passed_at_once(visits: Sequence[Visit]) -> bool:
    return any(visit.node is Node.VERIFY and visit.outcome is Outcome.AGREES for visit in visits)


def _rate(hits: Sequence[bool], stem: str) -> Rate:
    return wilson_rate(sum(hits), len(hits), stem=stem)
