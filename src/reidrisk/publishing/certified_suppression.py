"""Swap-certified suppression: which cells are listed, so that each small one left out is proven.

Every cell of 1 to m − 1 people gets a certificate (`swap_certificates`): w swaps of different
people, none changing a listed cell. Where no swap is free, the cheapest one found is paid for by
hiding the listed cells that it changes (`swap_prices`).

1. Small cells are left out, and some more (`primary_suppression`).
2. Free swaps: tables in random order, K = 48 near twins (`near_twins`) each way for each small
   cell; of attribute A alone or of B alone.
3. Paid ones: K = 400, fifty cells at a time. The price of exchanging A or B alone sorts them out;
   of the cheapest 64 each also with one attribute more. The cheapest is taken.
4. Each swap taken is credited to every small cell that it changes.

Alternatives stay small: a swap that counts for a cell leaves it at 1 to m − 1 people, where m
allows w + 1 such numbers, so that the other table has as much to hide there as the true one. In the
last pass cells that couldn't be certified so may become 0, or m and more.

Attributes of one family (postcode and county, age and its band) are exchanged together, except for
cells of a table of two of them.

Where it fails: cells for which nobody in the table makes a believable other one (nearly all people
have the one value) stay `unproven`; their pair tables are to be left out whole. Leaving them out
breaks no proof.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reidrisk.arrays import Counts, Floats, Ints, Mask
from reidrisk.machine import Progress, no_progress
from reidrisk.publishing.near_twins import NearTwins
from reidrisk.publishing.pair_cells import Pair, PairCells
from reidrisk.publishing.primary_suppression import listed_at_first
from reidrisk.publishing.swap_certificates import Certificates, Swaps, changes
from reidrisk.publishing.swap_prices import NOT_POSSIBLE, SwapPrices

FEW, MANY = 48, 400
CELLS_AT_ONCE, PAID_AT_ONCE = 4096, 50
CHEAPEST = 64
# A share of an attribute's information from which another one nearly determines it.
NEARLY_DETERMINED = 0.8


@dataclass(frozen=True, eq=False)
class CertifiedSuppression:
    """What may be listed, the proofs, and the small cells for which none was found."""

    certificates: Certificates
    unproven: Ints

    def listed(self, pair: Pair) -> Mask:
        """Which cells of a pair table are listed; none of one with unproven cells."""
        held = self.certificates
        at = held.cells.pairs.index(pair)
        table = held.cells.table(at, held.listed)
        return np.zeros_like(table) if pair in self.pairs_to_leave_out else table

    @property
    def pairs_to_leave_out(self) -> tuple[Pair, ...]:
        """The pair tables that mustn't be published: some of their small cells have no proof."""
        cells = self.certificates.cells
        return tuple(cells.pairs[at] for at in np.unique(cells.tables_of(self.unproven)))


def certified_suppression(
    codes: Ints,
    people: Counts | None,
    sizes: Sequence[int],
    pairs: Sequence[Pair],
    *,
    at_least: int,
    width: int = 1,
    never: Sequence[Mask] | None = None,
    families: Sequence[Sequence[int]] = (),
    rng: np.random.Generator,
    seconds: float | None = None,
    progress: Progress = no_progress,
) -> CertifiedSuppression:
    """Certify the small cells of these pair tables; a row of `codes` is so many `people`.

    `never`: of each attribute, which of its `sizes` values no pair table lists. After so many
    `seconds` the cells not certified yet are unproven.
    """
    codes = np.ascontiguousarray(codes, dtype=np.int64)
    held = np.ones(len(codes), dtype=np.int64) if people is None else people.astype(np.int64)
    cells = PairCells.counted(codes, held, sizes, pairs)
    listed = listed_at_first(cells, at_least, never, rng)
    search = _Search(codes, held, cells, listed, at_least, width, families, rng)
    search.run(None if seconds is None else time.monotonic() + seconds, progress)
    return search.result()


class _Search:
    """The state of one search; hides cells and takes swaps until every small cell is certified."""

    def __init__(
        self,
        codes: Ints,
        people: Counts,
        cells: PairCells,
        listed: Mask,
        at_least: int,
        width: int,
        families: Sequence[Sequence[int]],
        rng: np.random.Generator,
    ) -> None:
        self._codes, self._people, self._cells = codes, people, cells
        self._listed, self._m, self._width, self._rng = listed, at_least, width, rng
        self._prices = SwapPrices(codes, people, cells, listed, at_least, rng)
        self._unit = _units(codes.shape[1], families)
        self._tie = _determined(cells, codes, people)
        self._small = np.flatnonzero((cells.people > 0) & (cells.people < at_least))
        self._swaps = Swaps.none(codes.shape[1])
        self._proof = np.full((len(self._small), width), -1, dtype=np.int64)
        # Swaps so far that take somebody away from a small cell, and that add somebody.
        self._downs = np.zeros(len(self._small), dtype=np.int64)
        self._ups = np.zeros(len(self._small), dtype=np.int64)
        self._stays_small = at_least - 1 > width

    def run(self, end: float | None, progress: Progress) -> None:
        """Free swaps, then paid ones, then those that needn't leave a small count small."""
        passes = [(FEW, True), (MANY, True), (MANY, False)]
        for number, (k, stays_small) in enumerate(passes):
            self._stays_small &= stays_small
            for done, at in enumerate(self._rng.permutation(len(self._cells.pairs)).tolist()):
                progress(
                    "certificates",
                    number * len(self._cells.pairs) + done,
                    3 * len(self._cells.pairs),
                )
                if end is not None and time.monotonic() > end:
                    return
                self._table(at, k, end)

    def _table(self, at: int, k: int, end: float | None) -> None:
        if not len(self._open(at)):
            return
        near = NearTwins(self._codes, self._cells, at, self._order(at), self._listed)
        for _ in range(self._width):
            self._free(at, near)
            if k == MANY:
                self._paid(at, near, k, end)

    def result(self) -> CertifiedSuppression:
        """What was proven, checked once more; what doesn't hold is unproven."""
        done = self._downs + self._ups == self._width
        found = Certificates(
            self._cells, self._listed, self._swaps, self._small[done], self._proof[done]
        )
        holds = found.holding(self._codes, self._people)
        proven = Certificates(
            self._cells, self._listed, self._swaps, found.certified[holds], found.proofs[holds]
        )
        unproven = np.setdiff1d(self._small, proven.certified, assume_unique=True)
        return CertifiedSuppression(proven, unproven)

    def _open(self, at: int) -> Ints:
        """The small cells of a table that lack swaps, by their numbers, in random order."""
        low, high = np.searchsorted(self._small, self._cells.starts[at : at + 2])
        have = self._downs[low:high] + self._ups[low:high]
        return self._rng.permutation(low + np.flatnonzero(have < self._width))

    def _still_open(self, cells: Ints) -> Ints:
        return cells[self._downs[cells] + self._ups[cells] < self._width]

    def _order(self, at: int) -> list[int]:
        """The other attributes: few values first, nearly determined ones last."""
        pair = self._cells.pairs[at]
        others = [each for each in range(len(self._cells.sizes)) if each not in pair]
        size = np.array(self._cells.sizes) * self._rng.uniform(0.7, 1.4, len(self._cells.sizes))
        tied = self._tie[list(pair)].max(axis=0) > NEARLY_DETERMINED
        return sorted(others, key=lambda each: (bool(tied[each]), float(size[each])))

    def _units_for(self, at: int) -> Ints:
        """Which unit each attribute moves with; a table's own two are never in one."""
        i, j = self._cells.pairs[at]
        unit = self._unit.copy()
        if unit[i] == unit[j]:
            apart = np.flatnonzero(unit == unit[i])
            unit[apart] = len(unit) + np.arange(len(apart))
        return np.unique(unit, return_inverse=True)[1]

    def _candidates(self, near: NearTwins, cells: Ints, k: int) -> tuple[Ints, Ints, Mask]:
        """People whose swap would change each cell, a row a cell; which of them may."""
        _, a, b = self._cells.values(self._small[cells])
        down, up = near.down(a, b, k, self._rng), near.up(a, b, k, self._rng)
        first, second = (np.concatenate(each, axis=1) for each in zip(down, up, strict=True))
        may = (near.a[first] != near.a[second]) & (near.b[first] != near.b[second])
        adds = np.arange(first.shape[1])[None, :] >= down[0].shape[1]
        may &= self._may_count(cells[:, None], adds, first, second)
        return first, second, may

    def _may_count(self, cells: Ints, adds: Mask, first: Ints, second: Ints) -> Mask:
        """Whether swaps may be credited to cells: people not used yet, a small count if asked."""
        x, downs, ups = self._cells.people[self._small[cells]], self._downs[cells], self._ups[cells]
        may = np.where(adds, True, x > downs)
        if self._stays_small:
            may &= np.where(adds, x + ups + 1 < self._m, x - downs > 1)
        if self._width == 1:
            return may
        for held in np.moveaxis(self._proof[cells], -1, 0):
            for used in (self._swaps.first, self._swaps.second):
                taken = np.append(used, -1)[held]
                taken = np.where(held < 0, -1, taken)
                for each in (first, second):
                    may &= (each != taken) | (self._people[each] >= self._width)
        return np.asarray(may)

    def _free(self, at: int, near: NearTwins) -> None:
        """Take swaps that change no listed cell."""
        waiting, unit = self._open(at), self._units_for(at)
        for begin in range(0, len(waiting), CELLS_AT_ONCE):
            cells = self._still_open(waiting[begin : begin + CELLS_AT_ONCE])
            first, second, may = self._candidates(near, cells, FEW)
            owner = np.nonzero(may)[0]
            one, two = first[may], second[may]
            found, moving = self._costing_nothing(at, one, two, unit)
            mixed = self._rng.permutation(len(found))
            found, moving = found[mixed], moving[mixed]
            _, pick = np.unique(owner[found], return_index=True)
            found, moved = found[pick], unit[None, :] == moving[pick][:, None]
            self._take(Swaps(one[found], two[found], moved))

    def _costing_nothing(self, at: int, first: Ints, second: Ints, unit: Ints) -> tuple[Ints, Ints]:
        """Which swaps of the unit of A, or of B, are free: their numbers, and the unit."""
        pair = self._cells.pairs[at]
        start = np.flatnonzero(self._prices.between(first, second, *pair) == 0.0)
        found, moving = [], []
        for own in pair:
            alive = start
            for s in np.flatnonzero(unit == unit[own]).tolist():
                for c in np.flatnonzero(unit != unit[own]).tolist():
                    if len(alive):
                        price = self._prices.between(first[alive], second[alive], s, c)
                        alive = alive[price == 0.0]
            found.append(alive)
            moving.append(np.full(len(alive), unit[own]))
        return np.concatenate(found), np.concatenate(moving)

    def _paid(self, at: int, near: NearTwins, k: int, end: float | None) -> None:
        """For each small cell the cheapest swap found; hide what it changes."""
        waiting, unit = self._open(at), self._units_for(at)
        for begin in range(0, len(waiting), PAID_AT_ONCE):
            if end is not None and time.monotonic() > end:
                return
            cells = self._still_open(waiting[begin : begin + PAID_AT_ONCE])
            first, second, may = self._candidates(near, cells, k)
            # Those that may be, as many as one of the two ways has; most cells have but one way.
            mixed = np.argpartition(self._rng.random(may.shape) + ~may, k - 1, axis=1)[:, :k]
            first, second = (np.take_along_axis(each, mixed, 1) for each in (first, second))
            may = np.take_along_axis(may, mixed, 1)
            first, second, may = self._cheap_ones(at, first, second, may, unit)
            owner = np.nonzero(may)[0]
            if len(owner):
                self._take(self._cheapest(at, first[may], second[may], owner, unit))

    def _cheap_ones(
        self, at: int, first: Ints, second: Ints, may: Mask, unit: Ints
    ) -> tuple[Ints, Ints, Mask]:
        """Of each row the cheapest, exchanging A or B alone; the dearest are dropped early."""
        i, j = self._cells.pairs[at]
        start = np.where(may, self._prices.between(first, second, i, j), np.inf)
        start[start >= NOT_POSSIBLE] = np.inf
        prices = [start, start.copy()]
        across = [self._rng.permutation(_across(unit, own, {i, j})) for own in (i, j)]
        columns = first.shape[1]
        for stage, kept in enumerate((columns // 4, columns // 8, CHEAPEST)):
            for price, others in zip(prices, across, strict=True):
                for s, c in others[stage::3].tolist():
                    price += self._prices.between(first, second, s, c)
            if kept < first.shape[1]:
                best = np.argpartition(np.minimum(*prices), kept, axis=1)[:, :kept]
                first, second = (np.take_along_axis(each, best, 1) for each in (first, second))
                prices = [np.take_along_axis(each, best, 1) for each in prices]
        return first, second, np.isfinite(prices[0])

    def _cheapest(self, at: int, first: Ints, second: Ints, owner: Ints, unit: Ints) -> Swaps:
        """The cheapest swap of each owner: of A's unit or B's, alone or with one unit more."""
        i, j = self._cells.pairs[at]
        matrix = self._prices.matrix(first, second, unit)
        alone = matrix.sum(axis=1)
        options: list[Floats] = []
        moving: list[Mask] = []
        for own, other in ((unit[i], unit[j]), (unit[j], unit[i])):
            for more in np.delete(np.arange(len(alone)), other).tolist():
                both = alone[own] + alone[more] - 2.0 * matrix[own, more]
                options.append(alone[own] if more == own else both)
                moving.append((unit == own) | (unit == more))
        price = np.array(options)
        which, least = price.argmin(axis=0), price.min(axis=0)
        order = np.lexsort((least, owner))
        _, pick = np.unique(owner[order], return_index=True)
        pick = order[pick]
        pick = pick[least[pick] < NOT_POSSIBLE]
        return Swaps(first[pick], second[pick], np.array(moving)[which[pick]])

    def _take(self, swaps: Swaps) -> None:
        """Hide every listed cell that they change, and credit every small one."""
        if not len(swaps):
            return
        begin = len(self._swaps)
        self._swaps = self._swaps.followed_by(swaps)
        credits: list[Ints] = []
        for which, places, by in changes(self._cells, self._codes, swaps):
            shown = places[self._listed[places]]
            self._listed[shown] = False
            self._prices.hide(shown)
            people = self._cells.people[places]
            small = (people > 0) & (people < self._m)
            cell = np.searchsorted(self._small, places[small])
            credits.append(np.stack([which[small] + begin, cell, np.full(len(cell), by)]))
        self._credit(np.concatenate(credits, axis=1))

    def _credit(self, credits: Ints) -> None:
        """Count swaps for cells that lack some: one a cell and round."""
        for _ in range(self._width):
            credits = credits[:, self._rng.permutation(credits.shape[1])]
            swap, cell, by = credits
            lacks = self._downs[cell] + self._ups[cell] < self._width
            first, second = self._swaps.first[swap], self._swaps.second[swap]
            credits = credits[:, lacks & self._may_count(cell, by > 0, first, second)]
            swap, cell, by = credits
            cell, pick = np.unique(cell, return_index=True)
            self._proof[cell, self._downs[cell] + self._ups[cell]] = swap[pick]
            self._downs[cell] += by[pick] < 0
            self._ups[cell] += by[pick] > 0


def _across(unit: Ints, own: int, without: set[int]) -> Ints:
    """Pairs of an attribute of one's own unit and one of another; not the table's own."""
    inside, outside = np.flatnonzero(unit == unit[own]), np.flatnonzero(unit != unit[own])
    pairs = [(s, c) for s in inside.tolist() for c in outside.tolist() if {s, c} != without]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def _units(attributes: int, families: Sequence[Sequence[int]]) -> Ints:
    """One number for attributes that move together; families that overlap are one."""
    unit = np.arange(attributes)
    for family in families:
        unit[np.isin(unit, unit[list(family)])] = unit[family[0]]
    return unit


def _determined(cells: PairCells, codes: Ints, people: Counts) -> Floats:
    """I(i; j) / H(j): how nearly attribute i (row) determines j (column); 0 without a table."""
    n = float(people.sum())
    own = [
        _entropy(np.bincount(column, people, size) / n)
        for column, size in zip(codes.T, cells.sizes, strict=True)
    ]
    found = np.zeros((len(own), len(own)))
    for at, (i, j) in enumerate(cells.pairs):
        both = _entropy(cells.table(at, cells.people).ravel() / n)
        shared = own[i] + own[j] - both
        found[i, j] = shared / own[j] if own[j] > 0 else 0.0
        found[j, i] = shared / own[i] if own[i] > 0 else 0.0
    return found


def _entropy(shares: Floats) -> float:
    some = shares[shares > 0]
    return float(-(some * np.log(some)).sum())
