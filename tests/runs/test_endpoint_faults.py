"""Whole runs against a server that fails: whatever it does, the files in the end are those of a faultless run."""

from __future__ import annotations

import hashlib
import itertools
import json
import shutil
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from agents.backends import MOST_FAULTS
from runs.run_folder import RunReader
from state.trajectory import Try
from state.vocabulary import TryError
from tests.command_line import here
from tests.fake_openai_server import FakeServer, Reply, Script, failure, good
from tests.known_model import KnowsAll, ModelRun, kind_of, mentions
from tests.run_directory import result_files

TAKEN = 8
SOON = {"retry_after_ms": "5"}
QUICK = {"headers": {"retry-after-ms": "5"}}


class Bench:
    """A sampled run at an address where servers come and go, and the files of a faultless build of it."""

    def __init__(self, folder: Path, known: KnowsAll) -> None:
        self.folder = folder
        self.known = known
        with FakeServer(known) as server:
            self.port = server.port
            price = {"input": 1, "output": 2}
            self.run = ModelRun(folder, {"provider": "openai", "model": "gpt-test", "base_url": server.url, "price": price})
            sampled = here("sample", *self.run.arguments, "--out", str(folder / "sampled"))
            assert sampled.returncode == 0, sampled.stderr
            shutil.copytree(folder / "sampled", folder / "run")
            done = self.run.build("run")
        assert done.returncode == 0, done.stderr
        self.files = result_files(folder / "run")
        self.asked = [json.dumps(seen.body) for seen in server.seen]
        self.raw_questions = [record.raw_question for record in RunReader(folder / "run").traces()][:TAKEN]

    def serve(self, script: Script) -> FakeServer:
        """A server at the run's address."""
        return FakeServer(script, self.port)

    def start(self, folder: Path, **bounds: Any) -> ModelRun:
        """The same run, sampled but not built, in a folder of the test's own."""
        shutil.copytree(self.folder / "sampled", folder / "run")
        return ModelRun(folder, {**self.run.model, **bounds})


@pytest.fixture(scope="module")
def bench(build_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(tmp_path_factory.mktemp("bench"), KnowsAll(build_dir))


class Faulty:
    """Fails the first `times` that a share of the prompts is sent, then answers: which prompts, only their text decides."""

    def __init__(self, model: Script, fault: Callable[[Reply], Reply], *, times: int = 1, share: float = 0.5) -> None:
        self.model, self.fault, self.times, self.share = model, fault, times, share
        self.sent: Counter[str] = Counter()
        self.faults = 0
        self.answered: list[str] = []
        """Contents of the good replies."""

    def __call__(self, body: dict[str, Any]) -> Reply:
        prompt = json.dumps(body["messages"][:2])
        self.sent[prompt] += 1
        reply = self.model(body)
        if self.sent[prompt] <= self.times and hashlib.sha256(prompt.encode()).digest()[0] < 256 * self.share:
            self.faults += 1
            return self.fault(reply)
        self.answered.append(reply.content or "")
        return reply


def tries(path: Path) -> list[Try]:
    """Every try of every instance that is finished."""
    with RunReader(path).database() as database:
        return [a_try for ident in database.finished() for visit in database.trajectory(ident).visits for a_try in visit.tries]


def cached_texts(folder: Path) -> list[str]:
    """The replies that the cache holds."""
    connection = sqlite3.connect(folder / "cache" / "cache.db")
    try:
        return [json.loads(value)["text"] for (value,) in connection.execute("SELECT value FROM Cache")]
    finally:
        connection.close()


def talk(done: Any, words: str) -> list[str]:
    """The lines on stderr that say something."""
    return [line for line in done.stderr.splitlines() if words in line]


def completion(content: str, **message: Any) -> str:
    """The body of a completion, where a test needs more of it than `Reply` has."""
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content, **message}}
    return json.dumps({"choices": [choice], "usage": {"prompt_tokens": 11, "completion_tokens": 7}})


NO_REPLY: dict[str, tuple[Callable[[Reply], Reply], TryError, dict[str, Any]]] = {
    "too many requests": (lambda good: failure(429, "slow down", **SOON), TryError.RATE_LIMITED, {"times": MOST_FAULTS + 2}),
    "500": (lambda good: failure(500, "oops", **SOON), TryError.SERVER_ERROR, {"times": 3}),
    "503": (lambda good: failure(503, "overloaded", **SOON), TryError.SERVER_ERROR, {"times": 3}),
    "408": (lambda good: failure(408, "too slow", **SOON), TryError.TIMEOUT, {}),
    "500 with a page": (lambda good: Reply(status=500, body="<html>" + "oops" * 9999, **QUICK), TryError.SERVER_ERROR, {}),
    "500 with lone surrogates": (lambda good: Reply(status=500, body='{"error": "\\ud800"}', **QUICK), TryError.SERVER_ERROR, {}),
    "no word": (lambda good: Reply(drop=True), TryError.CONNECTION, {"share": 0.2}),
    "half a body": (lambda good: Reply(content=good.content, half=True), TryError.CONNECTION, {"share": 0.2}),
    "no end": (lambda good: Reply(content=good.content, delay_s=15), TryError.TIMEOUT, {"share": 0.2}),
    "a page": (lambda good: Reply(body="<p>Bad gateway", headers={"Content-Type": "text/html"}), TryError.SERVER_ERROR, {"share": 0.2}),
    "an error as a reply": (lambda good: Reply(body='{"error": {"message": "overloaded"}}'), TryError.SERVER_ERROR, {"share": 0.2}),
    "no gzip": (lambda good: Reply(body='{"choices": []}', headers={"Content-Encoding": "gzip"}), TryError.CONNECTION, {"share": 0.2}),
}  # fmt: skip
"""Failures of a call, after which the same request is sent again: fault, the kind of try, how it is dealt out."""

ONE_OF_EACH = {"too many requests", "500 with lone surrogates", "half a body", "an error as a reply"}
"""Those of them that the quick suite tries."""

BAD_REPLIES: dict[str, tuple[Callable[[Reply], Reply], TryError]] = {
    "empty": (lambda good: Reply(content=""), TryError.EMPTY),
    "null": (lambda good: Reply(content=None), TryError.EMPTY),
    "reasoning only": (lambda good: Reply(content="<think>Hm.</think>"), TryError.EMPTY),
    "cut off": (lambda good: Reply(content=good.content, finish_reason="length"), TryError.TRUNCATED),
    "cut off in its reasoning": (lambda good: Reply(content=f"<think>{good.content}"), TryError.TRUNCATED),
    "filtered": (lambda good: Reply(content=good.content, finish_reason="content_filter"), TryError.FILTERED),
    "refused": (lambda good: Reply(content=good.content, refusal="I will not."), TryError.REFUSED),
    "no JSON": (lambda good: Reply(content="Well,\nlet me see: {"), TryError.UNPARSABLE),
    "two objects": (lambda good: Reply(content=f"{good.content}{good.content}"), TryError.UNPARSABLE),
    "lone surrogates": (lambda good: Reply(body=completion("\ud800 {\n\udfff")), TryError.UNPARSABLE),
    "nested without end": (lambda good: Reply(content='{"question": ' + "[" * 100_000), TryError.UNPARSABLE),
}
"""Replies that cannot be used, after which the role is asked again with the error shown."""

WRAPPED: dict[str, Callable[[Reply], Reply]] = {
    "fenced after its reasoning": lambda good: Reply(content=f"<think>Perhaps {good.content}?</think>\n```json\n{good.content}\n```\n"),
    "reasoning with lone surrogates": lambda good: Reply(body=completion(f"<think>\ud800</think>{good.content}")),
    "reasoning beside it": lambda good: Reply(body=completion(good.content or "", reasoning_content="Hm.")),
    "in parts": lambda good: Reply(body=completion([{"type": "text", "text": good.content}])),  # type: ignore[arg-type]
    "another content type": lambda good: Reply(content=good.content, headers={"Content-Type": "text/plain"}),
    "without usage": lambda good: Reply(content=good.content, usage=None),
}
"""Good replies in odd clothes."""


@pytest.mark.parametrize("name", [name if name in ONE_OF_EACH else pytest.param(name, marks=pytest.mark.slow) for name in NO_REPLY])
def test_a_call_that_fails_is_made_again_and_nothing_is_lost(name: str, bench: Bench, tmp_path: Path) -> None:
    fault, error, how = NO_REPLY[name]
    script = Faulty(bench.known, fault, **how)
    run = bench.start(tmp_path, timeout_s=8 if name == "no end" else 120)
    with bench.serve(script):
        done = run.build("run")
    assert done.returncode == 0, done.stderr
    assert result_files(tmp_path / "run") == bench.files
    recorded = tries(tmp_path / "run")
    assert [a_try.reply_raw for a_try in recorded if a_try.error is not None] == [None] * script.faults
    assert {a_try.error for a_try in recorded} == {error, None}
    assert script.faults >= 2
    assert sorted(cached_texts(tmp_path)) == sorted(script.answered)
    assert len({a_try.request_sha256 for a_try in recorded}) == len(bench.asked), "the same requests, sent again as they were"


class Variety:
    """Deals out faults in turn, a new one to each prompt."""

    def __init__(self, kinds: list[Callable[[Reply], Reply]]) -> None:
        self.kinds = itertools.cycle(kinds)

    def __call__(self, good: Reply) -> Reply:
        return next(self.kinds)(good)


@pytest.mark.slow
@pytest.mark.parametrize("name", BAD_REPLIES)
def test_a_reply_that_cannot_be_used_is_shown_asked_again_and_not_kept(name: str, bench: Bench, tmp_path: Path) -> None:
    fault, error = BAD_REPLIES[name]
    script = Faulty(bench.known, fault)
    run = bench.start(tmp_path)
    with bench.serve(script) as server:
        done = run.build("run")
    assert done.returncode == 0, done.stderr
    assert result_files(tmp_path / "run") == bench.files
    assert Counter(a_try.error for a_try in tries(tmp_path / "run")) == {error: script.faults, None: len(script.answered)}
    assert script.faults >= 4
    shown = [seen for seen in server.seen if f"cannot be used ({error.value})" in seen.body["messages"][-1]["content"]]
    assert len(shown) == script.faults
    assert sorted(cached_texts(tmp_path)) == sorted(script.answered)


@pytest.mark.slow
@pytest.mark.parametrize("name", WRAPPED)
def test_a_good_reply_in_odd_clothes_is_taken_at_once(name: str, bench: Bench, tmp_path: Path) -> None:
    script = Faulty(bench.known, WRAPPED[name], share=1.0)
    run = bench.start(tmp_path)
    with bench.serve(script) as server:
        done = run.build("run")
    assert done.returncode == 0, done.stderr
    assert result_files(tmp_path / "run") == bench.files
    assert {a_try.error for a_try in tries(tmp_path / "run")} == {None}
    assert sorted(json.dumps(seen.body) for seen in server.seen) == sorted(bench.asked)


def test_replies_of_all_kinds_that_cannot_be_used_in_one_run(bench: Bench, tmp_path: Path) -> None:
    script = Faulty(bench.known, Variety([fault for fault, _ in BAD_REPLIES.values()]), share=1.0)
    run = bench.start(tmp_path)
    with bench.serve(script):
        done = run.build("run")
    assert done.returncode == 0, done.stderr
    assert result_files(tmp_path / "run") == bench.files
    counts = Counter(a_try.error for a_try in tries(tmp_path / "run"))
    assert set(counts) == {None, *(error for _, error in BAD_REPLIES.values())}
    assert counts[None] == len(script.answered) == script.faults == counts.total() / 2
    assert sorted(cached_texts(tmp_path)) == sorted(script.answered)


def test_good_replies_in_all_kinds_of_clothes_in_one_run(bench: Bench, tmp_path: Path) -> None:
    script = Faulty(bench.known, Variety(list(WRAPPED.values())), share=1.0)
    run = bench.start(tmp_path)
    with bench.serve(script) as server:
        done = run.build("run")
    assert done.returncode == 0, done.stderr
    assert result_files(tmp_path / "run") == bench.files
    assert sorted(json.dumps(seen.body) for seen in server.seen) == sorted(bench.asked)


@pytest.mark.slow
@pytest.mark.parametrize("name", [pytest.param(name, marks=[] if name == "refused" else pytest.mark.slow) for name in BAD_REPLIES])
def test_a_role_that_never_replies_usably_fails_its_instances_with_the_kind_of_error(name: str, bench: Bench, tmp_path: Path) -> None:
    fault, error = BAD_REPLIES[name]
    script = Faulty(bench.known, fault, times=10**6, share=1.0)
    run = bench.start(tmp_path)
    with bench.serve(script) as server:
        done = run.build("run")
    assert done.returncode == 1
    assert f"failed     {TAKEN}" in done.stdout
    recorded = tries(tmp_path / "run")
    assert Counter(a_try.error for a_try in recorded) == {error: 3 * TAKEN}
    assert len(server.seen) == 3 * TAKEN
    assert cached_texts(tmp_path) == []


class Leaves:
    """Answers some requests; to all others it closes the connection, and says that it has gone."""

    def __init__(self, model: Script, after: int) -> None:
        self.model, self.left = model, after
        self.answered: list[str] = []
        self.has_gone = threading.Event()

    def __call__(self, body: dict[str, Any]) -> Reply:
        if self.left:
            self.left -= 1
            self.answered.append(json.dumps(body))
            return self.model(body)
        self.has_gone.set()
        return Reply(drop=True)


@contextmanager
def later(work: Callable[[], None]) -> Iterator[None]:
    """Something that goes on beside the run."""
    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        thread.join()


@pytest.mark.slow
def test_a_run_that_begins_before_its_server_waits_for_it(bench: Bench, tmp_path: Path) -> None:
    run = bench.start(tmp_path)
    servers: list[FakeServer] = []

    def come() -> None:
        time.sleep(1.0)
        servers.append(bench.serve(bench.known).__enter__())

    with later(come):
        done = run.build("run")
    servers[0].__exit__()
    assert done.returncode == 0, done.stderr
    assert result_files(tmp_path / "run") == bench.files
    assert len(talk(done, "does not answer")) == len(talk(done, "answers again")) == 1
    assert sorted(json.dumps(seen.body) for seen in servers[0].seen) == sorted(bench.asked)


@pytest.mark.slow
def test_a_server_that_goes_and_comes_back_costs_nothing_but_time(bench: Bench, tmp_path: Path) -> None:
    run = bench.start(tmp_path)
    script = Leaves(bench.known, len(bench.asked) // 2)
    first = bench.serve(script).__enter__()
    second: list[FakeServer] = []

    def go_and_come() -> None:
        script.has_gone.wait()
        first.__exit__()
        time.sleep(0.5)
        second.append(bench.serve(bench.known).__enter__())

    with later(go_and_come):
        done = run.build("run")
    second[0].__exit__()
    assert done.returncode == 0, done.stderr
    assert result_files(tmp_path / "run") == bench.files
    assert len(talk(done, "does not answer")) == len(talk(done, "answers again")) == 1
    assert sorted([*script.answered, *(json.dumps(seen.body) for seen in second[0].seen)]) == sorted(bench.asked)
    assert TryError.CONNECTION in {a_try.error for a_try in tries(tmp_path / "run")}


@pytest.mark.parametrize("answered", [0, pytest.param(5, marks=pytest.mark.slow)])
def test_a_server_that_stays_away_stops_the_run_with_a_line_and_the_same_command_goes_on(
    answered: int, bench: Bench, tmp_path: Path
) -> None:
    run = bench.start(tmp_path, patience_s=1)
    script = Leaves(bench.known, answered)
    server = bench.serve(script).__enter__()

    def go() -> None:
        script.has_gone.wait()
        server.__exit__()

    with later(go):
        done = run.build("run")
    assert (done.returncode, done.stdout) == (2, "")
    assert len(talk(done, "does not answer")) == 1
    (line,) = talk(done, "error: ")
    assert line.startswith(f"error: models.gpt at http://127.0.0.1:{bench.port}/v1: no reply for ")
    assert "What is finished is kept; run the same command when it is back." in line
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "run" / "failed.jsonl").exists()
    with bench.serve(bench.known) as back:
        again = run.build("run")
    assert again.returncode == 0, again.stderr
    assert result_files(tmp_path / "run") == bench.files
    assert sorted([*script.answered, *(json.dumps(seen.body) for seen in back.seen)]) == sorted(bench.asked), "nothing is paid twice"


@pytest.mark.slow
def test_a_server_that_is_busy_at_first_is_not_taken_for_one_that_refuses_a_schema(bench: Bench, tmp_path: Path) -> None:
    run = ModelRun(tmp_path, {**bench.run.model, "structured_output": "auto"})
    busy = [failure(429, "slow down", **SOON)] * (MOST_FAULTS + 2)

    def script(body: dict[str, Any]) -> Reply:
        if busy:
            return busy.pop()
        if "response_format" not in body:
            return failure(404, "only schemas here")
        return good(state="ready") if kind_of(body) == "state" else bench.known(body)

    with bench.serve(script):
        done = run.build("run")
    assert done.returncode == 0, done.stderr
    assert talk(done, "structured_output auto is json_schema")
    assert result_files(tmp_path / "run") == bench.files


@pytest.mark.slow
@pytest.mark.parametrize(
    ("refusal", "told"),
    [
        (failure(401, "Incorrect API key provided"), "the server refuses the key: status 401"),
        (failure(402, "Insufficient credits"), "Top up"),
        (failure(404, "model 'gpt-test' not found"), "models.gpt.model"),
        (failure(429, "You exceeded your current quota", code="insufficient_quota", retry_after="3600"), "Top up"),
    ],
)
def test_a_refusal_of_everything_in_the_middle_stops_the_run_and_the_same_command_goes_on(
    refusal: Reply, told: str, bench: Bench, tmp_path: Path
) -> None:
    run = bench.start(tmp_path)
    script = Leaves(bench.known, 9)
    with bench.serve(lambda body: script(body) if script.left else refusal) as server:
        done = run.build("run")
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = talk(done, "error: ")
    assert told in line
    assert len(server.seen) <= 9 + TAKEN
    with bench.serve(bench.known) as back:
        again = run.build("run")
    assert again.returncode == 0, again.stderr
    assert result_files(tmp_path / "run") == bench.files
    assert sorted([*script.answered, *(json.dumps(seen.body) for seen in back.seen)]) == sorted(bench.asked)


def poisoned(bench: Bench, count: int, fault: Reply) -> Script:
    """A model that fails whatever is asked about the first instances, and only that."""
    return lambda body: fault if any(mentions(body, text) for text in bench.raw_questions[:count]) else bench.known(body)


def without(files: dict[str, bytes], idents: list[str]) -> dict[str, list[bytes]]:
    """The lines of result files but for some instances, and for the list of failures."""
    mine = [ident.encode() for ident in idents]
    return {
        name: [line for line in content.splitlines() if not any(ident in line for ident in mine)]
        for name, content in files.items()
        if name != "failed.jsonl"
    }


@pytest.mark.parametrize(
    ("count", "fault", "error"),
    [
        (1, failure(500, "oops", **SOON), TryError.SERVER_ERROR),
        (3, failure(500, "oops", **SOON), TryError.SERVER_ERROR),
        (2, failure(400, "Prompt flagged"), TryError.BAD_REQUEST),
        pytest.param(1, Reply(delay_s=6), TryError.TIMEOUT, marks=pytest.mark.slow),
    ],
)
def test_instances_whose_requests_always_fail_are_given_up_alone_and_mended_later(
    count: int, fault: Reply, error: TryError, bench: Bench, tmp_path: Path
) -> None:
    run = bench.start(tmp_path, timeout_s=3 if error is TryError.TIMEOUT else 120, patience_s=60 if error is TryError.TIMEOUT else 5)
    with bench.serve(poisoned(bench, count, fault)):
        done = run.build("run")
    assert done.returncode == 1, done.stderr
    assert f"failed     {count}" in done.stdout
    reader = RunReader(tmp_path / "run")
    poisoned_ones = [record.id for record in reader.traces()][:count]
    files = result_files(tmp_path / "run")
    assert without(files, poisoned_ones) == without(bench.files, poisoned_ones)
    assert [json.loads(line)["id"] for line in files["failed.jsonl"].splitlines()] == poisoned_ones
    with reader.database() as database:
        for ident in poisoned_ones:
            (visit,) = database.trajectory(ident).visits
            assert {a_try.error for a_try in visit.tries} == {error}
    with bench.serve(bench.known):
        mended = run.build("run", "--retry-failed")
    assert mended.returncode == 0, mended.stderr
    assert result_files(tmp_path / "run") == bench.files
