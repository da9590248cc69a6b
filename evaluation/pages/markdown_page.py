"""The report of a study as one Markdown file beside its tables and figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evaluation.pages.page_parts import Block, Drawing, Grid, Listed, Section, Text
from evaluation.pages.tables import as_markdown, markdown_text

MOST_ROWS = 100
"""Rows of a table that are shown; the rest stands in its CSV file."""


def markdown_page(title: str, lead: Sequence[str], sections: Sequence[Section], *, warning: str = "") -> bytes:
    """A whole file; filters of items, which need a script, are left out.

    Args:
        title: its heading.
        lead: lines below the heading, the most important one first.
        sections: its parts, in order.
        warning: what must be read before any number; nothing if empty.
    """
    parts = [f"# {markdown_text(title)}"]
    if warning:
        parts.append(f"> **{markdown_text(warning)}**")
    parts += map(markdown_text, lead)
    for section in sections:
        blocks = [part for block in section.blocks for part in _block(block)]
        if blocks:
            parts += [f"## {markdown_text(section.title)}", *blocks]
    return ("\n\n".join(parts) + "\n").encode()


def _block(block: Block) -> Iterator[str]:
    if isinstance(block, Text):
        yield from map(markdown_text, block.lines)
    elif isinstance(block, Listed):
        if block.lines:
            yield "\n".join(f"* {markdown_text(line)}" for line in block.lines)
    elif isinstance(block, Drawing):
        yield f"![{markdown_text(block.picture.caption)}](figures/{block.picture.name}.svg)"
        yield markdown_text(block.picture.caption)
    elif isinstance(block, Grid):
        rows = block.table.rows
        yield "#" + as_markdown(block.table._replace(rows=rows[:MOST_ROWS])).rstrip("\n")
        if len(rows) > MOST_ROWS:
            yield f"{MOST_ROWS} of {len(rows)} rows; all are in `tables/{block.table.name}.csv`."
        if block.note:
            yield markdown_text(block.note)
