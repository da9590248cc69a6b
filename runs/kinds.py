"""What a run is made of -> how the agents treat its instances."""

from __future__ import annotations

from agents.instance_kind import InstanceKind
from agents.kinds import GRAPH, TABLE
from state.any_instance import Origin


def kind_of(origin: Origin) -> InstanceKind:
    """The kind of the instances that a run with this origin holds."""
    return GRAPH if origin == "graph" else TABLE
