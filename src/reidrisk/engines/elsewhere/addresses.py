"""Addresses: where a table is, told from how it is named.

postgresql+psycopg://…, sqlite:///…   a database that SQLAlchemy speaks to
--engine spark, spark://…, sc://…     a cluster; TABLE is what it reads
s3://…, gs://…, az://…                objects in a store, copied here first
anything else                         a file or a table here
"""

from __future__ import annotations

import re
from typing import Any

from reidrisk.errors import ContradictoryOptions, InputError

_SCHEME = re.compile(r"([a-z][a-z0-9+._-]*)://", re.IGNORECASE)
# Read here (`sources.stores`) as well as by a cluster, and by a cluster alone.
OBJECT_STORES = ("s3", "s3a", "s3n", "gs", "gcs", "az", "abfs", "abfss")
STORES = (*OBJECT_STORES, "hdfs", "wasb", "wasbs", "viewfs", "adl")
SPARK = "spark"


def scheme_of(table: Any) -> str | None:
    """postgresql of postgresql+psycopg://…; None where it is no address."""
    found = _SCHEME.match(table) if isinstance(table, str) else None
    return found[1].lower().split("+")[0] if found else None


def is_spark(engine: str) -> bool:
    """spark, spark://host:port, sc://host:port."""
    return engine == SPARK or engine.startswith(("spark://", "sc://"))


def is_in_store(table: Any) -> bool:
    """An address of objects that this machine reads, after copying them."""
    return scheme_of(table) in OBJECT_STORES


def is_database(table: Any) -> bool:
    """An address that isn't one of files."""
    scheme = scheme_of(table)
    return scheme is not None and scheme not in (*STORES, "file")


def is_elsewhere(table: Any, engine: str) -> bool:
    """Whether records stay where they are and only counts travel."""
    return is_database(table) or is_spark(engine)


def refuse_unnamed_records(table: Any, engine: str, key: str | None, person: str | None) -> None:
    """A file of records needs names for them where they have no order."""
    if is_elsewhere(table, engine) and key is None and person is None:
        raise InputError(
            "--risk-file needs --key COL: records there have no row numbers",
            "name the column that tells records apart; only it, crowd and risk leave",
        )


def refuse_records_elsewhere(table: Any, engine: str, what: str) -> None:
    """What needs each record's values here can't be had of records that stay."""
    if is_elsewhere(table, engine):
        raise InputError(
            f"{what} needs each record's values here, and these records stay where they are",
            "export the columns to a file first, if they may leave",
        )


def refuse_contradictions(table: Any, engine: str, of: str | None, query: str | None) -> None:
    """--table and --query are about databases; a file store needs a cluster that reads it."""
    if of is not None and query is not None:
        raise ContradictoryOptions("--table and --query can't both hold")
    database = is_database(table)
    if database and engine != "embedded":
        raise ContradictoryOptions(
            f"--engine {engine}: a database counts its own records", "leave --engine out"
        )
    if not database and (of is not None or query is not None):
        raise ContradictoryOptions(
            "--table and --query say what to count in a database, and TABLE is no address of one",
            "as in: reidrisk measure postgresql+psycopg://host/db --table public.people",
        )
    if scheme_of(table) in set(STORES) - set(OBJECT_STORES) and not is_spark(engine):
        raise InputError(
            "TABLE is in a store that this machine doesn't read by itself",
            "let a cluster read it: --engine spark (here), or --engine spark://host:7077",
        )
