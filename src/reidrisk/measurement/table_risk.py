"""TableRisk: every measure of one table, counted or predicted, in one shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reidrisk.crowds import Alone, Answer, CrowdSizes, Envelope, measure_named
from reidrisk.errors import InputError
from reidrisk.measurement.people_in_groups import PeopleInGroups
from reidrisk.statistics import Dependence

USUAL_CROWDS = (2, 3, 4, 5, 10, 20, 50, 100)
# The interval of the share of people in crowds of at least k is named so, and k.
AT_LEAST = "share_in_crowds_of_at_least_"


@dataclass(frozen=True)
class Entropy:
    """The four entropies of R3A, in bits; None where one isn't defined.

    `maximum` ME = log2 n; `experience` EE = Σ_j H(A_j); `random` RDE, the table entropy
    expected if the columns were independent; `table` TDE, of the crowds as they are.
    """

    maximum: float
    experience: float | None
    random: float | None
    table: float

    def to_dict(self) -> dict[str, float | None]:
        """As in JSON."""
        return {
            "maximum": self.maximum,
            "experience": self.experience,
            "random": self.random,
            "table": self.table,
        }


@dataclass(frozen=True, eq=False)
class TableRisk(Answer):
    """The answer of `measure` and `predict`: the crowd-size histogram and its measures."""

    envelope: Envelope
    crowd_sizes: CrowdSizes
    entropy: Entropy
    at_crowds: tuple[int, ...] = USUAL_CROWDS
    dependence: tuple[Dependence, ...] | None = None
    # Of a prediction: what independence would give, how the fit ended, why this model, 90 % limits.
    reference: CrowdSizes | None = None
    fit: Mapping[str, Any] | None = None
    why: str = ""
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    # The crowds before what models of this kind are usually off by was taken off.
    as_fitted: CrowdSizes | None = None
    # Attributes that people share more often than two-way tables show.
    groups: tuple[PeopleInGroups, ...] = ()

    @property
    def predicted(self) -> bool:
        """Whether the crowds are expectations under a model."""
        return self.crowd_sizes.kind == "expected"

    @property
    def people(self) -> float:
        """How many people the table stands for."""
        held = self.crowd_sizes.people
        return float(round(held)) if self.predicted and abs(held - round(held)) < 1e-3 else held

    @property
    def distinct(self) -> float:
        """Number of crowds."""
        return self.crowd_sizes.distinct

    @property
    def overall_risk(self) -> float:
        """ORR: distinct / people, the mean of 1/crowd."""
        return self.crowd_sizes.overall_risk

    @property
    def alone(self) -> Alone:
        """People nobody shares a tuple with, and their share."""
        return self.crowd_sizes.alone

    @property
    def alone_share(self) -> float:
        """Share of people who are alone."""
        return self.crowd_sizes.alone_share

    @property
    def smallest_crowd(self) -> int:
        """The k of k-anonymity."""
        return self.crowd_sizes.smallest_crowd

    @property
    def highest_risk(self) -> float:
        """1/smallest crowd."""
        return self.crowd_sizes.highest_risk

    @property
    def lowest_risk(self) -> float:
        """1/largest crowd."""
        return self.crowd_sizes.lowest_risk

    @property
    def expected_reidentifications(self) -> float:
        """People picked out if everyone is guessed at once."""
        return self.crowd_sizes.expected_reidentifications

    @property
    def share_in_crowds_of_at_least(self) -> dict[int, float]:
        """{k: share of people in crowds of at least k}."""
        return {k: self.crowd_sizes.share_in_crowds_of_at_least(k) for k in self.at_crowds}

    def interval_at_least(self, k: int) -> tuple[float, float] | None:
        """Of the share of people in crowds of at least k; None where it was counted."""
        return self.intervals.get(f"{AT_LEAST}{k}")

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to mind."""
        return self.envelope.warnings

    def share_above(self, risk: float) -> float:
        """Share of people whose 1/crowd exceeds `risk`."""
        return self.crowd_sizes.share_above(risk)

    def value(self, name: str) -> float:
        """The measure called `name`, as in --fail-above."""
        return measure_named(name).value(self.crowd_sizes)

    def to_dict(self) -> dict[str, Any]:
        """As in JSON; the keys are fixed."""
        return (
            self.envelope.to_dict()
            | {
                "people": self.people,
                "distinct": self.distinct,
                "overall_risk": self.overall_risk,
                "alone": {"people": self.alone.people, "share": self.alone.share},
                "alone_share": self.alone_share,
                "smallest_crowd": self.smallest_crowd,
                "highest_risk": self.highest_risk,
                "lowest_risk": self.lowest_risk,
                "share_above": {"0.05": self.share_above(0.05), "0.2": self.share_above(0.2)},
                "share_in_crowds_of_at_least": {
                    str(k): share for k, share in self.share_in_crowds_of_at_least.items()
                },
                "expected_reidentifications": self.expected_reidentifications,
                "entropy": self.entropy.to_dict(),
                "crowd_sizes": self.crowd_sizes.binned(),
                "dependence": None
                if self.dependence is None
                else [each.to_dict() for each in self.dependence],
                "intervals": {name: list(limits) for name, limits in self.intervals.items()},
            }
            | self._of_a_prediction()
        )

    def _as_fitted(self) -> dict[str, Any]:
        if self.as_fitted is None:
            return {}
        fitted = self.as_fitted
        return {
            "as_fitted": {
                "overall_risk": fitted.overall_risk,
                "alone_share": fitted.alone_share,
                "share_in_crowds_of_at_least": {
                    str(k): fitted.share_in_crowds_of_at_least(k) for k in self.at_crowds
                },
            }
        }

    def _of_a_prediction(self) -> dict[str, Any]:
        if self.reference is None:
            return {}
        under = self.reference
        return {
            "reference": {
                "overall_risk": under.overall_risk,
                "alone": {"people": under.alone.people, "share": under.alone.share},
                "alone_share": under.alone_share,
                "smallest_crowd": under.smallest_crowd,
                "highest_risk": under.highest_risk,
                "lowest_risk": under.lowest_risk,
                "expected_reidentifications": under.expected_reidentifications,
                "distinct": under.distinct,
                "share_in_crowds_of_at_least": {
                    str(k): under.share_in_crowds_of_at_least(k) for k in self.at_crowds
                },
            },
            "fit": dict(self.fit or {}),
            "why": self.why,
            "groups": [each.to_dict() for each in self.groups],
        } | self._as_fitted()


def chosen_crowds(crowds: Sequence[int] | None) -> tuple[int, ...]:
    """The crowd sizes to report at, ascending, each once."""
    if crowds is not None and not all(isinstance(k, int) and k >= 1 for k in crowds):
        raise InputError("crowds are whole numbers from 1", "as in crowds=[2, 5, 10]")
    return tuple(sorted(set(crowds))) if crowds else USUAL_CROWDS
