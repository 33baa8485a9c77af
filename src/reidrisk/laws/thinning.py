"""One more attribute: a stride through the sum of TFRR eq. 4.

    P(X_j = k) = Σ_m P(X_{j−1} = m)·Hyp(k; n, m, c),

c = n_j people hold the value of attribute j. For one k the summands, divided by their sum, are the
law of X_{j−1} given X_j = k. X_{j−1} is a sum of independent indicators (its generating function
has real roots only), and so is this conditional law: the factors C(m, k) and C(n−m, c−k) are those
of taking derivatives, of the generating function and of its reverse, which keeps roots real. With
V its variance, every h-th summand alone gives

    h·Σ_i f(m_0 + ih) = Σ_m f(m)·(1 + ε),   |ε| ≤ Σ_{t=1}^{h−1} exp(−V·(1 − cos(2πt/h))),

because |G(e^{iθ})| ≤ exp(−V·(1 − cos θ)) for a sum of indicators. h is the largest stride with
V·(1 − cos(2π/h)) ≥ 34, and the sum runs around its mode as far as Bennett's inequality asks for
e^−34: 30 to 100 summands for each k, in the middle and in the tails, whatever n. h = 1 is the
paper's recursion.

Where it fails: V is taken from the bend of the summand at its mode, exact for wide laws and within
some percent for narrow ones, where h is 1 anyhow.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reidrisk.laws.hypergeometric import log_hypergeometric
from reidrisk.laws.log_table import LogTable

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Summands below e^−34 of the sum are left out, and strides are as wide as the same allows.
PRECISION = 34.0
# Summands worked on at once.
CHUNK = 1 << 14


def thinned(before: LogTable, n: int, c: int, k: Ints) -> Floats:
    """log P(X_j = k) for each k, from the law of X_{j−1}; −∞ where the table leaves no m."""
    low, high = np.maximum(k, before.low), np.minimum(n - c + k, before.high)
    found = np.full(k.shape, -np.inf)
    able = np.flatnonzero(low <= high)
    if not len(able):
        return found
    k, low, high = k[able], low[able], high[able]
    mode = _modes(before, n, c, k, low, high)
    variance = 1.0 / np.maximum(_bend(before, n, c, k, mode), 1.0 / n)
    # Nothing on so few numbers varies more than half their range: the bend at an end says nothing.
    variance = np.minimum(variance, (high - low) ** 2 / 4.0)
    stride = _strides(variance)
    reach = PRECISION / 3.0 + np.sqrt(PRECISION**2 / 9.0 + 2.0 * PRECISION * variance) + 1.0
    summands = int(np.ceil(reach / stride).max())
    around = np.arange(-summands, summands + 1)
    rows = max(1, CHUNK // len(around))
    for begin in range(0, len(able), rows):
        part = slice(begin, begin + rows)
        m = mode[part, None] + stride[part, None] * around
        inside = (m >= low[part, None]) & (m <= high[part, None])
        m = np.where(inside, m, mode[part, None])
        log = before.at(m) + log_hypergeometric(k[part, None], n, m, c)
        found[able[part]] = _log_sum(np.where(inside, log, -np.inf)) + np.log(stride[part])
    return found


def _log_sum(logs: Floats) -> Floats:
    peak = logs.max(axis=1, keepdims=True)
    return np.asarray(peak[:, 0] + np.log(np.exp(logs - peak).sum(axis=1)))


def _modes(before: LogTable, n: int, c: int, k: Ints, low: Ints, high: Ints) -> Ints:
    """The m of the largest summand: they are log-concave in m, so bisection finds it."""
    low, high = low.copy(), high.copy()
    while (low < high).any():
        m = (low + high) // 2
        following = np.minimum(m + 1, high)
        rise = before.at(following) - before.at(m)
        with np.errstate(divide="ignore"):
            rise += np.log((m + 1.0) * (n - c - m + k) / ((m + 1.0 - k) * (n - m)))
        up = (rise > 0.0) & (m < high)
        low, high = np.where(up, m + 1, low), np.where(up, high, m)
    return low


def _bend(before: LogTable, n: int, c: int, k: Ints, m: Ints) -> Floats:
    """−(second derivative in m) of the logarithm of a summand, at its mode."""
    rest = n - c - m + k
    ours = 1.0 / (m - k + 0.5) - 1.0 / (m + 1.0) + 1.0 / (rest + 0.5) - 1.0 / (n - m + 1.0)
    return np.asarray(before.bend(m) + np.maximum(ours, 0.0))


def _strides(variance: Floats) -> Ints:
    """The largest h with V·(1 − cos(2π/h)) ≥ 34."""
    turn = np.arccos(1.0 - PRECISION / np.maximum(variance, PRECISION / 2.0))
    return np.where(variance >= PRECISION / 2.0, (2.0 * np.pi / turn).astype(np.int64), 1)
