"""Reading back random rounding: what a count probably was, given its multiple of the base.

x = b·q + r people are published as b·q + b with probability r/b, else as b·q, so that numbers are
right on average. What is published as y was x with

    P(y | x) = 1 − |x − y|/b,   |x − y| < b;

a number that isn't listed was rounded to 0. Var(y | x) = r(b − r), (b² − 1)/6 over all r.

Where it fails: numbers that one key rounds together, as the same people counted twice, aren't
independent; each cell is read by itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reidrisk.arrays import Ints
from reidrisk.laws.count_posterior import Likelihood


@dataclass(frozen=True)
class RandomRounding:
    """The law of numbers rounded at random to multiples of `base`."""

    base: int

    @property
    def variance(self) -> float:
        """Of a published number around its count, where all remainders are as frequent."""
        return (self.base**2 - 1) / 6.0

    @property
    def bounded(self) -> bool:
        """A published number is nearer to its count than the base."""
        return True

    def listed(self, published: Ints) -> Likelihood:
        """|x − y| < base."""
        apart = np.arange(1 - self.base, self.base)
        wanted = np.asarray(published, np.int64)[:, None] + apart[None, :]
        with np.errstate(divide="ignore"):
            log_law = np.log(np.where(wanted >= 0, 1.0 - np.abs(apart) / self.base, 0.0))
        people, place = np.unique(np.maximum(wanted, 0), return_inverse=True)
        return Likelihood(people.astype(float), place.reshape(wanted.shape), log_law)

    def unlisted(self) -> Likelihood:
        """Rounded to 0."""
        return self.listed(np.zeros(1, np.int64))
