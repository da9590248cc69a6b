"""Whether a wheel holds every file of our packages: `python3 .ci/wheel_contents.py WHEEL`."""

from __future__ import annotations

import sys
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]


def expected_files(root: Path) -> set[str]:
    """The files of our packages, as paths from the root; caches and outputs are none."""
    packages = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["packages"]
    files = {path.relative_to(root) for package in packages for path in (root / package.split(".")[0]).rglob("*") if path.is_file()}
    return {path.as_posix() for path in files if "__pycache__" not in path.parts and path.parts[:2] != ("runs", "output")}


def main(wheel: str) -> int:
    """Print what is missing; the exit code."""
    expected = expected_files(ROOT)
    missing = sorted(expected - set(zipfile.ZipFile(wheel).namelist()))
    for path in missing:
        print(f"not in the wheel: {path}", file=sys.stderr)
    print(f"{Path(wheel).name}: {len(expected) - len(missing)} of {len(expected)} files")
    return 1 if missing else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1]))
