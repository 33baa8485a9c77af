"""Judging: do intervals hold the truth of a table that had no part in making them?

Each table in turn is left out, the constants are fitted to the others, and the table's figures are
held against the intervals that `Learned` gives by these. *Coverage* is the share of figures inside,
each set of columns with the same weight.

The quantiles of figures are moved out as `widening` says; of groups and people the distance between
the two is multiplied by the smallest power of `STEP` with which coverage is at least `AIM`.

*Moving* is by the sign that brings the overall risk of tables left out closer, and kept for a kind
only where it does so there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from reidrisk.arrays import Floats
from reidrisk.prediction.error_scale import Interval
from reidrisk.prediction.model_error import FAMILIES, KINDS, SIGNS_OF_MOVING, Learned, learned_of

from .cases import Case
from .fitting import (
    Moving,
    Ratio,
    divided,
    groups_of,
    model_entry,
    moved_rows,
    moves_of,
    of_kind,
    people_of,
    quantile,
    rows_of,
    weights_of,
)
from .widening import AIM, AS_FITTED, MOST_STEPS, STEP, Ends

OTHERS = ("group", "person")
ENDS = ("low", "high")
BANDS = (0.01, 0.1, 0.3)
# A probability that all are unique, to hold a group's ratio against.
EVEN = 0.5
Entry = dict[str, Any]
# By family of figures, and of what is in `OTHERS`.
Factors = Mapping[str, Ends]


class Judgement(NamedTuple):
    """One figure of a table that was left out: was the truth inside, how wide was the interval."""

    table: str
    columns: tuple[str, ...]
    protection: str
    inside: bool
    width: float
    # Share of people with a rare pair of values, as in `Signs`.
    sparse: float


def part_of(kind: str, family: str) -> str:
    """What is judged by itself: a family of figures of one kind of published counts."""
    return f"{kind}:{family}"


def left_out(cases: Sequence[Case], model: str, moving: Moving) -> dict[str, Entry]:
    """By table, the constants fitted to the others."""
    tables = dict.fromkeys(case.table for case in cases)
    return {
        table: model_entry([case for case in cases if case.table != table], model, moving)
        for table in tables
    }


def worth_moving(cases: Sequence[Case], model: str) -> Moving:
    """The sign that brings overall risks closest, and the kinds of published counts it does for."""
    errors = {by: {kind: moving(cases, model, by, kind) for kind in KINDS}
              for by in SIGNS_OF_MOVING}  # fmt: skip
    best = min(errors, key=lambda by: sum(each.mean(axis=0)[1] for each in errors[by].values()))
    means = {kind: each.mean(axis=0) for kind, each in errors[best].items()}
    return Moving(best, [kind for kind, (before, after) in means.items() if after < before])


def widened(entry: Entry, factors: Factors) -> Entry:
    """Constants whose quantiles lie farther out by these factors."""
    figures = {
        kind: {
            family: each | _out(each, factors.get(family, AS_FITTED))
            for family, each in families.items()
        }
        for kind, families in entry["figures"].items()
    }
    of_groups, of_people = (factors.get(what, AS_FITTED)[0] for what in OTHERS)
    ends = apart([entry["group"][end] for end in ENDS], of_groups)
    people = [apart(each, of_people) for each in entry["person"]["quantiles"]]
    person = entry["person"] | {"quantiles": people}
    group = dict(zip(ENDS, ends, strict=True))
    return entry | {"figures": figures, "group": group, "person": person}


def _out(each: Mapping[str, float], by: Ends) -> dict[str, float]:
    return {end: each[end] * factor for end, factor in zip(ENDS, by, strict=True)}


def apart(ends: Sequence[float], by: float) -> list[float]:
    """Two ends moved out evenly: a quantile close to 0 would stay there if it were multiplied."""
    low, high = ends
    more = (by - 1.0) * (high - low) / 2.0
    return [low - more, high + more]


def judged(
    cases: Sequence[Case],
    entries: Mapping[str, Entry],
    model: str,
    what: str,
    by: Ends = AS_FITTED,
) -> list[Judgement]:
    """A family of figures of a kind, `group` or `person`, with quantiles farther out by `by`."""
    key = what.split(":")[-1]
    learned = {table: learned_of(widened(entry, {key: by})) for table, entry in entries.items()}
    if what not in OTHERS:
        return _figures_judged(cases, learned, model, what)
    ratios = groups_of(cases, model) if what == "group" else people_of(cases, model)
    judge = _group_interval if what == "group" else _person_interval
    return [_judgement(each, judge(learned[each.case.table], each)) for each in ratios]


def _figures_judged(
    cases: Sequence[Case], learned: Mapping[str, Learned], model: str, what: str
) -> list[Judgement]:
    kind, family = what.split(":")
    found = []
    for table, of_table in learned.items():
        rows = of_kind(
            rows_of([case for case in cases if case.table == table], model, family), kind
        )
        for row in moved_rows(rows, model, of_table.moved_by, of_table.moves[kind]):
            low, high = of_table.interval(row.name, row.predicted, row.chance, row.signs)
            inside, columns = low <= row.true <= high, row.case.columns
            found.append(
                Judgement(table, columns, row.protection, inside, high - low, row.signs.sparse)
            )
    return found


def _group_interval(learned: Learned, ratio: Ratio) -> tuple[Interval, float]:
    ends = learned.all_unique(EVEN, len(ratio.case.columns))
    return ends, EVEN ** math.exp(ratio.log)


def _person_interval(learned: Learned, ratio: Ratio) -> tuple[Interval, float]:
    case = ratio.case
    ends = learned.crowd(ratio.expected, float(case.people), len(case.columns))
    return ends, ratio.expected * math.exp(ratio.log)


def _judgement(ratio: Ratio, judged_by: tuple[Interval, float]) -> Judgement:
    (low, high), true = judged_by
    inside = low - 1e-9 <= true <= high + 1e-9 * true
    case = ratio.case
    sparse = case.published[ratio.protection].sparse
    return Judgement(case.table, case.columns, ratio.protection, inside, high - low, sparse)


def band_of(sparse: float) -> str:
    """The band of a share of people with a rare pair of values."""
    names = [f"up to {100 * edge:.0f} %" for edge in BANDS]
    return [*names, f"more than {100 * BANDS[-1]:.0f} %"][int(np.searchsorted(BANDS, sparse))]


def coverage(judgements: Iterable[Judgement]) -> float:
    """The share inside, each set of columns with the same weight."""
    sets: dict[tuple[Any, ...], list[bool]] = {}
    for each in judgements:
        sets.setdefault((each.table, each.columns), []).append(each.inside)
    return float(np.mean([np.mean(inside) for inside in sets.values()]))


def coverage_by(
    judgements: Iterable[Judgement], key: Callable[[Judgement], str]
) -> dict[str, float]:
    """The same apart, by table or protection."""
    parts: dict[str, list[Judgement]] = {}
    for each in judgements:
        parts.setdefault(key(each), []).append(each)
    return {name: coverage(part) for name, part in parts.items()}


def factor_of(cases: Sequence[Case], entries: Mapping[str, Entry], model: str, what: str) -> Ends:
    """How far quantiles of groups or people are moved apart to hold enough."""
    by = 1.0
    for _ in range(MOST_STEPS):
        if coverage(judged(cases, entries, model, what, (by, by))) >= AIM:
            break
        by *= STEP
    return by, by


def moving(
    cases: Sequence[Case], model: str, by: str, kind: str, family: str = FAMILIES[0]
) -> Floats:
    """|error| of each set of columns of tables left out, as fitted and moved by `by`."""
    risks = of_kind(rows_of(cases, model, FAMILIES[0]), kind)
    every = of_kind(rows_of(cases, model, family), kind)
    errors: dict[tuple[Any, ...], list[tuple[float, float]]] = {}
    for table in dict.fromkeys(row.case.table for row in every):
        weight = moves_of([row for row in risks if row.case.table != table], by)
        rows = [row for row in every if row.case.table == table]
        for row, now in zip(rows, moved_rows(rows, model, by, weight), strict=True):
            both = abs(row.true - row.predicted), abs(row.true - now.predicted)
            errors.setdefault((table, row.case.columns), []).append(both)
    found = [np.mean(each, axis=0) for each in errors.values()]
    return np.array(found) if found else np.zeros((1, 2))


LEVELS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)


def reliability(
    cases: Sequence[Case], entries: Mapping[str, Entry], model: str, what: str
) -> list[tuple[float, float]]:
    """Of intervals that are to hold so many figures, how many of a table left out they hold: with
    the quantiles of the others, without widening.
    """
    kind, family = what.split(":")
    every = of_kind(rows_of(cases, model, family), kind)
    hits: dict[float, list[tuple[float, float]]] = {level: [] for level in LEVELS}
    for table, entry in entries.items():
        rows = moved_rows(every, model, entry["moved_by"], entry["moves"][kind])
        scale = np.array([entry["figures"][kind][family][each] for each in "abc"])
        left, weights = divided(rows, scale), weights_of(rows)
        own = np.array([row.case.table == table for row in rows])
        for level, found in hits.items():
            low, high = (quantile(left[~own], weights[~own], at)
                         for at in ((1.0 - level) / 2.0, (1.0 + level) / 2.0))  # fmt: skip
            inside = (left[own] >= low) & (left[own] <= high)
            found += zip(inside.tolist(), weights[own].tolist(), strict=True)
    return [(level, _weighted_mean(found)) for level, found in hits.items()]


def _weighted_mean(found: Sequence[tuple[float, float]]) -> float:
    inside, weights = np.array(found, dtype=np.float64).T
    return float(inside @ weights / weights.sum())
