"""Individual risk of Benedetti and Franconi (1998): E[1/F | f] from the sampling weights alone.

Symbols: f people of the sample in a cell, W the sum of their survey weights, p = f/W. F given f is
negative binomial (f, p), so that

    r = E[1/F | f] = ∫₀¹ t^(f−1)·[p/(1 − (1 − p)t)]^f dt,    P(F = 1 | f = 1) = p,

for f = 1: r = p/(1 − p)·ln(1/p). As sdcMicro's `indivRisk` computes it. Where nobody's weight is
known, W = f·N/n.

Where it fails: a cell's weights say how its people were sampled, hardly how many share it: rare and
common combinations of the same weight get the same risk.
"""

from __future__ import annotations

import numpy as np

from reidrisk.arrays import Floats, Ints
from reidrisk.samples.risk_integrals import mean_of_inverse
from reidrisk.samples.sampled_cells import SampledCells


def individual_risk(people: Ints, weight: Floats) -> Floats:
    """r of cells of so many people, by the sum of their weights; weights below f count as f."""
    return mean_of_inverse(np.log(np.minimum(people / weight, 1.0)), 0.0, people)


def benedetti_franconi(sample: SampledCells) -> tuple[float, float]:
    """τ1 and τ2."""
    one = sample.alone
    risk = individual_risk(sample.people[one], sample.people[one] * sample.stands_for[one])
    return float(np.minimum(sample.fraction[one], 1.0).sum()), float(risk.sum())
