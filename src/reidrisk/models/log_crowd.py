"""The mean logarithm of a member's crowd, without listing crowd sizes.

Symbols: a member's value of the kept attribute is held by m people, the tuple of the other
attributes has share q; the member's crowd is 1 + Y, Y = B(m − 1, q). Since

    log s = ∫_0^∞ (e^{−t} − e^{−ts}) dt/t   and   E[z^Y] = (1 − q(1 − z))^{m−1},

    E[log(1 + Y)] = ∫_0^∞ e^{−t}·(1 − (1 − q(1 − e^{−t}))^{m−1}) dt/t,

and with t = e^u the trapezoid rule of step 0.4 is right to 1e-10. Two things make it fast. The mean
over the kept attribute needs one function of one variable, tabulated once:

    Ψ(y) = Σ_m mass(m)·(1 − e^{−(m−1)y}),   y = −log(1 − q(1 − e^{−t})).

The result h is a smooth function of log q, worked out at steps of 0.05 and interpolated: right to
1e-6.

The spectrum's narrowing then gives h − ε/2·(h' + h''), the finite counts of the other attributes.

Where it fails: as the spectrum does, by up to 1e-3 bits for a few hundred people and less than 1e-4
for tables that need a spectrum.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reidrisk.models.spectrum import Spectrum, shared_out
from reidrisk.models.value_counts import ValueCounts

Floats = NDArray[np.float64]

MOST_COUNTS = 1500
SMALL_COUNT = 100
T_STEP = 0.4
TABLE_STEP = 0.08
H_STEP = 0.05


def mean_log_crowd(kept: ValueCounts, others: Spectrum) -> float:
    """Mean over people of ln(crowd), in nats."""
    fold = max(1, round(H_STEP / others.step))
    # Three nodes past the last bin, so that a cubic has its neighbours.
    log_q = -others.step * fold * np.arange(len(others.mass) // fold + 4)
    h = _mean_log_at(np.exp(log_q), kept)
    slope = np.gradient(h, log_q)
    bend = slope + np.gradient(slope, log_q)
    place = np.arange(len(others.mass)) / fold
    mean = np.dot(others.mass, cubic(h, place))
    return float(mean - np.dot(others.narrowing, cubic(bend, place)) / 2.0)


def gridded_counts(
    kept: ValueCounts, most: int = MOST_COUNTS, step: float = 0.01
) -> tuple[Floats, Floats, Floats]:
    """Counts m of the kept attribute, the mass of people under each, and its narrowing.

    All distinct counts; or, if there are more than `most`, those up to 100 and the larger ones on a
    grid of ratio e^step, mass and number of values both exact.
    """
    counts, mass = kept.counts.astype(np.float64), kept.mass
    if len(counts) <= most:
        return counts, mass, np.zeros(len(counts))
    small = counts <= SMALL_COUNT
    none = np.zeros(len(counts))
    large = shared_out(counts[~small] / kept.n, mass[~small], none[~small], step)
    used = large.mass > 0.0
    return (
        np.concatenate([counts[small], kept.n * large.shares[used]]),
        np.concatenate([mass[small], large.mass[used]]),
        np.concatenate([none[small], large.narrowing[used]]),
    )


def _mean_log_at(q: Floats, kept: ValueCounts) -> Floats:
    """h: E[ln(1 + B(m − 1, q))] for each q, averaged over people's m."""
    m, mass, _ = gridded_counts(kept)
    # From t·m = 1e-9, below which nothing is left of the integrand, to e^−t = 1e-19.
    t = np.exp(np.arange(-np.log(m.max()) - 21.0, np.log(45.0), T_STEP))
    hit = np.minimum(np.outer(q, -np.expm1(-t)), 1.0 - 1e-16)
    return T_STEP * np.asarray(_psi(-np.log1p(-hit), m, mass) @ np.exp(-t))


def _psi(y: Floats, m: Floats, mass: Floats) -> Floats:
    """Ψ(y) = Σ mass·(1 − e^{−(m−1)y}), from a table in log y; proportional to y below it."""
    start = -np.log(m.max()) - 12.0
    nodes = np.arange(start, np.log(60.0) + TABLE_STEP, TABLE_STEP)
    table = -np.expm1(-np.outer(np.exp(nodes), m - 1.0)) @ mass
    place = (np.log(np.maximum(y, 1e-300)) - start) / TABLE_STEP
    within = np.clip(place, 0.0, len(table) - 1.0)
    return np.asarray(cubic(table, within) * np.exp(np.minimum(place, 0.0) * TABLE_STEP))


def cubic(values: Floats, place: Floats) -> Floats:
    """Values between the nodes 0, 1, 2, …, by the cubic through the four nearest nodes."""
    base = np.clip(place.astype(np.int64), 1, len(values) - 3)
    f = place - base
    before, at, after, beyond = (values[base + i] for i in (-1, 0, 1, 2))
    outer = f * (f - 1.0) * ((f + 1.0) * beyond - (f - 2.0) * before) / 6.0
    inner = (f + 1.0) * (f - 2.0) * ((f - 1.0) * at - f * after) / 2.0
    return np.asarray(outer + inner)
