"""PersonRisk: the answer of `person`, one combination's crowd and what gives most away."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from reidrisk.crowds import Answer, Envelope
from reidrisk.laws import CrowdsOfTuples


@dataclass(frozen=True)
class OneCrowd:
    """The crowd of one tuple.

    `expected` people share it; `risk` is Pr(re-id) = E[1/crowd]; `at_least` gives
    P(crowd ≥ k) by k; `nobody` is the probability that no record has the tuple.
    """

    expected: float
    risk: float
    at_least: Mapping[int, float]
    nobody: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {
            "expected_crowd": self.expected,
            "risk": self.risk,
            "k_indistinguishable": {str(k): p for k, p in self.at_least.items()},
            "nobody_matches": self.nobody,
        }


@dataclass(frozen=True)
class GivenAway:
    """What would change if one attribute weren't known."""

    attribute: str
    risk_without_it: float

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {"attribute": self.attribute, "risk_without_it": self.risk_without_it}


@dataclass(frozen=True)
class UsedPair:
    """A pair table that was used: how many people hold both values, of those who hold the rarer."""

    of: tuple[str, str]
    people: float
    confidence: float
    # Whether more people hold both than chance would have, at a level of one in twenty.
    beyond_chance: bool = True

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {"of": list(self.of), "people": self.people, "confidence": self.confidence}


@dataclass(frozen=True, eq=False)
class PersonRisk(Answer):
    """The answer of `person`."""

    envelope: Envelope
    given: str
    crowd: OneCrowd
    without_dependence: OneCrowd | None = None
    # Attributes, the one that gives most away first.
    gives_away: tuple[GivenAway, ...] = ()
    # The pair tables that were used, the surest value pair first.
    pairs: tuple[UsedPair, ...] = field(default=())
    # 90 % limits of expected_crowd and risk; where counts are hidden, alone too, and all that these
    # may be is within them.
    limits: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def expected_crowd(self) -> float:
        """How many people share the tuple, the person among them."""
        return self.crowd.expected

    @property
    def risk(self) -> float:
        """Pr(re-id) = E[1/crowd]."""
        return self.crowd.risk

    @property
    def k_indistinguishable(self) -> Mapping[int, float]:
        """P(crowd ≥ k) by k (TFRR)."""
        return self.crowd.at_least

    def to_dict(self) -> dict[str, Any]:
        """As in JSON; the keys are fixed."""
        return self.envelope.to_dict() | {
            "given": self.given,
            **self.crowd.to_dict(),
            "without_dependence": None
            if self.without_dependence is None
            else self.without_dependence.to_dict(),
            "gives_away": [each.to_dict() for each in self.gives_away],
            "pairs": [each.to_dict() for each in self.pairs],
            "intervals": {name: list(limits) for name, limits in self.limits.items()},
        }


def one_crowd(crowds: CrowdsOfTuples, row: int = 0) -> OneCrowd:
    """One row of many."""
    at_least = dict(zip(crowds.ks, crowds.at_least[row].tolist(), strict=True))
    nobody = float(crowds.nobody[row]) if crowds.given == "unknown" else 0.0
    return OneCrowd(float(crowds.expected[row]), float(crowds.risk[row]), at_least, nobody)
