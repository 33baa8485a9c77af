"""Errors: how far each estimator of τ1 is off, and whether its probabilities are calibrated.

RMSE is that of ln(estimate/τ1) over samples with τ1 of 20 and more; *within* the share of these off
by at most a quarter, up or down. The expected calibration error compares, by tenths of P, the mean
P of sample uniques with the share that is population unique, weighted by how many there are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from reidrisk.arrays import Floats

from .cases import Case

ENOUGH, CLOSE = 20, 0.25
Estimator = Callable[[Case], float | None]


class Errors(NamedTuple):
    """Over samples with enough population uniques among them."""

    samples: int
    rmse: float
    within: float
    bias: float


def errors(cases: Sequence[Case], estimator: Estimator, figure: str = "tau1") -> Errors:
    """Of one estimator; samples it has no answer for are left out."""
    logs = []
    for case in cases:
        value = estimator(case) if case.truth["tau1"] >= ENOUGH else None
        if value is not None:
            logs.append(math.log(max(value, 0.01) / case.truth[figure]))
    found = np.array(logs)
    close = float((np.abs(found) <= CLOSE).mean())
    return Errors(len(found), float(np.sqrt((found**2).mean())), close, float(found.mean()))


def floor(cases: Sequence[Case]) -> float:
    """The RMSE of somebody who knew every P: chance alone, √mean((1 − τ1/f_1)/τ1)."""
    held = [case for case in cases if case.truth["tau1"] >= ENOUGH]
    chance = [(1.0 - each.truth["tau1"] / each.sample_alone) / each.truth["tau1"] for each in held]
    return math.sqrt(float(np.mean(chance)))


def calibration_error(cases: Sequence[Case]) -> float:
    """ECE of P over the sample uniques of these samples."""
    bins: Floats = np.sum([case.bins for case in cases], axis=0)
    return float(np.abs(bins[:, 1] - bins[:, 2]).sum() / max(bins[:, 0].sum(), 1.0))
