"""Joined bands: values that are bands already, as published ages are, taken together by neighbours.

20-24, 25-29, … 85+ become 20-29, … and at the next level 20-39, … : two bands, then four, then
eight in one, until only a few are left.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from reidrisk.engines.text_form import number_of
from reidrisk.statistics.band_labels import Band, band_of

FEWEST = 3


def joined_bands(values: Sequence[str]) -> list[dict[str, str]]:
    """Levels of ever more bands in one; none where a value is no band, or bands overlap."""
    bands = {value: _band(value) for value in values}
    if len(values) <= FEWEST or not any(band_of(value) for value in values):
        return []
    known = {value: band for value, band in bands.items() if band is not None}
    ordered = sorted(known, key=lambda value: (known[value].low, known[value].high))
    following = pairwise(ordered)
    if len(known) < len(bands) or any(known[a].overlaps(known[b]) for a, b in following):
        return []
    levels, together = [], 2
    while len(ordered) / together > 1:
        parts = [ordered[start : start + together] for start in range(0, len(ordered), together)]
        labels = {v: _label(known[part[0]], known[part[-1]]) for part in parts for v in part}
        levels.append(labels)
        together *= 2
    return levels


def _band(value: str) -> Band | None:
    number = number_of(value)
    return band_of(value) if number is None else Band(number, number)


def _label(first: Band, last: Band) -> str:
    """From the low end of the first to the high end of the last."""
    low, high = first.low, last.high
    if math.isinf(high):
        return "all" if math.isinf(low) else f"{low:g}+"
    if math.isinf(low):
        return f"<{high:g}" if last.high_open else f"≤{high:g}"
    whole = low.is_integer() and high.is_integer()
    if last.high_open and whole:
        return f"{low:g}-{high - 1:g}"
    return f"[{low:g}-{high:g})" if last.high_open else f"{low:g}-{high:g}"
