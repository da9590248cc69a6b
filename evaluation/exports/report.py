"""What an export holds: written beside it as `export.json`, and printed."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Literal

from evaluation.exports.source import Records
from runs.splits import PARTS, Overlap, Part, Shared, Split
from state.model_base import Contract
from state.vocabulary import ConstraintCount


class ExportFormat(StrEnum):
    """What a run can be written as."""

    HF = "hf"
    """Parquet with a dataset card, for the `datasets` library."""
    JSONL = "jsonl"
    """JSON Lines, each line as the run has it."""
    GRAPHML = "graphml"
    """Support subgraphs, a file each."""
    NODE_LINK = "node-link"
    """Support subgraphs as node-link JSON, a line each."""
    RELEASE = "chronoqg-release"
    """The schema of the released ChronoQG benchmark, without a split."""


class StratumSizes(Contract):
    """How the records of one stratum are split."""

    part: ConstraintCount
    """S or M."""
    families: str
    """Operator families, one a constraint, joined by ` + `."""
    hop_count: int
    """Number of structural facts."""
    sizes: dict[Part, int]
    """Records in each part of the split."""


class SplitReport(Contract):
    """Which records are train, dev and test, in numbers."""

    seed: int
    """The split's seed."""
    shares: tuple[int, int, int]
    """Shares asked for, of train, dev and test."""
    is_exact: bool
    """Whether they were dealt within each stratum; otherwise a record keeps its part while the benchmark grows."""
    sizes: dict[ConstraintCount, dict[Part, int]]
    """Records of S and M in each part of the split."""
    groups: int
    """Groups of records that stay together."""
    large_groups: dict[str, int]
    """Group -> records, of the groups that bend the shares."""
    strata: tuple[StratumSizes, ...]
    """The parts within each stratum."""
    overlaps: tuple[Overlap, ...]
    """What the parts have in common."""

    def shared(self, kind: Shared) -> int:
        """Values of a kind that two parts share, summed over the pairs of parts."""
        return sum(overlap.shared for overlap in self.overlaps if overlap.kind is kind)


class ExportReport(Contract):
    """What an export holds."""

    format: Literal[1] = 1
    """Format version."""
    export: ExportFormat
    """What it was written as."""
    dataset: str
    """Name of the benchmark."""
    records: Records
    """Which records of the run."""
    config_sha256: str
    """Of the run: which run it is an export of."""
    sizes: dict[ConstraintCount, int]
    """Records of S and M."""
    split: SplitReport | None
    """`None` where the format has no split."""
    warnings: tuple[str, ...]
    """What whoever publishes the export should mend first."""

    @property
    def count(self) -> int:
        """Number of records."""
        return sum(self.sizes.values())

    def lines(self) -> Iterator[str]:
        """The report for a person."""
        yield f"exported   {self.count} {self.records} records of {self.dataset} as {self.export}"
        yield f"parts      {', '.join(f'{kind} {count}' for kind, count in self.sizes.items())}"
        if self.split is None:
            return
        for part in PARTS:
            here = {kind: sizes[part] for kind, sizes in self.split.sizes.items()}
            yield f"{part:<10} {sum(here.values())} ({', '.join(f'{kind} {count}' for kind, count in here.items())})"
        how = "exact shares" if self.split.is_exact else "stable"
        yield f"split      seed {self.split.seed}, {how}, {self.split.groups} groups that stay together"
        for name, count in self.split.large_groups.items():
            yield f"           group {name} holds {count} records, all in one part"
        yield f"in common  {', '.join(f'{kind} {self.split.shared(kind)}' for kind in Shared)}"


def split_report(split: Split, overlaps: tuple[Overlap, ...]) -> SplitReport:
    """A split in numbers."""
    by_part = {kind: dict.fromkeys(PARTS, 0) for kind in ConstraintCount}
    for stratum, sizes in split.strata.items():
        for part, count in sizes.items():
            by_part[stratum.part][part] += count
    strata = tuple(
        StratumSizes(part=stratum.part, families=stratum.families, hop_count=stratum.hop_count, sizes=dict(sizes))
        for stratum, sizes in split.strata.items()
    )
    return SplitReport(
        seed=split.seed,
        shares=split.shares,
        is_exact=split.is_exact,
        sizes=by_part,
        groups=len(split.part_of_group),
        large_groups=split.large_groups,
        strata=strata,
        overlaps=overlaps,
    )
