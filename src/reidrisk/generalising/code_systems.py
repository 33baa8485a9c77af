"""Codes whose first characters say the group: diagnoses, postcodes, occupations.

They are known by the shape of every value, and by the column's name where a shape may be another
code's. Levels are prefixes and nothing else: no list of chapters or areas is looked up.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from reidrisk.engines.missing_marks import TEXT_MARKS

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
