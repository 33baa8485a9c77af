"""Coverage: how often a 90 % interval holds a table that was drawn from the model itself.

Here the model is right, so the interval has to hold nine tables in ten. Independent, pair, tree and
shuffle: tables with the counts given, five columns of a table. Pairwise: tables drawn from the law
of 3,000 people, each predicted from its own pair tables.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.marked_page import rows
from reidrisk.crowds.crowd_sizes import CrowdSizes
from reidrisk.models.contract import Model
from reidrisk.models.pairwise import Pairwise
from reidrisk.models.spread import intervals

from .pace import counted
from .predicting import made
from .real_tables import RealTable

COLUMNS = ("age", "sex", "race", "education", "occupation")
FEW = 3_000


def lines(table: RealTable, tables: int, seed: int) -> list[str]:
    """One row a model."""
    columns = [each for each in COLUMNS if each in table.columns] or table.columns[:4]
    part = table.of(columns)
    body = []
    for name in ("independent", "pair", "tree", "shuffle"):
        inside = list(_own_counts(part, name, tables, seed))
        body.append(_row(name, part.n, inside))
    few = min(FEW, part.n // 2)
    body.append(_row("pairwise", few, list(_own_pairs(part, few, max(tables // 4, 2), seed))))
    return rows(["tables drawn from", "people", "tables", "ORR inside", "share alone inside"], body)


def _row(name: str, people: int, inside: list[tuple[bool, bool]]) -> list[str]:
    shares = [f"{share:.0%}" for share in np.mean(inside, axis=0)]
    return [name, f"{people:,}", str(len(inside)), *shares]


def _own_counts(part: RealTable, name: str, tables: int, seed: int) -> Iterator[tuple[bool, bool]]:
    model = made(part.knowledge(), name, seed)
    held = _intervals(model)
    rng = np.random.default_rng([seed, 1])
    for _ in range(tables):
        yield _inside(held, crowds_of(model.sample(part.n, rng)))


def _own_pairs(part: RealTable, people: int, tables: int, seed: int) -> Iterator[tuple[bool, bool]]:
    known = part.knowledge()
    rng = np.random.default_rng([seed, 2])
    law = Pairwise.of(known, rng)
    for _ in range(tables):
        drawn = law.sample(people, rng)
        model = Pairwise.of(counted(drawn, known), rng)
        yield _inside(_intervals(model), crowds_of(drawn))


def _intervals(model: Model) -> dict[str, tuple[float, float]]:
    return intervals(model.crowd_sizes(), model.spread())


def crowds_of(codes: np.ndarray[tuple[int, ...], np.dtype[np.int32]]) -> CrowdSizes:
    """Count drawn rows."""
    return CrowdSizes.of(np.unique(codes, axis=0, return_counts=True)[1])


def _inside(held: dict[str, tuple[float, float]], truth: CrowdSizes) -> tuple[bool, bool]:
    (low, high), (least, most) = held["overall_risk"], held["alone_share"]
    return low <= truth.overall_risk <= high, least <= truth.alone_share <= most
