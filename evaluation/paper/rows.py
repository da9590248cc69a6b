"""One row of each of the paper's tables, as printed. Facts only; what is wrong with them stands in each table's notes."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from state.model_base import Contract

PaperDataset = Literal["Cron-S", "Cron-M", "Event-S", "Event-M"]
"""The paper's four benchmarks: CronQuestions and EventKG, with one temporal constraint a question or more."""
PaperMethod = Literal["zero_shot", "cot", "few_shot", "g2s_ae", "g2s_ae_rl", "kqg_cot", "sgsh", "role_agent_qg", "r2dqg"]
"""The paper's nine methods."""
PROMPTED: tuple[PaperMethod, ...] = ("zero_shot", "cot", "few_shot")
"""Its prompted baselines."""
TRAINED: tuple[PaperMethod, ...] = ("g2s_ae", "g2s_ae_rl")
"""Its trained ones, which ask no model."""
ADAPTED: tuple[PaperMethod, ...] = ("kqg_cot", "sgsh", "role_agent_qg", "r2dqg")
"""Its adapted static methods."""


class AccuracyRow(Contract):
    """Table 2: a verifier's answers to 500 template questions."""

    verifier: str
    """Model."""
    hits: tuple[int, int, int, int]
    """Matched questions of I-I, P-I, I-P and P-P: the whole numbers that the percentages follow from."""
    percents: tuple[str, str, str, str, str]
    """As printed: the four families, then all."""


class StatisticsRow(Contract):
    """Table 3: what a benchmark holds."""

    dataset: PaperDataset
    """Benchmark."""
    entities: int
    """Distinct entities of all support facts."""
    relations: int
    """Distinct relations of all support facts."""
    hops: float
    """Mean hops."""
    constraints: float
    """Mean temporal constraints."""
    i_i: int
    """Count of I-I."""
    p_i: int
    """Count of P-I."""
    i_p: int
    """Count of I-P."""
    p_p: int
    """Count of P-P."""
    total: int
    """Sum of the four, printed as the number of questions."""
    released: int
    """Questions in the released file; not in the table."""


class PaperRow(Contract):
    """Tables 4 and 5: a method with a backbone on a benchmark."""

    backbone: str | None
    """Model asked; `None` for a trained method."""
    method: PaperMethod
    """Key of the method."""
    dataset: PaperDataset
    """Benchmark."""
    bleu4: float = Field(ge=0, le=1)
    """BLEU-4; which one is not stated."""
    rouge2: float = Field(ge=0, le=1)
    """ROUGE-2; which one is not stated."""
    rougeL: float = Field(ge=0, le=1)
    """ROUGE-L; which one is not stated."""
    is_placement_sure: bool = True
    """Whether it is sure that the numbers belong to this benchmark: the table's text is scrambled."""


class CostRow(Contract):
    """Table 6: what a method costs on all four benchmarks, in US dollars."""

    method: PaperMethod
    """Key of the method."""
    gpt_4o_mini: float
    """With GPT-4o-mini."""
    gpt_4o: float
    """With GPT-4o: the same tokens at its prices."""


class PriceRow(Contract):
    """What a million tokens of Table 6 cost, in US dollars."""

    backbone: str
    """Model."""
    input: float
    """Prompt tokens."""
    output: float
    """Completion tokens."""


class RatingRow(Contract):
    """Table 7: mean human ratings of 500 questions, 1 to 5."""

    dataset: PaperDataset
    """Benchmark."""
    fluency: float
    """How fluent."""
    faithfulness: float
    """How faithful to the facts."""
    answerability: float
    """How answerable."""


class RawFinalRow(Contract):
    """Table 8: template questions against final ones."""

    dataset: PaperDataset
    """Benchmark."""
    length_reduction: float
    """Percent of words that went."""
    bleu4: float
    """BLEU-4 between the two."""
    preservation: float
    """Percent of entity mentions that stayed."""


class CandidatesRow(Contract):
    """Table 9: mean size of the first candidate set."""

    dataset: PaperDataset
    """Benchmark."""
    one_hop: float
    """Of questions of one hop."""
    two_hops: float
    """Of two."""
    three_hops: float
    """Of three."""


class HeatmapCell(Contract):
    """Figure 5: a quoted cell."""

    source: Literal["Cron", "Event"]
    """Panel: S and M of a source pooled."""
    hops: int = Field(ge=1, le=3)
    """Row."""
    constraints: int = Field(ge=1, le=3)
    """Column; 3 stands for three and more."""
    bleu4: float
    """BLEU-4 of zero-shot GPT-4o-mini."""
