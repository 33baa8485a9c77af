"""Privacy losses by definition: all outcomes of counts that one person changes by one.

With noise of σ² on m counts, log P(y)/P'(y) = Σ (2y_i − 1)/2σ² where P has everybody's count one
higher, y_i less the lower count: what matters of y is its sum, whose law is a convolution.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from reidrisk.laws.discrete_gaussian import DiscreteGaussian

REACH = 14.0


def losses(noise: DiscreteGaussian, counts: int) -> tuple[np.ndarray, np.ndarray]:
    """(log P/P', P) of every sum of the noise on so many counts, smallest loss first."""
    if not counts:
        return np.zeros(1), np.ones(1)
    reach = math.ceil(REACH * noise.deviation * math.sqrt(counts)) + counts + 2
    # Sums beyond the reach, which come back from the other side, have nothing to add.
    size = 1 << (2 * reach + 1).bit_length()
    one = np.arange(size)
    one = np.where(one < size // 2, one, one - size)
    mass = np.fft.irfft(np.fft.rfft(np.exp(noise.log_mass(one))) ** counts, size)
    sums = np.arange(-reach, reach + 1)
    # The count is 1 higher under P: y_i = 1 + Y_i.
    loss = (2.0 * sums + counts) / (2.0 * noise.variance)
    return loss, np.maximum(mass[sums], 0.0)


def exact_delta(
    parts: Sequence[tuple[DiscreteGaussian, int]], epsilon: float, listed: float = 0.0
) -> float:
    """The larger of both Σ max(P − e^ε P', 0), of one or two kinds of counts.

    With probability `listed` the table with one person more tells a value that the other one can't.
    The noise is symmetric: seen from either table, a loss is as likely.
    """
    (first, of_first), (second, of_second) = (
        losses(*part) for part in (*parts, (parts[0][0], 0))[:2]
    )
    off = math.log1p(-listed)
    more = (1.0 - listed) * _over(first + off, of_first, second, of_second, epsilon)
    return max(listed + more, _over(first - off, of_first, second, of_second, epsilon))


def _over(
    first: np.ndarray,
    of_first: np.ndarray,
    second: np.ndarray,
    of_second: np.ndarray,
    epsilon: float,
) -> float:
    """Σ P·max(1 − e^(ε − loss), 0) over both losses, by sums over the second's upper ends."""
    above = np.append(np.cumsum(of_second[::-1])[::-1], 0.0)
    odds = np.append(np.cumsum((of_second * np.exp(-second))[::-1])[::-1], 0.0)
    start = np.searchsorted(second, epsilon - first, side="right")
    factor = np.where(start < len(second), np.exp(np.minimum(epsilon - first, 600.0)), 0.0)
    return float(np.dot(of_first, np.maximum(above[start] - factor * odds[start], 0.0)))
