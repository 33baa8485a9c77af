"""Differential privacy for margins and pair tables: the mechanism, and the law its file states.

Neighbours: two tables of which one has one person more. Everybody is in exactly one cell of every
table, whatever number of rows they have; so a person changes n by 1, and one count of each of k
attributes and one cell of each of K pair tables by 1. Nothing else is read from the records.

1. n and the margins get discrete Gaussian noise of σ_m² = (k + 1)/(2·0.2·ρ).
2. A *closed* attribute, whose values were written down without looking at the records, lists all of
   them, also those nobody holds. An *open* one lists the values that occur and whose noisy count is
   above T; everybody else is its *rest*, as one more value without a count.
3. Every cell of listed values and rests, empty ones too, gets noise of σ_c² = K/(2·0.8·ρ); those
   above C are listed. C costs nothing: it is applied to noisy numbers.

ρ comes from (ε, δ_ρ) by `concentrated_privacy`; σ² are rounded up, and ρ is stated as it is then.

**Open domains.** Which values occur is private too. T is the smallest number with
P(1 + Y > T) ≤ δ_s/u, u open attributes, and δ = δ_ρ + δ_s. Proof: D' has one person more than D,
who alone holds their value in s of the open attributes. N: none of those s values is listed;
P(N) ≥ (1 − δ_s/u)^s ≥ 1 − δ_s, by noise that nothing else depends on. K: the mechanism on D' with
these values counted in the rests, which is M(D') given N. Between M(D) and K the listed values are
open to the same noise, and at most k − s + 1 counts and one cell a table differ by 1: K and M(D)
are (ρ − s/2σ_m²)-zCDP apart, step 3 being chosen by what step 2 said. So

- P(M(D') ∈ E) ≤ P(not N) + P(K ∈ E) ≤ δ_s + e^ε P(M(D) ∈ E) + δ_ρ;
- M(D') ≥ P(N)·K wherever K may be, so that D_α(M(D) ‖ M(D')) ≤ α(ρ − s/2σ_m²) − ln P(N), no more
  than αρ where −ln(1 − δ_s/u) ≤ 1/2σ_m², which `planned` sees to:
  P(M(D) ∈ E) ≤ e^ε P(M(D') ∈ E) + δ_ρ.

**What a reader knows of what isn't listed.** A cell: its noisy count was C or less. A value of an
open attribute: that nobody holds it, or its noisy count was T or less; its people are in the rest.

**Against whom.** Somebody who knows everybody else's records, the program, ε, the law, and all that
is ever published besides: their odds that a person is in the table change by e^ε or less, except
with probability δ. A person cannot be protected from what holds for people like them, and k people
who belong together only with kε. Not covered: whoever reads the records, the memory or the ledger;
choosing columns, closed values, ε or whether to publish at all by looking at the records (`wish`
refuses columns and a decimal mark that the program would choose so; delimiter, encoding and the
order of day and month are detected too); anything exact published beside it (a title with the
number of records, a hash of the input, another file); messages to the publisher. Each release adds
its ρ (`privacy_ledger`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from reidrisk.arrays import Counts, Ints, Places
from reidrisk.laws import DiscreteGaussian, Words, system_words
from reidrisk.publishing.concentrated_privacy import refuse_impossible, rho_of
from reidrisk.statistics import OPEN_SHARE, DifferentialPrivacy

DELTA = 1e-9
# Of ρ for n and margins.
MARGINS_SHARE = 0.2
# σ_c above which a cell is listed: of 44 empty ones, one is.
LISTED_FROM = 2.0
# More than what summing in floating point may have lost.
CAREFUL = 1.0 + 1e-6
# Cells that get noise at a time.
MOST_AT_ONCE = 1 << 20


class Cells(NamedTuple):
    """Who holds which two values: people by the places of both, no pair of places twice."""

    rows: Places
    columns: Places
    people: Counts

    @classmethod
    def of(cls, table: Counts) -> Cells:
        """From a table with a row a value of the one attribute, a column a value of the other."""
        rows, columns = np.nonzero(table)
        return cls(rows, columns, np.asarray(table)[rows, columns].astype(np.int64))


def planned(
    epsilon: float,
    attributes: int,
    tables: int,
    open_attributes: int,
    delta: float = DELTA,
) -> DifferentialPrivacy:
    """The noise for so many attributes, of which some have open domains, and pair tables."""
    refuse_impossible(epsilon, delta)
    # Set aside in any case: what releases spend together is then counted at one δ_ρ.
    for_domains = OPEN_SHARE * delta
    rho = rho_of(epsilon, delta - for_domains)
    share = MARGINS_SHARE if tables else 1.0
    margins = DiscreteGaussian.at_least((attributes + 1) / (2.0 * share * rho))
    cells = DiscreteGaussian.at_least(max(tables, 1) / (2.0 * (1.0 - MARGINS_SHARE) * rho))
    spent = ((attributes + 1) / margins.variance + tables / cells.variance) / 2.0
    above = 0
    if open_attributes:
        each = for_domains / open_attributes
        above = _threshold(margins, min(each, -math.expm1(-0.5 / margins.variance)))
    return DifferentialPrivacy(
        epsilon, delta, spent, margins, cells, above, math.ceil(LISTED_FROM * cells.deviation)
    )


def _threshold(noise: DiscreteGaussian, probability: float) -> int:
    """The smallest T with P(1 + Y > T) ≤ probability."""
    low, high = 0, math.ceil(40.0 * noise.deviation) + 2
    while low < high:
        middle = (low + high) // 2
        rare = noise.above(middle - 1) * CAREFUL <= probability
        low, high = (low, middle) if rare else (middle + 1, high)
    return low


class NoisyMargin(NamedTuple):
    """Noisy counts of the listed values, by their places in what was given; an open attribute has
    a rest after them, which is in no list.
    """

    places: Places
    counts: Ints
    open: bool

    @property
    def size(self) -> int:
        """Listed values, and the rest if there is one: sides of pair tables."""
        return len(self.places) + self.open

    def place_of_each(self, values: int) -> Places:
        """For each value its place among the listed ones, or the rest's."""
        found = np.full(values, len(self.places), dtype=np.intp)
        found[self.places] = np.arange(len(self.places))
        return found


class NoisyCells(NamedTuple):
    """Listed cells, by the places of their sides' listed values (the rest's comes last)."""

    rows: Places
    columns: Places
    counts: Ints


@dataclass(frozen=True, eq=False)
class NoisyCounts:
    """What is published: nothing else may be."""

    law: DifferentialPrivacy
    people: int
    margins: tuple[NoisyMargin, ...]
    pairs: Mapping[tuple[int, int], NoisyCells]


def with_noise(
    people: int,
    margins: Sequence[Counts],
    open_domains: Sequence[bool],
    pairs: Iterable[tuple[tuple[int, int], Cells]],
    tables: int,
    law: DifferentialPrivacy,
    words: Words = system_words,
) -> NoisyCounts:
    """The mechanism; `tables` pair tables come, each once, i < j, of values by their places.

    `law` is `planned` for as many attributes, tables and open domains. A closed attribute's counts
    are those of its written-down values, noughts included. Values come in an order that says
    nothing of the records, as the alphabet's.
    """
    _refuse_other_law(law, len(margins), tables, sum(map(bool, open_domains)))
    total = int(people + law.margins.draw(1, words)[0])
    listed = [
        _noisy_margin(_of_everybody(counts, people), bool(is_open), law, words)
        for counts, is_open in zip(margins, open_domains, strict=True)
    ]
    found: dict[tuple[int, int], NoisyCells] = {}
    for (i, j), cells in pairs:
        if not 0 <= i < j < len(margins) or (i, j) in found or len(found) == tables:
            raise ValueError("each pair table is given once, with i < j, and no more than planned")
        _of_everybody(cells.people, people)
        rows = listed[i].place_of_each(len(margins[i]))[cells.rows]
        columns = listed[j].place_of_each(len(margins[j]))[cells.columns]
        shape = listed[i].size, listed[j].size
        found[i, j] = _noisy_cells(Cells(rows, columns, cells.people), shape, law, words)
    return NoisyCounts(law, total, tuple(listed), found)


def _refuse_other_law(
    law: DifferentialPrivacy, attributes: int, tables: int, open_attributes: int
) -> None:
    """The proof needs the noise of this many tables, or more."""
    own = planned(law.epsilon, attributes, tables, open_attributes, law.delta)
    less = law.margins.variance < own.margins.variance or law.cells.variance < own.cells.variance
    if less or law.values_above < own.values_above:
        raise ValueError("the law was planned for fewer attributes or pair tables")


def _of_everybody(counts: Counts, people: int) -> Counts:
    """Counts of people each of whom is in one cell: what a person changes is known only then."""
    if counts.min(initial=0) < 0 or int(counts.sum()) != people:
        raise ValueError("everybody has to be in exactly one cell of each table")
    return counts


def _noisy_margin(
    counts: Counts, is_open: bool, law: DifferentialPrivacy, words: Words
) -> NoisyMargin:
    held = np.flatnonzero(counts) if is_open else np.arange(len(counts))
    noisy = counts[held] + law.margins.draw(len(held), words)
    shown = noisy > law.values_above if is_open else np.ones(len(held), dtype=bool)
    return NoisyMargin(held[shown], noisy[shown], is_open)


def _noisy_cells(
    cells: Cells, shape: tuple[int, int], law: DifferentialPrivacy, words: Words
) -> NoisyCells:
    """Noise for every cell of the shape, some rows at a time."""
    order = np.argsort(cells.rows, kind="stable")
    rows, columns, people = (each[order] for each in cells)
    at_once = max(MOST_AT_ONCE // max(shape[1], 1), 1)
    found = []
    for begin in range(0, shape[0], at_once):
        high = min(at_once, shape[0] - begin)
        some = slice(*np.searchsorted(rows, [begin, begin + high]))
        block = np.zeros((high, shape[1]), dtype=np.int64)
        np.add.at(block, (rows[some] - begin, columns[some]), people[some])
        block += law.cells.draw(block.size, words).reshape(block.shape)
        shown = np.nonzero(block > law.cells_above)
        found.append(NoisyCells(shown[0] + begin, shown[1], block[shown]))
    return NoisyCells(*(np.concatenate(each) for each in zip(*found, strict=True)))
