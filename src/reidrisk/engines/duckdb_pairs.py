"""A pair table from what DuckDB answers."""

from __future__ import annotations

import pyarrow as pa

from reidrisk.engines.coding import code_column
from reidrisk.engines.labelling import Labelling
from reidrisk.engines.pair_table import Pair, PairTable


def pair_table_of(pair: Pair, found: pa.Table) -> PairTable:
    """From (value, value, people); a tuple of nobody is no cell."""
    people = found.column(2).to_numpy()
    one, other = (
        code_column(name, found.column(side).chunks, Labelling()) for side, name in enumerate(pair)
    )
    held = people > 0
    codes = (one.codes[held], other.codes[held])
    return PairTable(pair, (one.values, other.values), codes, people[held])
