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
    """Chunks whose dictionaries are large are given one dictionary, in Arrow."""
    coded = len(chunks) > 1 and all(pa.types.is_dictionary(chunk.type) for chunk in chunks)
    if not coded or len({chunk.type for chunk in chunks}) > 1:
        return chunks
    if sum(len(chunk.dictionary) for chunk in chunks) <= MANY_VALUES:
        return chunks
    return list(pa.chunked_array(chunks).unify_dictionaries().chunks)


def distinct_values(name: str, chunk: pa.Array) -> Distinct:
    """Take a chunk apart; `name` is for the error when it holds lists or structures."""
    kind = chunk.type
    if pa.types.is_null(kind):
        return Distinct(text_array([]), np.zeros(len(chunk), np.int32), None)
    if pa.types.is_dictionary(kind):
        return _coded(name, chunk)
    if pa.types.is_nested(kind):
        raise UnusableColumn(
            f"column {name!r} holds lists or structures, not single values",
            "leave it out of --columns, or flatten it first",
        )
    if pa.types.is_integer(kind) and not chunk.null_count and len(chunk):
        return _whole_numbers(name, chunk)
    if kind in (pa.string_view(), pa.binary_view()):
        chunk = chunk.cast(pa.string())
    return _coded(name, chunk.dictionary_encode())


def _coded(name: str, chunk: pa.Array) -> Distinct:
    return Distinct(_faithful(name, chunk.dictionary), numbers(chunk.indices), gaps(chunk.indices))


def _whole_numbers(name: str, chunk: pa.Array) -> Distinct:
    held = numbers(chunk)
    low, high = int(held.min()), int(held.max())
    if high - low >= NARROW_SPAN:
        return _coded(name, chunk.dictionary_encode())
    offsets = (held - held.dtype.type(low)).astype(np.uint32)
    used = np.flatnonzero(np.bincount(offsets, minlength=high - low + 1))
    place = np.zeros(high - low + 1, dtype=np.int32)
    place[used] = np.arange(len(used))
    values = used.astype(held.dtype) + held.dtype.type(low)
    array = pa.Array.from_buffers(chunk.type, len(values), [None, pa.py_buffer(values)])
    return Distinct(array, place[offsets], None)


def _faithful(name: str, values: pa.Array) -> pa.Array:
    """Distinct values in a type whose Python form keeps everything."""
    kind = values.type
    if pa.types.is_nested(kind):
        return distinct_values(name, values).values
    if pa.types.is_timestamp(kind) or pa.types.is_time(kind) or pa.types.is_duration(kind):
        return values.cast(pa.string())
    if pa.types.is_floating(kind) and kind.bit_width < 64:
        # The shortest text that gives the number back in its own width: 0.1, not 0.10000000149.
        return pa.array([str(number) for number in numbers(values)], type=pa.string())
    return values


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
