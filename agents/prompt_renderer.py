"""The renderer of the language-model backend: typed request -> messages, schema and parameters."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import prompts
from agents.addresses import public_address
from agents.backends import Feedback, Renderer
from agents.prompt_rows import rows_of
from agents.tables.prompt_variables import TABLE_VARIABLES
from state.config import ModelConfig
from state.errors import ConfigError
from state.fact import LabelledFact
from state.interval import parse_iso
from state.roles import AnalyseRequest, LeakRewriteRequest, ReadRequest, ReviseRequest, RewriteRequest, RoleRequest, VerifyRequest
from state.trajectory import PromptRef, Request
from state.vocabulary import Cause, OperatorWord, RankOrder, Role, TryError

PROMPT_FOLDERS: dict[Role, str] = {
    Role.REWRITER: "rewriter",
    Role.VERIFIER: "verifier",
    Role.APPEAL: "verifier",
    Role.ERROR_ANALYST: "error_analyst",
    Role.REVISER: "reviser",
    Role.LEAK_REWRITER: "leak_rewriter",
    Role.ROUND_TRIP_READER: "round_trip_reader",
}
"""Whose prompts a role uses; the appeal reads the verifier's."""


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


_NAME_OR_NULL = {"type": ["string", "null"]}
_FACT = _object({"relation": {"type": "string"}, "subject": _NAME_OR_NULL, "object": _NAME_OR_NULL})
_CONSTRAINT = _object({
    "operator": {"type": "string", "enum": [word.value for word in OperatorWord]},
    "left": _FACT,
    "right": {"anyOf": [_FACT, {"type": "null"}]},
    "rank": {"type": ["integer", "null"]},
    "order": {"type": ["string", "null"], "enum": [*(order.value for order in RankOrder), None]},
})  # fmt: skip
_FORMATS: dict[str, dict[str, Any]] = {
    "question": _object({"question": {"type": "string"}}),
    "answers": _object({"answers": {"type": "array", "items": {"type": "string"}}, "cannot_tell": {"type": "boolean"}}),
    "cause": _object({"cause": {"type": "string", "enum": [cause.value for cause in Cause]}, "reason": {"type": "string"}}),
    "constraints": _object({"constraints": {"type": "array", "items": _CONSTRAINT}, "cannot_tell": {"type": "boolean"}}),
}
_RESPONSES: dict[Role, str] = {
    Role.REWRITER: "question",
    Role.VERIFIER: "answers",
    Role.APPEAL: "answers",
    Role.ERROR_ANALYST: "cause",
    Role.REVISER: "question",
    Role.LEAK_REWRITER: "question",
    Role.ROUND_TRIP_READER: "constraints",
}


def response_schema(role: Role) -> dict[str, Any]:
    """The `response_format` of a role's reply."""
    name = _RESPONSES[role]
    return {"type": "json_schema", "json_schema": {"name": name, "strict": True, "schema": _FORMATS[name]}}


def prompt_renderer(
    model: ModelConfig, versions: Mapping[Role, str], folder: Path | None, folders: Mapping[Role, str] = PROMPT_FOLDERS
) -> Renderer:
    """A renderer for the roles that a model plays, each with its prompt version.

    Args:
        model: who is asked.
        versions: role -> version of its prompt; only roles that `folders` has.
        folder: where prompts are read; `None` for the package's.
        folders: whose prompts a role of this kind of instance uses.

    Raises:
        ConfigError: a prompt is missing, broken or asks for another kind of reply.
    """
    loaded = {role: prompts.load(folders[role], version, folder) for role, version in versions.items()}
    for role, prompt in loaded.items():
        if prompt.response != _RESPONSES[role]:
            where = f"prompt {prompt.role}/{prompt.version}"
            raise ConfigError(f"the response is {prompt.response!r}", where=where, remedy=f"This role replies {_RESPONSES[role]!r}.")
    refs = {role: PromptRef(version=prompt.version, sha256=prompt.sha256) for role, prompt in loaded.items()}
    base_url = public_address(model.base_url)

    def render(role: Role, typed: RoleRequest, mode: str | None, feedback: Sequence[Feedback]) -> tuple[Request, PromptRef | None]:
        messages = for_model(model.model or "", prompts.render(loaded[role], variables(typed, mode)))
        for item in feedback:
            messages += _told(item)
        request = Request(
            messages=messages,
            schema=None if model.structured_output == "prompt" else response_schema(role),
            model=model.model or "",
            base_url=base_url,
            params_sent=params_sent(model, feedback),
        )
        return request, refs[role]

    return render


_MOST_SHOWN = 4000
"""Characters of an unusable reply that its role is shown again; they are paid for."""


def variables(typed: RoleRequest, mode: str | None) -> dict[str, Any]:
    """What a prompt may show of a typed request, by the names of the prompts' variables."""
    return _VARIABLES[type(typed)](typed, mode)


def _facts(facts: Sequence[LabelledFact]) -> prompts.Rows:
    return rows_of(facts, _fields)


def _fields(facts: Sequence[LabelledFact]) -> list[dict[str, str]]:
    return [
        {"subject": fact.subject_label, "relation": fact.relation_label, "object": fact.object_label, "start": fact.start, "end": fact.end}
        for fact in facts
    ]


def _unit(facts: Sequence[LabelledFact]) -> str | None:
    """The unit in which the facts count time, which a prompt's words for time refer to; `None` without one."""
    units = {parse_iso(fact.start)[1] for fact in facts}
    return units.pop().value if len(units) == 1 else None


def _analysed(typed: AnalyseRequest) -> dict[str, Any]:
    return {
        "template_question": typed.template_question,
        "question": typed.question,
        "unit": _unit(typed.evidence),
        "verifier_answers": list(typed.verifier_answers),
        "cannot_tell": typed.cannot_tell,
        "answer": typed.answer,
        "evidence": _facts(typed.evidence),
        "findings": None if typed.findings is None else list(typed.findings),
    }


def _revised(typed: ReviseRequest) -> dict[str, Any]:
    appeal = None if typed.appeal_answers is None else list(typed.appeal_answers)
    return {**_analysed(typed), "cause": typed.cause.value, "reason": typed.reason, "appeal_answers": appeal}


_VARIABLES: dict[type[Any], Callable[[Any, str | None], dict[str, Any]]] = {
    RewriteRequest: lambda typed, mode: {
        "template_question": typed.template_question,
        "unit": _unit(typed.support_facts),
        "support_facts": _facts(typed.support_facts),
        "avoid": typed.answer,
    },
    VerifyRequest: lambda typed, mode: {
        "question": typed.question,
        "unit": _unit(typed.evidence),
        "evidence": _facts(typed.evidence),
        "structure_hint": typed.structure_hint,
        "mode": mode,
    },
    ReadRequest: lambda typed, mode: {
        "question": typed.question,
        "facts": [{"subject": fact.subject, "relation": fact.relation, "object": fact.object} for fact in typed.facts],
        "moments": list(typed.moments),
    },
    AnalyseRequest: lambda typed, mode: _analysed(typed),
    ReviseRequest: lambda typed, mode: _revised(typed),
    LeakRewriteRequest: lambda typed, mode: {
        "question": typed.question,
        "template_question": typed.template_question,
        "avoid": list(typed.avoid),
    },
    **TABLE_VARIABLES,
}


def for_model(name: str, messages: tuple[dict[str, str], ...]) -> tuple[dict[str, str], ...]:
    """The o-series calls its system message `developer`; the client sends it so, and the record says so."""
    if not re.match(r"o\d", name):
        return messages
    return tuple({**message, "role": "developer"} if message["role"] == "system" else message for message in messages)


def _told(item: Feedback) -> tuple[dict[str, str], ...]:
    """The turns that show a role its unusable reply."""
    why = f"({item.error.value}): {prompts.as_data(item.detail)}"
    told = {"role": "user", "content": f"That reply cannot be used {why}\nReply again, with the JSON object only."}
    if item.reply and item.error in (TryError.UNPARSABLE, TryError.UNUSABLE_QUESTION):
        return ({"role": "assistant", "content": item.reply[:_MOST_SHOWN]}, told)
    return (told,)


def params_sent(model: ModelConfig, feedback: Sequence[Feedback]) -> dict[str, Any]:
    """What is asked for is what is sent; a cut-off reply doubles the limit."""
    params = dict(model.params)
    if model.token_limit is not None:
        cut = sum(item.error is TryError.TRUNCATED for item in feedback)
        params[model.token_limit_name] = model.token_limit * 2**cut
    return {name: value for name, value in sorted(params.items()) if name not in model.omit_params}
