"""The generator's backend: a question generator's stage as a request, by the same sources, ledger and cache as every role.

A stage brings its own messages and decoding. Its prompt stands in the method's file, so the record names the
stage and the hash of that file in place of a prompt's version.
"""

from __future__ import annotations

from collections.abc import Sequence

from agents.addresses import public_address
from agents.backends import Backend, Feedback, Renderer, Source
from agents.prompt_renderer import for_model, params_sent
from agents.rules_backend import LABEL
from state.config import ModelConfig
from state.errors import ConfigError
from state.roles import GenerateRequest, RoleRequest
from state.trajectory import PromptRef, Request
from state.vocabulary import Role, TryError


def generator_backend(name: str, model: ModelConfig, source: Source, method_sha256: str) -> Backend:
    """The backend that a method's stages ask.

    Args:
        name: the model's name in the config.
        model: its settings.
        source: where its replies come from.
        method_sha256: hash of the method's file, for the record.

    Raises:
        ConfigError: the model is the rules, which write questions from nothing but the template question.
    """
    if model.provider == LABEL:
        remedy = "Name a model of provider openai under evaluate.models, or only reference rows under evaluate.methods."
        raise ConfigError(
            "the offline rules are no language model and cannot play a question generator", where=f"models.{name}", remedy=remedy
        )
    render = _renderer(model, method_sha256)
    return Backend(provider=model.provider, label=model.model or "", render=render, source=source, price=model.price)


def _renderer(model: ModelConfig, method_sha256: str) -> Renderer:
    base_url = public_address(model.base_url)

    def render(role: Role, typed: RoleRequest, mode: str | None, feedback: Sequence[Feedback]) -> tuple[Request, PromptRef | None]:
        assert role is Role.GENERATOR
        assert isinstance(typed, GenerateRequest)
        messages: tuple[dict[str, str], ...] = ({"role": "system", "content": typed.system}, {"role": "user", "content": typed.user})
        for item in feedback:
            messages += ({"role": "user", "content": _told(item)},)
        limit = model.token_limit or typed.max_tokens
        asked = model.model_copy(update={"params": {**typed.params, **model.params}, "token_limit": limit})
        request = Request(
            messages=for_model(model.model or "", messages),
            schema=None,
            model=model.model or "",
            base_url=base_url,
            params_sent=params_sent(asked, feedback),
        )
        return request, PromptRef(version=mode or "", sha256=method_sha256)

    return render


def _told(item: Feedback) -> str:
    why = "it was cut off; be brief" if item.error is TryError.TRUNCATED else f"{item.error.value}"
    return f"That reply cannot be used ({why}). Reply again, in the form that was asked for."
