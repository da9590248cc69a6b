"""Instances a second through the agent graph with a backend that answers at once.

Run with `python -m benchmarks.agent_graph [INSTANCES]`. The instance is a small invented one; what is
measured is the machinery: LangGraph, request hashing, the gate, agreement, leak filter and the
trajectory as JSON bytes, not a model and not the rules of the offline backend.
"""

from __future__ import annotations

import asyncio
import sys
import time

from agents.crew import Crew
from agents.kinds import GRAPH
from agents.rules_backend import rules_backend
from agents.transitions import transition_table
from agents.workflow import Workflow, run_instance
from state.roles import AnswersReply, QuestionReply
from state.trajectory import Trajectory
from state.vocabulary import Role, Status
from tests.sample_record import GOOD_QUESTION, make_record


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    backend = rules_backend({
        Role.REWRITER: lambda request, mode: QuestionReply(question=GOOD_QUESTION),
        Role.VERIFIER: lambda request, mode: AnswersReply(answers=("Bo Lind",), cannot_tell=False),
    })  # fmt: skip
    workflow = Workflow(Crew(backends=dict.fromkeys(Role, backend), kind=GRAPH), transition_table(appeal=True))
    records = [make_record(number=number) for number in range(count)]

    async def all_instances() -> int:
        size = 0
        for record in records:
            result = await run_instance(record, workflow)
            if result.status is not Status.ACCEPTED:
                raise SystemExit(f"not accepted: {result.detail}")
            size += len(Trajectory(instance_id=record.id, visits=result.visits).model_dump_json(by_alias=True))
        return size

    started, cpu = time.perf_counter(), time.process_time()
    size = asyncio.run(all_instances())
    wall, cpu = time.perf_counter() - started, time.process_time() - cpu
    print(f"{count} instances with {size / 1e6:.1f} MB of trajectories")
    print(f"{count / wall:.0f} a second of wall clock, {count / cpu:.0f} a CPU second")


if __name__ == "__main__":
    main()
