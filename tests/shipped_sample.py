"""The shipped graph of years and one sample of it, made once for all tests, whatever the number of their processes."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import pytest
from filelock import FileLock

from benchmarks.verifier_rates import Sampled
from graph_sampler import load
from graph_sampler.load import load_graph
from graph_sampler.sampler import Sample, sample_traces
from graph_sampler.temporal_graph import TemporalGraph
from state.config import Config, GraphConfig, SamplerConfig
from state.instance import BenchmarkRecord
from state.interval import Granularity
from state.vocabulary import RelationType
from tests.brute_force_graph import BruteGraph, load_cronkg

YEARS = Path(load.__file__).parent / "data" / "years"


@pytest.fixture(scope="session")
def years_config() -> Config:
    """A thousand records under the default caps and quotas."""
    return Config(dataset="years", graph=GraphConfig(path="bundled:years"), sampler=SamplerConfig(target=1000))


@pytest.fixture(scope="session")
def years_graph(years_config: Config) -> TemporalGraph:
    return load_graph(years_config.graph)[0]


@pytest.fixture(scope="session")
def years_sample(years_graph: TemporalGraph, years_config: Config, tmp_path_factory: pytest.TempPathFactory) -> Sample:
    """The sample; of several processes of one run the first makes it and the others read it."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return sample_traces(years_graph, years_config)
    made = tmp_path_factory.getbasetemp().parent / "years.pickle"
    with FileLock(f"{made}.lock"):
        if not made.exists():
            sample = sample_traces(years_graph, years_config)
            made.write_bytes(pickle.dumps(Sample(list(sample.lines), sample.coverage)))
        found: Sample = pickle.loads(made.read_bytes())
    return found


@pytest.fixture(scope="session")
def years_records(years_sample: Sample) -> list[BenchmarkRecord]:
    return [BenchmarkRecord.model_validate_json(line) for line in years_sample.lines]


@pytest.fixture(scope="session")
def years_points(years_graph: TemporalGraph) -> frozenset[str]:
    """Ids of the graph's point relations."""
    kinds = zip(years_graph.relation_ids, years_graph.relation_types, strict=True)
    return frozenset(name for name, kind in kinds if kind is RelationType.POINT)


@pytest.fixture(scope="session")
def years_brute() -> BruteGraph:
    return load_cronkg(YEARS)


def first(count: int, records: list[BenchmarkRecord], points: frozenset[str]) -> Sampled:
    """The first records by id, which is as good as at random, as the benchmarks take them."""
    return Sampled(records[:count], points, Granularity.YEAR)
