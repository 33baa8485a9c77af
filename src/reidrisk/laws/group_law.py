"""The law of a group: are all k members told apart by their tuples?

Symbols: p_t the probability of tuple t, N tuples listed (those that nobody holds among them), n
people where each tuple's count is known, P_m = Σ p^m.

- exact: k independent draws all differ, k!·e_k(p) (the paper's question; Klotz 1979);
- exact_finite: k different people of these n all differ, e_k(counts)/C(n, k). Since counts = n·p it
  is exact/π_u(k, n): the chance that the draws all differ, given that they hit different people;
- a given member is unique: Σ_t p·(1 − p)^{k−1}, on average over members; (1 − p)^{k−1} for one who
  holds a tuple of probability p. The expected number of unique members is k times that.

Few outcomes by recurrence (`all_different`), others through the saddle point (`saddle_point`).
Relative error of exact: below 1e-11 (1e-9 is asked for).

Where it fails: members of a family or a school class aren't drawn independently; exact_finite needs
n ≥ k and known counts.

P(all drawn differ) for few outcomes, by the recurrence; many laws side by side.

E_j = j!·e_j(p) = P(j independent draws all differ), E_0 = 1. Outcome after outcome,

    for j = k down to 1:   E_j += j·p_i·E_{j−1}:

an outcome that joins may be any of the j draws. All terms are positive, so nothing cancels: the
relative error stays below N·2^−52, and all group sizes up to k come at once.

Where it fails: probabilities below 1e-290 lose digits; the saddle point gives their logarithm.

P(some two of k share an outcome), where it is too small to be 1 − P(all differ).

Symbols: E_j = P(j draws all differ) = j!·e_j(p), P_i = Σ p^i. Newton's identities read

    E_j − E_{j+1} = Σ_{i≥2} (−1)^i·j(j−1)…(j−i+2)·P_i·E_{j+1−i},

and P(shared) = Σ_{j<k} (E_j − E_{j+1}). Used where C(k, 2)·P_2, which it never exceeds, is below
0.001: then k·p < 0.05 for every outcome and each term is a twentieth of the one before. The E on
the right start as 1 and are set to 1 − P(shared) until nothing changes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from reidrisk.arrays import Floats
from reidrisk.laws import published_forms
from reidrisk.laws.published_forms import log_uniform
from reidrisk.laws.saddle_point import SaddlePoint, excess
from reidrisk.laws.tuple_space import TupleSpace

# Outcomes times group size up to which this is faster than the saddle point.
MOST_WORK = 100_000
MOST_OUTCOMES = 2_000
TOO_SMALL = 1e-290


def all_different(probabilities: Floats, k: int) -> Floats:
    """E_0 … E_k; a row of outcomes gives a row, a table of laws a table."""
    p = np.asarray(probabilities, dtype=np.float64)
    differ = np.zeros((*p.shape[:-1], k + 1))
    differ[..., 0] = 1.0
    j = np.arange(1.0, k + 1)
    for place in range(p.shape[-1]):
        differ[..., 1:] += (p[..., place, None] * j) * differ[..., :-1]
    return differ


SMALL = 1e-3
TERMS = 14
ROUNDS = 8
MOST_MEMBERS = 10**7


def small_sharing(k: int, power_sum: Callable[[int], float]) -> float | None:
    """P(some two of k share); None where it isn't small, and 1 − P(all differ) will do."""
    bound = 0.5 * k * (k - 1.0) * power_sum(2)
    if bound >= SMALL or k > MOST_MEMBERS:
        return None
    if bound == 0.0:
        return 0.0
    j = np.arange(k, dtype=np.float64)
    # Powers of the sums as steps, so that k^i and P_i meet before either leaves the range.
    sums = [power_sum(i) for i in range(2, min(TERMS, k) + 1)]
    steps = [sums[0], *(b / a if a > 0.0 else 0.0 for a, b in pairwise(sums))]
    shared = np.zeros(k + 1)
    for _ in range(ROUNDS):
        before = shared[-1]
        lost = np.zeros(k)
        weight = np.ones(k)
        for i, step in enumerate(steps, start=2):
            weight = weight * np.maximum(j - (i - 2), 0.0) * (step if i == 2 else -step)
            differ = 1.0 - shared[np.maximum(np.arange(k) + 1 - i, 0)]
            lost += weight * differ
        shared[1:] = np.cumsum(lost)
        if shared[-1] == before:
            break
    return float(shared[-1])


class GroupLaw:
    """A space of tuples, `outcomes` of them listed, held by `people` where counts are known."""

    def __init__(self, space: TupleSpace, outcomes: int, people: int | None = None) -> None:
        self.space, self.outcomes, self.people = space, outcomes, people
        self._saddle = SaddlePoint(space)
        self._sums: dict[int, float] = {}
        self._reached = np.ones(1)

    @classmethod
    def of_counts(cls, counts: NDArray[np.int64], outcomes: int | None = None) -> GroupLaw:
        """People per tuple; those nobody holds may be left out where `outcomes` counts them."""
        people = int(np.sum(counts))
        held = np.asarray(counts)[np.asarray(counts) > 0] / people
        listed = len(counts) if outcomes is None else outcomes
        return cls(TupleSpace.listed(held), listed, people)

    def power_sum(self, m: int) -> float:
        """P_m = Σ p^m."""
        if m not in self._sums:
            self._sums[m] = self.space.power_sum(m)
        return self._sums[m]

    @cached_property
    def kappa(self) -> float:
        """κ = Σ p·log(N·p) = log N − H(p), the Kullback–Leibler distance from the uniform law."""
        return max(math.log(self.outcomes) - self.space.entropy, 0.0)

    @property
    def discrepancy(self) -> float:
        """½(Σα²f − 1) = ½(N·P_2 − 1)."""
        return max(0.5 * (self.outcomes * self.power_sum(2) - 1.0), 0.0)

    def log_exact(self, k: int) -> float:
        """log P(k independent draws all differ); −inf where that can't be."""
        shared = small_sharing(k, self.power_sum) if k > 1 else 0.0
        if shared is not None:
            return math.log1p(-shared)
        if k <= self.space.held + 0.5 and self._few(k):
            found = self._recurred(k)
            if found > TOO_SMALL:
                return math.log(found)
        return min(self._saddle.log_all_different(k), 0.0)

    def exact(self, k: int) -> float:
        """P(k independent draws all differ)."""
        return math.exp(self.log_exact(k))

    def shared(self, k: int) -> float:
        """P(at least one pair shares a tuple), exact where it is small too."""
        found = small_sharing(k, self.power_sum) if k > 1 else 0.0
        return -math.expm1(self.log_exact(k)) if found is None else found

    def exact_finite(self, k: int) -> float | None:
        """P(k different people of these n all differ); None without counts or without k people."""
        if self.people is None or k > self.people:
            return None
        return math.exp(min(self.log_exact(k) - log_uniform(k, self.people), 0.0))

    def member_unique(self, k: int) -> float:
        """P(a given member shares with none of the other k − 1) = Σ p·(1 − p)^{k−1}."""
        parts = self._saddle.likely_for(k)
        p = parts.listed
        certain = p >= 1.0
        alone = np.exp((k - 1) * np.log1p(-np.where(certain, 0.0, p)))
        if k > 1:
            alone = np.where(certain, 0.0, alone)
        # Σ_j (−1)^j·C(k − 1, j)·P_{j+1}; k·p stays below a quarter, so it falls off at once.
        term, total = parts.scale, 0.0
        for j, sums in enumerate(parts.sums):
            total += term * sums
            term *= -(k - 1 - j) / (j + 1) * parts.scale
        return float(min(float(np.sum(p * alone)) + total, 1.0))

    def expected_unique(self, k: int) -> float:
        """The expected number of members that no other shares a tuple with."""
        return k * self.member_unique(k)

    def poisson(self, k: int) -> float:
        """Π e^{−k·p}·(1 + k·p), eq. 3 on the left."""
        return math.exp(-excess(self._saddle.likely_for(k), float(k)))

    def alpha_squared(self, k: int) -> float:
        """e^{−k²·Σα²f/(2N)}, eq. 3 on the right."""
        return published_forms.alpha_squared(k, self.power_sum(2))

    def smallest_under(self, value: float) -> int:
        """The smallest group whose P(all unique) is at most `value`; one member less exceeds it.

        P(all unique) falls as groups grow, so all larger groups stay under it too.
        """
        aim = math.log(value) if value > 0.0 else -math.inf
        if aim >= 0.0:
            return 1
        high = max(2, math.ceil(math.sqrt(-2.0 * max(aim, -1e6) / self.power_sum(2))))
        while self.log_exact(high) > aim:
            high *= 2
        low = 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.log_exact(middle) <= aim else (middle, high)
        return high

    def _few(self, k: int) -> bool:
        one = len(self.space.parent) == 1
        width = self.space.shares[0].shape[1] if one else 0
        return one and width <= MOST_OUTCOMES and width * k <= MOST_WORK

    def _recurred(self, k: int) -> float:
        if k >= len(self._reached):
            # Some further, for the next size of a curve.
            self._reached = all_different(self.space.shares[0][0], k + min(k, 16))
        return float(self._reached[k])
