"""Hidden counts of combinations: the crowd is a mixture over what the counts may be.

**Values.** The values of a combination have counts c, known or as possible (`hidden_counts`) with
weights w_c; X_c is the crowd's law were they these. Then

| given | P(crowd ≥ k), E[crowd], E[1/crowd] are means over c weighed by |
|---|---|
| member | w_c·E[X_c]: a member is met the more often the larger the crowd |
| paper | w_c·P(X_c ≥ 1): somebody is there |
| unknown | w_c |

and the limits are the least and the most over all c that are possible.

**Cells along a tree of pair tables**: people with two values whose number isn't published. A cell
x is expected to hold μ people, between l and u (`pair_imputation`). Suppressed below a number
("<5"), it is a Poisson count given l ≤ x ≤ u whose mean is μ. Left out altogether, it is a part of
the n_p holders of its parent value by chance, each with probability μ/n_p. It follows its values'
counts where these are hidden too: μ is in proportion to each.

Where it fails: many different numbers are represented by a few of them; with several hidden counts
in a combination, each has fewer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reidrisk.arrays import Floats, Ints, Mask, Places
from reidrisk.laws import CrowdsOfTuples, Given
from reidrisk.models import Combinations, EdgeCells, Forest, Tree, averaged_cells
from reidrisk.statistics import CompleteAttribute, CompleteCounts, HiddenCounts, UnsureCounts

# Possible counts of one tuple, and numbers of one of its hidden counts, that are gone through.
MOST_WAYS = 256
MOST_NUMBERS = 64


class PossibleCounts(NamedTuple):
    """Tuples with counts they may have: which tuple, its counts, and how likely these are."""

    rows: Places
    counts: Floats
    weights: Floats

    def several(
        self, column: int, which: Places, numbers: Floats, chance: Floats
    ) -> PossibleCounts:
        """Where `which`, each possibility once for each of the numbers one of its counts may be."""
        kept = np.ones(len(self.rows), dtype=bool)
        kept[which] = False
        again = np.repeat(which, len(numbers))
        counts = self.counts[again]
        counts[:, column] = np.tile(numbers, len(which))
        weights = self.weights[again] * np.tile(chance, len(which))
        return PossibleCounts(
            np.concatenate([self.rows[kept], self.rows[again]]),
            np.concatenate([self.counts[kept], counts]),
            np.concatenate([self.weights[kept], weights]),
        )


class PossibleCrowds(NamedTuple):
    """Crowds of tuples were their counts so: which tuple, how likely, and E[X].

    A part of weight 0 counts for the limits only.
    """

    rows: Places
    weights: Floats
    crowds: CrowdsOfTuples
    mean: Floats


class Limits(NamedTuple):
    """The least and the most by all that is possible, one row of (least, most) per tuple."""

    expected: Floats
    risk: Floats
    alone: Floats


def with_hidden(complete: CompleteCounts, codes: Ints) -> NDArray[np.bool_]:
    """Which tuples have a value whose count is hidden, or two whose cell is."""
    hidden = np.zeros(len(codes), dtype=bool)
    for place, attribute in enumerate(complete.attributes):
        if attribute.uncertain is not None:
            hidden |= attribute.uncertain.places[codes[:, place]]
    for (i, j), cells in complete.hidden_cells.items():
        hidden |= cells.hidden[codes[:, i], codes[:, j]]
    return hidden


def possible_counts(complete: CompleteCounts, codes: Ints, counts: Floats) -> PossibleCounts:
    """Each tuple once for everything that its values' hidden counts may be."""
    ways = PossibleCounts(np.arange(len(codes)), counts, np.ones(len(codes)))
    hidden = [
        (place, attribute, attribute.uncertain)
        for place, attribute in enumerate(complete.attributes)
        if attribute.uncertain is not None
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
                fewer = representatives(numbers, chance, min(most, MOST_NUMBERS))
                ways = ways.several(place, which, *fewer)
    return ways


def _law(
    attribute: CompleteAttribute, hidden: HiddenCounts | UnsureCounts, place: int
) -> tuple[Floats, Floats]:
    """The numbers one value may be held by; a sample's as those of the population."""
    numbers, chance = hidden.law(place)
    times = attribute.counts.sum() / max(float(hidden.expected.sum()), 1.0)
    return (numbers if times == 1.0 else np.rint(numbers * times)).astype(np.float64), chance


def representatives(numbers: Floats, chance: Floats, most: int) -> tuple[Floats, Floats]:
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


def mixed(parts: PossibleCrowds, tuples: int, given: Given) -> tuple[CrowdsOfTuples, Limits]:
    """The crowds of so many tuples, and their limits; `paper` comes with crowds as `unknown`."""
    crowds = parts.crowds
    weights = parts.weights * (parts.mean if given == "member" else 1.0)
    total = np.bincount(parts.rows, weights, tuples)
    figures = np.column_stack([crowds.at_least, crowds.expected, crowds.risk, crowds.nobody])
    means = np.empty((tuples, figures.shape[1]))
    for column in range(figures.shape[1]):
        means[:, column] = np.bincount(parts.rows, weights * figures[:, column], tuples)
    means /= np.maximum(total, 1e-300)[:, None]
    return CrowdsOfTuples.of_figures(means, crowds.ks, given), _limits(parts, tuples, given)


def _limits(parts: PossibleCrowds, tuples: int, given: Given) -> Limits:
    crowds = parts.crowds
    alone = 1.0 - crowds.at_least[:, crowds.ks.index(2)] - crowds.nobody
    somebody = np.maximum(1.0 - crowds.nobody, 1e-300) if given == "paper" else 1.0
    limits = []
    for figure, top in ((crowds.expected, np.inf), (crowds.risk, 1.0), (alone, 1.0)):
        figures = np.clip(figure / somebody, 0.0, top)
        least, most = np.full(tuples, np.inf), np.full(tuples, -np.inf)
        np.minimum.at(least, parts.rows, figures)
        np.maximum.at(most, parts.rows, figures)
        limits.append(np.column_stack([least, most]))
    return Limits(*limits)


# Larger ones are shares by chance: whoever is alone isn't among so many.
MOST_COUNTED = 64
# Numbers that a way's cells are gone through where all cells were read back, and most are unsure.
MOST_READ_BACK = 8
HALVINGS = 60


class JointCounts(NamedTuple):
    """Of each tuple (row) and stage of the forest: people who hold an attribute's value and its
    parent's. Where that is `hidden`, their mean and between which numbers they lie; `below` where
    a count was suppressed, else a stated count or a share by chance.
    """

    mean: Floats
    least: Floats
    most: Floats
    hidden: Mask
    below: Mask


class Counted(NamedTuple):
    """Possible counts with their joint counts: which of them, how likely, and the joint counts."""

    ways: NDArray[np.intp]
    weights: Floats
    joint: Floats


def combinations_of(
    complete: CompleteCounts, codes: Ints, counts: Floats | None = None
) -> Combinations:
    """Tuples and their values' counts: those to be expected, or others that are possible."""
    attributes = complete.attributes
    if counts is None:
        columns = [each.expected_counts[codes[:, j]] for j, each in enumerate(attributes)]
        return Combinations(codes, np.stack(columns, axis=1), [a.in_other for a in attributes])
    unstated = {edge: cells.unstated for edge, cells in complete.hidden_cells.items()}
    return Combinations(codes, counts, [each.in_other for each in attributes], unstated)


def tree_parts(
    complete: CompleteCounts,
    tree: Tree,
    codes: Ints,
    ways: PossibleCounts,
    ks: Sequence[int],
    given: Given,
) -> PossibleCrowds:
    """The crowds of tuples for everything that their counts and cells may be."""
    forest = tree.forest
    known = joint_counts(complete, forest, codes, ways.counts)
    every, none = np.arange(len(codes)), np.zeros(len(codes))
    somebody = 1.0 if given == "member" else 0.0
    low = np.where(known.hidden, np.maximum(known.least, somebody), known.mean)
    high = np.where(known.hidden, np.maximum(known.most, somebody), known.mean)
    most = MOST_READ_BACK if complete.read_back else None
    counted, numbered = counted_below(known, ways.weights, most)
    parts = [(counted, known.hidden & ~numbered)]
    if known.hidden.any():
        fixed = np.zeros_like(known.hidden)
        parts += [(Counted(every, none, end), fixed) for end in (low, high)]
    crowds, rows, weights, means = [], [], [], []
    for counted, by_chance in parts:
        at = counted.ways
        joint = [
            EdgeCells(counted.joint[:, stage], by_chance[at, stage])
            for stage in range(len(forest.order))
        ]
        combinations = combinations_of(complete, codes[at], ways.counts[at])
        answer = tree.crowds(combinations, ks, given, joint)
        crowds.append(answer.crowds)
        means.append(answer.mean)
        rows.append(ways.rows[at])
        weights.append(counted.weights)
    together = crowds[0].each(lambda *columns: np.concatenate(columns), *crowds[1:])
    return PossibleCrowds(
        np.concatenate(rows), np.concatenate(weights), together, np.concatenate(means)
    )


def joint_counts(
    complete: CompleteCounts, forest: Forest, codes: Ints, counts: Floats
) -> JointCounts:
    """What is known of the tuples' pairs of values along the forest."""
    shape = codes.shape
    mean, least, most = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    hidden, below = np.zeros(shape, dtype=bool), np.zeros(shape, dtype=bool)
    attributes, knowledge = complete.attributes, complete.knowledge
    expected = combinations_of(complete, codes).counts
    typical = knowledge.counts_of(codes)
    in_other = np.stack([codes[:, j] >= len(a.values) for j, a in enumerate(attributes)], axis=1)
    times = counts / np.maximum(np.where(in_other, expected, typical), 1e-300)
    for stage, j in enumerate(forest.order):
        parent = forest.parent[j]
        if parent is None:
            continue
        cells = knowledge.pair(parent, j)
        assert cells is not None
        averaged = averaged_cells(cells, attributes[parent].in_other, attributes[j].in_other)
        places = codes[:, parent], codes[:, j]
        holders = np.minimum(counts[:, parent], counts[:, j])
        mean[:, stage] = averaged[places]
        unknown = complete.hidden_between(parent, j)
        follows = in_other[:, parent] | in_other[:, j]
        if unknown is not None:
            follows |= unknown.unstated[places]
            hidden[:, stage] = unknown.hidden[places]
        scaled = mean[:, stage] * np.where(follows, times[:, parent] * times[:, j], 1.0)
        mean[:, stage] = np.minimum(scaled, holders)
        if unknown is None:
            continue
        least[:, stage] = np.minimum(unknown.least[places], holders)
        top = np.where(unknown.below[places], unknown.most[places], np.inf)
        sums = np.where(times[:, parent] * times[:, j] == 1.0, unknown.most[places], np.inf)
        most[:, stage] = np.minimum(np.minimum(top, sums), holders)
        below[:, stage] = (
            hidden[:, stage] & unknown.below[places] & (most[:, stage] <= MOST_COUNTED)
        )
    return JointCounts(mean, least, most, hidden, below)


def counted_below(
    known: JointCounts, weights: Floats, most: int | None = None
) -> tuple[Counted, Mask]:
    """Every way once for each number that its cells suppressed below a number may be; and which
    cells these were. One that would make more than `most` of a way stays a share by chance.
    """
    counted = Counted(np.arange(len(weights)), weights, known.mean)
    numbered = np.zeros_like(known.below)
    for stage in np.flatnonzero(known.below.any(axis=0)).tolist():
        now, own = counted.ways, known.below[:, stage].copy()
        if most is not None:
            numbers = known.most[:, stage] - np.ceil(known.least[:, stage]) + 1.0
            own &= np.bincount(now, minlength=len(own)) * numbers <= most
        numbered[:, stage] = own
        which = np.flatnonzero(own[now])
        at = now[which]
        chance = poisson_between(
            known.mean[at, stage], known.least[at, stage], known.most[at, stage]
        )
        row, number = np.nonzero(chance)
        again = which[row]
        joint = counted.joint[again]
        joint[:, stage] = number
        kept = np.setdiff1d(np.arange(len(now)), which)
        counted = Counted(
            np.concatenate([now[kept], now[again]]),
            np.concatenate([counted.weights[kept], counted.weights[again] * chance[row, number]]),
            np.concatenate([counted.joint[kept], joint]),
        )
    return counted, numbered


def poisson_between(mean: Floats, least: Floats, most: Floats) -> Floats:
    """P(X = 0), P(X = 1), … of Poisson counts given least ≤ X ≤ most, whose means are these."""
    number = np.arange(int(most.max(initial=0)) + 1)
    logs = -np.concatenate([[0.0], np.cumsum(np.log(np.maximum(number[1:], 1)))])
    within = (number >= np.ceil(least)[:, None]) & (number <= np.floor(most)[:, None])
    low, high = np.full(len(mean), -30.0), np.full(len(mean), 30.0)
    chance = np.zeros(within.shape)
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        log_chance = np.where(within, number * middle[:, None] + logs, -np.inf)
        chance = np.exp(log_chance - log_chance.max(axis=1, keepdims=True))
        chance /= chance.sum(axis=1, keepdims=True)
        above = chance @ number > mean
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return np.where(chance > 1e-9, chance, 0.0)
