"""The two things that agents turn into questions: a trace of a graph, and a query of temporal tables."""

from __future__ import annotations

from typing import Literal

from state.instance import BenchmarkRecord
from state.table_instance import TableInstance

Instance = BenchmarkRecord | TableInstance
"""What one way through the state machine is about."""
Origin = Literal["graph", "tables"]
"""What the instances of a run come from."""
INSTANCE_TYPES: dict[Origin, type[Instance]] = {"graph": BenchmarkRecord, "tables": TableInstance}
"""How a line of a run's `traces.jsonl` is read."""
