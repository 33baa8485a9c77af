"""Small tables and what is known of them, for the models' tests."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from reidrisk.models.knowledge import Knowledge


def knowledge_of(codes, pairs="all"):
    """Counts and pair tables of a table of codes; `pairs`: all, or the places wanted."""
    codes = np.asarray(codes)
    n, d = codes.shape
    values = codes.max(axis=0) + 1 if n else np.zeros(d, int)
    counts = tuple(np.bincount(codes[:, j], minlength=values[j]) for j in range(d))
    wanted = combinations(range(d), 2) if pairs == "all" else pairs
    tables = {}
    for i, j in wanted:
        cells = np.bincount(codes[:, i] * values[j] + codes[:, j], minlength=values[i] * values[j])
        tables[i, j] = cells.reshape(values[i], values[j]).astype(float)
    return Knowledge(n, tuple(f"a{j}" for j in range(d)), counts, tables)


def renumbered(codes):
    """Codes without gaps."""
    return np.stack([np.unique(column, return_inverse=True)[1] for column in codes.T], axis=1)


def crowds_in(codes):
    """The crowd sizes of a table of codes."""
    return np.unique(np.asarray(codes), axis=0, return_counts=True)[1]


def measured(codes):
    """(ORR, share alone) counted."""
    crowds = crowds_in(codes)
    return len(crowds) / len(codes), np.count_nonzero(crowds == 1) / len(codes)


def dependent_table(n, values, rng, strength=0.6):
    """Rows whose attributes follow a common hidden one, each with some noise of its own."""
    hidden = rng.random(n)
    columns = []
    for count in values:
        blurred = strength * hidden + (1 - strength) * rng.random(n)
        edges = np.sort(rng.random(count - 1))
        columns.append(np.searchsorted(edges, blurred))
    return renumbered(np.stack(columns, axis=1))
