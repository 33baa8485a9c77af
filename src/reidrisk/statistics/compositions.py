"""Compositions: all the ways to share people out among values whose counts are suppressed.

Symbols: T people sit in v values; value i holds c_i of them, l_i ≤ c_i ≤ u_i, Σ c_i = T. Every such
(c_1, …, c_v) is equally likely. The law of one count comes from counting the ways to share what is
left among the others,

    P(c_i = c) = W_{−i}(T − c)/W(T),   W = 1[l_1..u_1] * … * 1[l_v..u_v]   (convolution).

Counting is done under the weights θ^c, which change no conditional law; θ puts the mean of the sum
at T, so that nothing is lost in the tails.

Where it fails: with more than `MOST_WORK` (values × people) the counts are taken as independent of
each other, P(c_i = c) ∝ θ^c, and draws are brought to the sum by moving single people.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from reidrisk.arrays import Counts, Floats

MOST_WORK = 4_000_000
# Up to so many different counts are added one by one; more by Fourier transforms.
ADDED_ONE_BY_ONE = 64
HALVINGS = 80


@dataclass(frozen=True, eq=False)
class Compositions:
    """`people` in values that hold `least` to `most` each; there is at least one way."""

    people: int
    least: Counts
    most: Counts

    def __post_init__(self) -> None:
        if not self.least.sum() <= self.people <= self.most.sum():
            raise ValueError(f"{self.people} people don't fit these limits")

    @classmethod
    def alike(cls, people: int, values: int, least: int, most: int) -> Compositions:
        """Values with the same limits."""
        return cls(people, np.full(values, least), np.full(values, most))

    @cached_property
    def spare(self) -> int:
        """People who may sit here or there."""
        return self.people - int(self.least.sum())

    @cached_property
    def room(self) -> Counts:
        """How many more than the least each value may hold."""
        return np.asarray(np.minimum(self.most - self.least, self.spare))

    @property
    def determined(self) -> bool:
        """Whether there is one way only."""
        return self.spare == 0 or self.people == int(self.most.sum()) or len(self.least) < 2

    @cached_property
    def number(self) -> float:
        """How many ways there are."""
        ways = np.ones(1)
        for room in self.room.tolist():
            ways = np.convolve(ways, np.ones(room + 1))[: self.spare + 1]
        return float(ways[self.spare]) if len(ways) > self.spare else 0.0

    def listed(self, at_most: int) -> list[Counts] | None:
        """Every way; None when there are more than `at_most`."""
        if len(self.least) > at_most or self.spare > at_most:
            return None if not self.determined else [self.even()]
        if self.number > at_most:
            return None
        return [self.least + np.array(way) for way in _ways(self.room.tolist(), self.spare)]

    def law(self, place: int) -> tuple[Counts, Floats]:
        """The numbers a value may hold and how likely each is."""
        room = int(self.room[place])
        numbers = int(self.least[place]) + np.arange(room + 1)
        if self.determined:
            held = self.even()[place]
            return np.array([held]), np.ones(1)
        chance = _weights(room, self._log_theta)
        if not self._many:
            others = _ways_by_sum(np.delete(self.room, place), self.spare, self._log_theta)
            chance = chance * others[self.spare - np.arange(room + 1)]
        return numbers, chance / chance.sum()

    @cached_property
    def expected(self) -> Floats:
        """E[c_i], equal limits worked out once; they add up to the people."""
        limits, which = np.unique(np.stack([self.least, self.room]), axis=1, return_inverse=True)
        means = []
        for at in range(limits.shape[1]):
            numbers, chance = self.law(int(np.argmax(which.ravel() == at)))
            means.append(float(np.dot(numbers, chance)))
        found = np.array(means)[which.ravel()]
        return np.asarray(found * (self.people / found.sum()) if found.sum() else found)

    def even(self) -> Counts:
        """The most even way: the fewest who are alone with their value, the most crowds."""
        low, high = 0, int(self.most.max(initial=0))
        while low < high:
            level = (low + high + 1) // 2
            if int(np.clip(level, self.least, self.most).sum()) <= self.people:
                low = level
            else:
                high = level - 1
        counts = np.clip(low, self.least, self.most)
        above = np.flatnonzero((counts < self.most) & (counts <= low))
        counts[above[: self.people - int(counts.sum())]] += 1
        return np.asarray(counts)

    def uneven(self) -> Counts:
        """The least even way: one value after the other is filled, the roomiest first."""
        counts, left = self.least.copy(), self.spare
        for place in np.argsort(-self.room, kind="stable").tolist():
            given = min(left, int(self.room[place]))
            counts[place] += given
            left -= given
        return counts

    def typical(self) -> Counts:
        """Counts spread as the law of each spreads them: its quantiles, brought to the sum."""
        if self.determined:
            return self.even()
        _, which = np.unique(np.stack([self.least, self.room]), axis=1, return_inverse=True)
        counts = np.empty(len(self.least), dtype=np.int64)
        for kind in range(int(which.max()) + 1):
            alike = np.flatnonzero(which.ravel() == kind)
            numbers, chance = self.law(int(alike[0]))
            level = (np.arange(len(alike)) + 0.5) / len(alike)
            at = np.searchsorted(np.cumsum(chance) - 1e-12, level)
            counts[alike] = numbers[np.minimum(at, len(numbers) - 1)][::-1]
        return self._brought(counts, None)

    def draw(self, rng: np.random.Generator) -> Counts:
        """One way, all equally likely."""
        if self.determined:
            return self.even()
        if self._many:
            return self._brought(self._drawn_apart(rng), rng)
        counts, left = self.least.copy(), self.spare
        for place, others in enumerate(reversed(self._after)):
            taken = np.arange(max(left - len(others) + 1, 0), min(int(self.room[place]), left) + 1)
            chance = _weights(int(taken[-1]), self._log_theta)[taken] * others[left - taken]
            extra = int(taken[rng.choice(len(taken), p=chance / chance.sum())])
            counts[place] += extra
            left -= extra
        return counts

    @property
    def _many(self) -> bool:
        return len(self.least) * (self.spare + 1) > MOST_WORK

    @cached_property
    def _after(self) -> list[Floats]:
        """Weighted ways, by sum, of no value, the last one, the last two …, all but the first."""
        after = [np.ones(1)]
        for room in self.room[:0:-1].tolist():
            after.append(_one_more(after[-1], room, self.spare, self._log_theta))
        return after

    @cached_property
    def _log_theta(self) -> float:
        """log θ: under it the counts' means add up to the people."""
        rooms, times = np.unique(self.room, return_counts=True)
        low, high = -50.0, 50.0
        for _ in range(HALVINGS):
            middle = (low + high) / 2.0
            mean = sum(n * _mean(r, middle) for r, n in zip(rooms, times, strict=True))
            low, high = (middle, high) if mean < self.spare else (low, middle)
        return (low + high) / 2.0

    def _drawn_apart(self, rng: np.random.Generator) -> Counts:
        counts = self.least.copy()
        for room in np.unique(self.room).tolist():
            which = np.flatnonzero(self.room == room)
            chance = _weights(room, self._log_theta)
            counts[which] += rng.choice(room + 1, len(which), p=chance / chance.sum())
        return counts

    def _brought(self, counts: Counts, rng: np.random.Generator | None) -> Counts:
        """The counts with people added or taken, one from each in turn, until they add up."""
        while missing := self.people - int(counts.sum()):
            can = np.flatnonzero(counts < self.most if missing > 0 else counts > self.least)
            can = can[::-1] if rng is None else rng.permutation(can)
            step = max(abs(missing) // len(can), 1)
            if missing > 0:
                counts[can[:missing]] += np.minimum(step, (self.most - counts)[can[:missing]])
            else:
                gone = can[:-missing]
                counts[gone] -= np.minimum(step, (counts - self.least)[gone])
        return counts


def _weights(room: int, log_theta: float) -> Floats:
    """θ^c for c from 0 to `room`, the largest being 1."""
    numbers = np.arange(room + 1)
    return np.asarray(np.exp(log_theta * (numbers - (room if log_theta > 0 else 0))))


def _mean(room: int, log_theta: float) -> float:
    """Mean of a count of 0 to `room` under weights θ^c."""
    if room <= ADDED_ONE_BY_ONE:
        weights = _weights(room, log_theta)
        return float(np.dot(np.arange(room + 1), weights) / weights.sum())
    if abs(log_theta) * room < 1e-6:
        return room / 2.0
    # Of a rising one by symmetry: a geometric count cut off at `room`.
    falling = -abs(log_theta)
    tail = (room + 1) / np.expm1(min(-(room + 1) * falling, 700.0))
    mean = float(1.0 / np.expm1(-falling) - tail)
    return room - mean if log_theta > 0 else mean


def _one_more(ways: Floats, room: int, most: int, log_theta: float) -> Floats:
    """Weighted ways by sum once another value of 0 to `room` joins; the largest is 1."""
    size, kernel = min(len(ways) + room, most + 1), _weights(room, log_theta)
    if room <= ADDED_ONE_BY_ONE:
        sums = np.zeros(len(ways) + room)
        for extra, weight in enumerate(kernel.tolist()):
            sums[extra : extra + len(ways)] += weight * ways
    else:
        length = 1 << (len(ways) + len(kernel) - 1).bit_length()
        both = np.fft.rfft(ways, length) * np.fft.rfft(kernel, length)
        sums = np.maximum(np.fft.irfft(both, length), 0.0)
    return np.asarray(sums[:size] / sums[:size].max())


def _ways_by_sum(rooms: Counts, most: int, log_theta: float) -> Floats:
    ways = np.ones(1)
    for room in rooms.tolist():
        ways = _one_more(ways, room, most, log_theta)
    return np.pad(ways, (0, most + 1 - len(ways)))


def _ways(rooms: list[int], people: int) -> Iterator[tuple[int, ...]]:
    """Every way to share people out."""
    for head in product(*(range(min(room, people) + 1) for room in rooms[:-1])):
        rest = people - sum(head)
        if 0 <= rest <= rooms[-1]:
            yield (*head, rest)
