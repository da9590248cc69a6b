"""Numbers that look random and depend on a seed and on what they are drawn for, never on the order of rows.

A key is 64 bits of a SHA-256; further ones are mixed from it by splitmix64 (Steele, Lea and Flood 2014), whole arrays at a time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

Keys = npt.NDArray[np.uint64]
Granules = npt.NDArray[np.int64]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def keys_of(things: Iterable[tuple[object, ...]]) -> Keys:
    """A key for each tuple of texts, numbers and `None`."""
    digests = (hashlib.sha256(repr(thing).encode("utf-8", "surrogatepass")).digest()[:8] for thing in things)
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)


def mixed(keys: Keys, other: npt.NDArray[np.integer] | int) -> Keys:
    """Keys for the pairs of a key and a number."""
    with np.errstate(over="ignore"):
        salt = np.asarray(other).astype(np.int64).view(np.uint64) * _GOLDEN
        bits = (keys ^ salt) + _GOLDEN
        bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(bits ^ (bits >> np.uint64(31)), dtype=np.uint64)


def drawn(keys: Keys, stream: int, low: Granules | int, high: Granules | int) -> Granules:
    """An integer from `low` to `high`, both included, for each key; streams are independent.

    Where `high` is below `low` it is `low`.
    """
    width = np.maximum(np.asarray(high) - np.asarray(low), 0).astype(np.uint64) + np.uint64(1)
    return np.asarray(np.asarray(low) + (mixed(keys, stream) % width).astype(np.int64), dtype=np.int64)
