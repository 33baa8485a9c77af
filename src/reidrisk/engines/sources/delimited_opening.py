"""Opening a delimited file: its compression, dialect and header, from its first bytes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from reidrisk.engines.sources.delimited import DelimitedFile
from reidrisk.engines.sources.dialect import SAMPLE_BYTES, find_dialect
from reidrisk.errors import InputError, UnreadableInput

_COMPRESSED = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bz2"}


def open_delimited(
    path: Path,
    encoding: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    header: bool = True,
) -> DelimitedFile:
    """Find out the dialect and the header; nothing else is read."""
    with path.open("rb") as file:
        beginning = file.read(4)
    compression = next((c for m, c in _COMPRESSED.items() if beginning.startswith(m)), None)
    sample = _sample(path, compression)
    if not sample.strip(b"\xef\xbb\xbf\r\n\t "):
        raise UnreadableInput(f"{path.name} is empty")
    whole = len(sample) < SAMPLE_BYTES
    if delimiter is not None and len(delimiter) != 1:
        delimiter = {"tab": "\t", "\\t": "\t"}.get(delimiter, delimiter)
        if len(delimiter) != 1:
            raise InputError("--delimiter takes one character, or the word tab")
    dialect = find_dialect(sample, whole, encoding, delimiter, decimal, titled=header)
    if not header:
        dialect = replace(dialect, header_lines=dialect.header_rows - 1, breaks=0)
    names = tuple(
        (name.strip() or f"(unnamed {place})") if header else f"column{place}"
        for place, name in enumerate(dialect.header, start=1)
    )
    kind = "TSV" if dialect.delimiter == "\t" else "CSV"
    return DelimitedFile(path, dialect, names, compression, kind, encoding is not None, header)


def _sample(path: Path, compression: str | None) -> bytes:
    try:
        with pa.input_stream(str(path), compression=compression) as stream:
            return bytes(stream.read(SAMPLE_BYTES))
    except (pa.ArrowException, OSError, EOFError) as error:
        if isinstance(error, PermissionError):
            raise
        raise UnreadableInput(f"{path.name} is damaged: it can't be decompressed") from None
