"""Commands about prompts: `prompts list`, `show`, `diff`, `new`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from runs.cli.options import Debug, Json, errors_as_lines
from runs.terminal import say, write_json, write_out
from state.errors import ConfigError

Folder = Annotated[
    str | None,
    typer.Option("--folder", metavar="DIR", help="A folder of prompts. Default: the package's.", show_default=False),
]
RoleName = Annotated[str, typer.Argument(metavar="ROLE", help="A role that `chronoqg prompts list` names.", show_default=False)]


def list_prompts(folder: Folder = None, as_json: Json = False, debug: Debug = False) -> None:
    """List the prompts by role and version: hash, bytes, rough tokens, purpose.

    The tokens are those of the text alone, without data, with a usual tokenizer. The appeal uses the verifier's
    prompts. A file that no run could use is listed with what is wrong, and the exit code is 1.

    \b
    Example:
        chronoqg prompts list
        chronoqg prompts list --folder my_prompts --json
    """
    with errors_as_lines(debug):
        from runs.prompt_files import list_files

        found = list_files(_path(folder))
        if as_json:
            write_json(found.as_json())
        else:
            write_out(found.lines())
            for line in found.notes():
                say(line)
        raise typer.Exit(found.exit_code)


def show_prompt(
    role: RoleName,
    version: Annotated[str, typer.Argument(metavar="VERSION", help="Such as v1.", show_default=False)],
    rendered: Annotated[bool, typer.Option("--rendered", help="Fill in an invented example, as the role would be sent it.")] = False,
    folder: Folder = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Print a prompt file as it is, or the messages it makes.

    \b
    Example:
        chronoqg prompts show verifier v1
        chronoqg prompts show verifier v1 --rendered
        chronoqg prompts show verifier v1 --json
    """
    with errors_as_lines(debug):
        from runs.prompt_files import find_file

        file = find_file(_path(folder), role, version)
        if as_json:
            write_json(file.as_json(rendered=rendered))
        else:
            write_out(file.rendered_lines() if rendered else file.lines())


def diff_prompts(
    role: RoleName,
    a: Annotated[str, typer.Argument(metavar="A", help="A version; with --run, the run's own copy of it.", show_default=False)],
    b: Annotated[
        str | None, typer.Argument(metavar="B", help="A version of the folder. With --run, A if left out.", show_default=False)
    ] = None,
    run: Annotated[
        str | None, typer.Option("--run", metavar="RUN", help="Take A from what this run, or fork RUN@NAME, keeps.", show_default=False)
    ] = None,
    folder: Folder = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Print what differs between two versions of a role's prompt, as a unified diff.

    The exit code is 0 whether they differ or not; two that are the same print nothing but a line on stderr.

    \b
    Example:
        chronoqg prompts diff verifier v1 v2
        chronoqg prompts diff verifier v1 --run runs/output/mine
        chronoqg prompts diff verifier v1 v2 --folder my_prompts --json
    """
    with errors_as_lines(debug):
        from runs.prompt_files import FileDifference, file_of_run, find_file

        if b is None and run is None:
            raise ConfigError("name a second version", where="B", remedy="Or compare with a run's own copy: --run RUN.")
        first = find_file(_path(folder), role, a) if run is None else file_of_run(run, role, a)
        found = FileDifference(first, find_file(_path(folder), role, a if b is None else b))
        if as_json:
            write_json(found.as_json())
        else:
            write_out(found.lines())
        if found.is_same:
            say("no difference")


def new_prompt(
    role: RoleName,
    version: Annotated[str, typer.Argument(metavar="VERSION", help="What to call the new one, such as v2.", show_default=False)],
    source: Annotated[str, typer.Option("--from", metavar="OTHER", help="The version to copy.", show_default=False)],
    folder: Folder = None,
    debug: Debug = False,
) -> None:
    """Copy a version of a role's prompt to a new one, to be edited.

    With --folder, the copy is made there; a folder that lacks roles, or is not there yet, first gets the package's
    prompts for them, since a run reads those of every role from one folder.

    \b
    Example:
        chronoqg prompts new verifier v2 --from v1
        chronoqg prompts new verifier v2 --from v1 --folder my_prompts
    """
    with errors_as_lines(debug):
        from runs.prompt_files import make_copy

        for line in make_copy(role, version, source, None if folder is None else Path(folder)).talk():
            say(line)


def _path(folder: str | None) -> Path:
    import prompts

    return prompts.FOLDER if folder is None else Path(folder)
