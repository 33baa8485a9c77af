"""Linked values: which values of two lists of one attribute go together, read off the labels.

Bands go together where they overlap, codes where one is the other's first characters, other labels
where they are equal; people of values that one list doesn't have, have none that lie within one
that it does.

Where it stops: values recoded otherwise than into bands of numbers or first characters aren't
linked.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from reidrisk.arrays import Mask
from reidrisk.publishing.published_bounds import Side
from reidrisk.records import number_of
from reidrisk.statistics import Band, Value, band_of

# The share of a list's values that have to fit the other file's.
MOST = 0.5
Test = Callable[[str, str], bool]


def linked_values(one: Side, other: Side) -> Mask | None:
    """Which values of two lists of an attribute go together; None where nobody can say."""
    texts = [[value for value in side.values if value is not None] for side in (one, other)]
    if not all(texts):
        return None
    for fits in (_as_bands(*texts), _as_values(*texts), _as_codes(*texts)):
        if fits is not None:
            return _possible(one, other, *fits)
    return None


def _possible(one: Side, other: Side, together: Test, within: Test) -> Mask:
    """`together(u, v)`: one person may have both; `within(u, v)`: whoever has u has v."""
    mask = np.ones((one.size, other.size), dtype=bool)
    between = (len(one.values), len(other.values))
    mask[: between[0], : between[1]] = [
        [_one_person_has(a, b, together) for b in other.values] for a in one.values
    ]
    if other.has_rest:
        mask[: between[0], -1] = [not _covered(a, other, within) for a in one.values]
    if one.has_rest:
        mask[-1, : between[1]] = [not _covered(b, one, within) for b in other.values]
    return mask


def _one_person_has(a: Value, b: Value, together: Test) -> bool:
    return a is b is None if a is None or b is None else together(a, b)


def _covered(value: Value, by: Side, within: Test) -> bool:
    """Whether everybody of a value has one of the values listed by the other file."""
    if value is None:
        return None in by.values
    return any(within(value, each) for each in by.values if each is not None)


def _as_values(first: Sequence[str], second: Sequence[str]) -> tuple[Test, Test] | None:
    """Equal labels, where most of the shorter list are in the longer one."""
    common = set(first) & set(second)
    if len(common) < MOST * min(len(first), len(second)):
        return None
    return str.__eq__, str.__eq__


def _as_codes(first: Sequence[str], second: Sequence[str]) -> tuple[Test, Test] | None:
    """First characters, where one list's labels are shorter and begin most of the other's."""
    shorter, longer = sorted((first, second), key=lambda each: max(map(len, each)))
    length = max(map(len, shorter))
    known = set(shorter)
    fitting = sum(len(label) > length and label[:length] in known for label in longer)
    if fitting < MOST * len(longer):
        return None

    def within(a: str, b: str) -> bool:
        return a == b or (len(b) == length and a.startswith(b))

    return lambda a, b: a[:length] == b[:length], within


def _as_bands(first: Sequence[str], second: Sequence[str]) -> tuple[Test, Test] | None:
    """Ranges of numbers, where one list at least has some and both have nothing else."""
    bands = {label: _range(label) for label in {*first, *second}}
    if not any(band_of(label) for label in bands) or None in bands.values():
        return None
    known = {label: band for label, band in bands.items() if band is not None}

    def together(a: str, b: str) -> bool:
        return known[a].overlaps(known[b]) or known[a] == known[b]

    return together, lambda a, b: _holds(known[b], known[a])


def _range(label: str) -> Band | None:
    """A band, or a number as one: 22 reaches up to but not including 23."""
    band, number = band_of(label), number_of(label)
    if band is not None or number is None or not math.isfinite(number):
        return band
    return Band(number, number + (number == int(number)), high_open=number == int(number))


def _holds(outer: Band, inner: Band) -> bool:
    begins = inner.low > outer.low or (
        inner.low == outer.low and (inner.low_open or not outer.low_open)
    )
    ends = inner.high < outer.high or (
        inner.high == outer.high and (inner.high_open or not outer.high_open)
    )
    return begins and ends
