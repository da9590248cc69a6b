"""Real graphs through their loaders: the counts that their description gives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from graph_sampler.load import load_graph
from graph_sampler.loaders.registry import guess_formats
from state.config import GraphConfig
from state.graph_report import CleaningReport
from tests.row_account import is_complete

LABELS = {
    "entity_labels": {"path": "cronkg/wd_id2entity_text.txt.gz"},
    "relation_labels": {"path": "cronkg/wd_id2relation_text.txt"},
}


def report(folder: Path, path: str, layout: str, **settings: Any) -> CleaningReport:
    for key, table in settings.items():
        if key.endswith("_labels"):
            settings[key] = {**table, "path": str(folder / table["path"])}
    return load_graph(GraphConfig.model_validate({"path": str(folder / path), "format": layout, **settings}))[1]


CASES: dict[str, tuple[str, dict[str, Any], int, dict[str, int]]] = {
    # path: layout, settings, rows of the source, counters
    "cronkg_mini": ("cronkg", {}, 25031, {"unknown_start": 278, "unknown_end": 1440, "open_end": 4, "start_after_end": 119}),
    "timequestions_kg/facts_labelled.tsv.gz": (
        "table",
        {"unknown_dates": {"start": ("1",), "end": ("2916",)}},
        24491,
        {"untimed": 6433, "unknown_start": 6970, "unknown_end": 8341, "start_after_end": 13, "sentinel": 8878, "unlabelled_entity": 1},
    ),
    "yago11k": ("hyte", {"granularity": "day"}, 20509, {"unknown_end": 8997, "coarse": 15547, "start_after_end": 70, "bad_date": 2}),
    "wikidata12k": (
        "hyte",
        {"entity_labels": LABELS["entity_labels"]},
        40621,
        {"unknown_start": 1405, "unknown_end": 4735, "start_after_end": 10, "unlabelled_entity": 5569},
    ),
    "yago15k": (
        "mmkb",
        {},
        13815,
        {"untimed": 10180, "unknown_start": 10180, "unknown_end": 10773, "start_after_end": 4, "joined_halves": 1521},
    ),
    "mmkb_wikidata": (
        "mmkb",
        LABELS,
        28657,
        {
            "literal_object": 16983, "duplicate_exact": 35, "unknown_start": 4543, "unknown_end": 4958, "start_after_end": 75,
            "unlabelled_entity": 2875, "ambiguous_pairing": 1481,
            "joined_halves": 1069,
        },
    ),
    "icews14": ("icews", {"granularity": "day"}, 17904, {}),
    "cr_tkgqa": ("multitq", {}, 22906, {"duplicate_exact": 203}),
    "cronkg/facts_labelled_sample.tsv": ("table", {}, 388, {}),
}  # fmt: skip


@pytest.mark.parametrize("path", CASES)
def test_a_real_graph_imports_with_the_counts_of_its_description(shared_data: Path, path: str) -> None:
    layout, settings, rows, counts = CASES[path]
    assert layout in guess_formats(shared_data / path)
    found = report(shared_data, path, layout, **settings)
    assert found.source is not None
    assert found.source.rows == rows
    assert found.source.counters == counts
    assert found.rows == found.facts + sum(found.dropped.values())
    assert is_complete(found)
    assert found.facts > 0


def test_points_intervals_and_reversed_rows_of_the_realistic_graph_are_those_described(shared_data: Path) -> None:
    # By default `3000` means "still holds"; here it is 3000 BC without its minus sign.
    found = report(shared_data, "cronkg_mini", "cronkg", open_dates=(), typing={"point_share": 0, "interval_share": 0})
    points, all_facts = (sum(counts) for counts in zip(*((row.one_granule, row.facts) for row in found.relations), strict=True))
    assert (points, all_facts - points) == (14772, 8419)
    assert found.source is not None
    assert found.source.counters["start_after_end"] == 122
