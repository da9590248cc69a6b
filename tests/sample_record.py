"""A small invented instance, made in code: who held an office after somebody else and before a third."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from graph_sampler.operators import PAIRWISE
from state.fact import TemporalFact
from state.instance import BenchmarkRecord, Provenance
from state.trace import PairwiseStep, RootStep, Trace
from state.vocabulary import Template

OFFICE = "Mayor of Arn"
HOLDERS = ("Ida Holt", "Ana Roy", "Bo Lind", "Cy Moe", "Eva Dunn")
"""Holders of the office, one after the other; the third is the answer."""

GOOD_QUESTION = "Who became Mayor of Arn after Ana Roy held the position Mayor of Arn and before Cy Moe held the position Mayor of Arn?"


def make_record(
    *,
    number: int = 1,
    labels: Mapping[str, str] | None = None,
    aliases: Sequence[str] = ("Lindy",),
    raw_question: str | None = None,
) -> BenchmarkRecord:
    """The instance, with other labels or aliases if wanted."""
    names = {f"Q{index}": holder for index, holder in enumerate(HOLDERS, 11)} | {"Q1": OFFICE, "P39": "position held"} | dict(labels or {})
    facts = [
        TemporalFact(subject=f"Q{index}", relation="P39", object="Q1", start=str(1950 + 10 * place), end=str(1958 + 10 * place))
        for place, index in enumerate(range(11, 11 + len(HOLDERS)))
    ]
    by_name = {operator.name: operator for operator in PAIRWISE}
    after, before = by_name["I-after-I"], by_name["I-before-I"]
    trace = Trace(
        template=Template.ONE_HOP,
        answer_variable="?a",
        steps=(
            RootStep(fact="f1", pattern=("?a", "P39", "Q1"), candidates=5),
            PairwiseStep(constraint="c1", operator=after.name, left="f1", right="g1", candidates=3),
            PairwiseStep(constraint="c2", operator=before.name, left="f1", right="g2", candidates=1),
        ),
        references={"g1": facts[1], "g2": facts[3]},
    )
    return BenchmarkRecord(
        id=f"sample-{number:012x}",
        dataset="sample",
        graph_structure=Template.ONE_HOP,
        hop_count=1,
        space_search_process=("root: position held -> Mayor of Arn | 5 candidates",),
        temporal_constraints=("I-after-I: ...", "I-before-I: ..."),
        temporal_constraint_count=2,
        raw_question=raw_question
        or (
            f'Which entity X is such that X has the relation "position held" to "{names["Q1"]}" (first fact), where the first fact '
            f'started in a later year than the one in which the fact that "{names["Q12"]}" has the relation "position held" to '
            f'"{names["Q1"]}" ended, and the first fact ended in an earlier year than the one in which the fact that '
            f'"{names["Q14"]}" has the relation "position held" to "{names["Q1"]}" started?'
        ),
        final_question=None,
        answer=names["Q13"],
        answer_id="Q13",
        answer_aliases=tuple(aliases),
        families=(after.family, before.family),
        operators=(after.name, before.name),
        backend=None,
        trace=trace,
        support_facts=(facts[2], facts[1], facts[3]),
        evidence=tuple(facts),
        structure_hint='Topology A -> B, 1 hop, relations "position held".',
        labels=names,
        provenance=Provenance(source="sample", content_hash="0" * 64, seed=0, root='["?a", P39, Q1]', version="0.1.0"),
    )
