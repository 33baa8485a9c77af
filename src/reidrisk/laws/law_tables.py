"""From counts to a table of log P: which of the three ways is taken, and how far it reaches.

| the counts below n | way |
|---|---|
| none or one | the crowd is certain |
| two | the hypergeometric law in closed form |
| more, mean at most 3.5 and amplification at most 1000 | the series of factorial moments |
| more | attribute after attribute, smallest count first, by strides (`thinned`) |

A table of depth D lists every k with P(X = k) ≥ e^−D (Bennett). For that, the table of the
attributes before has to be deeper: whatever is left out of it, together, is then below e^−34 of
any P that is listed, and its nodes cover those which the polynomial needs beyond the window.

Where it fails: P below e^−D is not listed.

LogTable: log P on every step-th whole number, and between them by a polynomial.

Where a law is narrow the step is 1 and every whole number is listed. Where it is wide, log P is a
smooth function of k: a parabola that bends a little, as log k! does, over distances of the order of
k, or of the distance to the other end of the support. The polynomial through the twelve nearest
nodes gives every whole number between them; at steps of a 25th of that distance x its error is

    x/132·(1·3·5·7·9·11/2^6)²·(1/25)^12 = 3e-15·x,

and less where a quarter of the standard deviation, the other limit of the step, is smaller.

Bennett's inequality says how far a table has to reach. A sum of independent indicators of variance
V is t away from its mean, on either side, with probability at most

    exp(−V·φ(t/V)),   φ(u) = (1 + u)·log(1 + u) − u,

and, by Chernoff's for a mean μ, t below it with probability at most exp(−μ·φ(−t/μ)). Seen from the
upper end of its support it is such a sum as well.

Where it fails: near the ends of the support, where `widest_step` is 1.

ListedLaw: P at every whole number of a window, and its sums from both ends.

Sums are taken from the end where the law is small, so that P(X ≤ k) keeps its digits below the
mean and P(X ≥ k) above it.

One more attribute: a stride through the sum of TFRR eq. 4.

    P(X_j = k) = Σ_m P(X_{j−1} = m)·Hyp(k; n, m, c),

c = n_j people hold the value of attribute j. For one k the summands, divided by their sum, are the
law of X_{j−1} given X_j = k. X_{j−1} is a sum of independent indicators (its generating function
has real roots only), and so is this conditional law: the factors C(m, k) and C(n−m, c−k) are those
of taking derivatives, of the generating function and of its reverse, which keeps roots real. With
V its variance, every h-th summand alone gives

    h·Σ_i f(m_0 + ih) = Σ_m f(m)·(1 + ε),   |ε| ≤ Σ_{t=1}^{h−1} exp(−V·(1 − cos(2πt/h))),

because |G(e^{iθ})| ≤ exp(−V·(1 − cos θ)) for a sum of indicators. h is the largest stride with
V·(1 − cos(2π/h)) ≥ 34, and the sum runs around its mode as far as Bennett's inequality asks for
e^−34: 30 to 100 summands for each k, in the middle and in the tails, whatever n. h = 1 is the
paper's recursion.

Where it fails: V is taken from the bend of the summand at its mode, exact for wide laws and within
some percent for narrow ones, where h is 1 anyhow.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from reidrisk.arrays import Floats, Ints
from reidrisk.laws.factorial_series import series_law
from reidrisk.laws.hypergeometric import Stage, TupleCounts, log_hypergeometric

STENCIL = 12
# Nodes before and after the stretch between the two middle nodes of a stencil.
BEFORE, AFTER = STENCIL // 2 - 1, STENCIL // 2
# Steps in a standard deviation and on the way to the nearer end of the support, at least.
STEPS_IN_DEVIATION, STEPS_TO_END = 4.0, 25.0


@dataclass(frozen=True)
class LogTable:
    """log P at low, low + step, …, up to at least high; with a step above 1, also at
    BEFORE nodes in front of low and AFTER nodes behind."""  # fmt: skip

    low: int
    high: int
    step: int
    logs: Floats

    def at(self, k: Ints) -> Floats:
        """log P(k) at whole numbers; −∞ outside low … high."""
        inside = (k >= self.low) & (k <= self.high)
        away = np.where(inside, k - self.low, 0)
        if self.step == 1:
            return np.where(inside, self.logs[away], -np.inf)
        node, between = np.divmod(away, self.step)
        logs = np.zeros(away.shape)
        for i, weight in enumerate(self._weights):
            logs += weight[between] * self.logs[node + i]
        return np.where(inside, logs, -np.inf)

    def every(self) -> Floats:
        """log P(low), log P(low + 1), …, log P(high)."""
        if self.step == 1:
            return self.logs
        stretches = np.lib.stride_tricks.sliding_window_view(self.logs, STENCIL)
        return np.asarray(stretches @ self._weights).ravel()[: self.high - self.low + 1]

    def bend(self, k: Ints) -> Floats:
        """−(second derivative of log P), from three nodes; 0 where fewer are listed."""
        step = self.step
        if self.high - self.low < 2 * step:
            return np.zeros(k.shape)
        middle = np.clip(k, self.low + step, self.high - step)
        outer = self.at(middle - step) + self.at(middle + step)
        return (2.0 * self.at(middle) - outer) / float(step) ** 2

    @cached_property
    def _weights(self) -> Floats:
        """Lagrange's weights of a stencil's nodes (rows) at 0, 1, …, step − 1 (columns)."""
        at = BEFORE + np.arange(self.step) / self.step
        weights = np.ones((STENCIL, self.step))
        for i in range(STENCIL):
            for other in range(STENCIL):
                if other != i:
                    weights[i] *= (at - other) / (i - other)
        return weights


def reach(variance: float, depth: float) -> float:
    """The t with V·φ(t/V) = depth: beyond it P is below e^−depth (Bennett)."""
    highest = depth / 3.0 + math.sqrt(depth**2 / 9.0 + 2.0 * depth * variance)
    return _where(lambda t: _phi(t, variance), depth, highest) if variance > 0.0 else 0.0


def reach_to_end(mean: float, depth: float) -> float:
    """The t with μ·φ(−t/μ) = depth, or μ if there is none: towards the end of the support."""
    return _where(lambda t: _phi(-t, mean), depth, mean) if mean > 0.0 else 0.0


def _phi(t: float, scale: float) -> float:
    u = t / scale
    return scale * ((1.0 + u) * math.log1p(u) - u) if u > -1.0 else scale


def _where(rising: Callable[[float], float], depth: float, highest: float) -> float:
    """Where a rising function passes the depth, by bisection; the upper end if it doesn't."""
    low, high = 0.0, highest
    for _ in range(50):
        middle = (low + high) / 2.0
        low, high = (middle, high) if rising(middle) < depth else (low, middle)
    return high


def widest_step(variance: float, to_end: int) -> int:
    """The widest step for a window that keeps this far from the ends of the support."""
    return max(1, int(min(math.sqrt(variance) / STEPS_IN_DEVIATION, to_end / STEPS_TO_END)))


def nodes_between(low: int, high: int, step: int) -> Ints:
    """The whole numbers at which a table from low to high lists log P."""
    if step == 1:
        return np.arange(low, high + 1)
    last = -(-(high - low + 1) // step)
    return low + step * np.arange(-BEFORE, last + AFTER)


@dataclass(frozen=True)
class ListedLaw:
    """The law of one tuple's crowd on low … high; what lies outside is left out."""

    table: LogTable

    @cached_property
    def probabilities(self) -> Floats:
        """P(X = low), …, P(X = high)."""
        return np.exp(self.table.every())

    def at_most(self, k: Ints) -> Floats:
        """P(X ≤ k)."""
        return self._upward[np.clip(k - self.table.low + 1, 0, len(self._upward) - 1)]

    def at_least(self, k: Ints) -> Floats:
        """P(X ≥ k)."""
        return self._downward[np.clip(self.table.high - k + 1, 0, len(self._downward) - 1)]

    def reciprocal(self) -> float:
        """E[1/X; X ≥ 1]: 1/X on average, where nobody counts nought."""
        sizes = self.table.low + np.arange(len(self.probabilities))
        some = sizes > 0
        return float(np.sum(self.probabilities[some] / sizes[some]))

    def drawn(self, uniform: Floats) -> Ints:
        """The smallest k with P(X ≤ k) above each uniform number."""
        place = np.searchsorted(self._upward[1:], uniform * self._upward[-1], side="right")
        return np.asarray(self.table.low + np.minimum(place, len(self._upward) - 2))

    @cached_property
    def _upward(self) -> Floats:
        return running_sums(self.probabilities)

    @cached_property
    def _downward(self) -> Floats:
        return running_sums(self.probabilities[::-1])


def running_sums(values: Floats) -> Floats:
    """0, v_1, v_1 + v_2, …; in blocks, so that rounding grows with the root of their number."""
    width = max(1, int(np.sqrt(len(values))))
    rows = -(-len(values) // width)
    blocks = np.zeros(rows * width)
    blocks[: len(values)] = values
    within = np.cumsum(blocks.reshape(rows, width), axis=1)
    before = np.concatenate([[0.0], np.cumsum(within[:-1, -1])])
    return np.concatenate([[0.0], (within + before[:, None]).ravel()[: len(values)]])


# Summands below e^−34 of the sum are left out, and strides are as wide as the same allows.
PRECISION = 34.0
# Summands worked on at once.
CHUNK = 1 << 14


def thinned(before: LogTable, n: int, c: int, k: Ints) -> Floats:
    """log P(X_j = k) for each k, from the law of X_{j−1}; −∞ where the table leaves no m."""
    low, high = np.maximum(k, before.low), np.minimum(n - c + k, before.high)
    logs = np.full(k.shape, -np.inf)
    able = np.flatnonzero(low <= high)
    if not len(able):
        return logs
    k, low, high = k[able], low[able], high[able]
    mode = _modes(before, n, c, k, low, high)
    variance = 1.0 / np.maximum(_bend(before, n, c, k, mode), 1.0 / n)
    # Nothing on so few numbers varies more than half their range: the bend at an end says nothing.
    variance = np.minimum(variance, (high - low) ** 2 / 4.0)
    stride = _strides(variance)
    reach = PRECISION / 3.0 + np.sqrt(PRECISION**2 / 9.0 + 2.0 * PRECISION * variance) + 1.0
    summands = int(np.ceil(reach / stride).max())
    around = np.arange(-summands, summands + 1)
    rows = max(1, CHUNK // len(around))
    for begin in range(0, len(able), rows):
        part = slice(begin, begin + rows)
        m = mode[part, None] + stride[part, None] * around
        inside = (m >= low[part, None]) & (m <= high[part, None])
        m = np.where(inside, m, mode[part, None])
        log = before.at(m) + log_hypergeometric(k[part, None], n, m, c)
        logs[able[part]] = _log_sum(np.where(inside, log, -np.inf)) + np.log(stride[part])
    return logs


def _log_sum(logs: Floats) -> Floats:
    peak = logs.max(axis=1, keepdims=True)
    return np.asarray(peak[:, 0] + np.log(np.exp(logs - peak).sum(axis=1)))


def _modes(before: LogTable, n: int, c: int, k: Ints, low: Ints, high: Ints) -> Ints:
    """The m of the largest summand: they are log-concave in m, so bisection finds it."""
    low, high = low.copy(), high.copy()
    while (low < high).any():
        m = (low + high) // 2
        following = np.minimum(m + 1, high)
        rise = before.at(following) - before.at(m)
        with np.errstate(divide="ignore"):
            rise += np.log((m + 1.0) * (n - c - m + k) / ((m + 1.0 - k) * (n - m)))
        up = (rise > 0.0) & (m < high)
        low, high = np.where(up, m + 1, low), np.where(up, high, m)
    return low


def _bend(before: LogTable, n: int, c: int, k: Ints, m: Ints) -> Floats:
    """−(second derivative in m) of the logarithm of a summand, at its mode."""
    rest = n - c - m + k
    ours = 1.0 / (m - k + 0.5) - 1.0 / (m + 1.0) + 1.0 / (rest + 0.5) - 1.0 / (n - m + 1.0)
    return np.asarray(before.bend(m) + np.maximum(ours, 0.0))


def _strides(variance: Floats) -> Ints:
    """The largest h with V·(1 − cos(2π/h)) ≥ 34."""
    turn = np.arccos(1.0 - PRECISION / np.maximum(variance, PRECISION / 2.0))
    return np.where(variance >= PRECISION / 2.0, (2.0 * np.pi / turn).astype(np.int64), 1)


LARGEST_MEAN_OF_SERIES, LARGEST_AMPLIFICATION = 3.5, 1000.0


def law_table(tuple_counts: TupleCounts, depth: float) -> LogTable:
    """Every k with P(X = k) ≥ e^−depth, and some more."""
    n, counts = tuple_counts.n, tuple_counts.distinguishing
    if len(counts) < 2 or counts[0] == 0:
        only = min((*counts, n))
        return LogTable(only, only, 1, np.zeros(1))
    stages = list(TupleCounts(n, counts).stages())
    if len(counts) > 2 and stages[-1].mean <= LARGEST_MEAN_OF_SERIES:
        table = _by_series(n, counts, stages[-1], depth)
        if table is not None:
            return table
    return table_by_strides(stages, [n] * len(stages), depth)


def _by_series(n: int, counts: tuple[int, ...], last: Stage, depth: float) -> LogTable | None:
    """The series, if it keeps its digits at every k."""
    low, high, _, nodes = window(last, depth)
    logs, amplification = series_law(n, counts, nodes)
    if amplification.max() > LARGEST_AMPLIFICATION:
        return None
    return LogTable(low, high, 1, logs)


def table_by_strides(stages: Sequence[Stage], among: Sequence[int], depth: float) -> LogTable:
    """X_2 in closed form, then one attribute more at a time; `among` are the people from whom each
    stage is drawn.
    """
    first, second, *others = stages
    depths = [depth]
    for _ in others:
        depths.append(depths[-1] + PRECISION + 3.0 + 1.6 * math.sqrt(2.0 * depths[-1]))
    low, high, step, nodes = window(second, depths.pop())
    logs = log_hypergeometric(nodes, among[1], np.array(first.holders), second.holders)
    table = LogTable(low, high, step, logs)
    for stage, people in zip(others, among[2:], strict=True):
        low, high, step, nodes = window(stage, depths.pop())
        table = LogTable(low, high, step, thinned(table, people, stage.holders, nodes))
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
