"""The `tdbench.evaluate` section of a config: which models answer which questions about temporal tables, and who judges them."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, field_validator

from state.model_base import Contract
from state.study_config import PromptVersion

RULES = "rules"
"""The judge that is no model."""


class TdbenchEvaluateConfig(Contract):
    """What `chronoqg tdbench evaluate` asks and scores. Paper: TDBench, section 4."""

    run: str | None = None
    """Run directory of `chronoqg tdbench build` whose questions are asked; `None`: the config's own, `runs/output/<config's stem>`."""
    questions: str | None = None
    """A file of questions in place of a run, as `docs/tdbench_scoring.md` describes; `--questions FILE` sets it."""
    models: tuple[str, ...] = ()
    """Names under `models`, each asked every question; without one in its `params` the temperature is 0."""
    replies: dict[str, str] = {}
    """Name of a row -> file of replies that somebody has, JSON Lines of `id` and `reply`; `--replies NAME=FILE` adds to it."""
    prompt: PromptVersion = "v1"
    """Version of the answerers' prompt, a file stem under `prompts/table_answerer/`."""
    judge: str = RULES
    """Who judges beside the rules: a name under `models`, or `rules` for nobody."""
    judge_prompt: PromptVersion = "v1"
    """Version of the judge's prompt, a file stem under `prompts/table_judge/`."""
    paraphrases: Literal["all", "first"] = "all"
    """Ask every phrasing of a query, or the first of those that were accepted."""
    with_rows: bool = False
    """Show rows of the table, among them all that matter (open book); else models answer from what they know."""
    limit: int | None = Field(default=None, ge=1)
    """Most questions asked, in an order that their ids and the seed fix; `None` for all."""
    seed: int = Field(default=0, ge=0, lt=2**63)
    """Seed of the limit's draw and of resampling."""

    @field_validator("models")
    @classmethod
    def _each_once(cls, values: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(values)) != len(values):
            raise ValueError("name each once")
        return values

    @field_validator("replies")
    @classmethod
    def _rows_have_names(cls, values: dict[str, str]) -> dict[str, str]:
        if any(not name.strip() for name in values):
            raise ValueError("give the row of a file a name")
        return values
