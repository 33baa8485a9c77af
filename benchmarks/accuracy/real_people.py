"""People of real tables: AUC and calibration by number of attributes, without and with dependence.

The rule: for each table and each number of attributes, `subsets` sets of columns are drawn with
seed 0 (a generator for each number, so that they don't depend on each other), 1,000 people of each
are drawn, and every one is scored from what is published of all people (pair tables of all columns,
nothing folded). All sets are kept, except that a set in which everybody or nobody is
k-indistinguishable has nothing to tell apart at that k. The worst ten are listed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow.parquet as pq

from reidrisk.papers.judging import Judged, judged, one_class
from reidrisk.prediction.scoring import PersonModel, scored

from .people_of_tables import drawn_people

KS = (2, 3, 4)
WAYS: tuple[PersonModel, ...] = ("independent", "pair", "groups", "tree")


class RealTable(NamedTuple):
    """A public table, the columns not to be drawn, and the numbers of attributes to draw."""

    file: str
    left_out: tuple[str, ...]
    sizes: tuple[int, ...]


TABLES = {
    "Adult": RealTable("adult/adult_arx.parquet", (), (2, 3, 4, 5, 6, 7, 8, 9)),
    "census_kdd": RealTable(
        "census_kdd/census_kdd.parquet",
        ("instance_weight", "split"),
        (2, 3, 4, 5, 6, 8, 10, 12),
    ),
}


class Case(NamedTuple):
    """One set of columns at one k, scored in one way."""

    table: str
    columns: tuple[str, ...]
    k: int
    way: PersonModel
    judged: Judged


def lines(data: Path, subsets: int, people: int, seed: int) -> Iterator[str]:
    """The report, line by line."""
    for named, table in TABLES.items():
        path = data / table.file
        if not path.exists():
            yield f"{named}: not run, there is no {table.file} in {data}"
            continue
        cases = list(_cases(named, table, path, subsets, people, seed))
        yield from _by_size(named, cases)
        yield ""
        yield from _small(cases)
        yield ""
        yield from _worst(cases)
        yield ""


def _cases(
    named: str, table: RealTable, path: Path, subsets: int, people: int, seed: int
) -> Iterator[Case]:
    names = [name for name in pq.read_schema(path).names if name not in table.left_out]
    for size in table.sizes:
        rng = np.random.default_rng([seed, size])
        drawn = {
            tuple(np.sort(rng.choice(len(names), size, replace=False))) for _ in range(subsets)
        }
        for places in sorted(drawn):
            columns = [names[place] for place in places]
            yield from _scored(named, path, columns, people, rng)


def _scored(
    named: str, path: Path, columns: list[str], people: int, rng: np.random.Generator
) -> Iterator[Case]:
    drawn = drawn_people(path, columns, people, rng)
    for way in WAYS:
        at_least = scored(drawn.settled, drawn.codes, KS, "member", way).crowds.at_least
        for place, k in enumerate(KS):
            truth = drawn.crowds >= k
            if not one_class(truth):
                yield Case(named, tuple(columns), k, way, judged(at_least[:, place], truth))


def _by_size(named: str, cases: Sequence[Case]) -> Iterator[str]:
    yield (
        f"| {named}: attributes | sets × k | "
        + " | ".join(f"AUC {way}, ECE" for way in WAYS)
        + " |"
    )
    yield "|---" * (2 + len(WAYS)) + "|"
    for size in sorted({len(case.columns) for case in cases}):
        cells = []
        for way in WAYS:
            of_way = [c.judged for c in cases if c.way == way and len(c.columns) == size]
            auc, error = (np.mean([getattr(j, f) for j in of_way]) for f in ("auc", "calibration"))
            cells.append(f"{auc:.4f}, {error:.4f}")
        yield f"| {size} | {len(of_way)} | " + " | ".join(cells) + " |"


def _small(cases: Sequence[Case]) -> Iterator[str]:
    for way in WAYS:
        aucs = [c.judged.auc for c in cases if c.way == way and 3 <= len(c.columns) <= 6]
        yield f"- {way}: AUC {np.mean(aucs):.4f} on average over sets of 3 to 6 attributes"


def _worst(cases: Sequence[Case]) -> Iterator[str]:
    yield "Worst ten with the tree:"
    worst = sorted((c for c in cases if c.way == "tree"), key=lambda case: case.judged.auc)
    for case in worst[:10]:
        yield (
            f"- {case.judged.auc:.3f} at k = {case.k}, {case.judged.positive:.1%} positive: "
            f"{', '.join(case.columns)}"
        )
