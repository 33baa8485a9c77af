"""Tolerance: values that may differ a little and still agree, as an age at two dates.

Numbers agree within so much; dates within so many days, weeks (7 days), months (31) or years (366).
A value that is no number (no date) agrees with itself alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from reidrisk.arrays import Codes, Floats, Ints
from reidrisk.errors import InputError
from reidrisk.linkage.two_sides import Column
from reidrisk.records import date_order, number_of, written_date

DAYS = {"d": 1, "w": 7, "m": 31, "y": 366}
_WRITTEN = re.compile(r"(\d+(?:\.\d+)?)([dwmy]?)")
# A sum of decimals such as 0.1 may lie a hair beyond the tolerance that is meant.
SLACK = 1e-9


class Tolerance(NamedTuple):
    """How much, and whether it is days."""

    amount: float
    days: bool


def parsed_tolerance(column: str, given: object) -> Tolerance:
    """1, 0.5, 3d, 2w, 1m, 1y."""
    found = _WRITTEN.fullmatch(str(given).strip())
    if found is None:
        raise InputError(
            f"--tolerance {column}: it isn't a number, or a number of days",
            "as in age=1, or born=3d (d, w, m or y)",
        )
    unit = found[2]
    return Tolerance(float(found[1]) * DAYS.get(unit, 1), bool(unit))


def near_values(column: Column, tolerance: Tolerance, register: Codes) -> tuple[Ints, Ints]:
    """(starts, codes): each code's near codes among the register's; the empty cell's is itself."""
    places = _places(column.texts.to_pylist(), tolerance.days)
    if not np.isfinite(places).any():
        what = "dates" if tolerance.days else "numbers"
        raise InputError(
            f"--tolerance {column.name}: its values are no {what}",
            "a tolerance is for numbers (age=1) or dates (born=3d)",
        )
    held = np.unique(register)
    known = held[held < column.empty]
    known = known[np.isfinite(places[known])]
    ordered = known[np.argsort(places[known], kind="stable")]
    low = np.searchsorted(places[ordered], places - tolerance.amount - SLACK, "left")
    high = np.searchsorted(places[ordered], places + tolerance.amount + SLACK, "right")
    each = [
        ordered[low[code] : high[code]] if np.isfinite(places[code]) else np.array([code])
        for code in range(column.empty)
    ]
    each.append(np.array([column.empty]))
    starts = np.concatenate([[0], np.cumsum([len(one) for one in each])])
    return starts.astype(np.int64), np.concatenate(each).astype(np.int64)


def _places(texts: Sequence[str], days: bool) -> Floats:
    """Where values lie; NaN for those that lie nowhere."""
    if not days:
        found = [number_of(text) for text in texts]
        return np.array([np.nan if each is None else each for each in found], dtype=np.float64)
    order = date_order(texts)
    dates = [written_date(text, order) for text in texts]
    return np.array([np.nan if each is None else each.toordinal() for each in dates])
