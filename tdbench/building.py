"""`chronoqg tdbench build`: questions from tables, then each phrasing through the agents, in a run directory of its own."""

from __future__ import annotations

import os
from pathlib import Path

from runs.building import BuildReport, build_in, open_cache
from runs.config_file import LoadedConfig, check_environment
from runs.executors import Executor
from runs.run_folder import RunFolder
from runs.terminal import say
from state.errors import RunFolderError, TableError
from tdbench.sampling import sample_questions, source_of
from tdbench.tables.store import open_tables


def build_tables(path: Path, loaded: LoadedConfig, *, retry_failed: bool = False, executor: Executor | None = None) -> BuildReport:
    """Makes or continues a run; everything that the user may have got wrong is looked at first.

    Args:
        path: the run directory.
        loaded: the config; its `tdbench` says what is asked.
        retry_failed: redo the phrasings that failed.
        executor: where the agents work; `None` for this process.

    Raises:
        ChronoQGError: config, tables, directory, cache or server is not as it must be.
        KeyboardInterrupt: the user stopped it; what is finished is kept.
    """
    check_environment(loaded)
    with RunFolder(path, loaded, "tables") as folder, open_cache(loaded.config) as cache:
        if folder.reader is not None:
            _refuse_other_rows(folder)
        return build_in(folder, cache, sample_questions, retry_failed=retry_failed, executor=executor)


def _refuse_other_rows(folder: RunFolder) -> None:
    """Passes if the tables are still what the run's questions were made of; a table that is gone is no reason to stop.

    Raises:
        RunFolderError: they hold other rows now.
    """
    try:
        with open_tables(folder.config.tdbench.tables, os.environ) as database:
            now = source_of(database).content_hash
    except TableError as error:
        say(f"note: the tables cannot be read any more ({error}); the run goes on with the questions that it has")
        return
    if now != folder.manifest.graph.content_hash:
        remedy = f"See `chronoqg tdbench refresh {folder.path} --help`, or choose another --out."
        raise RunFolderError("the tables hold other rows than when this run began", where=str(folder.path), remedy=remedy)
