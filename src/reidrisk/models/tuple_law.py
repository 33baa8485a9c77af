"""The law of one tuple's crowd, once its expected size and what narrows it are known.

Symbols: λ = n·p people are to be expected on a tuple of probability p. How many there are, X, is no
Poisson number: the counts the law agrees with hold it down. With x people holding a pair of the
tuple's values, X can't pass x. To second order the law is fixed by its second factorial moment

    E[X(X − 1)] = λ²·(1 − ε),

and B(c, λ/c) with c = 1/ε people to choose from has just that: c = n for draws from the law, c = x
where X is a random part of the x people of one pair (ε: `narrowing`). Somebody who is in the
crowd shares it with Y = B(c − 1, λ/c) others. A small c that isn't whole stands for a mixture of
the laws of its two neighbours, by weights that give the same ε.

People are whole: no law of mean λ = f + a, f whole, 0 ≤ a < 1, is narrower than f + 1 people with
chance a and f people else, for which E[X(X − 1)] = f(f − 1) + 2af. That is the last of the laws,
and the most that ε is let say; λ = f is a crowd that the counts fix.

Where it fails: third moments are the binomial's. A crowd of more than some hundred people that is
listed among many is blurred by 0.5 % of its size.

What known counts say of a tuple's crowd: how far they narrow its law.

Symbols: x_ij people hold tuple t's values of attributes i and j, n_j its value of j, n people in
all; the pair tables known form a graph with E edges, g_j of them at attribute j. A table drawn at
random among those with all these counts has, for its crowd X on t with λ = E[X],

    E[X(X − 1)]/λ² = 1 − ε = Π_ij (1 − 1/x_ij) · Π_j (1 − 1/n_j)^{1−g_j} · (1 − 1/n)^{1−d+E}.

Exact when the graph is a forest (the law is then a chain of hypergeometric ones) and, to first
order in ε, for independent attributes and any graph (the projection on pairs under a product law).
In between it is bounded from below, since more known counts can only narrow more: ε is at least
1/x_ij for each pair and at least the figure of any forest within the graph.

Where it fails: cells that were worked out instead of counted aren't whole numbers, and hold nothing
down; their pair counts as unknown for that tuple.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reidrisk.arrays import Codes, Floats
from reidrisk.crowds import CrowdSizes
from reidrisk.laws import CrowdsOfTuples, Given, binomial_tail
from reidrisk.models.crowd_law import ENDLESS, Draws, crowds_of_members
from reidrisk.models.knowledge import WHOLE, Knowledge
from reidrisk.models.spectrum import SizeGrid, shared_out

# Entries that need not be put on a grid, and the grid's step in log λ.
MOST_LISTED = 100_000
STEP = 0.005
# A crowd that the counts all but fix keeps its own size.
FIXED = 0.9
# Above so many people to choose from, a fraction of one makes no difference.
MIXED_UP_TO = 64.0
CLASSES = 32


class Part(NamedTuple):
    """Part of the laws of some entries: X = B(c, share) with this weight."""

    entry: NDArray[np.intp]
    c: Floats
    share: Floats
    weight: Floats


class Moment(NamedTuple):
    """Var g(X), and the first and second derivative of E[g(X)] in λ."""

    variance: Floats
    slope: Floats
    bend: Floats


class Moments(NamedTuple):
    """Of having a crowd, g = [X > 0], and of somebody being alone, g = [X = 1]."""

    of_crowd: Moment
    of_alone: Moment


@dataclass(frozen=True)
class TupleLaws:
    """Tuples, one entry each: λ people expected and the narrowing ε, 0 ≤ ε ≤ 1."""

    expected: Floats
    narrowing: Floats

    @property
    def held_down(self) -> Floats:
        """λε: the share of the Poisson variance that the counts take away, at most one."""
        return np.minimum(self.expected * self.narrowing, 1.0)

    def of_members(self, mass: Floats) -> Draws:
        """Y for members of these tuples' crowds; `mass`: share of all people in each."""
        parts = [Draws(c - 1.0, share * ENDLESS, np.full(len(c), ENDLESS), mass[entry] * weight)
                 for entry, c, share, weight in self.parts()]  # fmt: skip
        return Draws(
            np.concatenate([part.others for part in parts]),
            np.concatenate([part.alike for part in parts]),
            np.concatenate([part.population for part in parts]),
            np.concatenate([part.mass for part in parts]),
        )

    def parts(self) -> list[Part]:
        """The laws as mixtures of B(c, share): (entries, c, share, weight)."""
        # A whole number of people must not become a little less by rounding.
        near = np.rint(self.expected)
        expected = np.where(np.abs(self.expected - near) < 1e-9 * near, near, self.expected)
        low = np.floor(expected)
        square = np.maximum(expected, 1e-100) ** 2
        most = 1.0 - low * (low - 1.0 + 2.0 * (expected - low)) / square
        epsilon = np.clip(np.minimum(self.narrowing, most), 1.0 / ENDLESS, 1.0)
        c = np.maximum(1.0 / epsilon, expected)
        small = np.flatnonzero(c < MIXED_UP_TO)
        large = np.flatnonzero(c >= MIXED_UP_TO)
        whole = np.ones(len(large))
        of_large = Part(large, c[large], expected[large] / c[large], whole)
        return [of_large, *_mixed(small, expected[small], epsilon[small], most[small])]

    def moments(self) -> Moments:
        """Variance, slope and bend in λ of [X > 0] and of [X = 1], each entry's own.

        With u = 1 − λ/c: P(X = 0) = u^c and P(X = 1) = λ·u^(c−1), derived twice.
        """
        empty, slope, bend, slope_1, bend_1 = (np.zeros(len(self.expected)) for _ in range(5))
        for entry, c, share, weight in self.parts():
            log_u = np.log1p(-np.minimum(share, 1.0 - 1e-9))
            second = np.where(c > 1.0, (c - 1.0) / c, 0.0) * np.exp((c - 2.0) * log_u)
            third = np.where(c > 2.0, (c - 2.0) / c, 0.0) * np.exp(-log_u) * second
            empty[entry] += weight * np.exp(c * log_u)
            slope[entry] += weight * np.exp((c - 1.0) * log_u)
            bend[entry] -= weight * second
            slope_1[entry] += weight * (np.exp((c - 1.0) * log_u) - c * share * second)
            bend_1[entry] += weight * (c * share * third - 2.0 * second)
        one = self.expected * slope
        return Moments(
            Moment(empty * (1.0 - empty), slope, bend), Moment(one * (1.0 - one), slope_1, bend_1)
        )

    def risk(self) -> Floats:
        """E[1/crowd] of a member, P(X > 0)/λ."""
        somebody = np.zeros(len(self.expected))
        for entry, c, share, weight in self.parts():
            somebody[entry] += weight * -np.expm1(c * np.log1p(-np.minimum(share, 1.0 - 1e-12)))
        return somebody / np.maximum(self.expected, 1e-300)

    def crowds(self, ks: Sequence[int], given: Given) -> CrowdsOfTuples:
        """The crowds of people with these tuples, each law a mixture of binomial ones."""
        floored = TupleLaws(np.maximum(self.expected, HARDLY), self.narrowing)
        figures = np.zeros((len(self.expected), len(ks) + 3))
        for entry, c, share, weight in floored.parts():
            figures[entry] += weight[:, None] * binomial_figures(c, share, ks, given)
        return CrowdsOfTuples.of_figures(figures, ks, given)

    def chosen(self, which: NDArray[np.bool_] | NDArray[np.intp]) -> TupleLaws:
        """Only these tuples."""
        return TupleLaws(self.expected[which], self.narrowing[which])


def _mixed(entry: NDArray[np.intp], expected: Floats, epsilon: Floats, most: Floats) -> list[Part]:
    """Parts of small c: the next whole c above, and the one below or the narrowest law there is."""
    above = np.ceil(1.0 / epsilon - 1e-9)
    below = np.maximum(np.floor(1.0 / epsilon + 1e-9), 1.0)
    fits = below >= expected
    other = np.where(fits, 1.0 / below, most)
    apart = other - 1.0 / above
    some = apart > 1e-12
    weight = np.where(
        some, np.clip((epsilon - 1.0 / above) / np.where(some, apart, 1.0), 0, 1), 0.0
    )
    # The narrowest law: a member sits in a crowd of f + 1 with chance a(f + 1)/λ, of f else.
    low = np.floor(expected)
    in_larger = (expected - low) * (low + 1.0) / np.maximum(expected, 1e-300)
    whole = np.ones(len(entry))
    return [
        Part(entry, above, np.minimum(expected / above, 1.0), 1.0 - weight),
        Part(entry, below, np.minimum(expected / below, 1.0), np.where(fits, weight, 0.0)),
        Part(entry, low + 1.0, whole, np.where(fits, 0.0, weight * in_larger)),
        Part(entry, np.maximum(low, 1.0), whole, np.where(fits, 0.0, weight * (1.0 - in_larger))),
    ]


def crowd_sizes_of(laws: TupleLaws, mass: Floats, n: int) -> CrowdSizes:
    """E[N_s] = n·Σ_tuples mass·P(1 + Y = s)/s; the masses, shares of all people, add up to one."""
    grid = SizeGrid.up_to(n)
    held = mass > 0.0
    laws, mass = laws.chosen(held), mass[held]
    if len(mass) > MOST_LISTED:
        laws, mass = _gathered(laws, mass, n)
    members = crowds_of_members(laws.of_members(mass), grid)
    some = members > 1e-18
    sizes = grid.nodes[some]
    return CrowdSizes(sizes, n * members[some] / sizes, "expected")


def _gathered(laws: TupleLaws, mass: Floats, n: int) -> tuple[TupleLaws, Floats]:
    """Fewer entries: λ on a grid of ratio e^0.005, numbers of tuples and people both kept."""
    fixed = laws.held_down > FIXED
    parts = [_equal_once(laws.chosen(fixed), mass[fixed])]
    kind = (laws.held_down * (CLASSES / FIXED)).astype(np.int64)
    for each in range(CLASSES + 1):
        these = ~fixed & (kind == each)
        if these.any():
            parts.append(_on_grid(laws.chosen(these), mass[these], n))
    return TupleLaws(
        np.concatenate([part.expected for part, _ in parts]),
        np.concatenate([part.narrowing for part, _ in parts]),
    ), np.concatenate([held for _, held in parts])


def _equal_once(laws: TupleLaws, mass: Floats) -> tuple[TupleLaws, Floats]:
    """Entries that differ by less than one in a million are one."""
    key = np.stack([laws.expected, laws.narrowing], axis=1)
    key = np.rint(np.log(np.maximum(key, 1e-300)) * 1e6).astype(np.int64)
    _, first, place = np.unique(key, axis=0, return_index=True, return_inverse=True)
    return laws.chosen(first), np.bincount(place.ravel(), mass, len(first)).astype(np.float64)


def _on_grid(laws: TupleLaws, mass: Floats, n: int) -> tuple[TupleLaws, Floats]:
    # Below 1e-9 people there is nobody else, however far below.
    expected = np.maximum(laws.expected, 1e-9)
    shares = np.minimum(expected / n, 1.0)
    binned = shared_out(shares, mass, mass * laws.narrowing, STEP)
    used = binned.mass > 0.0
    narrowing = binned.narrowing[used] / binned.mass[used]
    return TupleLaws(n * binned.shares[used], narrowing), binned.mass[used]


def at_least(laws: TupleLaws, crowds: Sequence[int]) -> Floats:
    """P(1 + Y ≥ k) for members of each tuple, a column for each k asked for."""
    answers = np.zeros((len(laws.expected), len(crowds)))
    for entry, c, share, weight in laws.parts():
        # Entries occur once in a part.
        answers[entry] += weight[:, None] * _at_least(c - 1.0, share, crowds)
    return np.clip(answers, 0.0, 1.0)


def _at_least(others: Floats, share: Floats, crowds: Sequence[int]) -> Floats:
    """P(B(others, share) ≥ k − 1): P(Y=0) = (1−share)^others, and ratios of neighbours.

    In logarithms: a crowd that is all but fixed begins at 1e-300.
    """
    share = np.clip(share, 1e-300, 1.0 - 1e-12)
    log_law, odds = others * np.log1p(-share), np.log(share) - np.log1p(-share)
    below, answers = np.zeros(len(others)), {1: np.ones(len(others))}
    for y in range(max(crowds, default=1) - 1):
        below = below + np.exp(log_law)
        answers[y + 2] = 1.0 - below
        with np.errstate(divide="ignore"):
            log_law = log_law + np.log(np.maximum(others - y, 0.0) / (y + 1.0)) + odds
    return np.stack([answers[k] for k in crowds], axis=1)


# E[1/X] by Gauss-Legendre on each of the stretches of t below.
NODES, WEIGHTS = np.polynomial.legendre.leggauss(24)
# Fewer people than this to be expected are as good as nobody else.
HARDLY = 1e-12


def binomial_figures(m: Floats, q: Floats, ks: Sequence[int], given: Given) -> Floats:
    """P(crowd ≥ k) for each k, E[crowd], E[1/crowd] and P(nobody); for `paper` not yet X ≥ 1."""
    if given == "member":
        others = np.maximum(m - 1.0, 0.0)
        tails = [binomial_tail(k - 1.0, others, q) for k in ks]
        held = np.maximum(m, 1.0)
        mean = held * q
        some = -np.expm1(held * np.log1p(-np.minimum(q, 1.0 - 1e-16)))
        risk = np.where(mean > HARDLY, some / np.maximum(mean, 1e-300), 1.0)
        return np.column_stack([*tails, 1.0 + others * q, risk, np.zeros(len(m))])
    tails = [binomial_tail(float(k), m, q) for k in ks]
    nobody = 1.0 - binomial_tail(1.0, m, q)
    return np.column_stack([*tails, m * q, _mean_reciprocal(m, q), nobody])


def _mean_reciprocal(m: Floats, q: Floats) -> Floats:
    """E[1/X; X ≥ 1] = ∫_0^∞ ((1 − q(1 − e^{−t}))^m − (1 − q)^m) dt, X ~ B(m, q).

    The integrand falls from t ≈ 1/(mq) on: stretches of t double from there to 40.
    """
    mean = np.maximum(m * q, 1e-12)
    total = np.zeros(len(m))
    with np.errstate(divide="ignore", invalid="ignore"):
        nobody = np.where(q < 1.0, np.exp(m * np.log1p(-q)), np.where(m > 0, 0.0, 1.0))
        start, end = np.zeros(len(m)), np.minimum(1.0 / mean, 1.0)
        while np.any(start < 40.0):
            middle, half = (start + end) / 2.0, (end - start) / 2.0
            t = middle[:, None] + half[:, None] * NODES[None, :]
            value = np.exp(m[:, None] * np.log1p(q[:, None] * np.expm1(-t))) - nobody[:, None]
            total += half * (value @ WEIGHTS)
            start, end = end, np.minimum(2.0 * end, 40.0)
    return total


Edge = tuple[int, int]


def narrowing(
    knowledge: Knowledge,
    codes: Codes,
    edges: Sequence[Edge],
    forest: Iterable[Edge] = (),
    counts: Floats | None = None,
) -> Floats:
    """ε of each tuple from the pair tables `edges`, at least that of the `forest` among them.

    `counts` are those of the tuples' values, where they aren't the knowledge's own.
    """
    forest = frozenset(forest)
    whole, part, least = (np.zeros(len(codes)) for _ in range(3))
    everybody = _log(np.array(float(knowledge.n)))
    if counts is None:
        singles = [_single(knowledge, codes, place) for place in range(len(knowledge.counts))]
    else:
        singles = [_log(each) - everybody for each in counts.T]
    for i, j in edges:
        cells = knowledge.pairs[i, j]
        x = cells[codes[:, i], codes[:, j]]
        counted = (np.abs(x - np.rint(x)) < WHOLE) & (x > 0.5)
        x = np.where(counted, np.maximum(np.rint(x), 1.0), np.inf)
        added = _log(x) - counted * (singles[i] + singles[j] + everybody)
        whole += added
        least = np.maximum(least, 1.0 / x)
        if (i, j) in forest:
            part += added
    alone = sum(singles, start=np.full(len(codes), everybody))
    least = np.maximum(least, -np.expm1(alone + part))
    return np.clip(np.maximum(-np.expm1(alone + whole), least), 0.0, 1.0)


def _single(knowledge: Knowledge, codes: Codes, place: int) -> Floats:
    """What an attribute's count says beyond the number of people: log(1−1/n_j) − log(1−1/n)."""
    return _log(knowledge.counts[place].astype(np.float64))[codes[:, place]] - _log(
        np.array(float(knowledge.n))
    )


def _log(x: Floats) -> Floats:
    """log(1 − 1/x); a count of one leaves nobody else, and stands at −50 to keep sums finite."""
    return np.where(x > 1.0, np.log1p(-1.0 / np.maximum(x, 2.0)), -50.0)
