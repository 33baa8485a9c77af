"""One chain's law: by whole numbers while crowds are small, by strides otherwise.

The same two ways as for one tuple of independent values (`whole_number_series`, `law_table`), with
each stage's own number of people in the place of n.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from reidrisk.laws.asked import Asked
from reidrisk.laws.hypergeometric import log_hypergeometric
from reidrisk.laws.law_table import window
from reidrisk.laws.listed_law import ListedLaw
from reidrisk.laws.log_table import LogTable
from reidrisk.laws.thinning import PRECISION, thinned
from reidrisk.laws.tuple_counts import Stage
from reidrisk.laws.whole_number_series import bits_enough, summed_exactly

Floats = NDArray[np.float64]
LARGEST_MEAN_IN_WHOLE_NUMBERS = 150.0
DEPTH = 110.0


@lru_cache(maxsize=1 << 16)
def chain_answer(
    n: int, holders: tuple[int, ...], among: tuple[int, ...], asked: Asked
) -> list[float]:
    """What is asked of one chain."""
    mean = n * math.prod(h / a if a else 0.0 for h, a in zip(holders, among, strict=True))
    if mean <= LARGEST_MEAN_IN_WHOLE_NUMBERS:
        return _in_whole_numbers(n, holders, among, asked, mean)
    law = ListedLaw(chain_table(n, holders, among))
    found = [float(law.at_least(np.array(k))) for k in asked.ks]
    if asked.reciprocal:
        sizes = law.table.low + np.arange(len(law.probabilities))
        some = sizes > 0
        found.append(float(np.sum(law.probabilities[some] / sizes[some])))
    return found


def _in_whole_numbers(
    n: int, holders: Sequence[int], among: Sequence[int], asked: Asked, mean: float
) -> list[float]:
    """The series of factorial moments, each kept as ⌊F_r·2^b⌋."""
    bits = bits_enough(mean, min(holders))
    moments, moment = [], n << bits
    for r in range(min(holders)):
        moment *= math.prod(h - r for h in holders)
        moment //= math.prod(a - r for a in among)
        moments.append(moment)
        if not moment:
            break
        moment = moment * (n - r - 1) // (r + 2)
    return summed_exactly(moments, bits, asked)


def chain_table(n: int, holders: Sequence[int], among: Sequence[int]) -> LogTable:
    """log P(X = k) wherever P ≥ e^−110: a closed form for two stages, then one more at a time."""
    telling = [(h, a) for h, a in zip(holders, among, strict=True) if h < a]
    # Stages drawn from everybody come first: a stage's people have to hold all X so far.
    telling.sort(key=lambda stage: (-stage[1], stage[0]))
    if len(telling) < 2 or min(holders) == 0:
        only = min((*holders, n))
        return LogTable(only, only, 1, np.zeros(1))
    stages = list(_stages(n, telling))
    (first, _), (second, base) = telling[:2]
    depths = [DEPTH]
    for _ in telling[2:]:
        depths.append(depths[-1] + PRECISION + 3.0 + 1.6 * math.sqrt(2.0 * depths[-1]))
    low, high, step, nodes = window(stages[1], depths.pop())
    logs = log_hypergeometric(nodes, base, np.array(first), second)
    table = LogTable(low, high, step, logs)
    for stage, (held, people) in zip(stages[2:], telling[2:], strict=True):
        low, high, step, nodes = window(stage, depths.pop())
        table = LogTable(low, high, step, thinned(table, people, held, nodes))
    return table


def _stages(n: int, telling: Sequence[tuple[int, int]]) -> list[Stage]:
    """Support, mean and variance after each stage: as `TupleCounts.stages`, a for n."""
    found: list[Stage] = []
    mean, variance, low, high = float(n), 0.0, n, n
    for held, people in telling:
        p = held / people
        if people > 1:
            variance *= p * (held - 1) / (people - 1)
            variance += p * (1.0 - p) * mean * max(people - mean, 0.0) / (people - 1)
        mean *= p
        low, high = max(low + held - people, 0), min(high, held)
        found.append(Stage(held, low, high, mean, variance))
    return found
