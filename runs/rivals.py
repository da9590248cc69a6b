"""A guard: no other installed distribution may own our import names.

`agents` is also the import name of another well-known package, and an installer overwrites the one
with the other without a word.
"""

from __future__ import annotations

import re
from importlib.metadata import distributions

from state.errors import ChronoQGError

OUR_DISTRIBUTION = "chronoqg"
OUR_NAMES = ("agents", "graph_sampler", "prompts", "runs", "state")


def find_rivals() -> list[tuple[str, str]]:
    """`(distribution, import name)` of every installed distribution that provides one of our names, sorted.

    Reads the lists of installed files as text: `packages_distributions` of the standard library does
    the same ten times slower, at every start of the program.
    """
    owned = re.compile(rf"^({'|'.join(OUR_NAMES)})/__init__\.py,", re.MULTILINE)
    listed = re.compile(rf"^({'|'.join(OUR_NAMES)})\s*$", re.MULTILINE)
    found: set[tuple[str, str]] = set()
    for distribution in distributions():
        name = distribution.name or "(unnamed)"
        if name.lower() != OUR_DISTRIBUTION:
            top_level, record = distribution.read_text("top_level.txt") or "", distribution.read_text("RECORD") or ""
            found.update((name, module) for module in (*listed.findall(top_level), *owned.findall(record)))
    return sorted(found)


def refuse_rivals() -> None:
    """Passes if no other distribution owns our import names.

    Raises:
        ChronoQGError: one does.
    """
    for name, module in find_rivals():
        raise ChronoQGError(
            f"the installed package {name!r} provides a module {module!r}, as ChronoQG does",
            remedy="Install ChronoQG in an environment of its own.",
        )
