"""A trace: the ordered steps whose execution gives the answer. Paper: section 4.2.3."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from state.fact import TemporalFact
from state.model_base import Contract
from state.vocabulary import RankOrder, Template

Pattern = tuple[str, str, str]
"""Subject, relation id, object; a variable starts with `?`, anything else is an entity id."""


class StructuralStep(Contract):
    """A step that joins one structural fact."""

    fact: str
    """Name under which the fact is bound: `f1`, `f2`, `f3`."""
    pattern: Pattern
    """The fact's pattern; either end may be the variable."""
    candidates: int = Field(ge=0)
    """Size of the candidate set after the step."""


class RootStep(StructuralStep):
    """All facts that match the pattern; its one variable is the candidate."""

    action: Literal["root"] = "root"


class FilterStep(StructuralStep):
    """A join with a fact between the candidate and a fixed entity."""

    action: Literal["structural_filter"] = "structural_filter"


class TransitionStep(StructuralStep):
    """A join from the candidate to a new variable, which becomes the candidate."""

    action: Literal["forward_transition"] = "forward_transition"


class PairwiseStep(Contract):
    """Keeps the rows in which an operator holds from one fact to another or to a reference."""

    action: Literal["temporal_filter"] = "temporal_filter"
    constraint: str
    """Name of the constraint: `c1`, `c2`, ..."""
    operator: str
    """Name of a pairwise operator."""
    left: str
    """A fact name of the row."""
    right: str
    """A fact name bound later in the row, or a reference name (`g1`)."""
    candidates: int = Field(ge=0)
    """Size of the candidate set after the step."""


class OrdinalStep(Contract):
    """Ranks the rows' facts of one name and keeps the rows of the fact at the rank."""

    action: Literal["temporal_filter"] = "temporal_filter"
    constraint: str
    """Name of the constraint."""
    operator: str
    """Name of an ordinal operator."""
    fact: str
    """Name of the fact that is ranked."""
    rank: int = Field(ge=1)
    """Rank from 1, from the end that `order` names."""
    order: RankOrder
    """`ascending` counts from the smallest key."""
    candidates: int = Field(ge=0)
    """Size of the candidate set after the step."""


def _step_tag(step: Any) -> str | None:
    if isinstance(step, dict):
        action = str(step.get("action"))
        return "ordinal" if action == "temporal_filter" and "rank" in step else action
    action_of_step: str | None = getattr(step, "action", None)
    return "ordinal" if isinstance(step, OrdinalStep) else action_of_step


TemporalStep = PairwiseStep | OrdinalStep
Step = Annotated[
    Annotated[RootStep, Tag("root")]
    | Annotated[FilterStep, Tag("structural_filter")]
    | Annotated[TransitionStep, Tag("forward_transition")]
    | Annotated[PairwiseStep, Tag("temporal_filter")]
    | Annotated[OrdinalStep, Tag("ordinal")],
    Discriminator(_step_tag),
]


class Trace(Contract):
    """An executable query: template, steps in order, and the reference facts they name."""

    template: Template
    """Topology."""
    answer_variable: str
    """The variable whose candidate set is the answer: `?a`, `?b` or `?c`."""
    steps: tuple[Step, ...]
    """Steps in order of execution."""
    references: dict[str, TemporalFact]
    """Reference name -> fact; empty where no constraint has a reference."""
