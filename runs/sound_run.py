"""What a run directory must be to be given away or taken over: whole, readable and made of its own files."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import accumulate
from pathlib import Path

import yaml

from runs.config_file import LoadedConfig, load_config
from runs.forks import FORKS, ForkReader
from runs.json_lines import read_bytes
from runs.run_folder import CONFIG, DISCARDED, FAILED, PROMPTS, TRACES, USAGE, RunReader
from state.errors import RunFolderError

_DEEP = 100
_DEPTHS = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}


def check_sound(reader: RunReader, files: Collection[str]) -> list[LoadedConfig]:
    """The configs of a run and its forks, if all that its manifest names is among its files and reads.

    Nothing but these files is opened: the manifest may be a stranger's, and its names may lead elsewhere.

    Args:
        reader: the run directory.
        files: its files, paths relative to it.

    Raises:
        RunFolderError: something is missing, was edited or does not read.
        ConfigError: the run's own config is wrong.
    """
    manifest, where = reader.manifest, str(reader.path)
    _find((TRACES,), files, where)
    configs = [_check_worked_on(reader, "", files)]
    for fork in sorted({name.split("/")[1] for name in files if name.startswith(f"{FORKS}/")}):
        configs.append(_check_worked_on(ForkReader(reader.path, fork), f"{FORKS}/{fork}/", files))
    if manifest.dataset != configs[0].config.dataset:
        raise RunFolderError("manifest and config name different datasets", where=where)
    if manifest.taken:
        finals = [path.relative_to(reader.path).as_posix() for path in reader.benchmark_files().values()]
        _find((*finals, DISCARDED, FAILED, USAGE), files, where)
    if sum(1 for _ in reader.instances().records()) != manifest.traces.count:
        raise RunFolderError("the manifest counts other traces", where=str(reader.path / TRACES))
    return configs


def _check_worked_on(reader: RunReader, folder: str, files: Collection[str]) -> LoadedConfig:
    """The config of a run or a fork, if its prompts are there and the ones that it began with."""
    _find((f"{folder}{CONFIG}", *(f"{folder}{PROMPTS}/{name}.md" for name in reader.manifest.prompts or {})), files, str(reader.path))
    reader.check_prompts()
    return _config(reader.path / folder / CONFIG)


def _find(names: Iterable[str], files: Collection[str], where: str) -> None:
    for name in names:
        if name not in files:
            raise RunFolderError(f"{name!r} should be there, and is not, or is no file of a run", where=where)


def _config(path: Path) -> LoadedConfig:
    text = read_bytes(path)
    # Before anything else: what reads YAML takes the square of the depth.
    if max(accumulate(_DEPTHS.get(sign, 0) for sign in text), default=0) > _DEEP:
        raise RunFolderError("the config is nested too deeply", where=str(path))
    try:
        # A run's own config has no aliases; in a stranger's they could stand for a text without end.
        if any(isinstance(token, yaml.AliasToken) for token in yaml.scan(text)):
            raise RunFolderError("a run's config has no YAML aliases", where=str(path))
    except (yaml.YAMLError, RecursionError) as err:
        raise RunFolderError("the config is not YAML", where=str(path)) from err
    return load_config(path)
