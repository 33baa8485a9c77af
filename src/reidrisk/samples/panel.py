"""The panel: what other published estimators say of the same sample, and how far they scatter.

Each gives τ1, the sample uniques that are population unique: from class sizes alone
(`class_size_estimators`), from weights alone (`individual_risk`), from log-linear models
(`log_linear`). NaN where one has no answer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from reidrisk.samples import class_size_estimators as sizes
from reidrisk.samples.individual_risk import benedetti_franconi
from reidrisk.samples.log_linear import main_effects, two_way
from reidrisk.samples.sampled_cells import SampledCells

ESTIMATORS = (
    "ewens", "pitman", "zayatz", "snb", "dankar", "benedetti_franconi", "main_effects", "two_way",
)  # fmt: skip


def panel(sample: SampledCells) -> dict[str, float]:
    """τ1 by each estimator."""
    if sample.population == sample.n:
        return dict.fromkeys(ESTIMATORS, float(len(sample.alone)))
    classes = sizes.ClassSizes.of(sample.people, sample.population)
    return {
        "ewens": sizes.ewens(classes),
        "pitman": sizes.pitman(classes),
        "zayatz": sizes.zayatz(classes),
        "snb": sizes.slide_negative_binomial(classes),
        "dankar": sizes.dankar(classes),
        "benedetti_franconi": benedetti_franconi(sample)[0],
        "main_effects": main_effects(sample),
        "two_way": two_way(sample),
    }


def scatter(found: Mapping[str, float]) -> float:
    """The largest estimate over the smallest; infinite where one is 0, NaN where there are none."""
    known = [each for each in found.values() if not math.isnan(each)]
    if not known:
        return math.nan
    return max(known) / min(known) if min(known) > 0.0 else math.inf
