"""What a count probably was, given the number published of it: prior times likelihood.

Symbols: x people, m how many there would be on average (n_a·n_b/n for a cell), y what was
published, r the shape.

    P(x) = Γ(x + r)/(Γ(r)·x!) · (r/(r + m))^r · (m/(r + m))^x        (negative binomial)
    P(x | y) ∝ P(x)·P(y | x),      E[x | y] = Σ x·P(x | y)

a Poisson count whose mean is m times a Gamma number of shape r and mean one: r → ∞ is independence.
r is the one under which a table's published numbers, those of cells not listed among them, are
likeliest. P(y | x) is the protection's law, a `PublishedLaw`; a sum over some numbers of people,
with weights where others between them are left out.

Where it fails: one shape for all cells of a table; counts that other tables say more of.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from reidrisk.arrays import Floats, Ints, Places

# KnownCells whose likelihood decides the shape, and expected counts that others are put on.
MOST_FITTED, EXPECTED_GRID = 5_000, 192
# The shape, from nearly all people in few cells to independence, in steps and then more finely.
SHAPES = (1e-3, 1e5)
STEPS, REFINED = 13, 16
GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0
# Entries worked on at a time.
AT_ONCE = 2_000_000
LEAST = 1e-12


class Likelihood(NamedTuple):
    """For each cell, a row, log P(y | x) at `people[place]`, with the log of the sum's weights."""

    people: Floats
    place: Places
    log_weight: Floats


class PublishedLaw(Protocol):
    """How a published number comes from a count."""

    @property
    def variance(self) -> float:
        """Of a published number around its count, about."""

    @property
    def bounded(self) -> bool:
        """Whether a published number can't be far from its count."""

    def listed(self, published: Ints) -> Likelihood:
        """Of numbers that are in the file."""

    def unlisted(self) -> Likelihood:
        """Of a cell that isn't: one row."""


class Posterior(NamedTuple):
    """Mean and variance of each count."""

    mean: Floats
    variance: Floats


def log_gamma(x: Floats) -> Floats:
    """log Γ(x), x > 0, by Stirling's series from x + 8."""
    far = x + 8.0
    rising = np.ones_like(far)
    for step in range(8):
        rising *= x + step
    inverse = 1.0 / (far * far)
    series = 1.0 / 12.0 - inverse * (1.0 / 360.0 - inverse * (1.0 / 1260.0 - inverse / 1680.0))
    log_far = (far - 0.5) * np.log(far) - far + 0.5 * math.log(2.0 * math.pi) + series / far
    return np.asarray(log_far - np.log(rising))


class KnownCells(NamedTuple):
    """Those of one table: listed ones with their expected counts, the expected of the others."""

    published: Ints
    expected: Floats
    unlisted: Floats


def fitted_shape(cells: KnownCells, law: PublishedLaw) -> float:
    """r by likelihood; of many listed cells some, evenly, each counting for more."""
    stride = -(-len(cells.published) // MOST_FITTED) or 1
    some = law.listed(cells.published[::stride])
    expected = np.maximum(cells.expected[::stride], LEAST)
    times = len(cells.published) / max(len(expected), 1)
    grid, weight = _on_grid(cells.unlisted)
    apart = law.unlisted() if len(grid) else some

    def unlikely(log_shape: float) -> float:
        shape = math.exp(log_shape)
        listed = float(_log_evidence(some, expected, shape).sum()) if len(expected) else 0.0
        rest = float(np.dot(weight, _log_evidence(apart, grid, shape))) if len(grid) else 0.0
        return -(times * listed + rest)

    return math.exp(_least(unlikely, math.log(SHAPES[0]), math.log(SHAPES[1])))


def posterior_of_listed(
    published: Ints, expected: Floats, shape: float, law: PublishedLaw
) -> Posterior:
    """Mean and variance of each listed count."""
    mean, variance = np.zeros(len(published)), np.zeros(len(published))
    # The longest rows come with the largest numbers; 200 entries are more than they have.
    for begin in range(0, len(published), AT_ONCE // 200):
        some = slice(begin, begin + AT_ONCE // 200)
        found = _posterior(law.listed(published[some]), np.maximum(expected[some], LEAST), shape)
        mean[some], variance[some] = found
    return Posterior(mean, variance)


def posterior_of_unlisted(expected: Floats, shape: float, law: PublishedLaw) -> Posterior:
    """Mean and variance of counts that aren't listed: smooth in the expected count, so worked out
    on a grid of it.
    """
    if not expected.size:
        return Posterior(np.zeros(expected.shape), np.zeros(expected.shape))
    at = np.log(np.maximum(expected, LEAST))
    grid = np.linspace(float(at.min()), float(at.max()) + 1e-9, EXPECTED_GRID)
    found = _posterior(law.unlisted(), np.exp(grid), shape)
    mean, variance = (
        np.exp(np.interp(at, grid, np.log(np.maximum(each, 1e-300)))) for each in found
    )
    return Posterior(mean, variance)


def drawn_of_listed(
    published: Ints, expected: Floats, shape: float, law: PublishedLaw, rng: np.random.Generator
) -> Floats:
    """Each listed count, drawn from its posterior."""
    drawn = np.zeros(len(published))
    for begin in range(0, len(published), AT_ONCE // 200):
        some = slice(begin, begin + AT_ONCE // 200)
        drawn[some] = _drawn(law.listed(published[some]), expected[some], shape, rng)
    return drawn


def drawn_of_unlisted(
    expected: Floats, shape: float, law: PublishedLaw, rng: np.random.Generator
) -> Floats:
    """Counts that aren't listed, drawn from their posteriors."""
    likelihood = law.unlisted()
    drawn, step = np.zeros(len(expected)), max(AT_ONCE // len(likelihood.people), 1)
    for begin in range(0, len(expected), step):
        some = slice(begin, begin + step)
        drawn[some] = _drawn(likelihood, expected[some], shape, rng)
    return drawn


def _drawn(
    likelihood: Likelihood, expected: Floats, shape: float, rng: np.random.Generator
) -> Floats:
    """From each row's posterior, by its distribution function."""
    share = _shares(likelihood, np.maximum(expected, LEAST), shape)
    reached = np.cumsum(share, axis=1)
    found = (reached < rng.random(len(reached))[:, None] * reached[:, -1:]).sum(axis=1)
    place = np.broadcast_to(likelihood.place, share.shape)
    return np.asarray(likelihood.people[place[np.arange(len(found)), found]])


def _log_prior(likelihood: Likelihood, expected: Floats, shape: float) -> Floats:
    """log P(x) without what is the same for all cells, and log P(y | x)."""
    people = likelihood.people
    of_people = log_gamma(people + shape) - log_gamma(people + 1.0)
    own = shape * np.log(shape / (shape + expected)) - float(log_gamma(np.array([shape]))[0])
    odds = np.log(expected / (shape + expected))
    joint = of_people[likelihood.place] + people[likelihood.place] * odds[:, None]
    return np.asarray(joint + own[:, None] + likelihood.log_weight)


def _log_evidence(likelihood: Likelihood, expected: Floats, shape: float) -> Floats:
    joint = _log_prior(likelihood, expected, shape)
    most = joint.max(axis=1)
    return np.asarray(most + np.log(np.exp(joint - most[:, None]).sum(axis=1)))


def _shares(likelihood: Likelihood, expected: Floats, shape: float) -> Floats:
    """P(x | y), a row for each cell."""
    joint = _log_prior(likelihood, expected, shape)
    share = np.exp(joint - joint.max(axis=1, keepdims=True))
    return np.asarray(share / share.sum(axis=1, keepdims=True))


def _posterior(likelihood: Likelihood, expected: Floats, shape: float) -> Posterior:
    share = _shares(likelihood, expected, shape)
    people = likelihood.people[likelihood.place]
    mean = (share * people).sum(axis=1)
    return Posterior(mean, (share * (people - mean[:, None]) ** 2).sum(axis=1))


def _on_grid(expected: Floats) -> tuple[Floats, Floats]:
    """Expected counts on a grid, and how many fall to each."""
    if not len(expected):
        return np.empty(0), np.empty(0)
    at = np.log(np.maximum(expected, LEAST))
    number, edges = np.histogram(at, bins=EXPECTED_GRID)
    held = number > 0
    return np.exp(0.5 * (edges[1:] + edges[:-1]))[held], number[held].astype(float)


def _least(of: Callable[[float], float], low: float, high: float) -> float:
    """Where `of` is least: the best of some steps, then a golden section around it."""
    grid = np.linspace(low, high, STEPS)
    middle = float(min(grid, key=of))
    low, high = max(low, middle - grid[1] + grid[0]), min(high, middle + grid[1] - grid[0])
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_left, at_right = of(left), of(right)
    for _ in range(REFINED):
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - GOLDEN * (high - low)
            at_left = of(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + GOLDEN * (high - low)
            at_right = of(right)
    return 0.5 * (low + high)
