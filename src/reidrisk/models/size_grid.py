"""The grid of crowd sizes on which a predicted histogram is kept.

Every size up to 1000 has its own node; above, nodes lie 0.5 % apart, which is a sixth of the
standard deviation √s of a crowd of 1000, and more of it the larger the crowd. A size x between two
nodes a < x < b is shared out so that the number of crowds and the number of people both stay exact:
(b − x)/(b − a) of a crowd of a people, the rest of a crowd of b people.

Where it fails: a crowd above 1000 is listed up to 0.5 % too large and too small at once. The mean
of log2 s over people is then off by at most 0.005²/8·log2 e = 4.5e-6.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

EACH_SIZE_UP_TO = 1000
RATIO = 1.005


@dataclass(frozen=True)
class SizeGrid:
    """Crowd sizes from 1 to n: each one up to 1000, then 0.5 % apart, then n itself."""

    nodes: NDArray[np.int64]

    @classmethod
    @lru_cache(maxsize=4)
    def up_to(cls, n: int) -> SizeGrid:
        """The grid for a table of n people."""
        each = np.arange(1, min(n, EACH_SIZE_UP_TO) + 1, dtype=np.int64)
        if n <= EACH_SIZE_UP_TO:
            return cls(each)
        steps = int(np.log(n / EACH_SIZE_UP_TO) / np.log(RATIO))
        above = np.rint(EACH_SIZE_UP_TO * RATIO ** np.arange(1, steps + 1)).astype(np.int64)
        return cls(np.concatenate([each, above[above < n], np.array([n], dtype=np.int64)]))

    def tally(self, sizes: Floats, mass: Floats) -> Floats:
        """Mass of people on each node, for people in crowds of `sizes` (real numbers, any shape).

        With a ≤ x ≤ b the neighbours of x, mass goes to a with weight a(b − x)/(x(b − a)) and to b
        with b(x − a)/(x(b − a)). The weights add up to 1 (people) and, each divided by its size,
        to 1/x (crowds).
        """
        if len(self.nodes) == 1:
            return np.array([mass.sum()])
        x, share = np.minimum(sizes.ravel(), float(self.nodes[-1])), mass.ravel()
        below = np.clip(np.searchsorted(self.nodes, x, "right") - 1, 0, len(self.nodes) - 2)
        a, b = self.nodes[below], self.nodes[below + 1]
        to_a = np.clip(a * (b - x) / (x * (b - a)), 0.0, 1.0)
        return self._summed(below, share * to_a) + self._summed(below + 1, share * (1.0 - to_a))

    def tally_whole(self, sizes: Floats, mass: Floats) -> Floats:
        """`tally` for whole sizes; those that all have their own node need no sharing out."""
        if sizes.size and sizes.max() <= min(EACH_SIZE_UP_TO, int(self.nodes[-1])):
            places = sizes.ravel().astype(np.intp) - 1
            return self._summed(places, mass.ravel())
        return self.tally(sizes, mass)

    def _summed(self, places: NDArray[np.intp], mass: Floats) -> Floats:
        return np.bincount(places, mass, len(self.nodes)).astype(np.float64, copy=False)
