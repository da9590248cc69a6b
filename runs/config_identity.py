"""What of a config is kept in a run directory, and what of it must stay the same for a run to be continued."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import yaml

from state.any_instance import Origin
from state.config import Config
from state.model_base import FORMAT_VERSION

ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
"""How an address begins."""


def dump_config(config: Config) -> str:
    """The resolved config as YAML, without what addresses carry beside the server and path."""
    return yaml.safe_dump({"format": FORMAT_VERSION, **plain(config)}, sort_keys=False, allow_unicode=False, width=100)


def plain(config: Config) -> dict[str, Any]:
    """The config as JSON data, fit to be stored or shown."""
    data: dict[str, Any] = _without_credentials(config.model_dump(mode="json"))
    return data


def identity(config: Config, origin: Origin = "graph") -> dict[str, Any]:
    """What must be the same for a run directory to be continued: not keys, speed, limits, studies, evaluations, the cache's place."""
    data = plain(config)
    del data["run"], data["cache"], data["study"], data["evaluate"], data["sampler"]["workers"]
    if origin == "graph":
        del data["tdbench"]
    else:
        del data["graph"], data["sampler"], data["evidence"]
        del data["tdbench"]["evaluate"]
        for table in data["tdbench"]["tables"].values():
            del table["path"], table["url_env"]  # what the tables hold decides, wherever they lie
    for model in data["models"].values():
        for key in ("api_key_env", "headers_env", "concurrency", "rpm", "tpm", "timeout_s", "patience_s", "price"):
            del model[key]
    return data


def first_difference(one: Any, other: Any, key: tuple[str, ...] = ()) -> str | None:
    """The first key, in dotted form, at which two plain configs differ; `None` if they are the same."""
    if isinstance(one, dict) and isinstance(other, dict):
        for name in sorted({*one, *other}):
            found = first_difference(one.get(name), other.get(name), (*key, name))
            if found is not None:
                return found
        return None
    return None if one == other else ".".join(map(str, key))


def redact_address(text: str) -> str:
    """An address without user, password, query and fragment."""
    try:
        parts = urlsplit(text)
        host = parts.netloc.rpartition("@")[2]
        return urlunsplit((parts.scheme, host, parts.path, "", ""))
    except ValueError:
        return "(address)"


def _without_credentials(data: Any) -> Any:
    if isinstance(data, dict):
        return {name: _without_credentials(value) for name, value in data.items()}
    if isinstance(data, list):
        return [_without_credentials(value) for value in data]
    return redact_address(data) if isinstance(data, str) and ADDRESS.match(data) else data
