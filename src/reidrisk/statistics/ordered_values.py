"""Values that stand in an order: numbers, bands (20-24, 85+) and dates (2024-03-01).

Most values of a column have to be of one kind, nine in ten by number; the others, such as an empty
cell or "unknown", come last. Whether the order means anything is not judged here: numbers that are
mere codes aren't smoothed, because their neighbours don't foretell them (`ordered_rows`). Other
values stand by their texts, so that an answer doesn't depend on the order of the records.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from reidrisk.arrays import Places
from reidrisk.records import number_of
from reidrisk.statistics.value_matching import band_of

MOST_SHARE = 0.9
_DAY = re.compile(r"([0-9]{4})-([0-9]{2})(?:-([0-9]{2}))?.*")


def value_order(values: Sequence[str | None]) -> tuple[Places, bool]:
    """The place of each value in their order, and whether they have one."""
    for place_of in (number_of, _band, _date):
        keys = [None if value is None else place_of(value) for value in values]
        known = sum(key is not None for key in keys)
        present = sum(value is not None for value in values)
        if present and known >= MOST_SHARE * present:
            return _ranks([math.inf if key is None else key for key in keys]), True
    return _ranks([(value is None, value or "") for value in values]), False


def _ranks(keys: Sequence[Any]) -> Places:
    order = sorted(range(len(keys)), key=keys.__getitem__)
    ranks = np.empty(len(keys), dtype=np.intp)
    ranks[order] = np.arange(len(keys))
    return ranks


def _band(text: str) -> float | None:
    band = band_of(text)
    if band is None:
        return number_of(text)
    return band.low if math.isfinite(band.low) else band.high - 1e9


def _date(text: str) -> float | None:
    found = _DAY.fullmatch(text)
    if not found:
        return None
    year, month, day = (int(part or 1) for part in found.groups())
    return year * 372.0 + month * 31.0 + day
