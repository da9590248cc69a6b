"""What cleaning did to a source graph: every row is accounted for. Paper: section 4.2.1."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import Field

from state.interval import Granularity
from state.model_base import Contract
from state.vocabulary import RelationType


class DropReason(StrEnum):
    """Why a row is not a fact of the cleaned graph; the first reason in this order counts."""

    MALFORMED_ROW = "malformed row"
    MISSING_ID = "missing id"
    BAD_DATE = "bad date"
    UNKNOWN_START = "unknown start"
    OPEN_START = "open start"
    UNKNOWN_END = "unknown end"
    OPEN_END = "open end"
    COARSE = "coarser than the granularity"
    REVERSED = "start after end"
    UNUSABLE_ENTITY = "unusable entity label"
    UNUSABLE_RELATION = "unusable relation label"
    DUPLICATE = "exact duplicate"
    DELETED_RELATION = "deleted relation"
    LONG_POINT = "long fact of a point relation"


class ImportCounter(StrEnum):
    """What every loader counts, under the same names; a format may add names of its own."""

    MALFORMED = "malformed"
    LITERAL_OBJECT = "literal_object"
    UNTIMED = "untimed"
    UNKNOWN_START = "unknown_start"
    UNKNOWN_END = "unknown_end"
    OPEN_END = "open_end"
    COARSE = "coarse"
    START_AFTER_END = "start_after_end"
    DUPLICATE_EXACT = "duplicate_exact"
    DUPLICATE_OTHER_SOURCE = "duplicate_other_source"
    UNLABELLED_ENTITY = "unlabelled_entity"
    UNLABELLED_RELATION = "unlabelled_relation"
    SENTINEL = "sentinel"
    DEPRECATED = "deprecated"
    AMBIGUOUS_PAIRING = "ambiguous_pairing"
    BAD_DATE = "bad_date"
    ID_OUT_OF_RANGE = "id_out_of_range"


class ImportReport(Contract):
    """What a loader read and met, before cleaning judged any row."""

    layout: str
    """Name of the format that was read."""
    files: tuple[str, ...]
    """Names of the files that were read, without their folders."""
    rows: int = Field(ge=0)
    """Rows, lines or statements of the fact files, malformed ones included."""
    counters: dict[str, int]
    """How often each thing occurred; a row may count under several names. Names that did not occur are left out."""
    notes: tuple[str, ...] = ()
    """What the reader of these counts should know about the source."""
    licence: str | None = None
    """Licence of the source, as the config of the import gave it."""
    origin: str | None = None
    """Where the source comes from, as the config of the import gave it."""


class RelationReport(Contract):
    """How one relation was typed."""

    id: str
    """Relation id."""
    label: str
    """Label as stored; empty where the source has none."""
    facts: int = Field(ge=0)
    """Facts on which the type was decided: all that cleaning left before typing."""
    point_share: float | None
    """Share of those facts with `start == end`; `None` without facts."""
    one_granule: int = Field(ge=0)
    """Number of those facts with `start == end`."""
    type: RelationType
    """How its facts are read."""
    why: str
    """What decided the type."""
    kept: int = Field(ge=0)
    """Facts in the cleaned graph."""


class CleaningReport(Contract):
    """Counts of what was read, dropped and kept; `rows == facts + sum(dropped)`."""

    format: Literal[1] = 1
    """Version of this model."""
    name: str
    """Name of the source graph."""
    granularity: Granularity
    """Unit of time."""
    content_hash: str
    """Hash of the cleaned graph."""
    rows: int = Field(ge=0)
    """Rows read, malformed ones included."""
    facts: int = Field(ge=0)
    """Facts of the cleaned graph."""
    dropped: dict[DropReason, int]
    """Rows dropped, by reason; reasons that did not occur are left out."""
    kept_aside: int = Field(ge=0)
    """Distinct dropped rows that can make an instance doubtful."""
    entities: int = Field(ge=0)
    """Entities with a fact."""
    unusable_labels: dict[str, int]
    """Entities of all rows whose label cannot stand in a question, by what is wrong with it."""
    shared_labels: int = Field(ge=0)
    """Entities with a fact whose normalised label another such entity has too."""
    relations: tuple[RelationReport, ...]
    """Every relation of the source, by id."""
    point_facts: int = Field(ge=0)
    """Facts of point relations."""
    interval_facts: int = Field(ge=0)
    """Facts of interval relations."""
    one_granule_intervals: int = Field(ge=0)
    """Facts of interval relations with `start == end`."""
    repeated_spells: int = Field(ge=0)
    """Facts beyond the first with one subject, relation and object."""
    self_loops: int = Field(ge=0)
    """Facts whose subject is their object."""
    first: str
    """Earliest granule, ISO text."""
    last: str
    """Latest granule, ISO text."""
    source: ImportReport | None = None
    """What the loader read and met; `None` in reports of older versions."""
