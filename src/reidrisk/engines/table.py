"""Table: records that can be asked about. `read` makes one from a path or a table in memory."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from reidrisk import cores
from reidrisk.engines import memory
from reidrisk.engines.contract import Engine, Progress, no_progress
from reidrisk.engines.provenance import sha256_of, state_of
from reidrisk.engines.reading import coded_records
from reidrisk.engines.roles import COUNT, WEIGHT, Look, first_look
from reidrisk.engines.seeing import Seeing, seeing
from reidrisk.engines.sources.opening import COMPRESSION_SUFFIXES, Writing, open_source
from reidrisk.engines.sources.source import Source
from reidrisk.errors import InputError, UnusableColumn

ENGINES = ("embedded", "codes", "duckdb")


@dataclass(frozen=True)
class Table:
    """Records, the columns looked at, and the engine that answers questions about them."""

    engine: Engine
    format: str
    paths: tuple[Path, ...]
    notes: tuple[str, ...]
    warnings: tuple[str, ...]
    when_read: tuple[str, ...] = ()
    # Every column there is, looked at or not.
    there: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns looked at."""
        return self.engine.seeing.columns

    @property
    def people(self) -> int:
        """How many people the records stand for."""
        return self.engine.people

    @cached_property
    def sha256(self) -> str | None:
        """Of the file's bytes; None for a table in memory or a file changed since."""
        return sha256_of(self.paths, self.when_read)

    def __repr__(self) -> str:
        named = self.paths[0].name if self.paths else f"a table from {self.format}"
        return f"<Table {named}: {self.people:,} people, {', '.join(self.columns)}>"


def read(
    table: Any,
    columns: Sequence[str] | None = None,
    *,
    bands: Mapping[str, object] | None = None,
    levels: Mapping[str, object] | None = None,
    decimals: Mapping[str, object] | None = None,
    missing: str = "own",
    empty: Iterable[str] = (),
    count: str | None = None,
    weight: str | None = None,
    person: str | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
    header: bool = True,
    engine: str = "embedded",
    memory_limit: str | int | None = None,
    threads: int | None = None,
    progress: Progress = no_progress,
) -> Table:
    """Read records from a path, a glob, or a pandas, Polars or Arrow table.

    Without `columns`, all are looked at but likely identifiers, free texts and measurements,
    which the table's `warnings` name. The options mean what they mean on the command line.
    """
    chosen = seeing(
        columns, bands, levels, decimals, missing, empty, count=count, weight=weight, person=person
    )
    if engine not in ENGINES:
        raise InputError(f"there is no engine {engine!r}", f"there are: {', '.join(ENGINES)}")
    if threads is not None and threads < 1:
        raise InputError("--threads needs at least 1")
    source = open_source(table, Writing(encoding, delimiter, decimal, sheet, header))
    chosen.check(source.names)
    warnings: list[str] = []
    if not chosen.columns:
        chosen, warnings = _likely_columns(source, chosen)
    when_read = state_of(source.paths)
    counting = _engine(source, chosen, engine, memory_limit, threads, progress)
    said = (*source.warnings, *warnings, *counting.warnings)
    there = tuple(source.names)
    return Table(counting, source.format, source.paths, source.notes, said, when_read, there)


def _engine(
    source: Source,
    chosen: Seeing,
    engine: str,
    memory_limit: str | int | None,
    threads: int | None,
    progress: Progress,
) -> Engine:
    """Packed codes while they fit, DuckDB's spilling otherwise."""
    limit = memory.parsed_size(memory_limit) or memory.usual_limit()
    used = threads or cores.available()
    if engine == "duckdb" or (engine == "embedded" and not _fits(source, chosen, limit, used)):
        from reidrisk.engines.duckdb_engine import DuckDBEngine

        return DuckDBEngine(source, chosen, limit, used, progress)
    return coded_records(source, chosen, used, progress)


def _fits(source: Source, chosen: Seeing, limit: int, threads: int) -> bool:
    rows = source.rows
    if rows is None:
        # Delimited text: a row takes at least two bytes a column, and usually some seven.
        size = sum(path.stat().st_size for path in source.paths)
        compressed = any(path.suffix.lower() in COMPRESSION_SUFFIXES for path in source.paths)
        rows = size * (6 if compressed else 1) // (4 * len(source.names))
    named = [*chosen.columns, *chosen.aside]
    return source.sql(named) is None or memory.needed_for_codes(rows, len(named), threads) <= limit


def _likely_columns(source: Source, chosen: Seeing) -> tuple[Seeing, list[str]]:
    """All columns but those that are likely no quasi-identifiers, and sentences that say so."""
    candidates = [name for name in source.names if name not in chosen.aside]
    looks = first_look(source, candidates, chosen.empty)
    left = [look for look in looks if look.left_out and look.name not in chosen.coarser]
    out = {look.name for look in left}
    kept = [name for name in candidates if name not in out]
    if not kept:
        raise UnusableColumn(
            "every column looks like an identifier, a free text or a measurement",
            f"say which to look at: --columns {','.join(candidates[:3])}",
        )
    warnings = [_left_out_sentence(left)] if left else []
    return chosen.looking_at(kept), warnings + _hints(looks, chosen)


def _left_out_sentence(left: Sequence[Look]) -> str:
    named = "; ".join(f"{look.name} ({look.role}: {look.why})" for look in left)
    return f"Not looked at: {named}. Name columns with --columns to look at them all the same."


def _hints(looks: Sequence[Look], chosen: Seeing) -> list[str]:
    hints = []
    repeated = next((look for look in looks if look.repeats), None)
    if repeated and not chosen.person and not chosen.count:
        hints.append(
            f"{repeated.name} repeats: {repeated.values:,} values in the first "
            f"{repeated.rows:,} rows. If a person has several rows, add --person "
            f"{shlex.quote(repeated.name)}."
        )
    for look in looks:
        if look.role == COUNT and not chosen.count:
            hints.append(
                f"If a row stands for several people, add --count {shlex.quote(look.name)}."
            )
        if look.role == WEIGHT and not chosen.weight:
            hints.append(
                f"If {look.name} is a survey weight, add --weight {shlex.quote(look.name)}."
            )
    return hints
