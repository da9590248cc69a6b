"""Every method of the paper on two benchmarks at once: the shipped graph's and a real one's."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from baselines.method import Method
from baselines.registry import find_method, method_names
from evaluation.generators.rows import RowKind
from evaluation.generators.study import evaluate
from runs.config_file import load_config
from runs.json_lines import parse_lines
from state.instance import BenchmarkRecord
from tests.command_line import QUICKSTART, ROOT, here
from tests.fake_openai_server import FakeServer, Reply


def script(body: dict[str, Any]) -> Reply:
    """A model that has one idea for everything, and marks it well."""
    asked = body["messages"][-1]["content"]
    return Reply(content=f"Score: 4\nSub-question 1: Who was it?\nFinal question: Who held it after the other {len(asked) % 7}?")


@pytest.mark.slow
def test_all_methods_and_an_outside_system_on_two_benchmarks(shared_data: Path, tmp_path: Path) -> None:
    runs = {"years": tmp_path / "years", "mini": tmp_path / "mini"}
    built = here("build", QUICKSTART, "--set", "sampler.target=160", "--out", str(runs["years"]))
    assert built.returncode == 0, built.stderr
    real = [f"graph.path={shared_data / 'cronkg_mini'}", "dataset=mini", "sampler.target=160"]
    built = here("build", str(ROOT / "runs" / "cron.yaml"), *(part for one in real for part in ("--set", one)), "--out", str(runs["mini"]))
    assert built.returncode == 0, built.stderr
    records = [
        record for run in runs.values() for file in sorted(run.glob("benchmark/*.jsonl")) for record in parse_lines(BenchmarkRecord, file)
    ]
    outside = tmp_path / "outside.jsonl"
    outside.write_text("".join(json.dumps({"id": one.id, "question": one.final_question}) + "\n" for one in records))
    with FakeServer(script) as server:
        model = {"provider": "openai", "model": "scripted", "base_url": server.url, "price": {"input": 1, "output": 1}}
        given = [
            f"evaluate.runs=[{runs['years']}, {runs['mini']}]",
            f"evaluate.methods=[{', '.join(method_names())}]",
            f"evaluate.predictions.perfect={outside}",
            "evaluate.resamples=100",
            "evaluate.part=all",
            f"models.scripted={json.dumps(model)}",
            "evaluate.models=[scripted]",
            f"cache.path={tmp_path / 'cache'}",
        ]
        report = evaluate(tmp_path / "out", load_config(QUICKSTART, given), tmp_path / "none")
        summary = report.evaluation.summary
        sizes = {dataset.name: dataset.n for dataset in summary.datasets}
        assert set(sizes) == {"years-S", "years-M", "mini-S", "mini-M"}
        assert Counter(row.row.kind for row in summary.rows)[RowKind.METHOD] == 4 * sum(
            isinstance(find_method(name).method, Method) for name in method_names()
        )
        for row in summary.rows:
            method = None if row.row.kind is RowKind.OUTSIDE else find_method(row.row.method).method
            assert (row.n, row.failed) == (sizes[row.dataset], 0)
            if isinstance(method, Method):
                least, most = method.calls
                assert least * row.n <= row.spending.calls <= most * row.n
            elif row.row.kind is RowKind.OUTSIDE:
                assert {score.metric: score.value for score in row.scores}["bleu4"] == 1
        asked = len(server.seen)
        again = evaluate(tmp_path / "out", load_config(QUICKSTART, given), tmp_path / "none")
        assert len(server.seen) == asked
        assert again.evaluation.summary == summary
        for fork in sorted((tmp_path / "out" / "forks").iterdir()):
            done = here("replay", f"{tmp_path / 'out'}@{fork.name}", "--all")
            assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
