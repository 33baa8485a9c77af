"""GroupRisk: what is to be said of groups whose members may or may not all be unique.

The figures of one population at one group size, and the published forms among them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from reidrisk.crowds import Answer, Envelope
from reidrisk.errors import InputError
from reidrisk.laws import SimulatedGroups, published_forms, simulated
from reidrisk.prediction.populations import Population

# The keys of a group's figures, in the order in which they are shown.
FORMS = (
    "exact",
    "exact_finite",
    "uniform",
    "uniform_exponential",
    "poisson",
    "alpha_squared",
    "kullback_leibler",
    "kullback_leibler_exponential",
)


@dataclass(frozen=True)
class GroupFigures:
    """One group size, of one population.

    P(all members unique): `exact` for independent draws, `exact_finite` for different people of
    these, then the published forms (`laws.published_forms`). None: not known from what was given.
    `shared` is P(at least one pair shares), `member_unique` P(a given member is unique), on average
    over members, `expected_unique` how many members are.
    """

    size: int
    outcomes: int
    kappa: float
    uniform: float
    uniform_exponential: float
    kullback_leibler: float
    kullback_leibler_exponential: float
    people: int | None = None
    discrepancy: float | None = None
    exact: float | None = None
    exact_finite: float | None = None
    poisson: float | None = None
    alpha_squared: float | None = None
    shared: float | None = None
    member_unique: float | None = None
    expected_unique: float | None = None
    # Of a member with the tuple asked for, (1 − p)^{k−1}.
    given_member_unique: float | None = None
    # The smallest group whose exact probability is at most the value asked for.
    smallest_under: int | None = None
    simulated: SimulatedGroups | None = None
    # Which group of several, and how coarse it was seen.
    group: str | None = None
    bands: Mapping[str, str] = field(default_factory=dict)
    # Between which figures hidden counts leave them, by name.
    limits: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """As in JSON; the keys are fixed."""
        told: dict[str, Any] = {}
        if self.group is not None:
            told["group"] = self.group
        if self.bands:
            told["bands"] = dict(self.bands)
        told |= {"size": self.size, "outcomes": self.outcomes, "people": self.people}
        told |= {"kappa": self.kappa, "discrepancy": self.discrepancy}
        told |= {name: getattr(self, name) for name in FORMS}
        told |= {
            "shared": self.shared,
            "member_unique": self.member_unique,
            "expected_unique": self.expected_unique,
        }
        if self.given_member_unique is not None:
            told["given_member_unique"] = self.given_member_unique
        if self.smallest_under is not None:
            told["smallest_under"] = self.smallest_under
        if self.simulated is not None:
            found = self.simulated
            told["simulated"] = {
                "estimate": found.estimate,
                "groups": found.groups,
                "unique": found.unique,
                "half_width": found.half_width if found.unique else None,
                "confidence": found.confidence,
                "reached": found.reached,
            }
            told["intervals"] = {"simulated": list(found.interval)}
        if self.limits:
            limits = {name: list(each) for name, each in self.limits.items()}
            told["intervals"] = limits | told.get("intervals", {})
        return told


@dataclass(frozen=True, eq=False)
class GroupRisk(Answer):
    """The answer of `group`: one set of figures, or one for each size, group and width asked."""

    envelope: Envelope
    groups: tuple[GroupFigures, ...]
    # Whether several were asked for: then they stand under `groups` in JSON.
    several: bool = False
    # The value that `smallest_under` was asked for.
    under: float | None = None

    def _one(self) -> GroupFigures:
        if len(self.groups) != 1:
            raise InputError(
                f"there are figures of {len(self.groups):,} groups", "look at .groups, one each"
            )
        return self.groups[0]

    def __getattr__(self, name: str) -> Any:
        # Figures of a single group are the answer's own: rr.group(...).exact.
        if name.startswith("_") or name not in GroupFigures.__dataclass_fields__:
            raise AttributeError(name)
        return getattr(self._one(), name)

    def to_dict(self) -> dict[str, Any]:
        """As in JSON; the keys are fixed."""
        told = self.envelope.to_dict()
        if self.under is not None:
            told["under"] = self.under
        if self.several:
            return told | {"groups": [each.to_dict() for each in self.groups]}
        return told | self._one().to_dict()


def figures_by_kappa(
    k: int, outcomes: int, kappa: float, discrepancy: float | None
) -> dict[str, float | None]:
    """What the number of outcomes, κ and the discrepancy are enough for."""
    second = None if discrepancy is None else (2.0 * discrepancy + 1.0) / outcomes
    return {
        "kappa": kappa,
        "discrepancy": discrepancy,
        "uniform": published_forms.uniform(k, outcomes),
        "uniform_exponential": published_forms.uniform_exponential(k, outcomes),
        "alpha_squared": None if second is None else published_forms.alpha_squared(k, second),
        "kullback_leibler": published_forms.kullback_leibler(k, outcomes, kappa),
        "kullback_leibler_exponential": published_forms.kullback_leibler_exponential(
            k, outcomes, kappa
        ),
    }


# What hidden counts change, and those of them that limits are given of.
IMPUTED = (
    "kappa",
    "discrepancy",
    "exact",
    "exact_finite",
    "poisson",
    "alpha_squared",
    "kullback_leibler",
    "kullback_leibler_exponential",
    "shared",
    "member_unique",
    "expected_unique",
    "given_member_unique",
)
LIMITED = ("exact", "expected_unique", "kappa")


def over_ways(figures: GroupFigures, population: Population) -> GroupFigures:
    """Means over the ways in which hidden counts may be shared out, and the limits of these."""
    each = [(weight, figures_of(way, figures.size)) for weight, way in population.ways]
    if not each:
        return figures
    means: dict[str, Any] = {}
    limits = {}
    for name in IMPUTED:
        held = [getattr(one, name) for _, one in each]
        if None not in held:
            means[name] = float(sum(w * value for (w, _), value in zip(each, held, strict=True)))
            if name in LIMITED:
                limits[name] = (min(held), max(held))
    return replace(figures, **means, limits=limits)


def figures_of(
    population: Population,
    k: int,
    under: float | None = None,
    simulate: float | None = None,
    confidence: float = 0.95,
    rng: np.random.Generator | None = None,
) -> GroupFigures:
    """Every figure of one population and one size."""
    law, p = population.law, population.member
    drawn = None
    if simulate is not None and rng is not None:
        drawn = simulated(law.space, k, rng, simulate, confidence)
    alone = law.member_unique(k)
    return GroupFigures(
        **figures_by_kappa(k, law.outcomes, law.kappa, law.discrepancy),  # type: ignore[arg-type]
        size=k,
        outcomes=law.outcomes,
        people=population.people,
        exact=law.exact(k),
        exact_finite=law.exact_finite(k),
        poisson=law.poisson(k),
        shared=law.shared(k),
        member_unique=alone,
        expected_unique=k * alone,
        given_member_unique=None if p is None else float((1.0 - min(p, 1.0)) ** (k - 1)),
        smallest_under=None if under is None else law.smallest_under(under),
        simulated=drawn,
        group=population.group,
        bands=population.bands,
    )
