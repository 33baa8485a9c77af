"""From counts to a table of log P: which of the three ways is taken, and how far it reaches.

| the counts below n | way |
|---|---|
| none or one | the crowd is certain |
| two | the hypergeometric law in closed form |
| more, mean at most 3.5 and amplification at most 1000 | the series of factorial moments |
| more | attribute after attribute, smallest count first, by strides (`thinning`) |

A table of depth D lists every k with P(X = k) ≥ e^−D (Bennett). For that, the table of the
attributes before has to be deeper: whatever is left out of it, together, is then below e^−34 of
any P that is listed, and its nodes cover those which the polynomial needs beyond the window.

Where it fails: P below e^−D is not listed.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from reidrisk.laws.factorial_series import series_law
from reidrisk.laws.hypergeometric import log_hypergeometric
from reidrisk.laws.log_table import LogTable, nodes_between, reach, reach_to_end, widest_step
from reidrisk.laws.thinning import PRECISION, thinned
from reidrisk.laws.tuple_counts import Stage, TupleCounts

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LARGEST_MEAN_OF_SERIES, LARGEST_AMPLIFICATION = 3.5, 1000.0


def law_table(tuple_counts: TupleCounts, depth: float) -> LogTable:
    """Every k with P(X = k) ≥ e^−depth, and some more."""
    n, counts = tuple_counts.n, tuple_counts.telling
    if len(counts) < 2 or counts[0] == 0:
        only = min((*counts, n))
        return LogTable(only, only, 1, np.zeros(1))
    stages = list(TupleCounts(n, counts).stages())
    if len(counts) > 2 and stages[-1].mean <= LARGEST_MEAN_OF_SERIES:
        table = _by_series(n, counts, stages[-1], depth)
        if table is not None:
            return table
    return _by_strides(n, stages, depth)


def _by_series(n: int, counts: tuple[int, ...], last: Stage, depth: float) -> LogTable | None:
    """The series, if it keeps its digits at every k."""
    low, high, _, nodes = window(last, depth)
    logs, amplification = series_law(n, counts, nodes)
    if amplification.max() > LARGEST_AMPLIFICATION:
        return None
    return LogTable(low, high, 1, logs)


def _by_strides(n: int, stages: list[Stage], depth: float) -> LogTable:
    """X_2 in closed form, then one attribute more at a time."""
    first, second, *others = stages
    depths = [depth]
    for _ in others:
        depths.append(depths[-1] + PRECISION + 3.0 + 1.6 * math.sqrt(2.0 * depths[-1]))
    low, high, step, nodes = window(second, depths.pop())
    logs = log_hypergeometric(nodes, n, np.array(first.holders), second.holders)
    table = LogTable(low, high, step, logs)
    for stage in others:
        low, high, step, nodes = window(stage, depths.pop())
        table = LogTable(low, high, step, thinned(table, n, stage.holders, nodes))
    return table


def window(stage: Stage, depth: float) -> tuple[int, int, int, Ints]:
    """(low, high, step, nodes) of a table of this depth."""
    away = reach(stage.variance, depth)
    below = min(away, reach_to_end(stage.mean - stage.low, depth)) + 1.0
    above = min(away, reach_to_end(stage.high - stage.mean, depth)) + 1.0
    low = max(stage.low, math.floor(stage.mean - below))
    high = min(stage.high, math.ceil(stage.mean + above))
    step = widest_step(stage.variance, min(low - stage.low, stage.high - high))
    return low, high, step, nodes_between(low, high, step)
