"""No process of a pool outlives the process that made it."""

from __future__ import annotations

import signal
import subprocess
import sys

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
