"""What must hold of the report of any study: labels stay text in all of its files, and the page asks for nothing."""

from __future__ import annotations

import base64
import csv
import hashlib
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Mapping
from html.parser import HTMLParser
from typing import Any

from runs.terminal import shown
from tests.run_directory import HOSTILE

STRANGE: tuple[str, ...] = (
    "$\\frac{$",
    "</script><img src=x onerror=alert(1)>",
    *HOSTILE.values(),
    '" onmouseover="alert(1)" x="',
    "<!-- --> ]]> --!>",
    "{{ 7 * 7 }} {% raw %}",
    "a | b \\",
    "+1 -2 @x",
)
"""Labels that end an element, an attribute, a comment, a template, a cell or a formula, or begin one."""

_FORMULA = re.compile(r"[=+\-@\t\r\n＝＋－＠]")
_VOID = {"meta", "input", "br", "img", "link"}


class Page(HTMLParser):
    """Elements of a page with the names of their attributes, those of figures left out, and what the elements hold."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, ...]] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.text: list[str] = []
        self.cells: list[str] = []
        self.scripts: dict[str, str] = {}
        self._open: list[str] = []
        self._script = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if "svg" not in self._open:
            self.elements.append((tag, *(name for name, _ in attrs)))
        if tag == "script":
            self._script = dict(attrs).get("type") or "code"
            self.scripts[self._script] = ""
        if tag == "td":
            self.cells.append("")
        if tag not in _VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] == "script":
            self.scripts[self._script] += data
        elif self._open and self._open[-1] == "td":
            self.cells[-1] += data
        else:
            self.text.append(data)


def embedded(html: bytes) -> Any:
    """The data of a page's explorer."""
    text = Page(html.decode()).scripts["application/json"]
    assert not {"<", "&"} & set(text)
    return json.loads(text)


def assert_same_elements(tame: bytes, hostile: bytes) -> None:
    """Other labels make no other element, attribute or script."""
    kind, strange = Page(tame.decode()), Page(hostile.decode())
    assert len(strange.elements) > 500
    assert strange.elements == kind.elements
    assert strange.scripts["code"] == kind.scripts["code"]


def assert_notes_are_read_as_written(html: bytes, labels: Iterable[str]) -> None:
    """Each label stands on the page as text of its own."""
    texts = set(Page(html.decode()).text)
    assert [label for label in labels if shown(label) not in texts] == []


def assert_page_is_sealed(html: bytes) -> None:
    """The page's policy allows its own script alone, and nothing in it asks for a resource."""
    page = Page(html.decode())
    digest = base64.b64encode(hashlib.sha256(page.scripts["code"].encode()).digest()).decode()
    policies = [value for tag, name, value in page.attributes if tag == "meta" and name == "content" and "default-src" in value]
    assert len(policies) == 1
    assert {"default-src 'none'", f"script-src 'sha256-{digest}'", "base-uri 'none'"} <= set(policies[0].split("; "))
    links = [value for _, name, value in page.attributes if name in {"href", "xlink:href", "src", "action", "data", "srcset"}]
    assert links
    assert all(value.startswith("#") for value in links)
    said = {"data-label", "aria-label"}
    urls = [value for _, name, value in page.attributes if "://" in value and not name.startswith("xmlns") and name not in said]
    assert urls == []
    assert not [name for _, name, _ in page.attributes if name.startswith("on")]


def assert_references_have_targets(html: bytes) -> None:
    """No id stands twice, and whatever is referred to is there."""
    page = Page(html.decode())
    ids = [value for _, name, value in page.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    wanted = {value[1:] for _, name, value in page.attributes if name in {"href", "xlink:href"}}
    wanted |= {name for _, _, value in page.attributes for name in re.findall(r"url\(#([^)]+)\)", value)}
    assert wanted
    assert wanted <= set(ids)


def assert_figures_hold_no_text(files: Mapping[str, bytes], names: Iterable[str]) -> None:
    """Each figure is a well-formed SVG of paths, and a PNG."""
    for name in names:
        svg = files[f"figures/{name}.svg"]
        tags = {element.tag.rpartition("}")[2] for element in ET.fromstring(svg).iter()}
        assert {"svg", "path"} <= tags
        assert not {"text", "script", "a", "image", "metadata"} & tags
        assert b"<!--" not in svg
        assert files[f"figures/{name}.png"].startswith(b"\x89PNG\r\n\x1a\n")


def assert_csv_files_hold_no_formula(files: Mapping[str, bytes]) -> None:
    """Each CSV file has rows of one length, and no cell that a spreadsheet would compute."""
    tables = {name: data for name, data in files.items() if name.endswith(".csv")}
    assert tables
    for name, data in tables.items():
        header, *rows = csv.reader(data.decode().splitlines(keepends=True))
        assert {len(row) for row in rows} <= {len(header)}, name
        begins = [cell for row in rows for cell in row if _FORMULA.match(cell) and not re.fullmatch(r"[+-]?[\d.]+|-", cell)]
        assert begins == [], name


def assert_markdown_tables_are_whole(markdown: bytes) -> None:
    """Every row has as many cells as its table's header, and no element begins."""
    text = markdown.decode()
    tables = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)
    assert len(tables) > 8
    for table in tables:
        counts = {len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) for line in table.splitlines()}
        assert len(counts) == 1
    assert re.findall(r"(?<!\\)<", text) == []
