"""A comparison of two runs as lines for a person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from runs.comparing import ACCEPTED, CauseRow, Changed, Comparison, Difference, GroupRow, Side

SHOWN = 20
"""Changed instances that are listed."""


def comparison_lines(comparison: Comparison) -> list[str]:
    """The comparison for a person; labels in it are as stored."""
    lines = [_run("A", comparison.a), _run("B", comparison.b), *(f"note: {note}" for note in comparison.notes)]
    for title, differences in (
        ("Config keys that differ", comparison.config),
        ("Prompts that differ (SHA-256)", comparison.prompts),
        ("Versions that differ", comparison.versions),
    ):
        lines += _differences(title, differences)
    lines += ["", *_numbers(comparison)]
    if not comparison.compared:
        return lines
    lines += ["", "Fates: rows are A's, columns B's", *_matrix(comparison)]
    lines += ["", *_net(comparison)]
    lines += _groups("By operator family (an instance counts once in each of its distinct families)", comparison.families)
    lines += _groups("By template", comparison.templates)
    lines += _causes(comparison.causes)
    return [*lines, *_changed(comparison.changed)]


def _run(name: str, side: Side) -> str:
    of = f"{side.finished} of {side.instances} instances finished"
    return f"{name}  {side.run}: {of}, {side.usd_paid:.4f} USD paid in {side.calls} calls"


def _differences(title: str, differences: Sequence[Difference]) -> Iterator[str]:
    if differences:
        yield ""
        yield title
    for one in differences:
        yield f"  {one.key}: {_value(one.a)} -> {_value(one.b)}"


def _value(text: str | None) -> str:
    return "(not there)" if text is None else text


def _numbers(comparison: Comparison) -> Iterator[str]:
    yield f"compared          {comparison.compared} instances, finished in both"
    yield f"only in one       {comparison.only_in_a} only in A, {comparison.only_in_b} only in B"
    unfinished = comparison.unfinished_in_a, comparison.unfinished_in_b, comparison.unfinished_in_both
    if any(unfinished):
        yield "not finished      {} in A, {} in B, {} in both".format(*unfinished)


def _matrix(comparison: Comparison) -> list[str]:
    rows = [("", *comparison.fates, "all")]
    rows += [(fate, *map(str, row), str(sum(row))) for fate, row in zip(comparison.fates, comparison.matrix, strict=True)]
    columns = [sum(column) for column in zip(*comparison.matrix, strict=True)]
    return _table([*rows, ("all", *map(str, columns), str(sum(columns)))])


def _net(comparison: Comparison) -> Iterator[str]:
    test, of = comparison.test, comparison.compared
    both = comparison.matrix[comparison.fates.index(ACCEPTED)][comparison.fates.index(ACCEPTED)] if ACCEPTED in comparison.fates else 0
    a, b = both + test.only_a, both + test.only_b
    yield f"changed fate      {len(comparison.changed)} of {of}"
    yield f"accepted          {a} of {of} -> {b} of {of}: {test.only_b} gained, {test.only_a} lost, net {b - a:+d}"
    yield (
        f"McNemar, exact    p = {test.p:.3g} (two-sided; {test.only_a} accepted in A only, {test.only_b} in B only;"
        " all but accepted counts as not accepted)"
    )


def _groups(title: str, rows: Sequence[GroupRow]) -> Iterator[str]:
    yield ""
    yield title
    cells: list[tuple[str, ...]] = [("", "instances", "accepted in A", "in B", "gained", "lost", "net")]
    cells += [
        (row.name, *map(str, (row.instances, row.accepted_a, row.accepted_b, row.gained, row.lost)), f"{row.gained - row.lost:+d}")
        for row in rows
    ]
    yield from _table(cells)


def _causes(rows: Sequence[CauseRow]) -> Iterator[str]:
    if not rows:
        return
    yield ""
    yield "What only one run accepted, by the other's fate, last cause of its error analyst and last verdict of its verifier"
    cells = [("", "lost in B", "gained in B")]
    cells += [(f"{row.fate} | {row.cause or '-'} | {row.verdict or '-'}", str(row.lost), str(row.gained)) for row in rows]
    yield from _table(cells)


def _changed(changed: Sequence[Changed]) -> Iterator[str]:
    if not changed:
        return
    yield ""
    yield "Changed instances"
    for one in changed[:SHOWN]:
        yield f"  {one.id}  {one.a} -> {one.b}"
        same = one.question_a == one.question_b
        yield f"      {'' if same else 'A: '}{one.question_a}"
        if not same:
            yield f"      B: {one.question_b}"
    if len(changed) > SHOWN:
        yield f"  and {len(changed) - SHOWN} more; --json lists all"


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows as lines: the first column to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for first, *rest in rows:
        cells = [first.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True))]
        lines.append("  " + "  ".join(cells).rstrip())
    return lines
