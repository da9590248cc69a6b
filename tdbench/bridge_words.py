"""What a relation is called on the other side of the bridge, so that questions about it are true and read as English.

A noun such as `head coach` does not say who is whose: by custom a graph's fact reads from the club to the coach, and a
table's row mostly the other way round. So a noun is not left to be guessed at.
"""

from __future__ import annotations

from agents.offline.unknown_relations import is_noun, readable

ENTITY = "entity"
"""What a question calls the subjects of a relation, whatever they are."""


def directed(relation: str, subject: str) -> str:
    """A relation's label that says which side is which: a noun as a link in which the subject stands in its column's role.

    Labels that are verbs or end in a preposition say so themselves.

    Args:
        relation: the label.
        subject: the column of the subject.

    >>> directed("head coach", "Manager")
    'linked as Manager (head coach) to'
    >>> directed("head coach of", "Manager")
    'head coach of'
    """
    if not is_noun(relation):
        return relation
    role = " ".join(subject.replace("_", " ").split())
    named = "" if readable(role) == readable(relation) else f" ({relation})"
    return f"linked as {role}{named} to"


def glossary_of(relations: list[str]) -> dict[str, str]:
    """What questions call the columns of a table of these relations: a noun names its objects.

    >>> glossary_of(["position held"])
    {'subject': 'entity', 'object': 'position held'}
    >>> glossary_of(["plays for"])
    {'subject': 'entity', 'object': 'plays-for object'}
    """
    if len(relations) != 1:
        return {"subject": ENTITY, "object": "linked entity"}
    label = readable("".join(sign if sign.isprintable() else " " for sign in relations[0]))
    said = label if is_noun(label) and label not in (ENTITY, "relation") else f"{label.replace(' ', '-')} object"
    return {"subject": ENTITY, "object": said}
