"""A YAML file and its `--set` overrides -> a validated config, with file, line and key in every error.

Nothing that stands under a secret-looking key is ever shown, nor the user part or query of an address.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from runs.config_identity import ADDRESS, redact_address
from state.config import NO_GRAPH, SECRET_KEY, Config, GraphConfig, ModelConfig, RoleConfig, RunConfig
from state.errors import ConfigError, did_you_mean
from state.model_base import FORMAT_VERSION

KeyPath = tuple[str | int, ...]

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z", re.ASCII)
_SHOWABLE_VARIABLE = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)+\Z", re.ASCII)
"""Looks like a variable's name and not like a key that was pasted in its place."""
_UNHOLDABLE = re.compile("[\0\ud800-\udfff]")
_LITERAL_SECRETS = frozenset((
    "api_key", "apikey", "x_api_key", "authorization", "proxy_authorization", "token", "access_token", "bearer", "secret",
    "client_secret", "password", "cookie", "headers", "extra_headers", "default_headers",
))  # fmt: skip


@dataclass(frozen=True)
class LoadedConfig:
    """A validated config and where each of its keys was written."""

    config: Config
    file: str
    """The file as the user named it."""
    lines: Mapping[KeyPath, int]
    """Key path -> line from 1."""
    overridden: frozenset[KeyPath]
    """Key paths given by `--set`."""

    def where(self, key: KeyPath) -> str:
        """`runs/my.yaml:12, agents.verifier.model`, or `--set agents.verifier.model`."""
        return _where(self.file, self.lines, self.overridden, key)


class _Loader(yaml.SafeLoader):
    """YAML in which a date stays the text it is: open dates are compared as text."""

    yaml_implicit_resolvers = {  # noqa: RUF012
        first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


def load_config(path: str | Path, overrides: Sequence[str] = (), *, models: Mapping[str, ModelConfig] | None = None) -> LoadedConfig:
    """The config of a YAML file with `key.path=value` overrides applied; values are read as YAML.

    Args:
        path: the file.
        overrides: applied last.
        models: take the place of the file's own, if given; those of the file that need no server stay.

    Raises:
        ConfigError: the file cannot be read, is not YAML, or a key or value is wrong.
    """
    file = str(path)
    data, lines = _read_yaml(file)
    if data.pop("format", FORMAT_VERSION) != FORMAT_VERSION:
        raise ConfigError(f"only config format {FORMAT_VERSION} can be read", where=f"{file}, format")
    if models is not None:
        own = data.get("models")
        own = own.items() if isinstance(own, dict) else ()
        kept = {name: model for name, model in own if isinstance(model, dict) and model.get("provider") == "offline-rules"}
        data["models"] = kept | {name: model.model_dump(mode="json") for name, model in models.items()}
        lines = {key: line for key, line in lines.items() if key[0] != "models"}
    if data.get("tdbench") and "graph" not in data:
        data["graph"] = {"path": NO_GRAPH}
    return _resolve(data, file, lines, overrides)


def load_models(path: str | Path) -> tuple[dict[str, ModelConfig], RunConfig]:
    """The `models` of a YAML file, by name, and its `run`; the rest of the file is not looked at.

    Raises:
        ConfigError: the file cannot be read, is not YAML, has no models, or one of them is wrong.
    """
    file = str(path)
    data, lines = _read_yaml(file)
    if not data.get("models"):
        raise ConfigError("the file defines no models", where=file, remedy="Define one under models, as in runs/cron.yaml.")
    only = {"dataset": "models", "graph": {"path": NO_GRAPH}, "models": data["models"], "run": data.get("run") or {}}
    loaded = LoadedConfig(_validate(only, file, lines, frozenset()), file, lines, frozenset())
    _check_variable_names(loaded)
    return loaded.config.models, loaded.config.run


def load_graph_config(source: str, overrides: Sequence[str] = ()) -> GraphConfig:
    """The graph section of a YAML file, or the default one for a path or a bundled graph.

    Raises:
        ConfigError: as `load_config`.
    """
    if Path(source).suffix in (".yaml", ".yml"):
        return load_config(source, overrides).config.graph
    graph = {"path": source, "granularity": "day"} if source in ("bundled:days", "bundled:days_eventkg") else {"path": source}
    return _resolve({"dataset": "graph", "graph": graph}, source, {}, overrides).config.graph


def _resolve(data: dict[str, Any], file: str, lines: Mapping[KeyPath, int], overrides: Sequence[str]) -> LoadedConfig:
    path = _value_at(data, ("graph", "path"))
    overridden = frozenset(_apply_override(data, override) for override in overrides)
    if ("graph", "path") in overridden and _value_at(data, ("graph", "path")) != path:
        for key in ("licence", "source"):
            if ("graph", key) not in overridden:
                data["graph"].pop(key, None)  # what the file says of its own graph is not true of another
    config = _validate(data, file, lines, overridden)
    loaded = LoadedConfig(config, file, lines, overridden)
    _check_model_names(loaded)
    _check_variable_names(loaded)
    return loaded


def _validate(data: dict[str, Any], file: str, lines: Mapping[KeyPath, int], overridden: frozenset[KeyPath]) -> Config:
    """The config that the data stand for.

    Raises:
        ConfigError: a key is unknown or missing, or a value does not fit.
    """
    for key in _literal_secrets(data.get("models")):
        raise ConfigError(
            "a key does not belong in a config",
            where=_where(file, lines, overridden, ("models", *key)),
            remedy="Put it into an environment variable and name that in api_key_env or headers_env.",
        )
    for key in _unholdable(data):
        raise ConfigError("a text with characters that no file can hold", where=_where(file, lines, overridden, key))
    try:
        return Config.model_validate(data)
    except ValidationError as err:
        first = _most_telling(err.errors(include_url=False, include_input=False))
        key = _known_part(data, first["loc"])
        raise ConfigError(_what(first, key, data), where=_where(file, lines, overridden, key), remedy=_remedy(first, key, data)) from err


def check_environment(loaded: LoadedConfig, environ: Mapping[str, str] = os.environ, models: Sequence[str] | None = None) -> None:
    """Passes if what the config asks of its surroundings is there; run before the expensive work.

    Args:
        loaded: the config.
        environ: the environment.
        models: names of the models that are asked; `None` for those of the roles.

    Raises:
        ConfigError: a variable that the roles' models name is not set, empty or fit for no header, or a budget
            is set and a model has no price or no token limit, without which no call can be reserved.
    """
    names = role_models(loaded.config) if models is None else models
    _check_budget(loaded, names)
    for name in names:
        for key, variable in _variables(name, loaded.config.models[name]):
            value = environ.get(variable, "")
            shown = f" {variable}" if _SHOWABLE_VARIABLE.match(variable) else " that it names"
            if not value.strip():
                raise ConfigError(
                    f"the environment variable{shown} is not set", where=loaded.where(key), remedy="Export it, or choose another model."
                )
            if not (value.isascii() and value.isprintable()):
                what = f"the environment variable{shown} holds characters that no HTTP header can carry"
                raise ConfigError(what, where=loaded.where(key), remedy="Export it as one line of plain ASCII.")


def _check_budget(loaded: LoadedConfig, names: Sequence[str]) -> None:
    if loaded.config.run.budget_usd is None:
        return
    for name in names:
        model = loaded.config.models[name]
        if model.provider != "openai":
            continue
        if model.price is None:
            where, remedy = loaded.where(("models", name, "price")), "Give price.input and price.output; 0 for a server of your own."
            raise ConfigError("a budget is set, and the model has no price", where=where, remedy=remedy)
        for other in sorted({"max_tokens", "max_completion_tokens"} & model.params.keys()):
            where = loaded.where(("models", name, "params", other))
            raise ConfigError("a budget is set, and this limit stands beside token_limit", where=where, remedy="Give token_limit alone.")
        is_limited = model.token_limit is not None and model.token_limit_name not in model.omit_params
        if model.price.output > 0 and not is_limited:
            where, remedy = loaded.where(("models", name, "token_limit")), "Give the most completion tokens of a reply, such as 1000."
            raise ConfigError("a budget is set, and the model sends no token limit", where=where, remedy=remedy)


def role_models(config: Config) -> list[str]:
    """The names of the models that play a role, sorted."""
    return sorted({role.model for _, role in _roles(config)})


def _read_yaml(file: str) -> tuple[dict[str, Any], dict[KeyPath, int]]:
    try:
        text = Path(file).read_bytes().decode("utf-8-sig")
    except FileNotFoundError as err:
        raise ConfigError("there is no such config file", where=file, remedy=_yaml_files_near(file)) from err
    except OSError as err:
        raise ConfigError(f"the config file cannot be read: {err.strerror}", where=file) from err
    except UnicodeDecodeError as err:
        raise ConfigError("the config file is not UTF-8 text", where=file) from err
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
        if not isinstance(node, yaml.MappingNode):
            raise ConfigError("the config file holds no keys", where=file, remedy="It needs at least dataset and graph.path.")
        lines = dict(_key_lines(node, (), file))
        return loader.construct_document(node), lines
    except yaml.MarkedYAMLError as err:
        line = err.problem_mark.line + 1 if err.problem_mark else 1
        raise ConfigError(f"not YAML: {err.problem or err.context}", where=f"{file}:{line}") from err
    except yaml.YAMLError as err:
        raise ConfigError("not YAML: it holds characters that YAML does not allow", where=file) from err
    except (ValueError, RecursionError) as err:
        raise ConfigError("not YAML that a config can be read from", where=file) from err


def _yaml_files_near(file: str) -> str:
    folder = Path(file).parent
    names = sorted(str(path) for path in folder.glob("*.yaml")) if folder.is_dir() else []
    return did_you_mean(file, names) if names else "Name a YAML file such as runs/quickstart.yaml."


def _key_lines(node: yaml.MappingNode, path: KeyPath, file: str) -> Iterator[tuple[KeyPath, int]]:
    seen: set[str] = set()
    for key_node, value_node in node.value:
        key, line = str(key_node.value), key_node.start_mark.line + 1
        if not isinstance(key_node, yaml.ScalarNode):
            raise ConfigError("a key must be a plain word", where=f"{file}:{line}")
        if key in seen:
            raise ConfigError("the key is there twice", where=f"{file}:{line}, {'.'.join(map(str, (*path, key)))}")
        seen.add(key)
        yield (*path, key), line
        yield from _value_lines(value_node, (*path, key), file)


def _value_lines(node: yaml.Node, path: KeyPath, file: str) -> Iterator[tuple[KeyPath, int]]:
    if isinstance(node, yaml.MappingNode):
        yield from _key_lines(node, path, file)
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            yield (*path, index), item.start_mark.line + 1
            yield from _value_lines(item, (*path, index), file)


def _apply_override(data: dict[str, Any], override: str) -> KeyPath:
    """Sets one value in place and returns its key path."""
    dotted, equals, text = override.partition("=")
    if not equals or not dotted.strip():
        shown = "" if SECRET_KEY.search(override) else f", not {override!r}"
        raise ConfigError(f"an override reads key.path=value{shown}", where="--set", remedy="Example: --set sampler.seed=7")
    dotted = dotted.strip()
    try:
        value = yaml.load(text, _Loader)  # noqa: S506  # a SafeLoader without dates
    except yaml.YAMLError as err:
        raise ConfigError("the value is not YAML", where=f"--set {dotted}", remedy="Put it in quotes inside the value.") from err
    key = _split_key(data, dotted)
    target: Any = data
    for depth, name in enumerate(key[:-1]):
        if target.get(name) is None:
            target[name] = {}
        target = target[name]
        if not isinstance(target, dict):
            raise ConfigError(f"{'.'.join(map(str, key[: depth + 1]))} has no keys below it", where=f"--set {dotted}")
    target[key[-1]] = value
    return key


def _split_key(data: Any, dotted: str) -> KeyPath:
    """The key path of a dotted name; a name that itself holds dots (`gpt-4.1`) is taken whole where it exists."""
    parts, key = dotted.split("."), []
    while parts:
        size = next(
            (size for size in range(len(parts), 1, -1) if isinstance(data, dict) and ".".join(parts[:size]) in data),
            1,
        )
        name = ".".join(parts[:size])
        key.append(name)
        data = data.get(name) if isinstance(data, dict) else None
        del parts[:size]
    return tuple(key)


def _where(file: str, lines: Mapping[KeyPath, int], overridden: Iterable[KeyPath], key: KeyPath) -> str:
    dotted = ".".join(map(str, key))
    if any(key[: len(given)] == given or (key not in lines and given[: len(key)] == key) for given in overridden if key):
        return f"--set {dotted}"
    line = next((lines[key[:size]] for size in range(len(key), 0, -1) if key[:size] in lines), None)
    place = file if line is None else f"{file}:{line}"
    return f"{place}, {dotted}" if dotted else place


def _known_part(data: Any, location: tuple[str | int, ...]) -> KeyPath:
    """The part of pydantic's location that names keys of the data; the rest names types of a union."""
    key: list[str | int] = []
    for name in location:
        is_item = isinstance(data, list) and isinstance(name, int) and name < len(data)
        if is_item or (isinstance(data, dict) and name in data):
            key.append(name)
            data = data[name]
            continue
        if isinstance(data, dict) and name == location[-1]:
            key.append(name)
        break
    return tuple(key)


def _most_telling(errors: list[ErrorDetails]) -> ErrorDetails:
    """An unknown key first: it usually explains what is missing."""
    return min(errors, key=lambda error: (error["type"] != "extra_forbidden", error["type"] != "missing"))


def _what(error: ErrorDetails, key: KeyPath, data: Any) -> str:
    if error["type"] == "extra_forbidden":
        return "unknown key"
    if error["type"] == "missing":
        return "the key is missing"
    if error["type"] in ("model_type", "dict_type"):
        return "there must be keys below this key"
    text = error["msg"].removeprefix("Value error, ")
    text = text[:1].lower() + text[1:]
    value = _value_at(data, key)
    if error["type"] == "value_error" or isinstance(value, dict | list) or any(SECRET_KEY.search(str(name)) for name in key):
        return text
    shown = redact_address(value) if isinstance(value, str) and ADDRESS.match(value) else value
    return f"{text}, not {shown!r}"


def _remedy(error: ErrorDetails, key: KeyPath, data: Any) -> str:
    if error["type"] == "extra_forbidden":
        return did_you_mean(str(key[-1]), _known_keys(key[:-1]))
    if error["type"] == "model_type":
        return f"Name one, such as {'.'.join(map(str, (*key, _first_key(key))))}. Known: {', '.join(_known_keys(key))}."
    if error["type"].startswith("string_type") and isinstance(_value_at(data, key), int | float | bool):
        return "Put it in quotes."
    return ""


def _value_at(data: Any, key: KeyPath) -> Any:
    for name in key:
        try:
            data = data[name]
        except (KeyError, IndexError, TypeError):
            return None
    return data


def _known_keys(key: KeyPath) -> list[str]:
    """The keys that the model at a key path has."""
    return sorted(_model_at(key).model_fields)


def _first_key(key: KeyPath) -> str:
    """The first key that the model at a key path needs, or else has."""
    fields = _model_at(key).model_fields
    return next((name for name, field in fields.items() if field.is_required()), next(iter(fields)))


def _model_at(key: KeyPath) -> type[BaseModel]:
    """The model at a key path, or at the part of it that is known."""
    model: type[BaseModel] = Config
    for name in key:
        field = model.model_fields.get(str(name))
        model = (_model_within(field.annotation) if field else None) or model
    return model


def _model_within(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next(filter(None, map(_model_within, get_args(annotation))), None)


def _roles(config: Config) -> Iterator[tuple[str, RoleConfig]]:
    for name in type(config.agents).model_fields:
        role = getattr(config.agents, name)
        if isinstance(role, RoleConfig):
            yield name, role


def _check_model_names(loaded: LoadedConfig) -> None:
    models = loaded.config.models
    for name, role in _roles(loaded.config):
        if role.model not in models:
            raise ConfigError(
                f"no model {role.model!r} in models",
                where=loaded.where(("agents", name, "model")),
                remedy=did_you_mean(role.model, models) if models else "Define it under models.",
            )


def _variables(name: str, model: ModelConfig) -> Iterator[tuple[KeyPath, str]]:
    if model.api_key_env is not None:
        yield ("models", name, "api_key_env"), model.api_key_env
    for header, variable in sorted(model.headers_env.items()):
        yield ("models", name, "headers_env", header), variable


def _check_variable_names(loaded: LoadedConfig) -> None:
    for name, model in loaded.config.models.items():
        for key, variable in _variables(name, model):
            if not _VARIABLE.match(variable):
                raise ConfigError(
                    "this is not the name of an environment variable",
                    where=loaded.where(key),
                    remedy="A key does not belong in a config; export it and give the variable's name here.",
                )


def _unholdable(data: Any, key: KeyPath = ()) -> Iterator[KeyPath]:
    """Key paths at which a text holds a NUL or a lone surrogate."""
    if isinstance(data, str) and _UNHOLDABLE.search(data):
        yield key
    elif isinstance(data, dict):
        for name, value in data.items():
            yield from _unholdable(str(name), key)
            yield from _unholdable(value, (*key, str(name)))
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from _unholdable(value, (*key, index))


def _literal_secrets(models: Any, key: KeyPath = ()) -> Iterator[KeyPath]:
    """Key paths under `models` that hold a literal key."""
    if isinstance(models, dict):
        for name, value in models.items():
            below: KeyPath = (*key, str(name))
            if len(below) > 1 and "headers_env" not in key and str(name).lower().replace("-", "_") in _LITERAL_SECRETS:
                yield below
            yield from _literal_secrets(value, below)
    elif isinstance(models, list):
        for index, value in enumerate(models):
            yield from _literal_secrets(value, (*key, index))
