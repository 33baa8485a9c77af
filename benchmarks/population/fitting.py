"""Fitting: the constants of the intervals, and whether they hold on tables left out.

σ² = Σ_i a_i² sign_i² + chance (`reidrisk.samples.population_error`). a_i ≥ 0 maximise the log score
of a normal law, each table with the same weight: of the shift that leads to the truth for τ1, half
a person less or more where τ1 is 0 or all; of the error of the logarithm for the other figures. k
of τ1 is the 90 % quantile of the |shift| at which an interval begins to hold the truth, over σ; k
of the others that of the error, over its spread. Both are fitted leaving one table out, then
widened by the smallest power of 1.02 with which nine in ten figures of tables left out are held,
and eight in ten of each of the tables.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from reidrisk.arrays import Floats
from reidrisk.samples.population_error import LEAST_SPREAD, Learned

from .cases import FIGURES, Case

AIM, AIM_OF_EACH, STEP = 0.9, 0.8, 1.02
MOST_SHIFT, MOST_ERROR = 8.0, 3.0
WIDTHS = ("tau1", "tau1_without_pairs", "tau2", "alone", "overall_risk")


class Judged(NamedTuple):
    """Whether an interval held the truth."""

    case: Case
    figure: str
    inside: bool


def weights(cases: Sequence[Case]) -> Floats:
    """The same for every table."""
    many: dict[str, int] = {}
    for case in cases:
        many[case.table] = many.get(case.table, 0) + 1
    return np.array([1.0 / many[case.table] for case in cases])


def scale_of(cases: Sequence[Case]) -> tuple[float, ...]:
    """a of τ1."""
    held = [case for case in cases if case.sample_alone]
    signs = np.array([case.signs for case in held]) ** 2
    chance = np.array([case.chance for case in held])
    shift = np.clip([_shift(case) for case in held], -MOST_SHIFT, MOST_SHIFT)
    weight = weights(held)

    def loss(parameters: Floats) -> float:
        variance = signs @ parameters**2 + chance
        return float(np.dot(weight, 0.5 * np.log(variance) + 0.5 * shift**2 / variance))

    return _least(loss, [[0.05, 0.05, 1.0, 1.0], [0.1, 0.02, 0.5, 2.0]])


def log_scale_of(cases: Sequence[Case], name: str) -> tuple[float, ...]:
    """a of a figure that is held on the logarithmic scale."""
    held = _cases_for(cases, name)
    parts = np.array([(*case.signs, math.sqrt(case.chance)) for case in held]) ** 2
    rest = np.array([rest_of(case, name) for case in held])
    error = np.clip([_log_error(case, name) for case in held], -MOST_ERROR, MOST_ERROR)
    weight = weights(held)

    def loss(parameters: Floats) -> float:
        variance = rest**2 * (parts @ parameters**2) + LEAST_SPREAD**2
        return float(np.dot(weight, 0.5 * np.log(variance) + 0.5 * error**2 / variance))

    start = np.array([0.05, 0.02, 0.5, 1.0, 0.5])
    return _least(loss, [times * start for times in (1.0, 0.3, 2.0)])


def _least(loss: Callable[[Floats], float], starts: Sequence[Any]) -> tuple[float, ...]:
    from scipy.optimize import minimize

    best = min((minimize(loss, start, method="Nelder-Mead", options={"maxiter": 6000})
                for start in starts), key=lambda each: float(each.fun))  # fmt: skip
    return tuple(abs(float(each)) for each in best.x)


def _log_error(case: Case, name: str) -> float:
    return math.log(case.truth[name] / max(case.estimate[name], 1e-9))


def rest_of(case: Case, name: str) -> float:
    """r."""
    if name == "overall_risk":
        return 1.0 - case.estimate["overall_risk"]
    return 1.0 - case.estimate["tau1"] / max(case.sample_alone, 1)


def _shift(case: Case) -> float:
    """To the truth; where none or all are unique, half way to one less or more."""
    below, at, above = case.shifts
    if case.truth["tau1"] == 0:
        return above / 2.0 if above > 0.0 else min(0.0, above)
    return below / 2.0 if case.truth["tau1"] == case.sample_alone and below < 0.0 else at


def needed(case: Case, name: str, learned: Learned) -> float:
    """The k with which the interval just holds the truth."""
    if name.startswith("tau1"):
        below, _, above = case.shifts
        sigma = math.sqrt(learned.model_variance(case.signs) + case.chance)
        return max(0.0, below, -above) / sigma
    spread = learned.log_spread(name, case.signs, case.chance, rest_of(case, name))
    return abs(_log_error(case, name)) / spread


def _cases_for(cases: Sequence[Case], name: str) -> list[Case]:
    if name.startswith("tau1"):
        with_pairs = name == "tau1"
        return [each for each in cases if each.sample_alone and each.with_pairs == with_pairs]
    return [each for each in cases if each.sample_alone and each.truth["tau1"] > 0]


def fitted(cases: Sequence[Case]) -> Learned:
    """a and k, not widened."""
    log_scales = {name: log_scale_of(cases, name) for name in FIGURES if name != "tau1"}
    bare = Learned(scale_of(cases), {}, log_scales)
    widths = {}
    for name in WIDTHS:
        held = _cases_for(cases, name)
        found = np.array([needed(case, name, bare) for case in held])
        widths[name] = _quantile(found, weights(held))
    return Learned(bare.scale, widths, log_scales)


def _quantile(values: Floats, weight: Floats) -> float:
    order = np.argsort(values)
    reached = np.cumsum(weight[order]) / weight.sum()
    return float(values[order][min(int(np.searchsorted(reached, AIM)), len(values) - 1)])


def left_out(cases: Sequence[Case]) -> dict[str, Learned]:
    """By table, the constants fitted to the others."""
    tables = dict.fromkeys(case.table for case in cases)
    return {table: fitted([case for case in cases if case.table != table]) for table in tables}


def judged(
    cases: Sequence[Case], learned: Mapping[str, Learned], factors: Mapping[str, float]
) -> list[Judged]:
    """Every figure of tables left out."""
    found = []
    for name in WIDTHS:
        for case in _cases_for(cases, name):
            own = learned[case.table]
            inside = needed(case, name, own) <= own.widths[name] * factors.get(name, 1.0)
            found.append(Judged(case, name.removesuffix("_without_pairs"), inside))
    return found


def factors_of(cases: Sequence[Case], learned: Mapping[str, Learned]) -> dict[str, float]:
    """By how much each k has to grow for nine in ten of the figures of tables left out, and for
    eight in ten of every table.
    """
    found = {name: _growth(_ratios(cases, learned, name)) for name in WIDTHS}
    tables = dict.fromkeys(case.table for case in cases)
    for name in FIGURES:
        while any(
            coverage(judged(cases, learned, found), table)[name] < AIM_OF_EACH for table in tables
        ):
            found[name] *= STEP
    return found


def _ratios(cases: Sequence[Case], learned: Mapping[str, Learned], name: str) -> list[float]:
    return [
        needed(case, name, learned[case.table]) / learned[case.table].widths[name]
        for case in _cases_for(cases, name)
    ]


def _growth(ratios: Sequence[float]) -> float:
    wanted = max(1.0, float(np.sort(ratios)[math.ceil(AIM * len(ratios)) - 1]))
    return float(STEP ** math.ceil(math.log(wanted) / math.log(STEP) - 1e-9))


def coverage(found: Sequence[Judged], table: str | None = None) -> dict[str, float]:
    """Share held, by figure; of one table."""
    held: dict[str, list[float]] = {figure: [] for figure in FIGURES}
    for each in found:
        if table in (None, each.case.table):
            held[each.figure].append(float(each.inside))
    return {figure: float(np.mean(shares or [math.nan])) for figure, shares in held.items()}


def constants(cases: Sequence[Case]) -> dict[str, Any]:
    """What the file of the package holds."""
    learned = left_out(cases)
    factors = factors_of(cases, learned)
    own = fitted(cases)
    found = judged(cases, learned, factors)
    tables = list(dict.fromkeys(case.table for case in cases))
    return {
        "made_by": "python -m benchmarks.population",
        "tables": tables,
        "samples": len(cases),
        "scale": [_digits(each) for each in own.scale],
        "log_scales": {
            name: [_digits(each) for each in scale] for name, scale in own.log_scales.items()
        },
        "widths": {name: _digits(own.widths[name] * factors[name]) for name in WIDTHS},
        "widened": {name: _digits(factors[name]) for name in WIDTHS},
        "coverage": {name: _digits(each) for name, each in coverage(found).items()},
        "coverage_by_table": {
            table: {
                name: None if math.isnan(each) else _digits(each)
                for name, each in coverage(found, table=table).items()
            }
            for table in tables
        },
    }


def _digits(value: float) -> float:
    return float(f"{value:.5g}")
