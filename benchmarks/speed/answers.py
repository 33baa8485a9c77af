"""An answer reduced to facts, and the check that all contestants state the same facts.

A fact has a name and a value. A complete histogram gives all of them; reidrisk's answer gives all
but `histogram`, because it lists sizes above 100 in ranges; pyCANON's gives `smallest` only.
Facts of the same name must be equal.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping

Facts = Mapping[str, object]
Reader = Callable[[str], Facts]

LISTED_SINGLY = 100  # The largest crowd size that reidrisk's JSON doesn't put in a range.


class DisagreementError(Exception):
    """Two contestants state different facts about the same table."""


def range_of(size: int) -> str:
    """Name the size as reidrisk's JSON does: 1 to 100 alone, then 101-200, 201-400, ..."""
    if size <= LISTED_SINGLY:
        return str(size)
    upper = 2 * LISTED_SINGLY
    while upper < size:
        upper *= 2
    return f"{upper // 2 + 1}-{upper}"


def in_ranges(histogram: Mapping[int, int]) -> dict[str, int]:
    """Add up the crowds of each range."""
    ranges: Counter[str] = Counter()
    for size, crowds in histogram.items():
        ranges[range_of(size)] += crowds
    return dict(ranges)


def from_histogram(output: str) -> Facts:
    """Read {crowd size: number of crowds}."""
    histogram = {int(size): crowds for size, crowds in json.loads(output).items()}
    return {
        "people": sum(size * crowds for size, crowds in histogram.items()),
        "distinct": sum(histogram.values()),
        "alone": histogram.get(1, 0),
        "smallest": min(histogram),
        "ranges": in_ranges(histogram),
        "histogram": histogram,
    }


def from_reidrisk(output: str) -> Facts:
    """Read the answer of `reidrisk measure --json`."""
    answer = json.loads(output)
    return {
        "people": answer["people"],
        "distinct": answer["distinct"],
        "alone": answer["alone"]["people"],
        "smallest": answer["smallest_crowd"],
        "ranges": {size: crowds for size, crowds in answer["crowd_sizes"].items() if crowds},
    }


def from_facts(output: str) -> Facts:
    """Read facts printed as they are."""
    facts: dict[str, object] = json.loads(output)
    return facts


class Ledger:
    """The facts stated so far about the same records, each with who stated it first."""

    def __init__(self) -> None:
        """Start empty."""
        self.stated: dict[str, tuple[str, object]] = {}

    def enter(self, who: str, facts: Facts) -> None:
        """Add facts; raise DisagreementError if one differs from what was stated before."""
        for name, value in facts.items():
            first, known = self.stated.setdefault(name, (who, value))
            if value != known:
                raise DisagreementError(difference(name, first, known, who, value))


def difference(name: str, first: str, known: object, who: str, value: object) -> str:
    """Say who states what; of two histograms only the sizes that differ."""
    if isinstance(known, dict) and isinstance(value, dict):
        sizes = [size for size in known | value if known.get(size) != value.get(size)]
        known = {size: known.get(size) for size in sizes[:10]}
        value = {size: value.get(size) for size in sizes[:10]}
    return f"answers differ in `{name}`: {first} says {known}, {who} says {value}"
