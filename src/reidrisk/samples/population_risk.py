"""PopulationRisk: the answer of `population`, every figure with its interval."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from reidrisk.crowds import Alone, Answer, CrowdSizes, Envelope
from reidrisk.errors import InputError
from reidrisk.samples.households import Households
from reidrisk.samples.panel import scatter
from reidrisk.samples.population_error import Figure

MEASURES = ("overall_risk", "alone_share", "highest_risk")


@dataclass(frozen=True, eq=False)
class PopulationRisk(Answer):
    """What a sample's people are in the population.

    `tau1` sample uniques are population unique, the share `uniques_share` of them; `tau2` are the
    right guesses to be expected of one guess for each; `alone` people of the population are alone
    in it; `overall_risk` is the mean of 1/F (journalist, marketer), `highest_risk` the highest 1/F
    of anybody in the sample. `sample` are the crowds of the sample itself.
    """

    envelope: Envelope
    population: int
    sampled: int
    sample: CrowdSizes
    tau1: Figure
    uniques_share: Figure
    tau2: Figure
    alone: Figure
    overall_risk: Figure
    highest_risk: Figure
    fit: Mapping[str, Any] = field(default_factory=dict)
    panel: Mapping[str, float] | None = None
    households: Households | None = None

    @property
    def sample_alone(self) -> Alone:
        """People alone in the sample (sample uniques)."""
        return self.sample.alone

    @property
    def alone_share(self) -> Figure:
        """People alone in the population, as a share of it."""
        low, high = self.alone.interval
        return Figure(
            self.alone.value / self.population, (low / self.population, high / self.population)
        )

    @property
    def panel_scatter(self) -> float | None:
        """The panel's largest estimate of τ1 over its smallest."""
        return None if self.panel is None else scatter(self.panel)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to mind."""
        return self.envelope.warnings

    def value(self, name: str) -> float:
        """The measure called `name`, as in --fail-above, in the population."""
        if name not in MEASURES:
            raise InputError(
                f"{name} isn't estimated for the population", f"there are: {', '.join(MEASURES)}"
            )
        figure: Figure = getattr(self, name)
        return figure.value

    def to_dict(self) -> dict[str, Any]:
        """As in JSON; the keys are fixed."""
        alone = {"people": self.alone.to_dict(), "share": self.alone_share.to_dict()}
        told: dict[str, Any] = {
            "population": {
                "size": self.population,
                "sampled": self.sampled,
                "tau1": self.tau1.to_dict(),
                "tau1_share": self.uniques_share.to_dict(),
                "tau2": self.tau2.to_dict(),
                "alone": alone,
                "overall_risk": self.overall_risk.to_dict(),
                "highest_risk": self.highest_risk.to_dict(),
            },
            "sample": {
                "alone": self.sample_alone._asdict(),
                "overall_risk": self.sample.overall_risk,
            },
            "fit": dict(self.fit),
        }
        if self.panel is not None:
            told["panel"] = {
                name: {"tau1": None if math.isnan(value) else value}
                for name, value in self.panel.items()
            }
        if self.households is not None:
            told["households"] = self.households.to_dict()
        return self.envelope.to_dict() | told
