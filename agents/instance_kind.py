"""What a workflow has to know of the kind of its instances: a graph's facts and temporal tables go the same way."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from agents.rules_backend import Rule
from state.config import AgentsConfig
from state.pipeline_state import NodeResult, PipelineState
from state.vocabulary import Node, Role

if TYPE_CHECKING:  # a crew holds its kind, and a kind's nodes are given a crew
    from agents.crew import Crew

NodeFunction = Callable[[PipelineState[Any], "Crew"], Coroutine[Any, Any, NodeResult]]
"""The work of a node: state in, partial update out."""
Telling = Callable[[PipelineState[Any], "Crew", NodeResult], Coroutine[Any, Any, NodeResult]]
"""A disagreement that leads to the analyst -> the same with what else analyst and reviser are to be told."""
Gate = Callable[[str, Any, bool], str | None]
"""`(question, instance, whether names are required)` -> why the question cannot be used; `None`: it can."""


@dataclass(frozen=True)
class InstanceKind:
    """One kind of instance; the transition table, crew, trajectory and replay are the same for all."""

    name: Literal["graph", "tables"]
    nodes: Mapping[Node, NodeFunction]
    """What each node does."""
    gate: Gate
    """What every written question passes before anyone verifies it."""
    prompt_folders: Mapping[Role, str]
    """Whose prompts a language model is given; exactly the roles that this kind has."""
    load_rules: Callable[[], Mapping[Role, Rule]]
    """Imports what the offline backend plays the roles with, which a run by models alone need not load."""
    given_question: Callable[[Any], str]
    """The question of an instance that is only to be verified."""
    tell: Telling | None = None
    """What a disagreement is told with; `None`: as it is."""
    check: Callable[[AgentsConfig], None] = lambda agents: None
    """Raises `ConfigError` for settings that mean nothing for this kind."""

    @property
    def rules(self) -> Mapping[Role, Rule]:
        """What the offline backend plays the roles with."""
        return self.load_rules()
