"""Apportioning: whole numbers in proportion to weights that add up to a total."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction


def apportioned(weights: Sequence[int] | Sequence[Fraction], total: int) -> list[int]:
    """By largest remainders, the first of equal ones; nobody where all weights are nought.

    In exact arithmetic: weight times total may pass 2^53.
    """
    held = sum(weights)
    if not held:
        return [0] * len(weights)
    shares = [weight * total for weight in weights]
    whole = [int(share // held) for share in shares]
    rest = [share % held for share in shares]
    by_remainder = sorted(range(len(rest)), key=lambda place: (-rest[place], place))
    for place in by_remainder[: total - sum(whole)]:
        whole[place] += 1
    return whole
