"""What became of an instance of a study of the rewriter, in a few words: one fate each."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.rewriter.figures import RewriterFigures
from state.rewriter_study import RewriterOutcome
from state.vocabulary import DiscardReason, Node, Status

AT_ONCE = "accepted at once"
"""The first verification agreed, and nobody wrote the question anew."""
ON_APPEAL = "accepted on appeal"
"""The first verification did not agree, a second reading did, and nobody wrote the question anew."""
REPAIRED = "accepted after repair"
"""The reviser or the leak rewriter wrote the question anew."""


def fate_of(outcome: RewriterOutcome) -> str:
    """The fate of one instance."""
    if outcome.reason is not None:
        return discarded(outcome.reason)
    if outcome.status is not Status.ACCEPTED:
        return failed(outcome.last_node)
    if outcome.was_revised or outcome.was_leak_rewritten:
        return REPAIRED
    return AT_ONCE if outcome.passed_at_first else ON_APPEAL


def fates(cell: RewriterFigures) -> Iterator[tuple[str, int]]:
    """The fates that a cell's instances had and how many had each; together they are all instances."""
    repaired = cell.accepted.numerator - cell.accepted_at_once - cell.accepted_on_appeal
    counts = [(AT_ONCE, cell.accepted_at_once), (ON_APPEAL, cell.accepted_on_appeal), (REPAIRED, repaired)]
    counts += [(discarded(one.reason), one.instances) for one in cell.discarded]
    counts += [(failed(one.node), one.instances) for one in cell.failed]
    yield from ((fate, count) for fate, count in counts if count)


def discarded(reason: DiscardReason) -> str:
    """The fate of an instance discarded for that reason."""
    return f"discarded: {reason.value}"


def failed(node: Node) -> str:
    """The fate of an instance whose role at that node gave nothing usable."""
    return f"failed: at {node.value}"
