"""Methods by name: a file's stem under `baselines/methods/`, or the path of a file of the user's own."""

from __future__ import annotations

import ast
import hashlib
import importlib
import importlib.util
import pkgutil
import sys
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass, replace
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, NamedTuple

import baselines
from baselines import methods
from baselines.method import Method, Reference
from state.errors import ConfigError, did_you_mean


class Found(NamedTuple):
    """A method and the file that it stands in."""

    method: Method | Reference
    """With the options of the config."""
    sha256: str
    """SHA-256 of the file and of all in `baselines` that it imports."""


def method_names() -> list[str]:
    """The methods that the package brings, sorted."""
    return sorted(module.name for module in pkgutil.iter_modules(methods.__path__))


def find_method(name: str, options: Mapping[str, Any] | None = None) -> Found:
    """A method by its name or file.

    Args:
        name: a file stem under `baselines/methods/`, or a path that ends in `.py`.
        options: values for the method's fields.

    Raises:
        ConfigError: there is none, its file cannot be run or defines no `METHOD`, or it has no such option.
    """
    module = _module(name)
    method, path = getattr(module, "METHOD", None), Path(str(module.__file__))
    if not isinstance(method, Method | Reference) or not is_dataclass(method):
        remedy = "Define METHOD, an instance of a frozen dataclass that derives from baselines.method.Method."
        raise ConfigError("the file defines no method", where=str(path), remedy=remedy)
    if not all(isinstance(getattr(method, key, None), str) for key in ("key", "label")):
        raise ConfigError("METHOD needs a key and a label", where=str(path))
    if not (method.key.strip() and method.label.strip()):
        raise ConfigError("key and label of METHOD must not be blank", where=str(path))
    configured = _with_options(method, name, options or {})
    if isinstance(configured, Method):
        _check_calls(configured, path)
    return Found(configured, _sha256(path))


def _check_calls(method: Method, path: Path) -> None:
    try:
        least, most = method.calls
        fits = type(least) is type(most) is int and 0 <= least <= most
    except (TypeError, ValueError):
        fits = False
    if not fits:
        remedy = "Return two whole numbers: the least and the most calls for one question."
        raise ConfigError("METHOD.calls is no range of calls", where=str(path), remedy=remedy)


def _stem(name: str) -> str:
    return Path(name).stem if name.endswith(".py") else name


class _FreshSource(SourceFileLoader):
    """Compiles a user's file each time: bytecode kept beside it would be taken for a file edited within the same second."""

    def get_code(self, fullname: str) -> CodeType:
        """The code of the file as it is now."""
        return self.source_to_code(self.get_data(self.path), self.path)


def _module(name: str) -> ModuleType:
    if not name.endswith(".py"):
        if name not in method_names():
            remedy = f"{did_you_mean(name, method_names())} A file of your own is named by its path, ending in .py."
            raise ConfigError(f"no method {name!r}", where="evaluate.methods", remedy=remedy)
        return importlib.import_module(f"{methods.__name__}.{name}")
    path = Path(name)
    if not path.is_file():
        raise ConfigError("there is no such file", where=f"evaluate.methods: {name}")
    called = f"chronoqg_method_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:12]}"
    loader = _FreshSource(called, str(path))
    spec = importlib.util.spec_from_file_location(called, path, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module  # dataclasses look their own module up
    try:
        loader.exec_module(module)
    except (Exception, SystemExit) as err:
        raise ConfigError(f"the file cannot be run: {type(err).__name__}: {err}", where=name) from err
    return module


def _sha256(path: Path) -> str:
    """Hash of a file and of our own files that it imports, directly or not: prompts may stand in any of them."""
    files, left = {path.name: path.read_bytes()}, [path]
    while left:
        for name in _imported(left.pop()):
            file = Path(baselines.__file__).parent.joinpath(*name.split(".")[1:]).with_suffix(".py")
            if name not in files and file.is_file():
                files[name] = file.read_bytes()
                left.append(file)
    digest = hashlib.sha256()
    for name, content in sorted(files.items()):
        digest.update(f"{name} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def _imported(file: Path) -> set[str]:
    """Names of the modules of `baselines` that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "baselines":
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name.split(".")[0] == "baselines"}
    return found


def _with_options(method: Any, name: str, options: Mapping[str, Any]) -> Method | Reference:
    known = {field.name: field for field in fields(method) if field.init}
    for key, value in options.items():
        where = f"evaluate.options.{_stem(name)}.{key}"
        if key not in known:
            remedy = did_you_mean(key, known) if known else "It has no options."
            raise ConfigError(f"the method has no option {key!r}", where=where, remedy=remedy)
        default = known[key].default
        kind = type(default)
        fits = type(value) is kind or (kind is float and type(value) is int) or default is None or default is MISSING
        if not fits:
            raise ConfigError(f"{value!r} is no {kind.__name__}", where=where, remedy=f"The default is {default!r}.")
    try:
        changed: Method | Reference = replace(method, **options)
    except ValueError as err:
        raise ConfigError(str(err), where=f"evaluate.options.{_stem(name)}") from err
    return changed
