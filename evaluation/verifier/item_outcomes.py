"""What a cell of a study of the verifier made of its items, read from its trajectories.

Symbolic execution of an item's own trace is the truth; where the verifier named another set, the verifier
is wrong, whether it agreed with the gold answer or not. Paper: section 4.3.2.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agents.agreement import Verdict, same_name
from evaluation.study.asking import Answered, cell_usage, check_history
from graph_sampler.labels import normalise_label
from state.errors import RunFolderError
from state.study import CellResult, ItemOutcome, Reading, StudyItem
from state.trajectory import Visit
from state.vocabulary import Outcome, Status


def cell_result(answered: Answered, items: Sequence[StudyItem], address: str) -> CellResult:
    """The outcomes of a cell, in the order of the items.

    Cost: one trajectory is read for each item.

    Raises:
        RunFolderError: an item is not finished, or the cell's database is damaged.
    """
    cell, reader = answered
    outcomes = []
    with reader.database() as database:
        finished = database.finished()
        for item in items:
            if item.id not in finished:
                raise RunFolderError(
                    "an item of the study is not finished", where=f"{address}, {item.id}", remedy="Run the same command again."
                )
            visits = database.trajectory(item.id).visits
            check_history(finished[item.id], visits, f"{address}, {item.id}")
            outcomes.append(item_outcome(item, finished[item.id], visits))
        usage = cell_usage(database.usage())
    return CellResult(
        name=cell.name,
        model=cell.model,
        model_key=cell.model_key,
        prompt=cell.prompt,
        modes=cell.modes,
        address=address,
        outcomes=tuple(outcomes),
        usage=usage,
    )


def item_outcome(item: StudyItem, status: Status, visits: Sequence[Visit]) -> ItemOutcome:
    """What the visits of one item come to: the first mode that did not agree decides."""
    deciding = visits[-1] if visits else None
    reading, named, labels = Reading.NO_REPLY, (), ()
    if deciding is not None and status is not Status.FAILED:
        reading = _reading(deciding)
        named = tuple(sorted(deciding.result.get("answers", ())))
        labels = tuple(finding["label"] for finding in deciding.result.get("findings", ()))
    answers = reading in (Reading.AGREED, Reading.ANOTHER)
    single = deciding is not None and deciding.mode == "single"
    tries = [a_try for visit in visits for a_try in visit.tries]
    costs = [a_try.usd for a_try in tries if a_try.usd is not None]
    return ItemOutcome(
        item=item.id,
        reading=reading,
        named=named,
        labels=labels,
        was_read=any(visit.mode == "roundtrip" for visit in visits),
        model_is_wrong=answers and not _names(named, item.expected, single=single),
        input_tokens=sum(a_try.usage.input for a_try in tries),
        output_tokens=sum(a_try.usage.output for a_try in tries),
        usd=sum(costs) if costs else None,
    )


def _reading(visit: Visit) -> Reading:
    if visit.outcome is Outcome.AGREES:
        return Reading.AGREED
    return Reading.ABSTAINED if visit.result.get("verdict") == Verdict.ABSTAINED else Reading.ANOTHER


def _names(named: Iterable[str], expected: Sequence[str], *, single: bool) -> bool:
    """Whether what was named is what a trace names; in mode `single` one name of several is right."""
    said, true = ({normalise_label(name): name for name in names} for names in (named, expected))
    strange = [name for normal, name in said.items() if normal not in true]
    unsaid = [name for normal, name in true.items() if normal not in said]
    if single and expected:
        return bool(said) and all(_is_among(name, unsaid) for name in strange)
    # Compared by spelling only where the normal forms differ: that is a hundred times as slow.
    return all(_is_among(name, unsaid) for name in strange) and all(_is_among(name, strange) for name in unsaid)


def _is_among(name: str, names: Iterable[str]) -> bool:
    return any(same_name(name, other) for other in names)
