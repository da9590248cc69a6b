"""The verifier's own words for relations: which verbs and nouns of a question may speak of which relation.

The rows give base forms; their inflections are made in `verifier_inflection`. Words of a relation's own label
always count, so an unknown relation is still found by its name. Paper: section 4.3.2.
"""

from __future__ import annotations

from agents.offline.verifier_entry import Entry
from agents.offline.verifier_interval_relations import INTERVAL_RELATIONS
from agents.offline.verifier_point_relations import POINT_RELATIONS

ENTRIES: dict[str, Entry] = {**INTERVAL_RELATIONS, **POINT_RELATIONS}
"""Normalised label -> its words."""

OTHER_LABELS: dict[str, str] = {
    "plays for": "member of sports team",
    "played for": "member of sports team",
    "is married to": "spouse",
    "married to": "spouse",
    "unmarried partner": "spouse",
    "is affiliated to": "member of",
    "graduated from": "educated at",
    "works at": "employer",
    "worked at": "employer",
    "has won prize": "award received",
    "owns": "owned by",
    "created": "author of",
    "chairperson of": "chief executive of",
    "served in": "member of legislature",
    "conflict": "fought in",
    "is citizen of": "country of citizenship",
    "receive award": "award received",
    "has winner": "winner",
    "has head of government": "head of government",
    "coach of sports team": "head coach",
    "headquarters location": "headquarters in",
    "premiered in": "premiered",
    "directed by": "director of film",
    "was born in": "place of birth",
    "died in": "place of death",
    "director": "director of film",
    "replaced by": "replaces",
}
"""Labels, those of other schemas among them, that mean a relation above."""
