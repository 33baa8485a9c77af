"""SensitiveRisk: what would be learnt of one sensitive column, in the field's measures and as an
attack; LearningRisk: the answer of `learn`, one of them for each sensitive column.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np

from reidrisk.arrays import Floats, Ints
from reidrisk.crowds import Alone, Answer, CrowdSizes, Envelope, Measure, measure_named
from reidrisk.learning.closeness import (
    alpha,
    beta_likeness,
    delta_disclosure,
    equal_distances,
    hierarchical_distances,
    ordered_distances,
)
from reidrisk.learning.diversity import distinct_l, entropy_l, recursive_c
from reidrisk.learning.guesses import GuessedCells, Guesses, guessed_cells, guesses_of
from reidrisk.learning.sensitive_counts import SensitiveCounts
from reidrisk.measurement import USUAL_CROWDS
from reidrisk.statistics import value_order

# At which share a value counts as nearly known.
KNOWN_AT_LEAST = (0.5, 0.8, 0.9, 0.95, 1.0)
# So many values are listed in JSON.
MOST_VALUES = 100
Distance = Literal["equal", "ordered", "hierarchy"]


@dataclass(frozen=True)
class Distances:
    """How far apart values are: equally, by their order (codes, rising), or by the nodes that a
    hierarchy gives their codes, level by level.
    """

    kind: Distance = "equal"
    order: tuple[int, ...] = ()
    levels: tuple[Ints, ...] = ()

    def of(self, counts: SensitiveCounts) -> Floats:
        """Each crowd's distance."""
        if self.kind == "ordered":
            return ordered_distances(counts, self.order)
        if self.kind == "hierarchy":
            return hierarchical_distances(counts, self.levels)
        return equal_distances(counts)


def usual_distances(counts: SensitiveCounts) -> Distances:
    """By their order where values have one, else all equally far apart.

    An empty cell has no place in an order: it comes after the last value.
    """
    held = np.flatnonzero(counts.totals)
    ranks, ordered = value_order([counts.labels[code] for code in held.tolist()])
    if not ordered:
        return Distances()
    return Distances("ordered", tuple(held[np.argsort(ranks)].tolist()))


@dataclass(frozen=True)
class ValueLearnt:
    """One value (None is the empty cell): the people who have it, the chance that it is guessed of
    one of them by each attacker, and of how many of them it is certain.
    """

    value: str | None
    people: float
    share: float
    guesses: Guesses
    certain: float

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {
            "value": self.value,
            "people": self.people,
            "share": self.share,
            "guess": self.guesses.to_dict(),
            "certain": self.certain,
        }


@dataclass(frozen=True, eq=False)
class SensitiveRisk:
    """What would be learnt of one sensitive column; everything follows from its `counts`."""

    counts: SensitiveCounts
    distances: Distances = field(default_factory=Distances)
    # The ℓ of recursive (c, ℓ)-diversity; by default the table's distinct ℓ.
    asked_l: int | None = None
    at_crowds: tuple[int, ...] = USUAL_CROWDS

    @property
    def column(self) -> str:
        """Its name."""
        return self.counts.column

    @cached_property
    def distinct_l(self) -> int:
        """ℓ of ℓ-diversity: the fewest values of a crowd."""
        return distinct_l(self.counts)

    @cached_property
    def entropy_l(self) -> float:
        """Entropy ℓ."""
        return entropy_l(self.counts)

    @property
    def recursive_l(self) -> int:
        """The ℓ that `recursive_c` is for."""
        return self.asked_l or self.distinct_l

    @cached_property
    def recursive_c(self) -> float:
        """Recursive (c, ℓ)-diversity holds for each larger c; infinite where for none."""
        return recursive_c(self.counts, self.recursive_l)

    @cached_property
    def distance_of_each_crowd(self) -> Floats:
        """How far each crowd's values are from everybody's."""
        return self.distances.of(self.counts)

    @property
    def t_closeness(self) -> float:
        """The farthest."""
        return float(self.distance_of_each_crowd.max())

    @cached_property
    def beta_likeness(self) -> float:
        """The largest relative gain of a value."""
        return beta_likeness(self.counts)

    @cached_property
    def enhanced_beta_likeness(self) -> float:
        """The same, of that and −ln p_s the smaller one."""
        return beta_likeness(self.counts, enhanced=True)

    @cached_property
    def delta_disclosure(self) -> float:
        """The largest |ln(posterior/prior)| of a value that a crowd has."""
        return delta_disclosure(self.counts)

    @cached_property
    def alpha(self) -> float:
        """α of (α, k)-anonymity: the largest share of one value in a crowd."""
        return alpha(self.counts)

    @property
    def certain(self) -> Alone:
        """People whose crowd all have the same value: alone or not, it is certain."""
        return self.certain_in_crowds_of_at_least(1)

    def certain_in_crowds_of_at_least(self, k: int) -> Alone:
        """Of them, those in crowds of at least k: certain though hidden."""
        certain = self.counts.certain
        certain = certain[self.counts.sizes[certain] >= k]
        people = int(np.dot(self.counts.sizes[certain], self.counts.alike[certain]))
        return Alone(people, people / self.counts.n)

    @cached_property
    def cells(self) -> GuessedCells:
        """The chance that somebody of each cell is guessed right."""
        return guessed_cells(self.counts)

    @cached_property
    def guesses(self) -> Guesses:
        """Right guesses: with the table, without the person's record, without the table."""
        return guesses_of(self.counts, self.cells)

    @property
    def known_at_least(self) -> dict[float, float]:
        """{share: people of whose crowd at least this share have their value}."""
        people, posterior = self.counts.all_people, self.counts.posterior
        return {
            least: float(people[posterior >= least].sum() / self.counts.n)
            for least in KNOWN_AT_LEAST
        }

    @cached_property
    def by_value(self) -> tuple[ValueLearnt, ...]:
        """Values by falling gain, those of which most is learnt first."""
        counts, cells = self.counts, self.cells
        one = np.isin(counts.crowd, counts.certain)
        certain = counts.by_value(one.astype(np.float64))
        chances = [
            counts.by_value(chance) / np.maximum(counts.totals, 1)
            for chance in (cells.with_table, cells.without_own, cells.without)
        ]
        each = [
            ValueLearnt(
                counts.labels[code],
                int(counts.totals[code]),
                float(counts.prior[code]),
                Guesses(*(float(chance[code]) for chance in chances)),
                round(certain[code]),
            )
            for code in np.flatnonzero(counts.totals).tolist()
        ]
        return tuple(sorted(each, key=lambda one: (-one.guesses.gain, one.people, str(one.value))))

    def value(self, name: str) -> float:
        """The measure called `name`."""
        return learning_measure(name).value(self)

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {
            "values": self.counts.values,
            "without_value": self.counts.without_value,
            "certain": self.certain._asdict(),
            "certain_in_crowds_of_at_least": {
                str(k): self.certain_in_crowds_of_at_least(k)._asdict() for k in self.at_crowds
            },
            "guess": self.guesses.to_dict(),
            "strength": self.cells.strength,
            "known_at_least": {f"{least:g}": part for least, part in self.known_at_least.items()},
            "distinct_l": self.distinct_l,
            "entropy_l": self.entropy_l,
            "recursive_l": self.recursive_l,
            "recursive_c": None if math.isinf(self.recursive_c) else self.recursive_c,
            "t_closeness": self.t_closeness,
            "t_distance": self.distances.kind,
            "beta_likeness": self.beta_likeness,
            "enhanced_beta_likeness": self.enhanced_beta_likeness,
            "delta_disclosure": self.delta_disclosure,
            "alpha": self.alpha,
            "by_value": [each.to_dict() for each in self.by_value[:MOST_VALUES]],
        }


@dataclass(frozen=True, eq=False)
class LearningRisk(Answer):
    """What a table gives away about people who aren't picked out (attribute disclosure).

    `sensitive` has a `SensitiveRisk` for each sensitive column, `crowd_sizes` the crowds of the
    quasi-identifiers.
    """

    envelope: Envelope
    crowd_sizes: CrowdSizes
    sensitive: Mapping[str, SensitiveRisk]

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to mind."""
        return self.envelope.warnings

    def value(self, name: str) -> float:
        """The measure called `name`, of the column where it is worst."""
        measure = learning_measure(name)
        return measure.worst([measure.value(each) for each in self.sensitive.values()])

    def to_dict(self) -> dict[str, Any]:
        """As in JSON; the keys are fixed."""
        return self.envelope.to_dict() | {
            "smallest_crowd": self.crowd_sizes.smallest_crowd,
            "sensitive": {name: each.to_dict() for name, each in self.sensitive.items()},
        }


def learning_measure(name: str) -> Measure:
    """The measure of learning that has a name; an unknown one lists what there is."""
    return measure_named(name, LEARNING_MEASURES)


def _listed(measures: Sequence[Measure]) -> dict[str, Measure]:
    return {each.name: each for each in measures}


LEARNING_MEASURES = _listed((
    Measure(
        "certain_share",
        "certain though in a crowd or alone",
        ("homogeneity",),
        lambda risk: risk.certain.share,
        "share",
        release="people",
    ),
    Measure(
        "distinct_l",
        "fewest values of a crowd",
        ("distinct ℓ-diversity",),
        lambda risk: float(risk.distinct_l),
        "count",
        safer_when_larger=True,
        instead="l=3 asks for at least three values in every crowd",
    ),
    Measure(
        "entropy_l",
        "evenness of values",
        ("entropy ℓ-diversity",),
        lambda risk: risk.entropy_l,
        "count",
        safer_when_larger=True,
        instead="limit certain_share, t_closeness or beta_likeness",
    ),
    Measure(
        "recursive_c",
        "commonest value over the rarer ones",
        ("recursive (c,ℓ)-diversity",),
        lambda risk: risk.recursive_c,
        "count",
        # For one ℓ it never grows; but by default ℓ is what the table has.
        merging="either",
    ),
    Measure(
        "t_closeness",
        "distance from everybody's values",
        ("t-closeness",),
        lambda risk: risk.t_closeness,
        "share",
    ),
    Measure(
        "beta_likeness",
        "largest relative gain of a value",
        ("basic β-likeness",),
        lambda risk: risk.beta_likeness,
        "count",
    ),
    Measure(
        "enhanced_beta_likeness",
        "the same, less for rare values",
        ("enhanced β-likeness",),
        lambda risk: risk.enhanced_beta_likeness,
        "count",
    ),
    Measure(
        "delta_disclosure",
        "largest change of a value's share, on the logarithm",
        ("δ-disclosure",),
        lambda risk: risk.delta_disclosure,
        "count",
        # A value that one of the two lacks becomes rarer in their union than it was in the other.
        merging="either",
    ),
    Measure(
        "alpha",
        "largest share of one value in a crowd",
        ("(α,k)-anonymity",),
        lambda risk: risk.alpha,
        "share",
    ),
    Measure(
        "guess_gain",
        "more right guesses with the table than without it",
        ("attribute disclosure",),
        lambda risk: risk.guesses.gain,
        "share",
    ),
    Measure(
        "guess_costs",
        "more right guesses because the person is in the table",
        ("attribute disclosure",),
        lambda risk: risk.guesses.costs,
        "share",
        merging="either",
    ),
))  # fmt: skip
