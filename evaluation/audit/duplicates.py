"""Which records of a file repeat an earlier one: its id, its question or its query."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from evaluation.audit.cases import Case, StatedFact
from evaluation.audit.defects import Defect, DefectKind
from evaluation.audit.text_checks import normalise_question
from graph_sampler.operators import BY_NAME
from state.trace import FilterStep, OrdinalStep, PairwiseStep, StructuralStep, Trace
from state.vocabulary import Template


class Duplicates:
    """Remembers every record of a file by 16 bytes a key."""

    def __init__(self) -> None:
        self._seen: dict[bytes, int] = {}

    def defect_of(self, case: Case) -> Defect | None:
        """In what a record repeats earlier ones, if it does; from now on it is an earlier one."""
        final, raw = (normalise_question(question or "") for question in (case.final_question, case.raw_question))
        keys = {"id": case.id, "final question": final, "raw question": raw}
        if case.trace is not None:
            keys["query"] = query_of(case.trace, case.references)
        found = []
        for what, text in keys.items():
            if text:
                key = hashlib.blake2b(f"{what}\0{text}".encode("utf-8", "surrogatepass"), digest_size=16).digest()
                first = self._seen.setdefault(key, case.number)
                if first != case.number:
                    found.append(f"the {what} of record {first}")
        return Defect(DefectKind.DUPLICATE, f"it has {', '.join(found)}") if found else None


def query_of(trace: Trace, references: Mapping[str, StatedFact]) -> str:
    """A text that is the same for two traces that ask the same.

    Names of variables and facts, which fact of a branch is the root, the direction in which a pairwise constraint is
    written and the order of constraints do not matter.
    """
    steps = [step for step in trace.steps if isinstance(step, StructuralStep)]
    orders = [steps]
    if trace.template is Template.BRANCH and len(steps) == 2 and isinstance(steps[1], FilterStep):
        orders.append(steps[::-1])
    return min(_written(trace, order, references) for order in orders)


def _written(trace: Trace, steps: Sequence[StructuralStep], references: Mapping[str, StatedFact]) -> str:
    variables: dict[str, str] = {}
    places = {step.fact: place for place, step in enumerate(steps)}

    def end(text: str) -> str:
        return variables.setdefault(text, f"?{len(variables)}") if text.startswith("?") else text

    patterns = [(end(step.pattern[0]), step.pattern[1], end(step.pattern[2])) for step in steps]
    constraints = []
    for step in trace.steps:
        if isinstance(step, OrdinalStep):
            constraints.append(repr((step.operator, places[step.fact], step.rank, step.order.value)))
        elif isinstance(step, PairwiseStep) and step.right in places:
            left, right, name = places[step.left], places[step.right], step.operator
            if left > right:
                left, right, name = right, left, BY_NAME[name].converse
            constraints.append(repr((left, name, right)))
        elif isinstance(step, PairwiseStep):
            constraints.append(repr((places[step.left], step.operator, tuple(references.get(step.right, ())))))
    return repr((patterns, sorted(constraints)))
