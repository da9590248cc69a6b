"""`chronoqg export`: the records of a run, split and written in the format of another tool."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from evaluation.exports.folder import NOTE, export_folder
from evaluation.exports.forms import CARD, FORMS, Row
from evaluation.exports.report import ExportFormat, ExportReport, split_report
from evaluation.exports.source import ExportSource, Records
from runs.json_lines import pretty_json
from runs.splits import OverlapReport, split_with_overlaps
from runs.terminal import Advance
from state.config import AgentsConfig, Config, RoleConfig
from state.errors import ConfigError
from state.instance import Backend
from state.vocabulary import ConstraintCount


def export_run(
    run: Path,
    form: ExportFormat,
    out: Path | None = None,
    *,
    records: Records = Records.ACCEPTED,
    split_seed: int | None = None,
    exact_shares: bool = False,
    advance: Advance = lambda what, done, total: None,
) -> tuple[Path, ExportReport]:
    """Writes a run's records as other tools want them; the same run and seed give the same bytes.

    Cost: two readings of the records, one at a time.

    Args:
        run: the run directory.
        form: the format.
        out: the folder to make; `None` for `export/<format>` in the run directory.
        records: which of the run's records.
        split_seed: seed of the split; `None` for 0.
        exact_shares: whether the split deals the shares within each stratum, see `runs.splits`.
        advance: told how far the work has come.

    Returns:
        The folder and what it holds.

    Raises:
        RunFolderError: the run has no such records, a file is damaged, or the folder holds something else.
        ConfigError: the format has no split to seed or no place for records without a question, or the seed is too large.
    """
    how = FORMS[form]
    for option, given in (("--split-seed", split_seed is not None), ("--exact-shares", exact_shares)):
        if given and not how.has_split:
            raise ConfigError(f"{form} has no split", where=option, remedy="Leave it out.")
    if split_seed is not None and abs(split_seed) >= 1 << 63:
        raise ConfigError("the seed is too large to be written down", where="--split-seed", remedy="Take one of less than 64 bits.")
    if records is Records.SAMPLED and form is ExportFormat.RELEASE:
        raise ConfigError(f"{form} has no place for records without a final question", where="--part", remedy="Leave it out.")
    source = ExportSource(run, records)
    name = form.value if records is Records.ACCEPTED else f"{form}-{records}"
    target = out if out is not None else run / "export" / name
    manifest = source.reader.manifest
    with export_folder(target, manifest.config_sha256, how.own) as folder:
        made, shared = None, OverlapReport(overlaps=())
        if how.has_split:
            made, shared = split_with_overlaps((row.record for row in source), split_seed or 0, exact=exact_shares)
        counted, backends = Counter[ConstraintCount](), set[Backend]()

        def rows() -> Iterator[Row]:
            for number, (record, line) in enumerate(source, start=1):
                counted[record.constraint_part] += 1
                backends.update(filter(None, (record.backend,)))
                yield Row(record, line, "train" if made is None else made.part_of(record.id))
                advance("records written", number, source.count)

        how.write(folder, rows())
        report = ExportReport(
            export=form,
            dataset=manifest.dataset,
            records=records,
            config_sha256=manifest.config_sha256,
            sizes={kind: counted[kind] for kind in ConstraintCount},
            split=None if made is None else split_report(made, shared.overlaps),
            warnings=(),
        )
        if form is ExportFormat.HF:
            from evaluation.exports.dataset_card import dataset_card, missing_terms

            report = report.model_copy(update={"warnings": tuple(missing_terms(manifest))})
            by_name = sorted(backends, key=lambda backend: (backend.rewriter, backend.verifier))
            card = dataset_card(report, manifest, by_name, _other_roles(source.reader.config().config))
            (folder / CARD).write_bytes(card)
        (folder / NOTE).write_bytes(pretty_json(report.model_dump(mode="json")))
    return target, report


def _other_roles(config: Config) -> dict[str, str]:
    """Role -> model, of the roles beside rewriter and verifier."""
    found = {}
    for name in AgentsConfig.model_fields:
        role = getattr(config.agents, name)
        if isinstance(role, RoleConfig) and name not in ("rewriter", "verifier"):
            model = config.models[role.model]
            found[name.replace("_", " ")] = model.model or model.provider
    return found
