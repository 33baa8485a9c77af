"""Coding: a column of any type becomes small whole numbers and the list of its values.

Codes run from 0; the last code, `len(values)`, is the missing value. All work on texts is done once
per distinct value, never once per record. Arrow's buffers are read directly: `to_numpy` on indices
with nulls goes through floating point.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reidrisk.arrays import Ints
from reidrisk.errors import UnusableColumn
from reidrisk.records.text_forms import WHITE_SPACE, number_of, value_form, with_decimal_comma

# Above this, distinct values are looked at by Arrow first and by Python only where needed.
MANY_VALUES = 50_000
_SPACE = "[" + "".join(f"\\x{{{ord(character):x}}}" for character in WHITE_SPACE) + "]"
_MAY_CHANGE = (
    f"^{_SPACE}|{_SPACE}$|^$"
    r"|^-?[0-9]+\.0*$|^-0$|^[0-9]{4}-[0-9]{2}-[0-9]{2}[ T]|^(True|TRUE|False|FALSE)$"
    r"|^[0-9]{2}:[0-9]{2}:[0-9]{2}\."
)


@dataclass(frozen=True)
class Labelling:
    """Raw value → what is seen of it: a text, or None where it counts as empty."""

    empty: frozenset[str] = frozenset()
    decimal_comma: bool = False

    def __call__(self, raw: Any) -> str | None:
        """The label of one raw value."""
        if self.decimal_comma and isinstance(raw, str):
            raw = with_decimal_comma(raw)
        text = value_form(raw)
        return None if text in self.empty else text


class Labels:
    """The labels met so far, numbered as they come; a place of −1 means missing."""

    def __init__(self, labelling: Labelling) -> None:
        self._labelling = labelling
        self._place_of: dict[str, int] = {}
        # Chunks repeat each other's values: a raw value is labelled once. By type, since Python
        # takes True for 1.
        self._known: dict[pa.DataType, dict[Any, int]] = {}
        self._array: pa.Array | None = None

    def would_be_many(self, values: pa.Array) -> bool:
        """Whether Python should leave these, and what follows, to Arrow."""
        return len(self._place_of) + len(values) > MANY_VALUES

    def places(self, values: pa.Array) -> Ints:
        """The place of each value's label, value by value."""
        places = np.empty(len(values), dtype=np.int64)
        known = self._known.setdefault(values.type, {})
        for i, raw in enumerate(values.to_pylist()):
            place = known.get(raw)
            if place is None:
                label = self._labelling(raw)
                new = len(self._place_of)
                place = -1 if label is None else self._place_of.setdefault(label, new)
                known[raw] = place
            places[i] = place
        return places

    def places_of_many(self, chunks: list[pa.Array]) -> list[Ints]:
        """The same for the last and many chunks: Arrow compares, Python labels the exceptions."""
        texts = [_texts(values, self._labelling) for values in chunks]
        met = text_array(self._place_of)
        coded = pa.concat_arrays([met, *texts]).dictionary_encode()
        self._array = coded.dictionary
        places = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
        ends = np.cumsum([len(met), *map(len, chunks)])
        return np.split(places[: ends[-1]], ends[:-1])[1:]

    def array(self) -> pa.Array:
        """All labels, in the order of their places."""
        return text_array(self._place_of) if self._array is None else self._array


def text_array(texts: Iterable[str]) -> pa.Array:
    """Texts as an Arrow array. `pa.array` would import pandas, where it is installed: 0.2 s."""
    encoded = [text.encode("utf-8") for text in texts]
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    parts = [None, pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.large_string(), len(encoded), parts)


def _texts(values: pa.Array, labelling: Labelling) -> pa.Array:
    # A whole number's text is its form already.
    kinds = (pa.types.is_string, pa.types.is_large_string, pa.types.is_integer)
    is_text = any(is_kind(values.type) for is_kind in kinds)
    if labelling.decimal_comma or not is_text:
        return pa.array([labelling(raw) for raw in values.to_pylist()], type=pa.large_string())
    import pyarrow.compute as pc

    values = values.cast(pa.large_string())
    changes = pc.match_substring_regex(values, _MAY_CHANGE)
    if labelling.empty:
        emptied = pc.is_in(values, value_set=pa.array(sorted(labelling.empty), pa.large_string()))
        changes = pc.or_(changes, emptied)
    changed = [labelling(raw) for raw in values.filter(changes).to_pylist()]
    return pc.replace_with_mask(values, changes, pa.array(changed, type=pa.large_string()))


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
        raise no_single_values(name, durations=not pa.types.is_nested(kind))


def no_single_values(name: str, durations: bool = False) -> UnusableColumn:
    """The error for a column that nobody can be told apart by as it is."""
    return UnusableColumn(
        f"column {name!r} holds {'durations' if durations else 'lists or structures'}, not single "
        "values",
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
        texts = values.cast(pa.string())
        # As Arrow writes a date beyond the calendar.
        if any(text is not None and text.startswith("<") for text in texts.to_pylist()):
            raise UnusableColumn(
                f"column {name!r} holds dates outside the years 1 to 9999", "fix or leave it out"
            )
        return texts
    if pa.types.is_floating(kind) and kind.bit_width < 64:
        # The shortest text that gives the number back in its own width: 0.1, not 0.10000000149.
        return pa.array([float(str(number)) for number in numbers(values)])
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


Codes = NDArray[Any]
# Records that, at eight bytes each, stay in a core's own cache.
IN_CACHE = 1 << 16


@dataclass(frozen=True, eq=False)
class CodedColumn:
    """One attribute: each record's code, and the text each code stands for."""

    name: str
    codes: Codes
    values: pa.Array
    # Records per code; the last entry is the missing value's.
    held: NDArray[np.int64]

    @property
    def has_missing(self) -> bool:
        """Whether some record has no value."""
        return bool(self.held[-1])

    @property
    def cardinality(self) -> int:
        """Number of codes, the missing one included where it occurs."""
        return len(self.values) + self.has_missing

    def counts(self, people: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """People per code; the last entry is the missing value's."""
        return self.held if people is None else summed(self.codes, len(self.held), people)

    @property
    def gaps(self) -> NDArray[np.bool_]:
        """Which records have no value here."""
        return np.asarray(self.codes == len(self.values))

    def texts(self) -> Iterator[str]:
        """The values' texts, block by block, so that an early verdict costs little."""
        for start in range(0, len(self.values), 1000):
            yield from self.values[start : start + 1000].to_pylist()

    def text_of_each(self) -> pa.Array:
        """Each record's text, null where it has none."""
        texts = pa.concat_arrays([self.values, pa.nulls(1, self.values.type)])
        return texts.take(pa.array(self.codes))

    def texts_between(self, part: slice) -> pa.DictionaryArray:
        """The texts of some records as codes and one dictionary, null where there is none."""
        codes = self.codes[part]
        indices = pa.array(codes, mask=codes == len(self.values))
        return pa.DictionaryArray.from_arrays(indices, self.values)

    def holds(self, value: str | None, wild: bool = False) -> NDArray[np.bool_]:
        """Which records have the value; `wild`: an empty cell agrees with anything."""
        if value is None:
            return np.ones(len(self.codes), dtype=bool) if wild else self.gaps
        place = next((at for at, text in enumerate(self.texts()) if text == value), None)
        same = np.zeros(len(self.codes), dtype=bool) if place is None else self.codes == place
        return np.asarray(same | self.gaps if wild else same)

    def is_measurement(self) -> bool:
        """All values are numbers and some are not whole."""
        fractions = False
        for number in map(number_of, self.texts()):
            if number is None:
                return False
            fractions = fractions or not number.is_integer()
        return fractions


def summed(keys: Codes, span: int, people: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """People per key; not bincount's weights, which are floating point and lose whole numbers."""
    if people is None:
        return np.bincount(keys, minlength=span)
    tally = np.zeros(span, dtype=np.int64)
    np.add.at(tally, keys, people)
    return tally


def code_column(name: str, chunks: Iterable[pa.Array], labelling: Labelling) -> CodedColumn:
    """Code a column given as Arrow arrays, whose types may differ from chunk to chunk.

    A chunk is let go of once it is coded, so a long column never lies in memory twice.
    """
    labels = Labels(labelling)
    parts: list[Codes] = []
    waiting = iter(chunks)
    for chunk in waiting:
        piece = distinct_values(name, chunk)
        if labels.would_be_many(piece.values):
            rest = with_one_dictionary([chunk, *waiting])
            pieces = [distinct_values(name, other) for other in rest]
            places = labels.places_of_many([other.values for other in pieces])
            parts += map(_provisional_codes, pieces, places)
        else:
            parts.append(_provisional_codes(piece, labels.places(piece.values)))
    values = labels.array()
    codes = _joined(parts, len(values))
    return _without_unused(CodedColumn(name, codes, values, _tallied(codes, len(values) + 1)))


def coded_answer(name: str, found: pa.Table, place: int) -> CodedColumn:
    """A column of an engine's answer."""
    return code_column(name, found.column(place).chunks, Labelling())


def _tallied(codes: Codes, span: int) -> NDArray[np.int64]:
    """Records per code, block by block: bincount copies its input to 64 bits, best in the cache."""
    tally = np.zeros(span, dtype=np.int64)
    step = max(IN_CACHE, span)
    for start in range(0, len(codes), step):
        tally += np.bincount(codes[start : start + step], minlength=span)
    return tally


def _without_unused(column: CodedColumn) -> CodedColumn:
    """A dictionary may hold values that no record has: they are no values of the column."""
    used = column.held[:-1] > 0
    if used.all():
        return column
    place = np.append(np.cumsum(used) - 1, used.sum())
    codes = place.astype(narrowest(int(place[-1])))[column.codes]
    held = np.append(column.held[:-1][used], column.held[-1])
    return CodedColumn(column.name, codes, column.values.filter(pa.array(used)), held)


def _provisional_codes(piece: Distinct, place: Ints) -> Codes:
    """A chunk's codes in the narrowest type; its highest number stands for missing."""
    kind = narrowest(int(place.max(initial=-1)) + 1)
    unset = np.iinfo(kind).max
    codes = np.full(len(piece.indices), unset, dtype=kind)
    if len(place):
        code_of = np.where(place < 0, unset, place).astype(kind)
        # Block by block, since numpy copies indices to 64 bits; "clip" because indices behind a
        # gap may hold anything.
        for start in range(0, len(codes), IN_CACHE):
            block = slice(start, start + IN_CACHE)
            np.take(code_of, piece.indices[block], out=codes[block], mode="clip")
    if piece.gaps is not None:
        codes[piece.gaps] = unset
    return codes


def _joined(parts: list[Codes], missing: int) -> Codes:
    """All codes in one type, missing as the last code."""
    codes = np.empty(sum(map(len, parts)), dtype=narrowest(missing))
    start = 0
    while parts:
        part = parts.pop(0)
        mine = codes[start : start + len(part)]
        mine[:] = part
        mine[part == np.iinfo(part.dtype).max] = missing
        start += len(part)
    return codes


def narrowest(highest: int) -> type[np.unsignedinteger[Any]]:
    """The narrowest type that holds `highest` and leaves one number over."""
    if highest < 0xFF:
        return np.uint8
    return np.uint16 if highest < 0xFFFF else np.uint32
