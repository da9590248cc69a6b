"""Records as the authors' construction code writes them: no trace, facts by number, constraints by their bindings.

The graph and the records are made up.
"""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from evaluation.audit.auditor import audit_file
from evaluation.audit.cases import FileFormat
from evaluation.audit.defects import EXECUTED, DefectKind
from evaluation.audit.report import AuditReport
from evaluation.exports.release import ReleaseRecord
from evaluation.exports.release_reader import NotRebuilt, rebuild_trace
from graph_sampler.load import load_graph
from graph_sampler.temporal_graph import TemporalGraph
from state.config import GraphConfig
from state.interval import Granularity
from state.trace import OrdinalStep, PairwiseStep, Trace
from tests.planted_defects import write_jsonl
from tests.strategies import write_cronkg

Json = dict[str, Any]
PLAYS, COACHED, LED = "P1", "P2", "P3"
LABELS = {
    "Q1": "Ana Holt", "Q2": "Bo Lind", "Q3": "Cy Moe", "Q4": "Di Roy", "Q5": "Ed Sand", "Q10": "FC Arn", "Q11": "SV Bren",
    "Q20": "Fay Toll", "Q21": "Gus Ure", "Q22": "Hal Vane", "Q30": "Ima Ward",
}  # fmt: skip
RELATIONS = {PLAYS: "member of team", COACHED: "coached by", LED: "managed by"}
FACTS = (
    ("Q1", PLAYS, "Q10", 1990, 1995),
    ("Q2", PLAYS, "Q10", 1996, 1999),
    ("Q3", PLAYS, "Q10", 1998, 2004),
    ("Q4", PLAYS, "Q10", 1999, 2006),
    ("Q5", PLAYS, "Q10", 2001, 2008),
    ("Q2", PLAYS, "Q11", 1992, 1997),
    ("Q3", PLAYS, "Q11", 2005, 2009),
    ("Q10", COACHED, "Q20", 1990, 1994),
    ("Q10", COACHED, "Q21", 1994, 1998),
    ("Q10", COACHED, "Q22", 1999, 2003),
    ("Q20", LED, "Q30", 1980, 1992),
    ("Q21", LED, "Q30", 1993, 1996),
    ("Q21", LED, "Q1", 2000, 2003),
)


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> TemporalGraph:
    return made_graph(tmp_path_factory.mktemp("graph"), FACTS)


def made_graph(folder: Path, facts: tuple[tuple[str, str, str, int, int], ...]) -> TemporalGraph:
    rows = [(*fact[:3], str(fact[3]), str(fact[4])) for fact in facts]
    write_cronkg(folder, rows, LABELS, RELATIONS, dict.fromkeys(RELATIONS, "I"))
    return load_graph(GraphConfig(path=str(folder)))[0]


def fid(*named: Any) -> int:
    """A fact's number: its line in the graph's file."""
    return next(line for line, fact in enumerate(FACTS) if fact[: len(named)] == named)


def facts_of(*fids: int) -> list[Json]:
    found = []
    for line in fids:
        subject, relation, object_, start, end = FACTS[line]
        ends = {"subject_id": subject, "subject": LABELS[subject], "object_id": object_, "object": LABELS[object_]}
        found.append(
            {
                "fid": line,
                **ends,
                "relation_id": relation,
                "relation": RELATIONS[relation],
                "start": start,
                "end": end,
                "time_type": "interval",
            }
        )
    return found


def authors_record(structure: str, seed: Json, steps: list[Json], answer: str, facts: list[int], *, name: str = "tr-1_test_01") -> Json:
    """A line of a released file; a temporal step brings its constraint."""
    process, constraints = [], []
    for index, step in enumerate(steps):
        shown = {
            "step_index": index,
            "operation": step["kind"],
            "description": "",
            "candidate_count": 2,
            "support_fids": step.get("fids", []),
        }
        process.append(shown)
        if step["kind"] == "temporal_filter":
            kind = "multi_event" if "multi_event_type" in step["binding"] else "allen"
            constraints.append(
                {
                    "type": kind,
                    "code": step["code"],
                    "description": "",
                    "step_index": index,
                    "name_zh": "",
                    "support_fids": step["fids"],
                    "binding": step["binding"],
                }
            )
    return {
        "id": name, "graph_structure": structure, "hop_count": structure.count("-") or 1, "subgraph": facts_of(*facts),
        "space_search_process": process, "temporal_constraints": constraints, "temporal_constraint_count": len(constraints),
        "raw_question": f"Which entity of {structure} is meant?", "final_question": f"Who is meant by {structure}?",
        "answer": LABELS[answer],
        "metadata": {"answer_id": answer, "seed": seed, "template_id": "t"},
    }  # fmt: skip


AT_ARN = {"seed_mode": "ro", "fixed_relation": PLAYS, "fixed_object": "Q10"}
PLAYERS = [0, 1, 2, 3, 4]
ONE_HOP = authors_record(
    "A->B",
    AT_ARN,
    [
        {"kind": "base", "fids": PLAYERS},
        {
            "kind": "temporal_filter", "code": "tr-13", "fids": [4, 2],
            "binding": {"allen_code": "tr-13", "reference_entity": "Q2", "reference_entity_text": "Bo Lind", "reference_fact_fid": 1,
                        "qualifying_histories": {"Q5": [[4]]}},
        },
    ],
    "Q5",
    PLAYERS,
)  # fmt: skip
BRANCH = authors_record(
    "C<-A->B",
    AT_ARN,
    [
        {"kind": "base", "fids": PLAYERS},
        {"kind": "backward_filter", "fids": [1, 2, 5, 6]},
        {
            "kind": "temporal_filter", "code": "tr-11", "fids": [1, 5],
            "binding": {"allen_code": "tr-11", "backward_relation": PLAYS, "backward_object": "Q11"},
        },
    ],
    "Q2",
    [*PLAYERS, 5, 6],
)  # fmt: skip
COACHES = [7, 8, 9]
CHAIN = authors_record(
    "A->B->C",
    {"seed_mode": "sr", "fixed_relation": COACHED, "fixed_subject": "Q10"},
    [
        {"kind": "base", "fids": COACHES},
        {"kind": "temporal_filter", "code": "tr-11", "fids": [8, 11], "binding": {"allen_code": "tr-11", "forward_relation": LED}},
        {"kind": "forward_transition", "fids": [8, 11, 12]},
        {"kind": "temporal_filter", "code": "start_rank", "fids": [8, 11], "binding": {"multi_event_type": "start_rank", "rank": 1}},
    ],
    "Q30",
    [*COACHES, 10, 11, 12],
)


def audited(graph: TemporalGraph, folder: Path, *records: Json) -> AuditReport:
    return audit_file(write_jsonl(folder / "theirs.jsonl", records), graph, FileFormat.RELEASE)


def trace_of(record: Json) -> Trace:
    return rebuild_trace(ReleaseRecord.model_validate(record), Granularity.YEAR)


def test_the_numbers_of_the_facts_are_their_lines() -> None:
    assert [fid(*fact) for fact in FACTS] == list(range(len(FACTS)))


def test_a_constraint_against_another_candidate_is_one_with_a_reference() -> None:
    trace = trace_of(ONE_HOP)
    step = trace.steps[1]
    assert isinstance(step, PairwiseStep)
    assert (trace.steps[0].pattern, step.operator, step.left, step.right) == (("?a", PLAYS, "Q10"), "I-after-I", "f1", "g1")  # type: ignore[union-attr]
    assert (trace.references["g1"].subject, trace.references["g1"].start) == ("Q2", "1996")


def test_a_branch_is_filtered_by_what_its_constraint_is_bound_to() -> None:
    trace = trace_of(BRANCH)
    assert [step.pattern for step in trace.steps[:2]] == [("?a", PLAYS, "Q10"), ("?a", PLAYS, "Q11")]  # type: ignore[union-attr]
    step = trace.steps[2]
    assert isinstance(step, PairwiseStep)
    assert (step.operator, step.left, step.right) == ("I-overlapped-by-I", "f1", "f2")


def test_a_constraint_on_the_next_fact_stands_after_the_transition_to_it() -> None:
    trace = trace_of(CHAIN)
    assert [step.action for step in trace.steps] == ["root", "forward_transition", "temporal_filter", "temporal_filter"]
    root, transition, pairwise, ordinal = trace.steps
    assert (root.pattern, transition.pattern) == (("Q10", COACHED, "?a"), ("?a", LED, "?b"))  # type: ignore[union-attr]
    assert isinstance(pairwise, PairwiseStep)
    assert isinstance(ordinal, OrdinalStep)
    assert (pairwise.left, pairwise.right, ordinal.fact, ordinal.order) == ("f1", "f2", "f2", "ascending")


def test_a_constraint_on_a_fact_off_the_path_is_a_step_of_its_own(graph: TemporalGraph, tmp_path: Path) -> None:
    record = copy.deepcopy(CHAIN)
    first = {"step_index": 10, "code": "tr-13", "support_fids": [8], "binding": {"allen_code": "tr-13", "forward_relation": PLAYS}}
    record["space_search_process"].insert(1, {"step_index": 10, "operation": "temporal_filter", "support_fids": [8]})
    record["temporal_constraints"].insert(0, first)
    record["temporal_constraint_count"] += 1
    trace = trace_of(record)
    assert [step.action for step in trace.steps] == [
        "root", "forward_transition", "structural_filter", "temporal_filter", "temporal_filter", "temporal_filter",
    ]  # fmt: skip
    assert trace.steps[2].pattern == ("?a", PLAYS, "?s1")  # type: ignore[union-attr]
    report = audited(graph, tmp_path, record)
    assert [row.why for row in report.defects] == ["the graph gives no answer instead of Ima Ward"]


def test_good_records_are_clean_and_all_checks_are_made(graph: TemporalGraph, tmp_path: Path) -> None:
    report = audited(graph, tmp_path, ONE_HOP, BRANCH | {"id": 2})
    assert (report.records, report.single, report.unchecked) == (2, 2, ())
    assert report.defects == ()


def test_a_chain_whose_structure_alone_gives_the_answer_has_constraints_that_do_not_matter(graph: TemporalGraph, tmp_path: Path) -> None:
    rows = audited(graph, tmp_path, CHAIN).defects
    assert {row.kind for row in rows} == {DefectKind.NOT_NEEDED}
    assert [row.why for row in rows] == [
        "without c1 I-overlapped-by-I the graph gives the same answer",
        "without c2 start_rank the graph gives the same answer",
    ]


def test_a_false_code_is_found_by_the_stored_end_points(graph: TemporalGraph, tmp_path: Path) -> None:
    record = copy.deepcopy(BRANCH)
    record["temporal_constraints"][0]["code"] = "tr-1"
    (row,) = audited(graph, tmp_path, record).defects
    assert (row.kind, row.why) == (
        DefectKind.FALSE_OPERATOR,
        "c1 I-before-I does not hold for Bo Lind: 1996 to 1999 against 1992 to 1997",
    )


def test_a_second_spell_of_the_reference_makes_it_ambiguous(tmp_path: Path) -> None:
    graph = made_graph(tmp_path / "graph", (*FACTS, ("Q2", PLAYS, "Q10", 1985, 1988)))
    (row,) = audited(graph, tmp_path, ONE_HOP).defects
    assert row.kind is DefectKind.AMBIGUOUS_REFERENCE
    assert row.why.startswith("2 facts are described like g1: (Q2, P1, Q10")


def test_evidence_of_the_answer_alone_reveals_nothing(graph: TemporalGraph, tmp_path: Path) -> None:
    record = ONE_HOP | {"subgraph": facts_of(4, 1)}
    (row,) = audited(graph, tmp_path, record).defects
    assert row.kind is DefectKind.SILENT_EVIDENCE


def test_an_ordinal_between_two_equal_starts_is_a_tie(tmp_path: Path) -> None:
    graph = made_graph(tmp_path / "graph", (*FACTS, ("Q10", LED, "Q22", 1998, 1999), ("Q10", LED, "Q20", 1998, 2000)))
    steps = [
        {"kind": "base", "fids": []},
        {"kind": "temporal_filter", "code": "start_rank", "fids": [], "binding": {"multi_event_type": "start_rank", "rank": 1}},
    ]
    record = authors_record("A->B", {"seed_mode": "sr", "fixed_relation": LED, "fixed_subject": "Q10"}, steps, "Q22", [])
    (row,) = audited(graph, tmp_path, record).defects
    assert (row.kind, row.why) == (DefectKind.TIE, "c1 start_rank 1 ascending: a tie decides among 2 ranked")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"graph_structure": "A->B->C->D->E"}, "none of the four templates"),
        ({"space_search_process": ["root: member of team -> FC Arn | 5 candidates"]}, "sentences"),
        ({"space_search_process": []}, "is empty"),
        ({"temporal_constraints": []}, "no entry in temporal_constraints"),
        ({"temporal_constraints": [*ONE_HOP["temporal_constraints"], *BRANCH["temporal_constraints"]]}, "more than the steps"),
        ({"temporal_constraints": [{"code": "tr-99", "binding": {}}]}, "no code of the released list"),
        ({"temporal_constraints": [{"code": "tr-1", "binding": {}}]}, "does not say what it compares with"),
        ({"temporal_constraints": [{"code": "start_rank", "binding": {"rank": "first"}}]}, "does not say which rank"),
        ({"temporal_constraints": [{"code": "start_rank", "binding": {"rank": 1, "order": []}}]}, "no known order"),
        ({"temporal_constraints": [{"code": "tr-1", "binding": {"left": ["f1"], "right": {}}}]}, "does not say what it compares with"),
        ({"temporal_constraints": [{"code": "tr-1", "binding": {"reference_fact_fid": 77}}]}, "not in the subgraph"),
        ({"metadata": {}, "subgraph": []}, "which pattern is the root"),
    ],
)
def test_what_cannot_be_checked_is_said_and_why(graph: TemporalGraph, tmp_path: Path, change: Json, why: str) -> None:
    record = ONE_HOP | change
    with pytest.raises(NotRebuilt, match=why):
        trace_of(record)
    report = audited(graph, tmp_path, record)
    unchecked = [each for each in report.unchecked if each.kinds == EXECUTED]
    assert [each.records for each in unchecked] == [1]
    assert why in unchecked[0].reason
    assert {rate.kind: rate.all.of for rate in report.kinds} == {kind: int(kind not in EXECUTED) for kind in DefectKind}
    assert any("not checked for 1 record " in line and why in line for line in report.lines())


def test_the_root_is_read_from_the_facts_where_no_seed_is_named() -> None:
    assert trace_of(ONE_HOP | {"metadata": {}}) == trace_of(ONE_HOP)
    assert trace_of(CHAIN | {"metadata": {}}) == trace_of(CHAIN)


def test_the_answer_is_found_by_its_label_where_no_id_is_named(graph: TemporalGraph, tmp_path: Path) -> None:
    seed = {"seed": ONE_HOP["metadata"]["seed"]}
    assert audited(graph, tmp_path, ONE_HOP | {"metadata": seed}).defects == ()
    other = audited(graph, tmp_path, ONE_HOP | {"metadata": seed, "answer": "Nobody Here"})
    assert DefectKind.NOT_UNIQUE in other.unchecked[0].kinds
    assert "no entity of the record is called like its answer" in other.unchecked[0].reason
