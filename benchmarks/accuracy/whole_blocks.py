"""Whole tables in tables: errors by table, number of attributes and dependence; the worst cases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np

from benchmarks.marked_page import rows

from .cases import Case, Whole, by
from .predicting import MODELS

Figure = Callable[[Whole], float]
MEASURES: dict[str, Figure] = {
    "ORR": lambda each: each.overall,
    "share alone": lambda each: each.alone,
}
AXES: dict[str, tuple[str, Callable[[Case], Any]]] = {
    "table": ("table", lambda case: case.table),
    "attributes": ("attributes", lambda case: case.size),
    "dependence": ("MAD", lambda case: case.band),
}
# The goals set before measuring: largest error, by model and by whether MAD reaches 0.5.
GOALS = (("pairwise", False, 0.015), ("tree", False, 0.06),
         ("pairwise", True, 0.015), ("tree", True, 0.035))  # fmt: skip
STRONG = 0.5
# The tables that models and goals were settled with.
SEEN = ("adult", "us_fertility1980", "us_military", "belgium_2015", "census_kdd")
WORST = 5


def errors(cases: Sequence[Case], model: str, figure: Figure) -> list[float]:
    """|predicted − counted| of the cases the model was run on."""
    return [abs(figure(case.whole[model])) for case in cases if model in case.whole]


def cell(values: Sequence[float]) -> str:
    """Mean and largest."""
    return f"{np.mean(values):.4f}, {max(values):.4f}" if values else "–"


def grouped(cases: Sequence[Case], axis: str) -> dict[Any, list[Case]]:
    """The cases along an axis, in its order; tables in theirs."""
    order: dict[str, Callable[[Case], float]] = {
        "table": lambda case: 0, "attributes": lambda case: case.size,
        "dependence": lambda case: case.mad,
    }  # fmt: skip
    return by(sorted(cases, key=order[axis]), AXES[axis][1])


def along(cases: Sequence[Case], axis: str) -> list[str]:
    """Errors of ORR and of the share alone along one axis."""
    lines: list[str] = []
    for measure, figure in MEASURES.items():
        body = [
            [str(key), str(len(some)), *(cell(errors(some, model, figure)) for model in MODELS)]
            for key, some in grouped(cases, axis).items()
        ]
        head = [f"{measure}: {AXES[axis][0]}", "sets", *MODELS]
        lines += [*rows(head, body), ""]
    return lines


def goals(cases: Sequence[Case]) -> list[str]:
    """Which of the goals are met, on the tables they were set with and on those never looked at."""
    body = []
    for (model, strong, goal), seen in product(GOALS, (True, False)):
        some = [case for case in cases
                if (case.mad >= STRONG) == strong and (case.table in SEEN) == seen]  # fmt: skip
        if not some:
            continue
        worst = [case.whole[model].worst for case in some]
        within = sum(each <= goal for each in worst)
        where = f"{'first five' if seen else 'other'} tables, MAD {'≥' if strong else '<'} {STRONG}"
        found = f"{max(worst):.4f} at most, {np.mean(worst):.4f} on average"
        told = f"{within} of {len(some)} sets within"
        body.append([where, f"{model} ≤ {goal}", found, told, _met(max(worst) <= goal)])
    return rows(["where", "goal: larger error of ORR and share alone", "found", "", ""], body)


def _met(reached: bool) -> str:
    return "reached" if reached else "**missed**"


def worst(cases: Sequence[Case]) -> list[str]:
    """The worst sets of each model, with what is known of them."""
    body = []
    for model in ("independent", "pair", "tree", "pairwise"):
        for case in sorted(cases, key=lambda each: -each.whole[model].worst)[:WORST]:
            off = case.whole[model]
            body.append([
                model, f"{off.overall:+.4f}, {off.alone:+.4f}",
                f"{case.counted[0]:.4f}, {case.counted[1]:.4f}", f"{case.people:,}",
                f"{case.mad:.2f}", f"{case.sparse:.0%}", named(case),
            ])  # fmt: skip
    head = ["model", "error of ORR, alone", "counted", "people", "MAD", "sparse", "columns"]
    return rows(head, body)


def named(case: Case) -> str:
    """The table and its columns."""
    return f"{case.table}: {', '.join(case.columns)}"


def intervals(cases: Sequence[Case]) -> list[str]:
    """How often the 90 % interval holds what was counted on real tables."""
    body = []
    for model in MODELS:
        held = [case.whole[model] for case in cases if model in case.whole]
        parts = [np.mean([getattr(each, name) for each in held])
                 for name in ("overall_inside", "alone_inside")]  # fmt: skip
        body.append([model, str(len(held)), *(f"{part:.0%}" for part in parts)])
    return rows(["real tables", "sets", "ORR inside", "share alone inside"], body)
