"""Twenty AVFMs whose random tables' ORRs are spread evenly over 0 to 1 (figure 1).

AVFM i of 20: 30,000 people, d = 2, 3, 4, 5 attributes in turn, the values' shares drawn from a flat
Dirichlet law. All attributes have the same number of values, found by bisection: the smallest at
which the expected ORR reaches (i + ½)/20; then the last one has as few as still do.

While looking, the ORR is taken from people drawn from the product law, q the share of their tuple:

    E[distinct]/n = E[(1 − (1 − q)^n)/(n·q)]

with the same quantiles drawn each time, so that it moves with the values alone.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from reidrisk.arrays import Ints

AVFMS = 20
PEOPLE = 30_000
DRAWN = 4_000


def avfm(place: int, seed: int = 0, people: int = PEOPLE) -> Ints:
    """The matrix of one of the 20."""
    attributes, goal = 2 + place % 4, (place + 0.5) / AVFMS

    def reaches(values: int, last: int) -> bool:
        return rough_risk(_counts(place, seed, people, attributes, values, last)) >= goal

    values = _smallest(lambda each: reaches(each, each), people)
    last = _smallest(lambda each: reaches(values, each), values)
    return _matrix(_counts(place, seed, people, attributes, values, last))


def rough_risk(counts: list[Ints]) -> float:
    """The expected ORR, within about 0.005."""
    people, rng = int(counts[0].sum()), np.random.default_rng(0)
    log_share = np.zeros(DRAWN)
    for each in counts:
        share = np.sort(each / people)[::-1]
        value = np.searchsorted(np.cumsum(share), rng.random(DRAWN) * (1 - 1e-9))
        log_share += np.log(share[np.minimum(value, len(share) - 1)])
    share = np.exp(log_share)
    empty = np.exp(people * np.log1p(-np.minimum(share, 1 - 1e-12)))
    return float(np.mean((1 - empty) / (people * share)))


def _smallest(reaches: Callable[[int], bool], most: int) -> int:
    low, high = 1, most
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if reaches(middle) else (middle + 1, high)
    return low


def _counts(
    place: int, seed: int, people: int, attributes: int, values: int, last: int
) -> list[Ints]:
    rng = np.random.default_rng([seed, place])
    numbers = [*[values] * (attributes - 1), last]
    drawn = (rng.multinomial(people, rng.dirichlet(np.ones(number))) for number in numbers)
    return [counts[counts > 0].astype(np.int64) for counts in drawn]


def _matrix(counts: list[Ints]) -> Ints:
    matrix = np.zeros((max(map(len, counts)), len(counts)), dtype=np.int64)
    for place, each in enumerate(counts):
        matrix[: len(each), place] = each
    return matrix
