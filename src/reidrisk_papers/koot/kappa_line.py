"""The straight line of log p on κ, and how much of the variance it explains (R²)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from reidrisk.arrays import Floats


class Line(NamedTuple):
    """log p = start + slope·κ by least squares; the published form has the slope −k²/N."""

    start: float
    slope: float
    r_squared: float

    def ends(self, kappa: Floats) -> list[tuple[float, float]]:
        """Its points at the lowest and the highest κ."""
        return [(float(x), self.start + self.slope * float(x)) for x in (kappa.min(), kappa.max())]


def fitted(kappa: Floats, log_p: Floats) -> Line:
    """Least squares."""
    slope, start = np.polyfit(kappa, log_p, 1)
    left = log_p - (start + slope * kappa)
    return Line(float(start), float(slope), float(1.0 - left.var() / log_p.var()))


def kappas(groups: Sequence[Any]) -> Floats:
    """Each town's κ."""
    return np.array([each.kappa for each in groups])


def log_exact(groups: Sequence[Any]) -> Floats:
    """The logarithm of each town's exact probability."""
    logs: Floats = np.log([each.exact for each in groups])
    return logs


def log_simulated(groups: Sequence[Any]) -> Floats:
    """The logarithm of each town's estimate by simulation."""
    logs: Floats = np.log([each.simulated.estimate for each in groups])
    return logs


def over(form: Floats, truth: Floats) -> float:
    """The median over towns of a form divided by the truth."""
    return float(np.median(form / truth))
