"""What is wrong with a delimited file, found without quoting a row."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pyarrow as pa

from reidrisk.engines.sources.dialect import Dialect

TAIL_BYTES = 1 << 16


def ends_otherwise(path: Path, dialect: Dialect, table: pa.Table) -> bool:
    """Whether the last line isn't the last row: what a quote left open leads to.

    A last line that ends in a quote may rightly end a value of several lines. Not looked at: a
    single column, whose last lines may be empty cells, and encodings of several bytes a character.
    """
    if len(dialect.header) == 1 or dialect.encoding.startswith(("utf-16", "utf-32")):
        return False
    with path.open("rb") as raw:
        raw.seek(max(0, path.stat().st_size - TAIL_BYTES))
        tail = raw.read().decode(dialect.encoding, "replace").rstrip("\r\n")
    *before, line = tail.replace("\r", "\n").split("\n")
    if not before or line.endswith(dialect.quote):
        return False
    (fields,) = dialect.reader([line])
    if len(fields) != len(dialect.header):
        return True
    last = table.slice(len(table) - 1).to_pylist()[0]
    written = dict(zip(dialect.header, fields, strict=True))
    return any((last[name] or "").strip() != written[name].strip() for name in last)


def first_ragged_row(
    path: Path, dialect: Dialect, compression: str | None
) -> tuple[int, int] | None:
    """The line and field count of the first row that doesn't fit the header."""
    with pa.input_stream(str(path), compression=compression) as stream:
        text = io.TextIOWrapper(stream, encoding=dialect.encoding, errors="replace", newline="")
        reader = dialect.reader(text)
        try:
            for row in reader:
                if row and len(row) != len(dialect.header):
                    return reader.line_num, len(row)
        except csv.Error:
            return None
    return None
