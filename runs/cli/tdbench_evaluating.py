"""The command that scores models on questions about temporal tables: `tdbench evaluate`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from runs.cli.options import (
    ConfigFile,
    Debug,
    DryRun,
    Json,
    Overrides,
    RetryFailed,
    errors_as_lines,
    print_report,
    run_directory,
    study_directory,
)
from runs.terminal import progress, write_json, write_out

EvaluationOut = Annotated[
    str | None, typer.Option("--out", metavar="DIR", help="The evaluation's directory. Default: runs/output/NAME-tdbench-evaluate.")
]
Questions = Annotated[
    str | None,
    typer.Option("--questions", metavar="FILE", help="Ask the questions of a file in place of those of a run.", show_default=False),
]
RepliesFiles = Annotated[
    list[str] | None,
    typer.Option("--replies", metavar="NAME=FILE", help="Score the replies of a file, as row NAME; repeatable.", show_default=False),
]
WithRows = Annotated[bool, typer.Option("--with-rows", help="Show rows of the table with each question; same as with_rows=true.")]
Replay = Annotated[
    bool, typer.Option("--replay", help="Render every recorded request again, without network, and compare it with the record.")
]
Limit = Annotated[int | None, typer.Option("--limit", metavar="N", min=1, help="Ask at most N questions.", show_default=False)]


def evaluate(
    config: ConfigFile,
    questions: Questions = None,
    replies: RepliesFiles = None,
    overrides: Overrides = None,
    out: EvaluationOut = None,
    with_rows: WithRows = False,
    limit: Limit = None,
    retry_failed: RetryFailed = False,
    dry_run: DryRun = False,
    replay: Replay = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Score language models on time-sensitive questions: the answer (A), its dates (T), both (AT), and the gap.

    The section `tdbench.evaluate` of CONFIG names models, judge and run; without a run the config's own build is
    asked. The same command goes on where it was stopped. Replies that you have already are scored with --replies,
    which asks nobody. Exit code 1 while questions got no usable reply.

    \b
    Example:
        chronoqg tdbench evaluate my.yaml --set 'tdbench.evaluate.models=[small, big]' --limit 100
        chronoqg tdbench evaluate my.yaml --questions dyknow.json --set 'tdbench.evaluate.models=[small]' --dry-run
        chronoqg tdbench evaluate my.yaml --questions questions.jsonl --replies mine=replies.jsonl
        chronoqg tdbench evaluate my.yaml --replay
    """
    with errors_as_lines(debug, continues=not dry_run):
        from evaluation.generators.estimate import EvaluationEstimate
        from evaluation.time_accuracy.estimate import estimate_tables
        from evaluation.time_accuracy.study import TimeAccuracyReport, evaluate_tables
        from runs.config_file import load_config

        path, own_run = study_directory(out, config, "tdbench-evaluate"), run_directory(None, config)
        if replay:
            _replay(path, as_json)
        given = list(overrides or ())
        if questions is not None:
            given.append(f"tdbench.evaluate.questions={json.dumps(questions)}")
        if with_rows:
            given.append("tdbench.evaluate.with_rows=true")
        if limit is not None:
            given.append(f"tdbench.evaluate.limit={limit}")
        loaded = load_config(config, given)
        if replies:
            named = {**loaded.config.tdbench.evaluate.replies, **_by_name(replies)}
            loaded = load_config(config, [*given, f"tdbench.evaluate.replies={json.dumps(named)}"])
        report: TimeAccuracyReport | EvaluationEstimate
        if dry_run:
            report = estimate_tables(path, loaded, own_run)
        else:
            with progress() as advance:
                report = evaluate_tables(path, loaded, own_run, retry_failed=retry_failed, advance=advance)
        print_report(report, as_json)
        raise typer.Exit(1 if isinstance(report, TimeAccuracyReport) and report.failed else 0)


def _replay(path: Path, as_json: bool) -> None:
    from evaluation.time_accuracy.replaying import replay_evaluation

    with progress() as advance:
        report = replay_evaluation(path, advance)
    if as_json:
        write_json(report.as_json())
    else:
        write_out(report.lines())
    raise typer.Exit(1 if report.differences else 0)


def _by_name(given: list[str]) -> dict[str, str]:
    from state.errors import ConfigError

    found: dict[str, str] = {}
    for text in given:
        name, equals, file = text.partition("=")
        if not (equals and name.strip() and file):
            raise ConfigError(f"{text!r} is not of the form NAME=FILE", where="--replies", remedy="Write --replies mine=replies.jsonl.")
        if name in found:
            raise ConfigError(f"the row {name!r} is there twice", where="--replies", remedy="Give each file another name.")
        found[name] = file
    return found
