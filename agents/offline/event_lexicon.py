"""Words of the offline rewriter for the relations of event data, where the label alone would make clumsy English.

Labels are those of the CAMEO scheme, as ICEWS and its extracts write them. Others are read as English
by `unknown_relations`.
"""

from __future__ import annotations

from agents.offline.english import inflected, participle
from agents.offline.words import ANYONE, Words


def event(phrase: str) -> Words:
    """Words for a verb phrase that ends before what it has to do with: `make a visit to`."""
    return Words(ANYONE, ANYONE, f"{phrase} {{p}}", inverse=f"be {inflected(phrase, participle)} by {{a}}")


EVENTS: dict[str, Words] = {
    label: event(phrase)
    for label, phrase in (
        ("make statement", "make a statement about"),
        ("make a visit", "make a visit to"),
        ("host a visit", "host a visit from"),
        ("make an appeal or request", "make an appeal or request to"),
        ("make optimistic comment", "make an optimistic comment about"),
        ("make pessimistic comment", "make a pessimistic comment about"),
        ("make empathetic comment", "make an empathetic comment about"),
        ("meet at a 'third' location", "meet at a third location with"),
        ("discuss by telephone", "discuss by telephone with"),
        ("express intent to meet or negotiate", "express intent to meet or negotiate with"),
        ("express intent to cooperate", "express intent to cooperate with"),
        ("engage in negotiation", "engage in negotiation with"),
        ("engage in diplomatic cooperation", "engage in diplomatic cooperation with"),
        ("sign formal agreement", "sign a formal agreement with"),
        ("provide aid", "provide aid to"),
        ("provide economic aid", "provide economic aid to"),
        ("provide humanitarian aid", "provide humanitarian aid to"),
        ("provide military aid", "provide military aid to"),
        ("occupy territory", "occupy territory of"),
        ("demand", "make a demand of"),
    )
}
"""Relation label, lower case and with its words apart -> its words."""
