"""The speed of the laws: `python -m benchmarks.laws`, run from the root of the repository.

Each figure is the least of several runs in one process, the two ways of a comparison taken in turn,
because whatever else a machine does only adds to a time.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from benchmarks.binomial_tails import binomial_tails
from benchmarks.speed.machine import describe
from reidrisk.laws.many_tuples import tails
from reidrisk.laws.recursive_hypergeometric import RecursiveHypergeometric

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Way = Callable[[int, Sequence[int]], Floats]

RECORDS, KS, REPEATS, SEED = 1_000_000, range(2, 11), 7, 20
# People, and how many values each of five attributes has, as unequal as waiting times.
TABLES = {
    "1M people, values 2, 9, 100, 50, 20": (10**6, (2, 9, 100, 50, 20)),
    "1M people, values 4, 7, 10, 12, 30": (10**6, (4, 7, 10, 12, 30)),
    "30,000 people, values 2, 5, 86, 58, 3": (30_000, (2, 5, 86, 58, 3)),
    "3.75M people, values 2, 5, 86, 58, 30": (3_750_000, (2, 5, 86, 58, 30)),
}
M = 10**6
LAWS = {
    "3.75M people, 3 attributes": (3_750_000, (M, 1_250_000, 1_125_000)),
    "3.75M people, 5 attributes": (3_750_000, (1_500_000, 1_700_000, 1_900_000, 2 * M, 2_200_000)),
    "10^9 people, 3 attributes": (10**9, (400 * M, 500 * M, 500 * M)),
    "10^9 people, 5 attributes": (10**9, (500 * M, 500 * M, 600 * M, 900 * M, 800 * M)),
}


def least(*works: Callable[[], object], repeats: int = REPEATS) -> list[float]:
    """Return the least seconds of each of the works, run in turn."""
    seconds = [math.inf] * len(works)
    for _ in range(repeats):
        for place, work in enumerate(works):
            begun = time.perf_counter()
            work()
            seconds[place] = min(seconds[place], time.perf_counter() - begun)
    return seconds


def records(n: int, values: Sequence[int], rng: np.random.Generator) -> Ints:
    """Draw a million records of a table of n people; give the counts of their values."""
    columns = []
    for number in values:
        code = rng.choice(number, size=n, p=rng.dirichlet(np.ones(number)))
        columns.append(np.bincount(code, minlength=number)[code])
    return np.stack(columns, axis=1)[rng.integers(0, n, RECORDS)]


def all_different(n: int, rng: np.random.Generator) -> Ints:
    """Draw counts of which hardly two rows are alike, with means from 0.01 to 100."""
    shares = rng.dirichlet(np.ones(5), RECORDS)
    mean = 10 ** rng.uniform(-2, 2, (RECORDS, 1))
    counts: Ints = np.rint(n * np.exp(-shares * np.log(n / mean))).astype(np.int64)
    return counts


def batch_rows() -> Iterator[str]:
    """Compare the exact law with the binomial form on a million records and nine k."""
    rng = np.random.default_rng(SEED)
    cases = [(name, n, records(n, values, rng)) for name, (n, values) in TABLES.items()]
    cases.append(("1M people, all counts different", 10**6, all_different(10**6, rng)))
    for name, n, counts in cases:
        exact, binomial = least(
            lambda n=n, counts=counts: tails(n, counts, KS),  # type: ignore[misc]
            lambda n=n, counts=counts: binomial_tails(n, counts, KS),  # type: ignore[misc]
        )
        gap = float(np.abs(tails(n, counts, KS) - binomial_tails(n, counts, KS)).max())
        different = len(np.unique(np.sort(counts, axis=1), axis=0))
        yield (
            f"| {name} | {different:,} | {exact:.2f} | {binomial:.2f} "
            f"| {exact / binomial:.2f} | {gap:.1e} |"
        )


def law_rows() -> Iterator[str]:
    """Time one law from its counts to every probability and both running sums."""
    for name, (n, counts) in LAWS.items():

        def whole(n: int = n, counts: tuple[int, ...] = counts) -> RecursiveHypergeometric:
            law = RecursiveHypergeometric(n, counts)
            law.cdf([law.mean() - 1, law.mean() + 1])
            return law

        (seconds,) = least(whole)
        law = whole()
        off = math.fsum(law.window()[1]) - 1.0
        yield f"| {name} | {law.mean():.3g} | {seconds * 1e3:.1f} | {off:.0e} |"


def by_table(n: int, counts: Sequence[int]) -> Floats:
    """Work out TFRR eq. 4 as printed, with a table of log-factorials and a loop over k."""
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])
    law = np.zeros(counts[0] + 1)
    law[-1] = 1.0
    for c in counts[1:]:
        m, following = np.arange(len(law)), np.zeros(len(law))
        for k in range(min(len(law) - 1, c) + 1):
            at = m[(m >= k) & (n - m >= c - k)]
            log = logs[at] - logs[k] - logs[at - k] + logs[n - at] - logs[c - k]
            log += -logs[n - at - c + k] - logs[n] + logs[c] + logs[n - c]
            following[k] = np.dot(law[at], np.exp(log))
        law = following
    return law


def by_scipy(n: int, counts: Sequence[int]) -> Floats:
    """Work out TFRR eq. 4 as printed, with SciPy's hypergeometric law and a loop over k."""
    law = np.zeros(counts[0] + 1)
    law[-1] = 1.0
    m = np.arange(len(law))
    for c in counts[1:]:
        law = np.array([np.dot(law[k:], stats.hypergeom.pmf(k, n, m[k:], c)) for k in m])
    return law


def plain_rows() -> Iterator[str]:
    """Compare with eq. 4 written plainly."""
    for name, way, counts in PLAIN:

        def plainly(way: Way = way, counts: tuple[int, ...] = counts) -> Floats:
            return way(30_000, counts)

        def here(counts: tuple[int, ...] = counts) -> RecursiveHypergeometric:
            law = RecursiveHypergeometric(30_000, counts)
            law.window()
            return law

        (plain,), (ours,) = least(plainly, repeats=1), least(here)
        exact = here().pmf(np.arange(counts[0] + 1))
        gap = float(np.abs(plainly() - exact).max())
        listed = ", ".join(f"{count:,}" for count in counts)
        yield f"| {name} | {listed} | {plain:.2f} | {ours:.4f} | {plain / ours:.0f} | {gap:.0e} |"


PLAIN: list[tuple[str, Way, tuple[int, ...]]] = [
    ("SciPy's law", by_scipy, (400, 15_000, 20_000)),
    ("a table of log-factorials", by_table, (5_000, 15_000, 20_000)),
    ("a table of log-factorials", by_table, (5_000, 7_000, 15_000, 20_000, 28_000)),
]


def main() -> None:
    """Print the tables."""
    print(f"# Speed of the laws\n\n{describe()}\n")
    print("A million records, five attributes, P(X ≥ k) for k = 2 … 10:\n")
    print("| table | different tuples | exact s | binomial s | ratio | binomial is off by |")
    print("|---|---|---|---|---|---|", *batch_rows(), sep="\n")
    print("\nOne law, all its probabilities and sums:\n")
    print("| law | mean | ms | total − 1 |", "|---|---|---|---|", *law_rows(), sep="\n")
    print("\nEq. 4 written plainly for 30,000 people, against every P above 1e-45 here:\n")
    print("| eq. 4 with | counts | its s | here s | times | largest difference |")
    print("|---|---|---|---|---|---|", *plain_rows(), sep="\n")


if __name__ == "__main__":
    main()
