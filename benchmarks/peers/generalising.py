"""What each tool does to reach k: `python generalising.py TOOL FILE COLUMNS FOLDER K SHARE TARGET`.

FOLDER holds a hierarchy a column (values from fine to coarse, `;` between them), SHARE of the
people may be left out, TARGET is the Parquet file the release is written to. Prints the level of
each column as JSON, or null where a tool has no levels. Ends itself after 200 s of CPU.
"""

from __future__ import annotations

import gzip
import json
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

Ladder = list[list[str]]
MOST_SECONDS = 200


def ladder(folder: str, column: str) -> Ladder:
    """A column's hierarchy, a row a value."""
    (path,) = Path(folder).glob(f"*_{column}.csv.gz")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [line.rstrip("\n").split(";") for line in file if line.strip()]


def read(path: str, columns: list[str]) -> Any:
    """A pandas DataFrame of texts."""
    import pandas as pd

    return pd.read_parquet(path, columns=columns)


def by_anjana(path: str, columns: list[str], folder: str, k: int, share: float) -> Any:
    """Its k_anonymity: the column of most values is generalised next."""
    import numpy as np
    from anjana import anonymity

    frame = read(path, columns)
    hierarchies = {}
    for column in columns:
        held = ladder(folder, column)
        levels = zip(*held, strict=True)
        hierarchies[column] = {at: np.array(level) for at, level in enumerate(levels)}
    released = anonymity.k_anonymity(frame, [], columns, k, 100 * share, hierarchies)
    reached = anonymity.utils.get_transformation(released, columns, hierarchies)
    return released[columns], dict(zip(columns, map(int, reached), strict=True))


def by_crowds(path: str, columns: list[str], folder: str, k: int, share: float) -> Any:
    """Its OLA: the least Σ level/height among the releases that meet k."""
    from crowds.kanonymity.generalizations import GenRule
    from crowds.kanonymity.ola import anonymize

    rules = {}
    for column in columns:
        held = ladder(folder, column)
        # The top, where all is hidden, is a level of its own that GenRule adds.
        steps = [{row[0]: row[at] for row in held} for at in range(1, len(held[0]) - 1)]
        rules[column] = GenRule([step.get for step in steps])
    released, levels = anonymize(read(path, columns), rules, k=k, max_sup=100 * share)
    return released.astype("string"), dict(levels)


def by_anonypy(path: str, columns: list[str], folder: str, k: int, share: float) -> Any:
    """Its Mondrian, which splits people into groups: no hierarchies, nobody left out."""
    import anonypy
    import pandas as pd

    frame = read(path, columns)
    for column in columns:
        held = pd.to_numeric(frame[column], errors="coerce")
        frame[column] = frame[column].astype("category") if held.isna().any() else held
    frame["everybody"] = pd.Series(["x"] * len(frame)).astype("category")
    rows = pd.DataFrame(anonypy.Preserver(frame, columns, "everybody").anonymize_k_anonymity(k))
    texts = rows[columns].map(lambda cell: cell[0] if isinstance(cell, list) else str(cell))
    return texts.loc[texts.index.repeat(rows["count"])].reset_index(drop=True), None


def by_reidrisk(path: str, columns: list[str], folder: str, k: int, share: float) -> Any:
    """The levels of least loss."""
    import reidrisk as rr

    records = rr.read(path, columns=columns)
    target = Path(sys.argv[-1])
    found = rr.generalise(
        records, k=k, hierarchies=folder, suppress=share, frontier=False, output=target
    )
    return None, dict(found.levels)


TOOLS: dict[str, Callable[[str, list[str], str, int, float], Any]] = {
    "reidrisk": by_reidrisk,
    "anjana": by_anjana,
    "crowds": by_crowds,
    "anonypy": by_anonypy,
}


def main() -> None:
    """Generalise, write the release and print the levels."""
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS + 10))
    tool, path, columns, folder, k, share, target = sys.argv[1:]
    released, levels = TOOLS[tool](path, columns.split(","), folder, int(k), float(share))
    if released is not None:
        released.to_parquet(target, index=False)
    print(json.dumps({"levels": levels}))


if __name__ == "__main__":
    main()
