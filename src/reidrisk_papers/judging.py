"""Judging probabilities against what came true: AUC, calibration, precision, Brier score."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reidrisk.arrays import Floats

Truth = NDArray[np.bool_]
BINS = 10


class Judged(NamedTuple):
    """How well scores foretell a yes or no."""

    auc: float
    calibration: float
    brier: float
    positive: float
    precision: float


def one_class(truth: Truth) -> bool:
    """All yes or all no: there is nothing to tell apart."""
    return bool(truth.all() or not truth.any())


def judged(scores: Floats, truth: Truth, threshold: float = 0.6) -> Judged:
    """Every figure; the precision is of those scored above the threshold."""
    called = scores > threshold
    return Judged(
        auc(scores, truth),
        calibration_error(scores, truth),
        float(np.mean((scores - truth) ** 2)),
        float(truth.mean()),
        float(truth[called].mean()) if called.any() else float("nan"),
    )


def auc(scores: Floats, truth: Truth, weight: Floats | None = None) -> float:
    """P(a yes scores above a no), ties counting a half; people by weight."""
    held = np.ones(len(scores)) if weight is None else weight
    _, place = np.unique(scores, return_inverse=True)
    yes, no = np.bincount(place, held * truth), np.bincount(place, held * ~truth)
    below = np.cumsum(no) - no / 2
    return float(np.dot(yes, below) / (yes.sum() * no.sum()))


def roc(scores: Floats, truth: Truth) -> list[tuple[float, float]]:
    """(false positive rate, true positive rate) at each threshold, from (0, 0) to (1, 1)."""
    _, place = np.unique(-scores, return_inverse=True)
    yes, no = np.bincount(place, truth), np.bincount(place, ~truth)
    up, across = np.cumsum(yes) / yes.sum(), np.cumsum(no) / no.sum()
    return [(0.0, 0.0), *zip(across.tolist(), up.tolist(), strict=True)]


def calibration_error(scores: Floats, truth: Truth, weight: Floats | None = None) -> float:
    """Mean over people of |mean score − share that came true| in ten equally wide bins."""
    held = np.ones(len(scores)) if weight is None else weight
    place = np.clip((scores * BINS).astype(int), 0, BINS - 1)
    apart = np.bincount(place, held * scores, BINS) - np.bincount(place, held * truth, BINS)
    return float(np.abs(apart).sum() / held.sum())
