"""Statistics seen coarser: values become bands or shorter codes, counts and pair tables add up.

A value that is a band itself (20-24) goes into the wider band that holds all of it; one that
doesn't lie within a single wider band is refused, since its people can't be divided. An open band
(85+) and the values merged into other stay as they are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal

from reidrisk.errors import ContradictoryOptions, UnusableColumn
from reidrisk.records import NumberBands, Recoding, fitted, parsed_bands, parsed_digits
from reidrisk.statistics.statistics import (
    Attribute,
    Count,
    PairCounts,
    Statistics,
    Suppressed,
    Value,
)
from reidrisk.statistics.value_matching import band_of


def coarser(
    statistics: Statistics, bands: Mapping[str, str], levels: Mapping[str, str]
) -> Statistics:
    """The statistics with some attributes in bands (`age=5`) or by first characters."""
    both = set(bands) & set(levels)
    if both:
        raise ContradictoryOptions(f"--bands and --levels both name {sorted(both)[0]!r}")
    how = {name: parsed_bands(name, width) for name, width in bands.items()}
    how |= {name: parsed_digits(name, digits) for name, digits in levels.items()}
    labels = {name: _labels(statistics.attribute(name), each) for name, each in how.items()}
    attributes = tuple(
        _merged(each, labels[each.name]) if each.name in labels else each
        for each in statistics.attributes
    )
    pairs = tuple(_merged_pair(each, labels) for each in statistics.pairs)
    return replace(statistics, attributes=attributes, pairs=pairs)


def _labels(attribute: Attribute, how: Recoding) -> dict[Value, Value]:
    """The new label of each value; the missing one stays missing."""
    labels: dict[Value, Value] = {None: None}
    how, _ = fitted(how, attribute.name, list(attribute.counts))
    for value in attribute.counts:
        label = how.label(value)
        if label is None and isinstance(how, NumberBands):
            label = _of_band(value, how)
        if label is None:
            raise UnusableColumn(
                f"attribute {attribute.name!r} has values that can't be seen {how.describe()}",
                "a band has to hold each of its values whole; choose another width",
            )
        labels[value] = label
    return labels


def _of_band(value: str, how: NumberBands) -> str | None:
    band = band_of(value)
    if band is None:
        return None
    if math.isinf(band.high) or math.isinf(band.low):
        return value
    # In decimals, as they are written: 0.3 is no band end of 0.1 in floating point.
    low, high = Decimal(repr(band.low)), Decimal(repr(band.high))
    if band.high_open:
        # 20-24 reaches up to, not including, 25.
        high -= (high - low) * Decimal("1e-9")
    first, last = how.label(f"{low:f}"), how.label(f"{high:f}")
    return first if first == last else None


def _merged(attribute: Attribute, labels: Mapping[Value, Value]) -> Attribute:
    counts: dict[str, Count] = {}
    for value, count in attribute.counts.items():
        label = labels[value]
        assert label is not None
        counts[label] = _together(counts[label], count) if label in counts else count
    return replace(attribute, counts=counts)


def _merged_pair(pair: PairCounts, labels: Mapping[str, Mapping[Value, Value]]) -> PairCounts:
    if not labels.keys() & set(pair.of):
        return pair
    one, other = (labels.get(name) for name in pair.of)
    counts: dict[tuple[Value, Value], Count] = {}
    for (a, b), count in pair.counts.items():
        place = (one[a] if one else a), (other[b] if other else b)
        counts[place] = _together(counts[place], count) if place in counts else count
    return PairCounts(pair.of, counts)


def _together(one: Count, other: Count) -> Count:
    """A sum; of a suppressed number its limits add up."""
    if isinstance(one, int) and isinstance(other, int):
        return one + other
    limits = [(c, c) if isinstance(c, int) else (c.least, c.most) for c in (one, other)]
    least = sum(low for low, _ in limits)
    highs = [high for _, high in limits]
    below = None if None in highs else sum(high for high in highs if high is not None) + 1
    return Suppressed(below, least)
