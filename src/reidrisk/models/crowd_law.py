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

Attribute after attribute splits the crowds: the exact expected histogram.

Symbols: μ_j(s) = share of people in crowds of s when the first j attributes are seen, so that
E[N_s] = n·μ_j(s)/s; mass_j(c) = share of people whose value of attribute j is held by c people. The
columns being shuffled independently, a crowd of s meets a value of c people hypergeometrically:

    μ_j(k) = Σ_s Σ_c μ_{j−1}(s)·mass_j(c)·P(1 + Hyp(n−1; s−1, c−1) = k),   μ_1 = mass_1.

This is E[N_k] = Σ_tuples P(X_t = k), X_t the recursive hypergeometric law of TFRR, with the sum
over tuples taken one attribute at a time: linear at each step, hence exact for any number of
attributes, and the work is a sum over attributes where listing all vectors of counts takes their
product.

Where it fails: sizes above 1000 are kept on a grid 0.5 % apart (`SizeGrid`); the work grows with
(sizes × distinct counts), see `splitting_work`.

The mean logarithm of a member's crowd, without listing crowd sizes.

Symbols: a member's value of the kept attribute is held by m people, the tuple of the other
attributes has share q; the member's crowd is 1 + Y, Y = B(m − 1, q). Since

    log s = ∫_0^∞ (e^{−t} − e^{−ts}) dt/t   and   E[z^Y] = (1 − q(1 − z))^{m−1},

    E[log(1 + Y)] = ∫_0^∞ e^{−t}·(1 − (1 − q(1 − e^{−t}))^{m−1}) dt/t,

and with t = e^u the trapezoid rule of step 0.4 is right to 1e-10. Two things make it fast. The mean
over the kept attribute needs one function of one variable, tabulated once:

    Ψ(y) = Σ_m mass(m)·(1 − e^{−(m−1)y}),   y = −log(1 − q(1 − e^{−t})).

The result h is a smooth function of log q, worked out at steps of 0.05 and interpolated: right to
1e-6.

The spectrum's narrowing then gives h − ε/2·(h' + h''), the finite counts of the other attributes.

Where it fails: as the spectrum does, by up to 1e-3 bits for a few hundred people and less than 1e-4
for tables that need a spectrum.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reidrisk.arrays import Floats
from reidrisk.models.knowledge import ValueCounts
from reidrisk.models.spectrum import SizeGrid, Spectrum, shared_out

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


class Members(NamedTuple):
    """People by the size of their crowd: share `mass` of them in crowds of `sizes`."""

    sizes: NDArray[np.int64]
    mass: Floats

    @property
    def mean_log2(self) -> float:
        """Mean over people of log2(crowd)."""
        return float(np.dot(self.mass, np.log2(self.sizes)))


def members_by_splitting(attributes: Sequence[ValueCounts], n: int) -> Members:
    """μ_d: people by crowd size when all attributes are seen; everybody together when none is."""
    if not attributes:
        return Members(np.array([n], dtype=np.int64), np.ones(1))
    grid = SizeGrid.up_to(n)
    members = Members(attributes[0].counts, attributes[0].mass)
    for attribute in attributes[1:]:
        members = split(members, attribute, grid)
    return members


def split(members: Members, attribute: ValueCounts, grid: SizeGrid) -> Members:
    """μ_j from μ_{j−1}: one more independent attribute is seen."""
    others, alike = np.meshgrid(members.sizes - 1.0, attribute.counts - 1.0, indexing="ij")
    population = np.full(others.size, max(attribute.n - 1.0, 1.0))
    mass = np.outer(members.mass, attribute.mass)
    draws = Draws(others.ravel(), alike.ravel(), population, mass.ravel())
    return on_nodes(grid, crowds_of_members(draws, grid))


def on_nodes(grid: SizeGrid, mass: Floats) -> Members:
    """The nodes where people are; a share of 1e-18 of them is nobody."""
    held = mass > 1e-18
    return Members(grid.nodes[held], mass[held])


def splitting_work(attributes: Sequence[ValueCounts], n: int, enough: float) -> float:
    """About how many probabilities `members_by_splitting` works out; fifty million take a second.

    Crowds are taken to have every size from 1 to the largest there can be. Counting stops once it
    is past `enough`.
    """
    grid, work = SizeGrid.up_to(n), 0.0
    sizes = attributes[0].counts if attributes else grid.nodes[:0]
    for attribute in attributes[1:]:
        work += 1.5 * EXTRA * len(sizes) * len(attribute.counts)
        if work > enough:
            return work
        spread = np.sqrt(np.outer(sizes, attribute.counts / n))
        # A point of a wide law costs three of a listed one, for it has to be shared out.
        each = np.where(spread > WIDEST_LISTED, 3.0 * len(Z), 2 * DEVIATIONS * spread)
        work += float(each.sum())
        largest = float(spread[-1, -1])
        sizes = grid.nodes[grid.nodes <= largest**2 + DEVIATIONS * largest + EXTRA]
    return work


MOST_COUNTS = 1500
SMALL_COUNT = 100
T_STEP = 0.4
TABLE_STEP = 0.08
H_STEP = 0.05


def mean_log_crowd(kept: ValueCounts, others: Spectrum) -> float:
    """Mean over people of ln(crowd), in nats."""
    fold = max(1, round(H_STEP / others.step))
    # Three nodes past the last bin, so that a cubic has its neighbours.
    log_q = -others.step * fold * np.arange(len(others.mass) // fold + 4)
    h = _mean_log_at(np.exp(log_q), kept)
    slope = np.gradient(h, log_q)
    bend = slope + np.gradient(slope, log_q)
    place = np.arange(len(others.mass)) / fold
    mean = np.dot(others.mass, cubic(h, place))
    return float(mean - np.dot(others.narrowing, cubic(bend, place)) / 2.0)


def gridded_counts(
    kept: ValueCounts, most: int = MOST_COUNTS, step: float = 0.01
) -> tuple[Floats, Floats, Floats]:
    """Counts m of the kept attribute, the mass of people under each, and its narrowing.

    All distinct counts; or, if there are more than `most`, those up to 100 and the larger ones on a
    grid of ratio e^step, mass and number of values both exact.
    """
    counts, mass = kept.counts.astype(np.float64), kept.mass
    if len(counts) <= most:
        return counts, mass, np.zeros(len(counts))
    small = counts <= SMALL_COUNT
    none = np.zeros(len(counts))
    large = shared_out(counts[~small] / kept.n, mass[~small], none[~small], step)
    used = large.mass > 0.0
    return (
        np.concatenate([counts[small], kept.n * large.shares[used]]),
        np.concatenate([mass[small], large.mass[used]]),
        np.concatenate([none[small], large.narrowing[used]]),
    )


def _mean_log_at(q: Floats, kept: ValueCounts) -> Floats:
    """h: E[ln(1 + B(m − 1, q))] for each q, averaged over people's m."""
    m, mass, _ = gridded_counts(kept)
    # From t·m = 1e-9, below which nothing is left of the integrand, to e^−t = 1e-19.
    t = np.exp(np.arange(-np.log(m.max()) - 21.0, np.log(45.0), T_STEP))
    hit = np.minimum(np.outer(q, -np.expm1(-t)), 1.0 - 1e-16)
    return T_STEP * np.asarray(_psi(-np.log1p(-hit), m, mass) @ np.exp(-t))


def _psi(y: Floats, m: Floats, mass: Floats) -> Floats:
    """Ψ(y) = Σ mass·(1 − e^{−(m−1)y}), from a table in log y; proportional to y below it."""
    start = -np.log(m.max()) - 12.0
    nodes = np.arange(start, np.log(60.0) + TABLE_STEP, TABLE_STEP)
    table = -np.expm1(-np.outer(np.exp(nodes), m - 1.0)) @ mass
    place = (np.log(np.maximum(y, 1e-300)) - start) / TABLE_STEP
    within = np.clip(place, 0.0, len(table) - 1.0)
    return np.asarray(cubic(table, within) * np.exp(np.minimum(place, 0.0) * TABLE_STEP))


def cubic(values: Floats, place: Floats) -> Floats:
    """Values between the nodes 0, 1, 2, …, by the cubic through the four nearest nodes."""
    base = np.clip(place.astype(np.int64), 1, len(values) - 3)
    f = place - base
    before, at, after, beyond = (values[base + i] for i in (-1, 0, 1, 2))
    outer = f * (f - 1.0) * ((f + 1.0) * beyond - (f - 2.0) * before) / 6.0
    inner = (f + 1.0) * (f - 2.0) * ((f - 1.0) * at - f * after) / 2.0
    return np.asarray(outer + inner)
