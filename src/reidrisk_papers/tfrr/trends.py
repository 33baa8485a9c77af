"""Trends over the parameter sets: two parameters fixed, how a figure falls as the third rises."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from reidrisk_papers.tfrr.parameter_sets import ATTRIBUTES, LAMBDAS, RECORDS, ParameterSet

AXES = {"attributes": ATTRIBUTES, "lambda_": LAMBDAS, "records": RECORDS}
NAMED = {"attributes": "d", "lambda_": "λ", "records": "N"}


class Trend(NamedTuple):
    """Steps in which the figure falls, of how many, by which factor in the median; and the others
    in words.
    """

    falling: int
    steps: int
    factor: float
    rising: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """Of the steps, those in which it falls."""
        return self.falling / self.steps

    def why(self, because: str) -> str:
        """Where it doesn't fall, and why."""
        return f"it rises {'; '.join(self.rising)}: {because}"


def trend(figures: Mapping[ParameterSet, float], axis: str) -> Trend:
    """From each set to the one with the next value of one parameter; the factor of a step is
    figure(before)/figure(after).
    """
    steps = [
        (low, high)
        for low in figures
        for a, b in pairwise(AXES[axis])
        if getattr(low, axis) == a and (high := _with(low, axis, b)) in figures
    ]
    factors = [figures[low] / figures[high] for low, high in steps]
    rising = tuple(
        f"from {NAMED[axis]} = {getattr(low, axis):,} to {getattr(high, axis):,} at "
        f"{_fixed(low, axis)} ({figures[low]:.2g} to {figures[high]:.2g})"
        for low, high in steps
        if not figures[high] < figures[low]
    )
    return Trend(len(steps) - len(rising), len(steps), float(np.median(factors)), rising)


def _with(chosen: ParameterSet, axis: str, value: float) -> ParameterSet:
    held: Any = {axis: value}
    return chosen._replace(**held)


def _fixed(chosen: ParameterSet, axis: str) -> str:
    """The parameters that stay."""
    return ", ".join(f"{NAMED[name]} = {getattr(chosen, name):,}" for name in NAMED if name != axis)


def trends_told(what: str, trends: Mapping[str, Trend]) -> str:
    """The trends in a sentence."""
    told = "; ".join(
        f"{NAMED[axis]}: in {each.falling} of {each.steps} steps, by a factor of "
        f"{each.factor:.1f} in the median"
        for axis, each in trends.items()
    )
    return f"With the two other parameters fixed, {what} falls as one rises – {told}."
