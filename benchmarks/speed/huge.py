"""100 million records of six columns under a memory limit of 4 GB.

One run each: reidrisk as it chooses its engine, reidrisk with the DuckDB engine, which spills to
disk, and DuckDB SQL written by hand under DuckDB's own limit of the same size. Each engine keeps
the limit in its own way (DuckDB counts its buffers, not the whole process), so the peak memory
of the process is reported beside it.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from .answers import Ledger
from .contestants import DUCKDB, REIDRISK, Contestant, present
from .rounds import Timing, compete
from .tables import HUGE, obtain

MEMORY_LIMIT = "4GB"

CHOOSING = replace(REIDRISK, options=("--memory-limit", MEMORY_LIMIT))
SPILLING = replace(
    REIDRISK,
    name="reidrisk --engine duckdb",
    options=("--engine", "duckdb", "--memory-limit", MEMORY_LIMIT),
)
BY_HAND = replace(DUCKDB, options=(MEMORY_LIMIT,))
LIMITED: tuple[Contestant, ...] = (CHOOSING, SPILLING, BY_HAND)


def run_huge(kept_in: Path) -> list[Timing]:
    """Run each once on the 100M table; raise if one fails or answers differently."""
    table = obtain(HUGE, "Parquet", kept_in)
    return compete(table, present(LIMITED), 1, Ledger())
