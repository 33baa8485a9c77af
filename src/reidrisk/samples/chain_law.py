"""The chain law: each attribute given those before it, by what every pair of them shows.

Attributes stand by falling number of values. Symbols: n people; n_v hold value v of attribute j,
x_av hold v and value a of an earlier attribute i; s_j values were seen.

    m_v = (n_v + ½)/(n + ½ s_j)
    p(x_j = v | x_<j) ∝ exp( ln m_v + Σ_i w_ij·L_ij(x_i, v) ),
    L_ij(a, v) = ln[(x_av + β_ij q_av)/m_v]

q_av is what row a of the table is expected to look like: m_v, or, where values have an order, the
people of neighbouring values (`ordered_rows`). β_ij, how strongly rows resemble it, has the
greatest likelihood under a Dirichlet–multinomial law. Row sums cancel, so they are left out. The
weights w_ij maximise the likelihood of up to 4,000 people's cells (`term_weights`).

A cell's density is computed with its own f_k people left out of x_av and n_v: it says what all
others say of the cell, and doesn't depend on f_k.

Where it fails: dependence among three attributes that no two show; nearly everybody alone among a
few hundred records, where pair tables hold next to nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from reidrisk.arrays import Floats
from reidrisk.machine import Progress, no_progress
from reidrisk.samples.ordered_rows import Smoothed, smoothed
from reidrisk.samples.sampled_cells import CodesOfCells, SampledCells, summed_up
from reidrisk.samples.term_weights import TermFit

MOST_FITTED = 4_000
# Numbers held at once: cells times values, in densities; cells times values times terms, in fits.
BLOCK_NUMBERS = 4_000_000
FIT_NUMBERS = 40_000_000
# Half a person for every value that was seen.
ADDED = 0.5
# A value that only the cell itself holds keeps this much.
LEAST = 1e-9


@dataclass(frozen=True, eq=False)
class PairTerm:
    """One earlier attribute's part in the law of a later one: its table, q and β, and w."""

    parent: int
    people: Floats
    rows: Smoothed
    weight: float = 1.0

    def ratios(self, margin: Floats) -> Floats:
        """L, a row for every value of the earlier attribute."""
        return np.log((self.people + self.rows.strength * self.rows.expected) / margin)

    def ratios_left_out(
        self, margin: Floats, codes: CodesOfCells, attribute: int, held: Floats
    ) -> Floats:
        """L of each cell's row, the cell's own people left out of the values near its own too."""
        parent, own, cells = codes[:, self.parent], codes[:, attribute], np.arange(len(codes))
        row = self.people[parent]
        row[cells, own] = np.maximum(row[cells, own] - held, 0.0)
        rows = self.rows
        expected = rows.expected[parent]
        if rows.near is not None and rows.kernel is not None:
            near = rows.near[parent]
            away = rows.kernel[own]
            of = np.repeat(cells, np.diff(away.indptr))
            near[of, away.indices] -= away.data * held[of]
            np.maximum(near, 0.0, out=near)
            expected = near + rows.prior * margin
            expected /= near.sum(axis=1, keepdims=True) + rows.prior
        row += rows.strength * expected
        return np.asarray(np.log(row / margin))


@dataclass(frozen=True, eq=False)
class Link:
    """The law of one attribute given those before it."""

    attribute: int
    counts: Floats
    terms: tuple[PairTerm, ...] = ()

    @property
    def margin(self) -> Floats:
        """m."""
        return (self.counts + ADDED) / self._whole

    @property
    def _whole(self) -> float:
        return float(self.counts.sum()) + ADDED * len(self.counts)

    def log_own_margin(self, codes: CodesOfCells, held: Floats) -> Floats:
        """ln m of each cell's own value, its people left out."""
        left = np.maximum(self.counts[codes[:, self.attribute]] - held + ADDED, LEAST)
        return np.log(left / self._whole)

    def log_own_ratio(self, term: PairTerm, codes: CodesOfCells, held: Floats) -> Floats:
        """L of each cell's own values, its people left out; where rows don't speak for themselves.

        Its people leave m as well, and the q that is m.
        """
        own, parent = codes[:, self.attribute], codes[:, term.parent]
        left = np.exp(self.log_own_margin(codes, held))
        expected = term.rows.expected[parent, own]
        if term.rows.near is None:
            expected = left
        people = np.maximum(term.people[parent, own] - held, 0.0)
        return np.asarray(np.log((people + term.rows.strength * expected) / left))

    def log_left_out(self, codes: CodesOfCells, held: Floats) -> Floats:
        """ln p(x_j | x_<j) of each cell, its people left out; block by block."""
        if not self.terms:
            whole = np.maximum(self._whole - held, 1.0)
            return np.asarray(self.log_own_margin(codes, held) + np.log(self._whole / whole))
        tables = [term.ratios(self.margin) for term in self.terms]
        found = np.empty(len(codes))
        step = max(1, BLOCK_NUMBERS // len(self.counts))
        for begin in range(0, len(codes), step):
            part = slice(begin, begin + step)
            found[part] = self._block(tables, codes[part], held[part])
        return found

    def _block(self, tables: Sequence[Floats], codes: CodesOfCells, held: Floats) -> Floats:
        logits = self.base(codes, held)
        for term, table in zip(self.terms, tables, strict=True):
            logits += term.weight * self.ratios_left_out(term, table, codes, held)
        at_own = logits[np.arange(len(codes)), codes[:, self.attribute]]
        top = logits.max(axis=1)
        return np.asarray(at_own - top - np.log(np.exp(logits - top[:, None]).sum(axis=1)))

    def base(self, codes: CodesOfCells, held: Floats) -> Floats:
        """ln m, a row for each cell; of its own value its people left out."""
        logs = np.broadcast_to(np.log(self.margin), (len(codes), len(self.counts))).copy()
        logs[np.arange(len(codes)), codes[:, self.attribute]] = self.log_own_margin(codes, held)
        return logs

    def ratios_left_out(
        self, term: PairTerm, table: Floats, codes: CodesOfCells, held: Floats
    ) -> Floats:
        """L of one term, a row for each cell, its people left out; `table` is L of all rows."""
        if term.rows.kernel is not None:
            return term.ratios_left_out(self.margin, codes, self.attribute, held)
        ratios: Floats = table[codes[:, term.parent]]
        own = self.log_own_ratio(term, codes, held)
        ratios[np.arange(len(codes)), codes[:, self.attribute]] = own
        return ratios


@dataclass(frozen=True, eq=False)
class ChainLaw:
    """The links, in the order of the chain; how many people's cells the weights were fitted on."""

    links: tuple[Link, ...]
    fitted_on: int

    @classmethod
    def of(
        cls, sample: SampledCells, rng: np.random.Generator, progress: Progress = no_progress
    ) -> ChainLaw:
        """Fitted to a sample; `rng` draws the people whose cells the weights are fitted on."""
        order = sorted(range(len(sample.values)), key=lambda j: (-sample.values[j], j))
        links = []
        for at, attribute in enumerate(order):
            links.append(_link(sample, attribute, order[:at], rng))
            progress("fitting the chain of columns", at + 1, len(order))
        return cls(tuple(links), min(sample.n, MOST_FITTED))

    def log_left_out(self, sample: SampledCells) -> Floats:
        """ln p of each cell, its own people left out."""
        logs = [link.log_left_out(sample.codes, sample.held) for link in self.links]
        return np.asarray(np.sum(logs, axis=0))


def _link(
    sample: SampledCells, attribute: int, parents: Sequence[int], rng: np.random.Generator
) -> Link:
    width = sample.values[attribute]
    bare = Link(attribute, summed_up(sample.codes[:, attribute], sample.held, width))
    if not parents:
        return bare
    terms = [_term(sample, parent, attribute, bare.margin) for parent in parents]
    most = min(MOST_FITTED, max(FIT_NUMBERS // (width * len(terms)), 200))
    weights = _weights(bare, terms, *_some_cells(sample, most, rng))
    weighed = zip(terms, weights.tolist(), strict=True)
    return replace(bare, terms=tuple(replace(term, weight=weight) for term, weight in weighed))


def _term(sample: SampledCells, parent: int, attribute: int, margin: Floats) -> PairTerm:
    people = pair_table(sample, parent, attribute)
    ordered = sample.ordered[parent], sample.ordered[attribute]
    return PairTerm(parent, people, smoothed(people, margin, ordered))


def pair_table(sample: SampledCells, one: int, other: int, people: Floats | None = None) -> Floats:
    """People by two attributes, weighted where there are weights; or other numbers by cell."""
    shape = sample.values[one], sample.values[other]
    key = sample.codes[:, one].astype(np.int64) * shape[1] + sample.codes[:, other]
    held = sample.held if people is None else people
    return summed_up(key, held, shape[0] * shape[1]).reshape(shape)


def _some_cells(
    sample: SampledCells, most: int, rng: np.random.Generator
) -> tuple[SampledCells, Floats]:
    """The cells of up to `most` people, and how many of them each has."""
    if sample.n <= most:
        return sample, sample.people.astype(np.float64)
    drawn = rng.choice(sample.n, most, replace=False)
    cell = np.searchsorted(np.cumsum(sample.people), drawn, side="right")
    chosen, times = np.unique(cell, return_counts=True)
    return sample.rows(chosen), times.astype(np.float64)


def _weights(bare: Link, terms: Sequence[PairTerm], part: SampledCells, times: Floats) -> Floats:
    ratios = np.empty((len(terms), part.cells, len(bare.counts)))
    for at, term in enumerate(terms):
        table = term.ratios(bare.margin)
        ratios[at] = bare.ratios_left_out(term, table, part.codes, part.held)
    own = part.codes[:, bare.attribute]
    return TermFit(bare.base(part.codes, part.held), ratios, own, times).weights()
