"""The speed of searches: `python -m benchmarks.search`, run from the root of the repository.

Each job is run in this process after reading, several times where it is short, the least time kept,
and held against its goal; the first in turn with 92 DuckDB group-bys of the same integer codes,
already loaded. Other work on the machine only adds to a time: the load stands in the report.
"""

from __future__ import annotations

import argparse
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from reidrisk.machine import sorting_fast

# Before numpy is loaded, as the command does.
sorting_fast()

import pyarrow as pa  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402

import reidrisk as rr  # noqa: E402
from benchmarks.speed import tables  # noqa: E402
from benchmarks.speed.machine import describe  # noqa: E402
from reidrisk import machine  # noqa: E402
from reidrisk.searches.combination_ranking import every_view  # noqa: E402
from reidrisk.searches.lattice import Lattice, Limits  # noqa: E402
from reidrisk.searches.scorer import yardstick  # noqa: E402
from reidrisk.searches.searched_tables import searchable  # noqa: E402

# Public tables that aren't part of the repository; docs/accuracy.md says where each can be had.
DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
NO_ATTRIBUTES = ("instance_weight", "split", "count", "fnlwgt")
CENSUS = Counter({2: 7, 3: 363, 4: 7367})


class Timed(NamedTuple):
    """Wall and processor seconds of the best run, and what it answered."""

    wall: float
    cpu: float
    answer: Any


def timed(work: Callable[[], Any], repeats: int = 1) -> Timed:
    """Run it, and keep the run with the least wall time."""
    runs = []
    for _ in range(repeats):
        began, worked = time.perf_counter(), time.process_time()
        answer = work()
        runs.append(Timed(time.perf_counter() - began, time.process_time() - worked, answer))
    return min(runs, key=lambda run: run.wall)


def row(job: str, goal: str, found: str, met: bool) -> str:
    """One line of the report."""
    return f"| {job} | {goal} | {found} | {'met' if met else '**missed**'} |"


def counted_views(source: Any, up_to: int | None = None) -> tuple[Lattice, dict[int, Any]]:
    """Crowds and people alone of every view."""
    asked = searchable(source)
    lattice = Lattice.of_knowledge(asked.names, up_to)
    scorer = asked.scorer(lattice, yardstick("alone_share"))
    return lattice, every_view(scorer, Limits(), asked.threads)


def long_table(kept_in: Path) -> Iterator[str]:
    """All 92 combinations of up to three of eight columns, 10M rows, beside DuckDB."""
    table = rr.read(tables.obtain(tables.SIZES["10M"], "Parquet", kept_in).path)
    session = loaded(table)
    rounds = [
        (timed(partial(counted_views, table, 3)), timed(partial(by_duckdb, session, table.columns)))
        for _ in range(5)
    ]
    ours, theirs = (min(runs, key=lambda run: run.wall) for runs in zip(*rounds, strict=True))
    lattice, found = ours.answer
    same = all(
        theirs.answer[frozenset(lattice.columns(bits))] == (score.crowds, score.alone)
        for bits, score in found.items()
    )
    times = theirs.wall / ours.wall
    yield row(
        "92 combinations of ≤ 3 of 8 columns, 10M rows",
        "3 times as fast as DuckDB on codes",
        f"{ours.wall:.2f} s ({ours.cpu:.2f} s CPU) against {theirs.wall:.2f} s ({theirs.cpu:.2f} s "
        f"CPU): {times:.1f} times; answers {'equal' if same else 'DIFFER'}",
        times >= 3 and same,
    )


def loaded(table: rr.Table) -> Any:
    """A DuckDB session that holds the same codes."""
    import duckdb

    coded = table.engine.coded_tuples(table.columns)
    arrow = pa.table(dict(zip(coded.columns, map(pa.array, coded.codes), strict=True)))
    session = duckdb.connect()
    session.execute(f"SET threads = {machine.available()}")
    session.register("arrow", arrow)
    session.execute("CREATE TABLE codes AS SELECT * FROM arrow")
    return session


def by_duckdb(session: Any, columns: Sequence[str]) -> dict[frozenset[str], tuple[int, int]]:
    """(crowds, alone) of each view, one group-by each."""
    found = {}
    for size in (1, 2, 3):
        for chosen in combinations(columns, size):
            inner = f"SELECT count(*) AS n FROM codes GROUP BY {', '.join(chosen)}"
            asked = f"SELECT count(*), count(*) FILTER (n = 1) FROM ({inner})"
            found[frozenset(chosen)] = session.execute(asked).fetchone()
    return found


def every_subset(data: Path) -> Iterator[str]:
    """Every view of Adult's nine columns, and of thirteen."""
    for file, columns, goal in (("adult_arx", 9, 0.25), ("adult", 13, 6.0)):
        path = data / "adult" / f"{file}.parquet"
        names = [name for name in pq.read_schema(path).names if name not in NO_ATTRIBUTES]
        table = rr.read(path, columns=names[:columns])
        run = timed(partial(counted_views, table), 5)
        yield row(
            f"Adult, all {len(run.answer[1]):,} views of {columns} columns",
            f"under {goal:g} s",
            f"{run.wall:.3f} s ({run.cpu:.2f} s CPU)",
            run.wall < goal,
        )


def census(data: Path) -> Iterator[str]:
    """The border on 41 columns."""
    path = data / "census_kdd" / "census_kdd.parquet"
    names = [name for name in pq.read_schema(path).names if name not in NO_ATTRIBUTES]
    table = rr.read(path, columns=names)
    run = timed(lambda: rr.search(table, allowable_risk=0.01, measure="alone_share", up_to=4))
    found, searched = run.answer, run.answer.searched
    sizes = Counter(len(view.columns) for view in found.minimal_risky)
    views = searched.counted + searched.ceilings
    by_size = " / ".join(str(sizes.get(size, 0)) for size in (1, 2, 3, 4))
    text = (
        f"{run.wall:.1f} s ({run.cpu:.1f} s CPU), {len(found.minimal_risky):,} minimal risky "
        f"({by_size}), {searched.counted:,} of "
        f"{searched.views:,} views counted and {searched.ceilings:,} ceilings"
    )
    right = sizes == CENSUS and searched.complete
    yield row(
        "census_kdd, 41 columns, sizes 1–4, alone share > 1 %",
        "complete, 7,737 minimal risky, ≤ 60,000 views counted, under 75 s",
        text,
        right and views <= 60_000 and run.wall < 75,
    )


def statistics_only(data: Path) -> Iterator[str]:
    """All views of twelve attributes, from counts and pair tables alone."""
    for named, file, model in (
        ("Adult", "adult/adult.parquet", "auto"),
        ("census_kdd", "census_kdd/census_kdd.parquet", "tree"),
        ("census_kdd", "census_kdd/census_kdd.parquet", "auto"),
    ):
        path = data / file
        names = [name for name in pq.read_schema(path).names if name not in NO_ATTRIBUTES][:12]
        statistics = rr.publish(rr.read(path, columns=names), pairs="all", unprotected=True)
        drawn = timed(partial(searchable, statistics, model=model))
        run = timed(partial(rr.search, drawn.answer, allowable_risk=0.05))
        every = timed(partial(counted_views, drawn.answer))
        searched, wall = run.answer.searched, drawn.wall + run.wall
        yield row(
            f"{named}, 12 attributes, {statistics.records:,} people, statistics only, "
            f"{run.answer.draws} tables drawn from {run.answer.envelope.model}, all sizes",
            "under 10 s",
            f"{wall:.1f} s: fit and draws {drawn.wall:.1f} s ({drawn.cpu:.1f} s CPU), search "
            f"{run.wall:.1f} s ({run.cpu:.1f} s CPU), {searched.counted:,} of {searched.views:,} "
            f"views counted (counting every one: {every.wall:.1f} s)",
            wall < 10 and searched.complete,
        )


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the options."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.search", description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="directory of the public tables")
    parser.add_argument("--tables", type=Path, default=tables.KEPT_IN, help="generated tables")
    jobs = ("long", "subsets", "census", "statistics")
    parser.add_argument("--jobs", nargs="+", choices=jobs, default=jobs)
    return parser.parse_args(arguments)


def main() -> None:
    """Print the table."""
    asked = parse()
    print(f"# Speed of searches\n\n{describe()}\n")
    print("| job | goal | found | |", "|---|---|---|---|", sep="\n")
    jobs: dict[str, Callable[[], Iterator[str]]] = {
        "long": lambda: long_table(asked.tables),
        "subsets": lambda: every_subset(asked.data),
        "census": lambda: census(asked.data),
        "statistics": lambda: statistics_only(asked.data),
    }
    for name in asked.jobs:
        for line in jobs[name]():
            print(line, flush=True)
    print(f"\nLoad at the end: {os.getloadavg()[0]:.1f}.")


if __name__ == "__main__":
    main()
