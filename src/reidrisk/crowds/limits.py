"""Limits: the value up to which a measure is allowable, as people write it: 0.05, 1/11, k=11.

`k=11` asks for crowds of at least eleven: a highest risk of 1/11, a smallest crowd of 11.

Every measure of counted crowds is one whole number divided by another, and so is 1/11. Both become
the float nearest to their quotient, so what is equal as a fraction compares as equal, as long as
the whole numbers stay below 2^26. A decimal means what it says: 0.09 is less than 1/11, and crowds
of eleven exceed it; `Measure.rounding_note` says so.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable
from fractions import Fraction

from reidrisk.errors import InputError

# As in Python; on the command line it is a text.
Limit = float | Fraction | str

_CROWD = re.compile(r"k\s*=\s*(\d+)", re.IGNORECASE)
_FRACTION = re.compile(r"(\d+)\s*/\s*(\d+)")
WAYS = "as in 0.05, 1/11 or k=11"


def risk_in_crowd(size: int) -> float:
    """1/size."""
    return 1.0 / size


def limit_value(
    given: Limit, option: str, of_crowd: Callable[[int], float] = risk_in_crowd
) -> float:
    """The number that a limit means; `of_crowd` turns the size in k=11 into one."""
    if not isinstance(given, str):
        return float(given)
    text = given.strip()
    if crowd := _CROWD.fullmatch(text):
        if int(crowd[1]) < 1:
            raise InputError(f"{option} {text}: a crowd has at least one person", "as in k=5")
        return of_crowd(int(crowd[1]))
    try:
        parts = _FRACTION.fullmatch(text)
        return float(Fraction(int(parts[1]), int(parts[2]))) if parts else float(text)
    except (ValueError, ZeroDivisionError, OverflowError):
        raise InputError(f"{option} {text}: it is no number", WAYS) from None


def crowd_size(given: int | str, option: str = "-k") -> int:
    """The k of k-anonymity: 11, k=11 or the highest risk it allows, 1/11."""
    text = str(given).strip()
    size = re.fullmatch(r"(?:k\s*=\s*|1\s*/\s*)?(-?\d+)", text, re.IGNORECASE)
    if size is None:
        raise InputError(f"{option} {text}: it is no crowd size", "as in -k 5")
    if int(size[1]) < 1:
        raise InputError(f"{option} {text}: a crowd has at least one person", "as in -k 5")
    return int(size[1])


def first_size(risk: float) -> int:
    """The smallest s with 1/s ≤ risk, compared as the measures compare; none below 10^-12."""
    if risk < 1e-12:
        return sys.maxsize
    size = max(math.floor(1.0 / risk) - 1, 1)
    while 1.0 / size > risk:
        size += 1
    return size


def rounded_crowd(limit: float) -> int | None:
    """The s whose 1/s is above a limit that looks like 1/s rounded: 11 for 0.09; else None."""
    if not 1e-12 < limit < 1 or limit == 1.0 / round(1.0 / limit):
        return None
    size = math.ceil(1.0 / limit) - 1
    decimals = len(f"{limit:.12f}".rstrip("0").partition(".")[2])
    return size if size > 1 and 1.0 / size - limit < 0.5 * 10.0**-decimals else None
