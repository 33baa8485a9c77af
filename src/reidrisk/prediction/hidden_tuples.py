"""Tuples with hidden counts: their crowd is a mixture over what the counts may be.

Symbols: the tuple's values have counts c, known or drawn from what is possible (`hidden_counts`,
`pair_settling`) with weights w_c; X_c is the crowd's law were they these. Then

| given | P(crowd ≥ k), E[crowd], E[1/crowd] are means over c weighed by |
|---|---|
| member | w_c·E[X_c]: a member is met the more often the larger the crowd |
| paper | w_c·P(X_c ≥ 1): somebody is there |
| unknown | w_c |

and the limits are the least and the most over all c that are possible.

Where it fails: many different numbers are stood for by a few of them; with several hidden counts in
a tuple, each has fewer.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reidrisk.laws.conditioned import CrowdsOfTuples, Given
from reidrisk.statistics.hidden_counts import HiddenCounts
from reidrisk.statistics.settling import Settled, SettledAttribute

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]
Places = NDArray[np.intp]
# Ways one tuple's counts are looked at, and numbers one of its hidden counts is looked at.
MOST_WAYS = 256
MOST_NUMBERS = 64


class Ways(NamedTuple):
    """Tuples with counts they may have: which tuple, its counts, and how likely these are."""

    rows: Places
    counts: Floats
    weights: Floats

    def several(self, column: int, which: Places, numbers: Floats, chance: Floats) -> Ways:
        """Where `which`, each way once for each of the numbers one of its counts may be."""
        kept = np.ones(len(self.rows), dtype=bool)
        kept[which] = False
        again = np.repeat(which, len(numbers))
        counts = self.counts[again]
        counts[:, column] = np.tile(numbers, len(which))
        weights = self.weights[again] * np.tile(chance, len(which))
        return Ways(
            np.concatenate([self.rows[kept], self.rows[again]]),
            np.concatenate([self.counts[kept], counts]),
            np.concatenate([self.weights[kept], weights]),
        )


class Parts(NamedTuple):
    """Crowds of tuples were their counts so: which tuple, how likely, and E[X].

    A part of weight 0 counts for the limits only.
    """

    rows: Places
    weights: Floats
    crowds: CrowdsOfTuples
    mean: Floats


class Limits(NamedTuple):
    """The least and the most by all that is possible, a row a tuple of (least, most)."""

    expected: Floats
    risk: Floats
    alone: Floats


def with_hidden(settled: Settled, codes: Codes) -> NDArray[np.bool_]:
    """Which tuples have a value whose count is hidden, or two whose cell is."""
    found = np.zeros(len(codes), dtype=bool)
    for place, attribute in enumerate(settled.attributes):
        if attribute.hidden is not None:
            found |= attribute.hidden.places[codes[:, place]]
    for (i, j), cells in settled.hidden_cells.items():
        found |= cells.hidden[codes[:, i], codes[:, j]]
    return found


def ways_of(settled: Settled, codes: Codes, counts: Floats) -> Ways:
    """Each tuple once for everything that its values' hidden counts may be."""
    ways = Ways(np.arange(len(codes)), counts, np.ones(len(codes)))
    hidden = [
        (place, attribute, attribute.hidden)
        for place, attribute in enumerate(settled.attributes)
        if attribute.hidden is not None
    ]
    number = np.zeros(len(codes), dtype=np.int64)
    for place, _, counted in hidden:
        number += counted.places[codes[:, place]]
    points = np.full(len(codes), MOST_NUMBERS)
    points[number > 0] = np.maximum(MOST_WAYS ** (1.0 / number[number > 0]), 2).astype(np.int64)
    for place, attribute, counted in hidden:
        for value in np.unique(codes[counted.places[codes[:, place]], place]).tolist():
            numbers, chance = _law(attribute, counted, value)
            for most in np.unique(points[codes[:, place] == value]).tolist():
                now = ways.rows
                which = np.flatnonzero((codes[now, place] == value) & (points[now] == most))
                fewer = stood_for(numbers, chance, min(most, MOST_NUMBERS))
                ways = ways.several(place, which, *fewer)
    return ways


def _law(attribute: SettledAttribute, hidden: HiddenCounts, place: int) -> tuple[Floats, Floats]:
    """The numbers one value may be held by; a sample's as those of the population."""
    numbers, chance = hidden.law(place)
    times = attribute.counts.sum() / max(float(hidden.expected.sum()), 1.0)
    return (numbers if times == 1.0 else np.rint(numbers * times)).astype(np.float64), chance


def stood_for(numbers: Floats, chance: Floats, most: int) -> tuple[Floats, Floats]:
    """About so many numbers for a law, of the same mean: the smallest and the largest as they are,
    the others in stretches, by the whole numbers around the mean of each.
    """
    if len(numbers) <= most:
        return numbers, chance
    first, last = (3, len(numbers) - 1) if most >= 8 else (1, len(numbers) - (most > 2))
    stretches = max((most - first - (len(numbers) - last)) // 2, 1)
    # Half by chance, half by people: members are met among large numbers.
    drawn = chance[first:last] * (numbers[first:last] + np.dot(numbers, chance) + 1e-300)
    stretch = np.minimum(np.cumsum(drawn) / drawn.sum() * stretches, stretches - 1).astype(np.int64)
    weight = np.bincount(stretch, chance[first:last])
    held = weight > 0
    weight = weight[held]
    means = np.bincount(stretch, chance[first:last] * numbers[first:last])[held] / weight
    low = np.floor(means + 1e-9)
    up = np.clip(means - low, 0.0, 1.0)
    apart = np.concatenate([numbers[:first], low, low[up > 0] + 1.0, numbers[last:]])
    weights = [chance[:first], weight * (1.0 - up), (weight * up)[up > 0], chance[last:]]
    return apart, np.concatenate(weights)


def mixed(parts: Parts, tuples: int, given: Given) -> tuple[CrowdsOfTuples, Limits]:
    """The crowds of so many tuples, and their limits; `paper` comes with crowds as `unknown`."""
    crowds = parts.crowds
    weights = parts.weights * (parts.mean if given == "member" else 1.0)
    total = np.bincount(parts.rows, weights, tuples)
    figures = np.column_stack([crowds.at_least, crowds.expected, crowds.risk, crowds.nobody])
    means = np.empty((tuples, figures.shape[1]))
    for column in range(figures.shape[1]):
        means[:, column] = np.bincount(parts.rows, weights * figures[:, column], tuples)
    means /= np.maximum(total, 1e-300)[:, None]
    at_least, expected, risk, nobody = means[:, :-3], means[:, -3], means[:, -2], means[:, -1]
    limits = _limits(parts, tuples, given)
    if given == "paper":
        somebody = np.maximum(1.0 - nobody, 1e-300)
        at_least = np.minimum(at_least / somebody[:, None], 1.0)
        expected, risk, nobody = expected / somebody, risk / somebody, np.zeros(tuples)
    return CrowdsOfTuples(given, crowds.ks, at_least, expected, risk, nobody), limits


def _limits(parts: Parts, tuples: int, given: Given) -> Limits:
    crowds = parts.crowds
    alone = 1.0 - crowds.at_least[:, crowds.ks.index(2)] - crowds.nobody
    somebody = np.maximum(1.0 - crowds.nobody, 1e-300) if given == "paper" else 1.0
    found = []
    for figure, top in ((crowds.expected, np.inf), (crowds.risk, 1.0), (alone, 1.0)):
        held = np.clip(figure / somebody, 0.0, top)
        least, most = np.full(tuples, np.inf), np.full(tuples, -np.inf)
        np.minimum.at(least, parts.rows, held)
        np.maximum.at(most, parts.rows, held)
        found.append(np.column_stack([least, most]))
    return Limits(*found)
