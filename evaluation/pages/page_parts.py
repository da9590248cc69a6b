"""What a report of a study is made of, before it is HTML or Markdown."""

from __future__ import annotations

from typing import Literal, NamedTuple

from evaluation.pages.charts import Picture
from evaluation.pages.tables import Table

MOST_SHOWN = 50
"""Single items of a cell, or of two cells, that are shown; the rest stands in a CSV file."""
MOST_EXPLORED = 4000
"""Items that a page holds for filtering."""
SEPARATOR = ", "
"""Stands between the values of a column that holds several."""


class Text(NamedTuple):
    """Paragraphs."""

    lines: tuple[str, ...]
    kind: Literal["text"] = "text"


class Listed(NamedTuple):
    """A list of remarks."""

    lines: tuple[str, ...]
    kind: Literal["list"] = "list"


class Grid(NamedTuple):
    """A table."""

    table: Table
    is_folded: bool = False
    """Closed until it is asked for, and in small print."""
    is_cards: bool = False
    """Whether a row is a card of its own on a narrow screen; else the table scrolls."""
    note: str = ""
    """A line below the table."""
    below: tuple[tuple[str, ...], ...] = ()
    """Small print below each cell's text, in the page alone, of the table's own shape; nothing where it is empty."""
    kind: Literal["table"] = "table"


class Drawing(NamedTuple):
    """A figure."""

    picture: Picture
    kind: Literal["figure"] = "figure"


class Setting(NamedTuple):
    """One of several settings that answered the same items."""

    name: str
    """Its name."""
    command: str
    """What opens one of its answers, but for the item's id; empty if nothing does."""
    answers: tuple[tuple[str, ...] | None, ...]
    """Of each item what it answered, in the order of the answer columns; `None` if it was not asked."""


class Explorer(NamedTuple):
    """A table of items that the reader filters by setting, by the values of some columns, and by text; needs the script."""

    item_columns: tuple[str, ...]
    """Names of what is known of an item; the first is its id."""
    answer_columns: tuple[str, ...]
    """Names of what a setting answered."""
    filters: tuple[str, ...]
    """The columns of either sort that have few values, to choose from."""
    items: tuple[tuple[str, ...], ...]
    """The items."""
    settings: tuple[Setting, ...]
    """Who answered."""
    first: int = 0
    """Place of the setting that is shown first."""
    note: str = ""
    """What is left out."""
    several: tuple[str, ...] = ()
    """Those of the filters whose columns hold several values, parted by `SEPARATOR`: each value can be chosen alone."""
    setting: str = "cell"
    """What a setting is called."""
    kind: Literal["explorer"] = "explorer"


class Insert(NamedTuple):
    """Markup of a report's own, which its script brings to life."""

    markup: str
    """HTML that stands on the page as it is: whoever makes it has escaped what comes from strangers."""
    kind: Literal["insert"] = "insert"


Block = Text | Listed | Grid | Drawing | Explorer | Insert


class Section(NamedTuple):
    """A part of a page."""

    ident: str
    """Its anchor: letters, digits and dashes."""
    title: str
    """Its heading."""
    blocks: tuple[Block, ...]
    """What it shows."""
