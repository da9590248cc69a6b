"""The gate that every written question about tables passes before anyone verifies it.

A usable question is one sentence that ends in `?`, names every value that is given, tells every year of the
query in digits, and shows nothing of the query: no column as SQL spells it, keyword, sign of comparison or slot.
"""

from __future__ import annotations

import re

from agents.names import tokens
from agents.one_question import form_problem, missing_names_problem, without_labels
from state.interval import Granularity, civil_from_days, parse_iso
from state.table_instance import TableInstance

_KEYWORDS = re.compile(r"\b(?:SELECT|FROM|WHERE|NULL|JOIN|ORDER BY|GROUP BY|DISTINCT)\b")
_SIGNS = re.compile(r"[<>]=?|[=*;`]")
_UNDERSCORED = re.compile(r"\w*_\w*")
_NAME_OR_TEXT = re.compile(r"""(?:"((?:[^"]|"")*)"|'((?:[^']|'')*)')""")


def table_problem(question: str, instance: TableInstance, require_names: bool) -> str | None:
    """Why a written question cannot be used, or `None`."""
    names = required_values(instance)
    held = " ".join((*names, *instance.answers))
    text = without_labels(question.strip(), (name for name in (*names, *instance.answers) if tokens(name).joined))
    if problem := form_problem(text, names):
        return problem
    for name in quoted_names(instance.sql):
        if f'"{name}"' in text:
            return f"The question holds {name!r} in quotation marks, as the query spells it; say it in words."
    for machinery in (_UNDERSCORED, _KEYWORDS, _SIGNS):
        if found := next((sign for sign in machinery.findall(text) if sign not in held), None):
            return f"The question holds {found!r}, which means nothing to a reader."
    if require_names and (problem := missing_names_problem(question, names)):
        return problem
    said = set(tokens(question).words)
    if unsaid := [year for year in named_years(instance) if year not in said]:
        return f"The question must name the year {', '.join(unsaid)} in digits."
    return None


def required_values(instance: TableInstance) -> list[str]:
    """What a question must name: every value that is given."""
    return list(dict.fromkeys(instance.question.determinants.values()))


def named_years(instance: TableInstance) -> list[str]:
    """The years of the dates in the query, each once, as a question spells them: 44 BC is `44`."""
    values = set(required_values(instance))
    texts = [text.replace("''", "'") for _, text in _NAME_OR_TEXT.findall(instance.sql)]
    years = [year for text in texts if text not in values and (year := _year(text)) is not None]
    return list(dict.fromkeys(str(year) if year > 0 else str(1 - year) for year in years))


def quoted_names(sql: str) -> list[str]:
    """The names of columns and tables in a query."""
    return [name.replace('""', '"') for name, _ in _NAME_OR_TEXT.findall(sql) if name]


def _year(text: str) -> int | None:
    """The year of an ISO date; `None` of any other text."""
    try:
        granule, unit = parse_iso(text)
    except ValueError:
        return None
    if unit is Granularity.YEAR:
        return granule
    return 1970 + granule // 12 if unit is Granularity.MONTH else civil_from_days(granule)[0]
