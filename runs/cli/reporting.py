"""The command that makes a run readable: `report`."""

from __future__ import annotations

import shlex
from pathlib import Path

from runs.cli.options import Debug, Json, RunPath, errors_as_lines
from runs.terminal import progress, say, write_json, write_out


def report(run: RunPath, as_json: Json = False, debug: Debug = False) -> None:
    """Write the report of a run: the paper's tables and figures, and a page that shows each instance.

    RUN/report.html is opened in a browser, without any server; tables and figures lie beside it as CSV, SVG and
    PNG. The run may be unfinished, or a sample without agents.

    \b
    Example:
        chronoqg report runs/output/quickstart
        chronoqg report runs/output/quickstart --json
    """
    with errors_as_lines(debug):
        from evaluation.run_report.report import report_run

        with progress() as advance:
            made = report_run(Path(run), advance)
        if as_json:
            write_json(made.as_json())
        else:
            write_out(made.lines())
        folders = dict.fromkeys(path.parent for path in made.written[1:])
        say(f"wrote {made.written[0]}, and {len(made.written) - 1} files in {', '.join(map(str, folders))}")
        if made.to_look_at is not None:
            say(f"next: chronoqg show {shlex.quote(run)} {made.to_look_at}")
