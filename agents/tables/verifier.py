"""Verifier and appeal of questions about tables: answer from the rows shown alone. Paper: TDBench, section 3.3.

A request holds neither the query nor its answer; the comparison is code and comes after the reply. The verifier names
everyone who fits (mode `all`): with several right answers, or none, no other mode means anything.
"""

from __future__ import annotations

from agents.agreement import Verdict
from agents.crew import Crew, no_usable_reply
from agents.tables.agreement import judge_set, other_names
from agents.verifier import told_answers
from state.config import AgentsConfig
from state.errors import ConfigError
from state.pipeline_state import NodeResult, TableState, Work
from state.roles import AnswersReply
from state.table_instance import TableInstance
from state.table_roles import TableVerifyRequest
from state.vocabulary import Cause, Outcome, Role


async def verify_table(state: TableState, crew: Crew) -> NodeResult:
    """The node: asks the verifier."""
    return await _ask(state, crew, Role.VERIFIER)


async def appeal_table(state: TableState, crew: Crew) -> NodeResult:
    """The node: asks a second verifier about the unchanged question."""
    result = await _ask(state, crew, Role.APPEAL)
    objection: AnswersReply | None = result.update.get("objection")
    if objection is None:
        return result
    # The reviser is told both answers; the first verifier's objection stays as it is.
    update = {"appeal_answers": objection.answers, "cause": Cause.UNCLEAR, "detail": result.update["detail"]}
    return NodeResult(result.outcome, update, result.work)


def table_verify_request(instance: TableInstance, question: str) -> TableVerifyRequest:
    """What verifier and appeal see."""
    return TableVerifyRequest.model_construct(question=question, tables=instance.evidence, unit=instance.granularity, as_of=instance.as_of)


def check_table_agents(agents: AgentsConfig) -> None:
    """Passes if every setting of the roles means something for tables.

    Raises:
        ConfigError: another verifier's mode than `all`, or a round-trip reader.
    """
    if agents.verifier.modes != ("all",):
        what = f"questions about tables are verified in mode 'all' only, not in {', '.join(map(repr, agents.verifier.modes))}"
        raise ConfigError(what, where="agents.verifier.modes", remedy="Leave it out, or set it to [all].")
    if agents.round_trip_reader is not None:
        what = "a round-trip reader reads the constraints of a graph's question, and questions about tables have none"
        raise ConfigError(what, where="agents.round_trip_reader", remedy="Leave it out.")


async def _ask(state: TableState, crew: Crew, role: Role) -> NodeResult:
    instance, question = state["record"], state["question"]
    call = await crew.ask(state, role, table_verify_request(instance, question), "all")
    if not isinstance(call.reply, AnswersReply):
        return no_usable_reply(role, call, "all")
    verdict = judge_set(call.reply, instance.answers, other_names(instance))
    outcome = Outcome.AGREES if verdict is Verdict.MATCH else Outcome.DISAGREES
    result = {**call.reply.model_dump(mode="json"), "verdict": verdict.value}
    work = (Work(role, outcome, result, "all", call.prompt, call.tries),)
    if outcome is Outcome.AGREES:
        return NodeResult(outcome, {"verified": question}, work)
    told = told_answers(role, "all", call.reply, verdict)
    return NodeResult(outcome, {"objection": call.reply, "detail": f"{question} | {told}"}, work)
