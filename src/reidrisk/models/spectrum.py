"""The spectrum: how probability mass lies over the probabilities of tuples.

Symbols: attribute j has values v with share p_j(v) = n_j(v)/n of the n people. A tuple of
independent attributes has share q = Π_j p_j, so −log q is a sum, and its distribution over people
is the convolution of the attributes' own. The spectrum keeps it on the grid i·δ.

*Mass* is kept, not numbers of tuples: those span sixty decades, and the Fourier transform would
lose them. A sum over tuples Σ_t g(q_t) is Σ_bins mass·g(q)/q. A value between two bins,
p_{i+1} < p ≤ p_i = e^{−iδ}, goes in the share

    w = (p_i − p)/(p_i − p_{i+1})   to bin i+1, with mass w·p_{i+1}; the rest to bin i, (1−w)·p_i:

the number of tuples and the total probability are then both exact.

Beside the mass it carries the *narrowing*, Σ mass·ε: how much narrower a crowd's law is than the
binomial. With h(log q) the mean of any function of a member's crowd, the mean is to be

    h − ε/2·(h' + h''),   ε = Σ_j (1/n_j − 1/n) + Σ_j v_j.

The first sum is that of finite counts, drawn without replacement: the second-order term of the
recursive hypergeometric law (TFRR); for a single attribute it makes the binomial hypergeometric.
The second undoes the grid: sharing a value out to two bins, mass a and 1 − a, widens log q by
v = a(1−a)δ², which adds v/2·(h' + h'') to the mean.

Where it fails: what is left is of order ε² and δ³; mass beyond the last bin is known only in total;
an attribute whose values are held by a handful of people each is better kept out of the spectrum.

The grid of crowd sizes on which a predicted histogram is kept.

Every size up to 1000 has its own node; above, nodes lie 0.5 % apart, which is a sixth of the
standard deviation √s of a crowd of 1000, and more of it the larger the crowd. A size x between two
nodes a < x < b is shared out so that the number of crowds and the number of people both stay exact:
(b − x)/(b − a) of a crowd of a people, the rest of a crowd of b people.

Where it fails: a crowd above 1000 is listed up to 0.5 % too large and too small at once. The mean
of log2 s over people is then off by at most 0.005²/8·log2 e = 4.5e-6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from reidrisk.arrays import Floats
from reidrisk.models.knowledge import ValueCounts

STEP = 0.01
# Bins reach down to shares of e^−23/n = 1e-10/n, where nobody else is to be expected.
BELOW_ONE_PERSON = 23.0


@dataclass(frozen=True)
class Spectrum:
    """Mass and narrowing of the people whose tuple has share e^(−i·step), i = 0, 1, 2 …

    `beyond` is the mass of those whose tuple is rarer than the last bin.
    """

    mass: Floats
    narrowing: Floats
    step: float = STEP
    beyond: float = 0.0

    @classmethod
    def of(cls, attribute: ValueCounts, step: float = STEP) -> Spectrum:
        """Spectrum of one attribute."""
        mass, counts = attribute.mass, attribute.counts
        narrowing = mass * (1.0 / counts - 1.0 / attribute.n)
        return shared_out(counts / attribute.n, mass, narrowing, step)

    @property
    def shares(self) -> Floats:
        """q of each bin, e^(−i·step)."""
        return np.asarray(np.exp(-self.step * np.arange(len(self.mass))))

    @property
    def tuples(self) -> float:
        """Number of tuples with some probability, Σ mass/q; those `beyond` are left out."""
        return float(np.dot(self.mass, 1.0 / self.shares))

    def coarsened(self, times: int) -> Spectrum:
        """The same mass on bins `times` as wide."""
        used = self.mass > 0.0
        shares, mass, narrowing = self.shares[used], self.mass[used], self.narrowing[used]
        return shared_out(shares, mass, narrowing, self.step * times, self.beyond)


def shared_out(
    shares: Floats, mass: Floats, narrowing: Floats, step: float, beyond: float = 0.0
) -> Spectrum:
    """Mass at any shares, put on bins; number (mass/share) and mass both stay exact."""
    # Rounding must not put a share that is a bin's own into the bin above.
    lower = np.floor(-np.log(shares) / step + 1e-9).astype(np.int64)
    high, low = np.exp(-step * lower), np.exp(-step * (lower + 1))
    moved = np.clip((high - shares) / (high - low), 0.0, 1.0) * low / shares
    narrowing = narrowing + mass * moved * (1.0 - moved) * step**2
    binned = _on_two_bins(lower, moved, mass)
    return Spectrum(binned, _on_two_bins(lower, moved, narrowing), step, beyond)


def _on_two_bins(lower: NDArray[np.int64], moved: Floats, amount: Floats) -> Floats:
    bins = int(lower.max(initial=0)) + 2
    total = np.bincount(lower, amount * (1.0 - moved), bins)
    total += np.bincount(lower + 1, amount * moved, bins)
    return total.astype(np.float64, copy=False)


def independent_spectrum(attributes: Sequence[ValueCounts], n: int) -> Spectrum:
    """Spectrum of the tuples of independent attributes, down to shares of 1e-10/n."""
    reach = int(np.ceil((np.log(n) + BELOW_ONE_PERSON) / STEP))
    joint = Spectrum(np.ones(1), np.zeros(1))
    for attribute in attributes:
        joint = convolved(joint, Spectrum.of(attribute), reach)
    return joint


def convolved(one: Spectrum, other: Spectrum, reach: int) -> Spectrum:
    """Spectrum of pairs of independent values; bins past `reach` are added up in `beyond`.

    Shares multiply, so bins add; the ε of a pair is the sum of its two.
    """
    bins = len(one.mass) + len(other.mass) - 1
    length = 1 << (bins - 1).bit_length()
    mass_1, narrow_1 = np.fft.rfft([one.mass, one.narrowing], length)
    mass_2, narrow_2 = np.fft.rfft([other.mass, other.narrowing], length)
    pair = np.fft.irfft([mass_1 * mass_2, narrow_1 * mass_2 + mass_1 * narrow_2], length)
    # The transform leaves noise of 1e-17 or so, of either sign, where there is nothing.
    mass, narrowing = np.maximum(pair[:, :bins], 0.0)
    within = (1.0 - one.beyond) * (1.0 - other.beyond)
    mass *= within / max(float(mass.sum()), 1e-300)
    beyond = 1.0 - within + float(mass[reach + 1 :].sum())
    return Spectrum(mass[: reach + 1], narrowing[: reach + 1], one.step, beyond)


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
