"""How well people are told apart: area under the curve and calibration of P(crowd ≥ k)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reidrisk.models.contract import Model
from reidrisk.models.tuple_law import at_least

from .real_tables import RealTable

Floats = NDArray[np.float64]
CROWDS = (2, 3, 5)
BINS = 10


class Told(NamedTuple):
    """Means over k of AUC and of the calibration error; k with one class only are left out."""

    auc: float
    calibration: float


def told_apart(model: Model, table: RealTable) -> Told | None:
    """Everybody of a table, a tuple's people at once."""
    found = at_least(model.laws(table.codes), CROWDS)
    weight = table.people.astype(np.float64)
    scores, errors = [], []
    for column, k in enumerate(CROWDS):
        truly = table.people >= k
        if truly.all() or not truly.any():
            continue
        scores.append(area(found[:, column], truly, weight))
        errors.append(calibration_error(found[:, column], truly, weight))
    return Told(float(np.mean(scores)), float(np.mean(errors))) if scores else None


def area(score: Floats, truly: NDArray[np.bool_], weight: Floats) -> float:
    """P(a person in the class scores higher than one who isn't), ties half."""
    _, place = np.unique(score, return_inverse=True)
    inside = np.bincount(place, weight * truly)
    outside = np.bincount(place, weight * ~truly)
    below = np.cumsum(outside) - outside / 2
    return float(np.dot(inside, below) / (inside.sum() * outside.sum()))


def calibration_error(score: Floats, truly: NDArray[np.bool_], weight: Floats) -> float:
    """Mean over people of |predicted − found| in ten equally wide bins of the prediction."""
    place = np.minimum((score * BINS).astype(np.int64), BINS - 1)
    apart = np.bincount(place, weight * score, BINS) - np.bincount(place, weight * truly, BINS)
    return float(np.abs(apart).sum() / weight.sum())
