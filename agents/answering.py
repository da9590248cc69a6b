"""The backends of a model that answers questions about temporal tables, and of a model that judges its answers.

They are asked by the same sources, ledger and cache as every role; the prompt is the one file that the caller
gives, so that what was recorded can be rendered again from the copy that was kept. Paper: TDBench, section 4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import prompts
from agents.addresses import public_address
from agents.backends import Backend, Feedback, Renderer, Source
from agents.prompt_renderer import for_model, params_sent
from agents.rules_backend import LABEL
from agents.tables.prompt_variables import columns_told_apart
from state.answer_roles import AnswerRequest, JudgeRequest
from state.config import ModelConfig
from state.errors import ConfigError
from state.roles import RoleRequest
from state.table_instance import ShownTable
from state.tdbench_scoring import TimeVerdict
from state.trajectory import PromptRef, Request
from state.vocabulary import Role, TryError

PROMPTS: dict[Role, str] = {Role.ANSWERER: "table_answerer", Role.JUDGE: "table_judge"}
"""Folder of each role's prompts."""
RESPONSES: dict[Role, str] = {Role.ANSWERER: "text", Role.JUDGE: "verdict"}
"""What each role replies: free text, or two verdicts."""
TEMPERATURE = 0.0
"""Of every model whose `params` name none."""
MOST_TOKENS: dict[Role, int] = {Role.ANSWERER: 400, Role.JUDGE: 100}
"""Most completion tokens where a model's settings name no limit."""

_WORD = {"type": "string", "enum": [verdict.value for verdict in TimeVerdict]}
_SCHEMA: dict[str, Any] = {
    "type": "json_schema",
    "json_schema": {
        "name": "verdict",
        "strict": True,
        "schema": {
            "type": "object",
            "properties": {"answer": _WORD, "time": _WORD},
            "required": ["answer", "time"],
            "additionalProperties": False,
        },
    },
}
_AGAIN: dict[Role, str] = {Role.ANSWERER: "Answer again, in one or two sentences.", Role.JUDGE: "Reply again, with the JSON object only."}


def answering_backend(role: Role, name: str, model: ModelConfig, source: Source, prompt: prompts.Prompt) -> Backend:
    """The backend of an answerer or a judge.

    Args:
        role: which of the two.
        name: the model's name in the config.
        model: its settings.
        source: where its replies come from.
        prompt: its prompt.

    Raises:
        ConfigError: the model is the rules, which know nothing of the world, or the prompt is another role's.
    """
    if model.provider == LABEL:
        remedy = "Name a model of provider openai, or score replies that you have with --replies NAME=FILE."
        raise ConfigError("the offline rules know no facts and cannot answer or judge", where=f"models.{name}", remedy=remedy)
    if prompt.response != RESPONSES[role]:
        where = f"prompt {prompt.role}/{prompt.version}"
        raise ConfigError(f"the response is {prompt.response!r}", where=where, remedy=f"This role replies {RESPONSES[role]!r}.")
    return Backend(
        provider=model.provider, label=model.model or "", render=_renderer(model, role, prompt), source=source, price=model.price
    )


def _renderer(model: ModelConfig, role: Role, prompt: prompts.Prompt) -> Renderer:
    base_url, ref = public_address(model.base_url), PromptRef(version=prompt.version, sha256=prompt.sha256)
    limit = model.token_limit or MOST_TOKENS[role]
    asked = model.model_copy(update={"params": {"temperature": TEMPERATURE, **model.params}, "token_limit": limit})
    # A server whose ways are not known is asked by the prompt alone, which says what to reply.
    schema = _SCHEMA if role is Role.JUDGE and model.structured_output == "json_schema" else None

    def render(role: Role, typed: RoleRequest, mode: str | None, feedback: Sequence[Feedback]) -> tuple[Request, PromptRef | None]:
        messages = for_model(model.model or "", prompts.render(prompt, answering_variables(typed)))
        for item in feedback:
            why = "it was cut off; be brief" if item.error is TryError.TRUNCATED else item.error.value
            messages += ({"role": "user", "content": f"That reply cannot be used ({why}). {_AGAIN[role]}"},)
        request = Request(
            messages=messages, schema=schema, model=model.model or "", base_url=base_url, params_sent=params_sent(asked, feedback)
        )
        return request, ref

    return render


def answering_variables(typed: RoleRequest) -> Mapping[str, Any]:
    """What a prompt of these roles may show of a request, by the names of its variables."""
    if isinstance(typed, AnswerRequest):
        rows = None if typed.tables is None else [row for table in typed.tables for row in _rows(table)]
        return {"question": typed.question, "unit": typed.unit.value, "as_of": typed.as_of, "rows": rows}
    assert isinstance(typed, JudgeRequest)
    return {
        "question": typed.question,
        "answers": [{"name": answer.name, "aliases": list(answer.aliases), "dates": answer.dates} for answer in typed.answers],
        "others": list(typed.others),
        "demanded": typed.demanded,
        "reply": typed.reply,
    }


def _rows(table: ShownTable) -> list[dict[str, Any]]:
    """The rows of a table, whose own columns cannot be taken for the dates."""
    until = "until, which is not included" if table.ends == "exclusive" else "until, which is included"
    none = "it still holds" if table.open_end == "ongoing" else "not known"
    columns = columns_told_apart(table.columns)
    return [
        {
            "table": table.name,
            "values": dict(zip(columns, row.values, strict=True)),
            "from": row.start,
            until: none if row.end is None else row.end,
        }
        for row in table.rows
    ]
