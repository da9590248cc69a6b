"""The command that scores question generators: `evaluate`."""

from __future__ import annotations

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
from runs.terminal import progress

EvaluationOut = Annotated[
    str | None, typer.Option("--out", metavar="DIR", help="The evaluation's directory. Default: runs/output/NAME-evaluate.")
]
WithPath = Annotated[bool, typer.Option("--with-path", help="Give the reasoning path to every method; same as evaluate.with_path=true.")]
Limit = Annotated[
    int | None, typer.Option("--limit", metavar="N", min=1, help="Score at most N records of each dataset.", show_default=False)
]


def evaluate(
    config: ConfigFile,
    overrides: Overrides = None,
    out: EvaluationOut = None,
    with_path: WithPath = False,
    limit: Limit = None,
    retry_failed: RetryFailed = False,
    dry_run: DryRun = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Score question generators on finished builds: every method with every model, tables, figures and costs.

    The section `evaluate` of CONFIG names runs, methods, models and files of outside predictions; without runs
    the config's own build is scored. The test part of a seeded split is asked; demonstrations come from its
    training part. The same command goes on where it was stopped. Exit code 1 while questions got no usable reply.

    \b
    Example:
        chronoqg evaluate runs/quickstart.yaml
        chronoqg evaluate my.yaml --set 'evaluate.methods=[zero_shot, few_shot]' --set 'evaluate.models=[small, big]' --limit 50
        chronoqg evaluate my.yaml --set evaluate.predictions.mine=predictions.jsonl
    """
    with errors_as_lines(debug, continues=not dry_run):
        from evaluation.generators.estimate import EvaluationEstimate, estimate_evaluation
        from evaluation.generators.study import EvaluationReport
        from evaluation.generators.study import evaluate as run_evaluation
        from runs.config_file import load_config

        given = [*(overrides or ()), *(["evaluate.with_path=true"] if with_path else [])]
        loaded = load_config(config, [*given, *([] if limit is None else [f"evaluate.limit={limit}"])])
        path = study_directory(out, config, "evaluate")
        with progress() as advance:
            report: EvaluationReport | EvaluationEstimate
            if dry_run:
                report = estimate_evaluation(path, loaded, run_directory(None, config), advance)
            else:
                report = run_evaluation(path, loaded, run_directory(None, config), retry_failed=retry_failed, advance=advance)
        print_report(report, as_json)
        raise typer.Exit(1 if isinstance(report, EvaluationReport) and report.failed else 0)
