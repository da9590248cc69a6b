"""Single questions of an evaluation: all of them with their scores in a file, and some on the page to filter."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.generators.failures import NOT_ASKED
from evaluation.generators.items import MeasuredRow, reference_of
from evaluation.generators.rows import RowKind
from evaluation.generators.score_tables import labels
from evaluation.metrics.bleu import ORDER
from evaluation.metrics.scores import MEANS
from evaluation.pages.page_parts import MOST_EXPLORED, SEPARATOR, Explorer, Setting
from evaluation.pages.rate_text import NOTHING
from evaluation.pages.tables import Table, rounded
from evaluation.study.show_commands import open_command
from state.instance import BenchmarkRecord
from state.vocabulary import Difference

SCORES = (
    *(f"matches {order}" for order in range(1, ORDER + 1)),
    *(f"n-grams {order}" for order in range(1, ORDER + 1)),
    *("tokens", "reference tokens"),
    *MEANS,
)
"""What of each question stands in the file; the counts sum to those of the corpus."""


def scores_table(measured: Sequence[MeasuredRow]) -> Table:
    """Every question of every row that has scores, at full precision."""
    header = ("id", "dataset", "method", "model", "kind", *SCORES, "leaks", "differences")
    rows = []
    for one in measured:
        if one.scores is not None:
            head = (one.dataset.name, *labels(one.name), one.row.kind.value)
            lines = zip(one.dataset.records, one.scores.counts.tolist(), one.scores.means.tolist(), one.leaks, one.failures, strict=True)
            for record, counts, means, leaks, failure in lines:
                said = NOT_ASKED if failure is None else SEPARATOR.join(failure.labels)
                rows.append((record.id, *head, *map(str, counts), *map(repr, means), "yes" if leaks else "no", said))
    return Table("questions", "Every question", header, tuple(rows))


def explorer(measured: Sequence[MeasuredRow]) -> Explorer | None:
    """Records with the questions of all rows to filter; of very many, those whose constraints some question missed come first.

    `None` if there is no row.
    """
    if not measured:
        return None
    failed = {
        (one.dataset.name, record.id)
        for one in measured
        if one.row.kind is not RowKind.REFERENCE
        for record, failure in zip(one.dataset.records, one.failures, strict=True)
        if failure is not None and set(failure.labels) & set(Difference)
    }
    datasets = list({one.dataset.name: one.dataset for one in measured}.values())
    every = [(dataset.name, record) for dataset in datasets for record in dataset.records]
    kept = sorted(every, key=lambda item: (item[0], item[1].id) not in failed)[:MOST_EXPLORED]
    kept.sort(key=lambda item: (item[0], item[1].id))
    settings = []
    for one in measured:
        places = {record.id: place for place, record in enumerate(one.dataset.records)}
        answers = tuple(_answer(one, places[record.id]) if dataset == one.dataset.name else None for dataset, record in kept)
        settings.append(
            Setting(f"{one.name.name} on {one.dataset.name}", open_command(one.row.address) if one.row.address else "", answers)
        )
    left_out = len(every) - len(kept)
    return Explorer(
        item_columns=("id", "template", "operators", "reference"),
        answer_columns=("differs", "smoothed BLEU-4", "question"),
        filters=("template", "operators", "differs"),
        items=tuple(_item(record) for _, record in kept),
        settings=tuple(settings),
        note=f"{left_out} records are not on this page; tables/questions.csv has all." if left_out else "",
        several=("operators", "differs"),
        setting="row",
    )


def _item(record: BenchmarkRecord) -> tuple[str, ...]:
    return record.id, record.graph_structure.value, SEPARATOR.join(dict.fromkeys(record.operators)), reference_of(record)


def _answer(one: MeasuredRow, place: int) -> tuple[str, ...]:
    failure = one.failures[place]
    said = NOT_ASKED if failure is None else SEPARATOR.join(failure.labels)
    smoothed = None if one.scores is None else float(one.scores.means[place, MEANS.index("sentence_bleu4_m1")])
    question = one.row.predictions[one.dataset.records[place].id]
    return said, NOTHING if smoothed is None else rounded(smoothed, 3), question or NOTHING
