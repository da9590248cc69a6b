"""`compare`: which instances changed fate between two runs, and where the two runs differ.

Instances are joined by id, never by position. An instance's fate is what the run's files say of it, the
duplicate step included; one that is not finished in a run has none yet, and is counted apart. A fork has
only the instances that it asked anew, and no duplicate step; beside one, no run's duplicate step counts.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import orjson

from runs.config_identity import plain
from runs.database import RunDatabase
from runs.forks import ForkReader
from runs.run_folder import RunReader, outcomes_by_id, spent
from state.config import SECRET_KEY
from state.instance import BenchmarkRecord
from state.model_base import Contract
from state.trajectory import Trajectory
from state.vocabulary import DiscardReason, Outcome, Status

ACCEPTED = Status.ACCEPTED.value
FATES = (ACCEPTED, *(f"{Status.DISCARDED.value}: {reason.value}" for reason in DiscardReason), Status.FAILED.value)
"""What can become of an instance."""
QUESTION_LENGTH = 80
"""Characters of a question that are shown."""
NOT_SHOWN = "(not shown)"
"""Stands for a value whose key's name says that it may be a secret."""


class Difference(Contract):
    """One setting that is not the same in the two runs."""

    key: str
    """Dotted key, prompt or package."""
    a: str | None
    """JSON text of the value in A; `None` if A lacks the key."""
    b: str | None
    """JSON text of the value in B; `None` if B lacks the key."""


class Side(Contract):
    """One of the two runs."""

    run: str
    """As the user named it."""
    instances: int
    """Instances that it has, finished or not."""
    finished: int
    """Of these, the finished ones."""
    calls: int
    """Calls of the whole run, replies from the cache included."""
    usd_paid: float
    """US dollars paid by the whole run."""


class GroupRow(Contract):
    """The compared instances of one kind."""

    name: str
    """The kind."""
    instances: int
    """How many there are."""
    accepted_a: int
    """Accepted in A."""
    accepted_b: int
    """Accepted in B."""
    lost: int
    """Accepted in A and not in B."""
    gained: int
    """Accepted in B and not in A."""


class CauseRow(Contract):
    """Instances that only one run accepted, by what stands against them in the other."""

    fate: str
    """Fate in the run that did not accept them."""
    cause: str | None
    """The error analyst's last cause there; `None` if it was not asked."""
    verdict: str | None
    """The last verdict on the verifier's answer there; `None` if none is recorded."""
    lost: int
    """Accepted in A; cause and verdict are B's."""
    gained: int
    """Accepted in B; cause and verdict are A's."""


class PairedTest(Contract):
    """McNemar's exact test of whether A and B accept equally often; anything but accepted counts as not accepted."""

    only_a: int
    """Accepted in A only."""
    only_b: int
    """Accepted in B only."""
    p: float
    """Two-sided binomial p-value on the discordant pairs; 1 if there are none."""


class Changed(Contract):
    """An instance with two fates."""

    id: str
    """The instance."""
    a: str
    """Fate in A."""
    b: str
    """Fate in B."""
    question_a: str
    """The beginning of the question that was written last in A, else of the template question."""
    question_b: str
    """The same of B."""


class Comparison(Contract):
    """What a comparison found; exchanging the runs transposes it."""

    format: Literal[1] = 1
    """Format version."""
    a: Side
    """The first run."""
    b: Side
    """The second run."""
    notes: tuple[str, ...]
    """What a reader must know before the numbers."""
    config: tuple[Difference, ...]
    """Config keys that differ."""
    prompts: tuple[Difference, ...]
    """Prompt files whose content differs, by SHA-256."""
    versions: tuple[Difference, ...]
    """Packages whose version differs."""
    only_in_a: int
    """Instances that B does not have."""
    only_in_b: int
    """Instances that A does not have."""
    unfinished_in_a: int
    """Common instances that only B has finished."""
    unfinished_in_b: int
    """Common instances that only A has finished."""
    unfinished_in_both: int
    """Common instances that neither has finished."""
    compared: int
    """Common instances that both have finished: all numbers below are about them."""
    fates: tuple[str, ...]
    """The fates that occur, in the order of rows and columns of `matrix`."""
    matrix: tuple[tuple[int, ...], ...]
    """Instances by fate in A (row) and fate in B (column)."""
    test: PairedTest
    """Whether the difference in acceptance may be chance."""
    families: tuple[GroupRow, ...]
    """By operator family; an instance with several constraints counts once in each of its distinct families."""
    templates: tuple[GroupRow, ...]
    """By template."""
    causes: tuple[CauseRow, ...]
    """Why what only one run accepted was not accepted by the other."""
    changed: tuple[Changed, ...]
    """The instances whose fate changed, sorted by id."""

    def as_json(self) -> bytes:
        """The comparison for a machine."""
        return orjson.dumps(self.model_dump(mode="json"), option=orjson.OPT_INDENT_2) + b"\n"


def compare_runs(a: RunReader, b: RunReader, names: tuple[str, str] | None = None) -> Comparison:
    """The fates of the instances that two runs or forks have in common.

    Args:
        a: the first run or fork.
        b: the second one.
        names: what to call them; their addresses if `None`.

    Raises:
        RunFolderError: a directory is damaged, or no agents have worked in it.
        ConfigError: a run's own config cannot be read.
    """
    with a.database() as database_a, b.database() as database_b:
        duplicates = not (isinstance(a, ForkReader) or isinstance(b, ForkReader))
        sides = (_read(a, database_a, duplicates=duplicates), _read(b, database_b, duplicates=duplicates))
        common = sorted(sides[0].instances.keys() & sides[1].instances.keys())
        pairs = {ident: (sides[0].fates.get(ident), sides[1].fates.get(ident)) for ident in common}
        compared = {ident: (x, y) for ident, (x, y) in pairs.items() if x is not None and y is not None}
        of_both = {ident: sides[0].instances[ident] for ident in compared}
        histories = {ident: (database_a.trajectory(ident), database_b.trajectory(ident)) for ident, (x, y) in compared.items() if x != y}
        names = names or (_address(a), _address(b))
        fates = tuple(fate for fate in FATES if any(fate in pair for pair in compared.values()))
        cells = Counter(compared.values())
        return Comparison(
            a=_side(names[0], sides[0], database_a),
            b=_side(names[1], sides[1], database_b),
            notes=tuple(_notes((a, b), sides, common)),
            config=_differences(plain(a.config().config), plain(b.config().config)),
            prompts=_differences(a.manifest.prompts or {}, b.manifest.prompts or {}, hide=False),
            versions=_differences(a.manifest.versions, b.manifest.versions, hide=False),
            only_in_a=len(sides[0].instances) - len(common),
            only_in_b=len(sides[1].instances) - len(common),
            unfinished_in_a=sum(x is None and y is not None for x, y in pairs.values()),
            unfinished_in_b=sum(x is not None and y is None for x, y in pairs.values()),
            unfinished_in_both=sum(x is None and y is None for x, y in pairs.values()),
            compared=len(compared),
            fates=fates,
            matrix=tuple(tuple(cells[x, y] for y in fates) for x in fates),
            test=_paired_test(compared.values()),
            families=_groups(compared, lambda ident: of_both[ident].families),
            templates=_groups(compared, lambda ident: (of_both[ident].template,)),
            causes=_causes(compared, histories),
            changed=tuple(_changed(of_both[ident], ident, compared[ident], pair) for ident, pair in histories.items()),
        )


def exact_mcnemar(only_a: int, only_b: int) -> float:
    """The two-sided binomial p-value of so many discordant pairs, each as likely to fall either way.

    >>> exact_mcnemar(1, 5)
    0.21875
    """
    total = only_a + only_b
    term = tail = 1
    for drawn in range(min(only_a, only_b)):
        term = term * (total - drawn) // (drawn + 1)
        tail += term
    p: float = 2 * tail / 2**total
    return min(1.0, p)


@dataclass(frozen=True)
class _Instance:
    """What is needed of a record."""

    families: tuple[str, ...]
    """Distinct, sorted."""
    template: str
    question: str
    proof: bytes
    """Digest of template question, answer and evidence."""


@dataclass(frozen=True)
class _Run:
    """One run as it is compared."""

    instances: Mapping[str, _Instance]
    fates: Mapping[str, str]
    """Finished instance -> fate."""


def _address(reader: RunReader) -> str:
    return f"{reader.path}@{reader.note.name}" if isinstance(reader, ForkReader) else str(reader.path)


def _read(reader: RunReader, database: RunDatabase, *, duplicates: bool) -> _Run:
    outcomes = outcomes_by_id(database)
    traces = (record for record in reader.traces() if record.id in outcomes or not isinstance(reader, ForkReader))
    instances = {record.id: _instance(record) for record in traces}
    fates = {}
    for ident, outcome in outcomes.items():
        if ident not in instances:
            continue
        status, reason = outcome.status, outcome.reason
        if duplicates and status is Status.ACCEPTED and database.duplicate_of(ident) is not None:
            status, reason = Status.DISCARDED, DiscardReason.DUPLICATE_QUESTION
        fates[ident] = status.value if reason is None else f"{status.value}: {reason.value}"
    return _Run(instances, fates)


def _instance(record: BenchmarkRecord) -> _Instance:
    evidence = sorted((fact.subject, fact.relation, fact.object, fact.start, fact.end) for fact in record.evidence)
    proof = hashlib.sha256(orjson.dumps([record.raw_question, record.answer_id, evidence])).digest()
    families = tuple(sorted({family.value for family in record.families}))
    return _Instance(families, record.graph_structure.value, record.raw_question, proof)


def _side(name: str, run: _Run, database: RunDatabase) -> Side:
    usage = database.usage()
    return Side(
        run=name, instances=len(run.instances), finished=len(run.fates), calls=sum(row.calls for row in usage), usd_paid=spent(usage)
    )


def _notes(readers: tuple[RunReader, RunReader], runs: tuple[_Run, _Run], common: Sequence[str]) -> Iterator[str]:
    a, b = (reader.manifest for reader in readers)
    if a.graph.content_hash != b.graph.content_hash:
        yield "the two runs are of different graphs (content hash): only the common instances are compared"
    elif a.traces.sha256 != b.traces.sha256:
        yield "the two runs have different traces (content hash): only the common instances are compared"
    other = sum(runs[0].instances[ident].proof != runs[1].instances[ident].proof for ident in common)
    if other:
        yield f"{other} of the {len(common)} common instances differ in template question, answer or evidence"
    if not common:
        yield "the two runs have no instance in common"
    forks = [name for name, reader in zip("AB", readers, strict=True) if isinstance(reader, ForkReader)]
    if forks:
        only = f"{forks[0]} is a fork" if len(forks) == 1 else "A and B are forks"
        yield f"{only}: only what was asked anew is compared, and no duplicate step is counted on either side"
        if any(isinstance(reader, ForkReader) and reader.note.verifies_only for reader in readers):
            yield "these are cells of a study: accepted means agreed with, which is wrong for damaged items; see its study.html"
        return
    for name, manifest, run in (("A", a, runs[0]), ("B", b, runs[1])):
        if len(run.fates) > manifest.taken:
            yield f"{name} has not ended: its last duplicate step covers {manifest.taken} of {len(run.fates)} finished instances"


def _differences(a: Mapping[str, Any], b: Mapping[str, Any], *, hide: bool = True) -> tuple[Difference, ...]:
    """The keys whose values differ, as JSON text; a value under a name like a secret's is not shown."""
    flat_a, flat_b = dict(_leaves(a)), dict(_leaves(b))
    found = []
    for key in sorted(flat_a.keys() | flat_b.keys()):
        texts = [orjson.dumps(flat[key]).decode() if key in flat else None for flat in (flat_a, flat_b)]
        if texts[0] != texts[1]:
            if hide and any(SECRET_KEY.search(part) for part in key):
                texts = [None if text is None else NOT_SHOWN for text in texts]
            found.append(Difference(key=".".join(key), a=texts[0], b=texts[1]))
    return tuple(found)


def _leaves(data: Mapping[str, Any], key: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, value in data.items():
        if isinstance(value, dict) and value:
            yield from _leaves(value, (*key, str(name)))
        else:
            yield (*key, str(name)), value


def _paired_test(pairs: Iterable[tuple[str, str]]) -> PairedTest:
    accepted = Counter((x == ACCEPTED, y == ACCEPTED) for x, y in pairs)
    only_a, only_b = accepted[True, False], accepted[False, True]
    return PairedTest(only_a=only_a, only_b=only_b, p=exact_mcnemar(only_a, only_b))


def _groups(compared: Mapping[str, tuple[str, str]], groups_of: Callable[[str], Iterable[str]]) -> tuple[GroupRow, ...]:
    cells: dict[str, Counter[tuple[bool, bool]]] = {}
    for ident, (x, y) in compared.items():
        for name in groups_of(ident):
            cells.setdefault(name, Counter())[x == ACCEPTED, y == ACCEPTED] += 1
    return tuple(
        GroupRow(
            name=name,
            instances=cell.total(),
            accepted_a=cell[True, True] + cell[True, False],
            accepted_b=cell[True, True] + cell[False, True],
            lost=cell[True, False],
            gained=cell[False, True],
        )
        for name, cell in sorted(cells.items())
    )


def _causes(compared: Mapping[str, tuple[str, str]], histories: Mapping[str, tuple[Trajectory, Trajectory]]) -> tuple[CauseRow, ...]:
    lost: Counter[tuple[str, str | None, str | None]] = Counter()
    gained: Counter[tuple[str, str | None, str | None]] = Counter()
    for ident, (history_a, history_b) in histories.items():
        x, y = compared[ident]
        if x == ACCEPTED:
            lost[y, _last_cause(history_b), _last_verdict(history_b)] += 1
        elif y == ACCEPTED:
            gained[x, _last_cause(history_a), _last_verdict(history_a)] += 1
    keys = sorted(lost.keys() | gained.keys(), key=lambda key: (FATES.index(key[0]), key[1] or "", key[2] or ""))
    return tuple(CauseRow(fate=key[0], cause=key[1], verdict=key[2], lost=lost[key], gained=gained[key]) for key in keys)


def _last_cause(history: Trajectory) -> str | None:
    return next((str(visit.result["cause"]) for visit in reversed(history.visits) if "cause" in visit.result), None)


def _last_verdict(history: Trajectory) -> str | None:
    """The verdict that decided at the last node that gave any: of its modes the first that disagreed."""
    judged = [visit for visit in history.visits if "verdict" in visit.result]
    last = [visit for visit in judged if visit.node is judged[-1].node]
    deciding = next((visit for visit in last if visit.outcome is Outcome.DISAGREES), last[-1] if last else None)
    return None if deciding is None else str(deciding.result["verdict"])


def _changed(instance: _Instance, ident: str, fates: tuple[str, str], histories: tuple[Trajectory, Trajectory]) -> Changed:
    one, other = (_question(instance, history) for history in histories)
    return Changed(id=ident, a=fates[0], b=fates[1], question_a=one, question_b=other)


def _question(instance: _Instance, history: Trajectory) -> str:
    """The beginning of the last question written."""
    written = [str(visit.result["question"]) for visit in history.visits if visit.outcome is Outcome.WRITTEN and "question" in visit.result]
    return (written or [instance.question])[-1][:QUESTION_LENGTH]
