"""Commands that measure a role: `study verifier` and `study rewriter`."""

from __future__ import annotations

from typing import Annotated

import typer

from runs.cli.options import ConfigFile, Debug, DryRun, Json, Overrides, RetryFailed, errors_as_lines, print_report, study_directory
from runs.terminal import progress

StudyOut = Annotated[
    str | None,
    typer.Option("--out", metavar="DIR", help="The study's directory. Default: runs/output/NAME-verifier or NAME-rewriter."),
]


def verifier(
    config: ConfigFile,
    overrides: Overrides = None,
    out: StudyOut = None,
    retry_failed: RetryFailed = False,
    dry_run: DryRun = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Measure how often verifiers pass sound questions, and how often they notice damaged ones.

    The section `study` of CONFIG names models, prompts and modes; without it the config's own verifier is
    measured in the modes single and all, on 500 questions. The same command goes on where it was stopped, and
    after a prompt was edited it asks only what that changes. Exit code 1 while items got no usable reply.

    \b
    Example:
        chronoqg study verifier runs/quickstart.yaml --set study.size=100
        chronoqg study verifier runs/table2.yaml --set graph.path=my_graph --dry-run
        chronoqg study verifier my.yaml --set study.run=runs/output/mine --set 'study.verifier.modes=[all, all+roundtrip]'
    """
    with errors_as_lines(debug, continues=not dry_run):
        from evaluation.verifier.study import estimate_verifier_study, study_verifier
        from runs.config_file import load_config

        loaded, path = load_config(config, overrides or ()), study_directory(out, config, "verifier")
        with progress() as advance:
            if dry_run:
                print_report(estimate_verifier_study(path, loaded, advance), as_json)
                return
            report = study_verifier(path, loaded, retry_failed=retry_failed, advance=advance)
        print_report(report, as_json)
        raise typer.Exit(1 if report.failed else 0)


def rewriter(
    config: ConfigFile,
    overrides: Overrides = None,
    out: StudyOut = None,
    retry_failed: RetryFailed = False,
    dry_run: DryRun = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Measure what rewriters make of the same traces: pass rate, retries, length, names kept, cost.

    The section `study.rewriter` of CONFIG names models and prompts; the other roles are those of `agents`.
    The same command goes on where it was stopped. Exit code 1 while instances are failed.

    \b
    Example:
        chronoqg study rewriter runs/quickstart.yaml --set study.size=100
        chronoqg study rewriter my.yaml --set 'study.rewriter.prompts=[v1, v2]' --dry-run
    """
    with errors_as_lines(debug, continues=not dry_run):
        from evaluation.rewriter.study import estimate_rewriter_study, study_rewriter
        from runs.config_file import load_config

        loaded, path = load_config(config, overrides or ()), study_directory(out, config, "rewriter")
        with progress() as advance:
            if dry_run:
                print_report(estimate_rewriter_study(path, loaded, advance), as_json)
                return
            report = study_rewriter(path, loaded, retry_failed=retry_failed, advance=advance)
        print_report(report, as_json)
        raise typer.Exit(1 if report.failed else 0)
