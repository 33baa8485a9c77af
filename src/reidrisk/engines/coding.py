"""Coding: a column of any type becomes small whole numbers and the list of its values.

Codes run from 0; the last code, `len(values)`, is the missing value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reidrisk.engines.arrow_values import Distinct, distinct_values, with_one_dictionary
from reidrisk.engines.labelling import Labelling, Places, labelled, text_array

Codes = NDArray[Any]
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


@dataclass(frozen=True, eq=False)
class CodedColumn:
    """One attribute: each record's code, and the text each code stands for."""

    name: str
    codes: Codes
    values: pa.Array
    has_missing: bool

    @property
    def cardinality(self) -> int:
        """Number of codes, the missing one included where it occurs."""
        return len(self.values) + self.has_missing

    def counts(self, people: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """People per code; the last entry is the missing value's."""
        if people is None:
            return np.bincount(self.codes, minlength=len(self.values) + 1)
        tally = np.zeros(len(self.values) + 1, dtype=np.int64)
        np.add.at(tally, self.codes, people)
        return tally

    @property
    def gaps(self) -> NDArray[np.bool_]:
        """Which records have no value here."""
        return np.asarray(self.codes == len(self.values))

    def texts(self) -> Iterator[str]:
        """The values' texts, block by block, so that an early verdict costs little."""
        for start in range(0, len(self.values), 1000):
            yield from self.values[start : start + 1000].to_pylist()

    def is_measurement(self) -> bool:
        """All values are numbers and some are not whole."""
        fractions = False
        for text in self.texts():
            if not _NUMBER.fullmatch(text):
                return False
            fractions = fractions or not float(text).is_integer()
        return fractions


def code_column(name: str, chunks: Iterable[pa.Array], labelling: Labelling) -> CodedColumn:
    """Code a column given as Arrow arrays, whose types may differ from chunk to chunk."""
    pieces = [distinct_values(name, chunk) for chunk in with_one_dictionary(list(chunks))]
    values, places = labelled([piece.values for piece in pieces], labelling)
    missing = len(values)
    codes = np.empty(sum(len(piece.indices) for piece in pieces), dtype=_narrowest(missing))
    has_missing, start = False, 0
    for piece, place in zip(pieces, places, strict=True):
        end = start + len(piece.indices)
        has_missing |= _write_codes(codes[start:end], piece, place, missing)
        start = end
    return CodedColumn(name, codes, values, has_missing)


def relabelled(column: CodedColumn, labels: Sequence[str]) -> CodedColumn:
    """The column seen through new labels, one for each value; equal labels become one value."""
    place_of: dict[str, int] = {}
    place = [place_of.setdefault(label, len(place_of)) for label in labels]
    missing = len(place_of)
    code_of = np.array([*place, missing], dtype=_narrowest(missing))
    return CodedColumn(column.name, code_of[column.codes], text_array(place_of), column.has_missing)


def _write_codes(part: Codes, piece: Distinct, place: Places, missing: int) -> bool:
    """Write a chunk's codes into `part`; say whether any is missing."""
    if not len(place):
        part[:] = missing
        return len(part) > 0
    code_of = np.where(place < 0, missing, place).astype(part.dtype)
    # "clip" because indices behind a gap may hold anything.
    np.take(code_of, piece.indices, out=part, mode="clip")
    if piece.gaps is not None:
        part[piece.gaps] = missing
    return piece.gaps is not None or bool(np.any(place < 0))


def _narrowest(highest: int) -> type[np.unsignedinteger[Any]]:
    if highest <= 0xFF:
        return np.uint8
    return np.uint16 if highest <= 0xFFFF else np.uint32
