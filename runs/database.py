"""`run.sqlite`: trajectories and outcomes, one transaction an instance, so that a killed run resumes.

Write-ahead logging keeps every finished instance through the death of the process. The ledger is a
table of its own that only grows: a call is noted before it is sent and when it ends, each in a commit
of its own, and what a failed instance cost stays counted after its retry. Replies that no role can use are
in no cache, but they were paid for: they are kept until their instance ends, and its trajectory has them.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from pydantic import model_validator

from runs.json_lines import model_line
from state.errors import RunFolderError
from state.model_base import FORMAT_VERSION, Contract
from state.trajectory import Trajectory, Usage, Visit
from state.vocabulary import DiscardReason, Node, Status

_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE outcomes (
    instance_id TEXT PRIMARY KEY, status TEXT NOT NULL, reason TEXT, question TEXT NOT NULL, detail TEXT NOT NULL, last_node TEXT NOT NULL
);
CREATE TABLE visits (instance_id TEXT NOT NULL, seq INTEGER NOT NULL, visit TEXT NOT NULL, PRIMARY KEY (instance_id, seq));
CREATE TABLE ledger (
    id INTEGER PRIMARY KEY, instance_id TEXT NOT NULL, role TEXT NOT NULL, model TEXT NOT NULL, request_sha256 TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('open', 'ended', 'cached')), reserved INTEGER, spent INTEGER, saved INTEGER NOT NULL,
    input INTEGER NOT NULL, cached_input INTEGER NOT NULL, output INTEGER NOT NULL, reasoning INTEGER NOT NULL
);
CREATE TABLE unusable (
    instance_id TEXT NOT NULL, request_sha256 TEXT NOT NULL, reply TEXT NOT NULL, PRIMARY KEY (instance_id, request_sha256)
);
CREATE INDEX ledger_by_request ON ledger (request_sha256, instance_id);
CREATE TABLE duplicates (instance_id TEXT PRIMARY KEY, earlier TEXT NOT NULL);
"""


class InstanceOutcome(Contract):
    """What became of one instance, before the run's duplicate step."""

    instance_id: str
    """The instance."""
    status: Status
    """Accepted, discarded or failed."""
    reason: DiscardReason | None
    """Why it was discarded; `None` otherwise."""
    question: str
    """The accepted question; empty unless accepted."""
    detail: str
    """The last question and what spoke against it, or the last error; empty if accepted."""
    last_node: Node
    """The node that decided."""

    @model_validator(mode="after")
    def _reason_fits(self) -> InstanceOutcome:
        if (self.status is Status.DISCARDED) != (self.reason is not None):
            raise ValueError("a discarded instance has a reason, and no other has one")
        return self


class UsageRow(Contract):
    """What one role spent on one model."""

    role: str
    """The role."""
    model: str
    """The model's name on its server, or `offline-rules`."""
    calls: int
    """Calls made and replies taken from the cache."""
    cached_calls: int
    """Replies that came from the cache, and were not paid for by this run."""
    open_calls: int = 0
    """Calls whose end is not known, since the process died; they count as spent in full."""
    input: int
    """Prompt tokens of the replies that were paid for."""
    cached_input: int
    """Of these, tokens that the server read from its own cache."""
    output: int
    """Completion tokens of the replies that were paid for, reasoning included."""
    reasoning: int
    """Reasoning tokens of the replies that were paid for."""
    usd_paid: float
    """US dollars paid; 0 for a model without a price. A call whose end is not known counts with the most it can have cost."""
    usd_saved: float
    """US dollars that the cached replies cost when they were first paid for."""


class RunDatabase:
    """One open `run.sqlite`; every method raises `RunFolderError` if the file is damaged."""

    def __init__(self, path: Path, *, writable: bool) -> None:
        """Opens the database, and creates it if it is missing and to be written.

        Raises:
            RunFolderError: it cannot be opened, is damaged, or has another format version.
        """
        self.path = path
        with self._errors():
            fresh = writable and not path.exists()
            self._connection = sqlite3.connect(_address(path, writable), uri=True, isolation_level=None)
            if writable:
                self._connection.execute("PRAGMA journal_mode = WAL")
                self._connection.execute("PRAGMA synchronous = NORMAL")
            else:
                self._connection.execute("PRAGMA query_only = ON")
            if fresh or (writable and not self._has_schema()):
                self._connection.executescript(f"BEGIN; {_SCHEMA} INSERT INTO meta VALUES ('format', '{FORMAT_VERSION}'); COMMIT;")
            row = self._connection.execute("SELECT value FROM meta WHERE key = 'format'").fetchone()
        if row is None or row[0] != str(FORMAT_VERSION):
            raise RunFolderError(f"the database is not of format {FORMAT_VERSION}", where=str(path))

    def close(self) -> None:
        """Folds the log into the file and closes it."""
        self._connection.close()

    def commit(self, outcome: InstanceOutcome, visits: Sequence[Visit], used: Sequence[Visit] | None = None) -> None:
        """Stores an instance's trajectory, outcome and usage in one transaction, in place of earlier ones.

        Args:
            outcome: what became of it.
            visits: its trajectory.
            used: the visits whose replies were used now; by default all.
        """
        ident = outcome.instance_id
        with self._transaction() as connection:
            connection.execute("DELETE FROM visits WHERE instance_id = ?", (ident,))
            connection.execute("DELETE FROM unusable WHERE instance_id = ?", (ident,))
            connection.executemany(
                "INSERT INTO visits VALUES (?, ?, ?)", ((ident, visit.seq, model_line(visit).decode()) for visit in visits)
            )
            connection.execute(
                "INSERT OR REPLACE INTO outcomes VALUES (?, ?, ?, ?, ?, ?)",
                (ident, outcome.status, outcome.reason, outcome.question, outcome.detail, outcome.last_node),
            )
            connection.executemany(_INSERT_CACHED, _not_called(visits if used is None else used))

    def finished(self) -> dict[str, Status]:
        """Instance id -> status of every instance with an outcome."""
        with self._errors():
            rows = self._connection.execute("SELECT instance_id, status FROM outcomes").fetchall()
        found = {}
        for ident, status in rows:
            if status not in Status.__members__.values():
                raise RunFolderError("a stored outcome cannot be read", where=f"{self.path}, {ident}")
            found[ident] = Status(status)
        return found

    def outcomes(self) -> Iterator[InstanceOutcome]:
        """All outcomes, sorted by instance id."""
        with self._errors():
            rows = self._connection.execute("SELECT * FROM outcomes ORDER BY instance_id").fetchall()
        return map(self._as_outcome, rows)

    def outcome(self, instance_id: str) -> InstanceOutcome | None:
        """One outcome; `None` if the instance is not finished."""
        with self._errors():
            row = self._connection.execute("SELECT * FROM outcomes WHERE instance_id = ?", (instance_id,)).fetchone()
        return None if row is None else self._as_outcome(row)

    def trajectory(self, instance_id: str) -> Trajectory:
        """The stored visits of an instance, in order; none if it is not finished."""
        with self._errors():
            rows = self._connection.execute("SELECT visit FROM visits WHERE instance_id = ? ORDER BY seq", (instance_id,)).fetchall()
        try:
            visits = tuple(Visit.model_validate_json(text) for (text,) in rows)
        except ValueError as err:
            raise RunFolderError("a stored node visit cannot be read", where=f"{self.path}, {instance_id}") from err
        return Trajectory(instance_id=instance_id, visits=visits)

    def store_duplicates(self, earlier: Mapping[str, str]) -> None:
        """Replaces the list of instances whose question repeats an earlier one's."""
        with self._transaction() as connection:
            connection.execute("DELETE FROM duplicates")
            connection.executemany("INSERT INTO duplicates VALUES (?, ?)", sorted(earlier.items()))

    def duplicate_of(self, instance_id: str) -> str | None:
        """The earlier instance whose question this one repeats, if any."""
        with self._errors():
            row = self._connection.execute("SELECT earlier FROM duplicates WHERE instance_id = ?", (instance_id,)).fetchone()
        return None if row is None else str(row[0])

    def begin_call(self, instance_id: str, role: str, model: str, request_sha256: str, reserved: int | None) -> int:
        """Notes that a call is about to be sent; returns the number under which `end_call` ends it.

        Args:
            instance_id: the instance that asks.
            role: who asks.
            model: the model's name on its server.
            request_sha256: the request's cache key.
            reserved: the most that it can cost in billionths of a US dollar; `None` for a model without a price.
        """
        row = (instance_id, role, model, request_sha256, reserved)
        with self._errors():
            return self._connection.execute(_INSERT_CALL, row).lastrowid or 0

    def end_call(self, number: int, usage: Usage, spent: int | None) -> None:
        """Notes how a call ended: its tokens, and what it cost in billionths of a US dollar."""
        row = (spent, usage.input, usage.cached_input, usage.output, usage.reasoning, number)
        with self._errors():
            self._connection.execute(_END_CALL, row)

    def keep_unusable(self, instance_id: str, request_sha256: str, reply: str) -> None:
        """Stores a reply that cannot be used until the instance ends."""
        with self._errors():
            self._connection.execute("INSERT OR REPLACE INTO unusable VALUES (?, ?, ?)", (instance_id, request_sha256, reply))

    def unusable(self, instance_id: str, request_sha256: str) -> str | None:
        """The reply that `keep_unusable` stored; `None` if there is none, or the instance has ended since."""
        with self._errors():
            row = self._connection.execute(
                "SELECT reply FROM unusable WHERE instance_id = ? AND request_sha256 = ?", (instance_id, request_sha256)
            ).fetchone()
        return None if row is None else str(row[0])

    def spent(self) -> int:
        """Billionths of a US dollar spent; a call that never ended counts as reserved."""
        with self._errors():
            row = self._connection.execute("SELECT SUM(COALESCE(spent, reserved, 0)) FROM ledger").fetchone()
        return int(row[0] or 0)

    def usage(self) -> list[UsageRow]:
        """What was spent, by role and model."""
        with self._errors():
            rows = self._connection.execute(
                "SELECT role, model, COUNT(*), SUM(state = 'cached'), SUM(state = 'open'), SUM(input * (state <> 'cached')),"
                " SUM(cached_input * (state <> 'cached')), SUM(output * (state <> 'cached')), SUM(reasoning * (state <> 'cached')),"
                " TOTAL(COALESCE(spent, reserved)) / 1e9, TOTAL(saved) / 1e9 FROM ledger GROUP BY role, model ORDER BY role, model"
            ).fetchall()
        try:
            return [UsageRow(**dict(zip(UsageRow.model_fields, row, strict=True))) for row in rows]
        except ValueError as err:
            raise RunFolderError("the ledger cannot be read", where=str(self.path), remedy="Restore the file.") from err

    def note(self, key: str) -> str | None:
        """A text that the run has noted; `None` if there is none."""
        with self._errors():
            row = self._connection.execute("SELECT value FROM meta WHERE key = ?", (f"note:{key}",)).fetchone()
        return None if row is None else str(row[0])

    def store_note(self, key: str, text: str) -> None:
        """Notes a text for good; an earlier one is replaced."""
        with self._errors():
            self._connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (f"note:{key}", text))

    def _as_outcome(self, row: tuple[str, ...]) -> InstanceOutcome:
        try:
            return InstanceOutcome.model_validate(dict(zip(InstanceOutcome.model_fields, row, strict=True)))
        except ValueError as err:
            raise RunFolderError("a stored outcome cannot be read", where=f"{self.path}, {row[0]}") from err

    def _has_schema(self) -> bool:
        return self._connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is not None

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._errors():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as err:
            raise RunFolderError(
                f"the run's database cannot be used: {err}", where=str(self.path), remedy="Restore the file, or start in a new --out."
            ) from err


def _address(path: Path, writable: bool) -> str:
    """The URI under which to open.

    A reader opens for writing too (and then forbids itself to): only so does SQLite clear its log away
    when the last reader leaves. On a disk that cannot be written a run has no log left to read.
    """
    if writable:
        return f"{path.resolve().as_uri()}?mode=rwc"
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        return f"{path.resolve().as_uri()}?mode=rw"
    return f"{path.resolve().as_uri()}?mode=ro&immutable=1"


_INSERT_CALL = (
    "INSERT INTO ledger (instance_id, role, model, request_sha256, state, reserved, saved, input, cached_input, output, reasoning)"
    " VALUES (?, ?, ?, ?, 'open', ?, 0, 0, 0, 0, 0)"
)
_END_CALL = "UPDATE ledger SET state = 'ended', spent = ?, input = ?, cached_input = ?, output = ?, reasoning = ? WHERE id = ?"
_INSERT_CACHED = (
    "INSERT INTO ledger (instance_id, role, model, request_sha256, state, spent, saved, input, cached_input, output, reasoning)"
    " SELECT :instance_id, :role, :model, :key, :state, :spent, :saved, :input, :cached_input, :output, :reasoning"
    " WHERE :state = 'ended' OR NOT EXISTS (SELECT 1 FROM ledger WHERE request_sha256 = :key AND instance_id = :instance_id"
    " AND state = 'ended')"
)
"""A reply from the cache is no saving if this very run paid for it before it was cut off."""


def _not_called(visits: Sequence[Visit]) -> Iterator[dict[str, object]]:
    """Rows of the ledger for the tries that were no calls to a server: cached replies, and rules."""
    for visit in visits:
        for attempt in visit.tries:
            if not attempt.cached and attempt.request.base_url is not None:
                continue
            usd = None if attempt.usd is None else round(attempt.usd * 1e9)
            yield {
                "instance_id": visit.instance_id,
                "role": visit.role.value,
                "model": attempt.request.model,
                "key": attempt.request_sha256,
                "state": "cached" if attempt.cached else "ended",
                "spent": None if attempt.cached else usd,
                "saved": usd or 0 if attempt.cached else 0,
                **attempt.usage.model_dump(),
            }
