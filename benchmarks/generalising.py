"""The speed of generalisation: `python -m benchmarks.generalising`, run from the root.
Each search runs in this process after reading, several times where it is short, the least time
kept, and is held against its goal; reading stands beside it. What somebody would otherwise write,
every release counted by a DuckDB group-by on integer codes already loaded, is timed on a sample
of releases and multiplied. Other work on the machine only adds to a time: the load stands in the
report.
"""

from __future__ import annotations

import argparse
import os
import random
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from reidrisk.machine import sorting_fast

# Before numpy is loaded, as the command does.
sorting_fast()

import pyarrow as pa  # noqa: E402

import reidrisk as rr  # noqa: E402
from benchmarks.search import DATA, row, timed  # noqa: E402
from benchmarks.speed import tables  # noqa: E402
from benchmarks.speed.machine import describe  # noqa: E402
from reidrisk import machine  # noqa: E402
from reidrisk.generalisation.least_loss import Found, LeastLoss  # noqa: E402
from reidrisk.generalisation.levelled import Levelled, levelled  # noqa: E402
from reidrisk.generalisation.target import target_of  # noqa: E402
from reidrisk.records.coded_tuples import CodedTuples  # noqa: E402
from reidrisk.searches.lattice import Limits  # noqa: E402
from reidrisk.searches.searched_tables import searchable  # noqa: E402

ADULT = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass",
         "occupation", "salary-class"]  # fmt: skip
# The benchmark table's columns by cardinality, and how many values each level takes together:
# 2 · 4 · 4 · 4 · 4 · 5 · 5 · 5 = 64,000 releases.
LEVELS = {2: (), 5: (2, 4), 9: (3, 6), 16: (4, 8), 52: (4, 16), 86: (5, 20, 40),
          400: (5, 25, 100), 1500: (5, 30, 300)}  # fmt: skip
SAMPLED = 40


class Goal(NamedTuple):
    """A loss, the share left out, and what the search should take."""

    loss: str
    suppress: float
    seconds: float
    counted: int | None = None


ADULT_GOALS = (
    Goal("levels", 0.0, 0.1, 200),
    Goal("levels", 0.05, 1.0, 2000),
    Goal("discernibility", 0.0, 0.2),
    Goal("discernibility", 0.05, 1.5),
)


def searched(table: Levelled, loss_name: str, suppress: float, k: int = 5) -> Found:
    """The search alone, from tuples in memory to the proven optimum."""
    target = target_of("highest_risk", 1.0 / k, table.people, suppress)
    loss = table.loss(loss_name, target)
    matters = None if loss.of_crowds else target.rule.matters(target.budget)
    releases = table.releases({}, {})
    return LeastLoss(table.counting(matters, target), releases, loss, target, Limits()).found()


def told(what: str, table: Levelled, goal: Goal, repeats: int) -> str:
    """One line of the report."""
    run = timed(partial(searched, table, goal.loss, goal.suppress), repeats)
    found = run.answer
    assert found.best is not None
    met = run.wall < goal.seconds and not found.open and found.counted <= (goal.counted or 10**9)
    nodes = f" and {goal.counted:,} counted" if goal.counted else ""
    left = f", {goal.suppress:.0%} left out" if goal.suppress else ""
    return row(
        f"{what}, k = 5, {goal.loss}{left}",
        f"under {goal.seconds:g} s{nodes}",
        f"{run.wall:.3f} s ({run.cpu:.2f} s CPU), {found.counted:,} counted, loss "
        f"{found.best.counted.loss:.5f} proven",
        met,
    )


def beside(what: str, found: str) -> str:
    """A line without a goal."""
    return f"| {what} | – | {found} | |"


def adult(data: Path) -> Iterator[str]:
    """Adult's nine columns with their own hierarchies: 12,960 releases."""
    read = timed(lambda: rr.read(data / "adult" / "adult_arx.parquet", columns=ADULT))
    table = levelled(searchable(read.answer), data / "adult" / "hierarchies", tuple(ADULT))
    for goal in ADULT_GOALS:
        yield told(f"Adult, {table.people:,} x 9, 12,960 releases", table, goal, 7)
    yield beside("Adult, reading", f"{read.wall:.3f} s")
    yield by_hand("Adult, every release by DuckDB on codes", table)


def long_table(kept_in: Path) -> Iterator[str]:
    """A million rows of eight columns: 64,000 releases."""
    path = tables.obtain(tables.SIZES["1M"], "Parquet", kept_in).path
    read = timed(lambda: rr.read(path, columns=[f"c{k}" for k in LEVELS]))
    asked = searchable(read.answer)
    values = {n: v.to_pylist() for n, v in zip(asked.names, asked.tables[0].values, strict=True)}
    given = {f"c{k}": grouped(f"c{k}", values[f"c{k}"], widths) for k, widths in LEVELS.items()}
    table = levelled(asked, given, asked.columns)
    for goal in (Goal("levels", 0.0, 60.0), Goal("levels", 0.05, 60.0)):
        yield told("1M x 8, 64,000 releases", table, goal, 1)
    yield beside("1M x 8, reading", f"{read.wall:.2f} s")
    yield by_hand("1M x 8, every release by DuckDB on codes", table)


def grouped(name: str, values: list[str], widths: tuple[int, ...]) -> rr.Hierarchy:
    """Values taken together by their number."""
    return rr.Hierarchy(
        name, tuple({v: str(int(v.rpartition("_")[2]) // w) for v in values} for w in widths)
    )


def by_hand(what: str, table: Levelled) -> str:
    """A sample of the releases, one group-by each, and what all of them would take."""
    session = loaded(table)
    every = list(product(*(range(each.height + 1) for each in table.levels)))
    some = random.Random(0).sample(every, SAMPLED)
    run = timed(lambda: [smallest(session, release) for release in some])
    whole = run.wall / len(some) * len(every)
    return beside(what, f"{whole:,.0f} s ({len(some)} of them took {run.wall:.1f} s)")


def loaded(table: Levelled) -> Any:
    """A DuckDB session with a column for each attribute and level."""
    import duckdb

    tuples = table.tables[0]
    assert isinstance(tuples, CodedTuples)
    columns = {
        f"a{j}_{level}": pa.array(codes[tuples.codes[j]].astype("uint16"))
        for j, each in enumerate(table.levels)
        for level, codes in enumerate(each.codes)
    }
    session = duckdb.connect()
    session.execute(f"SET threads = {machine.available()}")
    session.register("arrow", pa.table(columns))
    session.execute("CREATE TABLE codes AS SELECT * FROM arrow")
    return session


def smallest(session: Any, release: tuple[int, ...]) -> Any:
    """People in crowds below five."""
    chosen = ", ".join(f"a{j}_{level}" for j, level in enumerate(release))
    inner = f"SELECT count(*) AS n FROM codes GROUP BY {chosen}"
    return session.execute(f"SELECT sum(n) FILTER (n < 5) FROM ({inner})").fetchone()


def main(arguments: list[str] | None = None) -> None:
    """Run the jobs and print the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="the public tables")
    parser.add_argument("--tables", type=Path, default=tables.KEPT_IN, help="generated tables")
    given = parser.parse_args(arguments)
    print(f"# Speed of generalisation\n\n{describe()}\n")
    print("| job | goal | found | |", "|---|---|---|---|", sep="\n")
    jobs: list[Callable[[], Iterator[str]]] = [partial(long_table, given.tables)]
    if (given.data / "adult").is_dir():
        jobs.insert(0, partial(adult, given.data))
    for job in jobs:
        for line in job():
            print(line, flush=True)
    print(f"\nLoad at the end: {os.getloadavg()[0]:.1f}.")


if __name__ == "__main__":
    main()
