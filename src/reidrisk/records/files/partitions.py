"""A file with keys: what its folders say (year=2020/county=x) is a column of one value.

Several files as one table: those of a pattern or a folder, in the order of their names.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pyarrow as pa

from reidrisk.errors import UnreadableInput
from reidrisk.machine import Progress, no_progress
from reidrisk.records.files.parquet import ParquetTable
from reidrisk.records.files.source import AS_IT_IS, Source, Use, Used, sql_path
from reidrisk.records.text_forms import sql_literal, sql_name


class KeyedFile(Source):
    """A file's own columns, then its keys."""

    def __init__(self, file: Source, keys: dict[str, str | None]) -> None:
        self.file, self.keys = file, keys
        self.format, self.paths, self.rows = file.format, file.paths, file.rows
        self.decimal_comma = file.decimal_comma
        self.names = (*file.names, *keys)
        self.types = {**file.types, **dict.fromkeys(keys, pa.string())}

    @property
    def notes(self) -> tuple[str, ...]:
        """What was detected, and the keys."""
        return (*self.file.notes, f"named by the folders: {', '.join(self.keys)}")

    @property
    def warnings(self) -> tuple[str, ...]:
        """The file's."""
        return self.file.warnings

    def each_column(
        self, names: Sequence[str], use: Use[Used], threads: int, progress: Progress
    ) -> list[Used]:
        """The file's own columns, read as ever; then each key as often as there are rows."""
        own = [name for name in names if name not in self.keys]
        rows = self.rows
        lengths: list[int] = []

        def counted(name: str, chunks: Iterable[pa.Array]) -> Used:
            # Only text doesn't say how many rows it has, and is in memory by now.
            held = list(chunks)
            lengths.append(sum(map(len, held)))
            return use(name, held)

        using = counted if rows is None else use
        found = self.file.each_column(own, using, threads, progress) if own else []
        answers = dict(zip(own, found, strict=True))
        if rows is None:
            rows = lengths[0] if own else self._counted(threads, progress)
        for name in names:
            if name in self.keys:
                answers[name] = use(name, [self._constant(name, rows)])
        return [answers[name] for name in names]

    def head(self, names: Sequence[str], rows: int) -> pa.Table:
        """The first rows, with their keys."""
        own = [name for name in names if name not in self.keys] or self.file.names[:1]
        table = self.file.head(own, rows)
        for name in self.keys:
            table = table.append_column(name, self._constant(name, len(table)))
        return table.select(list(names))

    def sql(self, names: Sequence[str]) -> str | None:
        """What DuckDB reads of the file, beside the keys as literals."""
        own = [name for name in names if name not in self.keys]
        stored = self.file.sql(own or self.file.names[:1])
        if stored is None:
            return None
        taken = [
            f"{key_literal(self.keys[name])} AS c{place}"
            if name in self.keys
            else f"c{own.index(name)} AS c{place}"
            for place, name in enumerate(names)
        ]
        return f"SELECT {', '.join(taken)} FROM ({stored}) AS of_the_file"

    def _counted(self, threads: int, progress: Progress) -> int:
        first = self.file.names[:1]
        (rows,) = self.file.each_column(
            first, lambda _, chunks: sum(map(len, chunks)), threads, progress
        )
        return rows

    def _constant(self, name: str, rows: int) -> pa.Array:
        """One text, over and over: coded as it stands."""
        value = self.keys[name]
        code = pa.scalar(None if value is None else 0, pa.int32())
        texts = pa.array([] if value is None else [value], type=pa.string())
        return pa.DictionaryArray.from_arrays(pa.repeat(code, rows), texts)


def key_literal(value: str | None) -> str:
    """A key in SQL."""
    return "CAST(NULL AS VARCHAR)" if value is None else sql_literal(value)


def with_keys(file: Source, keys: Sequence[tuple[str, str | None]]) -> Source:
    """The file with its keys; one that the file holds as well has to say the same there."""
    named = dict(keys)
    if len(named) < len(keys):
        raise UnreadableInput(f"{file.paths[0]}: its folders name one key twice")
    for name in [name for name in named if name in file.names]:
        _refuse_another(file, name, named.pop(name))
    return KeyedFile(file, named) if named else file


def _refuse_another(file: Source, name: str, value: str | None) -> None:
    """Some programs write the keys into the files too, which is fine while they agree."""
    from reidrisk.records.memory.coding import Labelling, code_column

    labelling = Labelling(frozenset(), file.decimal_comma)
    (column,) = file.each_column(
        [name], lambda _, chunks: code_column(name, chunks, labelling), 1, no_progress
    )
    (key,) = code_column(name, [pa.array([value], type=pa.string())], labelling).text_of_each()
    if set(column.text_of_each().unique().to_pylist()) - {key.as_py()}:
        raise UnreadableInput(
            f"column {name!r} of {file.paths[0]} doesn't say what the name of its folder says",
            f"which is right? rename the folders {name}=… or the column",
        )


class SeveralFiles(Source):
    """Files with the same columns; types may differ, values meet in their text form."""

    def __init__(self, parts: tuple[Source, ...]) -> None:
        self.parts = parts
        self.format, self.names, self.types = parts[0].format, parts[0].names, {}
        self.paths = tuple(path for part in parts for path in part.paths)
        self.decimal_comma = any(part.decimal_comma for part in parts)
        known = [part.rows for part in parts if part.rows is not None]
        self.rows = sum(known) if len(known) == len(parts) else None

    @property
    def notes(self) -> tuple[str, ...]:
        """How many files, and what was detected, each thing once."""
        different = dict.fromkeys(note for part in self.parts for note in part.notes)
        return (f"{len(self.parts)} files read as one table", *different)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Each thing once."""
        return tuple(dict.fromkeys(warning for part in self.parts for warning in part.warnings))

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
        types = [[part.types.get(name) for name in names] for part in self.parts]
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
