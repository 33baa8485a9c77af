"""The risk of groups: figures of one population at one group size, published forms among them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from reidrisk.crowds import Answer, Envelope
from reidrisk.errors import InputError
from reidrisk.laws import SimulatedGroups, published_forms, simulated
from reidrisk.prediction.model_error import COUNTED, learned
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
KEYS = (
    "group", "bands", "size", "outcomes", "people", "kappa", "discrepancy", *FORMS,
    "shared", "member_unique", "expected_unique", "given_member_unique", "smallest_under",
)  # fmt: skip
# Left out where they are unknown or weren't asked for.
OPTIONAL = ("group", "bands", "given_member_unique", "smallest_under")


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
    # Of a member with the values asked for, (1 − p)^{k−1}.
    given_member_unique: float | None = None
    # The smallest group whose exact probability is at most the value asked for.
    smallest_under: int | None = None
    simulated: SimulatedGroups | None = None
    # Which group of several, and how coarse it was seen.
    group: str | None = None
    bands: Mapping[str, str] = field(default_factory=dict)
    # 90 % limits by name, with the model's error and all that hidden counts may be.
    limits: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """As in JSON; the keys are fixed."""
        figures = {name: getattr(self, name) for name in KEYS} | {"bands": dict(self.bands)}
        for name in OPTIONAL:
            if figures[name] is None or figures[name] == {}:
                del figures[name]
        intervals = {name: list(limits) for name, limits in self.limits.items()}
        if self.simulated is not None:
            drawn = self.simulated
            figures["simulated"] = {
                "estimate": drawn.estimate,
                "groups": drawn.groups,
                "unique": drawn.unique,
                "half_width": drawn.half_width if drawn.unique else None,
                "confidence": drawn.confidence,
                "reached": drawn.reached,
            }
            intervals["simulated"] = list(drawn.interval)
        return figures | ({"intervals": intervals} if intervals else {})


@dataclass(frozen=True, eq=False)
class GroupRisk(Answer):
    """The answer of `group`: one set of figures, or one for each size, group and width asked."""

    envelope: Envelope
    groups: tuple[GroupFigures, ...]
    # Whether several were asked for: then they stand under `groups` in JSON.
    several: bool = False
    # The value that `smallest_under` was asked for.
    under: float | None = None
    # What was asked, for a file to be published: records or statistics, and how they were seen.
    asked: object = field(default=None, repr=False)
    by: str | None = None
    listed: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)

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
        under = {} if self.under is None else {"under": self.under}
        several = {"groups": [each.to_dict() for each in self.groups]}
        return (
            self.envelope.to_dict() | under | (several if self.several else self._one().to_dict())
        )


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
    *(form for form in FORMS if not form.startswith("uniform")),
    *("kappa", "discrepancy", "shared", "member_unique", "expected_unique", "given_member_unique"),
)
LIMITED = ("exact", "expected_unique", "kappa")


def figures_of(
    population: Population,
    k: int,
    under: float | None = None,
    simulate: float | None = None,
    confidence: float = 0.95,
    rng: np.random.Generator | None = None,
) -> GroupFigures:
    """Every figure of one population and one size; with hidden counts means over their imputations,
    and the limits of these.
    """
    law, p = population.law, population.member
    drawn = None
    if simulate is not None and rng is not None:
        drawn = simulated(law.space, k, rng, simulate, confidence)
    alone = law.member_unique(k)
    figures = GroupFigures(
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
    imputed = [(weight, figures_of(each, k)) for weight, each in population.imputations]
    means: dict[str, Any] = {}
    limits = {}
    for name in IMPUTED if imputed else ():
        values = [getattr(each, name) for _, each in imputed]
        if None not in values:
            weighted = zip((weight for weight, _ in imputed), values, strict=True)
            means[name] = float(sum(weight * value for weight, value in weighted))
            if name in LIMITED:
                limits[name] = (min(values), max(values))
    found = replace(figures, **means)
    for name, ends in _by_model_error(found, population).items():
        least, most = limits.get(name, ends)
        limits[name] = (min(least, ends[0]), max(most, ends[1]))
    return replace(found, limits=limits)


def _by_model_error(
    figures: GroupFigures, population: Population
) -> dict[str, tuple[float, float]]:
    """90 % limits of figures of a law that a model predicted; none of one that was counted."""
    if population.model is None:
        return {}
    name, attributes = population.model
    found = {}
    of_model = learned(name)
    if figures.exact is not None:
        found["exact"] = of_model.all_unique(figures.exact, attributes)
    if figures.member_unique is not None:
        low, high = of_model.all_unique(figures.member_unique, attributes)
        found["member_unique"] = (low, high)
        found["expected_unique"] = (figures.size * low, figures.size * high)
    return {} if attributes <= COUNTED else found
