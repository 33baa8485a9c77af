"""All pair tables of a table: one question to reidrisk, against a DuckDB group-by for each pair.

DuckDB takes part twice: each query reads the file, or the file is loaded into its memory first.
Everyone ends with the counts and their values as Python objects.
"""

from __future__ import annotations

from .answers import from_facts
from .contestants import Contestant

SIZES_OF_PAIRS = ("1K", "10M")

TOGETHER = Contestant("reidrisk", "pairs-reidrisk", from_facts, ("reidrisk",), sizes=SIZES_OF_PAIRS)
EACH_FROM_FILE = Contestant(
    "DuckDB SQL, 28 group-bys of the file",
    "pairs-duckdb",
    from_facts,
    ("duckdb",),
    sizes=SIZES_OF_PAIRS,
)
EACH_FROM_MEMORY = Contestant(
    "DuckDB SQL, loaded first, then 28 group-bys",
    "pairs-duckdb",
    from_facts,
    ("duckdb",),
    sizes=SIZES_OF_PAIRS,
    options=("loaded",),
)
PAIRING = (TOGETHER, EACH_FROM_FILE, EACH_FROM_MEMORY)
