"""`items.jsonl` of a study's directory: what is known of each question that its cells were asked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from runs.json_lines import parse_lines
from state.study import StudyItem
from state.vocabulary import Status

ITEMS = "items.jsonl"


def item_file(study: Path) -> Path:
    """Where a study keeps its items."""
    return study / ITEMS


def find_item(study: Path, instance_id: str) -> StudyItem | None:
    """The item with an id; `None` where the directory is no study's, or has no such item.

    Raises:
        RunFolderError: the file is damaged.
    """
    if not item_file(study).exists():
        return None
    return next((item for item in parse_lines(StudyItem, item_file(study)) if item.id == instance_id), None)


def describe_item(item: StudyItem) -> Iterator[str]:
    """Lines on what an item asks; trace and constraints that are shown beside it are those of its sound source."""
    yield ""
    done = f"{item.kind.value}, {item.operator}" if item.kind is not None else "sound"
    yield f"Study item         {done}; {item.wording.value} question of {item.source}"
    if item.note:
        yield f"  done to it       {item.note}; what follows is the trace before that"
    yield f"  its trace names  {', '.join(item.expected) or 'nothing'}"


def describe_reading(item: StudyItem, status: Status) -> str:
    """One line on what a cell made of an item."""
    if status is Status.FAILED:
        return "Reading            no usable reply"
    if item.kind is None:
        return f"Reading            sound, and {'agreed with' if status is Status.ACCEPTED else 'NOT agreed with'}"
    return f"Reading            damaged, and {'MISSED: the verifier agreed' if status is Status.ACCEPTED else 'noticed'}"
