"""PlanRisk: what each question that could be asked, or asked more coarsely, does to the risk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from reidrisk.measuring.envelope import Envelope
from reidrisk.measuring.plotted import Plotted
from reidrisk.printable import json_text

Kind = Literal["as_asked", "one_more", "coarser"]
# Figures a plan may be ranked by; all are safer when they are smaller.
MEASURES = ("overall_risk", "alone_share", "exact", "expected_unique")


@dataclass(frozen=True)
class PlanOption:
    """One way to ask: these attributes, some in bands.

    `alone_share` and `overall_risk` are of the whole population; `exact`, P(all members unique),
    and `expected_unique` members of the group that is asked. 90 % limits in `intervals`.
    """

    kind: Kind
    columns: tuple[str, ...]
    bands: Mapping[str, str]
    overall_risk: float
    alone_share: float
    alone: float
    exact: float
    expected_unique: float
    member_unique: float
    kappa: float
    outcomes: int
    model: str
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def told(self) -> str:
        """What is different from asking as planned."""
        if self.kind == "one_more":
            return f"and {self.columns[-1]}"
        if self.kind == "coarser":
            return ", ".join(f"{name} in bands of {width}" for name, width in self.bands.items())
        return "as asked"

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {
            "kind": self.kind,
            "columns": list(self.columns),
            "bands": dict(self.bands),
            "overall_risk": self.overall_risk,
            "alone_share": self.alone_share,
            "alone": {"people": self.alone, "share": self.alone_share},
            "exact": self.exact,
            "expected_unique": self.expected_unique,
            "member_unique": self.member_unique,
            "kappa": self.kappa,
            "outcomes": self.outcomes,
            "model": self.model,
            "intervals": {name: list(limits) for name, limits in self.intervals.items()},
        }


@dataclass(frozen=True)
class PlanRisk(Plotted):
    """The answer of `plan`: the ways to ask, the safest first."""

    envelope: Envelope
    size: int
    measure: str
    options: tuple[PlanOption, ...]

    @property
    def as_asked(self) -> PlanOption:
        """The plan as it stands."""
        return next(each for each in self.options if each.kind == "as_asked")

    def to_dict(self) -> dict[str, Any]:
        """As in JSON; the keys are fixed."""
        return self.envelope.to_dict() | {
            "size": self.size,
            "measure": self.measure,
            "asked": list(self.as_asked.columns),
            "options": [each.to_dict() for each in self.options],
        }

    def to_json(self) -> str:
        """One JSON object."""
        return json_text(self.to_dict())

    def __str__(self) -> str:
        from reidrisk.reporting.plan_text import plan_text

        return plan_text(self)

    def _repr_html_(self) -> str:
        from reidrisk.reporting.plan_text import plan_html

        return self._pictured(plan_html(self))
