"""Reading back discrete Gaussian noise: log P(y | x), and that of a number below a threshold.

Symbols: y = x + Y published where it is above C, σ² the noise's. A listed number says
log P(Y = y − x), one that isn't log P(Y ≤ C − x).

The sum over x runs from 0 or y − 8σ to y + 8σ, over every number where the posterior can be narrow
and at steps h elsewhere: h = min(σ/2.5, √x/2), for no posterior is narrower than both the noise and
a Poisson count. Over a step as wide as its standard deviation a sum of a normal curve is right to
10^−8; where steps change, posterior means are off by up to a hundredth of their standard deviation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from reidrisk.arrays import Floats, Ints
from reidrisk.laws.count_posterior import Likelihood
from reidrisk.laws.discrete_gaussian import DiscreteGaussian

FAR = 8.0
OF_NOISE, OF_POISSON = 2.5, 2.0


@dataclass(frozen=True)
class DiscreteNoise:
    """The law of numbers with this noise, listed above a threshold; None lists all of them."""

    noise: DiscreteGaussian
    above: int | None = None

    @property
    def variance(self) -> float:
        """Of a published number around its count."""
        return self.noise.variance

    @property
    def bounded(self) -> bool:
        """Noise may be any number."""
        return False

    def listed(self, published: Ints) -> Likelihood:
        """A window of numbers of people around each published one."""
        y = np.asarray(published, dtype=np.float64)
        reach = FAR * self.noise.deviation
        nodes, weights = _nodes(float(y.max(initial=0.0)) + reach, self.noise.deviation)
        first = np.maximum(np.searchsorted(nodes, y - reach) - 1, 0)
        last = np.searchsorted(nodes, np.maximum(y, 0.0) + reach)
        width = int((last - first).max(initial=1))
        first = np.minimum(first, max(len(nodes) - width, 0))
        wanted = first[:, None] + np.arange(min(width, len(nodes)))[None, :]
        used, place = np.unique(wanted, return_inverse=True)
        place = place.reshape(wanted.shape)
        apart = y[:, None] - nodes[used][place]
        return Likelihood(
            nodes[used], place, self.noise.log_mass(apart) + np.log(weights[used])[place]
        )

    def unlisted(self) -> Likelihood:
        """All numbers of people whose noisy count may have stayed below."""
        assert self.above is not None, "every number is listed"
        most = max(self.above, 0) + FAR * self.noise.deviation
        nodes, weights = _nodes(most, self.noise.deviation)
        log_law = self.noise.log_at_most(self.above - nodes) + np.log(weights)
        return Likelihood(nodes, np.arange(len(nodes))[None, :], log_law[None, :])


def _nodes(most: float, deviation: float) -> tuple[Floats, Floats]:
    """Whole numbers from 0 to `most` or a little more, and how many each stands for."""
    widest = max(math.floor(deviation / OF_NOISE), 1)
    found, at = [0], 0
    while at < most and (step := math.floor(math.sqrt(at) / OF_POISSON)) < widest:
        at += max(step, 1)
        found.append(at)
    rest = np.arange(at + widest, most + 2 * widest, widest)
    nodes = np.concatenate([np.array(found), rest]).astype(np.float64)
    steps = np.diff(nodes)
    before, after = np.append(1.0, steps), np.append(steps, 1.0)
    return nodes, 0.5 * (before + after)
