"""What the paper leaves open: only marginals are known, and columns depend on each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import reidrisk as rr
from reidrisk.reports import Grid
from reidrisk_papers.figure import Ours, Rerun
from reidrisk_papers.koot.towns import Towns, large, towns
from reidrisk_papers.setting import Setting

LARGE_GROUPS = (41, 57, 100)


def marginals(setting: Setting) -> Rerun:
    """Two columns from their marginals alone, over the truth."""
    held = towns(setting)
    civil = held.columns[2]
    ours, rows = {}, []
    for key, other in (("age_sex", "sex"), ("age_civil", civil)):
        ratio = _over_truth(held, ["age", other], 41, "none", setting)
        with_pairs = _over_truth(held, ["age", other], 41, "all", setting)
        why = (
            "Age and sex are nearly independent." if other == "sex"
            else "Nobody is widowed at ten: as if independent, far too many tuples seem possible."
        )  # fmt: skip
        ours[key] = Ours(float(np.median(ratio)), float(np.median(with_pairs)), why)
        rows += [_row(f"age, {other}", name, each) for name, each in _named(ratio, with_pairs)]
    return Rerun(ours, held.data, grids=[_grid(rows)])


def dependence(setting: Setting) -> Rerun:
    """Four columns as if independent, and along a tree of their pair tables."""
    held = towns(setting)
    ours, rows = {}, []
    for size in LARGE_GROUPS:
        alone = _over_truth(held, held.columns, size, "none", setting)
        tree = _over_truth(held, held.columns, size, "all", setting)
        ours[f"k{size}"] = Ours(float(np.median(alone)), float(np.median(tree)))
        rows += [_row(f"k = {size}", name, each) for name, each in _named(alone, tree)]
    return Rerun(
        ours, held.data, grids=[_grid(rows)], notes=[f"Columns: {', '.join(held.columns)}."]
    )


def _over_truth(
    held: Towns, columns: Sequence[str], size: int, pairs: str, setting: Setting
) -> list[float]:
    """Predicted from what is published of each town, over what its records say."""
    found = []
    every = large(held.group(columns, size))
    some = every[: setting.scaled(20, 3)] if setting.quick else every
    for number, town in enumerate(some):
        setting.progress("koot: towns", number, len(some))
        statistics = rr.publish(held.of(town.group, columns), pairs=pairs, unprotected=True)
        told: Any = rr.group(statistics, size, columns=list(columns), values={"age": "0-94"})
        found.append(float(told.exact / town.exact))
    return found


def _named(alone: list[float], pairs: list[float]) -> list[tuple[str, list[float]]]:
    return [("marginals", alone), ("pair tables", pairs)]


def _row(what: str, known: str, ratio: Sequence[float]) -> tuple[str, ...]:
    low, middle, high = np.quantile(ratio, (0.05, 0.5, 0.95))
    far = max(ratio, key=lambda each: abs(np.log(each)))
    return what, known, f"{middle:.4g}", f"{low:.4g} to {high:.4g}", f"{far:.4g}"


def _grid(rows: Sequence[tuple[str, ...]]) -> Grid:
    heads = ("of", "known", "predicted over truth, median", "5 % to 95 %", "furthest")
    return Grid(heads, tuple(rows), left=(0, 1))
