"""Config -> workflow: which backend plays which role."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from agents.backends import Backend, Source
from agents.crew import Crew
from agents.instance_kind import InstanceKind
from agents.kinds import GRAPH
from agents.ledger import Ledger, UnusableReplies
from agents.pace import Tell
from agents.prompt_renderer import prompt_renderer
from agents.response_cache import ResponseCache
from agents.rules_backend import LABEL, Rule, RulesSource, render_typed
from agents.transitions import VERIFICATION, Table, transition_table
from agents.workflow import Watch, Workflow
from state.config import AgentsConfig, Config, ModelConfig, RoleConfig
from state.errors import ConfigError, did_you_mean
from state.vocabulary import Role

SourceOf = Callable[[str, ModelConfig], Source]
"""Name and settings of a model -> where its replies come from."""


def build_workflow(
    config: Config,
    *,
    environ: Mapping[str, str],
    cache: ResponseCache | None = None,
    kind: InstanceKind = GRAPH,
    rules: Mapping[Role, Rule] | None = None,
    watch: Watch | None = None,
    asks_anew: bool = False,
    ledger: Ledger | None = None,
    tell: Tell | None = None,
    unusable: UnusableReplies | None = None,
    verifies_only: bool = False,
) -> Workflow:
    """The workflow of a run: models over the network, rules in this process.

    Args:
        config: the setup.
        environ: where variables that hold keys are looked up.
        cache: replies that were paid for; `None` for no cache.
        kind: what the instances are about.
        rules: what the offline backend plays its roles with; `None` for those of the kind.
        watch: is shown each visit.
        asks_anew: whether a stored question that did not pass the gate is asked for again.
        ledger: keeps calls within a budget.
        tell: is shown lines about servers that are busy or gone.
        unusable: keeps replies that cannot be used until their instance ends.
        verifies_only: whether each instance's given question is verified and nothing else is done.

    Raises:
        ConfigError: a role names an unknown model, a key's variable is not set, a prompt is broken, or a setting means
            nothing for the kind.
    """

    def live(name: str, model: ModelConfig) -> Source:
        if model.provider == LABEL:
            return RulesSource(kind.rules if rules is None else rules)
        # Imported here: the libraries for a server take a second to load, and a run by rules needs none.
        from agents.model_client import ModelClient
        from agents.model_source import ModelSource

        return ModelSource(ModelClient(name, model, environ, ledger=ledger, tell=tell), cache, unusable)

    return workflow_over(config, live, kind=kind, watch=watch, asks_anew=asks_anew, verifies_only=verifies_only)


def workflow_over(
    config: Config,
    source_of: SourceOf,
    *,
    kind: InstanceKind = GRAPH,
    watch: Watch | None = None,
    asks_anew: bool = False,
    verifies_only: bool = False,
) -> Workflow:
    """The workflow of a setup over any sources; see `build_workflow`.

    Raises:
        ConfigError: as `build_crew`.
    """
    crew = build_crew(config, source_of, kind)
    if asks_anew:
        crew = replace(crew, backends={role: replace(backend, asks_anew=True) for role, backend in crew.backends.items()})
    return Workflow(crew, VERIFICATION if verifies_only else table_of(config), watch)


def table_of(config: Config) -> Table:
    """The transition table of a setup."""
    return transition_table(appeal=config.agents.appeal is not None)


def build_crew(config: Config, source_of: SourceOf, kind: InstanceKind = GRAPH) -> Crew:
    """The crew of a setup; each model's source is made once and shared by its roles.

    Raises:
        ConfigError: a role names an unknown model, a prompt is missing or broken, or a setting means nothing for the kind.
    """
    kind.check(config.agents)
    roles = role_configs(config.agents)
    for role, chosen in roles.items():
        if chosen.model not in config.models:
            where = f"agents.{role.value}.model"
            raise ConfigError(f"unknown model {chosen.model!r}", where=where, remedy=did_you_mean(chosen.model, config.models))
    backends: dict[Role, Backend] = {}
    for name in dict.fromkeys(chosen.model for chosen in roles.values()):
        played = {role: chosen.prompt for role, chosen in roles.items() if chosen.model == name}
        backend = _backend(config, config.models[name], played, source_of(name, config.models[name]), kind)
        backends.update(dict.fromkeys(played, backend))
    agents = config.agents
    return Crew(
        backends=backends,
        kind=kind,
        modes=agents.verifier.modes,
        retries=agents.retries,
        require_names=agents.require_names,
        phrasings=config.tdbench.paraphrases,
    )


def check_crew(config: Config, kind: InstanceKind = GRAPH) -> None:
    """Passes if a crew can be made of a setup, keys and servers aside.

    Raises:
        ConfigError: a role names an unknown model, a prompt is missing or broken, or a setting means nothing for the kind.
    """
    build_crew(config, lambda name, model: RulesSource({}), kind)


def role_configs(agents: AgentsConfig) -> dict[Role, RoleConfig]:
    """The roles that a setup fills."""
    roles = {
        Role.REWRITER: agents.rewriter,
        Role.VERIFIER: agents.verifier,
        Role.APPEAL: agents.appeal,
        Role.ERROR_ANALYST: agents.error_analyst,
        Role.REVISER: agents.reviser,
        Role.LEAK_REWRITER: agents.leak_rewriter,
        Role.ROUND_TRIP_READER: agents.round_trip_reader,
    }
    return {role: chosen for role, chosen in roles.items() if chosen is not None}


def _backend(config: Config, model: ModelConfig, versions: Mapping[Role, str], source: Source, kind: InstanceKind) -> Backend:
    if model.provider == LABEL:
        return Backend(provider=LABEL, label=LABEL, render=render_typed, source=source, repeatable=False)
    folder = None if config.prompts.path is None else Path(config.prompts.path)
    render = prompt_renderer(model, versions, folder, kind.prompt_folders)
    return Backend(provider=model.provider, label=model.model or "", render=render, source=source, price=model.price)
