"""One chain's law: by whole numbers while crowds are small, by strides otherwise.

The same two ways as for one tuple of independent values (`whole_number_series`, `law_table`), with
each stage's own number of people in the place of n. Counts with fractions are mixed in the series
(`chains`); by strides, each law of whole counts around them is worked out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product

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
FRACTION_BITS = 60
# By strides, more counts with fractions than so many are rounded, the smallest kept.
MOST_FRACTIONS = 6


@lru_cache(maxsize=1 << 16)
def chain_answer(
    n: int, holders: tuple[float, ...], among: tuple[int, ...], asked: Asked
) -> list[float]:
    """What is asked of one chain; counts with fractions lie between two laws each."""
    tops = [math.ceil(min(h, a)) for h, a in zip(holders, among, strict=True)]
    gaps = [top - min(h, top) for top, h in zip(tops, holders, strict=True)]
    mean = n * math.prod(t / a if a else 0.0 for t, a in zip(tops, among, strict=True))
    # Strides take two laws for every count with a fraction, whole numbers one for all of them.
    laws = 1 << min(sum(map(bool, gaps)), MOST_FRACTIONS)
    if mean <= LARGEST_MEAN_IN_WHOLE_NUMBERS * math.sqrt(laws):
        return _in_whole_numbers(n, tops, gaps, among, asked, mean)
    found = np.zeros(asked.answers)
    for weight, whole in _corners(tops, gaps):
        found += weight * np.array(_by_strides(n, whole, among, asked))
    return [float(each) for each in found]


def _by_strides(n: int, holders: Sequence[int], among: Sequence[int], asked: Asked) -> list[float]:
    law = ListedLaw(chain_table(n, holders, among))
    found = [float(law.at_least(np.array(k))) for k in asked.ks]
    if asked.reciprocal:
        sizes = law.table.low + np.arange(len(law.probabilities))
        some = sizes > 0
        found.append(float(np.sum(law.probabilities[some] / sizes[some])))
    return found


def _corners(tops: Sequence[int], gaps: Sequence[float]) -> Iterator[tuple[float, list[int]]]:
    """(weight, whole counts) around counts with fractions; the largest of many are rounded."""
    fractions = sorted((top, place) for place, top in enumerate(tops) if gaps[place])
    rounded = [round(top - gap) for top, gap in zip(tops, gaps, strict=True)]
    for _, place in fractions[:MOST_FRACTIONS]:
        rounded[place] = tops[place]
    for downs in product((0, 1), repeat=len(fractions[:MOST_FRACTIONS])):
        weight, whole = 1.0, list(rounded)
        for down, (_, place) in zip(downs, fractions, strict=False):
            weight *= gaps[place] if down else 1.0 - gaps[place]
            whole[place] -= down
        yield weight, whole


def _in_whole_numbers(
    n: int,
    tops: Sequence[int],
    gaps: Sequence[float],
    among: Sequence[int],
    asked: Asked,
    mean: float,
) -> list[float]:
    """The series of factorial moments, each kept as ⌊F_r·2^b⌋."""
    most = min(tops)
    bits = bits_enough(mean, most)
    # Binary fractions as they are: 1 − s·r is (whole − part·r)/whole.
    thinned_by = [
        (top << FRACTION_BITS, round(gap * (1 << FRACTION_BITS)))
        for top, gap in zip(tops, gaps, strict=True)
        if gap
    ]
    below = math.prod(whole for whole, _ in thinned_by)
    # Where everybody is kept, nothing is drawn.
    drawn = [(top, a) for top, a in zip(tops, among, strict=True) if top < a]
    kept, of = [top for top, _ in drawn], [a for _, a in drawn]
    moments, moment = [], n << bits
    for r in range(most):
        moment *= math.prod([h - r for h in kept])
        moment //= math.prod([a - r for a in of])
        if thinned_by:
            share = math.prod([whole - part * (r + 1) for whole, part in thinned_by])
            moments.append(moment * share // below)
        else:
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
