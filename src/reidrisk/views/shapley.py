"""Shapley shares: how much each attribute adds to a measure over the combinations counted.

With v(S) the measure of the view S, d attributes and views of up to X of them counted,

    φ_i = (1/X) Σ_{k<X} mean over S with |S| = k, i ∉ S of [v(S + i) − v(S)]

which for X = d is Shapley's value: an attribute's mean addition over all orders in which attributes
may become known. Σ_i φ_i = (d/X)·(mean of v over views of X attributes − v of nothing). Shares are
φ_i / Σ φ; a monotone measure has none below 0. Where it fails: with X < d it says nothing of what
an attribute adds to more knowledge than that, and two attributes that tell the same share it.
"""

from __future__ import annotations

from collections.abc import Mapping

from reidrisk.views.answers import Added
from reidrisk.views.view import Bits, Lattice, Step


def added(lattice: Lattice, values: Mapping[Bits, float], of_nothing: float) -> tuple[Added, ...]:
    """Each attribute with its share, the largest first."""
    shares = shapley_shares(lattice, values, of_nothing)
    named = [Added(name, share) for name, share in zip(lattice.names, shares, strict=True)]
    return tuple(sorted(named, key=lambda one: -one.share))


def shapley_shares(
    lattice: Lattice, values: Mapping[Bits, float], of_nothing: float
) -> list[float]:
    """Each attribute's share, from the values of all views of the lattice."""
    raised = [lattice.raised(Step(j, 1)) for j in range(lattice.attributes)]
    sums = [[0.0] * lattice.up_to for _ in raised]
    pairs = [[0] * lattice.up_to for _ in raised]
    for bits, value in values.items():
        size = bits.bit_count()
        for j, bit in enumerate(raised):
            if bits & bit:
                without = values.get(bits ^ bit) if size > 1 else of_nothing
                if without is not None:
                    sums[j][size - 1] += value - without
                    pairs[j][size - 1] += 1
    added = [
        sum(total / number for total, number in zip(s, p, strict=True) if number)
        for s, p in zip(sums, pairs, strict=True)
    ]
    whole = sum(added)
    return [each / whole if whole else 0.0 for each in added]
