"""`models check`: one small call to every model that plays a role, and what the answer says of its settings.

A refused key or parameter, a schema that is not kept to, tokens that nobody counts: what a run would meet
after an hour shows here for a few tokens. Nothing is written to disk.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from agents.backends import cost
from agents.call_bounds import call_cost_bound, prompt_token_bound, reply_token_bound
from agents.ledger import Call
from agents.pace import FAULTS, Tell
from agents.replies import RawReply
from agents.rules_backend import LABEL
from agents.setup import role_configs
from runs.config_file import LoadedConfig, check_environment, role_models
from runs.models_report import CheckedModel, Finding, Level, ModelsReport
from state.config import AgentsConfig, Config, ModelConfig, RoleConfig, VerifierConfig
from state.errors import ChronoQGError, ConfigError
from state.trajectory import Request, Usage
from state.vocabulary import TryError

ROOM_TO_REASON = 4000
"""Least `token_limit` to suggest for a model that reasons before it replies."""

_MOST_FAULTS = 2
_LONGEST_WAIT_S = 5.0
"""A server that asks for a longer pause is reported as busy instead of waited for."""
_SCHEMA = "response_format"
_OTHER_LIMIT = {"max_completion_tokens": "max_tokens", "max_tokens": "max_completion_tokens"}
_REMEDIES = {
    TryError.CONNECTION: "Start the server, or correct {where}.base_url.",
    TryError.TIMEOUT: "Raise {where}.timeout_s, or see what keeps the server busy.",
    TryError.RATE_LIMITED: "Try again later; a run waits for it, and {where}.rpm keeps within its limits.",
    TryError.SERVER_ERROR: "Look into the server's own log.",
}


@dataclass(frozen=True)
class _Asked:
    """One model's answer, after everything that it refuses was left out."""

    request: Request
    raw: RawReply
    refused: Mapping[str, str]
    """Refused parameter -> the server's words."""


class _Costs:
    """A ledger without a budget: what the calls to one model have cost."""

    def __init__(self, model: ModelConfig) -> None:
        self.usd = None if model.price is None else 0.0
        self.is_exact = True
        self._model = model
        self._request: Request | None = None

    async def reserve(self, call: Call) -> int:
        """Notes the call; a model is asked one call at a time."""
        self._request = call.request
        return 0

    def settle(self, ticket: int, usage: Usage | None, *, charged: bool) -> float | None:
        """Adds the call's cost, the most that it can be where the server counts no tokens."""
        if self.usd is None or self._request is None or not charged:
            return self.usd
        if usage is not None:
            self.usd += cost(usage, self._model.price) or 0.0
        else:
            self.is_exact = False
            bound = call_cost_bound(self._request, self._model)
            self.usd = None if bound is None else self.usd + float(bound)
        return self.usd


def check_models(loaded: LoadedConfig, tell: Tell, environ: Mapping[str, str] = os.environ) -> ModelsReport:
    """Asks every model that plays a role or is studied, all at the same time; what one of them lacks hides nothing of another.

    Args:
        loaded: the config.
        tell: is shown a line before anything is asked.
        environ: where variables that hold keys are looked up.
    """
    return asyncio.run(_check_all(loaded, tell, environ))


def asked_models(config: Config) -> list[str]:
    """The names of the models that play a role or stand in the grid of a study, sorted; a name that is not defined is left out."""
    studied = {*config.study.verifier.models, *config.study.rewriter.models} & config.models.keys()
    return sorted({*role_models(config), *studied})


async def _check_all(loaded: LoadedConfig, tell: Tell, environ: Mapping[str, str]) -> ModelsReport:
    names = asked_models(loaded.config)
    if timeouts := [model.timeout_s for name in names if (model := loaded.config.models[name]).provider != LABEL]:
        tell(f"asking {len(timeouts)} of the config's models one small thing each; an answer may take {max(timeouts):g} s at most")
    return ModelsReport(tuple(await asyncio.gather(*(_check_one(loaded, name, environ) for name in names))))


async def _check_one(loaded: LoadedConfig, name: str, environ: Mapping[str, str]) -> CheckedModel:
    model = loaded.config.models[name]
    roles = tuple(role.value for role, chosen in role_configs(loaded.config.agents).items() if chosen.model == name)
    study = loaded.config.study
    if name in (*study.verifier.models, *study.rewriter.models):
        roles = (*roles, "study")
    checked = CheckedModel(name=name, roles=roles, model=model)
    if model.provider == LABEL:
        return checked
    # Named only where it is set: a key that was pasted in its place is no variable's name.
    variable = model.api_key_env if environ.get(model.api_key_env or "", "").strip() else None
    checked = replace(checked, key_variable=variable)
    with_budget = _build_refuses(loaded, name, environ, loaded.config.run.budget_usd)
    without = _build_refuses(loaded, name, environ, None)
    findings = [_of_error(Level.CHANGE, with_budget)] if with_budget is not None and str(with_budget) != str(without) else []
    if without is not None:
        return replace(checked, findings=(_of_error(Level.ERROR, without), *findings))
    costs = _Costs(model)
    try:
        asked = await _ask(name, model, environ, costs)
    except ChronoQGError as error:
        return replace(checked, findings=(_of_error(Level.ERROR, error), *findings), usd=costs.usd, is_usd_exact=costs.is_exact)
    raw = asked.raw
    findings += [*_of_refusals(name, model, asked), *(_of_failure(name, raw) if raw.error else _of_reply(name, model, asked))]
    replied = raw.error is None
    return replace(
        checked,
        latency_ms=round(raw.latency_s * 1000) if replied else None,
        mode_found=_mode(asked),
        reports_tokens=raw.reports_usage if replied else None,
        usage=raw.usage if replied and raw.reports_usage else None,
        usd=costs.usd,
        is_usd_exact=costs.is_exact,
        findings=tuple(findings),
    )


def _build_refuses(loaded: LoadedConfig, name: str, environ: Mapping[str, str], budget_usd: float | None) -> ConfigError | None:
    """Why a build in which this model plays every role would not begin."""
    config, role = loaded.config, RoleConfig(model=name)
    agents = AgentsConfig(rewriter=role, verifier=VerifierConfig(model=name), error_analyst=role, reviser=role, leak_rewriter=role)
    alone = config.model_copy(update={"agents": agents, "run": config.run.model_copy(update={"budget_usd": budget_usd})})
    try:
        check_environment(replace(loaded, config=alone), environ)
    except ConfigError as error:
        return error
    return None


async def _ask(name: str, model: ModelConfig, environ: Mapping[str, str], costs: _Costs) -> _Asked:
    """Asks as a run would, again without what is refused; a server that fails twice is given up.

    Raises:
        ModelCallError: the server refuses the key, the model's name or the account.
    """
    # Imported here: the libraries for a server take a second to load.
    from agents.model_client import ModelClient
    from agents.structured_output import PROBE_ROLE, probe_request

    request = probe_request(model)
    if model.structured_output == "prompt":
        request = request.model_copy(update={"schema_": None})
    refused: dict[str, str] = {}
    faults = 0
    client = ModelClient(name, model, environ, ledger=costs)
    try:
        while True:
            raw = await client.send(request, role=PROBE_ROLE, may_refuse=(*request.params_sent, _SCHEMA))
            if raw.error in FAULTS:
                faults += 1
                # A request that timed out has had all the time that the config gives it.
                if faults == _MOST_FAULTS or raw.error is TryError.TIMEOUT or (raw.retry_after_s or 0.0) > _LONGEST_WAIT_S:
                    break
            elif raw.refuses:
                refused[raw.refuses] = raw.detail
                request = _without(request, raw.refuses, model)
            else:
                break
    finally:
        await client.aclose()
    return _Asked(request, raw, refused)


def _without(request: Request, refused: str, model: ModelConfig) -> Request:
    """The request without what the server refuses; a token limit is tried under its other name."""
    if refused == _SCHEMA:
        return request.model_copy(update={"schema_": None})
    params = {name: value for name, value in request.params_sent.items() if name != refused}
    other = _OTHER_LIMIT[model.token_limit_name]
    if refused == model.token_limit_name and model.token_limit is not None and other not in model.omit_params:
        params[other] = model.token_limit
    return request.model_copy(update={"params_sent": params})


def _mode(asked: _Asked) -> str | None:
    """How a structured reply can be asked for, by what was seen; `None`: nothing was."""
    from agents.structured_output import is_cut_off, mode_shown_by

    if _SCHEMA in asked.refused:
        return "prompt"
    raw = asked.raw
    if asked.request.schema_ is None or raw.error is not None or raw.refused or is_cut_off(raw) or raw.finish_reason == "content_filter":
        return None
    return mode_shown_by(raw)[0]


def _of_error(level: Level, error: ChronoQGError) -> Finding:
    # A check keeps nothing, so the sentence on what a run keeps is left out.
    return Finding(level, error.what, error.remedy.partition("What is finished is kept")[0].strip())


def _of_refusals(name: str, model: ModelConfig, asked: _Asked) -> Iterator[Finding]:
    limit, other = model.token_limit_name, _OTHER_LIMIT[model.token_limit_name]
    limits = set() if model.token_limit is None else {limit, other}
    omitted = sorted({*model.omit_params, *asked.refused} - {_SCHEMA} - limits)
    for parameter, told in asked.refused.items():
        what = f"the server refuses {parameter}: {told}"
        if parameter == _SCHEMA:
            if model.structured_output == "json_schema":
                yield Finding(Level.CHANGE, what, f"Set models.{name}.structured_output to prompt.")
        elif parameter not in limits:
            yield Finding(Level.CHANGE, what, f"Set models.{name}.omit_params: [{', '.join(omitted)}].")
        elif other in asked.request.params_sent:
            yield Finding(Level.CHANGE, what, f"Set models.{name}.token_limit_name to {other}.")
        else:
            yield Finding(Level.CHANGE, what, f"Set models.{name}.token_limit to null; no budget can then be kept.")


def _of_failure(name: str, raw: RawReply) -> Iterator[Finding]:
    assert raw.error is not None
    remedy = _REMEDIES.get(raw.error, "Look at {where}.params and {where}.model.").format(where=f"models.{name}")
    what = f"nothing can be reached: {raw.detail}" if not raw.reached else raw.detail
    yield Finding(Level.ERROR, what, remedy)


def _of_reply(name: str, model: ModelConfig, asked: _Asked) -> Iterator[Finding]:
    from agents.structured_output import is_cut_off

    raw, where = asked.raw, f"models.{name}"
    if is_cut_off(raw):
        at = "by the server" if model.token_limit is None else f"at {model.token_limit} tokens"
        yield Finding(Level.CHANGE, f"even a short reply was cut off {at}", f"Set {where}.token_limit to {ROOM_TO_REASON} or more.")
    elif raw.refused or raw.finish_reason == "content_filter":
        yield Finding(Level.NOTE, "the model refused to reply to a greeting, so that nothing is known of schemas")
    elif not (raw.text or "").strip():
        yield Finding(Level.ERROR, "an empty reply came back", "Look into the server's own log.")
    elif _mode(asked) == "prompt" and _SCHEMA not in asked.refused and model.structured_output == "json_schema":
        what = "the server takes a schema and does not keep to it"
        yield Finding(Level.CHANGE, what, f"Set {where}.structured_output to prompt.")
    if not raw.reports_usage:
        yield Finding(Level.NOTE, "the server reports no tokens: a budget counts each call with the most that it can cost")
        return
    yield from _of_reasoning(where, model, raw)
    yield from _of_counts(model, asked)


def _of_reasoning(where: str, model: ModelConfig, raw: RawReply) -> Iterator[Finding]:
    usage = raw.usage
    # A token covers at least one byte of what is shown, so many more tokens than bytes were not shown.
    hidden = usage.reasoning or (usage.output if usage.output > 2 * len((raw.text or "").encode()) + 16 else 0)
    if not hidden:
        return
    what = f"the model reasons before it replies ({hidden} of {usage.output} completion tokens)"
    is_tight = model.token_limit is not None and model.token_limit < ROOM_TO_REASON
    yield Finding(Level.NOTE, what, f"Leave room for that: {where}.token_limit of {ROOM_TO_REASON} or more." if is_tight else "")


def _of_counts(model: ModelConfig, asked: _Asked) -> Iterator[Finding]:
    """A server whose counts exceed what a request allows stops a run with a budget."""
    usage, limit = asked.raw.usage, reply_token_bound(asked.request, model)
    if limit is not None and usage.output > limit:
        what = f"the server counts {usage.output} completion tokens where {limit} were allowed"
    elif usage.input > (most := prompt_token_bound(asked.request)):
        what = f"the server counts {usage.input} prompt tokens where the request holds {most} at most"
    else:
        return
    yield Finding(Level.NOTE, what, "A run with a budget stops at such a count.")
