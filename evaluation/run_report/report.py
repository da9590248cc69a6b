"""What `chronoqg report` writes and prints of one run: tables, figures, and a page with every instance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from evaluation.pages.rate_text import usd_text
from evaluation.pages.report_files import OFFLINE, filled, grids
from evaluation.pages.tables import Table, as_csv, as_text, rounded
from evaluation.run_report.instance_data import instance_data, list_entry
from evaluation.run_report.instances import ALL_FATES, NOT_FINISHED, ReportedInstance, open_reported, reported_instances
from evaluation.run_report.page import DATA, PAGE, InstanceParts, page_script, page_style, remove_old_parts
from evaluation.run_report.summary import RootCandidates, RunSummary
from evaluation.run_report.tables import tables
from evaluation.run_report.tally import Tally
from evaluation.statistics.intervals import package_version
from runs.comparing import ACCEPTED
from runs.database import UsageRow
from runs.json_lines import RESTORE, write_whole
from runs.results import backend_of
from runs.run_folder import RunReader, spent
from runs.terminal import Advance
from runs.whole_target import made_beside
from state.errors import RunFolderError
from state.vocabulary import Status

if TYPE_CHECKING:  # the drawing and the templates are loaded when a report is written, so that commands start quickly
    from evaluation.pages.charts import Picture
    from evaluation.pages.page_parts import Insert, Section

TABLES, FIGURES = "report-tables", "report-figures"
_PRINTED = ("outcomes", "discards", "table3", "table8", "table9", "candidates-by-step", "coverage", "usage")
"""Tables that a terminal shows; the others are in the files."""
_FOLDED = ("outcomes-by-operator", "figure4-words", "coverage-by-operator", "signatures")


class RunReport(NamedTuple):
    """A report, written."""

    summary: RunSummary
    """Its figures."""
    written: tuple[Path, ...]
    """Its files: the page first, then tables and figures, then the parts that lie beside the page."""
    to_look_at: str | None
    """An instance worth opening, one that was not accepted if there is any; `None` if there is no instance."""

    def lines(self) -> list[str]:
        """What a person reads in the terminal."""
        made = {table.name: table for table in tables(self.summary)}
        lines = [*_lead(self.summary), *([f"note: {_warning(self.summary)}"] if _warning(self.summary) else [])]
        for name in _PRINTED:
            if made[name].rows:
                lines += ["", *as_text(made[name])]
        return [*lines, *(f"note: {note}" for note in self.summary.notes)]

    def as_json(self) -> bytes:
        """The figures for a machine."""
        return self.summary.model_dump_json(indent=2).encode() + b"\n"


def report_run(path: Path, advance: Advance | None = None) -> RunReport:
    """Writes the report of a run directory into it; the same run gives the same bytes.

    All files are made aside and put in place at the end, the page last: a report that cannot be made leaves the earlier
    one as it was. Cost: one pass over records and trajectories, one of each held at a time.

    Args:
        path: a run directory, unfinished or a sample without agents if need be.
        advance: is told how far the instances are.

    Raises:
        RunFolderError: the directory is no run's, is damaged, or cannot be written.
        ConfigError: the run's own config is wrong.
    """
    reader = open_reported(path)
    with made_beside(path / f"{PAGE}.part") as made:
        try:
            summary, names, first = _make(reader, made, advance)
        except RunFolderError as err:
            if not Path(err.where).is_relative_to(made):
                raise
            where = path / Path(err.where).relative_to(made)  # the folder aside is gone when this is read
            raise RunFolderError(err.what, where=str(where), remedy="Free the place.") from err
        _put_in_place(made, path, names)
    order = [fate for fate in ALL_FATES if fate not in (ACCEPTED, NOT_FINISHED)] + [ACCEPTED, NOT_FINISHED]
    written = tuple(path / name for name in names)
    return RunReport(summary, written, next((first[fate] for fate in order if fate in first), None))


def _make(reader: RunReader, made: Path, advance: Advance | None) -> tuple[RunSummary, list[str], dict[str, str]]:
    """The figures, the names of the files that now lie in a folder, the page first, and an instance of each fate."""
    from evaluation.pages.html_page import html_page
    from evaluation.run_report.charts import run_pictures

    tally, parts = Tally("accepted" if reader.has_agents else "sampled"), InstanceParts(made, reader.manifest.traces.count)
    first: dict[str, str] = {}
    for number, instance in enumerate(reported_instances(reader), start=1):
        tally.add(instance)
        first.setdefault(instance.fate, instance.record.id)
        parts.add(list_entry(instance), _data(instance, reader.path))
        if advance is not None:
            advance("instances", number, reader.manifest.traces.count)
    summary = _summary(reader, tally)
    pictures = run_pictures(summary)
    files = {f"{TABLES}/{table.name}.csv": as_csv(table).encode() for table in tables(summary)}
    files |= {f"{FIGURES}/{one.name}.svg": one.svg for one in pictures} | {f"{FIGURES}/{one.name}.png": one.png for one in pictures}
    insert = parts.finish()
    page = html_page(
        f"Report of a run: {summary.dataset}",
        _lead(summary),
        _sections(summary, pictures, insert),
        warning=_warning(summary),
        script=page_script(),
        style=page_style(),
        loads_parts=not parts.is_within,
    )
    for name, data in {PAGE: page, **files}.items():
        write_whole(made / name, [data])
    return summary, [PAGE, *files, *(str(part.relative_to(made)) for part in parts.written)], first


def _put_in_place(made: Path, path: Path, names: Sequence[str]) -> None:
    """Moves a report's files into the run directory, and removes what only an earlier report had there."""
    from evaluation.run_report.charts import PICTURES

    try:
        for name in reversed(names):
            if name == PAGE:
                remove_old_parts(path, {Path(part).name for part in names if part.startswith(f"{DATA}/")})
                for old in {f"{FIGURES}/{picture}.{ending}" for picture in PICTURES for ending in ("svg", "png")} - set(names):
                    (path / old).unlink(missing_ok=True)
            (path / name).parent.mkdir(exist_ok=True)
            (made / name).replace(path / name)
    except OSError as err:
        raise RunFolderError(f"cannot be written: {err.strerror}", where=str(path / name), remedy="Free the place.") from err


def _data(instance: ReportedInstance, path: Path) -> dict[str, object]:
    try:
        return instance_data(instance)
    except (KeyError, IndexError, StopIteration) as err:  # a record that no sampler wrote, under a manifest that fits it
        raise RunFolderError("its trace cannot be executed", where=f"{path}, {instance.record.id}", remedy=RESTORE) from err


def _summary(reader: RunReader, tally: Tally) -> RunSummary:
    manifest, config = reader.manifest, reader.config().config
    state: Literal["sample", "unfinished", "finished"] = "sample"
    usage: tuple[UsageRow, ...] = ()
    backend: tuple[str, ...] = ()
    if reader.has_agents:
        state = "unfinished" if manifest.counts is None else "finished"
        backend = tuple(sorted(set(backend_of(config).model_dump().values())))
        with reader.database() as database:
            usage = tuple(database.usage())
    roots = tally.roots()
    return RunSummary(
        dataset=manifest.dataset,
        source=manifest.graph.name,
        seed=manifest.seed,
        chronoqg=package_version(),
        state=state,
        backend=backend,
        traces=manifest.traces.count,
        population="accepted" if reader.has_agents else "sampled",
        fates=tally.fates(),
        lost=tally.lost(),
        by_template=tally.by_template(),
        by_operator=tally.by_operator(),
        splits=tally.splits(),
        words=tally.words(),
        rewording=tally.rewording(),
        roots=roots,
        steps=tally.steps(),
        coverage=reader.coverage(),
        usage=usage,
        notes=tuple(_too_small(roots, config.sampler.caps.seed_min)),
    )


def _too_small(roots: Sequence[RootCandidates], least: int) -> Iterator[str]:
    """Table 9's own check: a seed has at least so many candidates, so no mean can be below."""
    for row in roots:
        if row.mean is not None and row.mean < least:
            yield f"part {row.part}, {row.hops} hops: the mean first candidate set is below {least}, the least that a seed may have"


def _lead(summary: RunSummary) -> list[str]:
    accepted, left = summary.count(ACCEPTED), summary.count(NOT_FINISHED)
    if summary.state == "sample":
        first = f"A sample of {summary.traces} traces; no agent has worked on it, so there are no final questions."
    else:
        discarded = sum(row.instances for row in summary.fates if row.fate.startswith(Status.DISCARDED))
        failed = summary.count(Status.FAILED)
        share = f" ({rounded(100 * accepted / summary.traces)} %)" if summary.traces else ""
        first = f"{accepted} of {summary.traces} instances accepted{share}, {discarded} discarded, {failed} failed"
        first += f", {left} not finished." if left else "."
        if summary.state == "unfinished":
            first += " The build is not through: duplicate questions are still among the accepted ones."
    lines = [first, f"From {summary.source}, seed {summary.seed}, chronoqg {summary.chronoqg}."]
    if summary.usage:
        calls, usd = sum(row.calls for row in summary.usage), spent(summary.usage)
        lines.append(f"Agents: {', '.join(summary.backend)}; {calls} calls, {usd_text(usd)} USD.")
    return lines


def _warning(summary: RunSummary) -> str:
    if OFFLINE not in summary.backend:
        return ""
    whose = "Rewriter and verifier are" if summary.backend == (OFFLINE,) else "Rewriter or verifier is"
    return f"{whose} the offline rules, not a language model; such figures are not to be set beside a language model's."


def _sections(summary: RunSummary, pictures: Sequence[Picture], instances: Insert) -> list[Section]:
    from evaluation.pages.page_parts import Drawing, Listed

    made: dict[str, Table] = {table.name: table for table in tables(summary)}
    rewording = [*grids(made, "table8"), *(Drawing(one) for one in pictures), *grids(made, "figure4-words", folded=_FOLDED)]
    return filled(
        (
            ("notes", "Notes", [Listed(summary.notes)] if summary.notes else []),
            ("outcomes", "Outcomes", grids(made, "outcomes", "discards", "outcomes-by-template", "outcomes-by-operator", folded=_FOLDED)),
            ("benchmark", "The benchmark", grids(made, "table3")),
            ("questions", "Template and final questions", rewording),
            ("candidates", "Candidates", grids(made, "table9", "candidates-by-step")),
            ("coverage", "Coverage of the sample", grids(made, "coverage", "coverage-by-operator", folded=_FOLDED)),
            ("cost", "Calls and cost", grids(made, "usage")),
            ("making", "How it was made", grids(made, "signatures", folded=_FOLDED)),
            ("instances", "Instances", [instances]),
        )
    )
