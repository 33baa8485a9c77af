"""TFRR's 64 parameter sets (N, d, λ) and their random tables."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np
import pyarrow as pa

import reidrisk as rr

RECORDS = (30_000, 150_000, 750_000, 3_750_000)
ATTRIBUTES = (2, 3, 4, 5)
LAMBDAS = (0.1, 0.5, 2.5, 12.5)


class ParameterSet(NamedTuple):
    """N records, d attributes, λ records to be expected for each possible tuple."""

    records: int
    attributes: int
    lambda_: float


SETS = tuple(ParameterSet(*each) for each in product(RECORDS, ATTRIBUTES, LAMBDAS))


def random_tables(chosen: ParameterSet, tables: int, seed: int) -> Iterator[pa.Table]:
    """Tables of one set; a set's tables are the same whichever other sets are run."""
    place = SETS.index(chosen)
    for number in range(tables):
        rng = np.random.default_rng([seed, place, number])
        yield rr.random_table(chosen.records, chosen.attributes, chosen.lambda_, rng)
