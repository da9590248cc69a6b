"""One temporal fact, by ids, and the same fact as an agent is shown it. Paper: section 3."""

from __future__ import annotations

from pydantic import field_validator, model_validator

from state.interval import ValidInterval, parse_granule, parse_iso
from state.model_base import Contract


class TemporalFact(Contract):
    """Subject, relation and object ids with the closed span in which the fact holds."""

    subject: str
    """Entity id."""
    relation: str
    """Relation id."""
    object: str
    """Entity id."""
    start: str
    """First granule, ISO text (`1996`, `1996-05`, `1996-05-01`); its length is the granularity."""
    end: str
    """Last granule, included, in the granularity of `start`; equal to it for a point."""

    @field_validator("start", "end")
    @classmethod
    def _is_iso(cls, value: str) -> str:
        parse_granule(value)
        return value

    @model_validator(mode="after")
    def _is_forward(self) -> TemporalFact:
        (start, unit), (end, other) = parse_iso(self.start), parse_iso(self.end)
        if unit is not other:
            raise ValueError("start and end differ in granularity")
        if start > end:
            raise ValueError("start lies after end")
        return self

    @property
    def interval(self) -> ValidInterval:
        """The valid interval in granules."""
        return ValidInterval(parse_granule(self.start), parse_granule(self.end))


class LabelledFact(TemporalFact):
    """A temporal fact with the labels that an agent reads; ids only tell entities apart."""

    subject_label: str
    """Label of the subject."""
    relation_label: str
    """Label of the relation."""
    object_label: str
    """Label of the object."""
