"""Make one table of strings: `python generating.py FILE ROWS CARDINALITY...`.

The column of cardinality k is named `ck` and its values are `ck_0000`, `ck_0001`, ... drawn with
probability proportional to 1/rank (Zipf). The column of 400 follows from the column of 1500
with probability 0.95 and is drawn like the others otherwise. Nothing is missing.

The draw depends on the seed, the cardinality and the chunk only. So a table of 1M records is the
beginning of the table of 10M, the CSV and the Parquet file hold the same records, and memory
stays at one chunk. The file is written beside its name and renamed when whole.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import csv, parquet

SEED = 20240229
CHUNK = 1_000_000
ROW_GROUP = 125_000  # Small enough that DuckDB, which shares out row groups, uses all cores at 1M.
SLOTS = 1 << 16
FOLLOWER, LEADER, FOLLOWS = 400, 1500, 0.95

Codes = npt.NDArray[np.int16]


def slots(cardinality: int) -> Codes:
    """Return 65,536 equally likely codes, code c about proportionally to 1/(c + 1)."""
    weights = 1 / np.arange(1, cardinality + 1)
    upper = np.cumsum(weights) / weights.sum()
    centres = (np.arange(SLOTS) + 0.5) / SLOTS
    return np.searchsorted(upper[:-1], centres).astype(np.int16)


def draw(cardinality: int, chunk: int, rows: int) -> Codes:
    """Draw the codes of one column in one chunk; a shorter chunk is the start of a longer one."""
    rng = np.random.default_rng([SEED, cardinality, chunk])
    return slots(cardinality)[rng.integers(0, SLOTS, CHUNK, dtype=np.uint16)[:rows]]


def follow(leader: Codes, otherwise: Codes, chunk: int) -> Codes:
    """Let the follower be the leader's code modulo 400, with probability 0.95 for each record."""
    rng = np.random.default_rng([SEED, FOLLOWER, LEADER, chunk])
    follows = rng.random(CHUNK, dtype=np.float32)[: len(leader)] < FOLLOWS
    return np.where(follows, leader % np.int16(FOLLOWER), otherwise)


def chunk_codes(cardinalities: Sequence[int], chunk: int, rows: int) -> dict[int, Codes]:
    """Draw all columns of one chunk, by cardinality."""
    codes = {k: draw(k, chunk, rows) for k in cardinalities}
    if FOLLOWER in codes and LEADER in codes:
        codes[FOLLOWER] = follow(codes[LEADER], codes[FOLLOWER], chunk)
    return codes


def words(cardinality: int) -> pa.Array:
    """Return the strings of a column, in the order of their codes."""
    return pa.array([f"c{cardinality}_{code:04d}" for code in range(cardinality)])


def batches(cardinalities: Sequence[int], rows: int) -> Iterator[pa.Table]:
    """Yield the table chunk by chunk, columns dictionary-encoded."""
    values = {k: words(k) for k in cardinalities}
    for chunk, start in enumerate(range(0, rows, CHUNK)):
        codes = chunk_codes(cardinalities, chunk, min(CHUNK, rows - start))
        yield pa.table(
            {f"c{k}": pa.DictionaryArray.from_arrays(codes[k], values[k]) for k in cardinalities}
        )


def write_parquet(path: Path, cardinalities: Sequence[int], rows: int) -> None:
    """Write zstd Parquet whose columns are read back as plain strings, not as dictionaries."""
    writer = None
    for table in batches(cardinalities, rows):
        writer = writer or parquet.ParquetWriter(
            path, table.schema, compression="zstd", store_schema=False
        )
        writer.write_table(table, row_group_size=ROW_GROUP)
    if writer:
        writer.close()


def write_csv(path: Path, cardinalities: Sequence[int], rows: int) -> None:
    """Write CSV without quotes: no value here needs them."""
    options = csv.WriteOptions(include_header=False, quoting_style="none")
    plain = pa.schema([(f"c{k}", pa.string()) for k in cardinalities])
    with path.open("wb") as file:
        file.write((",".join(plain.names) + "\n").encode())
        for table in batches(cardinalities, rows):
            csv.write_csv(table.cast(plain), file, options)


def main() -> None:
    """Write beside, then rename: a table that exists is whole."""
    path, rows = Path(sys.argv[1]), int(sys.argv[2])
    cardinalities = [int(word) for word in sys.argv[3:]]
    beside = path.with_name(f"{path.name}.{os.getpid()}.part")
    write = write_csv if path.suffix == ".csv" else write_parquet
    try:
        write(beside, cardinalities, rows)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
