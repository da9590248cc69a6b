"""`report.html` and, for a run of many instances, the scripts beside it that bring them when they are asked for.

A page opened from a disk may not read files, but it may run scripts: so each part is a script that calls one
function with JSON. The page's policy lets its own script load those, and nothing else load anything.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from evaluation.pages.page_parts import Insert
from evaluation.run_report.instance_data import script_json
from evaluation.run_report.instances import ALL_FATES
from graph_sampler.operators import OPERATOR_NAMES
from runs.json_lines import write_whole
from state.vocabulary import ConstraintCount, Template

PAGE, DATA = "report.html", "report-data"
MOST_WITHIN = 500
"""Instances that the page itself holds; those of a larger run lie beside it."""
PART_SIZE = 100
"""Instances in a part that lies beside the page."""
LIST = "list"
"""Name of the part with what the list shows of every instance."""
_SCRIPTS = ("parts.js", "timeline.js", "instance.js", "browser.js")
_PART_FILE = re.compile(r"(?:list|\d{4,})\.js")


class InstanceParts:
    """The instances of a page as parts, each written or kept as soon as it is full."""

    def __init__(self, folder: Path, count: int) -> None:
        """Begins with none.

        Args:
            folder: where the report is made.
            count: instances to come.
        """
        self.is_within = count <= MOST_WITHIN
        """Whether the page itself holds them."""
        self.written: list[Path] = []
        """The files beside the page."""
        self._folder = folder / DATA
        self._size = max(1, count) if self.is_within else PART_SIZE
        self._kept: dict[str, bytes] = {}
        self._list: list[bytes] = []
        self._open: list[bytes] = []
        self._full = 0

    def add(self, entry: list[Any], data: dict[str, Any]) -> None:
        """Takes the next instance: what the list shows of it, and all that is said of it."""
        self._list.append(script_json(entry))
        self._open.append(script_json(data))
        if len(self._open) == self._size:
            self._close_part()

    def finish(self) -> Insert:
        """The markup of the page's part on instances; what lies beside the page is written."""
        if self._open:
            self._close_part()
        self._store(LIST, self._list)
        orders = {"1": list(Template), "2": list(ConstraintCount), "3": OPERATOR_NAMES, "4": ALL_FATES}
        about = script_json({"size": self._size, "orders": orders})
        elements = [_element("report-about", about), *(_element(f"report-part-{name}", text) for name, text in self._kept.items())]
        return Insert("\n".join([_template("instances.html").rstrip("\n"), *elements]))

    def _close_part(self) -> None:
        self._store(f"{self._full:04d}", self._open)
        self._full += 1
        self._open = []

    def _store(self, name: str, items: list[bytes]) -> None:
        text = b"[" + b",\n".join(items) + b"]"
        if self.is_within:
            self._kept[name] = text
            return
        path = self._folder / f"{name}.js"
        write_whole(path, _call(name, text))
        self.written.append(path)


def remove_old_parts(folder: Path, current: Collection[str]) -> None:
    """Deletes the parts of an earlier report that are none of this one, and their folder if it holds nothing else.

    Args:
        folder: the run directory.
        current: names of the files that this report has beside its page.
    """
    data = folder / DATA
    if not data.is_dir():
        return
    for path in sorted(data.iterdir()):
        if _PART_FILE.fullmatch(path.name) and path.name not in current:
            path.unlink()
    if not current and not any(data.iterdir()):
        data.rmdir()


def page_script() -> str:
    """The script of the page."""
    return "".join(['"use strict";\n(() => {\n', *map(_template, _SCRIPTS), "})();\n"])


def page_style() -> str:
    """The rules of the page beyond those of all pages."""
    return _template("report.css")


def _call(name: str, text: bytes) -> Iterator[bytes]:
    yield f'chronoqgPart("{name}",'.encode()
    yield text
    yield b");\n"


def _element(ident: str, text: bytes) -> str:
    return f'<script type="application/json" id="{ident}">{text.decode()}</script>'


@cache
def _template(name: str) -> str:
    return (files("evaluation.run_report") / "templates" / name).read_text(encoding="utf-8")
