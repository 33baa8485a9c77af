"""Populations made here, whose answers are known, and samples of them."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from reidrisk.arrays import Ints
from reidrisk.samples import SampledCells, cells_of

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


def people(n: int, seed: int, values: tuple[int, ...] = (30, 12, 8, 5)) -> Ints:
    """Rows of dependent attributes: a hidden class of six decides how each value is drawn."""
    rng = np.random.default_rng(seed)
    hidden = rng.integers(0, 6, n)
    columns = []
    for width in values:
        law = rng.dirichlet(np.full(width, 0.6), 6).cumsum(axis=1)
        drawn = (rng.random(n)[:, None] > law[hidden]).sum(axis=1)
        columns.append(np.minimum(drawn, width - 1))
    return np.stack(columns, axis=1)


def sampled(rows: Ints, n: int, seed: int) -> tuple[SampledCells, Ints]:
    """`n` of these people as a sample, and the crowd of each of its cells in the population."""
    rng = np.random.default_rng(seed)
    names = tuple(f"c{place}" for place in range(rows.shape[1]))
    drawn = rows[rng.choice(len(rows), n, replace=False)]
    sample, cell = cells_of(names, drawn, np.ones(n, dtype=np.int64), len(rows))
    crowds = np.zeros(sample.cells, dtype=np.int64)
    _, back, many = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    held = {tuple(row): count for row, count in zip(rows.tolist(), many[back.ravel()], strict=True)}
    for row, place in zip(drawn.tolist(), cell, strict=True):
        crowds[place] = held[tuple(row)]
    return sample, crowds


def every_combination(sample: SampledCells) -> SampledCells:
    """All combinations of the values there are, with nobody in them: nothing is left out."""
    codes = np.array(list(product(*map(range, sample.values))), dtype=np.int32)
    nobody = np.zeros(len(codes), dtype=np.int64)
    return SampledCells(sample.names, codes, nobody, sample.values, sample.ordered, 1)


def new_york(n: int) -> SampledCells:
    """A published sample of 712,174 people; skipped without it."""
    place = DATA / "ny_microdata" / f"ny_{n}.parquet"
    if not place.exists():
        pytest.skip("the samples of New York aren't in ../shared/data")
    table = pq.read_table(place)
    codes = np.stack([table[name].to_numpy() for name in table.column_names], axis=1)
    return cells_of(table.column_names, codes, np.ones(n, dtype=np.int64), 712_174)[0]
