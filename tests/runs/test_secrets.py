"""No secret reaches a terminal or a disk, whatever the server does with it and however a run ends."""

from __future__ import annotations

import json
import signal
import subprocess
import threading
import zipfile
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, quote_plus, urlsplit

import pytest

from runs.run_folder import RunReader
from tests.command_line import COMMAND, ROOT, chronoqg, environment, here
from tests.fake_openai_server import FakeServer, Reply, Script, failure
from tests.known_model import KnowsAll, ModelRun, mentions

KEY = "sk-test+DO/NOT=LEAK-key"
HEADER = "header DO/NOT=LEAK, too"
USER, PASSWORD = "somebody@DO-NOT-LEAK", "pass:word@DO/NOT?LEAK"
QUERY = "query+DO/NOT=LEAK&or"
BASIC = b64encode(f"{USER}:{PASSWORD}".encode()).decode()
VARIABLES = {"CHRONOQG_TEST_KEY": KEY, "CHRONOQG_TEST_HEADER": HEADER}

FORMS = sorted(
    {BASIC} | {form(secret) for secret in (KEY, HEADER, USER, PASSWORD, QUERY) for form in (str, quote, quote_plus, lambda s: quote(s, ""))}
)
"""Every secret as it is, and as it stands in addresses."""
ECHO = " ".join(FORMS)


class Scene:
    """A server, a run with all kinds of secrets, and all that was said."""

    def __init__(self, folder: Path, server: FakeServer, known: KnowsAll) -> None:
        self.folder, self.server, self.known = folder, server, known
        address = server.url.replace("http://", f"http://{quote(USER, '')}:{quote(PASSWORD, '')}@") + f"?api-key={quote(QUERY, '')}"
        self.model = {
            "provider": "openai", "model": "gpt-test", "api_key_env": "CHRONOQG_TEST_KEY", "base_url": address,
            "headers_env": {"X-Extra": "CHRONOQG_TEST_HEADER"}, "params": {"temperature": 0}, "price": {"input": 1, "output": 2},
        }  # fmt: skip
        self.run = ModelRun(folder, self.model)
        self.said: list[str] = []

    def hear(self, done: subprocess.CompletedProcess[str], *codes: int) -> subprocess.CompletedProcess[str]:
        """Takes note of what a command said."""
        assert done.returncode in codes, done.stderr
        self.said += [done.stdout, done.stderr]
        return done

    def leaks(self) -> list[str]:
        """Where a secret stands: in what was said, in a file, in a member of a zip."""
        texts = {f"said {number}": text.encode() for number, text in enumerate(self.said)}
        files = [file for file in self.folder.rglob("*") if file.is_file()]
        texts |= {str(file): file.read_bytes() for file in files}
        for file in files:
            if file.suffix == ".zip":
                with zipfile.ZipFile(file) as packed:
                    texts |= {f"{file}: {name}": packed.read(name) for name in packed.namelist()}
        assert len(texts) > 5
        return [f"{where}: {form}" for where, text in texts.items() for form in FORMS if form.encode() in text]


@pytest.fixture
def scene(build_dir: Path, sample_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scene]:
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value)
    with FakeServer(KnowsAll(build_dir)) as server:
        yield Scene(tmp_path, server, KnowsAll(build_dir))


def echoing(known: KnowsAll) -> Script:
    """Good replies with every secret beside them, and for one instance a question that holds them all."""

    def script(body: dict[str, Any]) -> Reply:
        text = known(body).content or ""
        if mentions(body, known.known[0][0].raw_question):
            text = text.replace('?"}', f' ({ECHO})?"}}')
        message = {"role": "assistant", "content": f"<think>{ECHO}</think>{text}", "reasoning_content": ECHO, "name": ECHO}
        choice = {"index": 0, "message": message, "finish_reason": ECHO, "logprobs": {"content": ECHO}}
        completion = {"id": ECHO, "model": ECHO, "system_fingerprint": ECHO, "choices": [choice], ECHO: ECHO}
        usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": ECHO, ECHO: 1}
        return Reply(body=json.dumps({**completion, "usage": usage}), headers={"X-Echo": KEY})

    return script


@pytest.mark.slow
def test_a_server_that_repeats_every_secret_with_good_replies_gives_none_away(scene: Scene) -> None:
    scene.server.script = echoing(scene.known)
    scene.hear(here("estimate", *scene.run.arguments), 0)
    for more in ((), ("--json",)):
        scene.hear(here("models", "check", *scene.run.arguments, *more), 0, 1)
    scene.hear(scene.run.build("run", "--debug"), 0)
    scene.hear(scene.run.build("other", "--json"), 0)
    sent = scene.server.seen[0]
    headers = {name.lower(): value for name, value in sent.headers.items()}
    assert (headers["authorization"], headers["x-extra"]) == (f"Basic {BASIC}", HEADER)
    assert parse_qs(urlsplit(sent.path).query) == {"api-key": [QUERY]}
    run = str(scene.folder / "run")
    for record in list(RunReader(run).traces())[:8]:
        for more in ((), ("--json",)):
            scene.hear(here("show", run, record.id, *more), 0)
        scene.hear(here("replay", run, record.id), 0)
    scene.hear(here("check", run), 0)
    scene.hear(here("compare", run, str(scene.folder / "other")), 0)
    scene.hear(here("estimate", *scene.run.arguments, "--out", run), 0)
    scene.hear(here("pack", run, "--with-cache", "--out", str(scene.folder / "run.zip")), 0)
    scene.hear(here("unpack", str(scene.folder / "run.zip"), "--out", str(scene.folder / "unpacked")), 0)
    assert scene.leaks() == []
    assert any("[secret]" in said for said in scene.said), "the replies as they are kept are shown, without the secrets"


FAILURES = {
    "a wrong key": (failure(401, f"Incorrect API key provided: {ECHO}", code=ECHO), 2),
    "a refused parameter": (failure(400, f"Unsupported value {ECHO}", param="temperature"), 2),
    "an unknown model": (failure(404, ECHO), 2),
    "a broken server": (failure(500, ECHO, retry_after_ms="1"), 1),
    "a broken server's page": (Reply(status=502, body=f"<html>{ECHO}", headers={"retry-after-ms": "1"}), 1),
    "a bad request": (failure(400, f"Prompt flagged: {ECHO}"), 1),
    "an error as a reply": (Reply(body=json.dumps({"error": {"message": ECHO}})), 1),
    "a refusal": (Reply(refusal=ECHO), 1),
    "no JSON": (Reply(content=f"Well,\n{ECHO}"), 1),
    "secrets for a question": (Reply(content=json.dumps({"question": f"Who has {ECHO}?"})), 1),
}


IN_SHORT = ("a wrong key", "a refused parameter", "a broken server", "secrets for a question")


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.slow if name not in IN_SHORT else []) for name in FAILURES])
def test_a_server_that_repeats_every_secret_in_a_failure_gives_none_away(name: str, scene: Scene) -> None:
    fault, code = FAILURES[name]
    first = scene.known.known[0][0].raw_question
    scene.server.script = lambda body: fault if mentions(body, first) else scene.known(body)
    scene.hear(scene.run.build("run"), code)
    assert scene.server.seen
    run = str(scene.folder / "run")
    if code == 1:
        failed = json.loads((scene.folder / "run" / "failed.jsonl").read_bytes())["id"]
        scene.hear(here("show", run, failed), 0)
        scene.hear(here("replay", run, failed), 0)
        scene.hear(here("pack", run, "--with-cache", "--out", str(scene.folder / "run.zip")), 0)
    scene.hear(here("estimate", *scene.run.arguments, "--out", run, "--retry-failed"), 0)
    scene.server.script = lambda body: fault
    scene.hear(here("models", "check", *scene.run.arguments), 0, 1, 2)
    assert scene.leaks() == []


@pytest.mark.slow
def test_a_broken_answer_whose_error_quotes_the_address_gives_none_away(scene: Scene) -> None:
    scene.server.script = lambda body: Reply(body="{}", headers={"Content-Length": "9" * 30})
    limits = {**scene.model, "patience_s": 1}
    scene.hear(ModelRun(scene.folder, limits).build("run"), 2)
    assert scene.leaks() == []


@pytest.mark.slow
def test_the_traceback_of_a_refused_key_gives_none_away(scene: Scene) -> None:
    scene.server.script = lambda body: failure(401, f"Incorrect API key provided: {ECHO}")
    done = scene.hear(chronoqg(*scene.run.command("run", "--debug"), **VARIABLES, OPENAI_LOG="debug", PYTHONASYNCIODEBUG="1"), 1)
    assert "Traceback" in done.stderr
    assert "refuses the key" in done.stderr
    assert scene.leaks() == []


@pytest.mark.slow
def test_a_killed_run_leaves_none_on_disk(scene: Scene) -> None:
    hangs = threading.Event()
    good = echoing(scene.known)

    def script(body: dict[str, Any]) -> Reply:
        if len(scene.server.seen) > 9:
            hangs.set()
            return Reply(delay_s=5.0, drop=True)
        return good(body)

    scene.server.script = script
    process = subprocess.Popen(
        [*COMMAND, *scene.run.command("run")],
        cwd=ROOT,
        env=environment(**VARIABLES),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert hangs.wait(60)
    process.kill()
    out, err = process.communicate()
    scene.said += [out, err]
    assert process.returncode == -signal.SIGKILL
    assert (scene.folder / "run" / "run.sqlite-wal").exists()
    assert scene.leaks() == []
    scene.server.script = good
    scene.hear(scene.run.build("run"), 0)
    assert scene.leaks() == []
