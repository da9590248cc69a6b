"""Small graphs of careers full of awkward rows, and the real sampler's records of them.

Ten people or so in a dozen years: repeated spells, one-granule intervals, shared and unusable labels,
reversed, unknown and coarse bounds are common, and chains three hops deep exist.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from graph_sampler.load import load_graph
from graph_sampler.sampler import sample_traces
from state.config import Caps, Config, GraphConfig, Quotas, SamplerConfig
from state.errors import SamplingError
from state.instance import BenchmarkRecord
from tests.strategies import Row, write_cronkg

SYLLABLES = [first + last for first in ("Ka", "Lo", "Mi", "Nu", "Re", "So", "Ti", "Va") for last in ("bor", "dan", "fel", "gus", "han")]
RELATIONS = {"P1": "prize", "P2": "beaten by", "P3": "member of", "P4": "married to", "P5": "coached by"}
TYPES = {"P1": "P", "P2": "P", "P3": "I", "P4": "I", "P5": "I"}
LIFTED: dict[str, Any] = {
    "per_root": 10_000, "per_anchor": 10_000, "per_answer": 10_000, "relation_share": 1, "one_granule_boundary_share": 1,
    "first_hop_only_share": 1, "same_relation_chain_share": 1,
}  # fmt: skip
"""Caps that choose nothing away."""


def write_careers(folder: Path, rng: Random) -> Path:
    """A random graph of careers in CronKG layout."""
    people = [f"Q1{number:02}" for number in range(rng.randint(7, 11))]
    clubs, prizes = ["Q20", "Q21", "Q22"], ["Q30", "Q31"]
    rows: list[Row] = []

    def add(subject: str, relation: str, object_: str) -> None:
        start = rng.randint(1990, 2002)
        end = start if TYPES[relation] == "P" else start + rng.choice((0, 1, 1, 2, 3, 5))
        bounds = str(start), str(end)
        if rng.random() < 0.08:
            bounds = rng.choice(((bounds[1], bounds[0]), ("None", bounds[1]), (bounds[0], ""), ("199#", bounds[1]), ("soon", bounds[1])))
        rows.append((subject, relation, object_, *bounds))

    for person in people:
        for club in rng.sample(clubs, rng.choice((1, 1, 2))):
            for _ in range(1 + (rng.random() < 0.12)):
                add(person, "P3", club)
        for prize in rng.sample(prizes, rng.choice((0, 1, 1, 2))):
            add(person, "P1", prize)
        if rng.random() < 0.5:
            add(person, "P4", rng.choice(people))
        if rng.random() < 0.6:
            add(rng.choice(people), "P2", person)
        if rng.random() < 0.8:
            add(rng.choice(clubs[:2]), "P5", person)
    return write_cronkg(folder, rows, _labels([*people, *clubs, *prizes], rng), RELATIONS, TYPES)


def write_rows(folder: Path, rows: Sequence[tuple[str, str, str, int | str, int | str]], labels: Mapping[str, str] | None = None) -> Path:
    """A graph of given rows with the relations of careers; entities are labelled by syllables unless named."""
    entities = sorted({entity for row in rows for entity in (row[0], row[2])})
    given = {entity: f"{SYLLABLES[n % 40]} {SYLLABLES[(7 * n + 3) % 40]}" for n, entity in enumerate(entities)}
    texts: list[Row] = [(*row[:3], str(row[3]), str(row[4])) for row in rows]
    return write_cronkg(folder, texts, given | dict(labels or {}), RELATIONS, TYPES)


def configure(
    folder: Path | str, *, caps: Mapping[str, Any] | None = None, quotas: Mapping[str, Any] | None = None, **sampler: Any
) -> Config:
    """A config that samples a graph with small seeds and no cap that chooses."""
    settings = SamplerConfig(
        **({"target": 150} | sampler),
        caps=Caps(**({"seed_min": 4} | LIFTED | dict(caps or {}))),
        quotas=Quotas(**({"ordinal_share_of_single": 1} | dict(quotas or {}))),
    )
    return Config(dataset="small", graph=GraphConfig(path=str(folder)), sampler=settings)


def sample_records(config: Config) -> list[BenchmarkRecord]:
    """The sampler's records; none where no root gives one."""
    graph, _ = load_graph(config.graph)
    try:
        lines = sample_traces(graph, config).lines
    except SamplingError:
        return []
    return [BenchmarkRecord.model_validate_json(line) for line in lines]


def _labels(entities: Sequence[str], rng: Random) -> dict[str, str]:
    """Two words each; at times one entity is called like another, or almost, or not at all."""
    labels = {entity: f"{SYLLABLES[n % 40]} {SYLLABLES[(7 * n + 3) % 40]}" for n, entity in enumerate(entities)}
    for _ in range(rng.choice((0, 1, 2, 2))):
        one, other = rng.sample(sorted(labels), 2)
        labels[one] = rng.choice((labels[other], labels[other].upper(), f"{labels[other]} United", "Q9"))
    return labels
