"""Which columns of which public tables are predicted: sets by a rule, none dropped.

A table's columns are those of 2 to 2,000 values that are no identifiers, counts or weights. Of each
table eight sets are drawn by a generator seeded with (seed, its place in `SOURCES`): a size,
uniformly from 3 to 9 or to all its columns, then columns in random order, the first so many; a set
drawn before is drawn again. Of tables of more than 300,000 people four sets.

Not used: nl_pc4, which has two columns by this rule; sepsis_events, whose columns are of events;
the other samples and releases of tables that are here, whose people are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from benchmarks.accuracy.real_tables import FILES, MOST_VALUES, NO_ATTRIBUTES, RealTable, coded

SETS, FEWER_SETS, MANY_PEOPLE = 8, 4, 300_000
LEAST, MOST = 3, 9


class Source(NamedTuple):
    """A table's file; what in it is no attribute; its column of people, if any."""

    table: str
    file: str
    left_out: tuple[str, ...] = ()
    people: str | None = None


SOURCES = (
    *(Source(name, file, NO_ATTRIBUTES, "count") for name, file in FILES.items()),
    Source("atus", "atus/atus.parquet"),
    Source("ny_10000", "ny_microdata/ny_10000.parquet"),
    Source("rki", "rki_releases/rki_2020-04-01.parquet",
           ("AnzahlFall", "AnzahlTodesfall", "NeuerFall"), "AnzahlFall"),
    Source("free1", "sdcmicro/free1.parquet", ("WEIGHT",)),
    Source("testdata", "sdcmicro/testdata.parquet",
           ("ori_hid", "sampling_weight", "household_weights")),
    Source("febrl4a", "febrl4/febrl4a.parquet", ("rec_id", "soc_sec_id", "person")),
)  # fmt: skip


def at_hand(data: Path) -> tuple[Source, ...]:
    """The tables whose files are there."""
    return tuple(source for source in SOURCES if (data / source.file).exists())


def loaded(source: Source, data: Path) -> RealTable:
    """Read a table; every cell as text, an empty one a value of its own."""
    table = pq.read_table(data / source.file)
    if source.people in table.column_names:
        # Releases correct earlier ones by rows of fewer than nobody.
        table = table.filter(pc.greater(table[source.people], 0))
    found = {name: coded(_texts(table[name])) for name in table.column_names
             if name not in source.left_out}  # fmt: skip
    kept = tuple(name for name, (_, values) in found.items() if 2 <= len(values) <= MOST_VALUES)
    people = np.ones(len(table), dtype=np.int64)
    if source.people in table.column_names:
        people = table[source.people].to_numpy().astype(np.int64)
    codes = np.stack([found[name][0] for name in kept], axis=1)
    return RealTable(source.table, kept, tuple(found[name][1] for name in kept), codes, people)


def _texts(column: pa.ChunkedArray) -> pa.Array:
    return pc.cast(column.combine_chunks(), "string")


def column_sets(table: str, columns: Sequence[str], people: int, seed: int = 0) -> list[list[str]]:
    """The sets of one table, columns in the table's order."""
    place = next(at for at, source in enumerate(SOURCES) if source.table == table)
    rng = np.random.default_rng([seed, place])
    most = min(MOST, len(columns))
    possible = sum(comb(len(columns), size) for size in range(LEAST, most + 1))
    wanted = min(FEWER_SETS if people > MANY_PEOPLE else SETS, possible)
    found: list[list[str]] = []
    while len(found) < wanted:
        size = int(rng.integers(LEAST, most + 1))
        chosen = set(rng.permutation(len(columns))[:size].tolist())
        drawn = [column for at, column in enumerate(columns) if at in chosen]
        if drawn not in found:
            found.append(drawn)
    return found
