"""Swap certificates: proofs that a count left out of a file can't be worked out from it.

**What is published.** How many people there are, each attribute's counts (rare values lumped
together under `other`), and of the pair tables the cells in a set L with their exact counts. A cell
outside L is unlisted: it holds 1 to m − 1 people, or more and was hidden for others' sake, or
nobody. Cells of `other` are unlisted, and can be as small as any.

**A swap** σ = (r, q, S) exchanges the values of the attributes in S between two people. Attributes
keep their counts, so does every pair table inside S, and every one outside it. In the table of
s ∈ S and c ∉ S nothing changes where r and q agree on s or on c; where they differ on both,

    (r_s, r_c) and (q_s, q_c) lose a person, (r_s, q_c) and (q_s, r_c) gain one:

four different cells, each changed by one. **If no changed cell is in L, both tables of records have
the same file**, and nobody can tell from it which is the true one. That is the whole proof: the
other table is there, in records, so whatever follows from all margins and pair tables together
(sums, intervals, linear and integer programs, three-way cells, hierarchies) is true of it too.

**A certificate of width w** of a cell with x people is w swaps that change it, none changing a cell
of L, and no person in two of them. Changes of different people add up, so any of them may be
applied together. With d that take a person away and u = w − d that add one, tables with
x − d, …, x + u people in the cell have the same file: w + 1 values. Nothing of a certificate is
published.

- Hiding more cells breaks no certificate. So they may be found one after the other.
- What a row or column leaves out is a margin less listed cells: the same in all these tables. So
  the rule that it is nobody or at least m people holds in them too, and so does every listed cell's
  being at least m: who knows the rules learns nothing more. Where a row visibly leaves out nobody,
  no swap that changes no listed cell can put somebody.
- A swap that takes r and q back certifies, in the other table, every cell that it changed.

**Whom it holds against**: anybody who has the file, whatever they compute. A person who knows some
records leaves out the swaps of these people: at width w, who knows w − 1 people's records still
has two values for each certified cell.

**What it doesn't protect.** Counts of pair tables that aren't published, and that such a table was
left out because something in it couldn't be proven. Sums of unlisted cells: 1 + 2 may be known to
be 3. Likely values: both tables are possible, not equally likely. That somebody is in a cell, not
how many: the values may all be above 0. Two files about nearly the same people. What the reader
knows of the world: swaps keep attributes together that determine each other (`families`) and fill
no cell that is empty though chance would fill it, yet three values may be a combination nobody
believes. And who runs the published algorithm on all tables with this file, with many seeds each,
can find that from some of them it would seldom list just these cells (minimality attack); random
hiding and random prices make it say less, not nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from reidrisk.arrays import Counts, Ints, Mask
from reidrisk.publishing.pair_cells import PairCells


@dataclass(frozen=True, eq=False)
class Swaps:
    """Exchanges between two people each: the rows of their records, and which attributes."""

    first: Ints
    second: Ints
    # A row a swap, a column an attribute: whether its values are exchanged.
    moved: Mask

    def __len__(self) -> int:
        return len(self.first)

    def chosen(self, which: Ints | Mask) -> Swaps:
        """Some of them."""
        return Swaps(self.first[which], self.second[which], self.moved[which])

    @classmethod
    def none(cls, attributes: int) -> Swaps:
        """No swap of so many attributes."""
        nobody = np.zeros(0, dtype=np.int64)
        return cls(nobody, nobody, np.zeros((0, attributes), dtype=bool))

    def followed_by(self, others: Swaps) -> Swaps:
        """These, then the others."""
        return Swaps(
            np.concatenate([self.first, others.first]),
            np.concatenate([self.second, others.second]),
            np.concatenate([self.moved, others.moved]),
        )


def changes(cells: PairCells, codes: Ints, swaps: Swaps) -> Iterator[tuple[Ints, Ints, int]]:
    """What swaps change: (which of them, the cell each changes, by how much), a part at a time."""
    one, two = codes[swaps.first].T, codes[swaps.second].T
    differ = one != two
    for at, (i, j) in enumerate(cells.pairs):
        apart = swaps.moved[:, i] != swaps.moved[:, j]
        which = np.flatnonzero(apart & differ[i] & differ[j])
        if len(which):
            a, b, c, d = one[i, which], one[j, which], two[i, which], two[j, which]
            yield which, cells.places(at, a, b), -1
            yield which, cells.places(at, c, d), -1
            yield which, cells.places(at, a, d), 1
            yield which, cells.places(at, c, b), 1


@dataclass(frozen=True, eq=False)
class Certificates:
    """Which cells are listed, and for the small ones left out the swaps that prove them hidden."""

    cells: PairCells
    listed: Mask
    swaps: Swaps
    # Places of the certified cells, and for each of them the numbers of its swaps.
    certified: Ints
    proofs: Ints

    @property
    def width(self) -> int:
        """Swaps of each certificate."""
        return int(self.proofs.shape[1])

    def holding(self, codes: Ints, people: Counts) -> Mask:
        """Which of the certificates hold, worked out from the records once more."""
        silent = np.ones(len(self.swaps), dtype=bool)
        for which, places, _ in changes(self.cells, codes, self.swaps):
            silent[which[self.listed[places]]] = False
        holds = ~self.listed[self.certified]
        for proof in self.proofs.T:
            swaps = self.swaps.chosen(proof)
            holds &= silent[proof] & (np.abs(self._moved(codes, swaps)) == 1)
        return holds & self._of_different_people(people)

    def _moved(self, codes: Ints, swaps: Swaps) -> Ints:
        """By how much the k-th swap changes the k-th certified cell."""
        at, a, b = self.cells.values(self.certified)
        i, j = np.array(self.cells.pairs, dtype=np.int64).reshape(-1, 2)[at].T
        each = np.arange(len(at))
        moved_i, moved_j = swaps.moved[each, i], swaps.moved[each, j]
        found = np.zeros(len(at), dtype=np.int64)
        for own, other in ((swaps.first, swaps.second), (swaps.second, swaps.first)):
            found -= (codes[own, i] == a) & (codes[own, j] == b)
            now_i = codes[np.where(moved_i, other, own), i]
            now_j = codes[np.where(moved_j, other, own), j]
            found += (now_i == a) & (now_j == b)
        return found

    def _of_different_people(self, people: Counts) -> Mask:
        """Whether a row is in no more of a cell's swaps than it stands for people."""
        rows = np.concatenate(
            [self.swaps.first[self.proofs], self.swaps.second[self.proofs]], axis=1
        )
        times = (rows[:, :, None] == rows[:, None, :]).sum(axis=2)
        return np.asarray((times <= people[rows]).all(axis=1))


def swapped(
    codes: Ints, people: Counts, swaps: Swaps, which: Sequence[int] | Ints
) -> tuple[Ints, Counts]:
    """The table of records after these swaps, one after the other, a row for each distinct record.

    A row stands for `people`: one of them changes, the others stay.
    """
    left = people.copy()
    changed: list[Ints] = []
    for swap in which:
        r, q, moved = swaps.first[swap], swaps.second[swap], swaps.moved[swap]
        changed += [np.where(moved, codes[q], codes[r]), np.where(moved, codes[r], codes[q])]
        left[r] -= 1
        left[q] -= 1
    after = np.concatenate(
        [codes, np.array(changed, dtype=codes.dtype).reshape(-1, codes.shape[1])]
    )
    held = np.concatenate([left, np.ones(len(changed), dtype=people.dtype)])
    rows, place = np.unique(after[held != 0], axis=0, return_inverse=True)
    return rows, np.bincount(place.ravel(), held[held != 0]).astype(np.int64)
