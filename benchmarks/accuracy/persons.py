"""How well people are told apart: area under the curve and calibration of P(crowd ≥ k)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from reidrisk.models.contract import Model
from reidrisk.models.tuple_law import at_least
from reidrisk.papers.judging import auc, calibration_error

from .real_tables import RealTable

CROWDS = (2, 3, 5)


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
        scores.append(auc(found[:, column], truly, weight))
        errors.append(calibration_error(found[:, column], truly, weight))
    return Told(float(np.mean(scores)), float(np.mean(errors))) if scores else None
