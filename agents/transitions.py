"""The transitions of the agents' state machine, as data: (node, outcome) -> what follows.

The LangGraph graph is built from this table and `docs/state_machine.md` is printed from it. Every
node stands in it at most once on any way through, so the table itself bounds the work.
"""

from __future__ import annotations

from collections.abc import Mapping

from state.vocabulary import Node, Outcome, Role, Terminal

Target = Node | Terminal
Table = Mapping[tuple[Node, Outcome], Target]

START = Node.REWRITE

NODE_ROLES: dict[Node, Role] = {
    Node.REWRITE: Role.REWRITER,
    Node.VERIFY: Role.VERIFIER,
    Node.ANALYSE: Role.ERROR_ANALYST,
    Node.APPEAL: Role.APPEAL,
    Node.REVISE: Role.REVISER,
    Node.VERIFY_REPAIR: Role.VERIFIER,
    Node.LEAK_CHECK: Role.LEAK_FILTER,
    Node.LEAK_REWRITE: Role.LEAK_REWRITER,
    Node.VERIFY_LEAK_REWRITE: Role.VERIFIER,
    Node.SECOND_LEAK_CHECK: Role.LEAK_FILTER,
}
"""Who does the work of a node."""

_DECISIONS: dict[tuple[Node, Outcome], Target] = {
    (Node.REWRITE, Outcome.WRITTEN): Node.VERIFY,
    (Node.VERIFY, Outcome.AGREES): Node.LEAK_CHECK,
    (Node.VERIFY, Outcome.DISAGREES): Node.ANALYSE,
    (Node.ANALYSE, Outcome.VERIFIER_AT_FAULT): Node.APPEAL,
    (Node.ANALYSE, Outcome.OTHER_CAUSE): Node.REVISE,
    (Node.APPEAL, Outcome.AGREES): Node.LEAK_CHECK,
    (Node.APPEAL, Outcome.DISAGREES): Node.REVISE,
    (Node.REVISE, Outcome.WRITTEN): Node.VERIFY_REPAIR,
    (Node.VERIFY_REPAIR, Outcome.AGREES): Node.LEAK_CHECK,
    (Node.VERIFY_REPAIR, Outcome.DISAGREES): Terminal.FAILED_VERIFICATION,
    (Node.LEAK_CHECK, Outcome.CLEAN): Terminal.ACCEPTED,
    (Node.LEAK_CHECK, Outcome.LEAKS): Node.LEAK_REWRITE,
    (Node.LEAK_REWRITE, Outcome.WRITTEN): Node.VERIFY_LEAK_REWRITE,
    (Node.VERIFY_LEAK_REWRITE, Outcome.AGREES): Node.SECOND_LEAK_CHECK,
    (Node.VERIFY_LEAK_REWRITE, Outcome.DISAGREES): Terminal.FAILED_VERIFICATION,
    (Node.SECOND_LEAK_CHECK, Outcome.CLEAN): Terminal.ACCEPTED,
    (Node.SECOND_LEAK_CHECK, Outcome.LEAKS): Terminal.ANSWER_LEAK,
}


VERIFICATION: Table = {
    (Node.VERIFY, Outcome.AGREES): Terminal.VERIFIED,
    (Node.VERIFY, Outcome.DISAGREES): Terminal.FAILED_VERIFICATION,
    (Node.VERIFY, Outcome.NO_USABLE_REPLY): Terminal.AGENT_ERROR,
}
"""The table of a study of the verifier: the question is given, and verified once."""


def transition_table(*, appeal: bool) -> dict[tuple[Node, Outcome], Target]:
    """The table of a setup; without an appeal model a blamed verifier leads to the reviser."""
    table = dict(_DECISIONS)
    for node, role in NODE_ROLES.items():
        if role is not Role.LEAK_FILTER:
            table[node, Outcome.NO_USABLE_REPLY] = Terminal.AGENT_ERROR
    if not appeal:
        table = {row: to for row, to in table.items() if row[0] is not Node.APPEAL}
        table[Node.ANALYSE, Outcome.VERIFIER_AT_FAULT] = Node.REVISE
    return table


def entry_of(table: Table) -> Node:
    """The node at which every way begins: `rewrite`, or `verify` where the question is given."""
    return nodes_of(table)[0]


def nodes_of(table: Table) -> list[Node]:
    """The nodes that the table leads from or to, in the order of `Node`."""
    used = {node for node, _ in table} | {to for to in table.values() if isinstance(to, Node)}
    return [node for node in Node if node in used]


def max_role_calls(modes: int) -> int:
    """Most role calls for one instance: each writer and the analyst once, each verify node once a mode.

    Rewriter, error analyst, reviser and leak rewriter make four; verify, appeal, verify repair and
    verify leak rewrite make four for each of the verifier's modes. Each call is one request, and at
    most `agents.retries` more.
    """
    return 4 + 4 * modes


def as_markdown(table: Table) -> str:
    """The table as Markdown rows, in the order of the enums."""
    lines = ["| from | outcome | to |", "| --- | --- | --- |"]
    for node in Node:
        for outcome in Outcome:
            if (node, outcome) in table:
                to = table[node, outcome]
                lines.append(f"| {_words(node)} | {outcome.value} | {_words(to)} |")
    return "\n".join(lines)


def as_mermaid(table: Table) -> str:
    """The table as a Mermaid state diagram; the edges to `failed` are one note, for readability."""
    lines = ["stateDiagram-v2", f"    [*] --> {START.value}"]
    for node in nodes_of(table):
        for outcome in Outcome:
            to = table.get((node, outcome))
            if to is not None and to is not Terminal.AGENT_ERROR:
                lines.append(f"    {node.value} --> {to.name.lower()}: {outcome.value}")
    for terminal in (Terminal.ACCEPTED, Terminal.FAILED_VERIFICATION, Terminal.ANSWER_LEAK):
        lines.append(f"    {terminal.name.lower()} --> [*]")
    return "\n".join(lines)


def state_machine_page() -> str:
    """The whole of `docs/state_machine.md`."""
    with_appeal, without = transition_table(appeal=True), transition_table(appeal=False)
    only_without = [row for row in without if with_appeal[row] is not without[row]]
    changes = "\n".join(f"- {_words(node)}, {outcome.value}: {_words(without[node, outcome])}" for node, outcome in only_without)
    return f"""# The agents' state machine

Printed from `agents/transitions.py` by `python -m agents.transitions > docs/state_machine.md`; a test
fails when this page is stale. The LangGraph graph is built from the same table.

```mermaid
{as_mermaid(with_appeal)}
```

Not drawn: from every agent's node, *no usable reply* (after its retries) leads to *failed: agent error*.

{as_markdown(with_appeal)}

Without `agents.appeal` in the config there is no appeal node, and the row that leads to it changes:

{changes}

## How much work an instance can be

No node can be visited twice. With k verifier modes an instance makes at most 4 + 4k role calls, {max_role_calls(1)} with the
default single mode, and each call is at most 1 + `agents.retries` requests. A verify node asks its modes in
the order of `agents.verifier.modes` and stops at the first that disagrees. Where that leads to the analyst and mode
`roundtrip` would have come later, its reader is still asked, for what analyst and reviser are told, and decides
nothing. LangGraph's own limit is set above the longest way, as a backstop only.
"""


def _words(target: Target) -> str:
    return target.value.replace("_", " ") if isinstance(target, Node) else f"**{target.value}**"


if __name__ == "__main__":
    print(state_machine_page(), end="")
