"""The records of a run that can be given away, with their lines as the run holds them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from graph_sampler.labels import normalise_label
from runs.json_lines import parse_line, read_lines
from runs.run_folder import RunReader
from runs.study_items import item_file
from state.errors import RunFolderError
from state.instance import BenchmarkRecord
from state.vocabulary import ConstraintCount

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
"""Ids become names of files, and a run may be a stranger's."""
_CHECK = "See `chronoqg check`."


class Records(StrEnum):
    """Which records of a run."""

    ACCEPTED = "accepted"
    """Those of the benchmark files: their questions were verified."""
    SAMPLED = "sampled"
    """All that were sampled, without final questions."""


class Sourced(NamedTuple):
    """A record and the bytes that it was read from."""

    record: BenchmarkRecord
    """The record."""
    line: bytes
    """Its line, without the newline."""


class ExportSource:
    """The records of one run, to be read as often as wanted, one at a time."""

    def __init__(self, run: Path, records: Records) -> None:
        """Opens a run.

        Args:
            run: the run directory.
            records: which of its records.

        Raises:
            RunFolderError: it is no run, is a study's directory, or has no such records (yet).
        """
        self.reader = RunReader(run)
        self.records = records
        manifest, where = self.reader.manifest, str(run)
        if manifest.study is not None or item_file(run).exists():
            remedy = "Give away its own page (study.html or evaluation.html) and tables/."
            raise RunFolderError("this is a study's directory, and runs are exported", where=where, remedy=remedy)
        if records is Records.ACCEPTED:
            traces = "or export its traces, which have no final questions, by --part sampled."
            if not self.reader.has_agents:
                remedy = f"Make it a build by `chronoqg build`, {traces}"
                raise RunFolderError("no agents have worked in this run directory", where=where, remedy=remedy)
            if manifest.counts is None:
                raise RunFolderError("the run is not finished", where=where, remedy=f"Go on with the command that began it, {traces}")
            if not manifest.counts.accepted:
                remedy = "`chronoqg show` says why each instance was discarded."
                raise RunFolderError("the run accepted no question, so there is nothing to export", where=where, remedy=remedy)
            self.count = manifest.counts.accepted
        else:
            self.count = manifest.traces.count
            if not self.count:
                raise RunFolderError("the run has no traces, so there is nothing to export", where=where)

    def __iter__(self) -> Iterator[Sourced]:
        """The records: accepted ones part by part, S before M, each part sorted by id; sampled ones sorted by id.

        Raises:
            RunFolderError: a file is damaged, or no longer what the run made.
        """
        found, first_with = 0, dict[str, str]()
        for record, line, where in self._accepted() if self.records is Records.ACCEPTED else self._sampled():
            if not _ID.fullmatch(record.id):
                raise RunFolderError(f"no run makes the id {record.id!r}", where=where, remedy=_CHECK)
            if record.final_question is not None:
                earlier = first_with.setdefault(normalise_label(record.final_question), record.id)
                if earlier != record.id:
                    raise RunFolderError(f"{record.id} has the question of {earlier}", where=where, remedy=_CHECK)
            found += 1
            yield Sourced(record, line)
        if found != self.count:
            raise RunFolderError(f"{found} records are there, the manifest counts {self.count}", where=str(self.reader.path), remedy=_CHECK)

    def _accepted(self) -> Iterator[tuple[BenchmarkRecord, bytes, str]]:
        for part in ConstraintCount:
            path = self.reader.benchmark_file(part)
            for number, line in enumerate(read_lines(path), start=1):
                record = parse_line(BenchmarkRecord, line, path, number)
                if record.final_question is None or record.constraint_part is not part:
                    raise RunFolderError("no accepted record of this part", where=f"{path}:{number}", remedy=_CHECK)
                yield record, line, f"{path}:{number}"

    def _sampled(self) -> Iterator[tuple[BenchmarkRecord, bytes, str]]:
        traces = self.reader.trace_file()
        for number, line in enumerate(traces.lines(), start=1):
            yield parse_line(BenchmarkRecord, line, traces.path, number), line, f"{traces.path}:{number}"
