"""The `study` section of a config: what `chronoqg study` asks, and which settings it sets beside each other."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Discriminator, Field, Tag, field_validator

from state.model_base import Contract
from state.study import DamageKind, Register
from state.vocabulary import Family

MODES = ("all", "single", "roundtrip")
"""The verifier's modes."""

Count = Annotated[int, Field(ge=0, le=1_000_000)]
PromptVersion = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$", max_length=100)]
"""A file stem under `prompts/<role>/`."""
_Named = Annotated[Literal["proportional", "even", "paper"], Tag("name")]
_Counted = Annotated[dict[Family, Count], Tag("counts")]


def _once(values: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(values)) != len(values):
        raise ValueError("name each once")
    return values


class VerifierGrid(Contract):
    """The settings of the verifier that are set beside each other: every model with every prompt in every mode."""

    models: tuple[str, ...] = ()
    """Names under `models`; empty: `agents.verifier.model`."""
    prompts: tuple[PromptVersion, ...] = ()
    """Versions of the verifier's prompt; empty: `agents.verifier.prompt`."""
    reader_prompts: tuple[PromptVersion, ...] = ()
    """Versions of the round-trip reader's prompt, for modes with `roundtrip`; empty: `agents.round_trip_reader.prompt`, or `v1`."""
    modes: tuple[str, ...] = ("single", "all")
    """Each a mode, or several joined by `+` that must all agree, such as `all+roundtrip`."""

    @field_validator("models", "prompts", "reader_prompts", "modes")
    @classmethod
    def _each_once(cls, values: tuple[str, ...]) -> tuple[str, ...]:
        return _once(values)

    @field_validator("modes")
    @classmethod
    def _are_modes(cls, modes: tuple[str, ...]) -> tuple[str, ...]:
        for mode in modes:
            parts = mode.split("+")
            if len(set(parts)) != len(parts) or not set(parts) <= set(MODES):
                raise ValueError(f"a mode is one of {', '.join(MODES)}, or several joined by +")
        if not modes:
            raise ValueError("name a mode")
        return modes


class RewriterGrid(Contract):
    """The settings of the rewriter that are set beside each other: every model with every prompt."""

    models: tuple[str, ...] = ()
    """Names under `models`; empty: `agents.rewriter.model`."""
    prompts: tuple[PromptVersion, ...] = ()
    """Versions of the rewriter's prompt; empty: `agents.rewriter.prompt`."""

    @field_validator("models", "prompts")
    @classmethod
    def _each_once(cls, values: tuple[str, ...]) -> tuple[str, ...]:
        return _once(values)


class StudyConfig(Contract):
    """What a study asks. Paper: section 4.3.2, Table 2."""

    run: str | None = None
    """A run directory whose traces, and accepted questions, are used; `None`: the traces that a build of this config would sample."""
    size: int = Field(default=500, ge=1, le=1_000_000)
    """Source questions, drawn among the traces with one temporal constraint; `sampler.target` says how many traces there are."""
    seed: int = Field(default=0, ge=0, lt=2**63)
    """Seed of the draw, of damage and of resampling."""
    allocation: Annotated[_Named | _Counted, Discriminator(lambda value: "counts" if isinstance(value, dict) else "name")] = "proportional"
    """Source questions by family: in proportion to the traces, evenly, the paper's 284, 40, 25 and 151, or counts of your own."""
    registers: tuple[Register, ...] = (Register.TEMPLATE,)
    """`template` questions, or also the accepted `final` ones of `run`."""
    damages: tuple[DamageKind, ...] = tuple(DamageKind)
    """Kinds of damage; none for the paper's one-sided study."""
    damages_per_question: int | None = Field(default=None, ge=1)
    """Most damaged items from one source question, kinds spread evenly; `None`: one of each kind for each constraint."""
    verifier: VerifierGrid = VerifierGrid()
    """The grid of `chronoqg study verifier`."""
    rewriter: RewriterGrid = RewriterGrid()
    """The grid of `chronoqg study rewriter`."""

    @field_validator("registers", "damages")
    @classmethod
    def _each_once(cls, values: tuple[str, ...]) -> tuple[str, ...]:
        return _once(values)

    @field_validator("registers")
    @classmethod
    def _some(cls, registers: tuple[Register, ...]) -> tuple[Register, ...]:
        if Register.TEMPLATE not in registers:
            raise ValueError("template questions are always asked; the final ones may come beside them")
        return registers
