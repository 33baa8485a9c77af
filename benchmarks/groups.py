"""The speed of groups: `python -m benchmarks.groups`, run from the root of the repository.

Each figure is the least of several runs in one process, because whatever else a machine does only
adds to a time. The last one is a process of its own, imports and reading included.
"""

from __future__ import annotations

import math
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.accuracy.__main__ import DATA
from benchmarks.laws import least
from benchmarks.speed.machine import describe
from reidrisk.laws.group_law import GroupLaw
from reidrisk.laws.tuple_space import TupleSpace

Floats = NDArray[np.float64]

SEED, REPEATS = 20, 5
BELGIUM = Path("belgium_2015") / "belgium_2015.parquet"
OPTIONS = ["--count", "count", "--columns", "age,sex", "--values", "age=0-94", "--size", "41"]


def drawn(values: int, rng: np.random.Generator) -> Floats:
    """Shares as unequal as waiting times."""
    found: Floats = rng.dirichlet(np.ones(values))
    return found


def zipf(values: int) -> Floats:
    """Shares as unequal as words."""
    found: Floats = 1.0 / np.arange(1.0, values + 1)
    found /= found.sum()
    return found


def by_plain_recurrence(p: Floats, k: int) -> float:
    """E_j += j·p·E_{j−1} as a pair of loops, as one would write it."""
    found = [1.0] + [0.0] * k
    for share in p.tolist():
        for j in range(k, 0, -1):
            found[j] += j * share * found[j - 1]
    return found[k]


def by_plain_contour(p: Floats, k: int) -> float:
    """The coefficient of z^k in Π(1 + p·z) on a circle around nought, all outcomes at each node."""
    r, nodes = 1.1 * k, 256
    z = r * np.exp(2j * math.pi * np.arange(nodes) / nodes)
    logs = np.array([np.log1p(p * each).sum() for each in z]) - k * np.log(z)
    top = logs.real.max()
    return float(math.lgamma(k + 1) + top + math.log(abs(np.exp(logs - top).mean())))


def rows() -> Iterator[str]:
    """Law, what it takes here, what it may take, and what a plainer way takes."""
    rng = np.random.default_rng(SEED)
    ages = rng.integers(1, 1000, 95)
    p = ages / ages.sum()
    yield from _row(
        "N = 95, k = 29", "1 ms", lambda: GroupLaw.of_counts(ages).exact(29),
        "the recurrence as two loops", lambda: by_plain_recurrence(p, 29),
    )  # fmt: skip
    million = drawn(10**6, rng)
    yield from _row(
        "N = 10^6, k = 1000, like waiting times", "1 s",
        lambda: GroupLaw(TupleSpace.listed(million), 10**6).exact(1000),
        "contour over all outcomes", lambda: by_plain_contour(million, 1000),
    )  # fmt: skip
    words = zipf(10**6)
    yield from _row(
        "N = 10^6, k = 1000, like words", "1 s",
        lambda: GroupLaw(TupleSpace.listed(words), 10**6).log_exact(1000),
    )  # fmt: skip
    for name, five in (
        ("like waiting times", [drawn(251, rng) for _ in range(5)]),
        ("like words", [zipf(251)] * 5),
        ("likely tuples", [np.append(0.7, np.full(250, 0.3 / 250))] * 5),
    ):
        yield from _row(
            f"10^12 tuples of five marginals, k = 1000, {name}", "100 ms",
            lambda five=five: GroupLaw(  # type: ignore[misc]
                TupleSpace.independent(five), 251**5
            ).log_exact(1000),
        )  # fmt: skip


def _row(
    name: str,
    target: str,
    work: Callable[[], float],
    other: str = "",
    plain: Callable[[], float] | None = None,
) -> Iterator[str]:
    (seconds,) = least(work, repeats=REPEATS)
    beside = ""
    if plain is not None:
        (slower,) = least(plain, repeats=1)
        beside = f"{other}: {slower * 1e3:,.1f} ms"
    yield f"| {name} | {target} | {seconds * 1e3:.2f} ms | {beside} |"


def belgium() -> str:
    """All 589 municipalities, exact, age × sex, as a command: imports, reading and writing."""
    path = DATA / BELGIUM
    if not path.exists():
        return f"| 589 municipalities | 2 s | not run: there is no {BELGIUM} | |"
    script = "import sys; from reidrisk.cli.main import run; run(sys.argv[1:])"
    asked = ["group", str(path), *OPTIONS, "--by", "municipality", "--json"]
    seconds = math.inf
    for _ in range(REPEATS):
        begun = time.perf_counter()
        subprocess.run([sys.executable, "-c", script, *asked], check=True, capture_output=True)
        seconds = min(seconds, time.perf_counter() - begun)
    return f"| 589 municipalities, age × sex, k = 41, the whole command | 2 s | {seconds:.2f} s | |"


def main() -> None:
    """Print the table."""
    print(f"# Speed of groups\n\n{describe()}\n")
    print("| group | may take | takes | plainer |", "|---|---|---|---|", sep="\n")
    for row in (*rows(), belgium()):
        print(row, flush=True)


if __name__ == "__main__":
    main()
