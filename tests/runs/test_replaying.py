"""Replaying one instance or a whole run: what was tampered with is found and named, and a diff shows a strange request."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from runs.replaying_all import replay_run
from runs.run_folder import DATABASE, RunReader
from tests.command_line import here, refused


def finished(run: Path) -> list[str]:
    with RunReader(run).database() as database:
        return sorted(database.finished())


def edit(run: Path, ident: str, seq: int, change: Callable[[dict[str, Any]], Any]) -> None:
    """Changes the JSON of one stored visit."""
    with closing(sqlite3.connect(run / DATABASE)) as connection, connection:
        (text,) = connection.execute("SELECT visit FROM visits WHERE instance_id = ? AND seq = ?", (ident, seq)).fetchone()
        visit = json.loads(text)
        change(visit)
        connection.execute("UPDATE visits SET visit = ? WHERE instance_id = ? AND seq = ?", (json.dumps(visit), ident, seq))


def one_byte(visit: dict[str, Any]) -> None:
    a_try = visit["tries"][0]
    a_try["reply_raw"] = a_try["reply_raw"].replace("e", "a", 1)


@pytest.mark.slow
def test_a_whole_run_replays_in_one_process_or_several_with_the_same_report(build_dir: Path) -> None:
    one, two = (replay_run(str(build_dir), processes=count) for count in (1, 2))
    assert one == two
    assert one.instances == len(finished(build_dir)) == 48
    assert one.differences == ()
    done = here("replay", str(build_dir), "--all")
    assert (done.returncode, done.stdout) == (
        0,
        f"replayed 48 instances, {one.visits} visits, {one.replies} replies: all the same as recorded\n",
    )
    assert json.loads(here("replay", str(build_dir), "--all", "--json").stdout)["same"] is True


@pytest.mark.slow
@pytest.mark.parametrize("processes", [1, 2])
def test_an_edited_byte_in_one_of_many_is_found_and_the_rest_replayed(build_copy: Path, processes: int) -> None:
    ids = finished(build_copy)
    edit(build_copy, ids[30], 0, one_byte)
    report = replay_run(str(build_copy), processes=processes)
    (found,) = report.differences
    assert found.instance_id == ids[30]
    assert found.where == f"{ids[30]}, visit 0 (rewrite), try 0"
    assert "recorded hash" in found.what
    assert report.instances == 48


@pytest.mark.slow
def test_differences_come_in_the_order_of_the_ids_as_one_line_each_and_exit_code_1(build_copy: Path) -> None:
    ids = finished(build_copy)
    for number in (40, 3, 21):
        edit(build_copy, ids[number], 1, lambda visit: visit.update(to="leak\x1b[2Jcheck"))
    done = here("replay", str(build_copy), "--all")
    assert done.returncode == 1
    assert [line.split(",")[0] for line in done.stdout.splitlines()] == [ids[3], ids[21], ids[40], "replayed 48 instances"]
    assert done.stdout.endswith(": 3 instances differ from the record\n")
    assert "\x1b" not in done.stdout
    told = json.loads(here("replay", str(build_copy), "--all", "--json").stdout)
    assert [found["id"] for found in told["differences"]] == [ids[3], ids[21], ids[40]]
    assert told["same"] is False


def test_a_visit_that_cannot_be_read_is_its_instances_difference_only(build_copy: Path) -> None:
    ids = finished(build_copy)
    with closing(sqlite3.connect(build_copy / DATABASE)) as connection, connection:
        connection.execute("UPDATE visits SET visit = 'no JSON' WHERE instance_id = ? AND seq = 1", (ids[7],))
        connection.execute("UPDATE outcomes SET detail = 'x' WHERE instance_id = ?", (ids[9],))
        connection.execute("UPDATE outcomes SET instance_id = 'years-ffffffffffff' WHERE instance_id = ?", (ids[11],))
    found = {difference.instance_id: difference.what for difference in replay_run(str(build_copy)).differences}
    assert found == {
        ids[7]: "a stored node visit cannot be read",
        ids[9]: "the trajectory does not lead to the recorded outcome",
        "years-ffffffffffff": "the instance has an outcome, but no trace",
    }


def test_one_instance_or_all_must_be_named(build_dir: Path, sample_dir: Path) -> None:
    assert "name an instance, or say --all" in refused("replay", str(build_dir))
    assert "not both" in refused("replay", str(build_dir), "3f", "--all")
    assert "no agents have worked" in refused("replay", str(sample_dir), "--all")
    for option in (("--set", "sampler.seed=1"), ("--config", "x.yaml"), ("--trust-config",)):
        assert "a replay changes nothing" in refused("replay", str(build_dir), "--all", *option)


def test_a_request_that_is_not_recorded_is_shown_beside_the_nearest_one_made_harmless(build_copy: Path) -> None:
    ident = finished(build_copy)[5]

    def change(visit: dict[str, Any]) -> None:
        message = visit["tries"][0]["request"]["messages"][0]
        typed = json.loads(message["content"])
        message["content"] = json.dumps({**typed, "structure_hint": "\x1b[2J\u202e from A to B"}, ensure_ascii=False)

    edit(build_copy, ident, 1, change)
    done = here("replay", str(build_copy), ident)
    assert done.returncode == 1
    assert done.stdout == ""
    error, *diff = done.stderr.splitlines()
    assert error.startswith(f"error: {ident}, visit 1 (verify), try 0: the request rendered now is not the recorded one")
    assert diff[:2] == ["--- recorded", "+++ now"]
    (recorded,), (now,) = ([line for line in diff[2:] if line.startswith(sign)] for sign in "-+")
    assert recorded.rstrip(",") == '- "structure_hint": "\\u001b[2J\\u202e from A to B"'
    assert now.startswith('+ "structure_hint": ')
    assert "\x1b" not in done.stderr
    assert "\u202e" not in done.stderr
    assert here("replay", str(build_copy), ident, "--json").stdout == ""
