"""The tables of a run's report, each a CSV file too. Paper: Tables 3, 8 and 9, the bins of Figure 4."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from evaluation.pages.rate_text import NOTHING
from evaluation.pages.tables import Table, rounded
from evaluation.run_report.summary import GroupFates, Rewording, RunSummary, SplitStatistics, WordCounts
from runs.comparing import ACCEPTED
from runs.database import UsageRow
from state.vocabulary import ConstraintCount, Family, Template

Rows = Iterable[tuple[str, ...]]
_HOPS = sorted({template.hop_count for template in Template})


def tables(summary: RunSummary) -> tuple[Table, ...]:
    """All of them, in the order of the report; one without rows has nothing to show."""
    of_whom = "the accepted questions" if summary.population == "accepted" else "all sampled traces"
    return (
        _table("outcomes", "What became of the instances", ("outcome", "S", "M", "instances", "%"), _outcomes(summary)),
        _table(
            "discards",
            "Why instances were not accepted, and where",
            ("outcome", "last node", "cause named by the analyst", "instances"),
            ((row.fate, row.last_node, row.cause, str(row.instances)) for row in summary.lost),
        ),
        _groups("outcomes-by-template", "What became of the instances, by template", "template", summary, summary.by_template),
        _groups(
            "outcomes-by-operator",
            "What became of the instances, by operator; an instance counts once for each distinct operator",
            "operator",
            summary,
            summary.by_operator,
        ),
        _table(
            "table3",
            f"Table 3. {of_whom.capitalize()}: entities and relations over all support facts, and constraints by family",
            (
                *("part", "n_questions", "entities", "relations", "hops", "constraints"),
                *(family.value for family in Family),
                *("n_constraints", "n_pairwise_constraints"),
            ),
            map(_split, summary.splits),
        ),
        _table(
            "figure4-words",
            f"Figure 4. {of_whom.capitalize()} by their number of words; the last bin of a part is of all that are longer",
            ("part", "words from", "to", "template questions", "final questions"),
            (row for counts in summary.words for row in _bins(counts)),
        ),
        _table(
            "table8",
            "Table 8. Final questions beside their template questions: shorter by, BLEU-4, entities kept",
            (
                *("part", "n_questions", "shorter by %", "pooled %", "BLEU-4", "entities kept %", "mean by question %"),
                *("words before", "words after", "entities kept/named"),
            ),
            map(_rewording, summary.rewording),
        ),
        _table(
            "table9",
            f"Table 9. {of_whom.capitalize()}: mean size of the first candidate set, by number of hops",
            ("part", *(part for hops in _HOPS for part in (_hops(hops), f"n of {_hops(hops)}"))),
            _roots(summary),
        ),
        _table(
            "candidates-by-step",
            f"{of_whom.capitalize()}: mean number of candidates left after each kind of step",
            ("part", "step", "mean candidates", "steps"),
            (
                (row.part.value, row.kind, rounded(_ratio(row.candidates, row.steps), 2), str(row.steps))
                for row in summary.steps
                if row.steps
            ),
        ),
        _table(
            "coverage",
            f"Coverage of the sample: {summary.coverage.found} of {summary.coverage.target} traces, "
            f"{summary.coverage.doubtful} refused as doubtful",
            ("cell", "wanted", "found", "short", "proposed"),
            (
                (f"{row.template} {row.part}", *map(str, (row.wanted, row.found, row.shortfall, row.proposed)))
                for row in summary.coverage.cells
            ),
        ),
        _table(
            "coverage-by-operator",
            "Coverage of the sample by operator; - where it cannot exist by construction",
            ("operator", "wanted", "found", "short", "proposed", *(f"{row.template} {row.part}" for row in summary.coverage.cells)),
            _operators(summary),
        ),
        _table(
            "usage",
            "What the agents called and cost, by role and model",
            (
                *("role", "model", "calls", "of these from the cache", "cut off", "tokens in", "cached by the server", "tokens out"),
                *("reasoning", "USD paid", "USD saved"),
            ),
            _usage(summary.usage),
        ),
        _table(
            "signatures",
            "How each number was made; two numbers with different signatures are not compared",
            ("part", "figure", "signature"),
            (row for rewording in summary.rewording for row in _signatures(rewording)),
        ),
    )


def _table(name: str, caption: str, header: tuple[str, ...], rows: Rows) -> Table:
    return Table(name, caption, header, tuple(rows))


def _outcomes(summary: RunSummary) -> Rows:
    for row in summary.fates:
        share = None if not summary.traces else Fraction(100 * row.instances, summary.traces)
        yield row.fate, str(row.single), str(row.multi), str(row.instances), rounded(share)


def _groups(name: str, caption: str, kind: str, summary: RunSummary, groups: tuple[GroupFates, ...]) -> Table:
    fates = [row.fate for row in summary.fates]
    rows = (
        (
            group.name,
            str(group.instances),
            *(str(group.fates.get(fate, 0)) for fate in fates),
            rounded(Fraction(100 * group.fates.get(ACCEPTED, 0), group.instances)),
        )
        for group in groups
    )
    return _table(name, caption, (kind, "instances", *fates, "accepted %"), rows)


def _split(row: SplitStatistics) -> tuple[str, ...]:
    return (
        row.part.value,
        *map(str, (row.n_questions, row.entities, row.relations)),
        rounded(_ratio(row.hop_sum, row.n_questions), 2),
        rounded(_ratio(row.constraint_sum, row.n_questions), 2),
        *(str(row.families[family]) for family in Family),
        str(row.constraint_sum),
        str(row.n_pairwise_constraints),
    )


def _bins(counts: WordCounts) -> Rows:
    for place, (start, raw, final) in enumerate(zip(counts.edges, counts.raw.bins, counts.final.bins, strict=True)):
        is_last = place == len(counts.edges) - 1
        yield counts.part.value, str(start), "" if is_last else str(counts.edges[place + 1] - 1), str(raw), str(final)


def _rewording(row: Rewording) -> tuple[str, ...]:
    length, kept = row.length, row.preservation
    return (
        part_name(row.part),
        str(length.questions + length.excluded),
        rounded(length.mean),
        rounded(length.pooled),
        rounded(row.bleu, 3),
        rounded(kept.micro),
        rounded(kept.macro),
        str(length.raw_words),
        str(length.final_words),
        f"{kept.retained}/{kept.mentioned}",
    )


def _roots(summary: RunSummary) -> Rows:
    for part in ConstraintCount:
        by_hops = {row.hops: row for row in summary.roots if row.part is part}
        cells = ((rounded(_ratio(row.candidates, row.instances), 2), str(row.instances)) for row in (by_hops[hops] for hops in _HOPS))
        yield part.value, *(cell for pair in cells for cell in pair)


def _operators(summary: RunSummary) -> Rows:
    cells = [f"{row.template} {row.part}" for row in summary.coverage.cells]
    for row in summary.coverage.operators:
        by_cell = (row.by_cell.get(cell, 0) for cell in cells)
        counts = map(str, (row.wanted, row.found, row.shortfall, row.proposed))
        yield row.operator, *counts, *(NOTHING if count is None else str(count) for count in by_cell)


def _usage(rows: tuple[UsageRow, ...]) -> Rows:
    for row in rows:
        yield row.role, row.model, *_used((row,))
    if len(rows) > 1:
        yield "all", "", *_used(rows)


def _used(rows: tuple[UsageRow, ...]) -> tuple[str, ...]:
    counts = ("calls", "cached_calls", "open_calls", "input", "cached_input", "output", "reasoning")
    usd = ("usd_paid", "usd_saved")
    return (
        *(str(sum(getattr(row, name) for row in rows)) for name in counts),
        *(rounded(sum(getattr(row, name) for row in rows), 4) for name in usd),
    )


def _signatures(row: Rewording) -> Rows:
    part = part_name(row.part)
    yield part, "shorter by", row.length.mean_signature
    yield part, "shorter by, pooled", row.length.pooled_signature
    yield part, "BLEU-4", row.bleu_signature
    yield part, "entities kept", row.preservation.micro_signature
    yield part, "entities kept, mean by question", row.preservation.macro_signature


def part_name(part: ConstraintCount | None) -> str:
    """The part's letter, or `S and M`."""
    return "S and M" if part is None else part.value


def _hops(hops: int) -> str:
    return "1 hop" if hops == 1 else f"{hops} hops"


def _ratio(total: int, count: int) -> Fraction | None:
    return Fraction(total, count) if count else None
