"""CrowdSizes: how many crowds there are of each size.

Symbols: N_s is the number of crowds of size s; n = Σ s·N_s people sit in them.
A person in a crowd of s is picked out with probability 1/s.

The same object serves three origins (`kind`):

- ``counted``: N_s are whole numbers, read off records;
- ``matched``: an empty cell matches anything, so people have matching records but no common
  crowds; N_s = (people who match s records)/s, which need not be whole;
- ``expected``: N_s are expectations under a model.

Likewise for one attribute: how many people hold each value, their entropy, and how whole people
are shared out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pyarrow as pa

Kind = Literal["counted", "matched", "expected"]

# P(some crowd ≤ s) = 1 − exp(−Σ_{t≤s} E[N_t]) reaches one half where the sum reaches ln 2.
EVEN_CHANCE = math.log(2.0)
LISTED_ONE_BY_ONE = 100


class Alone(NamedTuple):
    """The people whose tuple nobody shares."""

    people: float
    share: float


@dataclass(frozen=True, eq=False)
class CrowdSizes:
    """The histogram {size: number of crowds}, sizes ascending, no empty entries."""

    sizes: NDArray[np.int64]
    crowds: NDArray[np.int64] | NDArray[np.float64]
    kind: Kind = "counted"

    def __post_init__(self) -> None:
        if len(self.sizes) != len(self.crowds):
            raise ValueError("each size needs its number of crowds")
        if len(self.sizes) and (self.sizes[0] < 1 or np.any(np.diff(self.sizes) <= 0)):
            raise ValueError("sizes start at 1 and rise")
        if np.any(self.crowds <= 0):
            raise ValueError("the number of crowds of a listed size is positive")

    @classmethod
    def of(cls, each_crowd: Iterable[int] | NDArray[np.integer]) -> CrowdSizes:
        """Count the histogram from the size of each crowd; a crowd of nobody is no crowd."""
        sizes, crowds = histogram(np.asarray(each_crowd, dtype=np.int64))
        return cls(sizes, crowds)

    @classmethod
    def of_people(cls, each_person: NDArray[np.int64]) -> CrowdSizes:
        """Count the histogram from the crowd size of each person: s people make one crowd of s."""
        sizes, people = histogram(each_person)
        return cls(sizes, people // sizes)

    @classmethod
    def merged(cls, parts: Iterable[tuple[NDArray[np.int64], NDArray[np.int64]]]) -> CrowdSizes:
        """Add up histograms of separate sets of crowds."""
        listed = list(parts)
        sizes = np.concatenate([part[0] for part in listed])
        crowds = np.concatenate([part[1] for part in listed])
        distinct, place = np.unique(sizes, return_inverse=True)
        total = np.zeros(len(distinct), dtype=np.int64)
        np.add.at(total, place, crowds)
        return cls(distinct, total)

    @classmethod
    def mixed(cls, parts: Iterable[tuple[float, CrowdSizes]]) -> CrowdSizes:
        """Σ weight·N_s, weights adding up to 1: the histogram of a part drawn by its weight."""
        listed = [(weight, crowds) for weight, crowds in parts if weight > 0]
        sizes = np.concatenate([crowds.sizes for _, crowds in listed])
        weighted = np.concatenate([weight * crowds.crowds for weight, crowds in listed])
        distinct, place = np.unique(sizes, return_inverse=True)
        total = np.bincount(place.ravel(), weights=weighted, minlength=len(distinct))
        # A weight may be too small for its crowds to count.
        return cls(distinct[total > 0], total[total > 0], "expected")

    @classmethod
    def matching(
        cls, each_person: NDArray[np.int64], people: NDArray[np.int64] | None = None
    ) -> CrowdSizes:
        """Histogram of how many records each person matches (``matched``).

        `people` says how many people each entry stands for (one by default).
        """
        if people is None:
            people = np.ones(len(each_person), dtype=np.int64)
        sizes, place = np.unique(each_person, return_inverse=True)
        held = np.zeros(len(sizes), dtype=np.int64)
        np.add.at(held, place, people)
        return cls(sizes[held > 0], held[held > 0] / sizes[held > 0], "matched")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CrowdSizes):
            return NotImplemented
        return (
            self.kind == other.kind
            and np.array_equal(self.sizes, other.sizes)
            and np.array_equal(self.crowds, other.crowds)
        )

    @property
    def people(self) -> float:
        """n = Σ s·N_s."""
        return _plain(np.dot(self.sizes, self.crowds), whole=self.kind != "expected")

    @property
    def distinct(self) -> float:
        """Number of crowds, Σ N_s; under ``matched`` the sum of 1/(matching records)."""
        return _plain(self.crowds.sum(), whole=self.kind == "counted")

    @property
    def expected_reidentifications(self) -> float:
        """People picked out if everyone is guessed at once: Σ_people 1/crowd = Σ N_s."""
        return self.distinct

    @property
    def overall_risk(self) -> float:
        """ORR = (1/n) Σ_people 1/crowd = distinct / people (R3A eq. 6)."""
        return self.distinct / self.people if len(self.sizes) else 0.0

    @property
    def alone(self) -> Alone:
        """People in crowds of one, N_1, and their share N_1/n."""
        if not len(self.sizes) or self.sizes[0] != 1:
            return Alone(0, 0.0)
        people = _plain(self.crowds[0], whole=self.kind != "expected")
        return Alone(people, people / self.people)

    @property
    def alone_share(self) -> float:
        """N_1/n."""
        return self.alone.share

    @property
    def smallest_crowd(self) -> int:
        """The k of k-anonymity; expected: smallest s with P(some crowd ≤ s) ≥ 1/2."""
        return int(self._first(self.sizes, self.crowds))

    @property
    def largest_crowd(self) -> int:
        """The largest crowd; expected: largest s with P(some crowd ≥ s) ≥ 1/2."""
        return int(self._first(self.sizes[::-1], self.crowds[::-1]))

    def _first(self, sizes: NDArray[np.int64], crowds: NDArray[np.float64 | np.int64]) -> int:
        if not len(sizes):
            raise ValueError("there are no crowds")
        if self.kind != "expected":
            return int(sizes[0])
        reached = np.flatnonzero(np.cumsum(crowds) >= EVEN_CHANCE)
        return int(sizes[reached[0]] if len(reached) else sizes[-1])

    @property
    def highest_risk(self) -> float:
        """1/smallest crowd: the risk of the person who stands out most."""
        return 1.0 / self.smallest_crowd

    @property
    def lowest_risk(self) -> float:
        """1/largest crowd: the risk of the person best hidden."""
        return 1.0 / self.largest_crowd

    def share_above(self, risk: float) -> float:
        """Share of people whose 1/crowd exceeds `risk`."""
        return self._share(1.0 / self.sizes > risk)

    def share_in_crowds_of_at_least(self, k: int) -> float:
        """Σ_{s≥k} s·N_s / n."""
        return self._share(self.sizes >= k)

    def _share(self, chosen: NDArray[np.bool_]) -> float:
        held = float(np.dot(self.sizes[chosen], self.crowds[chosen]))
        return held / self.people if held else 0.0

    @property
    def table_entropy(self) -> float:
        """TDE = Σ_s N_s (s/n) log2(n/s), in bits (R3A)."""
        if not len(self.sizes):
            return 0.0
        share = self.sizes / self.people
        return float(-np.dot(self.crowds * share, np.log2(share))) + 0.0

    def binned(self) -> dict[str, float]:
        """{"1": crowds, … "100", "101-200", "201-400", …}: only what occurs, for JSON."""
        bins: dict[str, float] = {}
        for size, crowds in zip(self.sizes.tolist(), self.crowds.tolist(), strict=True):
            label = bin_label(size)
            bins[label] = bins.get(label, 0) + crowds
        return bins


class Marginal(NamedTuple):
    """One attribute: how many people hold each value that occurs, and how many hold none."""

    labels: pa.Array
    counts: NDArray[np.int64]
    missing: int

    @property
    def values(self) -> tuple[str, ...]:
        """The values as texts."""
        return tuple(self.labels.to_pylist())

    def all_counts(self) -> NDArray[np.int64]:
        """Counts with the missing value as one more value, where it occurs."""
        return np.append(self.counts, self.missing) if self.missing else self.counts


def bin_label(size: int) -> str:
    """The bin a crowd size is listed under: itself up to 100, then doubling ranges."""
    if size <= LISTED_ONE_BY_ONE:
        return str(size)
    high = 2 * LISTED_ONE_BY_ONE
    while size > high:
        high *= 2
    return f"{high // 2 + 1}-{high}"


def histogram(each: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Values that occur (zero left out) and how often, ascending."""
    each = each[each > 0]
    if not len(each):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    # A dense tally beats sorting unless one crowd dwarfs the number of crowds.
    if each.max() > 4 * len(each) + 1024:
        sizes, crowds = np.unique(each, return_counts=True)
        return sizes, crowds.astype(np.int64)
    tally = np.bincount(each)
    sizes = np.flatnonzero(tally)
    return sizes.astype(np.int64), tally[sizes].astype(np.int64)


def entropy(cells: NDArray[np.float64] | NDArray[np.int64]) -> float:
    """H = −Σ (x/n) log2(x/n) over cells that hold somebody, in bits (R3A eqs. 7 and 12)."""
    held = cells[cells > 0]
    share = held / max(float(held.sum()), 1e-300)
    return float(-np.dot(share, np.log2(share))) + 0.0


def apportioned(weights: Sequence[int] | Sequence[Fraction], total: int) -> list[int]:
    """Whole numbers in proportion to weights that add up to a total, by largest remainders, the
    first of equal ones; nobody where all weights are 0.

    In exact arithmetic: weight times total may pass 2^53.
    """
    sum_ = sum(weights)
    if not sum_:
        return [0] * len(weights)
    shares = [weight * total for weight in weights]
    whole = [int(share // sum_) for share in shares]
    rest = [share % sum_ for share in shares]
    by_remainder = sorted(range(len(rest)), key=lambda place: (-rest[place], place))
    for place in by_remainder[: total - sum(whole)]:
        whole[place] += 1
    return whole


def _plain(number: np.number[Any], whole: bool) -> float:
    """A Python number; a sum that is whole by nature loses its rounding error."""
    if number.dtype.kind != "f":
        return int(number)
    return round(float(number)) if whole else float(number)
