"""What a synthetic graph is about: kinds of entities with invented names, and relations with their shapes. Paper: none.

The shares, spells and lengths are of the order of those of Wikidata's temporal statements about people,
clubs, offices and awards; none is fitted to a source. All numbers are whole, so that every machine draws
the same graph.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Numbers = npt.NDArray[np.int64]


class Kind(NamedTuple):
    """One kind of entity."""

    per_region: int
    """Entities of this kind in each region of 1,000."""
    ending: tuple[str, ...]
    """Ends of their names, taken in turn; without one the name is a given and a family name."""


KINDS: dict[str, Kind] = {
    "person": Kind(640, ()),
    "group": Kind(180, (" Club", " Union", " Institute", " Society", " Works", " Academy", " League", " Company")),
    "place": Kind(60, ("burg", "stad", "mouth", "ford", "haven", "dale", "minster", "wick")),
    "office": Kind(40, (" Governor", " Minister", " Chancellor", " Envoy", " Warden", " Marshal", " Provost", " Steward")),
    "award": Kind(20, (" Prize", " Medal", " Cup", " Award", " Trophy", " Order", " Cross", " Shield")),
    "work": Kind(60, (" Symphony", " Chronicle", " Ballad", " Portrait", " Opera", " Novel", " Cantata", " Saga")),
}
"""Every kind, in the order in which entities are numbered."""


class Shape(NamedTuple):
    """How the facts of one relation come about."""

    label: str
    subject: str
    object: str
    share: int
    """Weight among all relations."""
    spells: int
    """Facts of one subject in sequence: 1 to twice this, less one, evenly."""
    years: int
    """Median length of a fact; 0 for a point relation."""
    lead: int
    """Years from a subject's beginning to its first fact."""
    term: int = 0
    """Length of a term in years, where facts begin with terms; half of them end early."""
    far: int = 10
    """Per cent of the objects that are drawn from the whole graph rather than from the subject's region."""


SHAPES: tuple[Shape, ...] = (
    Shape("member of team", "person", "group", 16, 3, 3, 17),
    Shape("position held", "person", "office", 11, 2, 4, 32, term=4),
    Shape("award received", "person", "award", 9, 2, 0, 28),
    Shape("employer", "person", "group", 7, 2, 6, 24),
    Shape("nominated for", "person", "award", 6, 2, 0, 25),
    Shape("educated at", "person", "group", 5, 1, 4, 18),
    Shape("head coach", "group", "person", 5, 4, 2, 5),
    Shape("member of party", "person", "group", 4, 1, 15, 22),
    Shape("spouse", "person", "person", 4, 1, 20, 25, far=2),
    Shape("chairperson", "group", "person", 4, 3, 5, 1),
    Shape("league of", "group", "group", 4, 4, 2, 2, term=2),
    Shape("head of government", "place", "person", 4, 5, 4, 10, term=4),
    Shape("residence", "person", "place", 4, 2, 12, 20, far=30),
    Shape("represented", "person", "place", 3, 1, 8, 20, far=90),
    Shape("directed by", "work", "person", 3, 1, 0, 1),
    Shape("headquarters in", "group", "place", 3, 1, 25, 0),
    Shape("winner", "award", "person", 3, 6, 0, 1),
    Shape("owned by", "group", "group", 2, 2, 12, 5),
    Shape("part of", "place", "place", 2, 2, 60, 0, far=20),
    Shape("premiered in", "work", "place", 1, 1, 0, 1, far=40),
)
"""The relations; beyond their number they come again with other labels and lower weights."""


def shapes(relations: int) -> list[Shape]:
    """As many relations as asked for, with distinct labels."""
    found = []
    for number in range(relations):
        turn, at = divmod(number, len(SHAPES))
        shape = SHAPES[at]
        found.append(
            shape if not turn else shape._replace(label=f"{shape.label} in class {turn + 1}", share=max(1, shape.share // (turn + 1)))
        )
    return found


def lengths(median_days: int) -> Numbers:
    """1,024 lengths in days, equally likely: a log-normal law, two thirds of them between half and twice the median."""
    law = NormalDist()
    return np.array([max(1, round(median_days * 2 ** law.inv_cdf((step + 0.5) / 1024))) for step in range(1024)], dtype=np.int64)


def names(kind: str, numbers: Numbers) -> Any:
    """The names of some entities of a kind, by their numbers in it, as an Arrow array.

    One person in 97 has a namesake, so that the rule of unambiguous names has something to do; the other
    names differ from each other up to number 2**25.
    """
    ending = KINDS[kind].ending
    if not ending:
        numbers = numbers - (numbers % 97 == 96)
    # An odd factor permutes the residues, so that neighbours are not called alike.
    mixed = (numbers * 12_582_917 + 7_919) & ((1 << 25) - 1)
    digits = [pa.array(_SYLLABLES).take(pa.array((mixed >> (5 * place)) & 31)) for place in range(5)]
    tail = pa.array(ending).take(pa.array(numbers % len(ending))) if ending else pa.scalar("")
    space = pa.scalar(" " if not ending else "")
    first, rest = pc.binary_join_element_wise(*digits[:2], ""), pc.binary_join_element_wise(*digits[2:], "")
    return pc.binary_join_element_wise(pc.utf8_capitalize(first), space, pc.utf8_capitalize(rest) if not ending else rest, tail, "")


_SYLLABLES = (
    "ba", "ber", "bri", "ca", "cor", "da", "del", "do", "el", "fa", "fen", "ga", "gri", "ha", "hol", "is",
    "ja", "ka", "kel", "la", "lo", "ma", "mir", "na", "nor", "pa", "ri", "sa", "ser", "ta", "tor", "vi",
)  # fmt: skip
