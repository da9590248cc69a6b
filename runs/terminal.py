"""What a person sees: results on stdout, talk on stderr, and no label that can steer the terminal.

Text goes through rich with markup off and control characters shown escaped; where stderr is not a
terminal, progress is plain lines.
"""

from __future__ import annotations

import io
import re
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

Advance = Callable[[str, int, int], None]
"""`(what, done, total)`: tells how far the work has come."""

_UNSAFE = ("Cc", "Cf", "Cs", "Zl", "Zp")

_BEYOND_ASCII = re.compile("[\x7f-\U0010ffff]")


def shown(text: str) -> str:
    """The text on one line, with control, format and separator characters as escapes such as `\\x1b`."""
    if text.isprintable():
        return text
    return "".join(sign.encode("unicode_escape").decode("ascii") if unicodedata.category(sign) in _UNSAFE else sign for sign in text)


def survive_narrow_encodings() -> None:
    """Lets both streams write what their encoding lacks as escapes; a terminal without UTF-8 is no reason to fail."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def write_out(lines: Iterable[str]) -> None:
    """Prints lines of results to stdout, each made harmless."""
    console = _console(to_stderr=False)
    for line in lines:
        console.print(shown(line), soft_wrap=True)


def write_json(text: bytes) -> None:
    """Prints JSON to stdout, of the same value: signs that can steer a terminal, which JSON need not escape, are escaped."""
    sys.stdout.buffer.write(_BEYOND_ASCII.sub(_json_escape, text.decode()).encode())
    sys.stdout.buffer.flush()


def _json_escape(found: re.Match[str]) -> str:
    sign = found.group()
    if unicodedata.category(sign) not in _UNSAFE:
        return sign
    units = sign.encode("utf-16-be").hex()
    return "".join(f"\\u{units[place : place + 4]}" for place in range(0, len(units), 4))


def say(line: str) -> None:
    """Prints one line of talk to stderr, made harmless."""
    _console(to_stderr=True).print(shown(line), soft_wrap=True)


@contextmanager
def progress() -> Iterator[Advance]:
    """A bar for each kind of work on a terminal, else a line at each tenth of it."""
    console = _console(to_stderr=True)
    if not console.is_terminal:
        yield _lines_of_progress()
        return
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    tasks: dict[str, TaskID] = {}
    with Progress(*columns, console=console, transient=True) as bar:

        def advance(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bar.add_task(shown(what), total=total)
            bar.update(tasks[what], completed=done, total=total)

        yield advance


def _lines_of_progress() -> Advance:
    told: dict[str, int] = {}

    def advance(what: str, done: int, total: int) -> None:
        tenth = 10 * done // total if total else 10
        if tenth > told.get(what, 0):
            told[what] = tenth
            say(f"{what}: {done} of {total}")

    return advance


def _console(*, to_stderr: bool) -> Console:
    return Console(stderr=to_stderr, markup=False, highlight=False, emoji=False)
