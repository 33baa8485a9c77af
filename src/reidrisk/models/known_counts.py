"""What known counts say of a tuple's crowd: how far they narrow its law.

Symbols: x_ij people hold tuple t's values of attributes i and j, n_j its value of j, n people in
all; the pair tables known form a graph with E edges, g_j of them at attribute j. A table drawn at
random among those with all these counts has, for its crowd X on t with λ = E[X],

    E[X(X − 1)]/λ² = 1 − ε = Π_ij (1 − 1/x_ij) · Π_j (1 − 1/n_j)^{1−g_j} · (1 − 1/n)^{1−d+E}.

Exact when the graph is a forest (the law is then a chain of hypergeometric ones) and, to first
order in ε, for independent attributes and any graph (the projection on pairs under a product law).
In between it is bounded from below, since more known counts can only narrow more: ε is at least
1/x_ij for each pair and at least the figure of any forest within the graph.

Where it fails: cells that were worked out instead of counted aren't whole numbers, and hold nothing
down; their pair counts as unknown for that tuple.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from reidrisk.models.knowledge import Knowledge

Floats = NDArray[np.float64]
Codes = NDArray[np.integer]
Edge = tuple[int, int]

WHOLE = 1e-6


def narrowing(
    knowledge: Knowledge,
    codes: Codes,
    edges: Sequence[Edge],
    forest: Iterable[Edge] = (),
    counts: Floats | None = None,
) -> Floats:
    """ε of each tuple from the pair tables `edges`, at least that of the `forest` among them.

    `counts` are those of the tuples' values, where they aren't the knowledge's own.
    """
    forest = frozenset(forest)
    whole, part, least = (np.zeros(len(codes)) for _ in range(3))
    everybody = _log(np.array(float(knowledge.n)))
    if counts is None:
        singles = [_single(knowledge, codes, place) for place in range(len(knowledge.counts))]
    else:
        singles = [_log(each) - everybody for each in counts.T]
    for i, j in edges:
        cells = knowledge.pairs[i, j]
        x = cells[codes[:, i], codes[:, j]]
        counted = (np.abs(x - np.rint(x)) < WHOLE) & (x > 0.5)
        x = np.where(counted, np.maximum(np.rint(x), 1.0), np.inf)
        added = _log(x) - counted * (singles[i] + singles[j] + everybody)
        whole += added
        least = np.maximum(least, 1.0 / x)
        if (i, j) in forest:
            part += added
    alone = sum(singles, start=np.full(len(codes), everybody))
    least = np.maximum(least, -np.expm1(alone + part))
    return np.clip(np.maximum(-np.expm1(alone + whole), least), 0.0, 1.0)


def all_counted(cells: Floats) -> bool:
    """Whether every cell is a number of people, none worked out."""
    return bool(np.all(np.abs(cells - np.rint(cells)) < WHOLE))


def _single(knowledge: Knowledge, codes: Codes, place: int) -> Floats:
    """What an attribute's count says beyond the number of people: log(1−1/n_j) − log(1−1/n)."""
    return _log(knowledge.counts[place].astype(np.float64))[codes[:, place]] - _log(
        np.array(float(knowledge.n))
    )


def _log(x: Floats) -> Floats:
    """log(1 − 1/x); a count of one leaves nobody else, and stands at −50 to keep sums finite."""
    return np.where(x > 1.0, np.log1p(-1.0 / np.maximum(x, 2.0)), -50.0)
