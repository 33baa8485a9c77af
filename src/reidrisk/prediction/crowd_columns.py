"""Crowds from columns of figures: P(crowd ≥ k) for each k, then E[crowd], E[1/crowd], P(nobody)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from reidrisk.laws.conditioned import CrowdsOfTuples, Given

Floats = NDArray[np.float64]


def crowds_from(figures: Floats, ks: Sequence[int], given: Given) -> CrowdsOfTuples:
    """The columns as crowds, given that somebody is there for `paper`."""
    at_least, (expected, risk, nobody) = figures[:, : len(ks)], figures[:, len(ks) :].T
    if given == "paper":
        somebody = np.maximum(1.0 - nobody, 1e-300)
        at_least = np.minimum(at_least / somebody[:, None], 1.0)
        expected, risk, nobody = expected / somebody, risk / somebody, np.zeros(len(nobody))
    return CrowdsOfTuples(given, tuple(ks), at_least, expected, risk, nobody)
