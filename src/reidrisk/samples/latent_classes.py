"""Latent classes: a mixture of laws in which attributes are independent, by variational Bayes.

Symbols: H classes; c_h the people in class h, c_hjv those of them with value v of attribute j (both
expected); π_h the share of class h, stick-breaking with α = 1; θ_hj ~ Dirichlet(β_j m_j), m_j the
margin of attribute j; r_kh the probability that somebody in cell k belongs to class h.

    ln r_kh = E[ln π_h] + Σ_j E[ln θ_hj(x_kj)] + constant

Rounds alternate r and c; every ten rounds β_j is that of the greatest Dirichlet–multinomial
likelihood of the classes' counts, held near 10 (ln β normal, standard deviation 1). A cell's
density is computed with its f_k people left out of the counts: f_k·r_kh are taken off c_h and c_hj.

    p_k = Σ_h π_h^(−k) Π_j (c_hj − f_k r_kh + β_j m_j)/(c_h − f_k r_kh + β_j)

Of a sample of many cells the first rounds are made on a part of its people.

Where it fails: classes are few, so dependence within them is lost; the fit depends on where it
began, which the seed says. Smoothing θ along ordered values was tried: on public tables the
densities came closer and the estimates of τ1 didn't.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from reidrisk.arrays import Floats
from reidrisk.machine import Progress, no_progress
from reidrisk.samples.likeliest_strength import likeliest_strength
from reidrisk.samples.sampled_cells import SampledCells

MOST_CLASSES, PEOPLE_A_CLASS = 40, 20
ROUNDS = 80
CONCENTRATION = 1.0
# People the first rounds are made on where a sample has more cells, and rounds on all of them.
MOST_CELLS, PART, LAST_ROUNDS = 30_000, 30_000, 4
# Cells times classes whose probabilities are kept at once.
BLOCK_NUMBERS = 4_000_000
# Strengths are looked at every so many rounds; the usual one holds where a sample says little.
STRENGTH_EVERY, USUAL_STRENGTH = 10, 10.0


@dataclass(frozen=True, eq=False)
class LatentClasses:
    """Expected counts of the classes by value, a row each; their prior; the rounds made.

    `starts` says where the rows of each attribute begin.
    """

    people: Floats
    counts: Floats
    prior: Floats
    starts: tuple[int, ...]
    rounds: int
    fitted_on: int

    @classmethod
    def of(
        cls,
        sample: SampledCells,
        rng: np.random.Generator,
        progress: Progress = no_progress,
        rounds: int = ROUNDS,
    ) -> LatentClasses:
        """Fitted to a sample, beginning with classes around people that `rng` draws."""
        starts = tuple(np.cumsum([0, *sample.values]).tolist())
        classes = max(1, min(MOST_CLASSES, sample.n // PEOPLE_A_CLASS))
        part = sample.part(PART, rng) if sample.cells > MOST_CELLS else sample
        share = _begin(part, one_hot(part, starts), classes, rng)
        found = _rounds(part, starts, share, rounds, progress)
        if part is sample:
            return found
        return _last_rounds(sample, starts, found)

    def log_terms(self) -> tuple[Floats, Floats]:
        """E[ln π], and E[ln θ] of all attributes below each other."""
        from scipy.special import digamma

        after = self.people.sum() - np.cumsum(self.people)
        whole = digamma(1.0 + self.people + CONCENTRATION + after)
        stick = digamma(1.0 + self.people) - whole
        rest = digamma(CONCENTRATION + after) - whole
        classes = stick + np.concatenate([[0.0], np.cumsum(rest)[:-1]])
        held = self.counts + self.prior[:, None]
        totals = np.add.reduceat(held, self.starts[:-1], axis=0)
        return classes, digamma(held) - np.repeat(digamma(totals), np.diff(self.starts), axis=0)

    def shares(self, cells: Any) -> Floats:
        """r: the probability of each class, a row for each cell."""
        classes, values = self.log_terms()
        logs = cells @ values
        logs += classes
        logs -= logs.max(axis=1, keepdims=True)
        np.exp(logs, out=logs)
        logs /= logs.sum(axis=1, keepdims=True)
        return np.asarray(logs)

    def log_left_out(self, sample: SampledCells) -> Floats:
        """ln p of each cell, its own people left out."""
        found = np.empty(sample.cells)
        step = max(1, BLOCK_NUMBERS // len(self.people))
        for begin in range(0, sample.cells, step):
            part = slice(begin, begin + step)
            found[part] = self._left_out(sample.rows(part))
        return found

    def _left_out(self, sample: SampledCells) -> Floats:
        own = self.shares(one_hot(sample, self.starts)) * sample.held[:, None]
        left = np.maximum(self.people - own, 0.0)
        after = np.maximum(left.sum(axis=1, keepdims=True) - np.cumsum(left, axis=1), 0.0)
        stick = (1.0 + left) / (1.0 + left + CONCENTRATION + after)
        # The last class takes what is left of the stick.
        stick[:, -1] = 1.0
        logs = np.log(stick)
        logs[:, 1:] += np.cumsum(np.log1p(-stick[:, :-1]), axis=1)
        strengths = np.add.reduceat(self.prior, self.starts[:-1])
        for place in range(len(sample.values)):
            at = self.starts[place] + sample.codes[:, place]
            held = np.maximum(self.counts[at] - own, 0.0) + self.prior[at][:, None]
            logs += np.log(held / (left + strengths[place]))
        top = logs.max(axis=1)
        return np.asarray(top + np.log(np.exp(logs - top[:, None]).sum(axis=1)))


def one_hot(sample: SampledCells, starts: tuple[int, ...]) -> Any:
    """A sparse row for each cell: 1 at each of its values."""
    from scipy.sparse import csr_array

    width = len(sample.values)
    places = (sample.codes + np.asarray(starts[:-1], dtype=np.int32)).ravel()
    ends = np.arange(0, sample.cells * width + 1, width, dtype=np.int64)
    shape = (sample.cells, starts[-1])
    return csr_array((np.ones(len(places)), places.astype(np.int32), ends), shape=shape)


def _begin(sample: SampledCells, cells: Any, classes: int, rng: np.random.Generator) -> Floats:
    """Each class begins around one record: cells that share rare values with it belong to it."""
    chances = sample.people / sample.n
    centre = rng.choice(sample.cells, classes, p=chances)
    rare = np.log1p(1.0 / np.sqrt(np.maximum(cells.T @ chances, 1e-12)))
    alike = cells @ (cells[centre].toarray() * rare).T
    alike += rng.gumbel(size=alike.shape) * 0.5
    alike -= alike.max(axis=1, keepdims=True)
    share = np.exp(alike)
    return np.asarray(share / share.sum(axis=1, keepdims=True))


def _rounds(
    sample: SampledCells, starts: tuple[int, ...], share: Floats, rounds: int, progress: Progress
) -> LatentClasses:
    cells = one_hot(sample, starts)
    margin = _margins(sample, cells, starts)
    strengths = np.full(len(sample.values), 5.0)
    for done in range(1, rounds + 1):
        people, counts = _counted(sample, cells, share)
        if done % STRENGTH_EVERY == 0:
            strengths = _strengths(counts, margin, starts)
        prior = margin * np.repeat(strengths, np.diff(starts))
        found = LatentClasses(people, counts, prior, starts, done, sample.n)
        share = found.shares(cells)
        progress("fitting latent classes", done, rounds)
    return found


def _last_rounds(
    sample: SampledCells, starts: tuple[int, ...], found: LatentClasses
) -> LatentClasses:
    """Classes found in a part of the people, counted in all of them; block by block."""
    for _ in range(LAST_ROUNDS):
        people, counts = np.zeros_like(found.people), np.zeros_like(found.counts)
        step = max(1, BLOCK_NUMBERS // len(people))
        for begin in range(0, sample.cells, step):
            part = sample.rows(slice(begin, begin + step))
            cells = one_hot(part, starts)
            held = found.shares(cells) * part.held[:, None]
            people += held.sum(axis=0)
            counts += cells.T @ held
        found = LatentClasses(
            people, counts, found.prior, starts, found.rounds + 1, found.fitted_on
        )
    return found


def _counted(sample: SampledCells, cells: Any, share: Floats) -> tuple[Floats, Floats]:
    """Expected people by class, the largest class first, and by value and class."""
    held = share * sample.held[:, None]
    people = held.sum(axis=0)
    order = np.argsort(-people, kind="stable")
    return people[order], np.asarray(cells.T @ held)[:, order]


def _margins(sample: SampledCells, cells: Any, starts: tuple[int, ...]) -> Floats:
    counts = cells.T @ sample.held + 0.5
    totals = np.add.reduceat(counts, starts[:-1])
    return np.asarray(counts / np.repeat(totals, np.diff(starts)))


def _strengths(counts: Floats, margin: Floats, starts: tuple[int, ...]) -> Floats:
    found = []
    for place in range(len(starts) - 1):
        part = slice(starts[place], starts[place + 1])
        rows = counts[part].T
        expected = np.broadcast_to(margin[part], rows.shape)
        found.append(likeliest_strength(rows, expected, USUAL_STRENGTH)[0])
    return np.array(found)
