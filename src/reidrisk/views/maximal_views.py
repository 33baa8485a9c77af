"""Maximal safe views: safe, and risky as soon as anything more is seen.

v is maximal among safe views when each single step up from it reaches a risky one: when for each
attribute not yet as recorded, some minimal risky m has bits(m) & ~bits(v) equal to that one bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from reidrisk.views.scorer import Score
from reidrisk.views.view import Bits, Lattice


def maximal_safe(
    lattice: Lattice, risky: Iterable[Bits], safe: Mapping[Bits, Score | None]
) -> dict[Bits, Score | None]:
    """Of views known to be safe, those of which every step up is known to be risky."""
    border = list(risky)
    return {bits: score for bits, score in safe.items() if is_maximal(lattice, border, bits)}


def is_maximal(lattice: Lattice, risky: Iterable[Bits], bits: Bits) -> bool:
    """Whether every step up from a safe view is known to be risky."""
    wanted = set(lattice.next_bits(bits))
    if not wanted:
        return True
    for each in risky:
        wanted.discard(each & ~bits)
        if not wanted:
            return True
    return False
