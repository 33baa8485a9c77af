"""Calibration: how many people a density stands for, learned from the cells that were seen.

Symbols: Λ_k the chance that one more person falls into cell k; p_k a law's density of it, its own
f_k people left out. Λ_k ~ Gamma(shape s, mean M_k) with

    ln(n M_k) = a + g·ln(n p_k),

so f_k follows a negative binomial law, known to be above 0 of the cells that were seen. a, g and s
maximise its likelihood over the cells of up to 8 people, larger ones pooled, less the penalties
1280(g − 1)² + a² + ½(ln s − 1.5)². Since p_k doesn't depend on f_k, the sample is its own test.

Where it fails: a law that is wrong for some kinds of cells and right for others is set right on
average only.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from reidrisk.arrays import Floats, Ints

POOLED = 8
BINS = 120


class Calibration(NamedTuple):
    """Λ's shape and the line of its mean; how the fit ended."""

    shift: float
    slope: float
    shape: float
    ended: str

    def mean(self, log_expected: Floats) -> Floats:
        """n·M of cells whose ln(n p) is given."""
        return np.exp(np.clip(self.shift + self.slope * log_expected, -60.0, 60.0))


def calibrated(log_expected: Floats, people: Ints) -> Calibration:
    """Fitted to cells by ln(n p), p left out, and the people in them."""
    from scipy.optimize import minimize

    centres, counts = _binned(log_expected, people)

    def loss(parameters: Floats) -> float:
        shift, slope, log_shape = parameters
        fit = -log_likelihood(shift + slope * centres, float(np.exp(log_shape)), counts)
        return float(fit + 1280.0 * (slope - 1.0) ** 2 + shift**2 + 0.5 * (log_shape - 1.5) ** 2)

    bounds = [(-6.0, 6.0), (0.5, 1.5), (-4.0, 7.0)]
    best = minimize(loss, [0.0, 1.0, 1.5], method="L-BFGS-B", bounds=bounds)
    if not best.success:
        # Its line search gives up where the top is flat to the last digits; this one has none.
        best = minimize(loss, best.x, method="Nelder-Mead", bounds=bounds)
    shift, slope, log_shape = best.x.tolist()
    ended = "converged" if best.success else str(best.message)
    return Calibration(shift, slope, float(np.exp(log_shape)), ended)


def _binned(log_expected: Floats, people: Ints) -> tuple[Floats, Floats]:
    """Bins of ln(n p): the mean in each; how many cells of 1, 2, … 8, more people it has."""
    low, high = float(log_expected.min()), float(log_expected.max())
    width = max((high - low) / BINS, 1e-9)
    place = np.minimum(((log_expected - low) / width).astype(np.int64), BINS - 1)
    size = np.minimum(people, POOLED + 1) - 1
    counts = np.bincount(place * (POOLED + 1) + size, minlength=BINS * (POOLED + 1))
    counts = counts.reshape(BINS, POOLED + 1).astype(np.float64)
    many = counts.sum(axis=1)
    held = many > 0
    means = np.bincount(place, log_expected, BINS)[held] / many[held]
    return means, counts[held]


def log_likelihood(log_mean: Floats, shape: float, counts: Floats) -> float:
    """Σ counts·ln P(f | f > 0) under the negative binomial law; the last column is f > 8."""
    from scipy.special import gammaln

    sizes = np.arange(POOLED + 1)
    mean = np.exp(np.clip(log_mean, -60.0, 60.0))[:, None]
    log_share = -np.log1p(shape / mean)
    log_rest = -np.log1p(mean / shape)
    logs = gammaln(sizes + shape) - gammaln(shape) - gammaln(sizes + 1.0)
    logs = logs + sizes * log_share + shape * log_rest
    seen = np.log(np.maximum(-np.expm1(shape * log_rest[:, 0]), 1e-300))
    above = np.log(np.maximum(1.0 - np.exp(logs).sum(axis=1), 1e-12))
    total = (counts[:, :-1] * (logs[:, 1:] - seen[:, None])).sum()
    return float(total + np.dot(counts[:, -1], above - seen))
