"""Folders of prompts, for people who tune them: what is there, what a model would be sent, what changed, a copy to edit.

A role is a folder `<role>/` that holds `<version>.md` files. What is typed is only ever looked up among
those, so that no argument names a file elsewhere.
"""

from __future__ import annotations

import contextlib
import difflib
import hashlib
import io
import json
import os
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

import prompts
from agents.prompt_renderer import PROMPT_FOLDERS, response_schema
from agents.tables.prompt_variables import TABLE_PROMPT_FOLDERS
from agents.usual_tokens import fewest_tokens, most_tokens
from runs.json_lines import write_whole
from runs.prompt_examples import example_messages
from runs.terminal import shown
from state.config import RoleConfig
from state.errors import ChronoQGError, ConfigError, RunFolderError, did_you_mean
from state.model_base import FORMAT_VERSION
from state.vocabulary import Role


@dataclass(frozen=True)
class PromptFile:
    """One file of a folder of prompts, sound or not."""

    role: str
    version: str
    path: Path
    content: bytes
    fault: str | None = None
    """Why the file cannot be read; it has no content then."""

    @property
    def sha256(self) -> str:
        """Hash of the bytes, as trajectories note it."""
        return hashlib.sha256(self.content).hexdigest()

    @cached_property
    def prompt(self) -> prompts.Prompt:
        """The prompt that the file holds.

        Raises:
            ConfigError: it holds none, or cannot be read.
        """
        if self.fault is not None:
            raise ConfigError(self.fault, where=str(self.path))
        return prompts.parse(self.role, self.version, self.content, str(self.path))

    @cached_property
    def problem(self) -> str | None:
        """Why no run could use the file, in one line; `None` if one could."""
        try:
            _check_name(self.version)
            self._check_response()
            self.messages()
        except ConfigError as err:
            return f"{err.what.rstrip('.')}. {err.remedy}".strip()
        return None

    def _check_response(self) -> None:
        for role in _players(self.role):
            expected = response_schema(role)["json_schema"]["name"]
            if self.prompt.response != expected:
                raise ConfigError(f"the response is {self.prompt.response!r}", remedy=f"This role replies {expected!r}.")

    def messages(self) -> tuple[dict[str, str], ...]:
        """The system and the user message that the role would be sent, of an invented example.

        Raises:
            ConfigError: it is no prompt, or its variables are not its role's.
        """
        return example_messages(self.prompt)

    def lines(self) -> list[str]:
        """The file as it is, line by line; bytes that are not UTF-8 as escapes."""
        return [line.removesuffix("\n") for line in _split(self.content)]

    def rendered_lines(self) -> list[str]:
        """The messages for a person.

        Raises:
            ConfigError: as `messages`.
        """
        return [line for message in self.messages() for line in (f"[{message['role']}]", *message["content"].split("\n"), "")][:-1]

    def tokens(self) -> dict[str, int]:
        """A rough figure for both texts, data not counted: fewest and most tokens with a usual tokenizer."""
        size = len((self.prompt.system + self.prompt.user).encode())
        return {"least": fewest_tokens(size), "most": most_tokens(size)}

    def fields(self) -> dict[str, Any]:
        """What `list` says of a sound file, for a machine."""
        prompt = self.prompt
        head = {"purpose": prompt.purpose, "variables": prompt.variables, "response": prompt.response}
        return {**self.about(), "tokens": self.tokens(), **head}

    def about(self) -> dict[str, Any]:
        """What is known of any file."""
        used_by = [role.value for role in _players(self.role)]
        size = {"sha256": None, "bytes": None} if self.fault else {"sha256": self.sha256, "bytes": len(self.content)}
        return {"role": self.role, "version": self.version, "path": str(self.path), "used_by": used_by, **size}

    def as_json(self, *, rendered: bool) -> bytes:
        """The prompt's fields for a machine, and its messages if they are asked for.

        Raises:
            ConfigError: it is no prompt, or, if rendered, its variables are not its role's.
        """
        texts = {"system": self.prompt.system, "user": self.prompt.user}
        messages = {"messages": self.messages()} if rendered else {}
        return _json({"format": FORMAT_VERSION, **self.fields(), **texts, **messages})


@dataclass(frozen=True)
class PromptList:
    """What a folder holds."""

    folder: Path
    files: tuple[PromptFile, ...]
    missing: tuple[str, ...]
    """Roles without a file; a run by a language model needs one for each."""

    @property
    def exit_code(self) -> int:
        """1 if a file could not be used."""
        return int(any(file.problem for file in self.files))

    def lines(self) -> list[str]:
        """A table for a person."""
        rows = [("role", "version", "sha256", "bytes", "tokens", "purpose"), *map(self._row, self.files)]
        cells = [[shown(cell) for cell in row] for row in rows]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]

    def _row(self, file: PromptFile) -> tuple[str, ...]:
        about = file.role, file.version, *(("-", "-") if file.fault else (file.sha256[:12], str(len(file.content))))
        if problem := file.problem:
            return (*about, "-", f"error: {problem}")
        return (*about, "{least} to {most}".format(**file.tokens()), " ".join(file.prompt.purpose.split()))

    def notes(self) -> list[str]:
        """What a reader of the table should know."""
        shared = [f"{role.value} uses the prompts of {folder}" for role, folder in PROMPT_FOLDERS.items() if role.value != folder]
        if self.missing:
            shared.append(f"no prompt here for {', '.join(self.missing)}; `chronoqg prompts new` copies the package's")
        return shared

    def as_json(self) -> bytes:
        """The list for a machine."""
        rows = [{**(file.about() if file.problem else file.fields()), "error": file.problem} for file in self.files]
        return _json({"format": FORMAT_VERSION, "folder": str(self.folder), "missing": self.missing, "prompts": rows})


def list_files(folder: Path) -> PromptList:
    """All prompt files of a folder, by role and version; a broken one is among them.

    Raises:
        ConfigError: there is no such folder, or it holds no prompt.
    """
    found = _some_roles_in(folder)
    files = [_read(folder, role, version) for role in found for version in versions_in(folder, role)]
    return PromptList(folder, tuple(files), tuple(sorted(set(PROMPT_FOLDERS.values()) - set(found))))


def roles_in(folder: Path) -> list[str]:
    """The roles that have a prompt in a folder, sorted; empty if there is no such folder."""
    if not folder.is_dir():
        return []
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith(".") and versions_in(folder, path.name))


def versions_in(folder: Path, role: str) -> list[str]:
    """The versions of a role, sorted with `v2` before `v10`; hidden files are none."""
    return sorted((path.stem for path in (folder / role).glob("*.md") if not path.name.startswith(".")), key=_natural)


def find_file(folder: Path, role: str, version: str) -> PromptFile:
    """One file of a folder, broken or not.

    Raises:
        ConfigError: there is no such folder, role or version, or the file cannot be read.
    """
    _check_role(role, _some_roles_in(folder))
    versions = versions_in(folder, role)
    if version not in versions:
        raise ConfigError(f"there is no version {version!r} of {role}", where=str(folder / role), remedy=did_you_mean(version, versions))
    file = _read(folder, role, version)
    if file.fault is not None:
        raise ConfigError(file.fault, where=str(file.path))
    return file


def file_of_run(run: str, role: str, version: str) -> PromptFile:
    """The copy of a prompt that a run, or the fork that `RUN@FORK` names, keeps.

    Raises:
        RunFolderError: there is no such run, it did not use this prompt, or its copy is not the one that it began with.
    """
    from runs.forks import open_run  # its libraries take a second or two to load, and other commands need none

    reader = open_run(run)
    kept, name = reader.manifest.prompts or {}, f"{role}/{version}"
    if not kept:
        raise RunFolderError("the run keeps no prompts", where=run, remedy="No language model plays a role in it, or it has not begun.")
    if name not in kept:
        raise RunFolderError(f"the run did not use {name!r}", where=run, remedy=did_you_mean(name, kept))
    reader.check_prompts()
    return _read(reader.prompts_path, role, version)


@dataclass(frozen=True)
class FileDifference:
    """Two prompt files side by side."""

    a: PromptFile
    b: PromptFile

    @property
    def is_same(self) -> bool:
        """Whether both hold the same bytes."""
        return self.a.content == self.b.content

    def lines(self) -> list[str]:
        """The unified diff of their texts; empty if they are the same."""
        made = difflib.unified_diff(_split(self.a.content), _split(self.b.content), str(self.a.path), str(self.b.path))
        return [told for line in made for told in _without_newline(line)]

    def as_json(self) -> bytes:
        """The difference for a machine."""
        data = {"format": FORMAT_VERSION, "same": self.is_same, "a": self.a.about(), "b": self.b.about(), "diff": self.lines()}
        return _json(data)


@dataclass(frozen=True)
class NewPrompt:
    """A prompt file that was made, to be edited."""

    file: PromptFile
    source: str
    """The version that it is a copy of."""
    folder: Path | None
    """The folder that the user named; `None` for the package's."""
    copied: tuple[str, ...]
    """Roles whose prompts were copied into the folder from the package."""

    def talk(self) -> list[str]:
        """What was written and what comes next."""
        role, version = self.file.role, self.file.version
        lines = [f"copied the package's prompts of {', '.join(self.copied)}: a folder holds those of every role"] if self.copied else []
        lines.append(f"wrote {self.file.path}, a copy of {self.source}")
        place = "" if self.folder is None else f" --folder {shlex.quote(str(self.folder))}"
        lines.append(f"next: edit it, then chronoqg prompts diff {shlex.quote(role)} {shlex.quote(self.source)} {version}{place}")
        if players := _players(role):
            path = "" if self.folder is None else f" {setting('prompts.path', str(self.folder))}"
            lines.append(f"to use it: {setting(f'agents.{players[0].value}.prompt', version)}{path}")
        return lines


def make_copy(role: str, version: str, source: str, folder: Path | None = None) -> NewPrompt:
    """Copies a version of a role to a new one; into a folder of the user's own, the package's prompts of the roles it lacks too.

    Raises:
        ConfigError: the name cannot be a version, the role or the source is not there or is no prompt, the
            file exists, or the folder cannot be written. Nothing is written then.
    """
    _check_name(version)
    target = folder or prompts.FOLDER
    present, packaged = roles_in(target), roles_in(prompts.FOLDER)
    _check_role(role, sorted({*present, *packaged}))
    copied = tuple(name for name in packaged if name not in present)
    origin = find_file(prompts.FOLDER if role in copied else target, role, source)
    _ = origin.prompt  # a copy of what is no prompt would be none
    files = {
        target / name / f"{kept}.md": find_file(prompts.FOLDER, name, kept).content
        for name in copied
        for kept in versions_in(prompts.FOLDER, name)
    }
    path = target / role / f"{version}.md"
    if path in files or os.path.lexists(path):
        raise ConfigError("this version exists", where=str(path), remedy="Edit it, or give the new one another name.")
    _write_all({**files, path: origin.content}, folder)
    return NewPrompt(PromptFile(role, version, path, origin.content), source, folder, copied)


def setting(key: str, value: str) -> str:
    """The `--set` that gives a config key a text, quoted where YAML or a shell would read something else."""
    try:
        is_plain = yaml.safe_load(value) == value
    except (yaml.YAMLError, ValueError):
        is_plain = False
    return f"--set {shlex.quote(f'{key}={value if is_plain else json.dumps(value, ensure_ascii=False)}')}"


def _players(name: str) -> list[Role]:
    """Which roles are given the prompts of a folder, those of graphs or of tables, the one that it is called after first."""
    return [role for folders in (PROMPT_FOLDERS, TABLE_PROMPT_FOLDERS) for role, folder in folders.items() if folder == name]


def _some_roles_in(folder: Path) -> list[str]:
    if found := roles_in(folder):
        return found
    what = "the folder holds no prompts" if folder.is_dir() else "there is no such folder"
    raise ConfigError(what, where=str(folder), remedy="`chronoqg prompts new ROLE VERSION --from v1 --folder DIR` makes one.")


def _check_role(role: str, known: list[str]) -> None:
    if role in known:
        return
    for other, folder in PROMPT_FOLDERS.items():
        if other.value == role != folder:
            raise ConfigError(f"{role} has no prompts of its own", where="ROLE", remedy=f"It uses those of {folder}.")
    raise ConfigError(f"there is no role {role!r} with prompts", where="ROLE", remedy=did_you_mean(role, known))


def _check_name(version: str) -> None:
    try:
        RoleConfig(prompt=version)
    except ValidationError as err:
        remedy = "Use letters, digits, '_', '.' and '-', a letter or digit first, 100 at most."
        raise ConfigError(f"a version cannot be called {version!r}", where="VERSION", remedy=remedy) from err
    if version.endswith(".md"):
        raise ConfigError(f"a version cannot be called {version!r}", where="VERSION", remedy="Leave out the .md.")


def _read(folder: Path, role: str, version: str) -> PromptFile:
    path = folder / role / f"{version}.md"
    try:
        if path.exists() and not path.is_file():
            return PromptFile(role, version, path, b"", "not a file")
        return PromptFile(role, version, path, path.read_bytes())
    except OSError as err:
        return PromptFile(role, version, path, b"", f"cannot be read: {err.strerror}")


def _write_all(files: Mapping[Path, bytes], folder: Path | None) -> None:
    """Writes all files, or none: what was made is removed where one cannot be written."""
    made = sorted({place for path in files for place in path.parents if not place.exists()}, key=lambda place: -len(place.parts))
    written: list[Path] = []
    try:
        for path, content in files.items():
            write_whole(path, [content])
            written.append(path)
    except BaseException as err:
        for remove in (*(path.unlink for path in written), *(place.rmdir for place in made)):
            with contextlib.suppress(OSError):
                remove()
        if not isinstance(err, ChronoQGError):
            raise
        remedy = "Name a folder of your own with --folder DIR." if folder is None else "Name another --folder."
        raise ConfigError(err.what, where=err.where, remedy=remedy) from err


def _split(content: bytes) -> list[str]:
    """The lines with their newlines; only a newline ends one."""
    return list(io.StringIO(content.decode("utf-8", "surrogateescape"), newline="\n"))


def _json(data: dict[str, Any]) -> bytes:
    """All in ASCII: a path or a file may hold bytes that are no text, and what would steer a terminal."""
    return json.dumps(data, indent=2).encode() + b"\n"


def _without_newline(line: str) -> Iterator[str]:
    yield line.removesuffix("\n")
    if not line.endswith("\n"):
        yield "\\ No newline at end of file"


def _natural(name: str) -> list[str | int]:
    return [int(part) if place % 2 else part for place, part in enumerate(re.split("([0-9]+)", name))]
