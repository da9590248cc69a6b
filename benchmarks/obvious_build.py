"""The build that a researcher would write in an afternoon: the yardstick of `benchmarks.model_run`.

The same six steps as a LangGraph graph around one shared `ChatOpenAI`, the same prompts, `json.loads` on
the reply, `asyncio.gather` with a semaphore. It records nothing, retries nothing, checks no question and
compares answers as lower-case text.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict, cast

import openai
from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, StateGraph
from pydantic import SecretStr

import prompts
from agents.prompt_renderer import response_schema
from state.vocabulary import Role

CHECKPOINTS = "langgraph-checkpoint-sqlite"
"""The package that the variant with checkpoints needs; no other part of the project does."""
_SQLITE = "langgraph.checkpoint.sqlite"

Item = dict[str, Any]
"""An instance as a line of `traces.jsonl` gives it."""


class ItemState(TypedDict, total=False):
    """The state of one instance."""

    item: Item
    question: str
    answers: list[str]
    cannot_tell: bool
    cause: str
    reason: str
    agreed: bool
    accepted: bool


def has_checkpoints() -> bool:
    """Whether the variant with checkpoints can be run."""
    try:
        return importlib.util.find_spec(_SQLITE) is not None
    except ModuleNotFoundError:
        return False


def run_obvious(items: Sequence[Item], url: str, concurrency: int, checkpoints: Path | None = None) -> int:
    """How many instances were accepted; with `checkpoints`, each step is stored in that SQLite file."""
    return asyncio.run(_run(items, url, concurrency, checkpoints))


async def _run(items: Sequence[Item], url: str, concurrency: int, checkpoints: Path | None) -> int:
    # The client that langchain-openai would make itself, but one for each event loop: its own is kept for the process.
    async with openai.DefaultAsyncHttpxClient() as http:
        graph = _graph(ChatOpenAI(model="loopback", base_url=url, api_key=SecretStr("none"), max_retries=0, http_async_client=http))
        if checkpoints is None:
            return await _run_all(graph.compile(), items, concurrency)
        saver_class = importlib.import_module(f"{_SQLITE}.aio").AsyncSqliteSaver
        async with saver_class.from_conn_string(str(checkpoints)) as saver:
            return await _run_all(graph.compile(checkpointer=saver), items, concurrency)


async def _run_all(graph: Any, items: Sequence[Item], concurrency: int) -> int:
    room = asyncio.Semaphore(concurrency)

    async def one(item: Item) -> bool:
        async with room:
            end = await graph.ainvoke({"item": item}, {"configurable": {"thread_id": item["id"]}})
            return bool(end.get("accepted"))

    return sum(await asyncio.gather(*map(one, items)))


def _graph(llm: ChatOpenAI) -> Any:
    async def ask(role: Role, folder: str, values: dict[str, Any]) -> dict[str, Any]:
        prompt = prompts.load(folder, "v1")
        shown = {**values, "unit": "year"}  # the bundled graph's
        messages = prompts.render(prompt, {name: shown[name] for name in prompt.variables})
        reply = await llm.ainvoke(list(messages), extra_body={"response_format": response_schema(role)})
        return cast(dict[str, Any], json.loads(cast(str, reply.content)))

    async def rewrite(state: ItemState) -> ItemState:
        item = state["item"]
        values = {"template_question": item["raw_question"], "support_facts": _facts(item, "support_facts"), "avoid": item["answer"]}
        return {"question": (await ask(Role.REWRITER, "rewriter", values))["question"]}

    async def verify(state: ItemState) -> ItemState:
        item = state["item"]
        values = {"question": state["question"], "evidence": _facts(item), "structure_hint": item["structure_hint"], "mode": "all"}
        reply = await ask(Role.VERIFIER, "verifier", values)
        agreed = [answer.lower() for answer in reply["answers"]] == [item["answer"].lower()]
        return {"answers": reply["answers"], "cannot_tell": reply["cannot_tell"], "agreed": agreed}

    async def analyse(state: ItemState) -> ItemState:
        reply = await ask(Role.ERROR_ANALYST, "error_analyst", _failure(state))
        return {"cause": reply["cause"], "reason": reply["reason"]}

    async def revise(state: ItemState) -> ItemState:
        values = {**_failure(state), "cause": state["cause"], "reason": state["reason"], "appeal_answers": None}
        return {"question": (await ask(Role.REVISER, "reviser", values))["question"]}

    async def leak(state: ItemState) -> ItemState:
        return {"accepted": state["item"]["answer"].lower() not in state["question"].lower()}

    def after_verify(state: ItemState) -> Literal["leak", "analyse"]:
        return "leak" if state["agreed"] else "analyse"

    def after_verify2(state: ItemState) -> str:
        return "leak" if state["agreed"] else END

    graph = StateGraph(ItemState)
    for name, node in (
        ("rewrite", rewrite),
        ("verify", verify),
        ("analyse", analyse),
        ("revise", revise),
        ("verify2", verify),
        ("leak", leak),
    ):
        graph.add_node(name, cast(Any, node))
    graph.add_edge(START, "rewrite")
    graph.add_edge("rewrite", "verify")
    graph.add_conditional_edges("verify", after_verify)
    graph.add_edge("analyse", "revise")
    graph.add_edge("revise", "verify2")
    graph.add_conditional_edges("verify2", after_verify2, ["leak", END])
    graph.add_edge("leak", END)
    return graph


def _facts(item: Item, name: str = "evidence") -> list[dict[str, str]]:
    labels = item["labels"]
    return [
        {
            "subject": labels[fact["subject"]],
            "relation": labels[fact["relation"]],
            "object": labels[fact["object"]],
            "start": fact["start"],
            "end": fact["end"],
        }
        for fact in item[name]
    ]


def _failure(state: ItemState) -> dict[str, Any]:
    item = state["item"]
    return {
        "template_question": item["raw_question"],
        "question": state["question"],
        "verifier_answers": state["answers"],
        "cannot_tell": state["cannot_tell"],
        "answer": item["answer"],
        "evidence": _facts(item),
        "findings": None,
    }
