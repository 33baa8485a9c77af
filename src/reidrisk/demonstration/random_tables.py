"""TFRR's random tables: independent attributes of random proportions.

Symbols: N records, d attributes, λ records to be expected for each possible tuple. There are N/λ
tuples, so each attribute has round((N/λ)^(1/d)) values; their proportions are drawn from a flat
Dirichlet law, the records independently.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from reidrisk.errors import InputError


def random_table(n: int, attributes: int, lambda_: float, rng: np.random.Generator) -> pa.Table:
    """A table of n records and columns a1, a2 …, its values numbered from 0."""
    if n < 1 or attributes < 1 or not lambda_ > 0:
        raise InputError("a random table needs n ≥ 1, attributes ≥ 1 and lambda_ > 0")
    values = max(1, round((n / lambda_) ** (1 / attributes)))
    columns = {}
    for place in range(1, attributes + 1):
        proportions = rng.dirichlet(np.ones(values))
        columns[f"a{place}"] = rng.choice(values, size=n, p=proportions)
    return pa.table(columns)
