"""The grid of a study: one config for each setting that is set beside the others."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterable
from itertools import product
from typing import Any, NamedTuple

from agents.setup import check_crew, role_configs
from runs.building import prompt_files
from runs.config_file import LoadedConfig
from runs.config_identity import identity
from runs.forks import sha256_of
from state.config import AgentsConfig, Config, ModelConfig
from state.errors import ConfigError, did_you_mean
from state.vocabulary import Node

_NOT_IN_A_FOLDER = re.compile(r"[^A-Za-z0-9_.]+")
_MOST_OF_A_NAME = 80
_NOT_ASKED = ("rewriter", "error_analyst", "reviser", "leak_rewriter")
"""The roles that a config must fill, and that a study of the verifier never asks."""


class Cell(NamedTuple):
    """One setting of the grid."""

    name: str
    """`MODEL/PROMPT/MODES`, or `MODEL/PROMPT` of a rewriter."""
    folder: str
    """Name of its fork: the same in signs that a folder may have, and six hex digits of all that decides its replies."""
    model_key: str
    """The model's name under `models`."""
    model: str
    """The model's name on its server, or `offline-rules`."""
    prompt: str
    """Version of the studied role's prompt."""
    modes: tuple[str, ...]
    """The verifier's modes; none for a rewriter."""
    config: Config
    """The setup that answers."""
    node: Node
    """Where its instances begin."""


def verifier_cells(loaded: LoadedConfig) -> list[Cell]:
    """The cells of a study of the verifier, models first, in the order of the config.

    Raises:
        ConfigError: a model is unknown, or a prompt is missing or broken.
    """
    config = loaded.config
    grid, agents = config.study.verifier, config.agents
    prompts = grid.prompts or (agents.verifier.prompt,)
    readers = grid.reader_prompts or ("v1" if agents.round_trip_reader is None else agents.round_trip_reader.prompt,)
    idle = unused_name(config.models)
    kept = {"retries": agents.retries, "require_names": agents.require_names, **{role: {"model": idle} for role in _NOT_ASKED}}
    cells = []
    for model, mode in product(grid.models or (agents.verifier.model,), grid.modes):
        modes = tuple(mode.split("+"))
        answers, reads = any(part != "roundtrip" for part in modes), "roundtrip" in modes
        for prompt, reader in product(prompts if answers else prompts[:1], readers if reads else readers[:1]):
            played: dict[str, Any] = {"verifier": {"model": model, "prompt": prompt, "modes": modes}}
            if reads:
                played["round_trip_reader"] = {"model": model, "prompt": reader}
            versions = [*([prompt] if answers else []), *([reader] if reads and (not answers or len(readers) > 1) else [])]
            cells.append(_cell(loaded, ("study", "verifier", "models"), model, "+".join(versions), modes, {**kept, **played}))
    return cells


def rewriter_cells(loaded: LoadedConfig) -> list[Cell]:
    """The cells of a study of the rewriter: the config's agents, with another rewriter in each.

    Raises:
        ConfigError: a model is unknown, or a prompt is missing or broken.
    """
    config = loaded.config
    grid, agents = config.study.rewriter, config.agents
    settings = product(grid.models or (agents.rewriter.model,), grid.prompts or (agents.rewriter.prompt,))
    own = agents.model_dump(mode="json")
    return [
        _cell(loaded, ("study", "rewriter", "models"), model, prompt, (), {**own, "rewriter": {"model": model, "prompt": prompt}})
        for model, prompt in settings
    ]


def _cell(loaded: LoadedConfig, key: tuple[str, ...], model: str, prompt: str, modes: Iterable[str], agents: dict[str, Any]) -> Cell:
    known = loaded.config.models
    if model not in known:
        raise ConfigError(f"no model {model!r} in models", where=loaded.where(key), remedy=did_you_mean(model, known))
    played = AgentsConfig.model_validate(agents)
    rules = ModelConfig(provider="offline-rules")
    used = {role.model: known.get(role.model, rules) for role in role_configs(played).values()}
    config = loaded.config.model_copy(update={"agents": played, "models": used})
    check_crew(config)
    modes = tuple(modes)
    name = "/".join((model, prompt, "+".join(modes))) if modes else f"{model}/{prompt}"
    folder = _NOT_IN_A_FOLDER.sub("-", name).strip("-._")[:_MOST_OF_A_NAME] or "cell"
    return Cell(
        name=name,
        folder=f"{folder}-{_fingerprint(config)}",
        model_key=model,
        model=known[model].model or known[model].provider,
        prompt=prompt,
        modes=modes,
        config=config,
        node=Node.VERIFY if modes else Node.REWRITE,
    )


def unused_name(models: Collection[str]) -> str:
    """A name for the rules that stand for the roles which are not asked, other than those of these models."""
    name = "not-asked"
    while name in models:
        name += "-"
    return name


def _fingerprint(config: Config) -> str:
    """Six hex digits of all that decides what the cell's models reply: settings, parameters and the prompts' bytes."""
    whole = identity(config)
    data = {"models": whole["models"], "agents": whole["agents"], "prompts": sha256_of(prompt_files(config))}
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:6]
