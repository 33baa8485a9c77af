"""Labelling: what is seen of each distinct value, and which values become one.

All work on texts is done here, once per distinct value, never once per record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reidrisk.engines.text_form import WHITE_SPACE, value_form, with_decimal_comma

# Above this, distinct values are looked at by Arrow first and by Python only where needed.
MANY_VALUES = 50_000
_SPACE = "[" + "".join(f"\\x{{{ord(character):x}}}" for character in WHITE_SPACE) + "]"
_MAY_CHANGE = (
    f"^{_SPACE}|{_SPACE}$|^$"
    r"|^-?[0-9]+\.0*$|^-0$|^[0-9]{4}-[0-9]{2}-[0-9]{2}[ T]|^(True|TRUE|False|FALSE)$"
)

Places = NDArray[np.int64]


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


def labelled(distinct: list[pa.Array], labelling: Labelling) -> tuple[pa.Array, list[Places]]:
    """The labels over all chunks, and for each chunk the place of each raw value's label.

    A place of −1 means missing.
    """
    shared = len(distinct) > 1 and all(values is distinct[0] for values in distinct)
    todo = distinct[:1] if shared else distinct
    many = sum(len(values) for values in todo) > MANY_VALUES
    if many and not labelling.decimal_comma:
        labels, places = _labelled_by_arrow(todo, labelling)
    else:
        labels, places = _labelled_by_python(todo, labelling)
    return labels, places * len(distinct) if shared else places


def _labelled_by_python(
    distinct: list[pa.Array], label: Callable[[Any], str | None]
) -> tuple[pa.Array, list[Places]]:
    place_of: dict[str, int] = {}
    # Chunks repeat each other's values: a label is worked out once.
    known: dict[Any, int] = {}
    places = []
    for values in distinct:
        place = np.empty(len(values), dtype=np.int64)
        for i, raw in enumerate(values.to_pylist()):
            at = known.get(raw)
            if at is None:
                text = label(raw)
                at = -1 if text is None else place_of.setdefault(text, len(place_of))
                known[raw] = at
            place[i] = at
        places.append(place)
    return text_array(place_of), places


def text_array(texts: Iterable[str]) -> pa.Array:
    """Texts as an Arrow array. `pa.array` would import pandas, where it is installed: 0.2 s."""
    encoded = [text.encode("utf-8") for text in texts]
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    parts = [None, pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.large_string(), len(encoded), parts)


def _labelled_by_arrow(
    distinct: list[pa.Array], labelling: Labelling
) -> tuple[pa.Array, list[Places]]:
    """The same for very many values: Arrow finds the few that change, Python changes them."""
    texts = pa.chunked_array(
        [_texts(values, labelling) for values in distinct], type=pa.large_string()
    )
    coded = texts.combine_chunks().dictionary_encode()
    place = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    ends = np.cumsum([len(values) for values in distinct])
    return coded.dictionary, np.split(place, ends[:-1])


def _texts(values: pa.Array, labelling: Labelling) -> pa.Array:
    if not (pa.types.is_string(values.type) or pa.types.is_large_string(values.type)):
        return pa.array([labelling(raw) for raw in values.to_pylist()], type=pa.large_string())
    import pyarrow.compute as pc

    values = values.cast(pa.large_string())
    changes = pc.match_substring_regex(values, _MAY_CHANGE)
    if labelling.empty:
        emptied = pc.is_in(values, value_set=pa.array(sorted(labelling.empty), pa.large_string()))
        changes = pc.or_(changes, emptied)
    changed = [labelling(raw) for raw in values.filter(changes).to_pylist()]
    return pc.replace_with_mask(values, changes, pa.array(changed, type=pa.large_string()))
