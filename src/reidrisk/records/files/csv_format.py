"""The dialect of a delimited file, detected from its beginning: nobody should have to say it.

Rows above the header that say what the table is: "Patients 2023", then the column names.

A record taken for a title would be lost, so a row is a title only where the rows tell it apart:
it fills one cell where all rows below fill several, and the row below it can be nothing but names.

What is wrong with a delimited file, found without quoting a row.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from mmap import ACCESS_READ, mmap
from pathlib import Path

import pyarrow as pa

from reidrisk.errors import UnreadableInput
from reidrisk.records.files.source import LongRow, lines_of, long_row
from reidrisk.records.text_forms import NO_ORDER, number_of, written_year

MOST_TITLES = 5
# Rows that have to agree that the names are further down.
FEWEST_ROWS = 2
Rows = Sequence[Sequence[str]]


def title_rows(rows: Rows, said_by_spaces: bool = False) -> int:
    """How many of the first rows are a title; none where it isn't certain.

    `said_by_spaces`: the mark between cells also stands in sentences, as a comma does.
    """
    if not rows or not _is_title(rows[0]):
        return 0
    last = min(MOST_TITLES, len(rows) - FEWEST_ROWS - 1)
    for titles in range(1, last + 1):
        header, records = rows[titles], rows[titles + 1 :]
        if _are_names(header, records):
            return titles if _certain(rows[:titles], header, records, said_by_spaces) else 0
        if any(cell.strip() for cell in header) and not _is_title(header):
            return 0
    return 0


def title_said(titles: int, names: Sequence[str]) -> str:
    """What was skipped, for people."""
    lines = "1 line above the column names is" if titles == 1 else f"{titles} lines above are"
    listed = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
    return f"{lines} read as a title and skipped; the columns are {listed}."


def _certain(title: Rows, header: Sequence[str], records: Rows, said_by_spaces: bool) -> bool:
    width = len(header)
    if not all(len(row) in (1, width) for row in title):
        return False
    if not all(len(row) == width for row in records[:-1]):
        return False
    padded = all(len(row) == width for row in title)
    if not padded and said_by_spaces and any(cell.startswith(" ") for cell in header):
        return False
    certain = width > 2 and (padded or not said_by_spaces)
    return certain or _some_column_of_numbers(records, width)


def _is_title(row: Sequence[str]) -> bool:
    """One cell with words in it, and nothing beside it; no number or date, which a record has."""
    filled = [cell.strip() for cell in row if cell.strip()]
    return len(filled) == 1 and bool(row[0].strip()) and not _is_value(filled[0])


def _are_names(header: Sequence[str], records: Rows) -> bool:
    """Every cell is filled, none a number or a date, all differ, none recurs in its column."""
    names = [cell.strip() for cell in header]
    if len(names) < 2 or not all(names) or len(set(names)) < len(names):
        return False
    if any(map(_is_value, names)):
        return False
    return not any(
        name == cell.strip() for row in records for name, cell in zip(names, row, strict=False)
    )


def _some_column_of_numbers(records: Rows, width: int) -> bool:
    columns = [[row[at].strip() for row in records if len(row) > at] for at in range(width)]
    return any(
        any(column) and all(_is_value(cell) for cell in column if cell) for column in columns
    )


def _is_value(cell: str) -> bool:
    return number_of(cell) is not None or written_year(cell, NO_ORDER) is not None


SAMPLE_BYTES = 1 << 18
DELIMITERS = (",", ";", "\t", "|")
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_COMMA_NUMBER = re.compile(r"\s*[+-]?(?:[0-9]{1,3}(?:\.[0-9]{3})+|[0-9]+),[0-9]+\s*")
_POINT_NUMBER = re.compile(r"\s*[+-]?[0-9]+\.[0-9]+\s*")
_WHOLE_NUMBER = re.compile(r"\s*[+-]?[0-9]*\s*")
_SEPARATOR_LINE = re.compile(r"sep=(.)\r?\n")
FALLBACK_ENCODING = "cp1252"
# Far beyond any value that is a category; where a quote is left open it is the rest of the file.
LONGEST_CELL = 16 << 20


@dataclass(frozen=True)
class TextFormat:
    """How a delimited file is written."""

    delimiter: str = ","
    quote: str = '"'
    escape: str | None = None
    decimal: str = "."
    encoding: str = "utf-8"
    header: tuple[str, ...] = ()
    header_lines: int = 1
    # Lines above the header that say what the table is.
    titles: int = 0
    # Line breaks inside quotes, of the header and what is above it.
    breaks: int = 0

    @property
    def header_rows(self) -> int:
        """The lines to skip, a row that goes over several lines counted once."""
        return self.header_lines - self.breaks

    def describe(self) -> str:
        """For people: delimiter ';', decimal comma, encoding cp1252."""
        named = "tab" if self.delimiter == "\t" else f"'{self.delimiter}'"
        parts = [f"delimiter {named}"]
        parts += [f"quote {self.quote}"] if self.quote != '"' else []
        parts += ["decimal comma"] if self.decimal == "," else []
        return ", ".join([*parts, f"encoding {self.encoding}"])

    def reader(self, lines: Iterable[str], strict: bool = False) -> csv.Reader:  # type: ignore[name-defined]
        """Python's reader for this dialect; `strict` about quotes left open."""
        csv.field_size_limit(LONGEST_CELL)
        return csv.reader(
            lines,
            delimiter=self.delimiter,
            quotechar=self.quote,
            escapechar=self.escape,
            doublequote=self.escape is None,
            strict=strict,
        )


def find_dialect(
    sample: bytes,
    whole: bool,
    encoding: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    titled: bool = False,
    named: str = "the file",
) -> TextFormat:
    """The dialect of a file that begins with `sample`; what the caller says is taken as said.

    `whole` tells whether the sample is the whole file, so that its last line counts too; `titled`,
    whether lines above the header may be a title; `named` is what messages call the file.
    """
    encoding = encoding or find_encoding(sample)
    text = decoded(sample, encoding, named)
    if "\0" in text:
        raise holds_nul(named)
    lines = text if whole or "\n" not in text else text[: text.rindex("\n") + 1]
    # A first line "sep=;" is Excel's way to say the delimiter.
    said = _SEPARATOR_LINE.match(lines)
    if said:
        delimiter, lines = delimiter or said[1], lines[said.end() :]
    quote = "'" if _single_quotes(lines) else '"'
    # A backslash before a quote may be part of the value: doubled quotes win unless lines break.
    escapes = [None, "\\"] if f"\\{quote}" in lines else [None]
    delimiters = [delimiter] if delimiter else DELIMITERS
    tried = [TextFormat(d, quote, e, ".", encoding) for e in escapes for d in delimiters]
    best = max(tried, key=lambda dialect: _fit(dialect, lines, titled))
    rows, ends = _rows(best, lines)
    titles = title_rows(rows, said_by_spaces=best.delimiter == ",") if titled else 0
    above = "".join(cell for row in rows[: titles + 1] for cell in row)
    rows, header_lines = rows[titles:], ends[titles] if rows else 0
    if decimal is None and best.delimiter != "," and _has_decimal_comma(rows[1:]):
        decimal = ","
    header = tuple(rows[0]) if rows else ()
    header_lines += 1 if said else 0
    return replace(
        best,
        decimal=decimal or ".",
        header=header,
        header_lines=header_lines,
        titles=titles,
        breaks=len(re.findall(r"\r\n|\r|\n", above)),
    )


def holds_nul(named: str = "the file") -> UnreadableInput:
    """The error for bytes that no text has."""
    return UnreadableInput(
        f"{named} holds NUL bytes, so it isn't delimited text",
        "say --encoding utf-16 if that is what it is, or export it as CSV again",
    )


def find_encoding(sample: bytes) -> str:
    """From the byte-order mark; else UTF-8 where the bytes are, else Windows-1252."""
    for mark, name in _MARKS:
        if sample.startswith(mark):
            return name
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)
    except UnicodeDecodeError:
        return FALLBACK_ENCODING
    return "utf-8"


def decoded(sample: bytes, encoding: str, named: str = "the file") -> str:
    """The text of a sample that may end inside a character."""
    try:
        # Some codecs turn bytes into bytes; asking for a text reader refuses those.
        io.TextIOWrapper(io.BytesIO(), encoding)
        return codecs.getincrementaldecoder(encoding)().decode(sample)
    except LookupError:
        raise UnreadableInput(f"--encoding {encoding}: no such encoding is known") from None
    except UnicodeError:
        raise UnreadableInput(
            f"{named} isn't text in the encoding {encoding}",
            "if it is text, say in which encoding: --encoding latin-1, --encoding utf-16",
        ) from None


def _fit(dialect: TextFormat, lines: str, titled: bool) -> tuple[bool, float, int]:
    """Several fields, most lines as wide as the header, most fields; the first of equals wins."""
    rows, _ = _rows(dialect, lines)
    rows = rows[title_rows(rows, said_by_spaces=dialect.delimiter == ",") if titled else 0 :]
    width = len(rows[0]) if rows else 0
    alike = sum(len(row) == width for row in rows) / max(len(rows), 1)
    return width > 1, round(alike, 2), width


def _rows(dialect: TextFormat, lines: str, most: int = 500) -> tuple[list[list[str]], list[int]]:
    """The first rows that aren't empty, and on which line each of them ends."""
    rows: list[list[str]] = []
    ends: list[int] = []
    reader = dialect.reader(io.StringIO(lines, newline=""))
    try:
        for row in reader:
            if row:
                rows.append(row)
                ends.append(reader.line_num)
            if len(rows) >= most:
                break
    except csv.Error:
        pass
    return rows, ends


def _single_quotes(lines: str) -> bool:
    """Fields are wrapped in ' and none in "."""
    single = len(re.findall(r"(?:^|[,;\t|])'[^'\n]*'(?=[,;\t|\r\n]|$)", lines, re.MULTILINE))
    return single > 2 and '"' not in lines


def _has_decimal_comma(rows: Sequence[Sequence[str]]) -> bool:
    """Some column is written 39,5 throughout, and none is written 39.5.

    1,000 is no evidence: three digits behind every comma may be thousands.
    """
    found = False
    for column in zip(*rows, strict=False):
        if any(map(_POINT_NUMBER.fullmatch, column)):
            return False
        commas = [cell for cell in column if _COMMA_NUMBER.fullmatch(cell)]
        plain = [cell for cell in column if _WHOLE_NUMBER.fullmatch(cell)]
        parts = any("." in cell or len(cell.strip().partition(",")[2]) != 3 for cell in commas)
        found |= parts and len(commas) + len(plain) == len(column)
    return found


def ends_inside_quotes(path: Path, dialect: TextFormat) -> bool:
    """Whether a quote is left open: the rows behind it would be swallowed into one value.

    Quotes come in pairs, so an even number of them raises no doubt; an odd one may still be
    right (5" pipe), which is found out by reading the file strictly.
    """
    quotes = 0
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            quotes += block.count(dialect.quote.encode())
    if quotes % 2 == 0:
        return False
    with path.open(encoding=dialect.encoding, errors="replace", newline="") as text:
        try:
            for _ in dialect.reader(lines_of(text), strict=True):
                pass
        except LongRow:
            return True
        except csv.Error as error:
            return "unexpected end" in str(error) or "field limit" in str(error)
    return False


def holds_quotes(path: Path, dialect: TextFormat, compression: str | None) -> bool:
    """Whether a quote occurs anywhere; assumed where finding out is slow."""
    if compression or dialect.encoding.startswith(("utf-16", "utf-32")):
        return True
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as held:
        return held.find(dialect.quote.encode()) >= 0


def first_ragged_row(
    path: Path, dialect: TextFormat, compression: str | None
) -> tuple[int, int] | None:
    """The line and field count of the first row that doesn't fit the header."""
    with pa.input_stream(str(path), compression=compression) as stream:
        text = io.TextIOWrapper(stream, encoding=dialect.encoding, errors="replace", newline="")
        reader = dialect.reader(lines_of(text))
        try:
            for row in reader:
                below = reader.line_num >= dialect.header_lines
                if row and below and len(row) != len(dialect.header):
                    return reader.line_num, len(row)
        except LongRow:
            raise long_row(path, reader.line_num + 1) from None
        except csv.Error:
            return None
    return None
