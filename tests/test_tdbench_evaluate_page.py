"""The page on evaluations of models on tables lists the keys that there are, and its offline example says what it shows."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from state.tdbench_evaluate_config import TdbenchEvaluateConfig
from tests.command_line import here
from tests.test_models_page import rows

PAGE = (Path(__file__).parents[1] / "docs" / "tdbench_evaluate.md").read_text(encoding="utf-8")


def test_the_table_of_keys_is_that_of_the_code() -> None:
    table = list(rows(TdbenchEvaluateConfig, "tdbench.evaluate."))
    shown = [line for line in PAGE.splitlines() if line.startswith("| `tdbench.evaluate.")]
    assert shown == table, "docs/tdbench_evaluate.md needs these rows:\n" + "\n".join(table)


@pytest.mark.slow
def test_the_offline_example_scores_a_right_answer_with_a_wrong_date(tmp_path: Path) -> None:
    block = next(block for block in PAGE.split("```sh\n")[1:] if block.startswith("echo")).split("```")[0]
    *written, command = block.splitlines()
    for line in written:
        _, text, _, name = shlex.split(line)
        (tmp_path / name).write_text(text + "\n", encoding="utf-8")
    words = [str(tmp_path / word) if word == "questions.jsonl" else word for word in shlex.split(command)[1:]]
    words = [word.replace("replies.jsonl", str(tmp_path / "replies.jsonl")) for word in words]
    done = here(*words, "--out", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    assert "1/1  100 [20.7, 100]  0/1  0.0 [0.0, 79.3]" in done.stdout
