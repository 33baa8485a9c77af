"""A file with keys: what its folders say (year=2020/county=x) is a column of one value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from reidrisk.engines.contract import Progress, no_progress
from reidrisk.engines.sources.source import Source, Use, Used
from reidrisk.engines.text_form import sql_literal
from reidrisk.errors import UnreadableInput


@dataclass(frozen=True)
class KeyedFile:
    """A file's own columns, then its keys."""

    file: Source
    keys: dict[str, str | None]

    @property
    def format(self) -> str:
        """The file's."""
        return self.file.format

    @property
    def names(self) -> tuple[str, ...]:
        """The file's columns, then the keys."""
        return (*self.file.names, *self.keys)

    @property
    def paths(self) -> tuple[Path, ...]:
        """The file."""
        return self.file.paths

    @property
    def decimal_comma(self) -> bool:
        """Whether the file writes 39,5."""
        return self.file.decimal_comma

    @property
    def notes(self) -> tuple[str, ...]:
        """What was found out about the file, and the keys."""
        return (*self.file.notes, f"named by the folders: {', '.join(self.keys)}")

    @property
    def warnings(self) -> tuple[str, ...]:
        """The file's."""
        return self.file.warnings

    @property
    def rows(self) -> int | None:
        """The file's."""
        return self.file.rows

    @property
    def types(self) -> dict[str, pa.DataType]:
        """The file's, where it says; keys are texts."""
        return getattr(self.file, "types", {}) | dict.fromkeys(self.keys, pa.string())

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
    from reidrisk.engines.coding import code_column
    from reidrisk.engines.labelling import Labelling

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
