"""No process of a pool outlives the process that made it, and the death of one is told."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from graph_sampler.load import load_graph
from graph_sampler.sampler import Worker, local_workers
from state.config import Config, GraphConfig
from state.errors import SamplingError
from tests.command_line import ROOT, environment

MAKER = """
import multiprocessing, os, time
from graph_sampler.pool_worker import end_with

def work(parent):
    end_with(parent)
    print("at work", flush=True)
    time.sleep(100)

multiprocessing.get_context("fork").Process(target=work, args=(os.getpid(),)).start()
time.sleep(100)
"""


def test_a_worker_ends_when_its_maker_is_killed() -> None:
    maker = subprocess.Popen([sys.executable, "-c", MAKER], cwd=ROOT, env=environment(), stdout=subprocess.PIPE, text=True)
    assert maker.stdout is not None
    assert maker.stdout.readline() == "at work\n"
    maker.send_signal(signal.SIGKILL)
    maker.communicate(timeout=50)  # the pipe ends only when nobody holds it any more


def killed(worker: Worker, chunk: list[int]) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return len(chunk)


def test_the_death_of_a_worker_is_told_in_one_line() -> None:
    config = Config.model_validate({"dataset": "years", "graph": {"path": "bundled:years"}, "sampler": {"workers": 2}})
    graph, _ = load_graph(GraphConfig(path="bundled:years"))
    with local_workers(graph, config) as (_, run), pytest.raises(SamplingError, match=r"process was killed.*fewer sampler\.workers"):
        list(run(killed, [[1], [2]]))
