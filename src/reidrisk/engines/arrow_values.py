"""Arrow arrays taken apart: distinct raw values, an index per record, and the gaps.

Reads the buffers directly: `to_numpy` on indices with nulls goes through floating point.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reidrisk.engines.labelling import MANY_VALUES, text_array
from reidrisk.errors import UnusableColumn

# A span of whole numbers this narrow is coded by subtraction instead of hashing.
NARROW_SPAN = 1 << 20


class Distinct(NamedTuple):
    """A chunk of a column: record i holds values[indices[i]], unless gaps[i]."""

    values: pa.Array
    indices: NDArray[Any]
    gaps: NDArray[np.bool_] | None


def with_one_dictionary(chunks: list[pa.Array]) -> list[pa.Array]:
    """Chunks whose dictionaries are large become one chunk with one dictionary, in Arrow."""
    coded = len(chunks) > 1 and all(pa.types.is_dictionary(chunk.type) for chunk in chunks)
    if not coded or len({chunk.type for chunk in chunks}) > 1:
        return chunks
    if sum(len(chunk.dictionary) for chunk in chunks) <= MANY_VALUES:
        return chunks
    whole = pa.chunked_array(chunks).unify_dictionaries().combine_chunks()
    return list(whole.chunks) if isinstance(whole, pa.ChunkedArray) else [whole]


def distinct_values(name: str, chunk: pa.Array) -> Distinct:
    """Take a chunk apart; `name` is for the error when it holds no single values."""
    if isinstance(chunk.type, pa.BaseExtensionType):
        chunk = chunk.storage
    kind = chunk.type
    if pa.types.is_null(kind):
        return Distinct(text_array([]), np.zeros(len(chunk), np.int32), None)
    if pa.types.is_dictionary(kind):
        return _coded(name, chunk)
    _refuse_many_in_one(name, kind)
    if pa.types.is_integer(kind) and not chunk.null_count and len(chunk):
        return _whole_numbers(name, chunk)
    return _coded(name, _hashable(chunk).dictionary_encode())


def _refuse_many_in_one(name: str, kind: pa.DataType) -> None:
    if pa.types.is_nested(kind) or pa.types.is_duration(kind) or pa.types.is_interval(kind):
        held = "lists or structures" if pa.types.is_nested(kind) else "durations"
        raise UnusableColumn(
            f"column {name!r} holds {held}, not single values",
            "leave it out of --columns, or make texts or numbers of it first",
        )


def _hashable(chunk: pa.Array) -> pa.Array:
    """A type Arrow can list the distinct values of."""
    kind = chunk.type
    if kind == pa.string_view():
        return chunk.cast(pa.string())
    if kind == pa.binary_view():
        return chunk.cast(pa.binary())
    if pa.types.is_decimal(kind) and kind.bit_width < 128:
        return chunk.cast(pa.decimal128(kind.precision, kind.scale))
    return chunk


def _coded(name: str, chunk: pa.Array) -> Distinct:
    return Distinct(_faithful(name, chunk.dictionary), numbers(chunk.indices), gaps(chunk.indices))


def _whole_numbers(name: str, chunk: pa.Array) -> Distinct:
    held = numbers(chunk)
    low, high = int(held.min()), int(held.max())
    if high - low >= NARROW_SPAN:
        return _coded(name, chunk.dictionary_encode())
    # In 64 bits: the span of a narrow type may not fit the type.
    wide = held if held.dtype == np.uint64 else held.astype(np.int64, copy=False)
    offsets = (wide - wide.dtype.type(low)).astype(np.uint32)
    used = np.flatnonzero(np.bincount(offsets, minlength=high - low + 1))
    place = np.zeros(high - low + 1, dtype=np.int32)
    place[used] = np.arange(len(used))
    values = (used.astype(wide.dtype) + wide.dtype.type(low)).astype(held.dtype)
    array = pa.Array.from_buffers(chunk.type, len(values), [None, pa.py_buffer(values)])
    return Distinct(array, place[offsets], None)


def _faithful(name: str, values: pa.Array) -> pa.Array:
    """Distinct values in a type whose Python form keeps everything."""
    if isinstance(values.type, pa.BaseExtensionType):
        values = values.storage
    kind = values.type
    _refuse_many_in_one(name, kind)
    if pa.types.is_timestamp(kind) and kind.tz is not None:
        values = values.cast(pa.timestamp(kind.unit, "UTC"))
    if pa.types.is_temporal(kind):
        return _told_in_time(name, values.cast(pa.string()))
    if pa.types.is_floating(kind) and kind.bit_width < 64:
        # The shortest text that gives the number back in its own width: 0.1, not 0.10000000149.
        return pa.array([float(str(number)) for number in numbers(values)])
    return values


def _told_in_time(name: str, texts: pa.Array) -> pa.Array:
    """Dates as texts; Arrow writes an odd text for those beyond the calendar."""
    if any(text is not None and text.startswith("<") for text in texts.to_pylist()):
        raise UnusableColumn(
            f"column {name!r} holds dates outside the years 1 to 9999", "mend or leave it out"
        )
    return texts


def numbers(array: pa.Array) -> NDArray[Any]:
    """The numbers of an Arrow array without a copy; what stands behind a gap is arbitrary."""
    width = np.dtype(array.type.to_pandas_dtype())
    buffer = array.buffers()[1]
    if buffer is None or not len(array):
        return np.zeros(len(array), dtype=width)
    return np.frombuffer(buffer, dtype=width, count=len(array) + array.offset)[array.offset :]


def gaps(array: pa.Array) -> NDArray[np.bool_] | None:
    """Which entries are null, from the validity bitmap; None when none is."""
    bitmap = array.buffers()[0]
    if bitmap is None or not array.null_count:
        return None
    bits = np.unpackbits(np.frombuffer(bitmap, dtype=np.uint8), bitorder="little")
    return np.asarray(bits[array.offset : array.offset + len(array)] == 0)
