"""What each tool does to measure a table: `python measuring.py TOOL FILE COLUMN,COLUMN,…`.

Each function reads the file and asks for every figure the tool has a function for, as its manual
shows; the figures are printed as JSON under one name each:

    people, smallest (k), distinct, alone, average_risk
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any

Facts = dict[str, float]


def read(path: str, columns: list[str]) -> Any:
    """A pandas DataFrame of texts; an empty cell is None."""
    import pandas as pd

    return pd.read_parquet(path, columns=columns)


def from_sizes(sizes: Any) -> Facts:
    """Every figure from a pandas Series of crowd sizes; the average is over people."""
    people = int(sizes.sum())
    return {
        "people": people,
        "smallest": int(sizes.min()),
        "distinct": len(sizes),
        "alone": int((sizes == 1).sum()),
        "average_risk": len(sizes) / people,
    }


def by_pandas(path: str, columns: list[str]) -> Facts:
    """By hand; an empty cell is a value of its own."""
    return from_sizes(read(path, columns).groupby(columns, sort=False, dropna=False).size())


def by_plain_pandas(path: str, columns: list[str]) -> Facts:
    """By hand, groupby as it is."""
    return from_sizes(read(path, columns).groupby(columns).size())


def by_duckdb(path: str, columns: list[str]) -> Facts:
    """By hand in SQL."""
    import duckdb

    names = ", ".join(f'"{name}"' for name in columns)
    (row,) = duckdb.sql(
        "SELECT sum(s), min(s), count(*), count(*) FILTER (s = 1), count(*) / sum(s) "
        f"FROM (SELECT count(*) AS s FROM '{path}' GROUP BY {names})"
    ).fetchall()
    names_of = ("people", "smallest", "distinct", "alone", "average_risk")
    return {name: float(value) for name, value in zip(names_of, row, strict=True)}


def by_pycanon(path: str, columns: list[str]) -> Facts:
    """k, the average risk, and the number of classes behind the average class size."""
    from pycanon import anonymity, metrics

    frame = read(path, columns)
    k = anonymity.k_anonymity(frame, columns)
    # average_ecsize is n/(classes·k), n with the rows that groupby leaves out.
    size = metrics.average_ecsize(frame, frame, columns)
    return {
        "smallest": int(k),
        "distinct": round(len(frame) / (float(size) * k)),
        "average_risk": float(metrics.average_rir(frame, columns)),
    }


def by_anonymity_api(path: str, columns: list[str]) -> Facts:
    """k, and the number of classes behind the average class size."""
    from anonymity_api import utility, verify

    frame = read(path, columns)
    k = verify.k_anonymity(frame, columns)
    size = utility.average_equivalence_class_size(frame, frame, columns)
    return {"smallest": int(k), "distinct": round(len(frame) / (float(size) * k))}


def all_rows(path: str, columns: list[str], where: str = "") -> dict[int, int]:
    """Not a tool: crowds by size, to compute every explanation from."""
    import duckdb

    names = ", ".join(f'"{name}"' for name in columns)
    sizes = f"SELECT count(*) AS s FROM '{path}' {where} GROUP BY {names}"
    return dict(duckdb.sql(f"SELECT s, count(*) FROM ({sizes}) GROUP BY s").fetchall())


def complete_rows(path: str, columns: list[str]) -> dict[int, int]:
    """The same, of rows without an empty cell."""
    whole = " AND ".join(f'"{name}" IS NOT NULL' for name in columns)
    return all_rows(path, columns, f"WHERE {whole}")


TOOLS: dict[str, Callable[[str, list[str]], Mapping[Any, float]]] = {
    "pandas": by_pandas,
    "plain-pandas": by_plain_pandas,
    "duckdb": by_duckdb,
    "pycanon": by_pycanon,
    "anonymity-api": by_anonymity_api,
    "all-rows": all_rows,
    "complete-rows": complete_rows,
}


def main() -> None:
    """Measure and print."""
    tool, path, columns = sys.argv[1:]
    json.dump(TOOLS[tool](path, columns.split(",")), sys.stdout)


if __name__ == "__main__":
    main()
