"""Fitting: the scale of a model's error, and quantiles of what is left when it is divided by it.

Symbols as in `reidrisk.prediction.model_error`. Of figures with features f = (|t − p|, p(1 − p)·q,
p(1 − p)), errors e = truth − p and weights w, a, b, c within 0 and 4 make least

    Σ w·(log s + |e|/s),   s = a·f_1 + b·f_2 + c·f_3 + s_0,

the log score of a Laplace law; p is moved before that, by the μ ≥ 0 that makes least Σ w·|e + m|
over overall risks. Quantiles are those of what chance doesn't explain, ±√(max(e² − d², 0))/s with d
how far chance goes on the side of the truth. All of it is fitted apart for each kind of published
counts. Each table has the same weight, within it each set of columns, and so on down to figures and
members.

Where it fails: with few tables, whose errors are what differs most; see `judging`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize

from reidrisk.arrays import Floats
from reidrisk.prediction.error_scale import Features, Interval
from reidrisk.prediction.model_error import APART, FAMILIES, KINDS, Signs, features, moving_sign

from .cases import NAMES, Case

LEAST = 2e-4
LOW, HIGH = 0.05, 0.95
# Where p(1 − p) is largest, this is a scale of all there is between 0 and 1.
MOST = 4.0
# Several, since the score isn't convex.
STARTS = ((0.5, 0.1, 0.01), (0.1, 0.1, 0.1), (0.01, 0.5, 0.1))
# Edges of expected crowds; between two, errors of people are taken as alike.
EDGES = (1.5, 3.0, 10.0, 30.0, 100.0, 1000.0)
# What these don't answer, the tree does.
ANSWERS_FOR = {"pairwise": "tree", "triples": "tree"}


class Row(NamedTuple):
    """One figure: predicted, true, what chance leaves of it, and what is seen beside it."""

    case: Case
    protection: str
    name: str
    predicted: float
    true: float
    chance: Interval
    signs: Signs

    @property
    def features(self) -> Features:
        """What a, b and c multiply."""
        return features(self.predicted, self.signs.simpler.get(self.name), self.signs.sparse)


class Ratio(NamedTuple):
    """ln(truth / expected) of a group or a member, and the expected one."""

    case: Case
    protection: str
    expected: float
    log: float


def rows_of(cases: Sequence[Case], model: str, family: str) -> list[Row]:
    """One model's figures of a family."""
    places = [at for at, name in enumerate(NAMES) if family in name]
    rows = []
    for case in cases:
        for protection, published in case.published.items():
            if model not in published.predictions:
                continue
            prediction, signs = published.predictions[model], case.signs(protection, model)
            rows += [
                Row(case, protection, NAMES[at], prediction.figures[at], case.truth[at],
                    prediction.chance_of(at, case.people), signs)
                for at in places
            ]  # fmt: skip
    return rows


def of_kind(rows: Sequence[Row], kind: str) -> list[Row]:
    """Those of one kind of published counts."""
    return [row for row in rows if row.signs.kind == kind]


def moved_rows(rows: Sequence[Row], model: str, by: str, weight: float) -> list[Row]:
    """The figures as they are after moving; what chance leaves moves with them."""
    return [_moved(row, model, by, weight) for row in rows] if weight > 0.0 else list(rows)


def _moved(row: Row, model: str, sign: str, weight: float) -> Row:
    before = row.case.published[row.protection].predictions[model].figures
    risk, signs = before[0], row.signs
    seen = features(risk, signs.simpler.get(NAMES[0]), signs.sparse)
    off = min(weight * moving_sign(sign, seen), risk / 2.0)
    place = NAMES.index(row.name)
    by = moved_figures(before, off)[place] - before[place]
    low, high = row.chance
    return row._replace(predicted=row.predicted + by, chance=(low + by, high + by))


def moved_figures(figures: Sequence[float], by: float) -> list[float]:
    """`moved`, of figures in the order of `NAMES` (crowds of at least 2, 3, 5, 10, 20, 50).

    Crowds of ten aren't among them: that some of these become crowds of twenty is left out.
    """
    risk, alone, *at_least = figures
    share = min(2.0 * by / max(risk, 1e-12), 1.0)
    two, three, five, ten, twenty, fifty = at_least
    larger = (ten - twenty) / 14.0 + (twenty - fifty) / 31.0 + fifty / 80.0
    return [
        risk - share * max(risk - larger, 0.0) / 2.0,
        alone * (1.0 - share),
        two + share * (1.0 - two),
        three + share * (two - three),
        five + share * (three - five),
        ten + share * (five - ten),
        twenty,
        fifty,
    ]


def moves_of(rows: Sequence[Row], by: str) -> float:
    """μ by least absolute deviations, a weighted median of −e/x; `rows` are overall risks."""
    x = np.array([moving_sign(by, row.features) for row in rows])
    seen = np.flatnonzero(x > 0.0)
    if not len(seen):
        return 0.0
    errors = np.array([row.true - row.predicted for row in rows])[seen]
    weights = weights_of(rows)[seen] * x[seen]
    return min(max(quantile(-errors / x[seen], weights, 0.5), 0.0), 1.0)


def groups_of(cases: Sequence[Case], model: str) -> list[Ratio]:
    """The chance that two people share all values, once for each file."""
    return [
        Ratio(case, protection, alpha, math.log(case.alpha / alpha))
        for case in cases
        for protection, published in case.published.items()
        for alpha in (published.alphas[ANSWERS_FOR.get(model, model)],)
    ]


def people_of(cases: Sequence[Case], model: str) -> list[Ratio]:
    """Members that the published numbers don't rule out."""
    return list(_people_of(cases, ANSWERS_FOR.get(model, model)))


def _people_of(cases: Sequence[Case], model: str) -> Iterator[Ratio]:
    for case in cases:
        for protection, published in case.published.items():
            for crowd, expected in zip(case.crowds, published.expected[model], strict=True):
                if expected is not None:
                    yield Ratio(case, protection, expected, math.log(crowd / expected))


def weights_of(rows: Sequence[Row] | Sequence[Ratio]) -> Floats:
    """Each table the same, and within it each set of columns, protection and figure."""
    keys = [(row.case.table, row.case.columns, row.protection) for row in rows]
    here = [dict.fromkeys(key[:depth] for key in keys) for depth in (1, 2, 3)]
    below = [Counter(key[:-1] for key in level) for level in here]
    own = Counter(keys)
    found = [
        1.0 / (below[0][()] * below[1][key[:1]] * below[2][key[:2]] * own[key]) for key in keys
    ]
    return np.array(found) / max(sum(found), 1e-300)


def quantile(values: Floats, weights: Floats, at: float) -> float:
    """A weighted quantile: each value in the middle of its own weight, straight between them."""
    order = np.argsort(values, kind="stable")
    middle = np.cumsum(weights[order]) - weights[order] / 2.0
    return float(np.interp(at * weights.sum(), middle, values[order]))


def scale_of(rows: Sequence[Row]) -> Floats:
    """a, b, c."""
    weights = weights_of(rows)
    features = np.array([row.features for row in rows])
    errors = np.array([abs(row.true - row.predicted) for row in rows])

    def score(scale: Floats) -> tuple[float, Floats]:
        s = features @ scale + LEAST
        slope = (1.0 / s - errors / s**2) * weights
        return float(weights @ (np.log(s) + errors / s)), slope @ features

    # What no figure has can't be fitted.
    bounds = [(0.0, MOST if any_of_it else 0.0) for any_of_it in features.sum(axis=0).tolist()]
    fits = [minimize(score, start, jac=True, bounds=bounds, method="L-BFGS-B",
                     options={"maxiter": 1000, "ftol": 1e-13, "gtol": 1e-10})
            for start in STARTS]  # fmt: skip
    best: Floats = min(fits, key=lambda fit: float(fit.fun)).x
    return best


def unexplained(rows: Sequence[Row]) -> Floats:
    """±√(max(e² − d², 0)): with it an interval ends at the truth exactly."""
    errors = np.array([row.true - row.predicted for row in rows])
    d = np.array([row.predicted - row.chance[0] if row.true < row.predicted
                  else row.chance[1] - row.predicted for row in rows])  # fmt: skip
    left = np.maximum(errors**2 - np.maximum(d, 0.0) ** 2, 0.0)
    found: Floats = np.sign(errors) * np.sqrt(left)
    return found


def divided(rows: Sequence[Row], scale: Floats) -> Floats:
    """What chance doesn't explain of each figure, divided by s."""
    features = np.array([row.features for row in rows]).reshape(-1, len(scale))
    found: Floats = unexplained(rows) / (features @ scale + LEAST)
    return found


def family_entry(rows: Sequence[Row]) -> dict[str, float]:
    """The constants of one family."""
    scale, weights = scale_of(rows), weights_of(rows)
    left = divided(rows, scale)
    low, high = (quantile(left, weights, at) for at in (LOW, HIGH))
    a, b, c = (float(each) for each in scale)
    return {"a": a, "b": b, "c": c, "least": LEAST, "low": min(low, 0.0), "high": max(high, 0.0)}


def limits(ratios: Sequence[Ratio]) -> list[float]:
    """The quantiles of ln(truth / expected)."""
    logs, weights = np.array([each.log for each in ratios]), weights_of(ratios)
    return [quantile(logs, weights, at) for at in (LOW, HIGH)]


def people_entry(ratios: Sequence[Ratio]) -> dict[str, Any]:
    """The quantiles between edges of the expected crowd."""
    places = np.searchsorted(EDGES, [each.expected for each in ratios], side="right")
    between = [[ratios[at] for at in np.flatnonzero(places == place).tolist()]
               for place in range(len(EDGES) + 1)]  # fmt: skip
    return {"edges": list(EDGES), "quantiles": [limits(each) for each in between]}


def usually_apart(rows: Sequence[Row]) -> float:
    """|t − p| as a share of p(1 − p), half of the times at most; 0 without a simpler model."""
    apart, _, varies = np.array([row.features for row in rows]).T
    known = np.array([row.name in row.signs.simpler for row in rows]) & (varies > 0.0)
    if not known.any():
        return 0.0
    return quantile(apart[known] / varies[known], weights_of(rows)[known], 0.5)


# Models whose figures are moved: what is left over of the others' errors is on the safe side.
MOVED = ("pairwise", "triples")


class Moving(NamedTuple):
    """By what a model's figures are moved, and for which kinds of published counts."""

    by: str = APART
    kinds: Sequence[str] = ()


def model_entry(cases: Sequence[Case], model: str, moving: Moving) -> dict[str, Any]:
    """One model's constants, as `learned_of` reads them."""
    low, high = limits(groups_of(cases, model))
    seen = [case.signs(protection, model) for case in cases
            for protection, published in case.published.items()
            if model in published.predictions]  # fmt: skip
    moves, figures = {}, {}
    every = {family: rows_of(cases, model, family) for family in FAMILIES}
    for kind in KINDS:
        # Files that leave counts out hold no triple tables: all others stand for them.
        rows = {family: of_kind(each, kind) or each for family, each in every.items()}
        moves[kind] = moves_of(rows[FAMILIES[0]], moving.by) if kind in moving.kinds else 0.0
        figures[kind] = {
            family: family_entry(moved_rows(each, model, moving.by, moves[kind]))
            for family, each in rows.items()
        }
    return {
        "moved_by": moving.by,
        "moves": moves,
        "figures": figures,
        "group": {"low": low, "high": high},
        "person": people_entry(people_of(cases, model)),
        "most_attributes": max(each.attributes for each in seen),
        "most_sparse": max(each.sparse for each in seen),
        "usually_apart": usually_apart(every[FAMILIES[0]]),
    }
