"""What a run directory must be to be given away or taken over: whole, readable and made of its own files."""

from __future__ import annotations

from collections.abc import Collection
from itertools import accumulate
from pathlib import Path

import yaml

from runs.config_file import LoadedConfig, load_config
from runs.json_lines import read_bytes
from runs.packed_files import FORKS
from runs.run_folder import CONFIG, DISCARDED, FAILED, PROMPTS, TRACES, USAGE, RunReader
from state.errors import RunFolderError
from state.vocabulary import ConstraintCount

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
    for name in (CONFIG, TRACES, *(f"{PROMPTS}/{name}.md" for name in manifest.prompts or {})):
        if name not in files:
            raise RunFolderError(f"the manifest names {name!r}, which is not there or no file of a run", where=where)
    forks = sorted({name.split("/")[1] for name in files if name.startswith(f"{FORKS}/")})
    configs = [_config(reader.path / folder / CONFIG) for folder in ("", *(f"{FORKS}/{fork}" for fork in forks))]
    if manifest.dataset != configs[0].config.dataset:
        raise RunFolderError("manifest and config name different datasets", where=where)
    if manifest.taken:
        finals = [reader.benchmark_file(part).relative_to(reader.path).as_posix() for part in ConstraintCount]
        for name in (*finals, DISCARDED, FAILED, USAGE):
            if name not in files:
                raise RunFolderError(f"the run has ended, but {name!r} is not there", where=where)
    if sum(1 for _ in reader.traces()) != manifest.traces.count:
        raise RunFolderError("the manifest counts other traces", where=str(reader.path / TRACES))
    reader.check_prompts()
    return configs


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
