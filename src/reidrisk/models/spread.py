"""How far ORR and the share alone scatter over tables that have the same known counts.

Symbols: X_t people on tuple t, E[X_t] = λ_t, its narrowing ε_t (`tuple_law`); g(X) = [X > 0] counts
crowds, g(X) = [X = 1] people alone; b_t and b'_t the first two derivatives of E[g] in λ. Known
counts are sums of the X_t over tuples that share a value, or a pair of values. Poisson numbers
given such sums have Cov(X_t, X_u) = −λ_t H_tu λ_u, H the projection on the known counts'
indicators (Gaussian approximation), and

    Cov(g(X_t), g(X_u)) = b_t b_u·Cov(X_t, X_u) + ½ b'_t b'_u·Cov(X_t, X_u)² + …

The diagonal is known better, Var g(X_t) from the narrowed law itself, λ_t² H_tt = λ_t·l_t with
l_t = λ_t ε_t. With the mean E over people (tuples weighed by p_t), r = b less its projection on
functions of one known count each, and Σ_{u≠t} of the squares from l = l² + Σ_{u≠t}, b'_u taken as
b'_t where two tuples share a count,

    Var(Σ g)/n = E[Var g(X_t)/λ_t − b_t²(1 − l_t) + ½ λ_t b'_t² l_t(1 − l_t)] + E[r²].

Under independence and without narrowing this is Σ h(1−h) − n[(E h)² + Σ_j Var_v E(h | v)],
h = e^{−λ} (R3A's shuffles). Left out, the third term makes intervals 8 % too narrow where a third
of the variance is held down. The projection is found by taking off conditional means in turn. From
a sample of tuples it fits their chance as well: halves are fitted, and E[r²] is averaged over the
own and the other half.

Where it fails: tables of a few dozen people, whose figures aren't normal; model error is no part.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from reidrisk.arrays import Codes, Floats, Ints
from reidrisk.crowds import CrowdSizes
from reidrisk.models.knowledge import Knowledge
from reidrisk.models.tuple_law import Moment, TupleLaws

SWEEPS = 8
LEAST_GAIN = 1e-3
# Sampled tuples that are looked at.
MOST_ROWS = 100_000
# 90 of 100 normal numbers lie within so many standard deviations.
NINETY_PERCENT = 1.6448536269514722


class Spread(NamedTuple):
    """Standard deviations of ORR and of the share alone, over tables that have the counts given."""

    overall_risk: float
    alone_share: float


def spread_over(
    knowledge: Knowledge,
    codes: Codes,
    laws: TupleLaws,
    mass: Floats,
    edges: Sequence[tuple[int, int]],
    sampled: bool,
) -> Spread:
    """Standard deviations from tuples with `mass` (shares of people), listed or sampled."""
    some = np.flatnonzero(mass > 0.0)
    if sampled and len(some) > MOST_ROWS:
        some = some[:: -(-len(some) // MOST_ROWS)]
    codes, laws, mass = codes[some], laws.chosen(some), mass[some] / mass[some].sum()
    places = _places(knowledge, codes, edges)
    moments = laws.moments()
    found = [_variance(laws, mass, moment, places, sampled) for moment in moments]
    return Spread(*(float(np.sqrt(max(each, 0.0) / knowledge.n)) for each in found))


def _variance(
    laws: TupleLaws,
    mass: Floats,
    moment: Moment,
    places: list[tuple[Ints, int]],
    sampled: bool,
) -> float:
    """Var(Σ g)/n."""
    expected, slope, free = laws.expected, moment.slope, 1.0 - laws.held_down
    own = moment.variance / np.maximum(expected, 1e-300) - slope**2 * free
    own += 0.5 * expected * moment.bend**2 * laws.held_down * free
    left = _left_in_halves(slope, mass, places) if sampled else _left(slope, mass, places)
    return float(np.dot(mass, own)) + left


def _places(
    knowledge: Knowledge, codes: Codes, edges: Sequence[tuple[int, int]]
) -> list[tuple[Ints, int]]:
    """Where each tuple falls in each known table, and the cells it has."""
    paired = {place for edge in edges for place in edge}
    places = []
    for i, j in edges:
        shape = knowledge.pairs[i, j].shape
        places.append((codes[:, i].astype(np.int64) * shape[1] + codes[:, j], shape[0] * shape[1]))
    for place, counts in enumerate(knowledge.counts):
        if place not in paired:
            places.append((codes[:, place].astype(np.int64), len(counts)))
    # A cell that no tuple of the list falls in needs no place.
    return [_numbered(place) for place, _ in places] or [(np.zeros(len(codes), np.int64), 1)]


def _numbered(place: Ints) -> tuple[Ints, int]:
    used, numbers = np.unique(place, return_inverse=True)
    return numbers.ravel(), len(used)


def _left(slope: Floats, mass: Floats, places: list[tuple[Ints, int]]) -> float:
    """E[r²]: what is left of the slope once functions of the known counts are taken off."""
    return float(np.dot(mass, (slope - _projection(slope, mass, places)[0]) ** 2))


def _left_in_halves(slope: Floats, mass: Floats, places: list[tuple[Ints, int]]) -> float:
    halves = [np.arange(begin, len(slope), 2) for begin in (0, 1)]
    left = []
    for own, other in (halves, halves[::-1]):
        weight = mass[own] / mass[own].sum()
        parts = [(place[own], cells) for place, cells in places]
        fitted, functions = _projection(slope[own], weight, parts)
        left.append(np.dot(weight, (slope[own] - fitted) ** 2))
        predicted = np.zeros(len(other))
        for function, (place, _) in zip(functions, places, strict=True):
            predicted += function[place[other]]
        left.append(np.dot(mass[other] / mass[other].sum(), (slope[other] - predicted) ** 2))
    return float(np.mean(left))


def _projection(
    slope: Floats, mass: Floats, places: list[tuple[Ints, int]]
) -> tuple[Floats, list[Floats]]:
    """The closest sum of functions of one table each: conditional means taken off in turn."""
    left, functions = slope.copy(), [np.zeros(cells) for _, cells in places]
    weights = [np.maximum(np.bincount(place, mass, cells), 1e-300) for place, cells in places]
    before = np.inf
    for _ in range(SWEEPS):
        for function, weight, (place, cells) in zip(functions, weights, places, strict=True):
            mean = np.bincount(place, mass * left, cells) / weight
            function += mean
            left -= mean[place]
        now = float(np.dot(mass, left**2))
        if before - now <= LEAST_GAIN * now:
            break
        before = now
    return slope - left, functions


def intervals(crowds: CrowdSizes, spread: Spread) -> dict[str, tuple[float, float]]:
    """90 % intervals by measure's name: where a table drawn from the model falls, 9 times in 10."""
    limits = {}
    for name, deviation in spread._asdict().items():
        middle, reach = getattr(crowds, name), NINETY_PERCENT * deviation
        limits[name] = (max(middle - reach, 0.0), min(middle + reach, 1.0))
    return limits
