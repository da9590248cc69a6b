"""One HTML page that needs nothing else: for the reports of studies.

Labels, questions and names of models come from strangers. All text is escaped by the templates, embedded JSON
cannot end its element, and the page's own policy refuses every resource and every script but the one written
here. What a report says is in the page itself; the script only filters the items.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from evaluation.pages.charts import FAINT, GRID, INK, ONE, PAPER, TWO, Picture
from evaluation.pages.page_parts import SEPARATOR, Explorer, Section
from evaluation.pages.tables import Table
from runs.terminal import shown

_COLOURS = {INK: "--ink", FAINT: "--faint", GRID: "--grid", PAPER: "--paper", ONE: "--one", TWO: "--two"}
_ID = re.compile(r'(\bid="|href="#|url\(#)')
_NUMBER_LIKE = re.compile(r"[-<+]?\d|(?:-|self)\Z")  # `self` stands for the scores of a row that wrote the references
_POLICY = "default-src 'none'; script-src {}; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
_ENDS = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}


def html_page(
    title: str,
    lead: Sequence[str],
    sections: Sequence[Section],
    *,
    warning: str = "",
    script: str = "",
    style: str = "",
    loads_parts: bool = False,
) -> bytes:
    """A whole page, the same bytes for the same content.

    Args:
        title: heading of the page.
        lead: lines below the heading, the most important one first.
        sections: its parts, in order; at most one explorer in all, and none beside a script of its own.
        warning: what must be read before any number; nothing if empty.
        script: a script of the page's own, for its inserts.
        style: rules of the page's own, after those of all pages.
        loads_parts: whether that script loads further scripts that lie beside the page.
    """
    if any(block.kind == "explorer" for section in sections for block in section.blocks):
        script = _part("explorer.js")
    text = (
        _environment()
        .get_template("page.html")
        .render(
            title=title,
            lead=lead,
            warning=warning,
            sections=sections,
            style=_part("page.css") + style,
            script=script,
            policies=policies(script, loads_parts=loads_parts),
        )
    )
    return text.encode()


def policies(script: str, *, loads_parts: bool) -> tuple[str, ...]:
    """The content security policies of a page with that script, or without any if it is empty; all hold together.

    A script that loads parts is trusted to name what it loads, and nothing else in the page is; a second policy
    holds it to files beside the page, on the disk or on the page's own server.
    """
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    scripts = f"'sha256-{digest}'" if script else "'none'"
    if not loads_parts:
        return (_POLICY.format(scripts),)
    return _POLICY.format(f"{scripts} 'strict-dynamic'"), f"script-src {scripts} 'self' file:"


def embedded_json(data: Any) -> str:
    """Data as JSON that may stand within a script element: no `<`, `>` or `&`, and nothing outside ASCII.

    >>> print(embedded_json({"label": "</script>"}))
    {"label":"\\u003c/script\\u003e"}
    """
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    return re.sub("[<>&]", lambda sign: _ENDS[sign.group()], text)


def inline_svg(picture: Picture) -> str:
    """The figure as an element of a page: ids of its own, and colours that follow the page's."""
    text = picture.svg.decode()
    text = text[text.index("<svg") :]
    text = _ID.sub(lambda start: f"{start.group()}{picture.name}-", text)
    for colour, variable in _COLOURS.items():
        text = text.replace(colour, f"var({variable})")
    return text.replace("<svg ", '<svg aria-hidden="true" ', 1)


def explorer_json(explorer: Explorer) -> str:
    """What the script needs of an explorer; repeated answers are written once."""
    answers: dict[tuple[str, ...], int] = {}
    settings = [
        {
            "name": shown(setting.name),
            "command": shown(setting.command),
            "answers": [None if answer is None else answers.setdefault(answer, len(answers)) for answer in setting.answers],
        }
        for setting in explorer.settings
    ]
    return embedded_json(
        {
            "itemColumns": explorer.item_columns,
            "answerColumns": explorer.answer_columns,
            "filters": explorer.filters,
            "several": explorer.several,
            "separator": SEPARATOR,
            "items": [[shown(cell) for cell in item] for item in explorer.items],
            "answers": [[shown(cell) for cell in answer] for answer in answers],
            "settings": settings,
            "setting": explorer.setting,
            "first": explorer.first,
        }
    )


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("evaluation.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: shown(value) if isinstance(value, str) and not hasattr(value, "__html__") else value,
    )
    environment.filters |= {"inline_svg": inline_svg, "explorer_json": explorer_json, "number_columns": _number_columns}
    return environment


def _number_columns(table: Table) -> set[int]:
    """Places of the columns whose cells all begin as numbers do."""
    return {place for place in range(len(table.header)) if all(_NUMBER_LIKE.match(row[place]) for row in table.rows)}


@cache
def _part(name: str) -> str:
    return (files("evaluation.pages") / "templates" / name).read_text(encoding="utf-8")
