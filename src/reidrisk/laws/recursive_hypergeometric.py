"""The recursive hypergeometric law: how many people share a tuple of independent values.

Symbols: n people, n_j of whom hold the tuple's value of attribute j, j = 1 … d. The columns being
dealt out independently of each other, the crowd is X = |S_1 ∩ … ∩ S_d|, S_j a uniformly random
set of n_j people. TFRR eqs. 3 and 4,

    P(X_1 = n_1) = 1,   P(X_j = k) = Σ_m P(X_{j−1} = m)·C(m,k)·C(n−m, n_j−k)/C(n, n_j);

d = 2 is the hypergeometric law (eq. 5). The order of the attributes doesn't matter; they are taken
smallest count first, so that equal counts in any order give equal bits.

    E[X] = n·Π_j n_j/n,   max(0, Σ n_j − (d−1)n) ≤ X ≤ min n_j.

X is a sum of independent indicators, so its law is log-concave. Relative error of P(X = k): below
1e-9 wherever P > 1e-30 (1e-12 in every case tried); total 1 within 1e-13. `law_table` says how.

Where it fails: dependent attributes. P below 1e-300 is given as 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reidrisk.arrays import Floats, Ints
from reidrisk.errors import ImpossibleCounts
from reidrisk.laws.binomial_form import BinomialForm, ProbabilityDifference, difference_between
from reidrisk.laws.hypergeometric import TupleCounts, log_hypergeometric
from reidrisk.laws.law_tables import ListedLaw, law_table

# Depths of the table for everyday use and of the one for far tails: e^−110 is 2e-48.
NEAR, FAR = 110.0, 745.0
# Sums of the near table are right to e^−40 down to here; below it the far one answers.
TRUSTED = 70.0


class RecursiveHypergeometric:
    """The law of X for n people and the counts n_j, in the manners of `scipy.stats`.

    k may be an array of any shape: P(X = k) of a k that is no whole number is 0, P(X ≤ k) is
    P(X ≤ ⌊k⌋). Raises ImpossibleCounts unless 0 ≤ n_j ≤ n are whole numbers, at least one n_j.
    """

    def __init__(self, n: float, counts: Iterable[float]) -> None:
        self._counts = TupleCounts.of(n, counts)
        self._last = self._counts.last

    def __repr__(self) -> str:
        return f"RecursiveHypergeometric({self.n}, {list(self.counts)})"

    @property
    def n(self) -> int:
        """The number of people."""
        return self._counts.n

    @property
    def counts(self) -> tuple[int, ...]:
        """How many people hold each value, smallest first."""
        return self._counts.counts

    def support(self) -> tuple[int, int]:
        """(max(0, Σ n_j − (d−1)n), min n_j): the smallest and the largest X there can be."""
        return self._last.low, self._last.high

    def mean(self) -> float:
        """E[X] = n·Π_j n_j/n."""
        return self._last.mean

    def var(self) -> float:
        """Var X, one attribute after the other: see `TupleCounts.stages`."""
        return self._last.variance

    def std(self) -> float:
        """√Var X."""
        return math.sqrt(self._last.variance)

    def logpmf(self, k: ArrayLike) -> Any:
        """log P(X = k); −∞ where it is 0 or below 1e-300."""
        return _shaped(self._log_at, k, -np.inf)

    def pmf(self, k: ArrayLike) -> Any:
        """P(X = k)."""
        return _shaped(lambda whole: np.exp(self._log_at(whole)), k, 0.0)

    def cdf(self, k: ArrayLike) -> Any:
        """P(X ≤ k)."""
        return _shaped(self._at_most, np.floor(k))

    def sf(self, k: ArrayLike) -> Any:
        """P(X > k)."""
        return _shaped(self._at_least, np.floor(k) + 1.0)

    def tail(self, k: ArrayLike) -> Any:
        """P(X ≥ k), which says how likely a tuple is k-indistinguishable."""
        return _shaped(self._at_least, np.ceil(k))

    def logcdf(self, k: ArrayLike) -> Any:
        """log P(X ≤ k)."""
        return _shaped(lambda at: _log(self._at_most(at), self._at_least(at + 1)), np.floor(k))

    def logsf(self, k: ArrayLike) -> Any:
        """log P(X > k)."""
        return _shaped(lambda at: _log(self._at_least(at + 1), self._at_most(at)), np.floor(k))

    def reciprocal(self) -> float:
        """E[1/X; X ≥ 1]: 1/X on average, where nobody counts nought."""
        return self._near.reciprocal()

    def binomial_difference(self, holders: float | None = None) -> ProbabilityDifference:
        """How far the binomial form B(m, Π of the other n_j/n) is off (TFRR eq. 2).

        `signed` is max_k (f_B − f_RH), the MPD as printed, `absolute` max_k |f_B − f_RH|. m is
        `holders`, one of the counts; the smallest, which comes nearest, by default.
        """
        m = self.counts[0] if holders is None else holders
        if m not in self.counts:
            raise ImpossibleCounts(f"{m} people hold none of the values: it is {self.counts}")
        others = list(self.counts)
        others.remove(int(m))
        form = BinomialForm.of(self.n, [*others, m], "last")
        return difference_between(form, *self.window())

    def window(self) -> tuple[int, Floats]:
        """(low, P(X = low), P(X = low + 1), …): all probabilities above 1e-45, and some below."""
        return self._near.table.low, self._near.probabilities

    def rvs(
        self,
        size: int | tuple[int, ...] | None = None,
        rng: np.random.Generator | int | None = None,
    ) -> Any:
        """Draws of X: the smallest k whose P(X ≤ k) passes a uniform number.

        rng is a generator or a seed.
        """
        uniform = np.random.default_rng(rng).random(size)
        drawn = self._near.drawn(np.asarray(uniform))
        return int(drawn) if size is None else drawn

    @cached_property
    def _near(self) -> ListedLaw:
        return ListedLaw(law_table(self._counts, NEAR))

    @cached_property
    def _far(self) -> ListedLaw:
        return ListedLaw(law_table(self._counts, FAR))

    def _log_at(self, k: Ints) -> Floats:
        distinguishing = self._counts.distinguishing
        if len(distinguishing) == 2 and distinguishing[0] > 0:
            return log_hypergeometric(k, self.n, np.array(distinguishing[0]), distinguishing[1])
        logs = self._near.table.at(k)
        deep = np.isneginf(logs) & self._possible(k)
        if deep.any():
            logs[deep] = self._far.table.at(k[deep])
        return logs

    def _at_most(self, k: Ints) -> Floats:
        low, high = self.support()
        sums = np.where(k < low, 0.0, 1.0)
        inside = np.flatnonzero((k >= low) & (k < high))
        below = k[inside] < self.mean()
        sums[inside[below]] = self._summed("at_most", k[inside[below]])
        sums[inside[~below]] = 1.0 - self._near.at_least(k[inside[~below]] + 1)
        return sums

    def _at_least(self, k: Ints) -> Floats:
        low, high = self.support()
        sums = np.where(k > high, 0.0, 1.0)
        inside = np.flatnonzero((k > low) & (k <= high))
        above = k[inside] > self.mean()
        sums[inside[above]] = self._summed("at_least", k[inside[above]])
        sums[inside[~above]] = 1.0 - self._near.at_most(k[inside[~above]] - 1)
        return sums

    def _summed(self, side: str, k: Ints) -> Floats:
        """The sum from one end; from the far table where the near one begins too late."""
        sums: Floats = getattr(self._near, side)(k)
        deep = sums < math.exp(-TRUSTED)
        if deep.any() and not self._near_is_whole:
            sums[deep] = getattr(self._far, side)(k[deep])
        return sums

    @cached_property
    def _near_is_whole(self) -> bool:
        table = self._near.table
        return (table.low, table.high) == self.support()

    def _possible(self, k: Ints) -> NDArray[np.bool_]:
        low, high = self.support()
        return (k >= low) & (k <= high)


def _shaped(answer: Any, k: ArrayLike, between: float = math.nan) -> Any:
    """The answers at whole k in the shape of k; `between` elsewhere, NaN where k is."""
    numbers = np.asarray(k, dtype=np.float64)
    flat = numbers.ravel()
    # Beyond ±2^53 a float is past every support.
    at = np.clip(np.nan_to_num(flat), -(2.0**53), 2.0**53)
    whole = at == np.floor(at)
    answers = np.full(flat.shape, between)
    answers[whole] = answer(at[whole].astype(np.int64))
    answers[np.isnan(flat)] = math.nan
    return answers.reshape(numbers.shape)[()]


def _log(sum_: Floats, rest: Floats) -> Floats:
    """log of a sum, from what is missing to 1 where that is the smaller."""
    with np.errstate(divide="ignore"):
        return np.where(sum_ < 0.5, np.log(sum_), np.log1p(-rest))
