"""Figure 3: an even and an uneven town against the size of the group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import reidrisk as rr
from reidrisk.reports import Picture
from reidrisk_papers.figure import Ours, Rerun
from reidrisk_papers.koot.towns import Towns, large, towns
from reidrisk_papers.pictures import Curve, curves
from reidrisk_papers.setting import Setting

CURVE = tuple(range(2, 46))


def figure_3(setting: Setting) -> Rerun:
    """Two towns against the size of the group."""
    held = towns(setting)
    ordered = sorted(large(held.group(["age"], 29)), key=lambda each: each.kappa)
    even, uneven = (_curve(held, each.group) for each in (ordered[0], ordered[-1]))
    every = [each for size in (5, 15, 29) for each in held.group(["age"], size)]
    below = float(np.mean([each.exact <= each.uniform * (1 + 1e-12) for each in every]))
    ours = {
        "kappa_low": Ours(ordered[0].kappa, None, "Other towns than the paper's."),
        "kappa_high": Ours(ordered[-1].kappa, None, "Other towns than the paper's."),
        "form_low": Ours(_form_over_truth(ordered[0]), 1.0),
        "form_high": Ours(_form_over_truth(ordered[-1]), 1.0),
        "below_uniform": Ours(below),
    }
    return Rerun(ours, held.data, [_sizes(even, uneven)])


def _form_over_truth(town: Any) -> float:
    return float(town.kullback_leibler_exponential / town.exact)


def _curve(held: Towns, town: str) -> list[Any]:
    table = held.of(town, ["age"])
    return list(rr.group(table, sizes=CURVE, columns=["age"], values={"age": "0-94"}).groups)


def _sizes(even: Sequence[Any], uneven: Sequence[Any]) -> Picture:
    def line(groups: Sequence[Any], form: str) -> list[tuple[float, float]]:
        return [(float(each.size), float(getattr(each, form))) for each in groups]

    published = "kullback_leibler_exponential"
    parts = [
        Curve("all ages equally likely", line(even, "uniform")),
        Curve(f"κ = {even[0].kappa:.3f}", line(even, "exact")),
        Curve(f"κ = {even[0].kappa:.3f}", line(even, published), dashed=True),
        Curve(f"κ = {uneven[0].kappa:.3f}", line(uneven, "exact")),
        Curve(f"κ = {uneven[0].kappa:.3f}", line(uneven, published), dashed=True),
    ]
    return Picture(
        lambda width: curves(parts, "people in the group", "P(all different)", width, log_y=True),
        "The probability falls faster with the size of the group where ages are less even.",
        "Exact as lines, the paper's form dashed; the scale is logarithmic.",
    )
