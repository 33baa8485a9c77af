"""AttackRisk: what an attacker with given knowledge can do, counted or predicted, in one shape."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from reidrisk.attacks.all_knowledge import AllKnowledge
from reidrisk.attacks.distribution import Steps, cdf, survival
from reidrisk.attacks.erring_risk import ErringRisk
from reidrisk.attacks.playing import Played
from reidrisk.attacks.random_knowledge import RandomKnowledge
from reidrisk.attacks.unique_sets import UniqueSets
from reidrisk.crowds import Alone, CrowdSizes
from reidrisk.measuring.envelope import Envelope
from reidrisk.measuring.plotted import Plotted
from reidrisk.measuring.table_risk import TableRisk
from reidrisk.printable import json_text

ABOVE = 0.2


@dataclass(frozen=True)
class AttackRisk(Plotted):
    """The answer of `attack`: the distribution of Pr(re-id) over people, and what was asked beside.

    `view` holds the measures of what is known, `above` the risk people are counted above. The
    other parts are None where they weren't asked for.
    """

    view: TableRisk
    above: float = ABOVE
    all_knowledge: AllKnowledge | None = None
    random_knowledge: RandomKnowledge | None = None
    errors: ErringRisk | None = None
    played: Played | None = None
    unique_sets: UniqueSets | None = None

    @property
    def envelope(self) -> Envelope:
        """Where the answer comes from and what it takes for granted."""
        return self.view.envelope

    @property
    def knows(self) -> tuple[str, ...]:
        """The attributes that the attacker knows."""
        return self.envelope.input.columns

    @property
    def crowd_sizes(self) -> CrowdSizes:
        """The crowds of what is known."""
        return self.view.crowd_sizes

    @property
    def people(self) -> float:
        """How many people there are."""
        return self.view.people

    @property
    def cdf(self) -> Steps:
        """(risk, share of people at or below), risks rising."""
        return cdf(self.crowd_sizes)

    @property
    def survival(self) -> Steps:
        """(risk, share of people at or above), risks rising."""
        return survival(self.crowd_sizes)

    @property
    def overall_risk(self) -> float:
        """Mean of Pr(re-id) over people."""
        return self.view.overall_risk

    @property
    def highest_risk(self) -> float:
        """The risk of the person who stands out most."""
        return self.view.highest_risk

    @property
    def alone(self) -> Alone:
        """The people who are picked out for certain."""
        return self.view.alone

    @property
    def expected_reidentifications(self) -> float:
        """People picked out if everyone is guessed at once."""
        return self.view.expected_reidentifications

    @property
    def share_above(self) -> float:
        """Share of people whose risk exceeds `above`."""
        return self.view.share_above(self.above)

    @property
    def people_above(self) -> float:
        """People whose risk exceeds `above`."""
        held = self.share_above * self.people
        return held if self.view.predicted else round(held)

    def value(self, name: str) -> float:
        """The measure called `name`, as in --fail-above."""
        return self.view.value(name)

    def to_dict(self) -> dict[str, Any]:
        """As in JSON; the keys are fixed."""
        above = {"risk": self.above, "people": self.people_above, "share": self.share_above}
        return self.view.to_dict() | {
            "knows": list(self.knows),
            "cdf": [list(step) for step in self.cdf],
            "survival": [list(step) for step in self.survival],
            "above": above,
            "all_knowledge": _dict(self.all_knowledge),
            "random_knowledge": _dict(self.random_knowledge),
            "errors": _dict(self.errors),
            "played": _dict(self.played),
            "unique_sets": None if self.unique_sets is None else self.unique_sets.figures(),
        }

    def to_json(self) -> str:
        """One JSON object."""
        return json_text(self.to_dict())

    def __str__(self) -> str:
        from reidrisk.reporting.attack_text import attack_text

        return attack_text(self)

    def _repr_html_(self) -> str:
        from reidrisk.reporting.attack_text import attack_html

        return self._pictured(attack_html(self))


def _dict(part: AllKnowledge | RandomKnowledge | ErringRisk | Played | None) -> Any:
    return None if part is None else part.to_dict()
