"""Reading back the counts of single attributes, and how many people there are.

Posterior means of the listed values' counts around n/D; the rest of an attribute is what these
leave, weighed with its own number where that was published. What the means lack to n is shared out
by their variances. `reading_back` adds what pair tables say, and explains the symbols and how many
values a rest is taken to have.

Where it fails: how many values a rest has is often a guess.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from reidrisk.arrays import Counts, Floats, Ints, Places
from reidrisk.laws import (
    KnownCells,
    Posterior,
    PublishedLaw,
    fitted_shape,
    posterior_of_listed,
)

SHARING_ROUNDS = 50
EULER = 0.5772156649015329


class PublishedMargin(NamedTuple):
    """Numbers of an attribute's listed values; of further ones, at most about how many people hold
    one (nought: there is no rest), and where it was published, how many people and values they are.
    """

    counts: Ints
    rest_up_to: int = 0
    rest: int | None = None
    rest_values: int | None = None

    @property
    def has_rest(self) -> bool:
        """Where no value is listed, everybody has to be somewhere."""
        return self.rest_up_to > 0 or not len(self.counts)


class ReadMargin(NamedTuple):
    """Counts of the listed values, and of the unnamed ones that the rest is taken to consist of."""

    listed: Counts
    rest: Counts

    @property
    def counts(self) -> Counts:
        """Of each value, the unnamed ones last."""
        return np.concatenate([self.listed, self.rest])

    def merged(self, with_rest: bool) -> Floats:
        """Of the listed values, and if asked for of the rest as one."""
        found = np.append(self.listed, self.rest.sum()) if with_rest else self.listed
        return found.astype(np.float64)

    def spread(self, cells: Floats) -> Floats:
        """Rows of a table, the last of which is the rest's, with that one shared out."""
        if not len(self.rest):
            return cells[: len(self.listed)]
        share = self.rest / self.rest.sum()
        return np.concatenate([cells[:-1], share[:, None] * cells[-1][None, :]])

    @property
    def places(self) -> Places:
        """Of each value's row in such a table: the rest's for all of its values."""
        rest = np.full(len(self.rest), len(self.listed))
        return np.concatenate([np.arange(len(self.listed)), rest]).astype(np.intp)


def people_of(published: int, margins: Sequence[PublishedMargin]) -> int:
    """n, at least one: the numbers that stand for everybody, weighed by what is known of each."""
    sums = [(float(published), 1.0)]
    sums += [(float(each.counts.sum()), float(len(each.counts))) for each in margins
             if not each.has_rest]  # fmt: skip
    weights = np.array([1.0 / numbers for _, numbers in sums])
    return max(int(np.rint(np.average([total for total, _ in sums], weights=weights))), 1)


def margin_of(margin: PublishedMargin, people: int, law: PublishedLaw) -> Posterior:
    """Means and variances of the listed values' counts, and of the rest's if there is one."""
    listed = np.asarray(margin.counts, dtype=np.int64)
    found = Posterior(np.empty(0), np.empty(0))
    if len(listed):
        expected = np.full(len(listed), people / len(listed))
        shape = fitted_shape(KnownCells(listed, expected, np.empty(0)), law)
        found = posterior_of_listed(listed, expected, shape, law)
    if not margin.has_rest:
        return found
    left = max(people - float(found.mean.sum()), 0.0)
    unsure = float(found.variance.sum()) + law.variance
    if margin.rest is not None:
        share = unsure / (unsure + law.variance)
        left += share * (margin.rest - left)
        unsure *= 1.0 - share
    return Posterior(np.append(found.mean, left), np.append(found.variance, unsure))


def settled_margin(margin: PublishedMargin, found: Posterior, people: int) -> ReadMargin:
    """Whole numbers that add up to `people`."""
    counts = whole(brought_to(found, people), people)
    if not margin.has_rest:
        return ReadMargin(counts, np.empty(0, dtype=np.int64))
    rest = _values_of_rest(int(counts[-1]), margin.rest_up_to or people, margin.rest_values)
    return ReadMargin(counts[:-1], rest)


def _values_of_rest(people: int, up_to: int, number: float | None = None) -> Counts:
    """Counts of the values that so many people hold, at even steps of the log series."""
    if not people:
        return np.empty(0, dtype=np.int64)
    if number is None:
        number = people / up_to * (math.log(up_to) + EULER)
    values = min(max(round(number), 1), people)
    steps = (np.arange(values) + 0.5) / values
    found = whole(np.exp(steps * math.log(max(up_to, 2))), people)
    return found[found > 0]


def brought_to(found: Posterior, people: int) -> Floats:
    """Σ = people: what lacks goes to each by its variance, and none below nought."""
    mean, variance = found.mean.copy(), np.maximum(found.variance, 1e-9)
    free = np.ones(len(mean), dtype=bool)
    for _ in range(SHARING_ROUNDS):
        lacking = people - mean.sum()
        if abs(lacking) < 1e-6 or not free.any():
            break
        mean[free] += lacking * variance[free] / variance[free].sum()
        free &= mean > 0.0
        mean = np.maximum(mean, 0.0)
    return mean if mean.sum() > 0 else np.full(len(mean), people / len(mean))


def whole(weights: Floats, total: int) -> Counts:
    """Whole numbers in proportion to the weights that add up to `total`: largest remainders."""
    shares = weights * (total / weights.sum())
    found = np.floor(shares).astype(np.int64)
    by_remainder = np.argsort(found - shares, kind="stable")
    found[by_remainder[: total - int(found.sum())]] += 1
    return np.asarray(found)
