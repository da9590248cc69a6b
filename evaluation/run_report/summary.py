"""What a report of a run says in figures. Paper: Tables 3, 8 and 9, Figure 4."""

from __future__ import annotations

from typing import Literal

from evaluation.entity_preservation import EntityPreservation
from evaluation.length_reduction import LengthReduction
from runs.database import UsageRow
from state.coverage import CoverageReport
from state.model_base import Contract
from state.vocabulary import ConstraintCount, Family

Population = Literal["accepted", "sampled"]
"""The instances that the statistics of the benchmark are of: those accepted, or in a sample without agents all."""
StepKind = Literal["root", "structural_filter", "forward_transition", "pairwise", "ordinal"]
"""A kind of step; the temporal filters are told apart."""


class SplitStatistics(Contract):
    """A row of Table 3."""

    part: ConstraintCount
    """Which part of the benchmark."""
    n_questions: int
    """Its instances."""
    entities: int
    """Distinct entities over all support facts."""
    relations: int
    """Distinct relations over all support facts."""
    hop_sum: int
    """Hops of all instances."""
    mean_hops: float | None
    """Hops an instance; `None` if there is none."""
    constraint_sum: int
    """Temporal constraints of all instances, ordinals included."""
    mean_constraints: float | None
    """Temporal constraints an instance; `None` if there is none."""
    families: dict[Family, int]
    """Constraints of each family."""

    @property
    def n_pairwise_constraints(self) -> int:
        """Constraints that are not ordinals: what the paper's totals of its M parts seem to be."""
        return sum(count for family, count in self.families.items() if family is not Family.ORDINAL)


class Lengths(Contract):
    """How long questions are, in blank-separated words, counted in bins."""

    questions: int
    """Questions counted."""
    words: int
    """Their words."""
    mean: float | None
    """Words a question; `None` if there is none."""
    bins: tuple[int, ...]
    """Questions in each bin, the last one of those longer."""


class WordCounts(Contract):
    """Figure 4 of one part: template questions and final ones in the same bins."""

    part: ConstraintCount
    """Which part of the benchmark."""
    width: Literal[2] = 2
    """Words from one bin to the next."""
    edges: tuple[int, ...]
    """Where each bin begins; it ends before the next, and the last is open."""
    raw: Lengths
    """The template questions."""
    final: Lengths
    """The final questions; none in a sample."""


class Rewording(Contract):
    """A row of Table 8."""

    part: ConstraintCount | None
    """Which part of the benchmark; `None` for both."""
    length: LengthReduction
    """How much shorter questions got."""
    bleu: float | None
    """BLEU-4 of the final questions against the template questions, from 0 to 1; `None` if there is none."""
    bleu_signature: str
    """How it was made."""
    preservation: EntityPreservation
    """Which names were kept."""


class RootCandidates(Contract):
    """A cell of Table 9."""

    part: ConstraintCount
    """Which part of the benchmark."""
    hops: int
    """Hops of its instances."""
    instances: int
    """How many there are."""
    candidates: int
    """Sizes of their first candidate sets, summed up."""
    mean: float | None
    """Size of the first candidate set of an instance; `None` if there is none."""


class StepCandidates(Contract):
    """Candidates left after one kind of step."""

    part: ConstraintCount
    """Which part of the benchmark."""
    kind: StepKind
    """The kind."""
    steps: int
    """Steps of that kind."""
    candidates: int
    """Sizes of the candidate sets after them, summed up."""
    mean: float | None
    """Size of the candidate set after such a step; `None` if there is none."""


class FateCount(Contract):
    """Instances of one fate."""

    fate: str
    """The fate."""
    single: int
    """Of part S."""
    multi: int
    """Of part M."""

    @property
    def instances(self) -> int:
        """Of both."""
        return self.single + self.multi


class LostCount(Contract):
    """Instances that were not accepted, by where and why."""

    fate: str
    """Discarded, with the reason, or failed."""
    last_node: str
    """The node that was visited last; empty if none was."""
    cause: str
    """What the error analyst named last; empty if it was not asked."""
    instances: int
    """How many there are."""


class GroupFates(Contract):
    """What became of the instances with something in common."""

    name: str
    """What they have in common: a template or an operator."""
    instances: int
    """How many there are."""
    fates: dict[str, int]
    """Fate -> instances; fates of none are left out."""


class RunSummary(Contract):
    """Everything that the tables and figures of a run's report print."""

    format: Literal[1] = 1
    """Format version."""
    dataset: str
    """Name of the benchmark."""
    source: str
    """Name of the source graph."""
    seed: int
    """Seed of the sample."""
    chronoqg: str
    """Version of this package."""
    state: Literal["sample", "unfinished", "finished"]
    """A sample without agents, a build that is not through, or one that is."""
    backend: tuple[str, ...]
    """The models that the agents asked, sorted; empty in a sample."""
    traces: int
    """Instances sampled."""
    population: Population
    """Whose statistics are shown."""
    fates: tuple[FateCount, ...]
    """What became of the instances; every instance has one fate."""
    lost: tuple[LostCount, ...]
    """Those not accepted, the most frequent kind first."""
    by_template: tuple[GroupFates, ...]
    """Fates by template."""
    by_operator: tuple[GroupFates, ...]
    """Fates by operator; an instance counts once for each distinct operator that it has."""
    splits: tuple[SplitStatistics, ...]
    """Table 3."""
    words: tuple[WordCounts, ...]
    """Figure 4."""
    rewording: tuple[Rewording, ...]
    """Table 8; empty in a sample."""
    roots: tuple[RootCandidates, ...]
    """Table 9."""
    steps: tuple[StepCandidates, ...]
    """Candidates after each kind of step."""
    coverage: CoverageReport
    """What the sample covers."""
    usage: tuple[UsageRow, ...]
    """What each role spent on each model."""
    notes: tuple[str, ...]
    """What a reader must know before the numbers."""

    def count(self, fate: str) -> int:
        """Instances of a fate."""
        return sum(row.instances for row in self.fates if row.fate == fate)
