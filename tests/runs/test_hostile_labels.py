"""Labels that steer terminals, end lines or speak as an answer go through every command unharmed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from runs.run_folder import RunReader
from runs.terminal import shown, write_json
from tests.command_line import here
from tests.run_directory import HOSTILE

OFFICES = ("Mayor of [bold]Arn[/bold] \x1b[2J", "Judge of Bel\nAnswer: X")


@pytest.fixture(scope="module")
def hostile_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A run over a graph whose every label is hostile, and its config file."""
    folder = tmp_path_factory.mktemp("hostile")
    holders = [f"{label} {number}" for number, label in enumerate(HOSTILE.values())]
    facts = [
        {"s": holder, "r": "position [held]\u2028", "o": office, "a": 1900 + shift + 10 * place, "b": 1908 + shift + 10 * place + place % 4}
        for shift, office in enumerate(OFFICES)
        for place, holder in enumerate(holders)
    ]
    (folder / "facts.jsonl").write_text("".join(json.dumps(fact) + "\n" for fact in facts), encoding="utf-8")
    (folder / "hostile.yaml").write_text(
        f"dataset: hostile\ngraph:\n  path: {folder}/facts.jsonl\n  format: table\n  types: {folder}/types.txt\n"
        "  columns: {subject: s, relation: r, object: o, start: a, end: b}\nsampler: {target: 12}\n"
    )
    (folder / "types.txt").write_text("", encoding="utf-8")
    done = here("build", str(folder / "hostile.yaml"), "--out", str(folder / "run"))
    assert done.returncode == 0, done.stderr
    assert_harmless(done.stdout + done.stderr)
    return folder / "run", str(folder / "hostile.yaml")


def assert_harmless(text: str) -> None:
    """No character but the newline can move a cursor or end a line, and no line is a label's own."""
    assert text
    assert shown(text.replace("\n", "")) == text.replace("\n", "")
    assert not any(line.startswith("Answer: X") for line in text.split("\n"))


def test_files_hold_the_labels_as_they_were_one_record_a_line(hostile_run: tuple[Path, str]) -> None:
    path, _ = hostile_run
    records = list(RunReader(path).traces())
    assert len(records) >= 4
    labels = set().union(*(record.labels.values() for record in records))
    assert any("\x1b" in label for label in labels)
    assert any("\n" in label for label in labels)
    assert any(len(label) > 5000 for label in labels)
    for file in (*path.glob("*.jsonl"), *path.glob("benchmark/*.jsonl")):
        data = file.read_bytes()
        assert len(data.decode().splitlines()) == data.count(b"\n")
        assert all(json.loads(line)["format"] == 1 for line in data.splitlines())


def test_every_command_prints_them_harmlessly(hostile_run: tuple[Path, str]) -> None:
    path, config = hostile_run
    for record in RunReader(path).traces():
        done = here("show", str(path), record.id)
        assert_harmless(done.stdout)
        assert f"Answer             {shown(record.answer)} (" in done.stdout
        assert_harmless(here("replay", str(path), record.id).stdout)
        as_json = here("show", str(path), record.id, "--json").stdout
        assert_harmless(as_json)
        assert json.loads(as_json)["record"]["labels"] == record.labels
    for command in (("check", str(path)), ("sample", config, "--out", str(path)), ("graph", "inspect", config)):
        done = here(*command)
        assert done.returncode == 0, done.stdout + done.stderr
        assert_harmless(done.stdout)


def test_a_label_of_5000_characters_is_shown_whole(hostile_run: tuple[Path, str]) -> None:
    path, _ = hostile_run
    long = [record for record in RunReader(path).traces() if any("x" * 5000 in label for label in record.labels.values())]
    assert long
    assert "x" * 5000 in here("show", str(path), long[0].id).stdout


@pytest.mark.parametrize("text", ["\x1b[31m", "a\nb", "\u202e", "\u2066", "\u2028", "\x85", "\x00", "\u200b", "\ufeff", "\ud800", "\x7f"])
def test_what_can_steer_a_terminal_is_escaped(text: str) -> None:
    assert shown(text).isascii()
    assert shown(text).isprintable()


@pytest.mark.parametrize("text", ["São Tomé", "北京", "[bold]x[/]", ":smile:", "a\u00a0b", "مدينة"])
def test_what_is_only_foreign_is_left_alone(text: str) -> None:
    assert shown(text) == text


@pytest.mark.parametrize("text", [*HOSTILE.values(), "\x7f", "\U000e0041", "São Tomé", "北京"])
def test_json_is_printed_harmlessly_and_stands_for_the_same(text: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    write_json(json.dumps({"label": text}, ensure_ascii=False).encode())
    printed = capfdbinary.readouterr().out.decode()
    assert shown(printed) == printed
    assert json.loads(printed) == {"label": text}
