"""Parquet and Arrow files, read column by column: one core, one column, no more in memory."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from reidrisk.errors import UnreadableInput
from reidrisk.machine import Progress, each
from reidrisk.records.files.source import (
    AS_IT_IS,
    LONGEST_VALUE,
    Source,
    Use,
    Used,
    no_category,
    selected,
    sql_path,
)

BATCH_ROWS = 2_000_000


@dataclass(frozen=True)
class ParquetTable(Source):
    """One Parquet file."""

    paths: tuple[Path, ...]
    names: tuple[str, ...]
    rows: int
    types: Mapping[str, pa.DataType]
    texts: frozenset[str]
    widest_first: tuple[str, ...]
    # Where a column is stored: several places where it holds structures.
    leaves: dict[str, list[int]]
    format = "Parquet"
    decimal_comma = False

    @property
    def path(self) -> Path:
        """The one file."""
        return self.paths[0]

    def each_column(
        self, names: Sequence[str], use: Use[Used], threads: int, progress: Progress
    ) -> list[Used]:
        """Every core reads and uses one column after the other, the heaviest first."""
        done: list[str] = []
        readers = threading.local()

        def read_and_use(name: str) -> Used:
            if not hasattr(readers, "file"):
                readers.file = _damage_explained(self.path, _opened, self.path, self.texts)
            chunks = _chunks(self.path, readers.file, name, self.leaves[name])
            answer: Used = _damage_explained(self.path, use, name, chunks)
            done.append(name)
            progress("reading columns", len(done), len(names))
            return answer

        heaviest = sorted(names, key=self.widest_first.index)
        answers = dict(zip(heaviest, each(read_and_use, heaviest, threads), strict=True))
        return [answers[name] for name in names]

    def head(self, names: Sequence[str], rows: int) -> pa.Table:
        """The first rows of the first row groups."""
        found: pa.Table = _damage_explained(self.path, self._head, names, rows)
        return found

    def _head(self, names: Sequence[str], rows: int) -> pa.Table:
        file = _opened(self.path, self.texts)
        for name in names if file.metadata.num_row_groups else ():
            _refuse_long_values(file.metadata, [0], name, self.leaves[name])
        batches, held = [], 0
        for batch in file.iter_batches(batch_size=min(rows, 1 << 16), columns=list(names)):
            batches.append(batch)
            held += len(batch)
            if held >= rows:
                break
        table = pa.Table.from_batches(batches) if batches else file.schema_arrow.empty_table()
        found = table.select(list(names)).slice(0, rows)
        found.validate(full=True)
        return found

    def sql(self, names: Sequence[str]) -> str | None:
        """The same file for DuckDB, where it keeps names apart and numbers exact."""
        if not self.read_by_sql(names):
            return None
        return selected(f"read_parquet({sql_path(self.path)}, {AS_IT_IS})", names)

    def read_by_sql(self, names: Sequence[str]) -> bool:
        """Whether DuckDB keeps the file's names apart and these columns' numbers exact."""
        folded = {name.casefold() for name in self.names}
        wide = any(pa.types.is_decimal256(self.types[name]) for name in names)
        return not wide and len(folded) == len(self.names)


def open_parquet(path: Path) -> ParquetTable:
    """Read the footer only."""
    file = _damage_explained(path, _opened, path, frozenset())
    schema = file.schema_arrow
    texts = frozenset(
        field.name
        for field in schema
        if pa.types.is_string(field.type) or pa.types.is_large_string(field.type)
    )
    leaves = _leaves(file)
    weight = {name: _bytes_of(file.metadata, _groups(file), of) for name, of in leaves.items()}
    widest = sorted(schema.names, key=lambda name: -weight.get(name, 0))
    types = dict(zip(schema.names, schema.types, strict=True))
    rows = file.metadata.num_rows
    return ParquetTable((path,), tuple(schema.names), rows, types, texts, tuple(widest), leaves)


def _opened(path: Path, texts: frozenset[str]) -> Any:
    import pyarrow.parquet as pq

    return pq.ParquetFile(str(path), read_dictionary=sorted(texts))


def _chunks(path: Path, file: Any, name: str, leaves: list[int]) -> Iterator[pa.Array]:
    """A column a few row groups at a time: memory is used again while it is warm."""
    for groups in _batches(file.metadata):
        _refuse_long_values(file.metadata, groups, name, leaves)
        read = _damage_explained(path, file.read_row_groups, groups, [name], use_threads=False)
        yield from read.column(0).chunks


def _batches(metadata: Any) -> Iterator[list[int]]:
    """Row groups together until they hold `BATCH_ROWS`."""
    batch: list[int] = []
    rows = 0
    for group in range(metadata.num_row_groups):
        batch.append(group)
        rows += metadata.row_group(group).num_rows
        if rows >= BATCH_ROWS:
            yield batch
            batch, rows = [], 0
    if batch:
        yield batch


def _damage_explained(path: Path, read: Any, *arguments: Any, **named: Any) -> Any:
    try:
        return read(*arguments, **named)
    except MemoryError:
        raise
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        if not path.exists():
            raise UnreadableInput(f"{path.name} has gone while it was read") from None
        raise UnreadableInput(
            f"{path.name} is damaged: it can't be read as Parquet", "download or export it again"
        ) from None


def _leaves(file: Any) -> dict[str, list[int]]:
    leaves: dict[str, list[int]] = {name: [] for name in file.schema_arrow.names}
    for place, path in enumerate(file.schema.column(at).path for at in range(len(file.schema))):
        name = path if path in leaves else path.split(".")[0]
        leaves.setdefault(name, []).append(place)
    return leaves


def _groups(file: Any) -> range:
    return range(file.metadata.num_row_groups)


def _bytes_of(metadata: Any, groups: Iterable[int], leaves: list[int]) -> int:
    """What a column takes in some row groups once it is decompressed."""
    held = (metadata.row_group(group) for group in groups)
    return sum(group.column(leaf).total_uncompressed_size for group in held for leaf in leaves)


def _refuse_long_values(metadata: Any, groups: list[int], name: str, leaves: list[int]) -> None:
    """Where the average is beyond what a value may be, it isn't read to find that out."""
    rows = sum(metadata.row_group(group).num_rows for group in groups)
    if _bytes_of(metadata, groups, leaves) > 2 * LONGEST_VALUE * max(rows, 1):
        raise no_category(name, f"values of more than {LONGEST_VALUE:,} characters on average")


@dataclass
class TableInMemory(Source):
    """A table that Arrow holds already: in memory, or mapped from an Arrow file."""

    table: pa.Table
    names: tuple[str, ...]
    format: str = "Arrow"
    paths: tuple[Path, ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.rows, self.types, self.decimal_comma = len(self.table), {}, False

    def each_column(
        self, names: Sequence[str], use: Use[Used], threads: int, progress: Progress
    ) -> list[Used]:
        """One after the other."""
        answers = []
        for done, name in enumerate(names, start=1):
            answers.append(use(name, list(self.table.column(name).chunks)))
            progress("coding columns", done, len(names))
        return answers

    def head(self, names: Sequence[str], rows: int) -> pa.Table:
        """The first rows."""
        return self.table.select(list(names)).slice(0, rows)

    def sql(self, names: Sequence[str]) -> str | None:
        """It is in memory: DuckDB has nothing to spill for."""
        return None


def open_arrow(path: Path) -> TableInMemory:
    """An Arrow file or stream, mapped, not copied."""
    try:
        mapped = pa.memory_map(str(path))
        try:
            table = pa.ipc.open_file(mapped).read_all()
        except pa.ArrowInvalid:
            mapped.seek(0)
            table = pa.ipc.open_stream(mapped).read_all()
        # Arrow trusts what a file says of itself: used as it is, damage ends the process.
        table.validate(full=True)
    except MemoryError:
        raise
    except (pa.ArrowException, OSError, ValueError):
        raise UnreadableInput(
            f"{path.name} is damaged: it can't be read as Arrow", "download or export it again"
        ) from None
    return TableInMemory(table, tuple(table.column_names), "Arrow", (path,))
