"""LearningPrediction: what would be learnt, predicted from statistics: means over drawn tables.

Symbols: D tables are drawn, f_d is a figure of table d. Given is Σ f_d/D; the interval is that of
`learning_error`. A measure of the worst crowd is the expectation of an extreme, in the main that of
the smallest crowds: it says how bad the worst crowd of such a table is, not which one it is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from reidrisk.crowds import Answer, Envelope
from reidrisk.learning.diversity import recursive_c
from reidrisk.learning.guesses import Guesses
from reidrisk.learning.learning_error import CERTAIN_HIDDEN, Interval
from reidrisk.learning.sensitive_risk import (
    KNOWN_AT_LEAST,
    LEARNING_MEASURES,
    MOST_VALUES,
    Distance,
    SensitiveRisk,
    ValueLearnt,
    learning_measure,
)

KNOWN = "known_at_least_"
# Recursive (c, ℓ)-diversity is looked at up to this ℓ.
MOST_L = 20
# Ends of what differs between the draws.
ENDS = (0.05, 0.95)


class DrawnLearning(NamedTuple):
    """What would be learnt in one drawn table."""

    figures: Mapping[str, float]
    # The c of recursive (c, ℓ)-diversity by ℓ, up to the table's own distinct ℓ.
    recursive: Mapping[int, float]
    values: int
    without_value: int
    strength: float
    distance: Distance
    by_value: tuple[ValueLearnt, ...]

    @classmethod
    def of(cls, risk: SensitiveRisk, asked_l: int | None = None) -> DrawnLearning:
        """Count it."""
        tried = [asked_l] if asked_l else range(1, min(risk.distinct_l, MOST_L) + 1)
        return cls(
            figures_of(risk),
            {l: recursive_c(risk.counts, l) for l in tried},  # noqa: E741
            risk.counts.values,
            risk.counts.without_value,
            risk.cells.strength,
            risk.distances.kind,
            risk.by_value,
        )


def figures_of(risk: SensitiveRisk) -> dict[str, float]:
    """The figures that have means and intervals, by name; recursive c has its ℓ beside it."""
    guesses = risk.guesses
    return {
        "guess_with": guesses.with_table,
        "guess_without_own": guesses.without_own,
        "guess_without": guesses.without,
        **{
            f"{CERTAIN_HIDDEN}{k}": risk.certain_in_crowds_of_at_least(k).share
            for k in risk.at_crowds
        },
        **{f"{KNOWN}{least:g}": part for least, part in risk.known_at_least.items()},
        **{name: risk.value(name) for name in LEARNING_MEASURES if name != "recursive_c"},
    }


@dataclass(frozen=True)
class SensitivePrediction:
    """What would be learnt of one sensitive attribute: means over drawn tables, and intervals."""

    column: str
    people: int
    figures: Mapping[str, float]
    intervals: Mapping[str, Interval]
    at_crowds: tuple[int, ...]
    values: float
    without_value: float
    strength: float
    distance: Distance
    recursive_l: int
    by_value: tuple[ValueLearnt, ...]

    @property
    def guesses(self) -> Guesses:
        """Right guesses: with the table, without the person's record, without the table."""
        names = ("guess_with", "guess_without_own", "guess_without")
        return Guesses(*(self.figures[name] for name in names))

    def value(self, name: str) -> float:
        """The mean of the measure called `name`."""
        return self.figures[learning_measure(name).name]

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        found = self.figures
        return {
            "values": self.values,
            "without_value": self.without_value,
            "certain": self._people(found["certain_share"]),
            "certain_in_crowds_of_at_least": {
                str(k): self._people(found[f"{CERTAIN_HIDDEN}{k}"]) for k in self.at_crowds
            },
            "guess": self.guesses.to_dict(),
            "strength": self.strength,
            "known_at_least": {
                f"{least:g}": found[f"{KNOWN}{least:g}"] for least in KNOWN_AT_LEAST
            },
            "recursive_l": self.recursive_l,
            "t_distance": self.distance,
            **{
                name: None if math.isinf(found[name]) else found[name]
                for name in LEARNING_MEASURES
                if not name.startswith(("guess_", "certain_"))
            },
            "intervals": {
                name: [None if math.isinf(end) else end for end in ends]
                for name, ends in self.intervals.items()
            },
            "by_value": [each.to_dict() for each in self.by_value[:MOST_VALUES]],
        }

    def _people(self, share: float) -> dict[str, float]:
        return {"people": share * self.people, "share": share}


@dataclass(frozen=True, eq=False)
class LearningPrediction(Answer):
    """What a table would give away about people who aren't picked out, from its statistics alone.

    `sensitive` has a `SensitivePrediction` for each sensitive attribute, `fit` says how the model's
    fit ended, `why` why it was chosen, `draws` how many tables were drawn.
    """

    envelope: Envelope
    sensitive: Mapping[str, SensitivePrediction]
    draws: int
    fit: Mapping[str, Any] = field(default_factory=dict)
    why: str = ""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to mind."""
        return self.envelope.warnings

    def value(self, name: str) -> float:
        """The mean of the measure called `name`, of the attribute where it is worst."""
        measure = learning_measure(name)
        return measure.worst([each.value(name) for each in self.sensitive.values()])

    def to_dict(self) -> dict[str, Any]:
        """As in JSON; the keys are fixed."""
        return self.envelope.to_dict() | {
            "draws": self.draws,
            "fit": dict(self.fit),
            "why": self.why,
            "sensitive": {name: each.to_dict() for name, each in self.sensitive.items()},
        }


def mean_figures(drawn: Sequence[DrawnLearning]) -> tuple[dict[str, float], dict[str, Interval]]:
    """Means over the draws, and their 5 % and 95 % points."""
    means, ends = {}, {}
    least_l = min(max(each.recursive) for each in drawn)
    for name in (*drawn[0].figures, "recursive_c"):
        found = np.array([
            each.recursive[least_l] if name == "recursive_c" else each.figures[name]
            for each in drawn
        ])  # fmt: skip
        means[name] = float(found.mean())
        # Between the sorted values: an infinite one has no distance to the next.
        low, high = np.quantile(found, ENDS, method="inverted_cdf")
        ends[name] = float(low), float(high)
    return means, ends


def mean_by_value(drawn: Sequence[DrawnLearning]) -> tuple[ValueLearnt, ...]:
    """Each value's means over the draws in which somebody has it, those guessed most first."""
    held: dict[str | None, list[ValueLearnt]] = {}
    for table in drawn:
        for each in table.by_value:
            held.setdefault(each.value, []).append(each)
    found = [_mean_value(value, every, len(drawn)) for value, every in held.items()]
    return tuple(sorted(found, key=lambda one: (-one.guesses.gain, one.people, str(one.value))))


def _mean_value(value: str | None, every: Sequence[ValueLearnt], draws: int) -> ValueLearnt:
    people = np.array([each.people for each in every], dtype=np.float64)
    chances = np.array(
        [(g.with_table, g.without_own, g.without) for g in (each.guesses for each in every)]
    )
    return ValueLearnt(
        value,
        float(people.sum()) / draws,
        sum(each.share for each in every) / draws,
        Guesses(*(people @ chances / people.sum()).tolist()),
        sum(each.certain for each in every) / draws,
    )
