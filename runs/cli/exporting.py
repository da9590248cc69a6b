"""The command that writes a run in the format of another tool: `export`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from runs.cli.options import Debug, Json, RunPath, errors_as_lines
from runs.terminal import progress, say, write_json, write_out


class _Format(StrEnum):
    HF = "hf"
    JSONL = "jsonl"
    GRAPHML = "graphml"
    NODE_LINK = "node-link"
    RELEASE = "chronoqg-release"


class _Records(StrEnum):
    ACCEPTED = "accepted"
    SAMPLED = "sampled"


def export(
    run: RunPath,
    form: Annotated[
        _Format,
        typer.Option(
            "--format",
            help="hf: Parquet with a dataset card. jsonl: the run's own lines. graphml, node-link: support subgraphs. "
            "chronoqg-release: the released schema, without a split.",
            show_default=False,
        ),
    ],
    out: Annotated[
        str | None,
        typer.Option("--out", metavar="DIR", help="The folder to make. Default: RUN/export/FORMAT.", show_default=False),
    ] = None,
    split_seed: Annotated[
        int | None, typer.Option("--split-seed", metavar="N", help="Seed of train, dev and test. Default: 0.", show_default=False)
    ] = None,
    exact_shares: Annotated[
        bool, typer.Option("--exact-shares", help="Deal 80:10:10 within each stratum; a record's part then changes as the run grows.")
    ] = False,
    part: Annotated[_Records, typer.Option("--part", help="Accepted questions, or all sampled traces without questions.")] = (
        _Records.ACCEPTED
    ),
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Write a run's benchmark for other tools, split into train, dev and test.

    Records with the same support facts, question or query stay on one side; the report counts what the parts
    still have in common. A record keeps its part while the run grows, unless shares are to be exact. The folder
    appears whole or not at all, and replaces only an earlier export of the run.

    \b
    Example:
        chronoqg export runs/output/quickstart --format hf
        chronoqg export runs/output/quickstart --format jsonl --split-seed 7 --exact-shares --out splits
        chronoqg export runs/output/quickstart --format node-link --part sampled
    """
    with errors_as_lines(debug):
        from evaluation.exports.report import ExportFormat
        from evaluation.exports.source import Records
        from evaluation.exports.writing import export_run

        with progress() as advance:
            target, report = export_run(
                Path(run),
                ExportFormat(form.value),
                None if out is None else Path(out),
                records=Records(part.value),
                split_seed=split_seed,
                exact_shares=exact_shares,
                advance=advance,
            )
        if as_json:
            write_json(report.model_dump_json().encode() + b"\n")
        else:
            write_out(report.lines())
        for warning in report.warnings:
            say(f"warning: {warning}")
        say(f"wrote {target}")
        if form is _Format.HF:
            say(f'next: python -c "import datasets; print(datasets.load_dataset({str(target)!r}))"')
