"""Who answers and who judges: each model with its prompt is a cell, whose folder is named by all that decides its replies."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import prompts
from agents.answering import PROMPTS, RESPONSES
from agents.rules_backend import LABEL
from runs.building import prompt_folder
from runs.config_file import LoadedConfig
from runs.config_identity import identity
from state.config import Config, ModelConfig
from state.errors import ConfigError, did_you_mean
from state.tdbench_evaluate_config import RULES
from state.tdbench_evaluation import CellNote
from state.trajectory import PromptRef
from state.vocabulary import Role

_NOT_IN_A_FOLDER = re.compile(r"[^A-Za-z0-9_.]+")
_MOST_OF_A_NAME = 60


@dataclass(frozen=True)
class Cell:
    """One model in one role with one prompt."""

    name: str
    """How tables call it: the model's name in the config; of a judge that of the judged row."""
    folder: str
    """Name of its folder."""
    role: Role
    """Answerer or judge."""
    model_key: str
    """The model's name under `models`."""
    model: ModelConfig
    """Its settings."""
    prompt: prompts.Prompt
    """Its prompt."""
    prompt_content: bytes
    """The prompt's file."""
    retries: int
    """How often an unusable reply is asked for again."""
    settings: Mapping[str, Any]
    """What of the model's settings decides its requests."""
    judged: str | None = None
    """Of a judge: the row whose replies it judges."""
    replies: str | None = None
    """Of a judge: the folder of the cell that gave them, or the hash of those of a file."""

    @property
    def note(self) -> CellNote:
        """What its folder says of it."""
        return CellNote(
            name=self.name,
            role=self.role,
            model_key=self.model_key,
            model=self.model.model or "",
            settings=dict(self.settings),
            retries=self.retries,
            prompt=self.prompt_ref,
            judged=self.judged,
            replies=self.replies,
        )

    @property
    def prompt_ref(self) -> PromptRef:
        """The prompt as a record names it."""
        return PromptRef(version=self.prompt.version, sha256=self.prompt.sha256)


def answer_cells(loaded: LoadedConfig) -> list[Cell]:
    """The models that are asked, in the order of the config.

    Raises:
        ConfigError: a model is unknown or no language model, or a prompt cannot be used.
    """
    chosen = loaded.config.tdbench.evaluate
    cells = [_cell(loaded, Role.ANSWERER, name, chosen.prompt, ("tdbench", "evaluate", "models")) for name in chosen.models]
    if outside := sorted(set(chosen.models) & set(chosen.replies)):
        what = f"a model is called {outside[0]!r} too"
        raise ConfigError(what, where="tdbench.evaluate.replies", remedy="Give the file's row another name.")
    return cells


def judge_cell(loaded: LoadedConfig) -> Cell | None:
    """The judge before it is given replies; `None` where the rules judge alone.

    Raises:
        ConfigError: as `answer_cells`.
    """
    chosen = loaded.config.tdbench.evaluate
    if chosen.judge == RULES:
        return None
    return _cell(loaded, Role.JUDGE, chosen.judge, chosen.judge_prompt, ("tdbench", "evaluate", "judge"))


def judge_of(judge: Cell, row: str, replies_key: str) -> Cell:
    """The judge of one row.

    Args:
        judge: from `judge_cell`.
        row: name of the row.
        replies_key: what identifies its replies: the folder of the cell that gave them, or the hash of their file.
    """
    folder = _folder(f"judge-{judge.model_key}-of-{row}", [judge.folder, replies_key])
    return replace(judge, name=row, judged=row, replies=replies_key, folder=folder)


def kept_cell(folder: str, note: CellNote, prompt_content: bytes) -> Cell:
    """A cell as its folder keeps it, to render again what it asked.

    Raises:
        ConfigError: the kept prompt is none, or the kept settings are no model's.
    """
    prompt = prompts.parse(PROMPTS[note.role], note.prompt.version, prompt_content, folder)
    try:
        model = ModelConfig.model_validate(note.settings)
    except ValueError as err:
        raise ConfigError("the kept settings are no model's", where=folder, remedy="Restore the directory.") from err
    return Cell(
        name=note.name,
        folder=folder,
        role=note.role,
        model_key=note.model_key,
        model=model,
        prompt=prompt,
        prompt_content=prompt_content,
        retries=note.retries,
        settings=note.settings,
        judged=note.judged,
        replies=note.replies,
    )


def _cell(loaded: LoadedConfig, role: Role, name: str, version: str, key: Sequence[str]) -> Cell:
    config, where = loaded.config, loaded.where(tuple(key))
    if name not in config.models:
        known = sorted(config.models) if role is Role.ANSWERER else [*sorted(config.models), RULES]
        raise ConfigError(f"no model {name!r} in models", where=where, remedy=did_you_mean(name, known))
    model = config.models[name]
    if model.provider == LABEL:
        what = f"{name!r} is the offline rules, which know no facts and cannot {'answer' if role is Role.ANSWERER else 'judge'}"
        remedy = "Name a model of provider openai, or score replies that you have with --replies NAME=FILE."
        if role is Role.JUDGE:
            remedy = f"Name a model of provider openai, or {RULES!r} for the deterministic judge."
        raise ConfigError(what, where=where, remedy=remedy)
    prompt, content = _prompt(config, role, version)
    settings = identity(config)["models"][name]
    data = {"role": role.value, "model": settings, "prompt": prompt.sha256, "retries": config.agents.retries}
    return Cell(name, _folder(name, data), role, name, model, prompt, content, config.agents.retries, settings)


def _prompt(config: Config, role: Role, version: str) -> tuple[prompts.Prompt, bytes]:
    folder = prompt_folder(config)
    prompt = prompts.load(PROMPTS[role], version, folder)
    if prompt.response != RESPONSES[role]:
        where = f"prompt {prompt.role}/{prompt.version}"
        raise ConfigError(f"the response is {prompt.response!r}", where=where, remedy=f"This role replies {RESPONSES[role]!r}.")
    return prompt, (folder / PROMPTS[role] / f"{version}.md").read_bytes()


def _folder(label: str, decides: object) -> str:
    fingerprint = hashlib.sha256(json.dumps(decides, sort_keys=True).encode()).hexdigest()[:8]
    return f"{_NOT_IN_A_FOLDER.sub('-', label).strip('-._')[:_MOST_OF_A_NAME] or 'cell'}-{fingerprint}"
