"""What each peer does with a table: `python jobs.py PEER FILE COLUMN,COLUMN,... [OPTION]`.

Every function below reads the file, groups it by all the columns and returns
{crowd size: number of crowds}; it is written as the library's own manual would have it. The
answer is printed as JSON. Imports are inside the functions: each process loads one library.

pyCANON has no histogram: it returns the smallest crowd only. `in-process` is not a peer: it is
reidrisk, timed after its imports.

The jobs on pairs count the people of each pair of values of any two columns, fetch all counts as
Python objects, and print a summary of each table.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

Histogram = dict[int, int]
Rows = Sequence[tuple[Any, Any, int]]


def is_csv(path: str) -> bool:
    """Tell the format by the file's name."""
    return path.endswith(".csv")


def duckdb_source(path: str) -> str:
    """Return the file as DuckDB's FROM takes it."""
    return f"read_csv('{path}', all_varchar = true)" if is_csv(path) else f"'{path}'"


def by_duckdb(path: str, columns: list[str], memory_limit: str = "") -> Histogram:
    """Count in SQL, under DuckDB's own memory limit if one is given."""
    import duckdb

    if memory_limit:
        duckdb.execute(f"SET memory_limit = '{memory_limit}'")
    source = duckdb_source(path)
    sizes = f"SELECT count(*) AS s FROM {source} GROUP BY {', '.join(columns)}"
    return dict(duckdb.sql(f"SELECT s, count(*) FROM ({sizes}) GROUP BY s").fetchall())


def by_polars(path: str, columns: list[str]) -> Histogram:
    """Count in one lazy query."""
    import polars as pl

    table = pl.scan_csv(path, infer_schema=False) if is_csv(path) else pl.scan_parquet(path)
    sizes = table.group_by(columns).len("size")
    return dict(sizes.group_by("size").len("crowds").collect().rows())


def read_pandas(path: str, columns: list[str]) -> Any:
    """Read a pandas DataFrame of strings."""
    import pandas as pd

    if is_csv(path):
        return pd.read_csv(path, dtype=str, usecols=columns)
    return pd.read_parquet(path, columns=columns)


def by_pandas(path: str, columns: list[str]) -> Histogram:
    """Count with groupby, unsorted."""
    frame = read_pandas(path, columns)
    sizes = frame.groupby(columns, observed=True, sort=False, dropna=False).size()
    return {int(size): int(crowds) for size, crowds in sizes.value_counts().items()}


def by_pycanon(path: str, columns: list[str]) -> dict[str, int]:
    """Return the smallest crowd, the k of k-anonymity."""
    from pycanon import anonymity

    return {"smallest": int(anonymity.k_anonymity(read_pandas(path, columns), columns))}


def summary(rows: Rows) -> list[Any]:
    """Return the number of cells, the sum of their squares, and the largest with its values."""
    largest = max((people, a, b) for a, b, people in rows)
    return [len(rows), sum(people * people for _, _, people in rows), *largest]


def pairs_by_reidrisk(path: str, columns: list[str]) -> dict[str, Any]:
    """Ask for all pair tables at once."""
    import reidrisk

    tables = reidrisk.read(path, columns=columns).engine.pair_tables(list(combinations(columns, 2)))
    return {
        ",".join(table.of): summary([(a, b, people) for (a, b), people in table.counts.items()])
        for table in tables
    }


def pairs_by_duckdb(path: str, columns: list[str], loaded: str = "") -> dict[str, Any]:
    """Group by each pair, from the file or from a table loaded first."""
    import duckdb

    source = duckdb_source(path)
    if loaded:
        duckdb.execute(f"CREATE TABLE loaded AS SELECT * FROM {source}")
        source = "loaded"
    return {
        f"{a},{b}": summary(
            duckdb.sql(f"SELECT {a}, {b}, count(*) FROM {source} GROUP BY {a}, {b}").fetchall()
        )
        for a, b in combinations(columns, 2)
    }


def in_process(path: str, columns: list[str], repeats: str = "7") -> dict[str, Any]:
    """Time reading and measuring in a process that has imported reidrisk already."""
    import reidrisk

    seconds = []
    for _ in range(int(repeats)):
        start = time.perf_counter()
        result = reidrisk.measure(reidrisk.read(path, columns=columns), dependence=False)
        seconds.append(time.perf_counter() - start)
    return {"seconds": seconds, "people": int(result.people), "distinct": int(result.distinct)}


JOBS: dict[str, Callable[..., Any]] = {
    "duckdb": by_duckdb,
    "polars": by_polars,
    "pandas": by_pandas,
    "pycanon": by_pycanon,
    "pairs-reidrisk": pairs_by_reidrisk,
    "pairs-duckdb": pairs_by_duckdb,
    "in-process": in_process,
}


def main() -> None:
    """Do one job and print its answer."""
    name, path, columns, *options = sys.argv[1:]
    json.dump(JOBS[name](path, columns.split(","), *options), sys.stdout)


if __name__ == "__main__":
    main()
