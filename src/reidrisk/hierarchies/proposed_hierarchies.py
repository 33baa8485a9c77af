"""Hierarchies proposed from the values alone, where none are given.

Numbers get bands that widen until only a few are left; dates months, years and
decades; codes lose characters (`code_systems`), others of one length one at a time; bands are
joined (`joined_bands`). Other texts have no order anyone could guess: they can be shown or hidden.

Joined bands: values that are bands already, as published ages are, taken together by neighbours.

20-24, 25-29, … 85+ become 20-29, … and at the next level 20-39, … : two bands, then four, then
eight in one, until only a few are left.

Codes whose first characters say the group: diagnoses, postcodes, occupations.

They are known by the shape of every value, and by the column's name where a shape may be another
code's. Levels are prefixes and nothing else: no list of chapters or areas is looked up.
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise

from reidrisk.hierarchies.hierarchy import Hierarchy
from reidrisk.records import (
    ORDER_UNKNOWN,
    TEXT_MARKS,
    date_kind,
    fitted,
    number_marks,
    number_of,
    parsed_bands,
    parsed_digits,
)
from reidrisk.statistics import Band, band_of

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


Label = Callable[[str], str]
FEWEST_CODES = 2
_DIAGNOSIS = r"icd|diag|dx|disease|cause|morbid"
_POSTCODE = r"post|zip|plz|(^|[^a-z])(cap|cp)($|[^a-z])"
_OCCUPATION = r"isco|occup|job|(^|[^a-z])(soc|sic|noc|anzsco|kldb|nace|naics)($|[^a-z])|industr"


@dataclass(frozen=True)
class CodeSystem:
    """What its codes look like, and how they become coarser, the finest first."""

    called: str
    shape: str
    labels: tuple[Label, ...]
    # The column's name has to say so too.
    named: str = ""
    # Some value has to look so.
    some: str = ""
    # Codes of one length only.
    alike: bool = False

    def fits(self, name: str, values: Sequence[str]) -> bool:
        """Whether all values of a column of this name are its codes."""
        shape, some = re.compile(self.shape), re.compile(self.some or self.shape)
        return (
            all(map(shape.fullmatch, values))
            and any(map(some.fullmatch, values))
            and bool(re.search(self.named, name.casefold()))
            and (not self.alike or len(set(map(len, values))) == 1)
        )


def _first(kept: int) -> Label:
    """The first letters and digits, with the marks between them: E11.9 → E11 at three."""
    pattern = re.compile(rf"(?:[^0-9A-Za-z]*[0-9A-Za-z]){{{kept}}}")

    def label(code: str) -> str:
        found = pattern.match(code)
        return found[0] if found else code

    return label


def _without_last(hidden: int) -> Label:
    """A code without its last characters, and without the space before them."""
    return lambda code: code[:-hidden].rstrip()


def _letters(code: str) -> str:
    return code[: next((at for at, mark in enumerate(code) if mark.isdigit()), len(code))]


def _before_point(code: str) -> str:
    return code.partition(".")[0]


def _tens(width: int) -> Label:
    """250.01 → 250-259 at ten, 200-299 at a hundred; V and E codes by ten, then their letter."""

    def label(code: str) -> str:
        found = re.match(r"([VE]?)([0-9]+)", code)
        assert found is not None
        letter, digits = found.groups()
        if letter and width > 10:
            return letter
        low = int(digits) // width * width
        size = len(digits) if letter else 3
        return f"{letter}{low:0{size}d}-{letter}{low + width - 1:0{size}d}"

    return label


SYSTEMS = (
    CodeSystem(
        "ICD-10",
        r"[A-Z][0-9][0-9A-Z](\.?[0-9A-Z]{1,4})?",
        (_first(5), _first(4), _first(3), _first(1)),
        some=r"[A-Z][0-9][0-9A-Z]\..+",
    ),
    CodeSystem(
        "ICD-10",
        r"[A-Z][0-9][0-9A-Z]([0-9A-Z]{1,4})?",
        (_first(5), _first(4), _first(3), _first(1)),
        named=_DIAGNOSIS,
    ),
    CodeSystem(
        "ICD-9",
        r"[0-9]{1,3}(\.[0-9]{1,2})?|V[0-9]{2}(\.[0-9]{1,2})?|E[0-9]{3}(\.[0-9])?",
        (_before_point, _tens(10), _tens(100)),
        named=_DIAGNOSIS,
    ),
    CodeSystem(
        "UK postcodes",
        r"[A-Z]{1,2}[0-9][0-9A-Z]? ?[0-9][A-Z]{2}",
        (_without_last(2), _without_last(3), _letters),
    ),
    CodeSystem(
        "Dutch postcodes", r"[1-9][0-9]{3} ?[A-Z]{2}", (_first(4), _first(3), _first(2), _first(1))
    ),
    CodeSystem(
        "Canadian postcodes", r"[A-Z][0-9][A-Z] ?[0-9][A-Z][0-9]", (_first(3), _first(2), _first(1))
    ),
    CodeSystem(
        "ZIP codes",
        r"[0-9]{5}(-[0-9]{4})?",
        (_first(5), _first(4), _first(3), _first(2), _first(1)),
        some=r".*-.*",
    ),
    CodeSystem(
        "postcodes",
        r"[0-9]{4,6}",
        tuple(map(_first, (5, 4, 3, 2, 1))),
        named=_POSTCODE,
        alike=True,
    ),
    CodeSystem(
        "SOC",
        r"[0-9]{2}-[0-9]{4}(\.[0-9]{2})?",
        (_first(6), _first(5), _first(3), _first(2)),
    ),
    CodeSystem(
        "occupations or industries",
        r"[0-9]{2,6}",
        tuple(map(_first, (5, 4, 3, 2, 1))),
        named=_OCCUPATION,
        alike=True,
    ),
)


def code_system(name: str, values: Sequence[str]) -> CodeSystem | None:
    """The first system whose codes the values are, but for marks of missing; None for none."""
    codes = [value for value in values if value not in TEXT_MARKS]
    if len(codes) < FEWEST_CODES:
        return None
    return next((system for system in SYSTEMS if system.fits(name, codes)), None)


def coarser_codes(system: CodeSystem, values: Sequence[str]) -> list[dict[str, str]]:
    """Each level's label of each value; a mark of missing stays what it is."""
    return [
        {value: value if value in TEXT_MARKS else label(value) for value in values}
        for label in system.labels
    ]


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
