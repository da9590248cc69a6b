"""An evaluation whose scores are known: invented records with references of our choice, and rows of planted questions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evaluation.generators.rows import Dataset, Row, RowKind
from state.instance import Backend, BenchmarkRecord
from tests.sample_record import make_record

PAIRS: tuple[tuple[str, str], ...] = (
    ("Which club did Ana Silva join after 2004?", "Which club did Ana Silva join after 2004?"),
    ("Which club did Ana Silva join before 2004?", "Which club did Ana Silva join after 2004?"),
    ("Who led Norway's Labour Party?", "Who led Norway's Labour Party while Oslo hosted the winter congress?"),
    ("Who chaired the harbour board after Lena Voss?", "Who chaired the harbour board after Lena Voss but before Omar Haddad?"),
    (
        "Who chaired the harbour board after Lena Voss and Omar Haddad?",
        "Who chaired the harbour board after Lena Voss but before Omar Haddad?",
    ),
    (
        "Who won the river prize in the same year as Ida Holm but not in the same year as Juan Prado?",
        "Who won the river prize in the same year as Ida Holm?",
    ),
    ("the the the the the the the", "the cat is on the mat"),
    (
        "Who studied at Bergen while also enrolled at Lund?",
        "Which person was educated at Bergen during a period that overlapped the Lund period?",
    ),
    ("Who succeeded Kwame Boateng?", "Which minister took the office right after Kwame Boateng stepped down?"),
    ("totally unrelated words here now", "which person held that office ?"),
    ("Who preceded Zoë Müller?", "Who succeeded Zoë Müller?"),
)
"""Written question and reference: the pairs whose scores other programs computed."""


def dataset(
    name: str, references: Sequence[str], *, source: str = "sample", rewriter: str = "gpt-test", groups: int | None = None
) -> Dataset:
    """Records with these references, each a group of its own or so many groups in turn."""
    backend = Backend(rewriter=rewriter, verifier=rewriter)
    records = tuple(
        make_record(number=number).model_copy(update={"id": f"{name}-{number:03}", "final_question": reference, "backend": backend})
        for number, reference in enumerate(references)
    )
    return of_records(name, records, source=source, groups=groups)


def of_records(name: str, records: Iterable[BenchmarkRecord], *, source: str = "sample", groups: int | None = None) -> Dataset:
    """A dataset of these records."""
    ordered = tuple(sorted(records, key=lambda record: record.id))
    return Dataset(name, source, ordered, {record.id: str(number % (groups or len(ordered))) for number, record in enumerate(ordered)})


def row(of: Dataset, questions: Sequence[str] | Mapping[str, str], method: str = "zero_shot", **others: Any) -> Row:
    """A row of these questions, one for each record in order, or by id."""
    by_id = questions if isinstance(questions, Mapping) else dict(zip((record.id for record in of.records), questions, strict=True))
    own: dict[str, Any] = {"label": method.replace("_", "-"), "model": "mini", "kind": RowKind.METHOD} | others
    return Row(method=method, dataset=of.name, predictions=by_id, **own)


def references(of: Dataset) -> list[str]:
    """The references of a dataset, in order."""
    return [record.final_question or "" for record in of.records]
