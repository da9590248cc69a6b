"""Studies of the rewriter whose counts are known, because they were planted."""

from __future__ import annotations

from state.rewriter_study import RewriterCell, RewriterInstance, RewriterOutcome, RewriterStudy, Spent
from state.study import CellUsage
from state.vocabulary import ConstraintCount, DiscardReason, Family, Node, Status, Template, TryError

RAW = "Which entity has the relation to Ana Silva then?"
FATES = ("passed", "revised", "leaked", "appealed", "rejected", "leak", "failed")
"""What can become of an instance; the first four are accepted."""
NOTHING = Spent(input_tokens=0, output_tokens=0, usd=None)


def instance(number: int) -> RewriterInstance:
    """An instance; every other one has three constraints."""
    families = (Family.I_I,) if number % 2 else (Family.I_I, Family.I_I, Family.P_P)
    return RewriterInstance(
        id=f"d-{number:03}",
        families=families,
        template=Template.ONE_HOP if number % 3 else Template.BRANCH,
        part=ConstraintCount.SINGLE if number % 2 else ConstraintCount.MULTI,
        raw_question=RAW,
        entities=(("Ana Silva",),),
    )


def outcome(number: int, fate: str, *, errors: tuple[TryError, ...] = (), usd: float | None = 0.5) -> RewriterOutcome:
    """What became of it; it used 30 prompt and 10 completion tokens."""
    is_accepted = fate in FATES[:4]
    reasons = {"rejected": DiscardReason.FAILED_VERIFICATION, "leak": DiscardReason.ANSWER_LEAK}
    return RewriterOutcome(
        instance=f"d-{number:03}",
        status=Status.ACCEPTED if is_accepted else Status.FAILED if fate == "failed" else Status.DISCARDED,
        reason=reasons.get(fate),
        last_node=Node.REWRITE if fate == "failed" else Node.LEAK_CHECK,
        passed_at_first=fate in ("passed", "leaked", "leak"),
        rewriter_errors=errors,
        calls=2,
        was_revised=fate in ("revised", "rejected"),
        was_leak_rewritten=fate in ("leaked", "leak"),
        final_question="Whom did Ana Silva follow?" if is_accepted else None,
        spent=Spent(input_tokens=30, output_tokens=10, usd=usd),
        rewriter_spent=Spent(input_tokens=20, output_tokens=5, usd=None if usd is None else usd / 2),
    )


def cell(name: str, *outcomes: RewriterOutcome) -> RewriterCell:
    """A cell of these outcomes."""
    return RewriterCell(
        name=name,
        model="m",
        model_key="m",
        prompt="v1",
        address=f"study@{name}",
        outcomes=outcomes,
        usage=CellUsage(calls=1, cached_calls=0, usd_paid=0.1, usd_saved=0.0),
    )


def study(*cells: RewriterCell, size: int | None = None) -> RewriterStudy:
    """A study of these cells."""
    count = len(cells[0].outcomes) if size is None else size
    return RewriterStudy(dataset="d", source="s", seed=0, instances=tuple(map(instance, range(count))), cells=cells, notes=("planted",))


def of_fates(name: str, fates: list[str], *, usd: float | None = 0.5) -> RewriterCell:
    """A cell in which the instances had these fates."""
    return cell(name, *(outcome(number, fate, usd=usd) for number, fate in enumerate(fates)))
