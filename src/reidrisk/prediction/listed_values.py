"""Which values of an attribute are listed: N counts them all, whether or not somebody holds them.

Koot et al. compare with the uniform law over all values an attribute may have (ages 0 … 94), never
over those that happen to occur in one group. Without a list, these are the values that the
statistics or the whole table know. A list (`--values age=0-94`) adds values nobody holds, and
leaves out people who hold others, as the paper leaves out those above 94.

Where it is coarse: statistics seen in bands leave out whole bands only; a band that holds one of
the values listed stays, with all its people.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reidrisk.engines.coarsening import Coarsening
from reidrisk.engines.text_form import value_form
from reidrisk.errors import InputError
from reidrisk.statistics.matching import KnownValues

_RANGE = re.compile(r"(-?[0-9]+)-(-?[0-9]+)")
MOST_LISTED = 10_000_000


@dataclass(frozen=True, eq=False)
class Listed:
    """How many values are listed, and which of those known are among them."""

    number: int
    keep: NDArray[np.bool_]


def parsed_values(given: Mapping[str, object] | None) -> dict[str, tuple[str, ...]]:
    """{column: its values}: 0-94 for whole numbers, f/m for others, or anything iterable."""
    return {name: _parsed(name, values) for name, values in (given or {}).items()}


def _parsed(name: str, values: object) -> tuple[str, ...]:
    if isinstance(values, str):
        found = [value for part in values.split("/") for value in _range(name, part.strip())]
    elif isinstance(values, Iterable):
        found = [form for form in map(value_form, values) if form is not None]
    else:
        found = []
    if not found:
        raise InputError(f"--values {name}: no value is listed", "as in age=0-94 or sex=f/m")
    return tuple(dict.fromkeys(found))


def _range(name: str, part: str) -> list[str]:
    between = _RANGE.fullmatch(part)
    if between is None:
        form = value_form(part)
        return [] if form is None else [form]
    low, high = int(between[1]), int(between[2])
    if high < low or high - low >= MOST_LISTED:
        raise InputError(
            f"--values {name}: a range rises, by at most {MOST_LISTED:,}", "as in age=0-94"
        )
    return [str(number) for number in range(low, high + 1)]


def listed(
    labels: Sequence[str | None],
    lumped: int,
    values: Sequence[str] | None,
    how: Coarsening | None = None,
) -> Listed:
    """What is listed of an attribute's `labels` (None the missing one) and values `lumped`.

    `values` are seen as coarse as the attribute is, and matched with its labels: 22 finds 20-24.
    """
    if values is None:
        return Listed(len(labels) + lumped, np.ones(len(labels) + lumped, dtype=bool))
    seen = dict.fromkeys(value if how is None else how.label(value) or value for value in values)
    known = KnownValues([label for label in labels if label is not None])
    found = {value if (match := known.match(value)) is None else match.value for value in seen}
    keep = np.array([label in found for label in labels] + [False] * lumped, dtype=bool)
    return Listed(len(found), keep)
