"""`items.jsonl` of a study's directory: what is known of each question that its cells were asked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from runs.json_lines import parse_lines
from state.study import StudyItem

ITEMS = "items.jsonl"


def item_file(study: Path) -> Path:
    """Where a study keeps its items."""
    return study / ITEMS


def describe_item(study: Path, instance_id: str) -> Iterator[str]:
    """Lines on the item with an id; none where the directory is no study's, or has no such item.

    Raises:
        RunFolderError: the file is damaged.
    """
    if not item_file(study).exists():
        return
    item = next((item for item in parse_lines(StudyItem, item_file(study)) if item.id == instance_id), None)
    if item is None:
        return
    yield ""
    done = f"{item.kind.value}, {item.operator}" if item.kind is not None else "sound"
    yield f"Study item         {done}; {item.wording.value} question of {item.source}"
    if item.note:
        yield f"  done to it       {item.note}"
    yield f"  its trace names  {', '.join(item.expected) or 'nothing'}"
