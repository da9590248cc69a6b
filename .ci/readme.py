"""The README's marked blocks: print a command, or compare a marked output with what was really printed.

    python3 .ci/readme.py command NAME          prints the command line under <!-- command: NAME -->
    python3 .ci/readme.py compare NAME FILE     exit 1 unless FILE holds the text under <!-- output: NAME -->

Blanks and line breaks do not count in a comparison, and a line of three dots stands for text left out.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"
_BLOCK = re.compile(r"^<!-- (?P<kind>command|output): (?P<name>\w+) -->\n```\w+\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


def marked_blocks(text: str) -> dict[tuple[str, str], str]:
    """Kind and name -> text of each marked block."""
    return {(found["kind"], found["name"]): found["text"].strip("\n") for found in _BLOCK.finditer(text)}


def missing_parts(shown: str, printed: str) -> list[str]:
    """The parts of a shown output, between dots, that the printed one lacks."""
    whole = " ".join(printed.split())
    parts = [" ".join(part.split()) for part in re.split(r"^\.\.\.$", shown, flags=re.MULTILINE)]
    return [part for part in parts if part not in whole]


def main(arguments: list[str]) -> int:
    """The command line; the exit code."""
    blocks = marked_blocks(README.read_text(encoding="utf-8"))
    match arguments:
        case ["command", name] if ("command", name) in blocks:
            print(blocks["command", name])
            return 0
        case ["compare", name, path] if ("output", name) in blocks:
            missing = missing_parts(blocks["output", name], Path(path).read_text(encoding="utf-8"))
            for part in missing:
                print(f"README.md, output {name!r}: not printed any more: {part}", file=sys.stderr)
            return 1 if missing else 0
    print(f"{' '.join(arguments)!r}: no such block in README.md; there are {sorted(blocks)}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
