"""The error classes; each builds its own one-line message: what, where, remedy."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class ChronoQGError(Exception):
    """Base of every error that the user can act on; printed as one line, exit code 2."""

    exit_code = 2

    def __init__(self, what: str, *, where: str = "", remedy: str = "") -> None:
        self.what = what
        self.where = where
        self.remedy = remedy
        super().__init__(what)

    def __str__(self) -> str:
        text = f"{self.where}: {self.what}" if self.where else self.what
        return f"{text.rstrip('.')}. {self.remedy}" if self.remedy else text


class ConfigError(ChronoQGError):
    """A config file, a `--set` or an environment variable is wrong; `where` is file and key."""


class GraphFormatError(ChronoQGError):
    """A graph file is refused; `where` is the file and, when known, the line."""


class TableError(ChronoQGError):
    """A temporal table is refused; `where` is its source and, when known, the column or row."""


class SamplingError(ChronoQGError):
    """The graph and config admit no trace."""


class RunFolderError(ChronoQGError):
    """A run directory cannot be read, written or continued; `where` is the directory or file."""


class ModelReplyError(ChronoQGError):
    """A model's reply cannot be used; recorded in the trajectory, never shown as a crash."""


class ModelCallError(ChronoQGError):
    """A request to a model failed for good: connection, status or refused parameter."""


class BudgetReached(ChronoQGError):
    """The run's budget leaves no room for the next call; what is finished is kept and can be continued."""

    exit_code = 1


class ClusterError(ChronoQGError):
    """A cluster cannot be reached, is not fit for the work, or keeps losing it; what is finished is kept."""


class ReplayMismatch(ChronoQGError):
    """A replay differs from the record; `where` is run, instance and visit."""

    exit_code = 1

    def __init__(self, what: str, *, where: str = "", remedy: str = "", diff: Iterable[str] = ()) -> None:
        super().__init__(what, where=where, remedy=remedy)
        self.diff = tuple(diff)
        """Unified diff from the nearest recorded request to one that is not recorded; raw, so to be escaped when shown."""


def did_you_mean(typed: str, known: Iterable[str]) -> str:
    """A remedy that lists the valid choices, the nearest one first."""
    choices = sorted(known)
    near = get_close_matches(typed, choices, n=1)
    hint = f"Did you mean {near[0]!r}? " if near else ""
    return f"{hint}Known: {', '.join(choices)}."
