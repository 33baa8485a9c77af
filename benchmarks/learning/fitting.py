"""Fitting: scales of the error by model, kind and family, judged on tables that were left out.

The scale is fitted as `model_error.fitting` does it for crowds, by the log score of a Laplace law;
quantiles are of error/scale, both moved apart by the smallest power of `STEP` with which
the intervals of tables left out hold at least `AIM` of the figures, each set the same weight.
Of a kind with sets of fewer than `FEWEST` tables, the scale is that of all kinds together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import reidrisk as rr
from benchmarks.model_error.cases import KIND_OF
from benchmarks.model_error.cases import Case as ErrorCase
from benchmarks.model_error.fitting import HIGH, LEAST, LOW, Row, quantile, scale_of, weights_of
from benchmarks.model_error.judging import ENDS, apart
from benchmarks.model_error.widening import AIM, MOST_STEPS, STEP
from reidrisk.learning.learning_error import FAMILIES, LearningError, learned_of
from reidrisk.learning.learning_prediction import mean_figures
from reidrisk.learning.predicted_learning import Asked, drawn_learning
from reidrisk.prediction.model_error import KINDS

from .cases import NAMES, Case
from .measuring import MODELS

FEWEST = 3
CITY = 3_000
FINGERPRINTS = (
    (("age", "sex"), "marital_state"),
    (("county", "age", "sex"), "occupation"),
)
Entry = Mapping[str, float]


def rows_of(cases: Sequence[Case], model: str, place: int) -> list[Row]:
    """One model's predictions of one figure."""
    found = []
    for case in cases:
        for way, published in case.published.items():
            if model not in published.predictions:
                continue
            one, signs = published.predictions[model], case.signs(way, model)
            of = ErrorCase(
                case.table, (*case.columns, case.sensitive), case.people, (), 0.0, (), {}
            )
            found.append(Row(of, way, NAMES[place], one.figures[place], case.truth[place],
                             one.ends[place], signs))  # fmt: skip
    return found


def of_kind(rows: Sequence[Row], kind: str) -> list[Row]:
    """Those of one kind of published counts; all, where they are of too few tables."""
    found = [row for row in rows if KIND_OF[row.protection] == kind]
    return found if len({row.case.table for row in found}) >= FEWEST else list(rows)


def family_entry(rows: Sequence[Row]) -> dict[str, float]:
    """The constants of one family.

    Quantiles are of the whole error: of so few tables, those of what chance doesn't explain are
    often nothing, and nothing can't be widened.
    """
    (a, b, c), weights = scale_of(rows), weights_of(rows)
    scale = np.array([row.features for row in rows]) @ np.array([a, b, c]) + LEAST
    left = np.array([row.true - row.predicted for row in rows]) / scale
    low, high = (quantile(left, weights, at) for at in (LOW, HIGH))
    return {"a": float(a), "b": float(b), "c": float(c), "least": LEAST, "low": low, "high": high}


def widened(entry: Entry, by: float) -> dict[str, float]:
    """With quantiles farther apart."""
    ends = apart([entry[end] for end in ENDS], by)
    return {**entry, **dict(zip(ENDS, ends, strict=True))}


def inside(entry: Entry, family: str, row: Row) -> bool:
    """Whether the interval by these constants holds the truth."""
    alone = {"figures": {row.signs.kind: {family: entry}}, "most_attributes": 99, "most_sparse": 1}
    by: LearningError = learned_of(alone)
    low, high = by.interval(row.name, row.predicted, row.chance, row.signs)
    return bool(low - 1e-9 <= row.true <= high + 1e-9)


def left_out(rows: Sequence[Row]) -> dict[str, Entry]:
    """By table, the constants fitted to the others."""
    tables = dict.fromkeys(row.case.table for row in rows)
    return {
        table: family_entry([row for row in rows if row.case.table != table]) for table in tables
    }


def coverage(rows: Sequence[Row], entries: Mapping[str, Entry], family: str, by: float) -> float:
    """The share inside on tables left out, each set the same weight."""
    sets: dict[tuple[Any, ...], list[bool]] = {}
    for row in rows:
        held = inside(widened(entries[row.case.table], by), family, row)
        sets.setdefault((row.case.table, row.case.columns), []).append(held)
    return float(np.mean([np.mean(each) for each in sets.values()]))


def fitted(rows: Sequence[Row], family: str) -> dict[str, float]:
    """The constants of one family of one kind, with how often they held."""
    entries, by = left_out(rows), 1.0
    for _ in range(MOST_STEPS):
        if coverage(rows, entries, family, by) >= AIM:
            break
        by *= STEP
    held = coverage(rows, entries, family, by)
    return {**widened(family_entry(rows), by), "coverage": held, "widened": by}


def entry_of(cases: Sequence[Case], model: str) -> dict[str, Any]:
    """One model's constants."""
    every = {family: rows_of(cases, model, place) for place, family in enumerate(FAMILIES)}
    seen = [row.signs for row in every[FAMILIES[0]]]
    return {
        "figures": {
            kind: {family: fitted(of_kind(rows, kind), family) for family, rows in every.items()}
            for kind in KINDS
        },
        "most_attributes": max(each.attributes for each in seen),
        "most_sparse": max(each.sparse for each in seen),
    }


def constants_of(cases: Sequence[Case]) -> dict[str, Any]:
    """The file of constants; coverage is that of `pairwise`, by family, the least of the kinds."""
    models = {model: entry_of(cases, model) for model in MODELS}
    held = {
        family: min(models[MODELS[0]]["figures"][kind][family]["coverage"] for kind in KINDS)
        for family in FAMILIES
    }
    found = {
        "made_by": "python -m benchmarks.learning",
        "tables": list(dict.fromkeys(case.table for case in cases)),
        "sets": len(cases),
        "coverage": held,
        "models": models,
    }
    digits: dict[str, Any] = _digits(found)
    return {**digits, "fingerprint": fingerprint()}


def fingerprint() -> list[dict[str, Any]]:
    """What is predicted of sets of columns of the generated city, unprotected."""
    found = []
    for columns, sensitive in FINGERPRINTS:
        statistics = rr.publish(rr.read(rr.city(CITY), [*columns, sensitive]), unprotected=True)
        for model in MODELS:
            asked = Asked(columns, (sensitive,), {}, {}, model, 2, 0, None, (5,))
            means, _ = mean_figures(drawn_learning(statistics, asked).drawn[sensitive])
            figures = {name: round(means[name], 6) for name in ("guess_with", "certain_share")}
            found.append({"columns": [*columns, sensitive], "model": model, **figures})
    return found


def _digits(held: Any) -> Any:
    if isinstance(held, float):
        return float(f"{held:.5g}")
    if isinstance(held, dict):
        return {key: _digits(value) for key, value in held.items()}
    return [_digits(each) for each in held] if isinstance(held, list) else held
