"""Small run directories made of composed records, and agents that follow a script."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from agents.workflow import InstanceResult
from runs.config_file import LoadedConfig, load_config
from runs.engine import Agents
from runs.json_lines import model_line
from runs.manifest import GraphNote
from runs.run_folder import RunFolder
from state.coverage import CoverageReport
from state.instance import BenchmarkRecord
from state.interval import Granularity
from state.trajectory import Request, Try, Usage, Visit
from state.vocabulary import DiscardReason, Node, Outcome, Role, Status, Terminal, TryError
from tests.sample_record import make_record

HOSTILE = {
    "markup": "[bold red]Ana[/] <b>Roy</b> [link=file:///etc/passwd]x[/link]",
    "ansi": "\x1b[2J\x1b]0;owned\x07Ana \x9b31mRoy",
    "answer": "Ana Roy\nAnswer: X",
    "line ends": "Ana\u2028Roy\u2029a\x85b\x0bc\x0cd\x1ce\rf",
    "direction": "Ana \u202eyoR\u202c \u2066x\u2069",
    "long": "Ana " + "x" * 5000,
    "formula": '=HYPERLINK("http://h","x")',
    "emoji": "Ana :smile: Roy",
}
"""Labels that other people's programs do not survive."""


def records(count: int, labels: Mapping[str, str] | None = None) -> list[BenchmarkRecord]:
    """Records that differ in id and template question, sorted by id."""
    return [make_record(number=number, labels=labels, raw_question=f"Which entity is number {number}?") for number in range(1, count + 1)]


def coverage(found: int) -> CoverageReport:
    """A coverage that says little."""
    return CoverageReport(target=found, found=found, roots_seen=1, roots_total=1, doubtful=0, cells=(), operators=())


def config(tmp_path: Path, *overrides: str) -> LoadedConfig:
    """The config of a sample-to-be."""
    file = tmp_path / "sample.yaml"
    file.write_text("dataset: sample\ngraph: {path: nowhere}\n", encoding="utf-8")
    return load_config(file, overrides)


def sampled(folder: RunFolder, traces: Sequence[BenchmarkRecord]) -> None:
    """Stores records as the sample of a run."""
    note = GraphNote(name="sample", content_hash="0" * 64, granularity=Granularity.YEAR, licence=None, source=None)
    folder.write_sample([model_line(record) for record in traces], coverage(len(traces)), note)


def visit(record: BenchmarkRecord, seq: int, node: Node, role: Role, outcome: Outcome, to: str, **result: object) -> Visit:
    """A node visit with one try."""
    request = Request(messages=({"role": "user", "content": record.raw_question},), schema=None, model="m", base_url=None, params_sent={})
    attempt = Try(
        sample=0, request=request, request_sha256=f"{seq}", reply_raw="{}", reply_sha256="0", finish_reason="stop", parsed={}, error=None,
        usage=Usage(input=10, output=2), usd=0.5, latency_s=0.0, cached=seq % 2 == 1,
    )  # fmt: skip
    return Visit(
        instance_id=record.id, seq=seq, node=node, role=role, outcome=outcome, to=to, prompt=None, result=dict(result),
        tries=() if role is Role.LEAK_FILTER else (attempt,),
    )  # fmt: skip


def accepted(record: BenchmarkRecord, question: str) -> InstanceResult:
    """The shortest way to acceptance."""
    visits = (
        visit(record, 0, Node.REWRITE, Role.REWRITER, Outcome.WRITTEN, "verify", question=question),
        visit(record, 1, Node.VERIFY, Role.VERIFIER, Outcome.AGREES, "leak_check", answers=[record.answer]),
        visit(record, 2, Node.LEAK_CHECK, Role.LEAK_FILTER, Outcome.CLEAN, Terminal.ACCEPTED.value, leaks=[]),
    )
    return InstanceResult(Status.ACCEPTED, question, None, "", Node.LEAK_CHECK, visits)


def discarded(record: BenchmarkRecord, detail: str) -> InstanceResult:
    """A way to a discard."""
    visits = (visit(record, 0, Node.VERIFY_REPAIR, Role.VERIFIER, Outcome.DISAGREES, Terminal.FAILED_VERIFICATION.value, answers=[]),)
    return InstanceResult(Status.DISCARDED, None, DiscardReason.FAILED_VERIFICATION, detail, Node.VERIFY_REPAIR, visits)


def failed(record: BenchmarkRecord, detail: str) -> InstanceResult:
    """A way to a failure."""
    one = visit(record, 0, Node.REWRITE, Role.REWRITER, Outcome.NO_USABLE_REPLY, Terminal.AGENT_ERROR.value, error=detail)
    bad = one.tries[0].model_copy(update={"parsed": None, "error": TryError.EMPTY, "error_detail": detail})
    return InstanceResult(Status.FAILED, None, None, detail, Node.REWRITE, (one.model_copy(update={"tries": (bad,)}),))


class ScriptedAgents:
    """Agents that do with each instance what a script says, and count how often they were asked."""

    def __init__(self, script: Callable[[BenchmarkRecord, int], InstanceResult]) -> None:
        self.script = script
        self.asked: list[str] = []
        self.closed = 0

    async def __call__(self, record: BenchmarkRecord) -> InstanceResult:
        number = int(record.id.rpartition("-")[2], 16)
        self.asked.append(record.id)
        for _ in range(number * 7 % 5):
            await asyncio.sleep(0)
        return self.script(record, number)

    @property
    def agents(self) -> Agents:
        """What the engine is given."""
        return Agents(self, self.aclose)

    async def aclose(self) -> None:
        """Counts that the connections were closed."""
        self.closed += 1


def mixed(record: BenchmarkRecord, number: int) -> InstanceResult:
    """Of six instances: one discarded, one failed, one a duplicate of the one before, three accepted."""
    if number % 6 == 2:
        return discarded(record, f"question {number} | the verifier named nobody")
    if number % 6 == 3:
        return failed(record, "rewriter: empty reply")
    return accepted(record, f"Who is number {number - 1 if number % 6 == 5 else number}?")


def result_files(path: Path) -> dict[str, bytes]:
    """The files whose bytes must not depend on how the work went."""
    names = ["traces.jsonl", "discarded.jsonl", "failed.jsonl", *sorted(str(p.relative_to(path)) for p in path.glob("benchmark/*.jsonl"))]
    return {name: (path / name).read_bytes() for name in names}
