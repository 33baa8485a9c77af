"""R3A's figure 1: the independent law against 5,000 shuffles, on 20 AVFMs; and how long each takes.

AVFM i of 20: 10,000 people, d = 2, 3, 4, 5 in turn, values' shares drawn from a flat Dirichlet law
by a generator seeded with (0, i). All attributes have the same number of values, the smallest at
which the expected ORR reaches (i + ½)/20; then the last one has as few as still do, each number
found by bisection: ORRs are spread evenly over 0 to 1.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reidrisk.models.independent import expected_crowd_sizes
from reidrisk.models.knowledge import Knowledge
from reidrisk.models.shuffle import CAPACITY, Shuffle

PEOPLE, AVFMS = 10_000, 20
SPEED_PEOPLE, SPEED_VALUES = 300_000, (500, 86, 58, 5, 2)


class Against(NamedTuple):
    """One AVFM: predicted ORR, the average sample mean, its error by chance."""

    attributes: int
    values: int
    predicted: float
    shuffled: float
    chance: float


def avfm(place: int) -> tuple[NDArray[np.int64], ...]:
    """The counts of one of the 20."""
    attributes, goal = 2 + place % 4, (place + 0.5) / AVFMS

    def reaches(values: int, last: int) -> bool:
        counts = _counts(place, attributes, values, last)
        return expected_crowd_sizes(counts, PEOPLE).overall_risk >= goal

    values = _smallest(lambda each: reaches(each, each), PEOPLE)
    last = _smallest(lambda each: reaches(values, each), values)
    return _counts(place, attributes, values, last)


def _smallest(reaches: Callable[[int], bool], most: int) -> int:
    low, high = 1, most
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if reaches(middle) else (middle + 1, high)
    return low


def _counts(place: int, attributes: int, values: int, last: int) -> tuple[NDArray[np.int64], ...]:
    rng = np.random.default_rng([0, place])
    numbers = [*[values] * (attributes - 1), last]
    drawn = (rng.multinomial(PEOPLE, rng.dirichlet(np.ones(number))) for number in numbers)
    return tuple(counts[counts > 0].astype(np.int64) for counts in drawn)


def against_shuffles(shuffles: int) -> Iterator[Against]:
    """Each AVFM in turn."""
    for place in range(AVFMS):
        counts = avfm(place)
        names = tuple(f"a{each}" for each in range(len(counts)))
        known = Knowledge(PEOPLE, names, counts)
        found = Shuffle.of(known, seed=place, samples=max(shuffles // CAPACITY, 2))
        predicted = expected_crowd_sizes(counts, PEOPLE).overall_risk
        tables = len(found.drawn) * CAPACITY
        chance = found.spread().overall_risk / float(np.sqrt(tables))
        average = found.average_sample_mean
        yield Against(len(counts), max(map(len, counts)), predicted, average, chance)


class Raced(NamedTuple):
    """Seconds by the spectrum and by shuffles, and both answers."""

    seconds: float
    shuffling: float
    tables: int
    predicted: float
    shuffled: float


def raced(shuffles: int) -> Raced:
    """300,000 people, five attributes: the closed form's best of five, then the shuffles once."""
    rng = np.random.default_rng(0)
    counts = [rng.multinomial(SPEED_PEOPLE, rng.dirichlet(np.ones(v))) for v in SPEED_VALUES]
    took, risk = [], 0.0
    for _ in range(5):
        begin = time.perf_counter()
        risk = expected_crowd_sizes(counts, SPEED_PEOPLE).overall_risk
        took.append(time.perf_counter() - begin)
    known = Knowledge(SPEED_PEOPLE, tuple("abcde"), tuple(counts))
    begin = time.perf_counter()
    found = Shuffle.of(known, samples=max(shuffles // CAPACITY, 2))
    shuffling = time.perf_counter() - begin
    return Raced(min(took), shuffling, len(found.drawn) * CAPACITY, risk, found.average_sample_mean)
