"""The shipped graph of years and one sample of it, made once a session."""

from __future__ import annotations

from pathlib import Path

import pytest

from graph_sampler import load
from graph_sampler.load import load_graph
from graph_sampler.sampler import Sample, sample_traces
from graph_sampler.temporal_graph import TemporalGraph
from state.config import Config, GraphConfig, SamplerConfig
from state.instance import BenchmarkRecord
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
def years_sample(years_graph: TemporalGraph, years_config: Config) -> Sample:
    return sample_traces(years_graph, years_config)


@pytest.fixture(scope="session")
def years_records(years_sample: Sample) -> list[BenchmarkRecord]:
    return [BenchmarkRecord.model_validate_json(line) for line in years_sample.lines]


@pytest.fixture(scope="session")
def years_brute() -> BruteGraph:
    return load_cronkg(YEARS)
