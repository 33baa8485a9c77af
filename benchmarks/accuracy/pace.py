"""How long predictions take, as people, attributes and values grow."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from benchmarks.marked_page import rows
from reidrisk.models.independent import expected_crowd_sizes
from reidrisk.models.knowledge import Knowledge
from reidrisk.models.pairwise import Pairwise

from .real_tables import RealTable

PEOPLE = (300_000, 3_000_000, 30_000_000, 3_000_000_000)
VALUES = (500, 86, 58, 5, 2)


def seconds(work: Callable[[], object], times: int = 3) -> float:
    """The best of some runs."""
    took = []
    for _ in range(times):
        begin = time.perf_counter()
        work()
        took.append(time.perf_counter() - begin)
    return min(took)


def by_people() -> Iterator[tuple[int, float]]:
    """The independent law of five attributes: seconds for each number of people."""
    rng = np.random.default_rng(0)
    shares = [rng.dirichlet(np.ones(values)) for values in VALUES]
    for n in PEOPLE:
        counts = [rng.multinomial(n, share) for share in shares]
        yield n, seconds(partial(expected_crowd_sizes, counts, n))


def many_attributes() -> float:
    """Twenty attributes of 1,000 values, 300,000 people."""
    rng = np.random.default_rng(1)
    counts = [rng.multinomial(300_000, rng.dirichlet(np.ones(1000))) for _ in range(20)]
    return seconds(lambda: expected_crowd_sizes(counts, 300_000))


def pairwise(table: RealTable) -> Iterator[tuple[int, float]]:
    """Fit and crowd sizes of all nine columns: the table itself, and ten times as many people
    drawn from its law.
    """
    known = table.knowledge()
    yield known.n, seconds(lambda: Pairwise.of(known).crowd_sizes(), 1)
    larger = counted(Pairwise.of(known).sample(10 * known.n, np.random.default_rng(2)), known)
    yield larger.n, seconds(lambda: Pairwise.of(larger).crowd_sizes(), 1)


def counted(codes: NDArray[np.int32], like: Knowledge) -> Knowledge:
    """Counts and pair tables of drawn rows."""
    values = [len(counts) for counts in like.counts]
    counts = tuple(np.bincount(codes[:, j], minlength=v) for j, v in enumerate(values))
    pairs = {}
    for i, j in combinations(range(len(values)), 2):
        key = codes[:, i].astype(np.int64) * values[j] + codes[:, j]
        cells = np.bincount(key, minlength=values[i] * values[j]).astype(float)
        pairs[i, j] = cells.reshape(values[i], values[j])
    return Knowledge(len(codes), like.names, counts, pairs)


def lines(adult: RealTable) -> list[str]:
    """One row a question, with the goal set before."""
    took = dict(by_people())
    text = ", ".join(f"{each * 1000:.0f} ms at {n:,}" for n, each in took.items())
    grown = max(took.values()) / min(took.values())
    body = [["independent, five attributes, by number of people", "no growth with n", text,
             _reached(grown < 2)]]  # fmt: skip
    many = many_attributes()
    body.append(["independent, 20 attributes of 1,000 values", "under 1 s",
                 f"{many * 1000:.0f} ms", _reached(many < 1)])  # fmt: skip
    for (n, each), goal in zip(pairwise(adult), (5, 15), strict=True):
        body.append([f"pairwise, {n:,} people, 36 pair tables", f"under {goal} s", f"{each:.1f} s",
                     _reached(each < goal)])  # fmt: skip
    return rows(["prediction", "goal", "took", ""], body)


def _reached(met: bool) -> str:
    return "reached" if met else "**missed**"
