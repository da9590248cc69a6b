"""Where `graph import` and `graph generate` write: never over a file that holds something else."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

from state.errors import RunFolderError
from state.interval import Granularity

_REMEDY = "Choose another --out, or delete it first."


def refuse_no_graph(out: Path) -> None:
    """Passes if the name is free and can be written, or has a graph file, which may turn out to be the same; run before the work.

    A link to nothing or to itself is something else: the name is taken.

    Raises:
        RunFolderError: something else is there, or the disk refuses.
    """
    from graph_sampler.loaders.graph_file import is_graph_file
    from runs.json_lines import refuse_unwritable

    if not os.path.lexists(out):
        refuse_unwritable(out)
    elif not is_graph_file(out):
        raise RunFolderError("something else is there, and no graph file", where=str(out), remedy="Choose another --out.")


def write_graph_bytes(out: Path, graph: bytes) -> str:
    """Writes a graph file, whole or not at all, and leaves one with the same bytes as it is; what was done, in words.

    Raises:
        RunFolderError: there is another graph already, or the disk refuses.
    """
    from runs.json_lines import WholeFile, read_bytes

    if not os.path.lexists(out):
        with WholeFile(out) as file:
            if os.path.lexists(out):
                raise RunFolderError("another process has made it meanwhile", where=str(out), remedy=_REMEDY)
            file.write(graph)
        return f"wrote {out}"
    if read_bytes(out) != graph:
        raise RunFolderError("another graph is there already", where=str(out), remedy=_REMEDY)
    return f"the same graph is there already: {out}"


def next_command(verb: str, out: str, unit: Granularity) -> str:
    """The command that makes a run of a graph file with the shipped config, which is by year."""
    path, name = shlex.quote(f"graph.path={out}"), re.sub(r"[^A-Za-z0-9_-]+", "_", Path(out).stem).strip("_-") or "graph"
    by_unit = "" if unit is Granularity.YEAR else f" --set graph.granularity={unit.value}"
    return f"chronoqg {verb} runs/quickstart.yaml --set {path}{by_unit} --set dataset={name} --out runs/output/{name}"
