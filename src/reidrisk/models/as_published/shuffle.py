"""R3A's two algorithms as published: ORR averaged over shuffled tables.

Symbols: `samples` samples of `capacity` tables each. Algorithm 1 (random) shuffles every column of
the standard data set, which repeats each value as often as it occurs; algorithm 2 (semi-random)
then switches values so that the frequent tuples of strongly dependent pairs have their confidences
(`semi_random`). A sample mean is the mean ORR of its tables; their average is the prediction.

Left open by the paper, settled here: one column may stay as it is, the others' order being all that
matters; a tuple is packed into one 64-bit number. Tables' generators are seeded by the number of
their sample, so that the answer doesn't depend on how many cores there are.

Where it fails: nowhere that the closed forms don't, and it takes a thousand times as long; it is
here for reproduction and as a check on them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reidrisk.arrays import Codes, Floats, Rows
from reidrisk.crowds import Assumption, CrowdSizes
from reidrisk.laws import Given, TupleSpace
from reidrisk.machine import Progress, no_progress
from reidrisk.models.as_published.semi_random import FrequentTuple, SemiRandom
from reidrisk.models.contract import Combinations, PersonCrowds
from reidrisk.models.independent import Independent
from reidrisk.models.knowledge import Knowledge
from reidrisk.models.spread import Spread
from reidrisk.models.tuple_law import TupleLaws

SAMPLES, CAPACITY = 100, 50
# Tuples are counted by a dense tally up to so many times the people, by sorting beyond.
DENSE = 4


class Drawn(NamedTuple):
    """One sample: (ORR, share alone) of each table, crowds by size added up, people missed."""

    measures: Floats
    crowds: dict[int, int]
    unreached: int


@dataclass(frozen=True, eq=False)
class Shuffle:
    """ORR by shuffling; `frequent` tuples make it semi-random."""

    knowledge: Knowledge
    frequent: tuple[FrequentTuple, ...]
    drawn: tuple[Drawn, ...]
    name: str = "shuffle"

    @classmethod
    def of(
        cls,
        knowledge: Knowledge,
        frequent: Sequence[FrequentTuple] = (),
        seed: int = 0,
        samples: int = SAMPLES,
        capacity: int = CAPACITY,
        progress: Progress = no_progress,
    ) -> Shuffle:
        """Shuffle samples × capacity tables on the cores there are."""
        seeds = np.random.SeedSequence(seed).spawn(samples)
        table = Shuffler(knowledge, tuple(frequent))

        def sample(place: int) -> Drawn:
            return _sample(table, np.random.default_rng(seeds[place]), capacity)

        drawn = _on_all_cores(sample, samples, progress)
        return cls(knowledge, tuple(frequent), tuple(drawn))

    @property
    def sample_means(self) -> Floats:
        """The mean ORR of each sample."""
        return np.array([each.measures[:, 0].mean() for each in self.drawn])

    @property
    def average_sample_mean(self) -> float:
        """The prediction."""
        return float(self.sample_means.mean())

    @property
    def unreached(self) -> float:
        """People by whom frequent tuples miss their confidences, a table on average."""
        tables = sum(len(each.measures) for each in self.drawn)
        return sum(each.unreached for each in self.drawn) / max(tables, 1)

    @property
    def fit(self) -> Mapping[str, Any]:
        """What was drawn; everything there was to reach, or not."""
        return {
            "ended": "all reached" if self.unreached == 0 else "some tuples out of reach",
            "samples": len(self.drawn),
            "capacity": len(self.drawn[0].measures) if self.drawn else 0,
            "sample_means": self.sample_means.tolist(),
            "average_sample_mean": self.average_sample_mean,
            "frequent_tuples": len(self.frequent),
            "unreached_people": self.unreached,
        }

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        """What it assumes."""
        if not self.frequent:
            return (
                Assumption(
                    "shuffle", "model", "The attributes are taken as independent of each other."
                ),
            )
        return (
            Assumption(
                "shuffle",
                "model",
                f"The confidences of {len(self.frequent):,} frequent tuples are kept; all else is "
                "taken as independent.",
            ),
        )

    @property
    def entropy(self) -> float:
        """EE, the entropy of independent attributes: shuffles have no law of their own."""
        return self._reference.entropy

    def crowd_sizes(self) -> CrowdSizes:
        """The mean number of crowds of each size."""
        total: dict[int, int] = {}
        for each in self.drawn:
            for size, crowds in each.crowds.items():
                total[size] = total.get(size, 0) + crowds
        tables = sum(len(each.measures) for each in self.drawn)
        sizes = np.array(sorted(total), dtype=np.int64)
        return CrowdSizes(sizes, np.array([total[s] for s in sizes.tolist()]) / tables, "expected")

    def log_probability(self, codes: Codes) -> Floats:
        """The independent law's: what is shuffled has no other."""
        return self._reference.log_probability(codes)

    def laws(self, codes: Codes) -> TupleLaws:
        """The independent law's."""
        return self._reference.laws(codes)

    def crowds(self, combinations: Combinations, ks: Sequence[int], given: Given) -> PersonCrowds:
        """The independent law's."""
        return self._reference.crowds(combinations, ks, given)

    def space(self) -> TupleSpace:
        """The independent law's."""
        return self._reference.space()

    def spread(self) -> Spread:
        """Standard deviations over the tables drawn."""
        measures = np.concatenate([each.measures for each in self.drawn])
        return Spread(*measures.std(axis=0, ddof=min(1, len(measures) - 1)).tolist())

    def sample(self, rows: int, rng: np.random.Generator) -> Rows:
        """n rows are one more shuffled table; others are drawn independently."""
        if rows != self.knowledge.n:
            return self._reference.sample(rows, rng)
        return Shuffler(self.knowledge, self.frequent).table(rng)[0]

    @cached_property
    def _reference(self) -> Independent:
        return Independent.of(self.knowledge)


class Shuffler:
    """Makes shuffled tables of some counts and counts their crowds."""

    def __init__(self, knowledge: Knowledge, frequent: Sequence[FrequentTuple]) -> None:
        self.n = knowledge.n
        self.values = [len(counts) for counts in knowledge.counts]
        self.standard = [
            np.repeat(np.arange(len(counts), dtype=np.int64), counts) for counts in knowledge.counts
        ]
        self.setting = SemiRandom(knowledge, frequent) if frequent else None

    def table(self, rng: np.random.Generator) -> tuple[Rows, int]:
        """One table, and by how many people its frequent tuples miss."""
        columns, missed = self._columns(rng)
        table = np.empty((self.n, len(columns)), dtype=np.int32)
        for place, column in enumerate(columns):
            table[:, place] = column
        return table, missed

    def crowds(self, rng: np.random.Generator) -> tuple[NDArray[np.int64], int]:
        """The crowd sizes of one table, and what it misses."""
        columns, missed = self._columns(rng)
        return self._counted(columns), missed

    def _columns(self, rng: np.random.Generator) -> tuple[list[NDArray[np.int64]], int]:
        columns = [rng.permutation(each) if place else each
                   for place, each in enumerate(self.standard)]  # fmt: skip
        return (columns, 0) if self.setting is None else self.setting.set(columns, rng)

    def _counted(self, columns: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
        key, space = np.zeros(self.n, dtype=np.int64), 1
        for column, values in zip(columns, self.values, strict=True):
            if space > (1 << 62) // max(values, 1):
                used, key = np.unique(key, return_inverse=True)
                space = len(used)
            key *= values
            key += column
            space *= values
        if space <= DENSE * self.n:
            tally = np.bincount(key)
            return tally[tally > 0].astype(np.int64)
        key.sort()
        ends = np.flatnonzero(np.append(key[1:] != key[:-1], True))
        return np.diff(ends, prepend=-1)


def _sample(table: Shuffler, rng: np.random.Generator, capacity: int) -> Drawn:
    measures, unreached = np.empty((capacity, 2)), 0
    total: dict[int, int] = {}
    for place in range(capacity):
        crowds, missed = table.crowds(rng)
        found = CrowdSizes.of(crowds)
        measures[place] = found.overall_risk, found.alone_share
        for size, number in zip(found.sizes.tolist(), found.crowds.tolist(), strict=True):
            total[size] = total.get(size, 0) + int(number)
        unreached += missed
    return Drawn(measures, total, unreached)


def _on_all_cores(work: Callable[[int], Drawn], tasks: int, progress: Progress) -> list[Drawn]:
    """Threads: numpy lets go of the interpreter while it sorts, if not while it shuffles."""
    from concurrent.futures import ThreadPoolExecutor

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    with ThreadPoolExecutor(cores or 1) as pool:
        samples = []
        for each in pool.map(work, range(tasks)):
            samples.append(each)
            progress("shuffling", len(samples), tasks)
    return samples
