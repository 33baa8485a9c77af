"""Measuring: every question of the accuracy page, over all tables that are at hand."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow.compute as pc

import reidrisk as rr

from . import belgium, coverage, group_forms, pace, reasons, search
from .cases import Case, Figures
from .people_ways import Bins, added
from .predicting import predicted
from .real_tables import FILES, RealTable, coded, load
from .subsets import RULES, Rule, subsets

Part = Callable[[], Figures]
QUICK = (Rule("adult", (2, 4), 1), Rule("nist_national2019", (3, 5), 1))
CITY = Rule("city", (2, 3, 4), 1)


def measured(data: Path, seed: int, quick: bool, kept_in: Path | None = None) -> Figures:
    """Everything, or a little of it; parts that a folder keeps aren't measured again."""
    begun = {rule.table: _of_table(rule, data, seed) for rule in at_hand(data, quick)}
    parts = [
        _kept(name, part, kept_in) for name, part in (begun | others(data, seed, quick)).items()
    ]
    bins: Bins = {}
    blocks: dict[str, list[str]] = {}
    for part in parts:
        added(bins, part.bins)
        blocks |= part.blocks
    cases = tuple(case for part in parts for case in part.cases)
    seconds = sum(part.seconds for part in parts)
    tables = len({case.table for case in cases})
    blocks["took"] = [
        f"{len(cases)} sets of columns of {tables} tables, seed {seed}; "
        f"{seconds / 60:.0f} minutes of one core."
    ]
    return Figures(cases, bins, blocks, seconds)


def _kept(name: str, part: Part, kept_in: Path | None) -> Figures:
    path = None if kept_in is None else kept_in / f"{name}.json"
    if path is not None and path.exists():
        return Figures.load(path)
    begin = time.process_time()
    found = part()._replace(seconds=time.process_time() - begin)
    print(f"{name}: {found.seconds:.0f} s", file=sys.stderr, flush=True)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        found.save(path)
    return found


def _of_table(rule: Rule, data: Path, seed: int) -> Part:
    def part() -> Figures:
        table = city() if rule is CITY else load(rule.table, data)
        cases: list[Case] = []
        bins: Bins = {}
        for columns in subsets(rule, table.columns, seed):
            case, more = predicted(table, columns, seed)
            cases.append(case)
            added(bins, more)
        return Figures(tuple(cases), bins, {})

    return part


def tables_missing(data: Path) -> list[str]:
    """The files that a whole run needs and that aren't there."""
    return [str(FILES[rule.table]) for rule in RULES if not (data / FILES[rule.table]).exists()]


def at_hand(data: Path, quick: bool) -> list[Rule]:
    """The tables whose files are there; a generated city where there are none."""
    wanted = QUICK if quick else RULES
    found = [rule for rule in wanted if (data / FILES[rule.table]).exists()]
    for rule in wanted:
        if rule not in found:
            print(f"{rule.table}: not run, {FILES[rule.table]} isn't there", file=sys.stderr)
    return found or [CITY]


def others(data: Path, seed: int, quick: bool) -> dict[str, Part]:
    """Intervals on drawn tables, groups, a country, searches, speed, where tables are here."""
    there = {name for name, file in FILES.items() if (data / file).exists()}
    asked = [each for each in group_forms.ASKED if each.table in there]
    wanted = {"Adult": "adult", "Belgium": "belgium_2015"}
    names = [name for name, table in wanted.items() if table in there]

    def first() -> RealTable:
        return load("adult", data) if "adult" in there else city()

    found: dict[str, Callable[[], list[str]]] = {
        "coverage": lambda: coverage.lines(first(), 8 if quick else 200, seed),
        "groups": lambda: group_forms.lines(data, asked[:1] if quick else asked),
    }
    if not quick and {"adult", "belgium_2015"} <= there:
        found["pace"] = lambda: pace.lines(first())
        found["belgium"] = lambda: belgium.lines(load("belgium_2015", data))
        found["reasons"] = lambda: reasons.lines(data)
        found["search"] = lambda: list(search.lines(data, seed, names))
    return {name: _block(name, lines) for name, lines in found.items()}


def _block(name: str, lines: Callable[[], list[str]]) -> Part:
    return lambda: Figures((), {}, {name: lines()})


def city(people: int = 2_000) -> RealTable:
    """The generated city, where no public table is at hand."""
    held = rr.city(people)
    texts = [pc.cast(held[name].combine_chunks(), "string") for name in held.column_names]
    few = [place for place, text in enumerate(texts) if len(text.unique()) < people // 4]
    codes, values = zip(*(coded(texts[place]) for place in few), strict=True)
    names = tuple(held.column_names[place] for place in few)
    return RealTable("city", names, values, np.stack(codes, axis=1), np.ones(len(held), np.int64))
