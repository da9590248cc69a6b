"""The scripted server of the model benchmark leads both builds the way that the figures assume."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from benchmarks.loopback_server import CALLS_PER_INSTANCE, LoopbackServer
from benchmarks.model_run import Bench
from runs.run_folder import RunReader
from state.vocabulary import Node, Outcome
from tests.command_line import SMALL

INSTANCES = 6
WAY = [Node.REWRITE, Node.VERIFY, Node.ANALYSE, Node.REVISE, Node.VERIFY_REPAIR, Node.LEAK_CHECK]


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(tmp_path_factory.mktemp("bench"), INSTANCES, overrides=SMALL[2::2])


@pytest.fixture
def server(bench: Bench) -> Iterator[LoopbackServer]:
    with LoopbackServer(bench.script) as server:
        yield server


@pytest.mark.slow
def test_our_build_takes_every_instance_the_long_way_to_acceptance(bench: Bench, server: LoopbackServer) -> None:
    path = bench.build("ours", bench.config(server.url))
    assert server.stats().requests == CALLS_PER_INSTANCE * INSTANCES
    reader = RunReader(path)
    assert reader.manifest.counts is not None
    assert reader.manifest.counts.accepted == INSTANCES
    with reader.database() as database:
        for item in bench.items:
            visits = database.trajectory(item["id"]).visits
            assert [visit.node for visit in visits] == WAY
            assert visits[1].outcome is Outcome.DISAGREES
            assert sum(len(visit.tries) for visit in visits) == CALLS_PER_INSTANCE
    bench.build("cached", bench.config(server.url), cached=CALLS_PER_INSTANCE * INSTANCES)
    assert server.stats().requests == CALLS_PER_INSTANCE * INSTANCES
    bench.replay("replayed", path)


@pytest.mark.slow
def test_the_obvious_build_sends_prompts_as_long_as_ours(bench: Bench, server: LoopbackServer) -> None:
    bench.obvious("obvious", server.url)
    theirs = server.stats()
    bench.build("ours", bench.config(server.url, cache="another"))
    ours = server.stats().since(theirs)
    assert theirs.requests == ours.requests == CALLS_PER_INSTANCE * INSTANCES
    assert theirs.characters == ours.characters
