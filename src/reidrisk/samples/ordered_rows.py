"""What a row of a pair table is expected to look like: its margin, or the rows and values nearby.

Symbols: x_av people with value a of one and v of the other attribute, m_v the margin, k a
triangular kernel along the values that have an order (age, bands of income), 1 at its centre.

    S_av = Σ_{(d, e) ≠ (0, 0)} k_d k_e x_{a+d, v+e}
    q_av = (S_av + κ m_v)/(Σ_v S_av + κ)

κ is the strength by which rows resemble the margin. The cell itself is left out of S_av, so its own
people don't speak for it. How far the kernels reach, 0 (the margin alone), 1, 2 or 4 values, is the
choice of the greatest Dirichlet–multinomial likelihood, so numbers that are mere codes aren't
smoothed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from reidrisk.arrays import Floats
from reidrisk.samples.likeliest_strength import likeliest_strength

REACHES = (1, 2, 4)
# Attributes of fewer values have no neighbours worth the name.
FEWEST_VALUES = 6


class Smoothed(NamedTuple):
    """q; κ and S where values nearby were used, and the kernel along the values v."""

    expected: Floats
    strength: float
    near: Floats | None = None
    prior: float = 0.0
    kernel: Any = None

    @property
    def own_row(self) -> bool:
        """Whether a cell's own people speak for its neighbours in the row."""
        return self.kernel is not None


def kernel(values: int, reach: int) -> Any:
    """The triangular kernel between `values` ordered values, sparse."""
    from scipy.sparse import diags_array

    offsets = list(range(-reach, reach + 1))
    bands = [
        np.full(values - abs(d), 1.0 - abs(d) / (reach + 1.0)) for d in offsets if abs(d) < values
    ]
    return diags_array(bands, offsets=[d for d in offsets if abs(d) < values]).tocsr()


def smoothed(people: Floats, margin: Floats, ordered: tuple[bool, bool]) -> Smoothed:
    """The likeliest of the margin alone and the kernels, for rows and values that have an order."""
    plain = np.broadcast_to(margin, people.shape)
    best, likelihood = likeliest_strength(people, plain)
    found = Smoothed(plain, best)
    for rows, values in _reaches(people.shape, ordered):
        near, along = near_people(people, rows, values)
        expected = (near + best * margin) / (near.sum(axis=1, keepdims=True) + best)
        strength, other = likeliest_strength(people, expected)
        if other > likelihood:
            likelihood = other
            found = Smoothed(expected, strength, near, best, along)
    return found


def _reaches(shape: tuple[int, ...], ordered: tuple[bool, bool]) -> Iterator[tuple[int, int]]:
    each = [
        (0, *REACHES) if order and size >= FEWEST_VALUES else (0,)
        for order, size in zip(ordered, shape, strict=True)
    ]
    return ((rows, values) for rows in each[0] for values in each[1] if rows or values)


def near_people(people: Floats, rows: int, values: int) -> tuple[Floats, Any]:
    """S, and the kernel along the values without its centre; None where it doesn't reach."""
    from scipy.sparse import eye_array

    near, along = people, None
    if values:
        whole = kernel(people.shape[1], values)
        near = (whole @ people.T).T
        along = (whole - eye_array(people.shape[1])).tocsr()
    if rows:
        near = kernel(people.shape[0], rows) @ near
    return near - people, along
