"""The law of a member's crowd: hypergeometric, one row of probabilities for each class of people.

Symbols: s people form a crowd, c people of all n hold some value independent of what made the
crowd. X = Hyp(n; s, c) of the crowd hold it. Somebody who is in the crowd and holds the value
shares both with

    Y = Hyp(n − 1; s − 1, c − 1) others,   crowd = 1 + Y,   P(1 + Y = k) = k·P(X = k)/E[X],

the law of X weighted by its size (a member's crowd, TFRR). Summing over classes of people instead
of tuples keeps every term positive and the total at one whatever is rounded.

Probabilities come from ratios of neighbours,

    P(Y=k+1)/P(Y=k) = (s−1−k)(c−1−k)/((k+1)(n−s−c+k+2)),

multiplied up from the low end of a window and normalised: no differences of log-gammas, which
lose five to seven digits at n = 10^6.

A population without end gives the binomial: Hyp(N; s, qN) → B(s, q).

Where it fails: laws of standard deviation above 32 are stood for by 105 points of a skewed normal
law, an eighth of a deviation apart; mean and variance hold, far tails are 1 % off.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reidrisk.models.size_grid import SizeGrid

Floats = NDArray[np.float64]

# Dwarfs every count, while products of two stay finite.
ENDLESS = 2.0**200
# Eight standard deviations and eight more leave out less than 1e-12 of a law.
DEVIATIONS, EXTRA = 8.0, 8.0
WIDEST_LISTED = 32.0
Z = np.arange(-52, 53) / 8.0
Z_WEIGHTS = np.exp(-(Z**2) / 2) / np.exp(-(Z**2) / 2).sum()
# Entries worked on at once: what fits a processor's cache.
CHUNK = 1 << 17


@dataclass(frozen=True)
class Draws:
    """Classes of people, one entry each, Y = Hyp(population; others, alike).

    others = s − 1, alike = c − 1, population = n − 1; mass = share of all people in the class.
    """

    others: Floats
    alike: Floats
    population: Floats
    mass: Floats

    @property
    def mean(self) -> Floats:
        """E[Y] = others·alike/population."""
        return self.others * self.alike / self.population

    @property
    def deviation(self) -> Floats:
        """√(E[Y]·(1 − alike/population)·(population − others)/(population − 1))."""
        unlike = np.maximum(1.0 - self.alike / self.population, 0.0)
        spared = np.maximum(self.population - self.others, 0.0)
        return np.sqrt(self.mean * unlike * spared / np.maximum(self.population - 1.0, 1.0))

    def chosen(self, which: NDArray[np.bool_] | NDArray[np.intp]) -> Draws:
        """Only these classes."""
        return Draws(
            self.others[which], self.alike[which], self.population[which], self.mass[which]
        )


def crowds_of_members(draws: Draws, grid: SizeGrid) -> Floats:
    """Mass of people on each node of the grid: Σ_classes mass·P(1 + Y = size)."""
    total = np.zeros(len(grid.nodes))
    listed = draws.deviation <= WIDEST_LISTED
    for sizes, mass in _listed_laws(draws.chosen(listed)):
        total += grid.tally_whole(sizes, mass)
    if not listed.all():
        total += grid.tally(*_wide_laws(draws.chosen(~listed)))
    return total


def _listed_laws(draws: Draws) -> Iterator[tuple[Floats, Floats]]:
    """(sizes, mass), a class a row; classes of about the same width come together."""
    first, width = _windows(draws)
    kind = np.ceil(4 * np.log2(np.maximum(width, 2.0))).astype(np.int64)
    order = np.argsort(kind, kind="stable")
    for alike in np.split(order, np.flatnonzero(np.diff(kind[order])) + 1):
        widest = int(width[alike].max(initial=1.0))
        rows = max(1, CHUNK // widest)
        for begin in range(0, len(alike), rows):
            part = alike[begin : begin + rows]
            yield _law_by_ratios(draws.chosen(part), first[part], widest)


def _windows(draws: Draws) -> tuple[Floats, Floats]:
    """First Y of each class's window and how many there are, inside the law's support."""
    mean, deviation = draws.mean, draws.deviation
    reach = np.where(deviation > 0.0, DEVIATIONS * deviation + EXTRA, 0.0)
    least = np.ceil(np.maximum(draws.others + draws.alike - draws.population, 0.0) - 1e-9)
    most = np.floor(np.minimum(draws.others, draws.alike) + 1e-9)
    first = np.minimum(np.maximum(np.floor(mean - reach), least), most)
    last = np.maximum(np.minimum(np.ceil(mean + reach), most), first)
    return first, last - first + 1.0


def _law_by_ratios(draws: Draws, first: Floats, width: int) -> tuple[Floats, Floats]:
    """Sizes 1 + Y and mass·P(Y), from the first Y on."""
    others, alike = draws.others[:, None], draws.alike[:, None]
    spare = draws.population[:, None] - others - alike
    k = first[:, None] + np.arange(width)
    law = np.ones_like(k)
    if width > 1:
        # Past the support the ratio is nought, and stays so.
        ratio = np.maximum(others - k[:, :-1], 0.0) * np.maximum(alike - k[:, :-1], 0.0)
        ratio /= k[:, 1:] * (spare + k[:, 1:])
        np.cumprod(ratio, axis=1, out=law[:, 1:])
    law *= (draws.mass / law.sum(axis=1))[:, None]
    return k + 1.0, law


def _wide_laws(draws: Draws) -> tuple[Floats, Floats]:
    """Sizes 1 + E[Y] + σ(z + γ(z² − 1)/6), z over the normal law (Cornish–Fisher), and mass.

    γ = (1 − 2·others/population)(1 − 2·alike/population)/σ, the skewness, is at most 1/32 here.
    """
    drawn, marked = draws.others / draws.population, draws.alike / draws.population
    deviation = draws.deviation[:, None]
    skewness = ((1.0 - 2.0 * drawn) * (1.0 - 2.0 * marked))[:, None] / deviation
    sizes = 1.0 + draws.mean[:, None] + deviation * (Z + skewness * (Z**2 - 1.0) / 6.0)
    return np.maximum(sizes, 1.0), draws.mass[:, None] * Z_WEIGHTS
