"""Whole tables and their people, predicted from counts and held against what was counted."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from reidrisk.models.choosing import chosen_model
from reidrisk.models.contract import Model
from reidrisk.models.knowledge import Knowledge
from reidrisk.models.pair_information import STRONG, gain_ratio

from . import belgium, pace
from .persons import Told, told_apart
from .real_tables import RealTable, load
from .subsets import RULES, subsets

MODELS = ("independent", "pair", "tree", "pairwise")
# Models' goals, by whether there are strong pairs: largest error of ORR and of the share alone.
GOALS = {False: {"pairwise": 0.015, "tree": 0.06}, True: {"pairwise": 0.015, "tree": 0.035}}
# Tables and numbers of columns on which people are told apart, and the mean AUC to reach.
PERSONS = {"adult": (range(4, 10), 0.975), "census_kdd": (range(5, 13), 0.985)}
CALIBRATED = 0.02


class Predicted(NamedTuple):
    """A subset predicted: errors (ORR, alone) by model, seconds of pairwise, people told apart."""

    table: str
    columns: tuple[str, ...]
    strong: bool
    counted: tuple[float, float]
    errors: dict[str, tuple[float, float]]
    seconds: float
    persons: Told | None

    def worst(self, model: str) -> float:
        """The larger of the two errors, either way."""
        return max(map(abs, self.errors[model]))


def predicted(table: RealTable, columns: tuple[str, ...]) -> Predicted:
    """Count one subset and predict it by every model."""
    part = table.of(columns)
    truth, known = part.crowds(), part.knowledge()
    errors, model = {}, None
    seconds = 0.0
    for name in MODELS:
        begin = time.perf_counter()
        model = chosen_model(known, name)[0]
        found = model.crowd_sizes()
        seconds = time.perf_counter() - begin
        errors[name] = (
            found.overall_risk - truth.overall_risk,
            found.alone_share - truth.alone_share,
        )
    return Predicted(
        table.name,
        columns,
        has_strong_pair(known),
        (truth.overall_risk, truth.alone_share),
        errors,
        seconds,
        _persons(model, part),
    )


def has_strong_pair(known: Knowledge) -> bool:
    """Whether a gain ratio is at least 0.5."""
    return any(
        max(gain_ratio(known, i, j), gain_ratio(known, j, i)) >= STRONG for i, j in known.pairs
    )


def _persons(model: Model | None, part: RealTable) -> Told | None:
    sizes = PERSONS[part.name][0] if part.name in PERSONS else ()
    return told_apart(model, part) if model is not None and len(part.columns) in sizes else None


def lines(data: Path) -> Iterator[str]:
    """The report, line by line."""
    if not data.is_dir():
        yield f"This needs the public tables: there is no directory {data.name!r} (--data)."
        return
    yield "| where | goal | found | |"
    yield "|---|---|---|---|"
    found: list[Predicted] = []
    for rule in RULES:
        table = load(rule.table, data)
        found += [predicted(table, chosen) for chosen in subsets(rule, table.columns)]
    yield from _subset_lines(found)
    yield from _belgium_lines(load("belgium_2015", data))
    yield from _person_lines(found)
    yield ""
    yield from _summary_lines(found)
    yield from _worst_lines(found)
    yield ""
    yield from _speed_lines(load("adult", data))


def _row(where: str, goal: str, found: str, reached: bool) -> str:
    return f"| {where} | {goal} | {found} | {'reached' if reached else '**missed**'} |"


def _subset_lines(found: Sequence[Predicted]) -> Iterator[str]:
    for strong, goals in GOALS.items():
        some = [each for each in found if each.strong == strong]
        tables = ", ".join(sorted({each.table for each in some}))
        where = f"{'strong' if strong else 'no strong'} pairs: {len(some)} subsets of {tables}"
        for model, goal in goals.items():
            worst = [each.worst(model) for each in some]
            within = sum(each <= goal for each in worst)
            text = f"{max(worst):.4f} at most, mean {np.mean(worst):.4f}; {within} within"
            yield _row(where, f"{model} ≤ {goal}", text, max(worst) <= goal)


def _belgium_lines(table: RealTable) -> Iterator[str]:
    country = belgium.whole_country(table)
    off = country.predicted / country.counted - 1
    yield _row(
        f"Belgium, {table.n:,} people, five attributes, pair tables: alone",
        f"within 5 % of {country.counted:,.0f}",
        f"{country.predicted:,.0f} ({off:+.1%}); independent {country.independent:,.0f}",
        abs(off) <= 0.05,
    )
    counted, drawn = belgium.from_samples(table)
    off = float(np.mean(drawn)) / counted - 1
    yield _row(
        "1 % samples of Belgium, mean of 10: alone on municipality, age, sex",
        f"within 10 % of {counted:,.0f}",
        f"{np.mean(drawn):,.0f} ({off:+.1%}), {min(drawn):,.0f} to {max(drawn):,.0f}",
        abs(off) <= 0.1,
    )
    each = list(belgium.provinces(table))
    worst = max(each, key=lambda one: abs(one.predicted - one.counted))
    without = max(abs(one.independent - one.counted) for one in each)
    yield _row(
        f"each of {len(each)} provinces' marginals, Belgium's pair tables as background: ORR",
        "within 0.03",
        f"{abs(worst.predicted - worst.counted):.4f} at most (independent: {without:.4f})",
        abs(worst.predicted - worst.counted) <= 0.03,
    )


def _person_lines(found: Sequence[Predicted]) -> Iterator[str]:
    for table, (sizes, goal) in PERSONS.items():
        told = [each.persons for each in found if each.table == table and each.persons]
        auc, error = (float(np.mean([one[place] for one in told])) for place in (0, 1))
        where = f"persons of {len(told)} {table} subsets, {sizes[0]}–{sizes[-1]} columns, pairwise"
        least = min(one.auc for one in told)
        yield _row(where, f"mean AUC ≥ {goal}", f"{auc:.4f}, least {least:.4f}", auc >= goal)
        most = max(one.calibration for one in told)
        text = f"mean {error:.4f}, most {most:.4f}"
        yield _row(where, f"calibration error ≤ {CALIBRATED}", text, most <= CALIBRATED)


def _summary_lines(found: Sequence[Predicted]) -> Iterator[str]:
    """Errors by table and model."""
    yield "| table | subsets | " + " | ".join(MODELS) + " |"
    yield "|---|---|" + "---|" * len(MODELS)
    for name in dict.fromkeys(each.table for each in found):
        some = [each for each in found if each.table == name]
        worst = (max(each.worst(model) for each in some) for model in MODELS)
        yield f"| {name} | {len(some)} | " + " | ".join(f"{each:.4f}" for each in worst) + " |"
    yield ""


def _worst_lines(found: Sequence[Predicted]) -> Iterator[str]:
    yield "| the ten worst by pairwise | counted ORR, alone | pairwise | tree | independent |"
    yield "|---|---|---|---|---|"
    for each in sorted(found, key=lambda one: -one.worst("pairwise"))[:10]:
        errors = (
            f"{each.errors[model][0]:+.4f}, {each.errors[model][1]:+.4f}"
            for model in ("pairwise", "tree", "independent")
        )
        counted = f"{each.counted[0]:.4f}, {each.counted[1]:.4f}"
        columns = f"{each.table}: {', '.join(each.columns)}"
        yield f"| {columns} | {counted} | " + " | ".join(errors) + " |"
    slowest = max(found, key=lambda one: one.seconds)
    yield ""
    yield f"Slowest pairwise fit: {slowest.seconds:.1f} s, {len(slowest.columns)} columns."


def _speed_lines(adult: RealTable) -> Iterator[str]:
    yield "| speed | goal | found | |"
    yield "|---|---|---|---|"
    took = dict(pace.by_people())
    text = ", ".join(f"{seconds * 1000:.0f} ms at {n:,}" for n, seconds in took.items())
    growth = max(took.values()) / min(took.values())
    yield _row("the independent law of five attributes", "no growth with n", text, growth < 2)
    many = pace.many_attributes()
    yield _row("20 attributes of 1,000 values", "under 1 s", f"{many * 1000:.0f} ms", many < 1)
    for (n, seconds), goal in zip(pace.pairwise(adult), (5, 15), strict=True):
        where = f"pairwise, {n:,} people, 36 pair tables"
        yield _row(where, f"under {goal} s", f"{seconds:.1f} s", seconds < goal)
