"""Hierarchies proposed from the values alone, where none are given.

Numbers get bands that widen until only a few are left; dates months, years and
decades; codes lose characters (`code_systems`), others of one length one at a time; bands are
joined (`joined_bands`). Other texts have no order anyone could guess: they can be shown or hidden.
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise

from reidrisk.engines.coarsening import fitted, parsed_bands, parsed_digits
from reidrisk.engines.text_form import number_of
from reidrisk.engines.written_dates import ORDER_UNKNOWN, date_kind
from reidrisk.engines.written_numbers import number_marks
from reidrisk.generalising.code_systems import coarser_codes, code_system
from reidrisk.generalising.hierarchy import Hierarchy
from reidrisk.generalising.joined_bands import joined_bands

_CODE = re.compile(r"[0-9A-Za-z]+")
DATE_BANDS = ("1m", "1y", "5y", "10y")
FEWEST_BANDS = 3
MOST_LEVELS = 6
LONGEST_CODE = 12
# Numbers beyond these powers of ten aren't banded.
LARGEST_POWER = 90


def proposed(name: str, values: Sequence[str]) -> Hierarchy:
    """A hierarchy for a column with these values."""
    parsed = {"bands": parsed_bands, "levels": parsed_digits}
    system = code_system(name, values)
    levels = (
        coarser_codes(system, values)
        if system
        else [
            _labels(
                list(map(fitted(parsed[option](name, how), name, values)[0].label, values)), values
            )
            for option, how in coarser_ways(values)
        ]
    )
    levels = levels or joined_bands(values)
    found = Hierarchy(name, tuple(levels)).without_idle_levels(values)
    return Hierarchy(name, found.levels[-MOST_LEVELS:])


def coarser_ways(values: Sequence[str]) -> list[tuple[str, str]]:
    """(``bands`` or ``levels``, how): ways to see such values coarser, the finest first."""
    dates = date_kind(values)
    if dates:
        known = dates != ORDER_UNKNOWN
        return [("bands", width) for width in DATE_BANDS if known or width.endswith("y")]
    if values and _is_code(values):
        return [("levels", str(kept)) for kept in range(len(values[0]) - 1, 0, -1)]
    numbers = _numbers(values)
    return [("bands", width) for width in _widths(numbers)] if numbers else []


def _labels(labels: Sequence[str | None], values: Sequence[str]) -> dict[str, str]:
    return {value: label or value for value, label in zip(values, labels, strict=True)}


def _is_code(values: Sequence[str]) -> bool:
    """Codes of one length, with a leading nought or a letter somewhere: no numbers to be banded."""
    length = len(values[0])
    alike = all(len(value) == length and _CODE.fullmatch(value) for value in values)
    digits = any(any(c.isdigit() for c in value) for value in values)
    no_number = any(number_of(value) is None or value.startswith("0") for value in values)
    return (
        2 <= length <= LONGEST_CODE
        and len(values) > FEWEST_BANDS
        and alike
        and digits
        and no_number
    )


def _numbers(values: Sequence[str]) -> list[float]:
    """The values as numbers; none where one isn't, is beyond all use, or they are too few."""
    marks = number_marks(values)
    numbers = [number_of((marks.plain(value) if marks else None) or value) for value in values]
    held = [number for number in numbers if number is not None and _usable(number)]
    return held if len(held) == len(values) and len(values) > FEWEST_BANDS else []


def _usable(number: float) -> bool:
    return number == 0.0 or 10.0**-LARGEST_POWER < abs(number) < 10.0**LARGEST_POWER


def _widths(numbers: Sequence[float]) -> list[str]:
    """5, 10, 20, 40 … or 1, 2, 4 … times a power of ten, by more than two where the span is wide.

    They begin at twice the usual distance between neighbours; each is a multiple of the one before.
    """
    ordered = sorted(set(numbers))
    span = ordered[-1] - ordered[0]
    usual = statistics.median(after - before for before, after in pairwise(ordered))
    exponent = math.floor(math.log10(2.0 * usual))
    starts = [step * 10.0**power for power in (exponent, exponent + 1) for step in (1, 5)]
    width = next(start for start in starts if start >= 2.0 * usual)
    needed = (span / width) ** (1.0 / MOST_LEVELS)
    factor = next((each for each in (2, 5, 10, 100) if each >= needed), 1000)
    found: list[str] = []
    while width <= span:
        # Without an exponent.
        found.append(format(Decimal(f"{width:.12g}"), "f"))
        width *= factor
    return found
