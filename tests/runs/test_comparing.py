"""Which instances changed fate between two runs: joined by id, counted by hand, and the same seen from either side."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from math import comb
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.workflow import InstanceResult
from runs.comparing import NOT_SHOWN, QUESTION_LENGTH, Comparison, compare_runs, exact_mcnemar
from runs.comparison_text import comparison_lines
from runs.database import InstanceOutcome
from runs.engine import run_pending
from runs.forks import FORK, ForkDatabase, ForkNote, fork_folder, open_run
from runs.json_lines import pretty_json
from runs.run_folder import CONFIG, DATABASE, RunFolder, RunReader
from state.errors import RunFolderError
from state.instance import BenchmarkRecord
from state.vocabulary import DiscardReason, Node, Outcome, Role, Status, Terminal
from tests.command_line import here, refused
from tests.run_directory import HOSTILE, ScriptedAgents, accepted, config, discarded, failed, mixed, records, sampled, visit

Script = Callable[[BenchmarkRecord, int], InstanceResult]


def make_run(path: Path, script: Script, *overrides: str, traces: list[BenchmarkRecord] | None = None) -> Path:
    """A finished run of composed records."""
    path.parent.mkdir(exist_ok=True)
    with RunFolder(path, config(path.parent, *overrides)) as folder:
        sampled(folder, records(12) if traces is None else traces)
        run_pending(folder, ScriptedAgents(script).agents)
    return path


def make_fork(run: Path, name: str, script: Script, numbers: range) -> str:
    """A fork of some of a run's instances, made by hand; its address."""
    folder, reader = fork_folder(run, name), RunReader(run)
    folder.mkdir(parents=True)
    (folder / CONFIG).write_bytes((run / CONFIG).read_bytes().replace(b"retries: 2", b"retries: 5"))
    note = ForkNote(name=name, node=Node.REWRITE, config_sha256="0", prompts={})
    (folder / FORK).write_bytes(pretty_json(note.model_dump(mode="json", by_alias=True)))
    database = ForkDatabase(folder / DATABASE, Node.REWRITE, writable=True)
    for number, record in enumerate(reader.traces(), start=1):
        if number in numbers:
            result = script(record, number)
            outcome = InstanceOutcome(
                instance_id=record.id, status=result.status, reason=result.reason, question=result.final_question or "",
                detail=result.detail, last_node=result.last_node,
            )  # fmt: skip
            database.commit(outcome, result.visits)
    database.close()
    return f"{run}@{name}"


def all_accepted(record: BenchmarkRecord, number: int) -> InstanceResult:
    return accepted(record, f"Who holds number {number}?")


def thrown_out(record: BenchmarkRecord, cause: str, verdict: str) -> InstanceResult:
    """A discard after an analysis."""
    visits = (
        visit(record, 0, Node.REWRITE, Role.REWRITER, Outcome.WRITTEN, "verify", question=f"Who once was {record.id}?"),
        visit(record, 1, Node.VERIFY, Role.VERIFIER, Outcome.DISAGREES, "analyse", answers=[], verdict="none fits"),
        visit(record, 2, Node.ANALYSE, Role.ERROR_ANALYST, Outcome.OTHER_CAUSE, "revise", cause=cause, reason="so"),
        visit(record, 3, Node.REVISE, Role.REVISER, Outcome.WRITTEN, "verify_repair", question=f"Who now is {record.id}?"),
        visit(record, 4, Node.VERIFY_REPAIR, Role.VERIFIER, Outcome.DISAGREES, Terminal.FAILED_VERIFICATION.value, verdict=verdict),
    )
    return InstanceResult(Status.DISCARDED, None, DiscardReason.FAILED_VERIFICATION, "no", Node.VERIFY_REPAIR, visits)


def stricter(record: BenchmarkRecord, number: int) -> InstanceResult:
    """As `mixed`, but 1 and 4 are thrown out, and 3 and 9 no longer fail."""
    if number in (1, 4):
        return thrown_out(record, "missing constraint" if number == 1 else "unclear", "ambiguous")
    if number in (3, 9):
        return accepted(record, f"Who is number {number}?")
    return mixed(record, number)


@pytest.fixture(scope="module")
def two_runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[RunReader, RunReader]:
    folder = tmp_path_factory.mktemp("compared")
    a = make_run(folder / "a", mixed)
    return RunReader(a), RunReader(make_run(folder / "b", stricter, "agents.retries=1"))


def matrix_of(comparison: Comparison) -> dict[tuple[str, str], int]:
    cells = ((x, y, comparison.matrix[i][j]) for i, x in enumerate(comparison.fates) for j, y in enumerate(comparison.fates))
    return {(x, y): count for x, y, count in cells if count}


def test_fates_are_counted_as_the_files_of_the_runs_tell_them(two_runs: tuple[RunReader, RunReader]) -> None:
    found = compare_runs(*two_runs)
    verification, duplicate = "discarded: failed verification", "discarded: duplicate question"
    # mixed: 2, 8 discarded; 3, 9 failed; 5, 11 repeat 4, 10. In the other run 4 is gone, so 5 repeats nothing.
    assert matrix_of(found) == {
        ("accepted", "accepted"): 4,
        ("accepted", verification): 2,
        (verification, verification): 2,
        (duplicate, "accepted"): 1,
        (duplicate, duplicate): 1,
        ("failed", "accepted"): 2,
    }
    assert [(one.id[-1], one.a, one.b) for one in found.changed] == [
        ("1", "accepted", verification),
        ("3", "failed", "accepted"),
        ("4", "accepted", verification),
        ("5", duplicate, "accepted"),
        ("9", "failed", "accepted"),
    ]
    assert found.changed[0].question_a == "Who is number 1?"
    assert found.changed[0].question_b == "Who now is sample-000000000001?"
    assert (found.compared, found.only_in_a, found.only_in_b, found.unfinished_in_both) == (12, 0, 0, 0)
    assert (found.test.only_a, found.test.only_b, found.test.p) == (2, 3, 1.0)
    assert [(row.key, row.a, row.b) for row in found.config] == [("agents.retries", "2", "1")]
    assert (found.prompts, found.versions, found.notes) == ((), (), ())


def test_causes_and_verdicts_are_those_of_the_run_that_threw_the_instance_out(two_runs: tuple[RunReader, RunReader]) -> None:
    rows = {(row.fate, row.cause, row.verdict): (row.lost, row.gained) for row in compare_runs(*two_runs).causes}
    assert rows == {
        ("discarded: failed verification", "missing constraint", "ambiguous"): (1, 0),
        ("discarded: failed verification", "unclear", "ambiguous"): (1, 0),
        ("discarded: duplicate question", None, None): (0, 1),
        ("failed", None, None): (0, 2),
    }


def test_the_verdict_that_counts_is_the_deciding_modes_and_not_that_of_a_reading_asked_for_afterwards(tmp_path: Path) -> None:
    def cut_short(record: BenchmarkRecord, number: int) -> InstanceResult:
        visits = (
            visit(record, 0, Node.REWRITE, Role.REWRITER, Outcome.WRITTEN, "verify", question=f"Who once was {record.id}?"),
            visit(record, 1, Node.VERIFY, Role.VERIFIER, Outcome.DISAGREES, "verify", verdict="ambiguous"),
            visit(record, 2, Node.VERIFY, Role.ROUND_TRIP_READER, Outcome.AGREES, "analyse", verdict="match"),
            visit(record, 3, Node.ANALYSE, Role.ERROR_ANALYST, Outcome.NO_USABLE_REPLY, Terminal.AGENT_ERROR.value, error="no reply"),
        )
        return InstanceResult(Status.FAILED, None, None, "no reply", Node.ANALYSE, visits)

    a, b = make_run(tmp_path / "a", all_accepted), make_run(tmp_path / "b", cut_short)
    (row,) = compare_runs(RunReader(a), RunReader(b)).causes
    assert (row.fate, row.cause, row.verdict, row.lost) == ("failed", None, "ambiguous", 12)


def test_an_instance_counts_once_in_each_of_its_families(two_runs: tuple[RunReader, RunReader]) -> None:
    found = compare_runs(*two_runs)
    (family,), (template,) = found.families, found.templates
    assert family.name == "I-I", "both constraints of a record are of this family"
    assert template.name == "A -> B"
    for row in (family, template):
        assert (row.instances, row.accepted_a, row.accepted_b, row.lost, row.gained) == (12, 6, 7, 2, 3)


def test_a_run_compared_with_itself_has_no_change(two_runs: tuple[RunReader, RunReader]) -> None:
    for reader in two_runs:
        found = compare_runs(reader, reader)
        assert (found.changed, found.causes, found.config, found.notes) == ((), (), (), ())
        assert all(x == y for x, y in matrix_of(found))
        assert sum(map(sum, found.matrix)) == 12
        assert found.test.p == 1


def test_exchanging_the_runs_transposes_the_comparison(two_runs: tuple[RunReader, RunReader]) -> None:
    a, b = two_runs
    one, other = compare_runs(a, b), compare_runs(b, a)
    assert one != other
    assert tuple(zip(*one.matrix, strict=True)) == other.matrix
    assert (one.fates, one.a, one.b, one.test.p) == (other.fates, other.b, other.a, other.test.p)
    assert [(row.key, row.a, row.b) for row in one.config] == [(row.key, row.b, row.a) for row in other.config]
    assert [(row.name, row.lost, row.gained) for row in one.families] == [(row.name, row.gained, row.lost) for row in other.families]
    assert [(row.fate, row.cause, row.lost) for row in one.causes] == [(row.fate, row.cause, row.gained) for row in other.causes]
    assert [(c.id, c.a, c.b, c.question_a, c.question_b) for c in one.changed] == [
        (c.id, c.b, c.a, c.question_b, c.question_a) for c in other.changed
    ]


def test_runs_of_other_traces_are_joined_by_id_and_not_by_position(tmp_path: Path) -> None:
    traces = records(12)
    a = make_run(tmp_path / "a", mixed, traces=traces[:8])
    b = make_run(tmp_path / "b", mixed, traces=traces[5:])
    found = compare_runs(RunReader(a), RunReader(b))
    assert (found.compared, found.only_in_a, found.only_in_b, found.changed) == (3, 5, 4, ())
    assert found.notes == ("the two runs have different traces (content hash): only the common instances are compared",)
    nothing = compare_runs(RunReader(a), RunReader(make_run(tmp_path / "c", mixed, traces=traces[9:])))
    assert (nothing.compared, nothing.fates, nothing.matrix) == (0, (), ())
    assert "the two runs have no instance in common" in comparison_lines(nothing)[3]


def test_common_instances_that_are_not_the_same_are_said(tmp_path: Path) -> None:
    traces = records(4)
    other = [traces[0].model_copy(update={"raw_question": "Which other entity?"}), *traces[1:]]
    a, b = make_run(tmp_path / "a", all_accepted, traces=traces), make_run(tmp_path / "b", all_accepted, traces=other)
    notes = compare_runs(RunReader(a), RunReader(b)).notes
    assert "1 of the 4 common instances differ in template question, answer or evidence" in notes


def test_what_is_not_finished_is_counted_apart(tmp_path: Path) -> None:
    a, b = make_run(tmp_path / "a", all_accepted, "run.limit=5"), make_run(tmp_path / "b", all_accepted, "run.limit=9")
    found = compare_runs(RunReader(a), RunReader(b))
    assert (found.compared, found.unfinished_in_a, found.unfinished_in_b, found.unfinished_in_both) == (5, 4, 0, 3)
    assert "not finished      4 in A, 0 in B, 3 in both" in comparison_lines(found)
    assert [row.key for row in found.config] == ["run.limit"]


def test_a_run_that_was_stopped_is_said_not_to_know_its_duplicates(tmp_path: Path) -> None:
    def stops(record: BenchmarkRecord, number: int) -> InstanceResult:
        if number == 9:
            raise RunFolderError("stopped")
        return mixed(record, number)

    with pytest.raises(RunFolderError, match="stopped"):
        make_run(tmp_path / "a", stops, "run.concurrency=1")
    found = compare_runs(RunReader(tmp_path / "a"), RunReader(make_run(tmp_path / "b", mixed)))
    assert found.notes == ("A has not ended: its last duplicate step covers 0 of 8 finished instances",)
    assert (found.compared, found.unfinished_in_a) == (8, 4)


def test_a_fork_is_compared_on_what_it_asked_anew_and_no_duplicate_step_counts(tmp_path: Path) -> None:
    run = make_run(tmp_path / "a", mixed)
    fork = make_fork(run, "other", stricter, range(3, 8))
    done = here("compare", str(run), fork, "--json")
    assert done.returncode == 0, done.stderr
    found = Comparison.model_validate_json(done.stdout)
    verification = "discarded: failed verification"
    # 5 repeats 4 in the run; the fork has no duplicate step, so 5 counts as accepted in both.
    assert matrix_of(found) == {("accepted", "accepted"): 3, ("accepted", verification): 1, ("failed", "accepted"): 1}
    assert (found.compared, found.only_in_a, found.only_in_b) == (5, 7, 0)
    assert (found.a.run, found.b.run) == (str(run), fork)
    assert (found.b.instances, found.b.finished) == (5, 5)
    assert found.b.usd_paid < found.a.usd_paid
    assert [(row.key, row.a, row.b) for row in found.config] == [("agents.retries", "2", "5")]
    assert found.notes == ("B is a fork: only what was asked anew is compared, and no duplicate step is counted on either side",)
    back = compare_runs(open_run(fork), open_run(run))
    assert tuple(zip(*back.matrix, strict=True)) == found.matrix
    assert back.a.run == fork
    same = compare_runs(open_run(fork), open_run(fork))
    assert same.changed == ()
    assert "A and B are forks" in same.notes[0]
    assert "no fork 'otter'" in refused("compare", str(run), f"{run}@otter")


def test_a_value_under_a_name_like_a_secrets_is_not_shown(tmp_path: Path) -> None:
    model = "{provider: openai, model: m, api_key_env: MY_SECRET_NAME, base_url: 'https://user:pw@host/v1?key=abc'}"
    models = f"models={{offline: {{provider: offline-rules}}, gpt: {model}}}"
    a, b = make_run(tmp_path / "a", mixed), make_run(tmp_path / "b", mixed, models)
    done = here("compare", str(a), str(b))
    assert f"models.gpt.api_key_env: (not there) -> {NOT_SHOWN}" in done.stdout
    assert 'models.gpt.base_url: (not there) -> "https://host/v1"' in done.stdout
    for text in (done.stdout, here("compare", str(a), str(b), "--json").stdout):
        assert not any(secret in text for secret in ("MY_SECRET_NAME", "pw@", "abc"))


def test_the_command_lists_twenty_changes_and_all_with_json(tmp_path: Path) -> None:
    traces = records(25)
    a = make_run(tmp_path / "a", all_accepted, traces=traces)
    b = make_run(tmp_path / "b", lambda record, number: discarded(record, "no"), traces=traces)
    done = here("compare", str(a), str(b))
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("accepted -> discarded: failed verification") == 20
    assert "  and 5 more; --json lists all\n" in done.stdout
    assert "accepted          25 of 25 -> 0 of 25: 0 gained, 25 lost, net -25\n" in done.stdout
    assert "p = 5.96e-08 (two-sided; 25 accepted in A only, 0 in B only" in done.stdout
    with RunReader(a).database() as database:
        calls, paid = sum(row.calls for row in database.usage()), sum(row.usd_paid for row in database.usage())
    assert paid == 12.5
    assert done.stdout.split("\n")[0] == f"A  {a}: 25 of 25 instances finished, 12.5000 USD paid in {calls} calls"
    data = json.loads(here("compare", str(a), str(b), "--json").stdout)
    assert [one["id"] for one in data["changed"]] == [record.id for record in traces]
    assert data["a"]["run"] == str(a)
    assert data["format"] == 1


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_questions_are_printed_harmlessly(tmp_path: Path, name: str) -> None:
    label = HOSTILE[name]
    traces = records(2, {"Q12": label, "Q1": label})
    a = make_run(tmp_path / "a", lambda record, number: accepted(record, f"{number} {label}"), traces=traces)
    b = make_run(tmp_path / "b", lambda record, number: failed(record, label), traces=traces)
    done = here("compare", str(a), str(b))
    assert done.returncode == 0, done.stderr
    lines = done.stdout.split("\n")
    assert all(line.isprintable() for line in lines)
    assert not any(line.startswith("Answer: X") for line in lines)
    assert max(map(len, lines)) < 200, "a question's beginning is shown, not all of it"
    data = json.loads(here("compare", str(a), str(b), "--json").stdout)
    assert data["changed"][0]["question_a"] == f"1 {label}"[:QUESTION_LENGTH]


def test_what_is_no_run_with_agents_is_refused_in_one_line(tmp_path: Path) -> None:
    a = make_run(tmp_path / "a", mixed)
    with RunFolder(tmp_path / "sample", config(tmp_path)) as folder:
        sampled(folder, records(12))
    assert "no such run directory" in refused("compare", str(a), str(tmp_path / "none"))
    assert "not a run directory" in refused("compare", str(tmp_path), str(a))
    assert "no agents have worked in this run directory" in refused("compare", str(a), str(tmp_path / "sample"))


@pytest.mark.parametrize(
    ("only_a", "only_b", "p"),
    [(0, 0, 1.0), (0, 1, 1.0), (0, 5, 0.0625), (1, 5, 0.21875), (2, 8, 0.109375), (5, 5, 1.0), (0, 6, 0.03125), (3, 4, 1.0)],
)
def test_mcnemar_agrees_with_values_computed_by_hand(only_a: int, only_b: int, p: float) -> None:
    assert exact_mcnemar(only_a, only_b) == p


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_the_two_sided_tail_of_a_fair_coin_and_symmetric(only_a: int, only_b: int) -> None:
    total, low = only_a + only_b, min(only_a, only_b)
    tail = sum(Fraction(comb(total, k), 2**total) for k in range(low + 1))
    assert exact_mcnemar(only_a, only_b) == exact_mcnemar(only_b, only_a) == float(min(Fraction(1), 2 * tail))


def test_mcnemar_of_many_pairs_is_a_number() -> None:
    assert exact_mcnemar(0, 5000) == 0.0
    assert 0.9 < exact_mcnemar(20000, 20010) <= 1
