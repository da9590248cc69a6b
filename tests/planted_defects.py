"""Good records of the shipped sample with one defect put into each, by hand and by known kind.

What is planted is found without the auditor: by the record's own trace and evidence.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import orjson

from evaluation.audit.defects import DefectKind
from evaluation.exports.release import CODE_OF, release_record
from graph_sampler.execute import execute
from graph_sampler.operators import ORDINAL_BY_NAME, operator_named, opposite_of
from state.instance import BenchmarkRecord
from state.trace import OrdinalStep, PairwiseStep

Json = dict[str, Any]
Plant = Callable[[BenchmarkRecord], Json | None]
"""The record's object with one defect, or `None` where the record has no room for it."""


def object_of(record: BenchmarkRecord) -> Json:
    """A record as a line of its file holds it."""
    made: Json = orjson.loads(record.model_dump_json())
    return made


def write_jsonl(path: Path, objects: Iterable[Any]) -> Path:
    """One object a line."""
    path.write_bytes(b"".join(orjson.dumps(each) + b"\n" for each in objects))
    return path


def _mark(record: BenchmarkRecord) -> str:
    """What makes a made-up question one of its own."""
    return f"case {record.id[-12:]}"


def leak(record: BenchmarkRecord) -> Json:
    """The answer in other bytes at the end of the question."""
    return object_of(record) | {"final_question": f"Who was it, if not ({record.answer.upper()}), in {_mark(record)}?"}


def slot(record: BenchmarkRecord) -> Json:
    """A template's slot that nobody filled."""
    return object_of(record) | {"final_question": f"Who held {{tail2}} in {_mark(record)}?"}


def left_id(record: BenchmarkRecord) -> Json:
    """A relation's key in place of its label."""
    key = record.trace.steps[0].pattern[1]  # type: ignore[union-attr]
    return object_of(record) | {"final_question": f"Who was it by {key} in {_mark(record)}?"}


def stray_fact(record: BenchmarkRecord) -> Json:
    """One more fact in the evidence, which the graph does not have."""
    made = object_of(record)
    invented = made["evidence"][0] | {"start": "0017", "end": "0017"}
    return made | {"evidence": [*made["evidence"], invented]}


def silent_evidence(record: BenchmarkRecord) -> Json | None:
    """Evidence of nothing but the answer's own facts."""
    if any(isinstance(step, OrdinalStep) for step in record.trace.steps):
        return None
    made = object_of(record)
    return made | {"evidence": made["support_facts"]}


def needless(record: BenchmarkRecord) -> Json | None:
    """The same pairwise constraint twice: either can go."""
    made = object_of(record)
    steps = made["trace"]["steps"]
    if record.temporal_constraint_count != 1 or not isinstance(record.trace.steps[-1], PairwiseStep):
        return None
    return made | {"trace": made["trace"] | {"steps": [*steps, steps[-1] | {"constraint": "c2"}]}, "temporal_constraint_count": 2}


def false_operator(record: BenchmarkRecord) -> Json | None:
    """A constraint turned round."""
    made = object_of(record)
    last = made["trace"]["steps"][-1]
    turned = opposite_of(last.get("operator", ""))
    if record.temporal_constraint_count != 1 or turned is None or _still_leads_there(record, turned):
        return None
    last["operator"] = turned
    return made


def _still_leads_there(record: BenchmarkRecord, operator: str) -> bool:
    """Whether the trace gives its answer with another last operator too, by another way: then it is no defect."""
    *steps, last = record.trace.steps
    changed = record.trace.model_copy(update={"steps": (*steps, last.model_copy(update={"operator": operator}))})
    return execute(changed, record.evidence).answers == {record.answer_id}


def rank_too_high(record: BenchmarkRecord) -> Json | None:
    """An ordinal of a rank that nothing has."""
    made = object_of(record)
    last = made["trace"]["steps"][-1]
    if "rank" not in last or len(made["operators"]) > 1:
        return None
    last["rank"] = 99
    return made


def tie(record: BenchmarkRecord) -> Json | None:
    """An ordinal of a rank that two facts share, and one of the two as its answer."""
    step = record.trace.steps[-1]
    if record.graph_structure.is_chain or len(record.operators) > 1 or not isinstance(step, OrdinalStep):
        return None
    rows = execute(record.trace.model_copy(update={"steps": record.trace.steps[:-1]}), record.evidence).rows
    key = ORDINAL_BY_NAME[step.operator].key
    keys = sorted({(int(key(*row.facts[step.fact].interval)), row.entities["?a"]) for row in rows})
    if step.order.value == "descending":
        keys.reverse()
    for rank, ((one, entity), (other, _)) in enumerate(pairwise(keys), start=1):
        if one == other:
            made = object_of(record)
            made["trace"]["steps"][-1]["rank"] = rank
            return made | {"answer_id": entity, "answer": record.labels[entity]}
    return None


def several_answers(record: BenchmarkRecord) -> Json | None:
    """A multi-constraint record whose last pairwise constraint is gone, so that more than one entity fits."""
    made = object_of(record)
    steps = made["trace"]["steps"]
    if record.temporal_constraint_count < 2 or not isinstance(record.trace.steps[-1], PairwiseStep):
        return None
    if any(isinstance(step, OrdinalStep) for step in record.trace.steps):
        return None
    return made | {"trace": made["trace"] | {"steps": steps[:-1]}}


def other_count(record: BenchmarkRecord) -> Json:
    """One constraint more than the trace has."""
    return object_of(record) | {"temporal_constraint_count": record.temporal_constraint_count + 1}


def other_operators(record: BenchmarkRecord) -> Json:
    """Operators that are not the trace's."""
    return object_of(record) | {"operators": ["I-equals-I"] * (len(record.operators) + 1)}


def lost_support(record: BenchmarkRecord) -> Json:
    """A support fact with another time than the evidence has."""
    made = object_of(record)
    return made | {"support_facts": [made["support_facts"][0] | {"start": "0017", "end": "0017"}]}


def other_label(record: BenchmarkRecord) -> Json:
    """A rival under another name than the graph's."""
    made = object_of(record)
    ident = next(ident for ident in made["labels"] if ident != record.answer_id and record.labels[ident] not in record.raw_question)
    return made | {"labels": made["labels"] | {ident: "Somebody Else"}}


def blank(record: BenchmarkRecord) -> Json:
    """A question of blanks."""
    return object_of(record) | {"final_question": "  "}


def restated(made: Json) -> Json:
    """A record whose fields beside the trace say what its trace now says."""
    if "trace" not in made:
        return made | {"temporal_constraint_count": len(made["temporal_constraints"])}
    operators = [step["operator"] for step in made["trace"]["steps"] if step["action"] == "temporal_filter"]
    families = [operator_named(name).family.value for name in operators]
    return made | {"operators": operators, "families": families, "temporal_constraint_count": len(operators)}


OF_OURS: tuple[tuple[DefectKind, Plant], ...] = (
    (DefectKind.CONTRADICTION, other_count),
    (DefectKind.CONTRADICTION, other_operators),
    (DefectKind.CONTRADICTION, lost_support),
    (DefectKind.WRONG_LABEL, other_label),
    (DefectKind.BLANK_QUESTION, blank),
    (DefectKind.ANSWER_LEAK, leak),
    (DefectKind.UNFILLED_SLOT, slot),
    (DefectKind.UNFILLED_SLOT, left_id),
    (DefectKind.NOT_IN_GRAPH, stray_fact),
    (DefectKind.SILENT_EVIDENCE, silent_evidence),
    (DefectKind.NOT_NEEDED, needless),
    (DefectKind.FALSE_OPERATOR, false_operator),
    (DefectKind.TIE, rank_too_high),
    (DefectKind.TIE, tie),
    (DefectKind.NOT_UNIQUE, several_answers),
)


def plant_all(
    records: Iterable[BenchmarkRecord], plants: Iterable[tuple[DefectKind, Plant]], each: int
) -> Iterator[tuple[DefectKind, Json]]:
    """Each plant in so many records, every record used once."""
    left = list(records)
    for kind, plant in plants:
        planted = 0
        for record in list(left):
            made = plant(record)
            if made is not None and planted < each:
                left.remove(record)
                planted += 1
                yield kind, made if kind is DefectKind.CONTRADICTION else restated(made)
        assert planted == each, (kind, plant.__name__)


def released(record: BenchmarkRecord) -> Json:
    """A record as a line of a released file holds it."""
    made: Json = orjson.loads(orjson.dumps(release_record(record)))
    return made


def released_leak(record: BenchmarkRecord) -> Json:
    return released(record) | {"final_question": f"Who was it, if not “{record.answer}”, in {_mark(record)}?"}


def released_code(record: BenchmarkRecord) -> Json:
    return released(record) | {"final_question": f"Who was it under tr-1 in {_mark(record)}?"}


def released_stray_fact(record: BenchmarkRecord) -> Json:
    made = released(record)
    return made | {"subgraph": [*made["subgraph"], made["subgraph"][0] | {"fid": "f999", "start": 17, "end": 17}]}


def released_silence(record: BenchmarkRecord) -> Json | None:
    if any(isinstance(step, OrdinalStep) for step in record.trace.steps):
        return None
    made = released(record)
    return made | {"subgraph": [fact for fact in made["subgraph"] if fact["fid"] in made["metadata"]["support_fids"]]}


def released_needless(record: BenchmarkRecord) -> Json | None:
    made = released(record)
    if record.temporal_constraint_count != 1 or not isinstance(record.trace.steps[-1], PairwiseStep):
        return None
    steps, (only,) = made["space_search_process"], made["temporal_constraints"]
    index = len(steps)
    more = {"space_search_process": [*steps, steps[-1] | {"step_index": index}], "temporal_constraint_count": 2}
    return made | more | {"temporal_constraints": [only, copy.deepcopy(only) | {"step_index": index}]}


def released_false_operator(record: BenchmarkRecord) -> Json | None:
    turned = opposite_of(record.operators[0])
    if record.temporal_constraint_count != 1 or turned is None or _still_leads_there(record, turned):
        return None
    made = released(record)
    made["temporal_constraints"][0]["code"] = CODE_OF[turned]
    return made


def released_rank(record: BenchmarkRecord) -> Json | None:
    if record.temporal_constraint_count != 1 or not isinstance(record.trace.steps[-1], OrdinalStep):
        return None
    made = released(record)
    made["temporal_constraints"][0]["binding"]["rank"] = 99
    return made


def released_several(record: BenchmarkRecord) -> Json | None:
    if several_answers(record) is None:
        return None
    made = released(record)
    return made | {key: made[key][:-1] for key in ("space_search_process", "temporal_constraints")}


def released_count(record: BenchmarkRecord) -> Json:
    return released(record) | {"temporal_constraint_count": record.temporal_constraint_count + 1}


def released_hops(record: BenchmarkRecord) -> Json:
    return released(record) | {"hop_count": 9}


def released_blank(record: BenchmarkRecord) -> Json:
    return released(record) | {"final_question": ""}


OF_RELEASE: tuple[tuple[DefectKind, Plant], ...] = (
    (DefectKind.CONTRADICTION, released_count),
    (DefectKind.CONTRADICTION, released_hops),
    (DefectKind.BLANK_QUESTION, released_blank),
    (DefectKind.ANSWER_LEAK, released_leak),
    (DefectKind.UNFILLED_SLOT, released_code),
    (DefectKind.NOT_IN_GRAPH, released_stray_fact),
    (DefectKind.SILENT_EVIDENCE, released_silence),
    (DefectKind.NOT_NEEDED, released_needless),
    (DefectKind.FALSE_OPERATOR, released_false_operator),
    (DefectKind.TIE, released_rank),
    (DefectKind.NOT_UNIQUE, released_several),
)
