"""The paper's small examples: table 1, the kinds of dependence of table 2, equations 16 and 17."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

import reidrisk as rr
from reidrisk.reports import Grid
from reidrisk_papers.figure import Ours, Rerun
from reidrisk_papers.setting import Setting

FIVE_PEOPLE = {
    "age": [20, 25, 25, 25, 35],
    "gender": ["Male", "Male", "Female", "Female", "Male"],
    "smoking": ["Yes", "Yes", "No", "No", "No"],
}
# Equation 16, the standard data set of equation 17, and the table shuffled from it.
AVFM = [[2, 3, 2], [3, 3, 2], [1, 0, 2]]
STANDARD = [[1, 1, 2, 2, 2, 3], [1, 1, 1, 2, 2, 2], [1, 1, 2, 2, 3, 3]]
SHUFFLED = [[2, 1, 1, 2, 3, 2], [2, 1, 1, 2, 1, 2], [3, 2, 3, 1, 2, 1]]
# (s, t, people): how far s depends on t.
KINDS: Mapping[str, Sequence[tuple[str, str, int]]] = {
    "complete": [("north", "1001", 3), ("north", "1002", 2), ("south", "2001", 4)],
    "strong": [("beer", "nappies", 9), ("milk", "bread", 9), ("milk", "nappies", 1)],
    "weak": [
        ("tea", "cake", 6),
        ("tea", "bread", 4),
        ("coffee", "cake", 3),
        ("coffee", "bread", 7),
    ],
    "none": [("left", "even", 2), ("left", "odd", 4), ("right", "even", 3), ("right", "odd", 6)],
}
ROUNDED = 1e-12


def table_1(setting: Setting) -> Rerun:
    """Five people, their AVFM, and one confidence."""
    held = rr.publish(FIVE_PEOPLE, pairs="all", unprotected=True)
    pair = held.pair("gender", "smoking")
    counts: Mapping[Any, Any] = {} if pair is None else pair.counts
    smokers, ages = held.attribute("smoking").counts["Yes"], held.attribute("age").counts
    matrix = held.avfm()
    rows = tuple(tuple(str(each) for each in row) for row in matrix.tolist())
    erratum = (
        "A misprint: table 1 lists age 25 three times, so the first column of equation 4 is 1, 3, "
        "1 and not 1, 2, 1, which adds up to four people."
    )
    ours = {
        "people": Ours(float(held.records)),
        "age_25": Ours(_number(ages["25"]), why=erratum),
        "confidence": Ours(_number(counts["Male", "Yes"]) / _number(smokers)),
    }
    risk = rr.measure(FIVE_PEOPLE).overall_risk
    note = f"Four of the five tuples differ, so the ORR is {risk:.4f}; the paper gives none."
    grid = Grid(held.names, rows, (), "The attribute value frequency matrix of table 1")
    return Rerun(ours, "as in the paper", grids=[grid], notes=[note])


def _number(count: object) -> float:
    assert isinstance(count, int)
    return float(count)


class Kind(NamedTuple):
    """One example: what it was told as, its gain ratios, and whether the supports agree."""

    told: str
    gain_ratio: float
    corrected: float
    supports: bool


def kind_of(cells: Sequence[tuple[str, str, int]]) -> Kind:
    """The dependence of s on t, as measured."""
    table = {
        "s": [s for s, _, people in cells for _ in range(people)],
        "t": [t for _, t, people in cells for _ in range(people)],
    }
    found = next(
        each for each in rr.measure(table, dependence=True).dependence or () if each.of == ("s",)
    )
    return Kind(
        found.published_kind,
        found.uncorrected,
        found.corrected,
        _supports(found.published_kind, cells),
    )


def _supports(kind: str, cells: Sequence[tuple[str, str, int]]) -> bool:
    """Table 2's last column, over the cells that occur."""
    n = sum(people for _, _, people in cells)
    both = {(s, t): people / n for s, t, people in cells}
    of_s, of_t = ({value: sum(share for cell, share in both.items() if cell[side] == value)
                   for value in {cell[side] for cell in both}} for side in (0, 1))  # fmt: skip
    alike = [abs(share - of_t[t]) < ROUNDED for (_, t), share in both.items()]
    apart = [abs(share - of_s[s] * of_t[t]) >= ROUNDED for (s, t), share in both.items()]
    if kind == "complete":
        return all(alike)
    return any(apart) and not all(alike) if kind in ("strong", "weak") else not any(apart)


def table_2(setting: Setting) -> Rerun:
    """Each kind of dependence by an example."""
    found = {name: kind_of(cells) for name, cells in KINDS.items()}
    right = sum(name.replace("none", "independent") == each.told and each.supports
                for name, each in found.items())  # fmt: skip
    ours = {name: Ours(each.gain_ratio) for name, each in found.items()}
    rows = tuple(
        (each.told, ", ".join(f"{s} with {t}: {people}" for s, t, people in KINDS[name]),
         f"{each.gain_ratio:.4f}", f"{each.corrected:.4f}", "yes" if each.supports else "no")
        for name, each in found.items()
    )  # fmt: skip
    heads = ("kind", "people by s and t", "g(s, t)", "corrected", "supports as in table 2")
    return Rerun(
        {**ours, "supports": Ours(float(right))},
        "examples made for it; the paper's are words",
        grids=[Grid(heads, rows, (0, 1))],
        notes=["The corrected ratio takes off what so few people show by chance: less than g, and "
               "of little meaning for a score of records."],
    )  # fmt: skip


def equation_17(setting: Setting) -> Rerun:
    """Standard data set, shuffled table, and the mean over all tables of the AVFM."""
    statistics = rr.Statistics.of_avfm(AVFM)
    made = statistics.standard_data_set()
    same = int((made == np.transpose(STANDARD)).sum())
    shuffled = {f"a{place}": column for place, column in enumerate(SHUFFLED, 1)}
    by_chance = rr.predict(
        statistics, model="shuffle", samples=setting.scaled(100, 5), seed=setting.seed
    )
    ours = {
        "cells": Ours(float(same)),
        "shuffled": Ours(rr.measure(rr.read(shuffled, columns=list(shuffled))).overall_risk),
        "average": Ours(
            by_chance.overall_risk, rr.predict(statistics, model="independent").overall_risk
        ),
    }
    return Rerun(ours, "as in the paper")
