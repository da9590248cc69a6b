"""Prompts: files `<role>/<version>.md` with a front matter; load, render, hash.

A prompt is a system text and a user text. Values stand only inside the user text's one delimited
block, each as JSON with the signs of markup and all invisible ones escaped, so that a label can neither
end the block nor speak outside it. A variable that is unknown or missing is an error.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from state.errors import ConfigError, did_you_mean

FOLDER = Path(__file__).parent
"""The prompts of the package."""

_FILE = re.compile(r"---\n(?P<head>.*?)\n---\n+# System\n(?P<system>.*?)\n# User\n(?P<user>.*)\Z", re.DOTALL)
_VARIABLE = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_BLOCK = re.compile(r"^<data>$(.*?)^</data>$", re.DOTALL | re.MULTILINE)
_MARKUP = r"<(?!-)|\[(?=/?(?:INST|THINK|ARGS|IMG|[A-Z]+_[A-Z0-9_]+)\])"
# Blocks spelt out, not categories, which grow with Python's version and would change a prompt's bytes.
_INVISIBLE = "[\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
_ESCAPED = re.compile(f"{_MARKUP}|{_INVISIBLE}")
_HEAD_KEYS = {"purpose", "variables", "response"}


class Rows(list[Any]):
    """A list of objects that remembers how `as_data` renders it; it is not to be changed after that."""

    text: str | None = None


@dataclass(frozen=True)
class Prompt:
    """One prompt file."""

    role: str
    version: str
    sha256: str
    """Hash of the file's bytes."""
    purpose: str
    variables: tuple[str, ...]
    response: str
    """Name of the response format: `question`, `answers`, `constraints` or `cause`."""
    system: str
    user: str


def load(role: str, version: str, folder: Path | None = None) -> Prompt:
    """Reads `<folder>/<role>/<version>.md`, by default from the package.

    Raises:
        ConfigError: there is no such file, or it is not a prompt.
    """
    path = (folder or FOLDER) / role / f"{version}.md"
    try:
        content = path.read_bytes()
    except OSError:
        versions = [other.stem for other in path.parent.glob("*.md")]
        remedy = did_you_mean(version, versions) if versions else "A folder of prompts needs a file for each role; copy the package's."
        raise ConfigError("there is no such prompt", where=str(path), remedy=remedy) from None
    return parse(role, version, content, str(path))


@lru_cache(maxsize=256)
def parse(role: str, version: str, content: bytes, where: str) -> Prompt:
    """A prompt from the bytes of its file.

    Raises:
        ConfigError: the bytes are not a prompt.
    """
    try:
        found = _FILE.match(content.decode("utf-8").replace("\r\n", "\n"))
        head = yaml.safe_load(found["head"]) if found else None
    except (ValueError, RecursionError, yaml.YAMLError):  # PyYAML lets through what an impossible date or deep nesting raises
        found, head = None, None
    if found is None or not isinstance(head, dict) or set(head) != _HEAD_KEYS or not isinstance(head["variables"], list):
        remedy = "Begin with a front matter of purpose, variables and response, then '# System', then '# User'."
        raise ConfigError("not a prompt file", where=where, remedy=remedy)
    user, variables = found["user"].strip(), tuple(str(name) for name in head["variables"])
    blocks = _BLOCK.findall(user)
    used = _VARIABLE.findall(found["system"] + user)
    within = _VARIABLE.findall(blocks[0]) if len(blocks) == 1 else []
    if used != within or sorted(used) != sorted(variables):
        remedy = f"Declared: {', '.join(variables)}; used inside the block: {', '.join(within) or 'none'}."
        raise ConfigError("each variable must stand once, inside one <data> block of the user text", where=where, remedy=remedy)
    return Prompt(
        role=role,
        version=version,
        sha256=hashlib.sha256(content).hexdigest(),
        purpose=str(head["purpose"]),
        variables=variables,
        response=str(head["response"]),
        system=found["system"].strip(),
        user=user,
    )


def render(prompt: Prompt, values: Mapping[str, Any]) -> tuple[dict[str, str], ...]:
    """The messages of a prompt with its variables filled in.

    Raises:
        ConfigError: a variable is unknown or missing.
    """
    where = f"prompt {prompt.role}/{prompt.version}"
    if unknown := sorted(set(prompt.variables) - values.keys()):
        raise ConfigError(f"unknown variable {unknown[0]!r}", where=where, remedy=did_you_mean(unknown[0], values))
    if missing := sorted(values.keys() - set(prompt.variables)):
        remedy = "A prompt must show its role everything it may see."
        raise ConfigError(f"the variable {missing[0]!r} is missing", where=where, remedy=remedy)
    user = _VARIABLE.sub(lambda match: as_data(values[match[1]]), prompt.user)
    return ({"role": "system", "content": prompt.system}, {"role": "user", "content": user})


_encode = json.JSONEncoder(ensure_ascii=False).encode


def as_data(value: Any) -> str:
    """A value as JSON on one line, a list of objects as one object a line.

    Escaped as `\\uXXXX`, so that the JSON still says the same: every `<` but that of an arrow, since it
    may begin a tag or a token of a model's chat format (`<|im_end|>`), the bracketed tokens of others
    (`[INST]`), and what cannot be seen or turns the reading direction. The joiners that some scripts
    are spelt with stay.
    """
    if isinstance(value, Rows):
        value.text = value.text or as_data(list(value))
        return value.text
    if isinstance(value, list | tuple) and value and all(isinstance(item, Mapping) for item in value):
        return _ESCAPED.sub(_escape, "[\n" + ",\n".join(f"  {_encode(item)}" for item in value) + "\n]")
    return _ESCAPED.sub(_escape, _encode(value))


def _escape(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
