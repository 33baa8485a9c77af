"""Opening a table that Spark reads: a path, a store's address, or a name of its catalogue."""

from __future__ import annotations

import os
import re
from typing import Any

from reidrisk.engines.contract import Progress, no_progress
from reidrisk.engines.dialects import SPARK
from reidrisk.engines.elsewhere.addresses import scheme_of
from reidrisk.engines.elsewhere.engine import ElsewhereEngine
from reidrisk.engines.elsewhere.spark_connecting import connected
from reidrisk.engines.elsewhere.spark_engine import SparkEngine
from reidrisk.engines.elsewhere.spark_session import SparkSession
from reidrisk.engines.elsewhere.stored import DURATION, NESTED, Stored
from reidrisk.engines.sources.opening import Writing, refuse_repeated
from reidrisk.errors import ContradictoryOptions, InputError
from reidrisk.printable import without_password

_FORMATS = {
    **dict.fromkeys(("csv", "txt"), "CSV"),
    **dict.fromkeys(("tsv", "tab"), "TSV"),
    **dict.fromkeys(("json", "jsonl", "ndjson"), "JSON lines"),
    "parquet": "Parquet",
    "orc": "ORC",
}
_COMPRESSED = re.compile(r"\.(gz|bz2|zst|lz4|snappy|deflate)$", re.IGNORECASE)
_KINDS = {
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), "whole"),
    **dict.fromkeys(("float", "double"), "fraction"),
    "boolean": "boolean",
    "date": "date",
    "timestamp": "zoned",
    "binary": "bytes",
}
CHANGING = (
    "Spark reads the files anew for each query: if they change meanwhile, figures may be of "
    "different moments."
)


def opened_by_spark(
    table: Any, engine: str, written: Writing, progress: Progress = no_progress
) -> tuple[SparkSession, Stored, str, tuple[str, ...], type[ElsewhereEngine]]:
    """A session, the table in it, what it is called, what to mind, and the engine for it."""
    if not isinstance(table, (str, os.PathLike)):
        raise InputError(
            "a table in memory is counted here", "leave the engine out, or write it to a file"
        )
    named = os.fspath(table)
    session = SparkSession(connected(engine), progress)
    kind = _format(named)
    frame = session.run(lambda: _frame(session.spark, named, kind, written))
    refuse_repeated(frame.columns)
    source = session.view("stored", frame)
    kinds = {name: _kind(told) for name, told in session.run(lambda: frame.dtypes)}
    shown = without_password(named)
    called = f"Spark, {os.path.basename(shown.rstrip('/')) or shown}"
    stored = Stored(source, kinds, SPARK, written.decimal == ",")
    return session, stored, called, (CHANGING,), SparkEngine


def _format(named: str) -> str | None:
    """What a path holds by its ending, a folder of no ending Parquet; None for a name."""
    ending = _COMPRESSED.sub("", named.rstrip("/")).rpartition(".")[2].lower()
    if ending in _FORMATS:
        return _FORMATS[ending]
    is_path = scheme_of(named) is not None or "/" in named or os.path.exists(named)
    return "Parquet" if is_path else None


def _frame(spark: Any, named: str, kind: str | None, written: Writing) -> Any:
    if kind is None:
        return spark.table(named)
    path = named
    if scheme_of(named) is None:
        # Where a relative path begins is each machine's own affair.
        path = f"file://{os.path.abspath(named)}"
    reader = spark.read
    if kind == "Parquet":
        return reader.parquet(path)
    if kind == "ORC":
        return reader.orc(path)
    if kind == "JSON lines":
        return reader.option("primitivesAsString", "true").json(path)
    return reader.options(**_writing(kind, written)).csv(path)


def _writing(kind: str, written: Writing) -> dict[str, Any]:
    """Texts as they stand: 01234 keeps its zero, quotes are doubled, values may have lines."""
    if written.sheet is not None:
        raise ContradictoryOptions("--sheet is about spreadsheets, and Spark doesn't read them")
    return {
        "header": written.header,
        "sep": written.delimiter or ("\t" if kind == "TSV" else ","),
        "encoding": written.encoding or "utf-8",
        "quote": '"',
        "escape": '"',
        "multiLine": True,
        "mode": "FAILFAST",
        "inferSchema": False,
    }


def _kind(told: str) -> str:
    if told.startswith(("array", "struct", "map", "variant")):
        return NESTED
    if told.startswith(("interval", "day", "year")):
        return DURATION
    if told.startswith("decimal"):
        return "whole" if told.endswith(",0)") else "decimal"
    return _KINDS.get(told, "text")
