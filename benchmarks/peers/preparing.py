"""Write one table as Parquet: `python preparing.py NAME SOURCE TARGET`.

Every column as text. In `adult_whole` a `?` is an empty cell; `city` is generated.
"""

from __future__ import annotations

import sys
from typing import Any


def prepared(name: str, source: str) -> Any:
    """The table as texts."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    if name.startswith("city"):
        import reidrisk

        held = reidrisk.city(int(name.partition("-")[2]))
    else:
        held = pq.read_table(source)
    texts = {}
    for column in held.column_names:
        text = pc.cast(held[column].combine_chunks(), "string")
        if name.startswith("adult_whole"):
            text = pc.if_else(pc.equal(text, "?"), pa.scalar(None, pa.string()), text)
        texts[column] = text
    return pa.table(texts)


def main() -> None:
    """Write it."""
    import pyarrow.parquet as pq

    name, source, target = sys.argv[1:]
    pq.write_table(prepared(name, source), target)


if __name__ == "__main__":
    main()
