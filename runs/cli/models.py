"""Commands about models: `models check`."""

from __future__ import annotations

import shlex

import typer

from runs.cli.options import ConfigFile, Debug, Json, Overrides, errors_as_lines
from runs.terminal import say, write_json, write_out


def check(config: ConfigFile, overrides: Overrides = None, as_json: Json = False, debug: Debug = False) -> None:
    """Ask every model that plays a role one small thing: key, name, parameters, schema, tokens, speed.

    Costs a few tokens a model and writes nothing. Exit code 1 if a model cannot be used as it is configured.

    \b
    Example:
        chronoqg models check runs/openai.yaml
        chronoqg models check runs/vllm.yaml --set models.local.model=MODEL --json
    """
    with errors_as_lines(debug):
        from runs.checking_models import check_models
        from runs.config_file import load_config

        report = check_models(load_config(config, overrides or ()), say)
        if as_json:
            write_json(report.as_json())
        else:
            write_out(report.lines())
        if report.exit_code:
            say("next: change the config or start the server, then the same command")
        else:
            # An override may hold an address with a password, so none is repeated.
            say("next: the same arguments with `chronoqg estimate`" if overrides else f"next: chronoqg estimate {shlex.quote(config)}")
        raise typer.Exit(report.exit_code)
