"""Files of predictions: every refusal names file and line, and nothing is joined by position."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics.predictions import Prediction, PredictionsError, join, read_predictions
from evaluation.metrics.scores import ItemScores
from state.errors import ChronoQGError

REFERENCES = {"a": "Who led the club?", "b": "When was the club founded?", "c": "Who left the club in 1990?"}


def write(tmp_path: Path, *lines: str, end: str = "\n") -> Path:
    path = tmp_path / "theirs.jsonl"
    path.write_bytes("".join(line + end for line in lines).encode())
    return path


def test_predictions_in_another_order_are_joined_by_id(tmp_path: Path) -> None:
    lines = [json.dumps({"id": ident, "question": text, "score": [1, {}]}) for ident, text in reversed(REFERENCES.items())]
    questions = join(read_predictions(write(tmp_path, *lines)), REFERENCES, where="theirs.jsonl")
    assert list(questions.items()) == list(REFERENCES.items())


@pytest.mark.parametrize("nothing", ["null", '""', '"  "', r'"\n\u3000"'])
def test_a_question_that_was_not_written_scores_zero_and_is_counted(tmp_path: Path, nothing: str) -> None:
    path = write(tmp_path, '{"id": "a", "question": "Who led the club?"}', f'{{"id": "b", "question": {nothing}}}')
    questions = join(read_predictions(path), ["a", "b"], where=str(path))
    assert questions["b"] == ""
    scores = ItemScores.of((questions[ident], REFERENCES[ident]) for ident in ("a", "b")).corpus()
    assert (scores.n, scores.rougeL_f1) == (2, 0.5)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "not JSON"),
        ('{"id": "a", "question": NaN}', "not JSON"),
        ('["a", "Who?"]', "not an object but a list"),
        ("7", "not an object but a number"),
        ("true", "not an object but true or false"),
        ("null", "not an object but null"),
        ('{"question": "Who?"}', "no key 'id'"),
        ('{"id": "b"}', "no key 'question'"),
        ('{"id": 7, "question": "Who?"}', "'id' must be a text that is not blank, not a number"),
        ('{"id": " ", "question": "Who?"}', "'id' must be a text that is not blank, not a blank text"),
        ('{"id": "b", "question": ["Who?"]}', "'question' must be a text or null, not a list"),
        ('{"id": "b", "question": {"text": "Who?"}}', "'question' must be a text or null, not an object"),
        ('{"id": "b", "question": false}', "'question' must be a text or null, not true or false"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, line: str, message: str) -> None:
    path = write(tmp_path, '{"id": "a", "question": "Who?"}', "", line)
    with pytest.raises(PredictionsError) as caught:
        read_predictions(path)
    assert str(caught.value).startswith(f"{path}:3: {message}")
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, ChronoQGError)
    assert caught.value.exit_code == 2


def test_bytes_that_are_no_text_are_named(tmp_path: Path) -> None:
    path = tmp_path / "theirs.jsonl"
    path.write_bytes(b'{"id": "a", "question": "\xff"}\n')
    with pytest.raises(PredictionsError, match=r"theirs\.jsonl:1: not JSON"):
        read_predictions(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(PredictionsError, match=r"none\.jsonl: cannot be read: No such file"):
        read_predictions(tmp_path / "none.jsonl")
    with pytest.raises(PredictionsError, match="cannot be read"):
        read_predictions(tmp_path)


def test_files_of_other_systems_are_read(tmp_path: Path) -> None:
    expected = (Prediction("a", "Who led it?"), Prediction("b", "Who\u2028left?"))
    lines = ['{"id": "a", "question": " Who led it? "}', '{"id": "b", "question": "Who\u2028left?"}']
    assert read_predictions(write(tmp_path, *lines)) == expected
    assert read_predictions(write(tmp_path, *lines, end="\r\n")) == expected
    path = write(tmp_path, "\ufeff" + lines[0], "", lines[1], "  ")
    assert read_predictions(path) == expected
    path.write_bytes("\n".join(lines).encode())
    assert read_predictions(path) == expected


def test_ids_that_do_not_line_up_are_all_listed() -> None:
    given = [Prediction("c", "Who?"), Prediction("x", "Who?"), Prediction("c", "When?"), Prediction("x", "Who?")]
    with pytest.raises(PredictionsError) as caught:
        join(given, REFERENCES, where="theirs.jsonl")
    assert str(caught.value) == (
        "theirs.jsonl: 2 ids missing: 'a', 'b'; 1 id not in the benchmark's scored part: 'x'; 2 ids given more than once: 'c', 'x'. "
        "Give each of the 3 scored ids one line."
    )


def test_a_long_list_shows_ten_and_counts_the_rest() -> None:
    wanted = [f"id-{number:02}" for number in range(40)]
    with pytest.raises(PredictionsError, match=r"40 ids missing: 'id-00', .*'id-09' and 30 more\. Give") as caught:
        join([], wanted, where="theirs.jsonl")
    assert "id-10" not in str(caught.value)


def test_a_repeated_id_stops_even_if_both_questions_are_alike() -> None:
    with pytest.raises(PredictionsError, match="1 id given more than once: 'a'"):
        join([Prediction("a", "Who?")] * 2, ["a"], where="theirs.jsonl")


@given(st.lists(st.sampled_from("abcdef"), max_size=8), st.sets(st.sampled_from("abcdef")))
def test_only_lists_that_line_up_are_joined(given_ids: list[str], wanted: set[str]) -> None:
    predictions = [Prediction(ident, f"Who is {ident}?") for ident in given_ids]
    if sorted(given_ids) == sorted(wanted):
        assert join(predictions, sorted(wanted), where="x") == {ident: f"Who is {ident}?" for ident in sorted(wanted)}
    else:
        with pytest.raises(PredictionsError):
            join(predictions, sorted(wanted), where="x")
