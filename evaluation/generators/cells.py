"""The grid of an evaluation: every method with every model; a free row stands once."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from agents.rules_backend import LABEL
from baselines.method import Method, Reference
from baselines.registry import find_method
from evaluation.generators.datasets import Benchmark
from evaluation.study.cells import unused_name
from runs.config_file import LoadedConfig
from runs.config_identity import identity
from state.config import AgentsConfig, Config, ModelConfig, RoleConfig
from state.errors import ConfigError, did_you_mean

_NOT_IN_A_FOLDER = re.compile(r"[^A-Za-z0-9_.]+")
_MOST_OF_A_NAME = 80


@dataclass(frozen=True)
class GeneratorCell:
    """One method with one model."""

    name: str
    """`METHOD/MODEL`, or `METHOD` of a free row; `+path` where the path is given to a method that has none in the paper."""
    folder: str
    """Name of its fork: the same in signs that a folder may have, and six hex digits of all that decides its questions."""
    method: Method | Reference
    method_sha256: str
    """SHA-256 of the method's file."""
    model_key: str | None
    """The model's name under `models`; `None` of a free row."""
    model: str | None
    """The model's name on its server; `None` of a free row."""
    shows_path: bool
    """Whether the method is given the reasoning path."""
    config: Config
    """The setup of this cell alone."""

    @property
    def most_calls(self) -> int | None:
        """The most calls that the method says it makes for a question, retries aside; `None` of a free row."""
        return self.method.calls[1] if isinstance(self.method, Method) else None

    @property
    def with_path(self) -> bool:
        """Whether it is given the path though the paper does not."""
        return isinstance(self.method, Method) and self.shows_path and not self.method.sees_path


def generator_cells(loaded: LoadedConfig, benchmarks: Sequence[Benchmark]) -> list[GeneratorCell]:
    """The cells of an evaluation: methods in the order of the config, models within each.

    Raises:
        ConfigError: a method or model is unknown, cannot be used, or needs a training part that is empty.
    """
    config, cells = loaded.config, []
    chosen = config.evaluate
    stems = [stem_of(name) for name in chosen.methods]
    if unknown := sorted(set(chosen.options) - set(stems)):
        what = f"{unknown[0]!r} is not among evaluate.methods"
        raise ConfigError(what, where=loaded.where(("evaluate", "options")), remedy=did_you_mean(unknown[0], stems))
    for name, stem in zip(chosen.methods, stems, strict=True):
        found = find_method(name, chosen.options.get(stem))
        if isinstance(found.method, Reference):
            cells.append(_cell(loaded, benchmarks, name, found.method, found.sha256, None))
            continue
        if found.method.needs_pool:
            _check_pools(found.method, benchmarks, chosen.seed)
        for model in chosen.models or (config.agents.rewriter.model,):
            cells.append(_cell(loaded, benchmarks, name, found.method, found.sha256, model))
    keys = [cell.name for cell in cells]
    if twice := sorted({key for key in keys if keys.count(key) > 1}):
        raise ConfigError(f"two methods have the key {twice[0]!r}", where="evaluate.methods", remedy="Change METHOD.key in one of them.")
    if outside := sorted(set(chosen.predictions) & {cell.method.key for cell in cells}):
        raise ConfigError(f"a method is called {outside[0]!r} too", where="evaluate.predictions", remedy="Name the row something else.")
    return cells


def nobody_but(config: Config, asked: Mapping[str, ModelConfig], **roles: RoleConfig) -> tuple[AgentsConfig, dict[str, ModelConfig]]:
    """Roles and models of a setup in which only these are asked; rules stand for every other role that must be filled."""
    idle = unused_name(asked)
    filled = {name: {"model": idle} for name in ("rewriter", "verifier", "error_analyst", "reviser", "leak_rewriter")}
    given = {name: role.model_dump() for name, role in roles.items()}
    agents = AgentsConfig.model_validate({"retries": config.agents.retries, **filled, **given})
    return agents, {**asked, idle: ModelConfig(provider="offline-rules")}


def stem_of(name: str) -> str:
    """The name under which a method's options stand: that of its file, without folder and ending."""
    return Path(name).stem if name.endswith(".py") else name


def _check_pools(method: Method, benchmarks: Sequence[Benchmark], seed: int) -> None:
    for benchmark in benchmarks:
        if not benchmark.split.sizes["train"]:
            what = f"{method.key} takes demonstrations from the training part, and that of {benchmark.name} is empty"
            raise ConfigError(what, where="evaluate.methods", remedy=f"Build more, or take another evaluate.seed than {seed}.")


def _cell(
    loaded: LoadedConfig, benchmarks: Sequence[Benchmark], name: str, method: Method | Reference, sha256: str, model: str | None
) -> GeneratorCell:
    config = loaded.config
    shows_path = isinstance(method, Method) and (method.sees_path or config.evaluate.with_path)
    models: dict[str, ModelConfig] = {}
    if model is not None:
        if model not in config.models:
            where, remedy = loaded.where(("evaluate", "models")), did_you_mean(model, config.models)
            raise ConfigError(f"no model {model!r} in models", where=where, remedy=remedy)
        models[model] = config.models[model]
        if models[model].provider == LABEL:
            what = f"{method.key} needs a language model, and {model!r} is the offline rules"
            remedy = "Name a model of provider openai under evaluate.models, or only free rows (template, offline_rules) as methods."
            raise ConfigError(what, where=loaded.where(("evaluate", "models")), remedy=remedy)
    agents, models = nobody_but(config, models)
    options = {stem: given for stem, given in config.evaluate.options.items() if stem == stem_of(name)}
    runs = tuple(benchmark.path for benchmark in benchmarks)
    kept = {"runs": runs, "methods": (name,), "models": () if model is None else (model,), "options": options, "predictions": {}}
    own = config.model_copy(update={"agents": agents, "models": models, "evaluate": config.evaluate.model_copy(update=kept)})
    label = method.key if model is None else f"{method.key}/{model}"
    if isinstance(method, Method) and shows_path and not method.sees_path:
        label += "+path"
    data = {
        "models": identity(own)["models"],
        "retries": config.agents.retries,
        "method": sha256,
        "options": options,
        "shows_path": shows_path,
        "seed": config.evaluate.seed,
        "benchmarks": [benchmark.sha256 for benchmark in benchmarks],
    }
    fingerprint = hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:6]
    folder = _NOT_IN_A_FOLDER.sub("-", label).strip("-._")[:_MOST_OF_A_NAME] or "cell"
    return GeneratorCell(
        name=label,
        folder=f"{folder}-{fingerprint}",
        method=method,
        method_sha256=sha256,
        model_key=model,
        model=None if model is None else config.models[model].model,
        shows_path=shows_path,
        config=own,
    )
