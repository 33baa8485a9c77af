"""The figures of one population at one group size, and the published forms among them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from reidrisk.laws import published_forms
from reidrisk.laws.simulated_groups import simulated
from reidrisk.prediction.group_risk import GroupFigures
from reidrisk.prediction.populations import Population


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
