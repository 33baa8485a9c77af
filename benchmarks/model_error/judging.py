"""Judging: do intervals hold the truth of a table that had no part in making them?

Each table in turn is left out, the constants are fitted to the others, and the table's figures are
held against the intervals that `Learned` gives by these. *Coverage* is the share of figures inside,
each set of columns with the same weight.

Tables differ more from each other than sets of one table do, so quantiles over pooled tables hold
too little of another. The distance between the two is multiplied by the smallest power of `STEP`
with which coverage is at least `AIM`, both moving out by the same: one number for each family of
figures of a model and each kind of published counts, the same for all tables.

*Moving* is kept for a kind only where it makes the overall risk of tables left out come closer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from reidrisk.prediction.model_error import FAMILIES, KINDS, Interval, Learned, learned_of

from .cases import Case
from .fitting import (
    Ratio,
    divided,
    groups_of,
    model_entry,
    moved_rows,
    of_kind,
    people_of,
    quantile,
    rows_of,
    weights_of,
)

AIM, STEP = 0.9, 1.05
MOST_STEPS = 48
OTHERS = ("group", "person")
ENDS = ("low", "high")
BANDS = (0.01, 0.1, 0.3)
# A probability that all are unique, to hold a group's ratio against.
EVEN = 0.5
Entry = dict[str, Any]
Factors = Mapping[str, float]


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


PARTS = tuple(part_of(kind, family) for kind in KINDS for family in FAMILIES)


def left_out(cases: Sequence[Case], model: str, moving: Container[str] = KINDS) -> dict[str, Entry]:
    """By table, the constants fitted to the others."""
    tables = dict.fromkeys(case.table for case in cases)
    return {
        table: model_entry([case for case in cases if case.table != table], model, moving)
        for table in tables
    }


def worth_moving(cases: Sequence[Case], entries: Mapping[str, Entry], model: str) -> list[str]:
    """The kinds of published counts of which moving brings overall risks closer."""
    errors = {kind: moving(cases, entries, model, kind, FAMILIES[0]) for kind in KINDS}
    return [kind for kind, (before, after) in errors.items() if after < before]


def widened(entry: Entry, factors: Factors) -> Entry:
    """Constants whose quantiles lie farther apart by these factors."""
    figures = {
        kind: {
            family: each | _apart(each, factors.get(part_of(kind, family), 1.0))
            for family, each in families.items()
        }
        for kind, families in entry["figures"].items()
    }
    group = _apart(entry["group"], factors.get("group", 1.0))
    people = [apart(each, factors.get("person", 1.0)) for each in entry["person"]["quantiles"]]
    person = entry["person"] | {"quantiles": people}
    return entry | {"figures": figures, "group": group, "person": person}


def _apart(each: Mapping[str, float], by: float) -> dict[str, float]:
    return dict(zip(ENDS, apart([each[end] for end in ENDS], by), strict=True))


def apart(ends: Sequence[float], by: float) -> list[float]:
    """Two ends moved out evenly: a quantile close to 0 would stay there if it were multiplied."""
    low, high = ends
    more = (by - 1.0) * (high - low) / 2.0
    return [low - more, high + more]


def judged(
    cases: Sequence[Case], entries: Mapping[str, Entry], model: str, what: str, by: float = 1.0
) -> list[Judgement]:
    """A family of figures of a kind, `group` or `person`, with quantiles apart by `by`."""
    learned = {table: learned_of(widened(entry, {what: by})) for table, entry in entries.items()}
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
        for row in moved_rows(rows, model, of_table.moves[kind]):
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


def factors_of(cases: Sequence[Case], entries: Mapping[str, Entry], model: str) -> dict[str, float]:
    """How far quantiles are moved apart to hold enough."""
    return {what: _factor(cases, entries, model, what) for what in (*PARTS, *OTHERS)}


def _factor(cases: Sequence[Case], entries: Mapping[str, Entry], model: str, what: str) -> float:
    by = 1.0
    for _ in range(MOST_STEPS):
        found = judged(cases, entries, model, what, by)
        if not found or coverage(found) >= AIM:
            break
        by *= STEP
    return by


def moving(
    cases: Sequence[Case], entries: Mapping[str, Entry], model: str, kind: str, family: str
) -> tuple[float, float]:
    """Mean |error| of tables left out, as fitted and moved; each set the same weight."""
    errors: dict[tuple[Any, ...], list[tuple[float, float]]] = {}
    for table, entry in entries.items():
        mine = [case for case in cases if case.table == table]
        rows = of_kind(rows_of(mine, model, family), kind)
        for row, now in zip(rows, moved_rows(rows, model, entry["moves"][kind]), strict=True):
            both = abs(row.true - row.predicted), abs(row.true - now.predicted)
            errors.setdefault((table, row.case.columns), []).append(both)
    if not errors:
        return 0.0, 0.0
    before, after = np.mean([np.mean(each, axis=0) for each in errors.values()], axis=0)
    return float(before), float(after)


LEVELS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)


def reliability(
    cases: Sequence[Case], entries: Mapping[str, Entry], model: str, what: str
) -> list[tuple[float, float]]:
    """Of intervals that are to hold so many figures, how many of a table left out they hold: the
    quantiles of the others' (truth − p)/s alone, with neither chance nor widening.
    """
    kind, family = what.split(":")
    every = of_kind(rows_of(cases, model, family), kind)
    hits: dict[float, list[tuple[float, float]]] = {level: [] for level in LEVELS}
    for table, entry in entries.items():
        rows = moved_rows(every, model, tuple(entry["moves"][kind]))
        scale = np.array([entry["figures"][kind][family][each] for each in "abc"])
        left, weights = divided(rows, scale)[0], weights_of(rows)
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
