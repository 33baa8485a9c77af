"""What a failure of Spark's means, in our own words: its own may quote a record."""

from __future__ import annotations

from typing import Any

from reidrisk.errors import (
    EngineFailure,
    InputError,
    UnknownColumn,
    UnreadableInput,
    UnwritableOutput,
)

_CLASSES: dict[str, tuple[type[InputError | EngineFailure], str, str]] = {
    "TABLE_OR_VIEW_NOT_FOUND": (
        UnreadableInput,
        "the cluster's catalogue has no such table",
        "name it as SHOW TABLES does, or give a path: data/people.parquet, s3a://…, hdfs://…",
    ),
    "PATH_NOT_FOUND": (
        UnreadableInput,
        "the cluster finds no such file",
        "the path has to be one that every machine of the cluster reads",
    ),
    "PATH_ALREADY_EXISTS": (
        UnwritableOutput,
        "the cluster won't write over what is there already",
        "name a folder that isn't there yet",
    ),
    "UNABLE_TO_INFER_SCHEMA": (
        UnreadableInput,
        "the files hold no table that Spark can read",
        "is it Parquet, CSV, JSON lines or ORC? the name's ending says which",
    ),
    "UNRESOLVED_COLUMN": (UnknownColumn, "a column isn't there any more", "did the table change?"),
    "FAILED_READ_FILE": (
        UnreadableInput,
        "a file can't be read to its end, or changed meanwhile",
        "is it whole, and readable on every machine of the cluster?",
    ),
    "PARSE_SYNTAX_ERROR": (
        InputError,
        "TABLE is neither a path nor the name of a table",
        "as in data/people.parquet, s3a://bucket/people, or catalogue.schema.people",
    ),
}
_MEMORY = ("OutOfMemoryError", "No space left on device", "UNABLE_TO_ACQUIRE_MEMORY")
_LOST = ("Connection refused", "UNAVAILABLE", "SparkContext was shut down", "stopped SparkContext",
         "All masters are unresponsive", "Py4JNetworkError", "Connection reset")  # fmt: skip


def is_of_spark(error: BaseException) -> bool:
    """Whether it comes from Spark or the way to it."""
    return type(error).__module__.split(".")[0] in ("py4j", "pyspark", "grpc")


def told(error: Any) -> InputError | EngineFailure:
    """Our words for an error of PySpark's."""
    condition = _condition(error)
    for known, (kind, message, hint) in _CLASSES.items():
        if condition.startswith(known):
            return kind(message, hint)
    words = str(error)
    if any(word in words for word in _MEMORY):
        return EngineFailure(
            "the cluster ran out of memory or of disk to spill to",
            "give its executors more (spark.executor.memory), or look at fewer columns",
        )
    if any(word in words for word in _LOST):
        return EngineFailure("the connection to Spark was cut", "nothing was written; try again")
    return EngineFailure(
        f"Spark gave up ({condition or type(error).__name__})", "its own log says more"
    )


def _condition(error: Any) -> str:
    for way in ("getCondition", "getErrorClass"):
        ask = getattr(error, way, None)
        if ask is not None:
            return str(ask() or "")
    return ""
