"""Facts for the verifier in which each operator has exactly one answer, and what it is asked about them.

Every rival of a graph stands in another temporal relation to the reference or to its own second fact, so
that a constraint that is dropped, reversed or replaced names somebody else.
"""

from __future__ import annotations

from collections.abc import Mapping

from state.fact import LabelledFact
from state.roles import VerifyRequest

Graph = tuple[list[LabelledFact], str]
"""Facts, and the hint at the structure."""

SPANS = {
    "I-before-I": (1980, 1985), "I-after-I": (2005, 2010), "I-meets-I": (1984, 1990), "I-met-by-I": (2000, 2006),
    "I-overlaps-I": (1986, 1995), "I-overlapped-by-I": (1995, 2004), "I-during-I": (1992, 1996), "I-contains-I": (1985, 2005),
    "I-starts-I": (1990, 1994), "I-started-by-I": (1990, 2003), "I-finishes-I": (1994, 2000), "I-finished-by-I": (1987, 2000),
    "I-equals-I": (1990, 2000),
}  # fmt: skip
"""What stands in each relation to 1990-2000."""
POINT_IN = {"P-before-I": 1985, "P-after-I": 2005, "P-inside-I": 1995, "P-at-start-I": 1990, "P-at-end-I": 2000}
"""A year in each relation to 1990-2000."""
PEOPLE = dict(
    zip(
        SPANS,
        [
            "Ana Roy",
            "Bo Lind",
            "Cy Moe",
            "Di Fox",
            "Ed Poe",
            "Flo Ray",
            "Gus Kay",
            "Hal Orr",
            "Ivy Low",
            "Jo Nye",
            "Kit May",
            "Lea Sun",
            "Max Dee",
        ],
        strict=True,
    )
)
"""Who stands in each relation to 1990-2000."""
POINT_PEOPLE = dict(zip(POINT_IN, ["Nat Coe", "Oz Pim", "Pia Dow", "Quin Abe", "Rex Ivo"], strict=True))
"""Whose year stands in each relation to 1990-2000."""
POINTS = {"P-before-P": 1980, "P-equals-P": 1990, "P-after-P": 2000}
"""A year in each relation to 1990."""
POINT_RIVALS = dict(zip(POINTS, ("Ana Roy", "Bo Lind", "Cy Moe"), strict=True))
"""Who stands in each relation to 1990."""


def fact(subject: str, relation: str, object_: str, start: int | str, end: int | str | None = None) -> LabelledFact:
    """A fact whose ids are its labels; without an end it is a point."""
    return LabelledFact(
        subject=subject, relation=relation, object=object_, start=str(start), end=str(start if end is None else end),
        subject_label=subject, relation_label=relation, object_label=object_,
    )  # fmt: skip


def one(relation: str, anchor: str, reference: str, is_interval: bool, is_object: bool = True) -> Graph:
    """An anchor, a reference 1990-2000 (or in 1990), and one rival in every relation to it."""
    rivals = (
        {PEOPLE[name]: span for name, span in SPANS.items()}
        if is_interval
        else {POINT_RIVALS[name]: (year, year) for name, year in POINTS.items()}
    )
    rows = {reference: (1990, 2000 if is_interval else 1990), **rivals}
    made = [fact(who, relation, anchor, *span) if is_object else fact(anchor, relation, who, *span) for who, span in rows.items()]
    return made, f'Topology A -> B, 1 hop, relations "{relation}".'


def branch(first: str, anchor: str, second: str, other: str, is_interval: bool) -> Graph:
    """Rivals whose first fact lasts 1990-2000 and whose second one stands in every relation to it."""
    spans = SPANS if is_interval else {name: (year, year) for name, year in POINT_IN.items()}
    who = PEOPLE if is_interval else POINT_PEOPLE
    made = [fact(who[name], first, anchor, 1990, 2000) for name in spans] + [
        fact(who[name], second, other, *span) for name, span in spans.items()
    ]
    return made, f"Topology C <- A -> B, 2 hops, relations {_quoted(first, second)}."


def chain(
    first: str,
    anchor: str,
    second: str,
    middle: str,
    spans: Mapping[str, tuple[int, int]],
    who: Mapping[str, str],
    forward: tuple[bool, bool],
) -> Graph:
    """Walks from the anchor over 1990-2000 to one end in every relation to that."""
    made = []
    for number, (name, span) in enumerate(spans.items()):
        bridge = f"{middle} {number + 1}"
        made.append(fact(anchor, first, bridge, 1990, 2000) if forward[0] else fact(bridge, first, anchor, 1990, 2000))
        made.append(fact(bridge, second, who[name], *span) if forward[1] else fact(who[name], second, bridge, *span))
    return made, f"Topology A -> B -> C, 2 hops, relations {_quoted(first, second)}."


def _quoted(*relations: str) -> str:
    return ", ".join(f'"{relation}"' for relation in dict.fromkeys(relations))


def request_about(graph: Graph, question: str) -> VerifyRequest:
    """What the verifier gets for a question about a graph."""
    return VerifyRequest(question=question, evidence=tuple(graph[0]), structure_hint=graph[1])
