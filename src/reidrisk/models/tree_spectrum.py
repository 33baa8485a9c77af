"""The spectrum of a tree law, by message passing: how mass lies over λ and ε.

Symbols: P(w | v) = x_vw/n_v the share of child value w among the people of parent value v. A node
sends to its parent, for each parent value v, how the probability of its subtree's values lies over
the bins of −log P(subtree | v). A leaf's message has mass P(w | v) at −log P(w | v); any other node
shifts, for each of its values w, the product of its own children's messages by −log P(w | v), and
weighs it by P(w | v); messages of siblings convolve. Mass is shared out to two bins so that
numbers of tuples and probability both stay exact, as in `spectrum`.

Beside the mass goes what narrowing leaves of it, mass·(1 − ε), and 1 − ε multiplies along the way:
(1 − 1/x_vw)/(1 − 1/n_v) for a counted cell (`narrowing`), (1 − 1/n_w)/(1 − 1/n) for one that was
worked out, 1 − v for sharing out, which widens log q by v (`spectrum`).

The roots' values are kept out: with m people of root value v and a tuple of share q below it,
λ = m·q and 1 − ε = (1 − 1/m)(1 − ε_below).

Where it fails: tuples of one root value in one bin share the mean of their ε, which costs up to
0.0003 in ORR at 3,000 people and less at more. What is rarer than 1e-10 people is put where nobody
else is to be expected.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reidrisk.arrays import Floats, Places
from reidrisk.models.forest import Forest
from reidrisk.models.knowledge import WHOLE, Knowledge
from reidrisk.models.spectrum import BELOW_ONE_PERSON
from reidrisk.models.tuple_law import TupleLaws

STEP = 0.02
# Bins times values of one attribute kept at once: 160 MB.
MOST_BINS = 20_000_000
# Mass that a Fourier transform leaves where there is none.
NOISE = 1e-16
# Root values worked on at once.
ROOTS_AT_ONCE = 2000


@dataclass(frozen=True)
class Message:
    """For each value (row): mass and mass·(1 − ε) of what lies below, on bins of −log share."""

    mass: Floats
    left: Floats


def tree_spectrum(knowledge: Knowledge, forest: Forest) -> tuple[TupleLaws, Floats]:
    """λ, ε and mass of the tuples of a tree law, gathered by root value and bin."""
    first, *others = forest.roots
    grid = _Grid.of(knowledge)
    beside = [grid.below_all(knowledge, forest, root) for root in others]
    laws, masses = [], []
    values = np.flatnonzero(knowledge.counts[first])
    for begin in range(0, len(values), ROOTS_AT_ONCE):
        rows = values[begin : begin + ROOTS_AT_ONCE]
        message = grid.below(knowledge, forest, first, rows)
        for each in beside:
            message = grid.together(message, each)
        found, mass = _kept(knowledge, knowledge.counts[first][rows], message, grid)
        laws.append(found)
        masses.append(mass)
    expected = np.concatenate([each.expected for each in laws])
    narrowing = np.concatenate([each.narrowing for each in laws])
    return TupleLaws(expected, narrowing), np.concatenate(masses)


def _kept(
    knowledge: Knowledge, m: NDArray[np.int64], message: Message, grid: _Grid
) -> tuple[TupleLaws, Floats]:
    row, place = np.nonzero(message.mass > 1e-15)
    mass = message.mass[row, place]
    left = np.clip(message.left[row, place] / mass, 0.0, 1.0)
    expected = m[row] * np.exp(-grid.step * place)
    epsilon = 1.0 - (1.0 - 1.0 / m[row]) * left
    mass = mass * m[row] / knowledge.n
    return TupleLaws(expected, epsilon), mass


class _Listed(NamedTuple):
    """A message's bins that hold something, value by value: those of value w begin at `first[w]`.
    What the transform leaves where there is nothing isn't listed.
    """

    first: Places
    bins: Places
    mass: Floats
    left: Floats

    @classmethod
    def of(cls, message: Message) -> _Listed:
        """All values' bins."""
        value, bins = np.nonzero(message.mass > NOISE)
        first = np.searchsorted(value, np.arange(len(message.mass) + 1))
        return cls(first, bins, message.mass[value, bins], message.left[value, bins])

    def entries(self, held: Places) -> tuple[Places, Places]:
        """Of some values, the place in `held` and in the list of all their bins."""
        times = self.first[held + 1] - self.first[held]
        value = np.repeat(np.arange(len(held)), times)
        before = np.cumsum(times) - times
        return value, (self.first[held] - before)[value] + np.arange(len(value))


@dataclass(frozen=True)
class _Grid:
    """Bins of −log share, 0 … last; whatever lies beyond is put on the last."""

    step: float
    last: int

    @classmethod
    def of(cls, knowledge: Knowledge) -> _Grid:
        reach = np.log(max(knowledge.n, 1)) + BELOW_ONE_PERSON
        most = max((len(counts) for counts in knowledge.counts), default=1)
        step = max(STEP, min(most, ROOTS_AT_ONCE) * reach / MOST_BINS)
        return cls(step, int(np.ceil(reach / step)) + 1)

    def below(
        self, knowledge: Knowledge, forest: Forest, place: int, rows: NDArray[np.intp]
    ) -> Message:
        """What lies below some of an attribute's values: its children's messages, convolved."""
        sent = (
            self.sent(knowledge, forest, child, place, rows) for child in forest.children(place)
        )
        message = next(sent, None)
        if message is None:
            return self._nothing(len(rows))
        for each in sent:
            message = self.together(message, each)
        return message

    def below_all(self, knowledge: Knowledge, forest: Forest, root: int) -> Message:
        """A whole tree that stands beside the first: one row, its root's values shared out."""
        counts = knowledge.counts[root]
        rows = np.flatnonzero(counts)
        share = counts[rows] / knowledge.n
        left = _left(counts[rows], np.array(knowledge.n))
        below = self.below(knowledge, forest, root, rows)
        return self._shifted(share[None, :], left[None, :], below)

    def sent(
        self, knowledge: Knowledge, forest: Forest, child: int, parent: int, rows: NDArray[np.intp]
    ) -> Message:
        """The message of a child to some values of its parent."""
        cells = knowledge.pair(parent, child)
        assert cells is not None
        values = np.flatnonzero(knowledge.counts[child])
        x = cells[np.ix_(rows, values)]
        total = np.maximum(x.sum(axis=1, keepdims=True), 1e-300)
        counted = np.abs(x - np.rint(x)) < WHOLE
        unknown = _left(knowledge.counts[child][values], np.array(knowledge.n))
        left = np.where(counted, _left(x, total), unknown)
        return self._shifted(x / total, left, self.below(knowledge, forest, child, values))

    def _shifted(self, share: Floats, left: Floats, below: Message) -> Message:
        """Each row: Σ_w share·(what lies below w, shifted by −log share)."""
        mass, narrowed = np.zeros((2, len(share), self.last + 1))
        listed = _Listed.of(below)
        for row, held in self._held(share):
            p = share[row, held]
            lower = np.minimum(np.floor(-np.log(p) / self.step + 1e-9), self.last - 1)
            high, low = np.exp(-self.step * lower), np.exp(-self.step * (lower + 1))
            moved = np.clip((high - p) / (high - low), 0.0, 1.0) * low / p
            kept = left[row, held] * (1.0 - moved * (1.0 - moved) * self.step**2)
            value, entry = listed.entries(held)
            bins = np.minimum(lower.astype(np.intp)[value] + listed.bins[entry], self.last)
            sent, next_ = p[value], moved[value]
            mass[row] = self._on_two_bins(bins, sent * listed.mass[entry], next_)
            sent = (p * kept)[value]
            narrowed[row] = self._on_two_bins(bins, sent * listed.left[entry], next_)
        return Message(mass, narrowed)

    def _on_two_bins(self, bins: Places, amount: Floats, moved: Floats) -> Floats:
        """Amounts on their bins, but for the share `moved` to the next; the last is the end."""
        moving = amount * moved
        found = np.bincount(bins, amount - moving, self.last + 1)
        next_ = np.bincount(bins, moving, self.last + 1)
        found[1:] += next_[:-1]
        found[-1] += next_[-1]
        return np.asarray(found, dtype=np.float64)

    def _held(self, share: Floats) -> Iterator[tuple[int, NDArray[np.intp]]]:
        for row in range(len(share)):
            held = np.flatnonzero(share[row] > 0.0)
            if len(held):
                yield row, held

    def together(self, one: Message, other: Message) -> Message:
        """Siblings: bins add, masses multiply, and so does what is left; by row, or one for all."""
        top = self.last + 1
        length = 1 << (2 * top - 1).bit_length()
        parts = []
        for a, b in ((one.mass, other.mass), (one.left, other.left)):
            both = np.fft.irfft(np.fft.rfft(a, length) * np.fft.rfft(b, length), length)
            both = np.maximum(both, 0.0)
            both[:, self.last] += both[:, top:].sum(axis=1)
            both = both[:, :top]
            whole = a.sum(axis=1) * b.sum(axis=1)
            parts.append(both * (whole / np.maximum(both.sum(axis=1), 1e-300))[:, None])
        return Message(*parts)

    def _nothing(self, rows: int) -> Message:
        mass = np.zeros((rows, self.last + 1))
        mass[:, 0] = 1.0
        return Message(mass, mass.copy())


def _left(counts: Floats | NDArray[np.int64], among: Floats | NDArray[np.int64]) -> Floats:
    """(1 − 1/x)/(1 − 1/n): what is left of a member's others once x of the n are counted."""
    everybody = np.maximum(1.0 - 1.0 / np.maximum(among, 1.0), 1e-12)
    return np.clip((1.0 - 1.0 / np.maximum(counts, 1.0)) / everybody, 0.0, 1.0)
