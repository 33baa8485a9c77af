"""Generalised: the answer of `generalise`: which levels, what they lose, what they make safe."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from reidrisk.attacks import Played, cdf, survival
from reidrisk.crowds import Answer, CrowdSizes, Envelope, measure_named
from reidrisk.generalisation.open_releases import SAME
from reidrisk.learning import LearningLimits, SensitiveRisk, learning_measure

ABOVE = (0.05, 0.2)
# The measures of learning told before and after.
LEARNT = (
    "certain_share", "distinct_l", "entropy_l", "t_closeness", "beta_likeness",
    "enhanced_beta_likeness", "delta_disclosure", "alpha", "guess_gain",
)  # fmt: skip


@dataclass(frozen=True)
class Reached:
    """One step of the frontier: the least loss that keeps the measure allowable."""

    allowable: float
    measure: float
    loss: float
    levels: Mapping[str, int]
    suppressed: int
    proven: bool

    @property
    def told(self) -> str:
        """The levels that aren't 0."""
        coarser = [f"{name} {level}" for name, level in self.levels.items() if level]
        return ", ".join(coarser) or "as recorded"

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {
            "allowable_risk": self.allowable,
            "measure": self.measure,
            "loss": self.loss,
            "levels": dict(self.levels),
            "suppressed": self.suppressed,
            "proven": self.proven,
        }


@dataclass(frozen=True)
class SearchedReleases:
    """How many releases there were, and what became of them."""

    views: int
    counted: int
    pruned: Mapping[str, int]
    open: int
    # No release that meets the target loses less.
    bound: float

    @property
    def complete(self) -> bool:
        """Whether the best is proven to be."""
        return not self.open

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {
            "views": self.views,
            "counted": self.counted,
            "pruned": dict(self.pruned),
            "complete": self.complete,
            "open": self.open,
            "bound": self.bound,
        }


@dataclass(frozen=True)
class Side:
    """The crowds before or after, of the table or of each drawn one; and the attack on them."""

    tables: tuple[CrowdSizes, ...]
    played: Played | None = None
    # Of each table what would be learnt of each sensitive column.
    learning: tuple[Mapping[str, SensitiveRisk], ...] = ()

    def value(self, name: str) -> float:
        """A measure; of drawn tables their mean."""
        return sum(self._each(name)) / len(self.tables)

    def interval(self, name: str) -> tuple[float, float] | None:
        """Its range over drawn tables; None of a table that was counted."""
        each = self._each(name)
        return (min(each), max(each)) if len(each) > 1 else None

    def _each(self, name: str) -> list[float]:
        measure = measure_named(name)
        return [float(measure.value(crowds)) for crowds in self.tables]

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        names = (
            "people", "distinct", "overall_risk", "alone_share", "smallest_crowd", "highest_risk",
            "lowest_risk", "expected_reidentifications",
        )  # fmt: skip
        told: dict[str, Any] = {name: self._figure(name) for name in names}
        told["share_above"] = {f"{risk:g}": self.value(f"share_above:{risk:g}") for risk in ABOVE}
        limits = {name: self.interval(name) for name in names}
        told |= {"intervals": {name: list(each) for name, each in limits.items() if each}}
        return told | {"learning": {name: self._learnt(name) for name in self.sensitive}}

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The sensitive columns."""
        return tuple(self.learning[0]) if self.learning else ()

    def learnt(self, column: str, name: str) -> tuple[float, ...]:
        """A measure of learning of one column, in each table."""
        return tuple(learning_measure(name).value(each[column]) for each in self.learning)

    def _learnt(self, column: str) -> dict[str, Any]:
        each = {name: self.learnt(column, name) for name in LEARNT}
        told: dict[str, Any] = {name: sum(v) / len(v) for name, v in each.items()}
        told["certain"] = sum(one[column].certain.people for one in self.learning)
        told["certain"] /= len(self.learning)
        if len(self.learning) == 1:
            told |= {name: int(told[name]) for name in ("distinct_l", "certain")}
            return told | {"t_distance": self.learning[0][column].distances.kind}
        limits = {name: [min(values), max(values)] for name, values in each.items()}
        return told | {"t_distance": self.learning[0][column].distances.kind, "intervals": limits}

    def _figure(self, name: str) -> float | int:
        """A number of people or crowds that was counted is whole; a mean of drawn ones need not."""
        value = self.value(name)
        return int(value) if measure_named(name).is_count and len(self.tables) == 1 else value

    def attack(self) -> dict[str, Any]:
        """The distribution of Pr(re-id), whoever knows all columns; and the attack played."""
        first = self.tables[0]
        return {
            "cdf": [list(step) for step in cdf(first)],
            "survival": [list(step) for step in survival(first)],
            "played": None if self.played is None else self.played.to_dict(),
        }


@dataclass(frozen=True, eq=False)
class Generalised(Answer):
    """The levels chosen, what they lose, and the risk before and after."""

    envelope: Envelope
    measure: str
    allowable: float
    suppress: float
    loss_name: str
    loss: float
    levels: Mapping[str, int]
    heights: Mapping[str, int]
    # {column: (values as recorded, labels as released)}.
    labels: Mapping[str, tuple[int, int]]
    before: Side
    after: Side
    suppressed: int
    searched: SearchedReleases
    frontier: tuple[Reached, ...] = ()
    draws: int | None = None
    why: str = ""
    written: str | None = None
    left_aside: tuple[str, ...] = field(default=())
    # On what is learnt of the sensitive columns.
    limits: LearningLimits | None = None

    @property
    def gap(self) -> float:
        """By how much the loss may be above the least there is; 0 when it is proven."""
        off = self.loss - self.searched.bound
        return off if off > SAME else 0.0

    @property
    def suppressed_share(self) -> float:
        """Share of the people who are left out."""
        return self.suppressed / self.before.tables[0].people

    def to_dict(self) -> dict[str, Any]:
        """As in JSON; the keys are fixed."""
        return self.envelope.to_dict() | {
            "target": {
                "measure": self.measure,
                "allowable_risk": self.allowable,
                "suppress": self.suppress,
                "learning": {} if self.limits is None else dict(self.limits.limits),
            },
            "levels": dict(self.levels),
            "heights": dict(self.heights),
            "labels": {name: {"before": a, "after": b} for name, (a, b) in self.labels.items()},
            "loss": self.loss,
            "loss_name": self.loss_name,
            "gap": self.gap,
            "before": self.before.to_dict(),
            "after": self.after.to_dict(),
            "suppressed": {"people": self.suppressed, "share": self.suppressed_share},
            "attack": {"before": self.before.attack(), "after": self.after.attack()},
            "frontier": [each.to_dict() for each in self.frontier],
            "searched": self.searched.to_dict(),
            "draws": self.draws,
            "why": self.why or None,
            "written": self.written,
            "left_aside": list(self.left_aside),
        }
