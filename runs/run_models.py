"""The models of a run as its agents use them: `structured_output: auto` asked once, noted in the run, and said.

What was found stands in the run's database, so that a run that is continued or replayed renders the
same requests without asking again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from agents.ledger import Ledger
from runs.config_file import role_models
from runs.config_identity import identity
from runs.database import RunDatabase
from state.config import Config

_NOTE = "structured_output:"


def with_noted_modes(config: Config, database: RunDatabase) -> Config:
    """The config with every mode that the run has found out in place of `auto`."""
    return _with_modes(config, {name: mode for name in _undecided(config) if (mode := database.note(_NOTE + name)) is not None})


def copy_modes(config: Config, other: Config, known: RunDatabase, database: RunDatabase) -> None:
    """Notes what another run has found out of models that are the same, so that no server is asked twice.

    Args:
        config: the setup that is to know.
        other: the setup of the other run.
        known: the other run's database.
        database: the database to note it in.
    """
    for name in _undecided(config):
        mode = known.note(_NOTE + name)
        same = identity(config)["models"][name] == identity(other)["models"].get(name)
        if mode is not None and same and database.note(_NOTE + name) is None:
            database.store_note(_NOTE + name, mode)


async def find_modes(
    config: Config,
    database: RunDatabase,
    ledger: Ledger | None,
    tell: Callable[[str], None],
    environ: Mapping[str, str] = os.environ,
) -> Config:
    """The config without any `auto`: servers whose mode the run does not know are asked, one small call each.

    Raises:
        ModelCallError: a server cannot be asked.
        BudgetReached: the budget has no room for the call.
    """
    config = with_noted_modes(config, database)
    undecided = _undecided(config)
    if not undecided:
        return config
    # Imported here: the libraries for a server take a second to load.
    from agents.model_client import ModelClient
    from agents.structured_output import probe

    for name in undecided:
        client = ModelClient(name, config.models[name], environ, ledger=ledger, tell=tell)
        try:
            mode, why = await probe(client)
        finally:
            await client.aclose()
        database.store_note(_NOTE + name, mode)
        tell(f"models.{name}: structured_output auto is {mode}: {why}")
    return with_noted_modes(config, database)


def _undecided(config: Config) -> list[str]:
    return [name for name in role_models(config) if config.models[name].structured_output == "auto"]


def _with_modes(config: Config, modes: Mapping[str, str]) -> Config:
    models = {
        name: model.model_copy(update={"structured_output": modes[name]}) if name in modes else model
        for name, model in config.models.items()
    }
    return config.model_copy(update={"models": models})
