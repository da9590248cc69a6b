"""Accepted questions about a small invented table, as a build keeps them, and a model that knows some of the answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from runs.json_lines import model_line
from state.instance import Backend
from state.table_instance import ShownRow, ShownTable, TableInstance, TableProvenance
from state.tdbench_question import Question
from tests.fake_openai_server import Reply

MAYORS = (
    ("Arn", "Ana Roy", "1990", "1999"),
    ("Arn", "Bo Lind", "1999", "2009"),
    ("Arn", "Cy Moe", "2009", None),
    ("Fenn", "Ida Holt", "1995", "2005"),
    ("Fenn", "Jon Abt", "2005", None),
)
"""Town, mayor, first year, end."""


def instance(
    number: int,
    town: str,
    gold: tuple[str, ...],
    *,
    relation: str | None = "after",
    kind: str = "relation",
    checked: str = "start",
    phrasing: int = 1,
    open_end: str = "ongoing",
    text: str | None = None,
    hops: int = 1,
) -> TableInstance:
    """A question about the mayors of a town, answered by these."""
    rows = [{"values": {"name": name}, "start": start, "end": end} for place, name, start, end in MAYORS if place == town]
    question = Question.model_validate({
        "id": f"mayors-{number:012x}",
        "table": "mayors",
        "domain": "towns",
        "granularity": "year",
        "dependency": {"determinants": ["town"], "dependent": "name"},
        "kind": kind,
        "relation": relation,
        "semantics": "strict",
        "determinants": {"town": town},
        "reference": None,
        "comparisons": [],
        "sql": "SELECT name",
        "parameters": [],
        "gold": [row for row in rows if row["values"]["name"] in gold],
        "distractors": [row for row in rows if row["values"]["name"] not in gold],
        "cardinality": ("none", "unique", "multiple")[min(len(gold), 2)],
        "time_checked": checked,
        "hops": hops,
    })  # fmt: skip
    shown = ShownTable(
        name="mayors",
        columns=("town", "mayor"),
        ends="exclusive",
        open_end=open_end,  # type: ignore[arg-type]
        rows=tuple(ShownRow(values=(place, name), start=start, end=end) for place, name, start, end in MAYORS),
    )
    return TableInstance(
        id=f"{question.id}.{phrasing}",
        dataset="towns",
        phrasing=phrasing,
        question=question,
        sql="SELECT name",
        glossary={"name": "mayor"},
        evidence=(shown,),
        as_of="2020-01-01",
        final_question=text or f"Question {number}.{phrasing} about {town}?",
        backend=Backend(rewriter="m", verifier="m"),
        provenance=TableProvenance(content_hash="0" * 64, seed=0, version="0"),
    )


INSTANCES = (
    instance(1, "Arn", ("Bo Lind",), checked="start"),
    instance(2, "Arn", ("Bo Lind",), relation="during", checked="both"),
    instance(3, "Arn", ("Cy Moe",), relation=None, kind="now"),
    instance(4, "Fenn", ("Jon Abt",), relation=None, kind="now"),
    instance(5, "Fenn", (), relation="before", checked="end"),
    instance(6, "Arn", ("Ana Roy", "Bo Lind"), relation=None, kind="basic", checked="both"),
    instance(1, "Arn", ("Bo Lind",), checked="start", phrasing=2),
)
RIGHT = {
    "mayors-000000000001.1": "Bo Lind, from 1999 to 2009.",
    "mayors-000000000001.2": "Bo Lind, from 1999 to 2009.",
    "mayors-000000000002.1": "Bo Lind, from 1999 to 2009.",
    "mayors-000000000003.1": "Cy Moe, from 2009 to the present.",
    "mayors-000000000004.1": "Jon Abt, from 2005 to the present.",
    "mayors-000000000005.1": "no answer",
    "mayors-000000000006.1": "Ana Roy, from 1990 to 1999. Bo Lind, from 1999 to 2009.",
}
"""Id -> a reply that is right in all."""


def write_run(path: Path) -> Path:
    """The part of a finished build that is asked: its benchmark."""
    (path / "benchmark").mkdir(parents=True)
    lines = b"".join(model_line(one) + b"\n" for one in sorted(INSTANCES, key=lambda one: one.id))
    (path / "benchmark" / "towns.jsonl").write_bytes(lines)
    return path


def asked_for(body: Mapping[str, Any]) -> TableInstance:
    """The instance that a request is about."""
    text = body["messages"][1]["content"]
    return next(one for one in INSTANCES if json.dumps(one.final_question) in text)


def is_judged(body: Mapping[str, Any]) -> bool:
    """Whether a request is a judge's."""
    return "You judge a reply" in body["messages"][0]["content"]


@dataclass
class Mayors:
    """A model: it answers as it is told, and as a judge says yes to a reply that names a gold answer, and half of its dates."""

    replies: dict[str, str] = field(default_factory=lambda: dict(RIGHT))
    """Id -> reply; an empty one of others."""

    def __call__(self, body: dict[str, Any]) -> Reply:
        one = asked_for(body)
        if not is_judged(body):
            return Reply(content=self.replies.get(one.id, ""))
        reply = self.replies.get(one.id, "")
        named = any(name in reply for name in one.answers) if one.answers else "no answer" in reply
        return Reply(content=json.dumps({"answer": "yes" if named else "no", "time": "half" if named else "no"}))
