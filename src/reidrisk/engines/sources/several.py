"""Several files as one table: those of a pattern or a folder, in the order of their names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from reidrisk.engines.contract import Progress, no_progress
from reidrisk.engines.sources.columnar import ParquetTable
from reidrisk.engines.sources.keyed import KeyedFile, key_literal
from reidrisk.engines.sources.source import AS_IT_IS, Source, Use, Used, sql_path
from reidrisk.engines.text_form import sql_name
from reidrisk.errors import UnreadableInput


@dataclass(frozen=True)
class SeveralFiles:
    """Files with the same columns; types may differ, values meet in their text form."""

    parts: tuple[Source, ...]

    @property
    def format(self) -> str:
        """The first file's."""
        return self.parts[0].format

    @property
    def names(self) -> tuple[str, ...]:
        """The first file's, which all share."""
        return self.parts[0].names

    @property
    def paths(self) -> tuple[Path, ...]:
        """Every file."""
        return tuple(path for part in self.parts for path in part.paths)

    @property
    def decimal_comma(self) -> bool:
        """Whether any file writes 39,5."""
        return any(part.decimal_comma for part in self.parts)

    @property
    def notes(self) -> tuple[str, ...]:
        """How many, and what was found out, each thing once."""
        found = dict.fromkeys(note for part in self.parts for note in part.notes)
        return (f"{len(self.parts)} files read as one table", *found)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Each thing once."""
        return tuple(dict.fromkeys(said for part in self.parts for said in part.warnings))

    @property
    def rows(self) -> int | None:
        """The sum, where every file knows."""
        held = [part.rows for part in self.parts]
        return None if None in held else sum(rows for rows in held if rows is not None)

    def each_column(
        self, names: Sequence[str], use: Use[Used], threads: int, progress: Progress
    ) -> list[Used]:
        """Collect each column's chunks over the files, then use them."""
        chunks: dict[str, list[pa.Array]] = {name: [] for name in names}
        for done, part in enumerate(self.parts):
            held = part.each_column(names, lambda _, found: list(found), threads, no_progress)
            for name, found in zip(names, held, strict=True):
                chunks[name].extend(found)
            progress("reading files", done + 1, len(self.parts))
        return [use(name, chunks.pop(name)) for name in names]

    def head(self, names: Sequence[str], rows: int) -> pa.Table:
        """The first rows of the first files, but for those whose columns have other types."""
        held = [self.parts[0].head(names, rows)]
        for part in self.parts[1:]:
            wanted = rows - sum(map(len, held))
            if wanted <= 0:
                break
            if (more := part.head(names, wanted)).schema.equals(held[0].schema):
                held.append(more)
        return pa.concat_tables(held)

    def sql(self, names: Sequence[str]) -> str | None:
        """All files for DuckDB, where it can read each and their types agree.

        Different types would be made one by DuckDB's rules, not by the text form.
        """
        types = [[getattr(part, "types", {}).get(name) for name in names] for part in self.parts]
        if any(other != types[0] for other in types):
            return None
        if self._parquet:
            return self._parquet_sql(names)
        texts = [part.sql(names) for part in self.parts]
        return None if None in texts else " UNION ALL ".join(f"({text})" for text in texts)

    @property
    def _parquet(self) -> list[ParquetTable]:
        """The Parquet files, if all are."""
        files = [part.file if isinstance(part, KeyedFile) else part for part in self.parts]
        held = [file for file in files if isinstance(file, ParquetTable)]
        return held if len(held) == len(files) else []

    def _parquet_sql(self, names: Sequence[str]) -> str | None:
        """One read of all: a union of thousands takes DuckDB a minute to think about."""
        files = self._parquet
        own = [name for name in names if name in files[0].names]
        if not all(file.read_by_sql(own) for file in files):
            return None
        taken = []
        for place, name in enumerate(names):
            told = sql_name(name)
            if name not in own:
                of_each = ", ".join(key_literal(part.keys[name]) for part in self.parts)  # type: ignore[attr-defined]
                told = f"([{of_each}])[CAST(file_index AS BIGINT) + 1]"
            taken.append(f"{told} AS c{place}")
        paths = ", ".join(sql_path(file.path) for file in files)
        return f"SELECT {', '.join(taken)} FROM read_parquet([{paths}], {AS_IT_IS})"


def as_one(parts: Sequence[Source]) -> Source:
    """One table of several files, which have to have the same columns."""
    first = parts[0]
    for part in parts[1:]:
        apart = set(part.names) ^ set(first.names)
        if apart:
            raise UnreadableInput(
                f"{part.paths[0]} and {first.paths[0]} don't have the same columns",
                f"only one of them has: {', '.join(sorted(apart))}",
            )
    return first if len(parts) == 1 else SeveralFiles(tuple(parts))
