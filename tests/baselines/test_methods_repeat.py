"""The same pool, seed and replies give the same requests, in any process."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

from baselines.task import task_of
from state.instance import BenchmarkRecord
from tests.bare_generator import METHODS, method_named, pool_of, prompts_of

ROOT = Path(__file__).parents[2]


def test_requests_do_not_depend_on_the_hash_seed(years_records: list[BenchmarkRecord]) -> None:
    lines = [record.model_dump_json() for record in years_records[:11]]
    environment = {**os.environ, "PYTHONHASHSEED": "4242", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", f"import runpy; runpy.run_path({__file__!r})['print_digest']()"]
    done = subprocess.run(
        command, input="\n".join(lines), capture_output=True, text=True, env=environment, cwd=ROOT, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == _digest(years_records[:11])


def print_digest() -> None:
    """What the other process runs."""
    print(_digest([BenchmarkRecord.model_validate_json(line) for line in sys.stdin.read().splitlines()]))


def _digest(records: list[BenchmarkRecord]) -> str:
    pool, task = pool_of(records[:10]), task_of(records[10], shows_path=True)
    told = [prompts_of(method_named(name).prepare(pool), task) for name in METHODS]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()
