"""A file whose layout cannot be told is described, and what is said to help does."""

from __future__ import annotations

from pathlib import Path

import pytest

from graph_sampler.load import load_graph
from graph_sampler.loaders.untold import first_look
from runs.cli.graph_sections import graph_section
from state.errors import ConfigError

ROW = ("Ana Roy", "plays for", "FC Arn", "1990")


@pytest.mark.parametrize(
    ("content", "seen", "helps"),
    [
        ("Ana\tled\tArn\t1990\t1992\rBo\tled\tArn\t1990\t1992\r", "end in carriage returns alone", "line feeds"),
        ("\n\n\n", "line 1 is blank", "Delete blank lines"),
        ('[{"subject": "Ana"}]', "begins a JSON array", "graph.table=jsonl"),
        ('{"subject": "Ana"}\n', "begins a JSON object", "graph.table=jsonl"),
        ("Ana\tled\tArn\n", "has 3 columns between tabs", "A fact has five"),
        ("a,b,c,d,e,f\n", "has 6 columns between commas", "graph.table=csv"),
        ("hello", "line 1 is 'hello'", "If it has one, name it"),
    ],
)
def test_the_message_says_what_line_1_is(content: str, seen: str, helps: str, tmp_path: Path) -> None:
    path = tmp_path / "facts"
    path.write_bytes(content.encode())
    with pytest.raises(ConfigError) as caught:
        graph_section([str(path)], None, ())
    assert f"its layout cannot be told: {first_look(path).seen}" in str(caught.value)
    assert seen in str(caught.value)
    assert helps in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("sign", ["\t", ","])
def test_what_is_said_of_four_columns_reads_them(sign: str, tmp_path: Path) -> None:
    path = tmp_path / "facts.txt"
    path.write_text(sign.join(ROW) + "\n", encoding="utf-8")
    words = first_look(path).helps.split()
    settings = [words[place + 1] for place, word in enumerate(words) if word == "--set"]
    graph, _ = load_graph(graph_section([str(path)], None, settings)[0])
    assert (len(graph), graph.start[0], graph.end[0]) == (1, 1990, 1990)
