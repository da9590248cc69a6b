"""The same graph, config and seed give the same bytes, whatever else differs. Trap E02."""

from __future__ import annotations

import gzip
import hashlib
import os
import subprocess
import sys
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

import pytest

from graph_sampler import load
from graph_sampler.load import load_graph
from graph_sampler.proposals import Proposal, Root
from graph_sampler.sampler import Sample, Worker, sample_traces
from graph_sampler.skeleton import roots
from graph_sampler.temporal_graph import TemporalGraph
from state.config import Config, GraphConfig
from state.instance import BenchmarkRecord
from tests.small_samples import configure

YEARS = Path(load.__file__).parent / "data" / "years"
ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
import hashlib, sys
from graph_sampler.load import load_graph
from graph_sampler.sampler import sample_traces
from state.config import Config
config = Config.model_validate_json(sys.stdin.read())
print(hashlib.sha256(b"\\n".join(sample_traces(load_graph(config.graph)[0], config).lines)).hexdigest())
"""


def few_roots(folder: Path = YEARS, **sampler: Any) -> Config:
    """Some seventeen roots, in more chunks than one, of the shipped graph or of one like it."""
    config = configure(folder, caps={"seed_min": 9, "seed_max": 9, "skeletons_per_root": 2}, **({"target": 60} | sampler))
    return config.model_copy(update={"graph": GraphConfig(path=str(folder), name="years")})


def draw(config: Config) -> Sample:
    return sample_traces(load_graph(config.graph)[0], config)


@pytest.fixture(scope="module")
def expected() -> Sample:
    return draw(few_roots())


def test_a_worker_brings_every_index_of_its_graph_so_that_forked_ones_share_them() -> None:
    config = few_roots()
    graph = Worker(load_graph(config.graph)[0], config).graph
    indexes = {name for name, value in vars(TemporalGraph).items() if isinstance(value, cached_property) and name.startswith("_")}
    assert indexes
    assert indexes <= vars(graph).keys()


def rewrite(source: Path, folder: Path, rng: Random, *, compress: bool) -> Path:
    """The same graph with its lines in another order, plain or compressed."""
    folder.mkdir()
    for path in source.glob("*.txt"):
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        rng.shuffle(lines)
        content = "".join(lines).encode("utf-8")
        (folder / (path.name + ".gz" * compress)).write_bytes(gzip.compress(content) if compress else content)
    return folder


def test_the_sample_is_not_small(expected: Sample) -> None:
    assert len(expected.lines) == len(set(expected.lines)) == 60
    assert expected.lines == sorted(expected.lines)
    assert expected.coverage.roots_seen > 8


@pytest.mark.parametrize("workers", [2, 3])
def test_the_number_of_workers_changes_no_byte(expected: Sample, workers: int) -> None:
    found = draw(few_roots(workers=workers))
    assert found.lines == expected.lines
    assert found.coverage == expected.coverage


@pytest.mark.slow
def test_the_hash_seed_changes_no_byte(expected: Sample) -> None:
    digest = hashlib.sha256(b"\n".join(expected.lines)).hexdigest()
    config = few_roots().model_dump_json()
    for seed in ("0", "1", "random"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT], input=config, env=environment, capture_output=True, text=True, timeout=120, check=True
        )
        assert done.stdout.strip() == digest, seed


@pytest.mark.parametrize("compress", [False, True])
def test_the_order_and_the_compression_of_the_input_change_no_byte(expected: Sample, tmp_path: Path, compress: bool) -> None:
    folder = rewrite(YEARS, tmp_path / "other", Random(8), compress=compress)
    assert draw(few_roots(folder)).lines == expected.lines


def test_the_seed_matters(expected: Sample) -> None:
    ids, other = ({BenchmarkRecord.model_validate_json(line).id for line in found.lines} for found in (expected, draw(few_roots(seed=1))))
    assert len(ids - other) > len(ids) / 2


def test_an_unrelated_entity_leaves_the_proposals_of_other_roots_as_they_were(tmp_path: Path) -> None:
    """Its ids sort before, between and after the others, so every number in the store moves."""
    folder = rewrite(YEARS, tmp_path / "more", Random(1), compress=False)
    strangers = ("A-0001", "m-0002", "zz-0003")
    facts = "".join(
        f"{one}\t{relation}\t{other}\t{year}\t{year + span}\n"
        for one, other in zip(strangers, strangers[1:] + strangers[:1], strict=True)
        for relation, year, span in (("married-to", 1950, 20), ("award-received", 1960, 0), ("educated-at", 1940, 4))
    )
    for name, text in (("full.txt", facts), ("wd_id2entity_text.txt", "".join(f"{key}\tStranger {key[0]}oo\n" for key in strangers))):
        with (folder / name).open("a", encoding="utf-8") as file:
            file.write(text)
    before, after = (Worker(load_graph(config.graph)[0], config) for config in (few_roots(), few_roots(folder)))
    assert len(after.graph) == len(before.graph) + 9
    drawn = Random(2).sample(_roots(before), 10)
    count = 0
    for root in drawn:
        proposals = before.proposer.propose(root).proposals
        moved = after.proposer.propose(_renumbered(root, before.graph, after.graph)).proposals
        assert _lines(before, proposals) == _lines(after, moved)
        count += len(proposals)
    assert count > 100


def _roots(worker: Worker) -> list[Root]:
    return roots(worker.graph, 6, 9, worker.proposer.names.meta_relations, worker.proposer.names.meta_entities)


def _renumbered(root: Root, before: TemporalGraph, after: TemporalGraph) -> Root:
    relation, is_subject, fixed = root
    moved = after.relation_ids.index(before.relation_ids[relation]), is_subject, after.entity_ids.index(before.entity_ids[fixed])
    assert moved != root
    return moved


def _lines(worker: Worker, proposals: list[Proposal]) -> list[bytes]:
    """The records of proposals, but for the graph's own hash."""
    return [line.replace(worker.graph.content_hash.encode(), b"") for _, line in worker.render((each.id, each.spec) for each in proposals)]
