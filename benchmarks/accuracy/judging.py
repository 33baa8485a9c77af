"""Judging probabilities against what came true: AUC, calibration, precision, Brier score."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
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


def auc(scores: Floats, truth: Truth) -> float:
    """P(a yes scores above a no), ties counting a half (Mann and Whitney)."""
    order = np.argsort(scores, kind="stable")
    ranked = scores[order]
    _, first, times = np.unique(ranked, return_index=True, return_counts=True)
    rank = np.empty(len(scores))
    rank[order] = np.repeat(first + (times + 1) / 2.0, times)
    yes = int(truth.sum())
    no = len(truth) - yes
    return float((rank[truth].sum() - yes * (yes + 1) / 2.0) / (yes * no))


def calibration_error(scores: Floats, truth: Truth) -> float:
    """Mean over ten bins of |mean score − share that came true|, weighted by their people."""
    place = np.clip((scores * BINS).astype(int), 0, BINS - 1)
    held = np.bincount(place, minlength=BINS)
    off = np.abs(
        np.bincount(place, scores, BINS) - np.bincount(place, truth.astype(np.float64), BINS)
    )
    return float(off.sum() / held.sum())
