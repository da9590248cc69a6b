"""What became of rows and facts on their way between a temporal table and a graph."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field, model_validator

from runs.json_lines import pretty_json
from state.graph_report import DropReason
from state.interval import Granularity
from state.model_base import Contract
from state.tdbench_config import Dependency
from tdbench.dependencies.check import written


class _Bridge(Contract):
    """What both ways have."""

    next_command: ClassVar[str]
    """What takes the config that was written."""

    format: Literal[1] = 1
    """Version of this model."""
    table: str
    """Name of the temporal table."""
    granularity: Granularity
    """Unit of time, of both."""
    rows: int = Field(ge=0)
    """Rows of the source."""
    open_ends: int = Field(ge=0)
    """Facts without an end."""
    open_end: Literal["ongoing", "unknown"]
    """What a missing end means."""
    meeting: int = Field(ge=0)
    """Ordered pairs of facts of which one meets the other, in the sense of the source; the other side calls them otherwise."""
    folder: str
    """Where the files are."""
    files: tuple[str, ...]
    """What was written; the config last."""

    def as_json(self) -> bytes:
        """The report for a machine."""
        return pretty_json(self.model_dump(mode="json"))

    def talk(self) -> list[str]:
        """What was written, and the command that most likely comes next."""
        written = [f"wrote {self.folder.rstrip('/')}/{name}" for name in self.files]
        return [*written, f"next: {self.next_command} {self.folder.rstrip('/')}/{self.files[-1]}"]


class GraphBridge(_Bridge):
    """A table made into a graph; `rows == incomplete + repeated + facts`."""

    next_command: ClassVar[str] = "chronoqg sample"

    facts: int = Field(ge=1)
    """Facts written."""
    incomplete: int = Field(ge=0)
    """Rows without a subject, relation or object."""
    repeated: int = Field(ge=0)
    """Rows whose fact another row gives too: they differ in other columns."""
    relations: int = Field(ge=1)
    """Relations of the graph."""
    entities: int = Field(ge=1)
    """Entities of the graph."""
    on_both_sides: int = Field(ge=0)
    """Entities that are a subject and an object: one name may mean two things."""
    renamed: dict[str, str]
    """Relation -> its label in the graph, where that is another: nouns, which do not say which side is which."""
    unusable_names: int = Field(ge=0)
    """Entities whose name cannot stand in a question, so that the graph leaves their facts out."""
    unusable_examples: tuple[str, ...]
    """The first of them."""
    handed_over: int = Field(ge=0)
    """Of the meeting pairs those with one relation and one subject or object."""

    @model_validator(mode="after")
    def _counts_every_row(self) -> GraphBridge:
        if self.rows != self.incomplete + self.repeated + self.facts:
            raise ValueError("rows are neither facts nor left out, or both")
        return self

    def lines(self) -> list[str]:
        """The report for a person, what is zero left out."""
        made = f"{self.facts} facts of {_counted(self.relations, 'relation')} between {self.entities} entities"
        lines = [f"{self.table}: {self.rows} rows, {made}, in {self.granularity}s"]
        if self.renamed:
            first, label = next(iter(self.renamed.items()))
            others = f", and {len(self.renamed) - 1} more" if len(self.renamed) > 1 else ""
            lines.append(f"  nouns do not say which side is which: {first!r} is written as {label!r}{others}")
        if self.incomplete:
            lines.append(f"  without a subject, relation or object: {_counted(self.incomplete, 'row')}")
        if self.repeated:
            lines.append(f"  the same fact again: {_counted(self.repeated, 'row')}")
        if self.open_ends:
            meaning = "open" if self.open_end == "ongoing" else "not known"
            lines.append(f"  without an end, written as {meaning}: {self.open_ends}; a graph asks nothing about them")
        if self.on_both_sides:
            lines.append(f"  names that are a subject and an object, and so one entity: {self.on_both_sides}")
        if self.unusable_names:
            examples = ", ".join(map(repr, self.unusable_examples))
            lines.append(f"  names that cannot stand in a question: {self.unusable_names}, such as {examples}")
        handed = f", {self.handed_over} of them of one relation with one subject or object" if self.handed_over else ""
        lines.append(f"  pairs of rows of which one meets the other, and which the graph calls before: {self.meeting}{handed}")
        return lines


class DependencyToDeclare(Contract):
    """A dependency that nearly holds, of a table in which none holds that time has a part in."""

    dependency: Dependency
    violations: int = Field(ge=0)
    """Pairs of rows that break it."""
    agreeing: int = Field(ge=1)
    """Pairs of rows that agree on its left side."""


class TableBridge(_Bridge):
    """Relations of a graph made into a table; `rows == kept + sum(left_out)`."""

    next_command: ClassVar[str] = "chronoqg tdbench build"

    relations: tuple[str, ...]
    """Labels of the relations."""
    kept: int = Field(ge=1)
    """Rows of the table."""
    left_out: dict[DropReason, int]
    """Reason -> rows of the source left out for it."""
    shared_names: int = Field(ge=0)
    """Labels that several ids have; the id columns tell them apart."""
    dropped_before: int | None = Field(default=None, ge=0)
    """Of an imported graph: rows of all its relations that the import dropped, so that none of them can be here."""
    dependencies: tuple[str, ...] | None = None
    """Dependencies of which a build of the table makes questions; `None`: not looked for."""
    declare: DependencyToDeclare | None = None
    """Where there are none: the one to declare; `None` if nothing changes over time."""

    @model_validator(mode="after")
    def _counts_every_row(self) -> TableBridge:
        if self.rows != self.kept + sum(self.left_out.values()):
            raise ValueError("rows are neither kept nor left out, or both")
        return self

    def lines(self) -> list[str]:
        """The report for a person, what is zero left out."""
        lines = [f"{self.table}: {self.kept} of {self.rows} facts of {', '.join(self.relations)}, in {self.granularity}s"]
        if self.dropped_before:
            lines.append(
                f"  an imported graph: {_counted(self.dropped_before, 'row')} of all relations fell to its cleaning and cannot be here"
            )
        lines += [f"  left out, {reason}: {count}" for reason, count in self.left_out.items()]
        if self.open_ends:
            lines.append(f"  without an end, which means {self.open_end}: {self.open_ends}")
        if self.shared_names:
            lines.append(f"  names that several ids have: {self.shared_names}")
        lines.append(f"  pairs of facts of which one meets the other, and which the table calls overlap: {self.meeting}")
        return lines

    def talk(self) -> list[str]:
        """As of any bridge, but a table that cannot be asked about as it is says so, and what would help."""
        *wrote, following = super().talk()
        if self.dependencies is None or self.dependencies:
            return [*wrote, following]
        note = "note: no dependency holds in this table that time has a part in, so that there is nothing to ask of it"
        if self.declare is None:
            return [*wrote, f"{note}; name other relations, or more of them"]
        rule = self.declare.dependency
        broken = f"{written(rule)} is broken by {self.declare.violations:,} of {self.declare.agreeing:,} pairs of rows"
        left = ", ".join(rule.determinants)
        key = f"tdbench.tables.{self.table}.dependencies=[{{determinants: [{left}], dependent: {rule.dependent}}}]"
        return [*wrote, f"{note} unless one is declared: {broken}", f"{following} --set '{key}'"]


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
