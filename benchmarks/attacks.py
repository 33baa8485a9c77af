"""The speed of attacks: `python -m benchmarks.attacks [FOLDER]`, from the root of the repository.

Each figure is the least of several runs in one process, because whatever else a machine does only
adds to a time. FOLDER keeps the generated tables; the figures include reading them.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.laws import least
from benchmarks.speed.machine import describe

REPEATS, SEED, TARGETS = 3, 20, 10_000
# Values of each column, as unequal as waiting times.
WIDE = (2, 5, 9, 16, 52, 86, 400, 1500)
NINE = (2, 5, 7, 9, 16, 20, 40, 52, 86)


def table(folder: Path, rows: int, values: tuple[int, ...]) -> Path:
    """Write a table of independent columns, once."""
    path = folder / f"attack-{rows}-{len(values)}.parquet"
    if not path.exists():
        rng = np.random.default_rng(SEED)
        columns = {
            f"c{many}": pa.array(
                [f"v{code}" for code in rng.choice(many, rows, p=rng.dirichlet(np.ones(many)))]
            )
            for many in values
        }
        pq.write_table(pa.table(columns), path)
    return path


def in_duckdb(path: Path, up_to: int) -> tuple[int, int]:
    """Count minimal unique sets with a DuckDB group-by for each view, as a user would write it."""
    import duckdb

    connection: Any = duckdb.connect()
    connection.execute(
        f"CREATE TABLE records AS SELECT row_number() OVER () - 1 AS r, * FROM '{path}'"
    )
    described = connection.execute("DESCRIBE records").fetchall()
    names = [name for name, *_ in described[1:]]
    rows = connection.execute("SELECT count(*) FROM records").fetchone()[0]
    alone: dict[tuple[str, ...], Any] = {(): np.zeros(rows, dtype=bool)}
    sets, anybody = 0, np.zeros(rows, dtype=bool)
    for size in range(1, up_to + 1):
        for view in combinations(names, size):
            listed = ", ".join(f'"{name}"' for name in view)
            asked = f"SELECT min(r) AS r FROM records GROUP BY {listed} HAVING count(*) = 1"
            alone[view] = np.zeros(rows, dtype=bool)
            alone[view][connection.execute(asked).fetchnumpy()["r"]] = True
            told = np.logical_or.reduce([alone[less] for less in combinations(view, size - 1)])
            sets += int(np.count_nonzero(alone[view] & ~told))
            anybody |= alone[view]
    return sets, int(np.count_nonzero(anybody))


def unique_rows(paths: list[Path]) -> Iterator[str]:
    """Compare minimal unique sets of up to three attributes with a group-by for each view."""
    import reidrisk as rr

    for path in paths:

        def here(path: Path = path) -> rr.UniqueSets:
            return rr.unique_sets(rr.read(path))

        def there(path: Path = path) -> tuple[int, int]:
            return in_duckdb(path, 3)

        found = here()
        assert there() == (found.sets, found.people), "the two ways disagree"
        ours, theirs = least(here, there, repeats=REPEATS)
        yield (
            f"| {path.stem} | {found.sets:,} | {found.people:,} | {ours:.2f} | {theirs:.2f} "
            f"| {theirs / ours:.1f} |"
        )


def played_rows(path: Path) -> Iterator[str]:
    """Time the attack played, and what was computed beside."""
    import reidrisk as rr

    records = rr.read(path)
    asked: list[dict[str, float]] = [
        {}, {"errors": 0.05}, {"errors": 0.3}, {"share": 0.5}
    ]  # fmt: skip
    for options in asked:

        def attack(options: dict[str, float] = options) -> rr.AttackRisk:
            return rr.attack(records, play=TARGETS, **options)  # type: ignore[arg-type]

        work: Callable[[], object] = attack
        (seconds,) = least(work, repeats=REPEATS)
        played = attack().played
        assert played is not None
        named = ", ".join(f"{name} {value:g}" for name, value in options.items()) or "exactly known"
        low, high = played.interval
        yield (
            f"| {named} | {played.overall_risk:.4f} | {played.hit_rate:.4f} ({low:.4f}–{high:.4f}) "
            f"| {seconds:.2f} |"
        )


def main() -> None:
    """Print the tables."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(made)
        wide = [table(folder, rows, WIDE) for rows in (100_000, 1_000_000)]
        print(f"# Speed of attacks\n\n{describe()}\n")
        print("Minimal unique sets of up to three of eight columns, reading included:\n")
        print("| table | sets | people | here s | a DuckDB group-by a view s | times |")
        print("|---|---|---|---|---|---|", *unique_rows(wide), sep="\n")
        print(f"\n{TARGETS:,} targets attacked among 300,000 people, nine columns:\n")
        print("| attacker | computed | played | s |", "|---|---|---|---|", sep="\n")
        print(*played_rows(table(folder, 300_000, NINE)), sep="\n")


if __name__ == "__main__":
    main()
