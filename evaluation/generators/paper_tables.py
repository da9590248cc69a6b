"""The paper's own figures as tables, apart from everything that was scored here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import get_args

from evaluation.generators.score_tables import NO_MODEL, TITLES
from evaluation.metrics.scores import PRIMARY
from evaluation.pages.rate_text import NOTHING
from evaluation.pages.tables import Table, rounded
from evaluation.paper.reference import figure5, notes, table4, table5, table6
from evaluation.paper.rows import CostRow, PaperDataset, PaperMethod, PaperRow

PAPER_NOTE = (
    "These figures are the paper's own and none was computed here. They are of other benchmarks, with references by other models, on a "
    "part of the data and with tokens that the paper does not state: set them beside the tables above with care, and never mix the two."
)
"""What must be read before the paper's figures."""
LABELS: Mapping[PaperMethod, str] = {
    "zero_shot": "Zero-shot",
    "cot": "Zero-shot CoT",
    "few_shot": "Few-shot",
    "g2s_ae": "G2S-AE",
    "g2s_ae_rl": "G2S-AE-RL",
    "kqg_cot": "KQG-CoT",
    "sgsh": "SGSH",
    "role_agent_qg": "RoleAgentQG",
    "r2dqg": "R2DQG",
}
"""Method -> how tables call it."""


def paper_tables() -> tuple[Table, ...]:
    """Tables 4, 5 and 6 and the quoted cells of Figure 5, each saying that it is the paper's."""
    return (
        _results("paper_table4", "The paper's Table 4, on its own benchmarks: BLEU-4, ROUGE-2 and ROUGE-L", table4()),
        _results("paper_table5", "The paper's Table 5, on its own benchmarks: adapted methods with a stronger model", table5()),
        _costs(table6()),
        Table(
            "paper_figure5",
            "The paper's Figure 5, on its own benchmarks: quoted cells of BLEU-4 of zero-shot GPT-4o-mini by hops and constraints",
            ("benchmark", "hops", "constraints", "BLEU-4"),
            tuple(
                (one.source, str(one.hops), "3+" if one.constraints == 3 else str(one.constraints), rounded(one.bleu4, 3))
                for one in figure5()
            ),
        ),
    )


def paper_notes() -> tuple[str, ...]:
    """What in these tables does not fit together, or is not known."""
    named = {"table4": "Table 4", "table5": "Table 5", "table6": "Table 6", "figure5": "Figure 5"}
    return tuple(f"{called}: {' '.join(note.split())}" for name, called in named.items() for note in notes(name))


def _results(name: str, caption: str, rows: Sequence[PaperRow]) -> Table:
    datasets = [dataset for dataset in get_args(PaperDataset) if any(row.dataset == dataset for row in rows)]
    by_place = {(row.backbone, row.method, row.dataset): row for row in rows}
    lines = []
    for backbone, method in dict.fromkeys((row.backbone, row.method) for row in rows):
        cells = [cell for dataset in datasets for cell in _scores(by_place.get((backbone, method, dataset)))]
        lines.append((LABELS[method], backbone or NO_MODEL, *cells))
    header = ("method", "model", *(f"{dataset} {TITLES[metric]}" for dataset in datasets for metric in PRIMARY))
    return Table(name, caption, header, tuple(lines))


def _scores(row: PaperRow | None) -> tuple[str, ...]:
    if row is None:
        return (NOTHING,) * len(PRIMARY)
    return tuple(rounded(score, 3) + ("" if row.is_placement_sure else "?") for score in (row.bleu4, row.rouge2, row.rougeL))


def _costs(rows: Sequence[CostRow]) -> Table:
    zero = next(row.gpt_4o_mini for row in rows if row.method == "zero_shot")
    lines = tuple(
        (LABELS[row.method], rounded(row.gpt_4o_mini, 2), rounded(row.gpt_4o, 2), rounded(row.gpt_4o_mini / zero, 2)) for row in rows
    )
    header = ("method", "USD, GPT-4o-mini", "USD, GPT-4o", "to zero-shot")
    return Table("paper_table6", "The paper's Table 6, on its own benchmarks: cost of all four", header, lines)
