"""Words of the offline rewriter for the relations of event data, where the label alone would make clumsy English.

Labels are those of the CAMEO scheme, as ICEWS and its extracts write them. Others are read as English
by `unknown_relations`.
"""

from __future__ import annotations

from agents.offline.words import ANYONE, Words


def _said(noun: str, link: str) -> Words:
    """Something that one makes, and whom it concerns: `make a visit to {p}`."""
    return Words(ANYONE, ANYONE, f"make {noun} {link} {{p}}")


EVENTS: dict[str, Words] = {
    "make statement": _said("a statement", "about"),
    "make a visit": _said("a visit", "to"),
    "make an appeal or request": _said("an appeal or request", "to"),
    "make optimistic comment": _said("an optimistic comment", "about"),
    "make pessimistic comment": _said("a pessimistic comment", "about"),
    "make empathetic comment": _said("an empathetic comment", "about"),
    "host a visit": Words(ANYONE, ANYONE, "host a visit by {p}"),
    "meet at a 'third' location": Words(ANYONE, ANYONE, "meet at a third location with {p}"),
    "discuss by telephone": Words(ANYONE, ANYONE, "discuss by telephone with {p}"),
    "express intent to meet or negotiate": Words(ANYONE, ANYONE, "express intent to meet or negotiate with {p}"),
    "express intent to cooperate": Words(ANYONE, ANYONE, "express intent to cooperate with {p}"),
    "engage in negotiation": Words(ANYONE, ANYONE, "engage in negotiation with {p}"),
    "engage in diplomatic cooperation": Words(ANYONE, ANYONE, "engage in diplomatic cooperation with {p}"),
    "sign formal agreement": Words(ANYONE, ANYONE, "sign a formal agreement with {p}"),
    "provide aid": Words(ANYONE, ANYONE, "provide aid to {p}"),
    "provide economic aid": Words(ANYONE, ANYONE, "provide economic aid to {p}"),
    "provide humanitarian aid": Words(ANYONE, ANYONE, "provide humanitarian aid to {p}"),
    "provide military aid": Words(ANYONE, ANYONE, "provide military aid to {p}"),
    "occupy territory": Words(ANYONE, ANYONE, "occupy territory of {p}"),
    "demand": Words(ANYONE, ANYONE, "make a demand of {p}"),
}
"""Relation label, lower case and with its words apart -> its words."""
