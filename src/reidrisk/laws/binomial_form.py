"""The binomial form of the recursive hypergeometric law, and how far it is off.

TFRR eqs. 6 and 7: each of the m people who hold one of the tuple's values holds all the others as
well with probability q, independently,

    X ≈ B(m, q),   q = Π_{j ≠ holder} n_j/n,   P(X = k) = C(m, k)·q^k·(1 − q)^{m−k}.

The paper takes m = n_d, the last attribute's count (`holder="last"`). The smallest count is the
best of the d choices (`holder="smallest"`). All of them have the mean μ of X and too large a
variance, μ(1 − μ/m) instead of μ(1 − μ/N) with 1 − 1/N = Π_j(1 − 1/n_j)/(1 − 1/n)^{d−1}, where
N ≤ min n_j; the smallest m comes nearest. Counts 100, 300, 400 of n = 1000: variance 10.56 with the
smallest, 11.64 with the largest, 10.01 in truth.

Where it fails: draws are without replacement, so q changes from one to the next. The error goes
away only if all counts but m grow against the mean: with counts 1000 and 500,000 of n = 10^6,
P(X = 500) is off by 0.00001 with m = 1000 and by 0.0074, more than a quarter, with m = 500,000.

How far the binomial form is off: TFRR's maximum probability difference, signed and absolute.

    MPD = max_k (f_B(k) − f_RH(k))                                             (TFRR eq. 2)

As printed it is signed, and the largest |f_B − f_RH| is usually where f_B is too low: both are
given, each with its k. The paper compares B(n_d, P_{d−1}), n_d the last attribute's count, and
reports 0 to 0.005 at N = 30,000.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from reidrisk.arrays import Floats
from reidrisk.errors import ImpossibleCounts
from reidrisk.laws.hypergeometric import TupleCounts, log_binomial, whole

Holder = Literal["smallest", "last"]
HOLDERS = ("smallest", "last")


@dataclass(frozen=True)
class BinomialForm:
    """B(trials, chance)."""

    trials: int
    chance: float

    @classmethod
    def of(cls, n: float, counts: Sequence[float], holder: Holder = "smallest") -> BinomialForm:
        """m is the smallest count, or as the paper has it the last one listed."""
        if holder not in HOLDERS:
            raise ImpossibleCounts(f"holder is {holder!r}: it has to be one of {HOLDERS}")
        checked = TupleCounts.of(n, counts)
        m = checked.counts[0] if holder == "smallest" else whole(counts[-1], "a count")
        others = list(checked.counts)
        others.remove(m)
        return cls(m, float(np.prod([count / checked.n for count in others])))

    def logpmf(self, k: ArrayLike) -> Any:
        """log P(X = k)."""
        sizes = np.asarray(k, dtype=np.float64)
        log = log_binomial(sizes.ravel(), self.trials, self.chance)
        return log.reshape(sizes.shape)[()]

    def pmf(self, k: ArrayLike) -> Any:
        """P(X = k)."""
        return np.exp(self.logpmf(k))

    def cdf(self, k: ArrayLike) -> Any:
        """P(X ≤ k) = P(m − X ≥ m − k), people who don't hold the tuple."""
        missing = self.trials - np.floor(np.asarray(k, dtype=np.float64))
        return binomial_tail(missing, float(self.trials), 1.0 - self.chance)[()]

    def tail(self, k: ArrayLike) -> Any:
        """P(X ≥ k)."""
        return binomial_tail(np.ceil(k), float(self.trials), self.chance)[()]

    def sf(self, k: ArrayLike) -> Any:
        """P(X > k)."""
        return self.tail(np.floor(k) + 1.0)

    def mean(self) -> float:
        """m·q, the mean of X."""
        return self.trials * self.chance

    def var(self) -> float:
        """m·q·(1 − q)."""
        return self.mean() * (1.0 - self.chance)


def binomial_tail(k: ArrayLike, m: ArrayLike, q: ArrayLike) -> Floats:
    """P(B(m, q) ≥ k) = I_q(k, m − k + 1), the incomplete beta function."""
    # Half a second to import, so only where it is needed.
    from scipy import special

    at, most = np.asarray(k, dtype=np.float64), np.asarray(m, dtype=np.float64)
    inside = np.clip(at, 1.0, np.maximum(most, 1.0))
    found = special.betainc(inside, np.maximum(most, 1.0) - inside + 1.0, q)
    return np.asarray(np.where(at <= 0.0, 1.0, np.where(at > most, 0.0, found)))


@dataclass(frozen=True)
class ProbabilityDifference:
    """max_k (f_B − f_RH) and max_k |f_B − f_RH|, and where they are."""

    signed: float
    signed_at: int
    absolute: float
    absolute_at: int


def difference_between(form: BinomialForm, low: int, exact: Floats) -> ProbabilityDifference:
    """max_k (f_B − f_RH) and max_k |f_B − f_RH|, f_RH from `low` on; it is next to nothing
    elsewhere, so that one k beyond either end is enough.
    """
    exact = np.concatenate([[0.0], exact, [0.0]])
    sizes = low - 1 + np.arange(len(exact))
    difference = form.pmf(sizes) - exact
    signed, absolute = int(np.argmax(difference)), int(np.argmax(np.abs(difference)))
    return ProbabilityDifference(
        float(difference[signed]),
        int(sizes[signed]),
        float(abs(difference[absolute])),
        int(sizes[absolute]),
    )
