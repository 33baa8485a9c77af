"""The crowd of a tuple, given what is known of the person: member, paper or unknown.

X ~ RH(n; n_1, …, n_d) is how many of n people hold the tuple. `given` says how they are counted:

| given | crowd | P(crowd ≥ k) | risk |
|---|---|---|---|
| member | 1 + RH(n−1; n_j−1): the person is one of the n and holds the tuple | P(RH(n−1; n_j−1) ≥ k−1) | E[1/crowd] = P(X ≥ 1)/E[X] |
| paper | X given X ≥ 1 (TFRR eq. 12): somebody holds the tuple | P(X ≥ k)/P(X ≥ 1) | E[1/X given X ≥ 1] |
| unknown | X: perhaps nobody holds the tuple | P(X ≥ k) | E[1/X; X ≥ 1] |

A member drawn from the table meets a crowd of s with a probability proportional to s·P(X = s); that
law is exactly 1 + RH(n−1; n_j−1), and E[1/crowd] = Σ_{s≥1} P(X = s)/E[X]. Eq. 12 leaves the weight s
out and so makes crowds too small. For `unknown`, the risk is the chance that the tuple is held by
somebody and one of its holders, picked at random, is one given holder; P(nobody) is given beside it.

A count that was worked out, such as n_i·conf(i ⇒ j) (TFRR eq. 10), needn't be whole: its law lies
between those of the whole counts around it, in proportion (`chains`). For `member` it is the law of
the others that is taken between whole counts, for `paper` and `unknown` the law of X.

Where it fails: dependent attributes.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reidrisk.arrays import Floats, Ints
from reidrisk.errors import ImpossibleCounts
from reidrisk.laws.chains import chain_answers, chain_mean_reciprocals, chain_means, chain_tails
from reidrisk.laws.factorial_series import Quantities
from reidrisk.laws.hypergeometric import whole
from reidrisk.laws.many_tuples import answers, mean_reciprocals, tails

Numbers = NDArray[np.int64] | NDArray[np.float64]
Given = Literal["member", "paper", "unknown"]
GIVENS = ("member", "paper", "unknown")


@dataclass(frozen=True)
class CrowdsOfTuples:
    """The crowds of many tuples, a tuple a row.

    at_least: P(crowd ≥ k), a column for each of ks; expected: E[crowd]; risk: E[1/crowd] as
    defined for `given`; nobody: P(X = 0), which `paper` takes out and `member` can't have.
    """

    given: Given
    ks: tuple[int, ...]
    at_least: Floats
    expected: Floats
    risk: Floats
    nobody: Floats

    @classmethod
    def of_figures(cls, figures: Floats, ks: Sequence[int], given: Given) -> CrowdsOfTuples:
        """From columns P(X ≥ k) for each k, E[X], E[1/X] and P(X = 0), a tuple a row; `paper` is
        then given that somebody holds the tuple.
        """
        at_least, (expected, risk, nobody) = figures[:, : len(ks)], figures[:, len(ks) :].T
        if given == "paper":
            somebody = np.maximum(1.0 - nobody, 1e-300)
            at_least = np.minimum(at_least / somebody[:, None], 1.0)
            expected, risk, nobody = expected / somebody, risk / somebody, np.zeros(len(nobody))
        return cls(given, tuple(ks), at_least, expected, risk, nobody)

    def each(self, function: Callable[..., Floats], *others: CrowdsOfTuples) -> CrowdsOfTuples:
        """A function of each column of figures, of this one's and of others'."""
        many = [self, *others]
        names = ("at_least", "expected", "risk", "nobody")
        columns = [function(*(getattr(crowds, name) for crowds in many)) for name in names]
        return CrowdsOfTuples(self.given, self.ks, *columns)


@dataclass(frozen=True)
class CrowdOfTuple:
    """The crowd of one tuple: as `CrowdsOfTuples`, P(crowd ≥ k) by k."""

    given: Given
    at_least: dict[int, float]
    expected: float
    risk: float
    nobody: float


def crowd_of_tuple(
    n: float, counts: Sequence[float], ks: Iterable[float], given: Given = "member"
) -> CrowdOfTuple:
    """The crowd of the tuple whose values are held by these counts of n people."""
    many = crowds_of_tuples(n, [list(counts)], ks, given)
    by_k = dict(zip(many.ks, many.at_least[0].tolist(), strict=True))
    return CrowdOfTuple(
        given, by_k, float(many.expected[0]), float(many.risk[0]), float(many.nobody[0])
    )


def crowds_of_tuples(
    n: float, counts: ArrayLike, ks: Iterable[float], given: Given = "member"
) -> CrowdsOfTuples:
    """The crowds of many tuples: a row of counts for each, a column for each attribute."""
    if given not in GIVENS:
        raise ImpossibleCounts(f"given is {given!r}: it has to be one of {', '.join(GIVENS)}")
    people, rows = whole(n, "the number of people"), np.asarray(counts)
    sizes = tuple(whole(k, "the size of a crowd") for k in ks)
    if rows.ndim != 2:
        raise ImpossibleCounts("counts are a row for each tuple, a column for each attribute")
    if given == "member":
        return _of_members(people, rows, sizes)
    return _of_anybody(people, rows, sizes, given)


def _of_members(n: int, rows: Numbers, ks: tuple[int, ...]) -> CrowdsOfTuples:
    if n < 1 or (rows.size and float(rows.min()) < 1.0):
        raise ImpossibleCounts("a member holds every value, so that every count is at least 1")
    others, smaller = [k - 1 for k in ks], n - 1

    def of_whole(counts: Ints) -> Floats:
        mean = smaller * np.prod(np.sort(counts, axis=1) / max(smaller, 1), axis=1)
        risk = mean_reciprocals(smaller, counts)
        return np.column_stack([tails(smaller, counts, others), 1.0 + mean, risk])

    def of_mixed(counts: Floats) -> Floats:
        chains = smaller, counts, np.full(counts.shape, smaller)
        risk = chain_mean_reciprocals(*chains)
        return np.column_stack([chain_tails(*chains, others), 1.0 + chain_means(*chains), risk])

    found = _between(smaller, rows - 1, of_whole, of_mixed)
    nobody = np.zeros(len(found))
    return CrowdsOfTuples("member", ks, found[:, :-2], found[:, -2], found[:, -1], nobody)


def _of_anybody(n: int, rows: Numbers, ks: tuple[int, ...], given: Given) -> CrowdsOfTuples:
    def of_whole(counts: Ints) -> Floats:
        mean = n * np.prod(np.sort(counts, axis=1) / max(n, 1), axis=1)
        answered = answers(n, counts, Quantities((1,), reciprocal=True))
        return np.column_stack([tails(n, counts, ks), mean, answered])

    def of_mixed(counts: Floats) -> Floats:
        chains = n, counts, np.full(counts.shape, n)
        answered = chain_answers(*chains, Quantities((1,), reciprocal=True))
        return np.column_stack([chain_tails(*chains, ks), chain_means(*chains), answered])

    found = _between(n, rows, of_whole, of_mixed)
    at_least, expected, somebody, risk = found[:, :-3], found[:, -3], found[:, -2], found[:, -1]
    nobody = 1.0 - somebody
    if given == "paper":
        if (somebody <= 0.0).any():
            raise ImpossibleCounts("a value nobody holds: its tuple can't be in the table")
        at_least = np.minimum(at_least / somebody[:, None], 1.0)
        at_least[:, [k <= 1 for k in ks]] = 1.0
        expected, risk = expected / somebody, risk / somebody
    return CrowdsOfTuples(given, ks, at_least, expected, risk, nobody)


def _between(
    n: int, rows: Numbers, of_whole: Callable[[Ints], Floats], of_mixed: Callable[[Floats], Floats]
) -> Floats:
    """Answers for rows of whole counts, and for rows some of whose counts have fractions."""
    if rows.dtype.kind in "iu":
        return of_whole(rows.astype(np.int64, copy=False))
    counts = rows.astype(np.float64)
    if not np.isfinite(counts).all() or (counts.size and (counts.min() < 0 or counts.max() > n)):
        raise ImpossibleCounts(f"a count has to be between 0 and n = {n}")
    whole_rows = (counts == np.floor(counts)).all(axis=1)
    some = of_whole(counts[whole_rows].astype(np.int64))
    figures = np.empty((len(counts), some.shape[1]))
    figures[whole_rows] = some
    if not whole_rows.all():
        figures[~whole_rows] = of_mixed(counts[~whole_rows])
    return figures
