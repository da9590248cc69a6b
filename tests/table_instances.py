"""Small invented instances about temporal tables; nobody in them exists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from state.interval import Granularity
from state.table_instance import ShownRow, ShownTable, TableInstance, TableProvenance
from state.tdbench_config import Dependency
from state.tdbench_question import AllenRelation, AnswerRow, Cardinality, Checked, DateComparison, Kind, Question, Reference

SQL = (
    'SELECT "Name", "Start", "End" FROM "mill_heads" '
    "WHERE \"Mill\" = 'Fenn Mill' AND \"Role\" = 'head miller' AND \"Start\" > '1988' AND \"End\" < '2001'"
)
TABLE_QUESTION = "Who was head miller of Fenn Mill from some time after 1988 until before 2001?"


def make_instance(answers: Sequence[str] = ("Bo Lind", "Cy Moe"), **changed: Any) -> TableInstance:
    """A question about the heads of a mill, with one distractor and one foil.

    Args:
        answers: who answers.
        changed: fields of the instance or, where they are its question's, of that.
    """
    gold = tuple(
        AnswerRow(values={"Name": name}, start=str(1990 + 3 * place), end=str(1993 + 3 * place)) for place, name in enumerate(answers)
    )
    distractors = (AnswerRow(values={"Name": "Dee Hay"}, start="1999", end=None),)
    question: dict[str, Any] = {
        "id": "mill_heads-0123456789ab",
        "table": "mill_heads",
        "domain": "mills",
        "granularity": Granularity.YEAR,
        "dependency": Dependency(determinants=("Mill", "Role"), dependent="Name"),
        "kind": Kind.RELATION,
        "relation": AllenRelation.DURING,
        "semantics": "strict",
        "determinants": {"Mill": "Fenn Mill", "Role": "head miller"},
        "reference": Reference(start="1988", end="2001"),
        "comparisons": (DateComparison(bound="start", operator=">", date="1988"), DateComparison(bound="end", operator="<", date="2001")),
        "sql": "SELECT ...",
        "parameters": ("Fenn Mill", "head miller", 1988, 2001),
        "gold": gold,
        "distractors": distractors,
        "cardinality": (Cardinality.NONE, Cardinality.UNIQUE, Cardinality.MULTIPLE)[min(len(answers), 2)],
        "time_checked": Checked.BOTH,
    }
    question |= {name: changed.pop(name) for name in list(changed) if name in question and name not in TableInstance.model_fields}
    own = [ShownRow(values=("Fenn Mill", "head miller", row.values["Name"]), start=row.start, end=row.end) for row in (*gold, *distractors)]
    foil = ShownRow(values=("Arn Mill", "head miller", "Eve Orr"), start="1990", end="1996")
    fields: dict[str, Any] = {
        "dataset": "mills",
        "phrasing": 1,
        "sql": SQL,
        "glossary": {"Mill": "mill", "Role": "role", "Name": "name", "Start": "start", "End": "end"},
        "evidence": (
            ShownTable(name="mill_heads", columns=("mill", "role", "name"), ends="exclusive", open_end="ongoing", rows=(foil, *own)),
        ),
        "as_of": "2020",
        "final_question": None,
        "backend": None,
        "provenance": TableProvenance(content_hash="0" * 64, seed=0, version="0"),
    } | changed  # fmt: skip
    return TableInstance(id=f"{question['id']}.{fields['phrasing']}", question=Question(**question), **fields)
