"""CSV and TSV, plain or compressed, read by Arrow straight into dictionaries.

Block borders: a size of blocks of which none ends between a carriage return and its line feed.

Arrow reads a file block by block and takes a line feed that begins a block for the end of the line
break before it, inside a quoted value too, which would lose it there.

Opening a delimited file: its compression, dialect and header, from its first bytes.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from reidrisk.errors import InputError, UnreadableInput
from reidrisk.machine import Progress, each, no_progress
from reidrisk.records.files.csv_format import (
    FALLBACK_ENCODING,
    SAMPLE_BYTES,
    TextFormat,
    ends_inside_quotes,
    find_dialect,
    first_ragged_row,
    holds_nul,
    holds_quotes,
    title_said,
)
from reidrisk.records.files.source import (
    AS_IT_IS,
    LONGEST_ROW,
    Source,
    Use,
    Used,
    counted,
    selected,
    sql_path,
)
from reidrisk.records.read_options import ReadOptions
from reidrisk.records.text_forms import number_of, sql_literal


def block_without_split_breaks(path: Path, least: int) -> int:
    """The first size from `least` on whose borders all lie beside line breaks, not in them."""
    size = path.stat().st_size
    with path.open("rb") as file:

        def splits(block: int) -> bool:
            for border in range(block, size, block):
                file.seek(border - 1)
                if file.read(2) == b"\r\n":
                    return True
            return False

        # Each size has other borders; only a file of nothing but line breaks has no good one.
        return next((block for block in range(least, least + 64) if not splits(block)), least)


# Small blocks keep both cores busy at a million rows; larger ones gain nothing at ten million.
BLOCK_BYTES = 4 << 20
# DuckDB's buffers are a multiple of this; a value beyond LONGEST_VALUE is refused anyway.
MOST_LINE_BYTES = 4 << 20
_DUCKDB_ENCODINGS = {"utf-8": "utf-8", "utf-8-sig": "utf-8", "utf-16": "utf-16"}


@dataclass
class DelimitedFile(Source):
    """One delimited file. Its encoding may still turn out otherwise while it is read."""

    path: Path
    dialect: TextFormat
    names: tuple[str, ...]
    compression: str | None
    format: str = "CSV"
    encoding_was_said: bool = False
    has_header: bool = True
    # More rows than this end the reading, with `TooManyRows`; counted where it is compressed.
    most_rows: int | None = None
    _raw: Any = None

    def __post_init__(self) -> None:
        self.paths = (self.path,)
        self.decimal_comma = self.dialect.decimal == ","
        self.rows, self.types = None, {}

    @property
    def notes(self) -> tuple[str, ...]:
        """The dialect."""
        compressed = f", {self.compression}" if self.compression else ""
        return (f"{self.format}: {self.dialect.describe()}{compressed}",)

    @property
    def warnings(self) -> tuple[str, ...]:
        """A title that was skipped; a header that holds a number may be a record."""
        if self.dialect.titles:
            return (title_said(self.dialect.titles, self.names),)
        if self.has_header and any(number_of(name) is not None for name in self.names):
            return (
                "The first line was read as the column names, though some are numbers. If it is "
                "a record, add --no-header.",
            )
        return ()

    def each_column(
        self, names: Sequence[str], use: Use[Used], threads: int, progress: Progress
    ) -> list[Used]:
        """Read the named columns in one pass, then use them on all cores."""
        with self._watched(progress):
            table = self._read(names, threads > 1)
        if not len(table):
            raise UnreadableInput(f"{self.path.name} has a header but no rows")

        def use_column(place: int) -> Used:
            answer = use(names[place], list(table.column(place).chunks))
            progress("coding columns", place + 1, len(names))
            return answer

        return each(use_column, range(len(names)), threads)

    def head(self, names: Sequence[str], rows: int) -> pa.Table:
        """The first blocks."""
        import pyarrow.csv as arrow_csv

        batches: list[pa.RecordBatch] = []
        try:
            with arrow_csv.open_csv(self._stream(), **self._options(names, True)) as blocks:
                for batch in blocks:
                    batches.append(batch)
                    if sum(map(len, batches)) >= rows:
                        break
                return pa.Table.from_batches(batches, schema=blocks.schema).slice(0, rows)
        except (pa.ArrowInvalid, UnicodeDecodeError) as error:
            if _is_encoding_fault(error):
                self._fall_back()
                return self.head(names, rows)
            # The block may be too short for a row; else reading it whole says what is wrong.
            return self._read(names, on_all_cores=False).slice(0, rows)

    def sql(self, names: Sequence[str]) -> str | None:
        """The same file with the same dialect for DuckDB."""
        encoding = _DUCKDB_ENCODINGS.get(self.dialect.encoding)
        if encoding is None or self.compression == "bz2":
            return None
        fields = ", ".join(f"'f{place}': 'VARCHAR'" for place in range(len(self.names)))
        quote, escape = self.dialect.quote, self.dialect.escape
        return selected(
            f"read_csv({sql_path(self.path)}, {AS_IT_IS}, auto_detect=false, header=false, "
            f"skip={self.dialect.header_rows}, delim={sql_literal(self.dialect.delimiter)}, "
            f"quote={sql_literal(quote)}, escape={sql_literal(escape or quote)}, nullstr='', "
            f"encoding='{encoding}', max_line_size={MOST_LINE_BYTES}, columns={{{fields}}})",
            [f"f{self.names.index(name)}" for name in names],
        )

    def _read(self, names: Sequence[str], on_all_cores: bool) -> pa.Table:
        """Lines may break inside quoted values, so only a file without quotes is cut at lines."""
        import pyarrow.csv as arrow_csv

        multiline = holds_quotes(self.path, self.dialect, self.compression)
        if multiline and not self.compression and ends_inside_quotes(self.path, self.dialect):
            raise UnreadableInput(
                f"{self.path.name} ends inside a quoted value: a quote is left open somewhere",
                "close it; the rows after it were swallowed",
            )
        for large in (False, True):
            options = self._options(names, multiline, large)
            if multiline and not self.compression:
                least = options["read_options"].block_size
                options["read_options"].block_size = block_without_split_breaks(self.path, least)
            options["read_options"].use_threads = on_all_cores
            # Not every cell but every different value is checked to be UTF-8, below.
            options["convert_options"].check_utf8 = False
            try:
                table = arrow_csv.read_csv(self._stream(), **options)
                self._check_texts(table)
                return table
            except (pa.ArrowInvalid, UnicodeDecodeError) as error:
                if _is_encoding_fault(error):
                    self._fall_back()
                    return self._read(names, on_all_cores)
        raise self._explained()

    def _check_texts(self, table: pa.Table) -> None:
        for chunk in (chunk for column in table.columns for chunk in column.chunks):
            chunk.dictionary.validate(full=True)
            texts = chunk.dictionary.buffers()[2]
            if texts is not None and b"\0" in memoryview(texts).tobytes():
                raise holds_nul(self.path.name)

    def _options(
        self, names: Sequence[str], multiline: bool = False, large: bool = False
    ) -> dict[str, Any]:
        import pyarrow.csv as arrow_csv

        kind = pa.dictionary(pa.int32(), pa.string())
        encoding = {"utf-8-sig": "utf-8"}.get(self.dialect.encoding, self.dialect.encoding)
        return {
            "read_options": arrow_csv.ReadOptions(
                # A row longer than a block stops Arrow; then one block may hold the whole row.
                block_size=LONGEST_ROW if large else BLOCK_BYTES,
                encoding=encoding,
                column_names=list(self.names),
                skip_rows=self.dialect.header_lines,
            ),
            "parse_options": arrow_csv.ParseOptions(
                delimiter=self.dialect.delimiter,
                quote_char=self.dialect.quote,
                double_quote=self.dialect.escape is None,
                escape_char=self.dialect.escape or False,
                newlines_in_values=multiline,
                # In a table of one column an empty line is an empty cell.
                ignore_empty_lines=len(self.names) > 1,
            ),
            "convert_options": arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(names, kind),
                include_columns=list(names),
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=True,
            ),
        }

    def _stream(self) -> Any:
        self._raw = pa.OSFile(str(self.path))
        stream = pa.input_stream(self._raw, compression=self.compression)
        return counted(stream, self.most_rows if self.compression else None)

    @contextmanager
    def _watched(self, progress: Progress) -> Iterator[None]:
        """Tell every now and then how far Arrow has come in the file."""
        done = threading.Event()
        size = self.path.stat().st_size

        def watch() -> None:
            while not done.wait(0.2):
                progress("reading", self._raw.tell() if self._raw else 0, size)

        if progress is not no_progress:
            threading.Thread(target=watch, daemon=True).start()
        try:
            yield
        finally:
            done.set()

    def _fall_back(self) -> None:
        """What began as UTF-8 isn't: take Windows-1252, unless told otherwise."""
        if self.encoding_was_said or self.dialect.encoding == FALLBACK_ENCODING:
            raise UnreadableInput(
                f"{self.path.name} isn't text in the encoding {self.dialect.encoding}",
                "say which one it is, for example --encoding latin-1",
            )
        self.dialect = replace(self.dialect, encoding=FALLBACK_ENCODING)

    def _explained(self) -> InputError:
        """Why Arrow gave up, without its words: those quote the row."""
        fault = first_ragged_row(self.path, self.dialect, self.compression)
        if fault is None:
            return UnreadableInput(
                f"{self.path.name} can't be read as delimited text ({self.dialect.describe()})",
                "is a quote left open? try --delimiter or --encoding",
            )
        line, fields = fault
        return UnreadableInput(
            f"{self.path.name}, line {line} has {fields} field{'' if fields == 1 else 's'}, but "
            f"the header has {len(self.names)} (ragged rows)",
            "fix the line, or give the right --delimiter",
        )


def _is_encoding_fault(error: Exception) -> bool:
    return isinstance(error, UnicodeDecodeError) or "UTF8" in str(error)


_COMPRESSED = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bz2"}


def open_delimited(path: Path, options: ReadOptions) -> DelimitedFile:
    """Detect the dialect and the header; nothing else is read."""
    with path.open("rb") as file:
        beginning = file.read(4)
    compression = next((c for m, c in _COMPRESSED.items() if beginning.startswith(m)), None)
    sample = _sample(path, compression)
    if not sample.strip(b"\xef\xbb\xbf\r\n\t "):
        raise UnreadableInput(f"{path.name} is empty")
    whole = len(sample) < SAMPLE_BYTES
    dialect = find_dialect(
        sample,
        whole,
        options.encoding,
        options.delimiter,
        options.decimal,
        titled=options.header,
        named=path.name,
    )
    if not options.header:
        dialect = replace(dialect, header_lines=dialect.header_rows - 1, breaks=0)
    names = tuple(
        (name.strip() or f"(unnamed {place})") if options.header else f"column{place}"
        for place, name in enumerate(dialect.header, start=1)
    )
    kind = "TSV" if dialect.delimiter == "\t" else "CSV"
    return DelimitedFile(
        path, dialect, names, compression, kind, options.encoding is not None, options.header
    )


def _sample(path: Path, compression: str | None) -> bytes:
    try:
        with pa.input_stream(str(path), compression=compression) as stream:
            return bytes(stream.read(SAMPLE_BYTES))
    except (pa.ArrowException, OSError, EOFError) as error:
        if isinstance(error, PermissionError):
            raise
        raise UnreadableInput(f"{path.name} is damaged: it can't be decompressed") from None
