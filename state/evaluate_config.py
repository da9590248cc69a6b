"""The `evaluate` section of a config: which question generators are scored, on what, by whom."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, field_validator

from state.model_base import Contract


class EvaluateConfig(Contract):
    """What `chronoqg evaluate` scores. Paper: section 5, Tables 4 to 6, Figures 5 to 7."""

    runs: tuple[str, ...] = ()
    """Run directories of finished builds, whose benchmarks are the references; empty: the config's own, `runs/output/<config's stem>`."""
    part: Literal["test", "all"] = "test"
    """Score the test part of the split, or all records that are not in its training part."""
    exact_shares: bool = False
    """Deal the split's shares within each kind of question to the record, as `export --exact-shares` does; else by a stable hash."""
    methods: tuple[str, ...] = ("zero_shot", "cot", "few_shot")
    """File stems under `baselines/methods/`, or paths of files of your own."""
    models: tuple[str, ...] = ()
    """Names under `models`, each asked by every method that needs one; empty: `agents.rewriter.model`."""
    with_path: bool = False
    """Give the reasoning path also to the methods that the paper does not give it to."""
    options: dict[str, dict[str, Any]] = {}
    """Method, or stem of its file -> its own settings, such as `few_shot: {k: 5}`."""
    predictions: dict[str, str] = {}
    """Name of a row -> file of an outside system's questions, JSON Lines of `id` and `question`."""
    seed: int = Field(default=0, ge=0, lt=2**63)
    """Seed of the split, of demonstrations and of resampling."""
    resamples: int = Field(default=1000, ge=100, le=100_000)
    """Bootstrap resamples behind each interval and test."""
    limit: int | None = Field(default=None, ge=1)
    """Most records scored of each dataset, in an order that their ids and the seed fix; `None` for all."""
    reader: str = "offline"
    """Who reads the questions for failure types: a name under `models`, `offline` for the rules, or `none`."""

    @field_validator("runs", "methods", "models")
    @classmethod
    def _each_once(cls, values: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(values)) != len(values):
            raise ValueError("name each once")
        return values
