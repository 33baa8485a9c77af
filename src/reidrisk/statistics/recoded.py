"""Statistics seen coarser: values become bands or shorter codes, counts and pair tables add up.

Statistics whose protection changed their numbers, or left some out, keep them: what is seen coarser
is `Determined` by what was published, and added up once that is complete (`grouped_counts`).

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
from reidrisk.statistics.determined import (
    Labels,
    of_labels,
    of_map,
    still_shared,
    triple_of_labels,
    with_determined,
)
from reidrisk.statistics.statistics import Attribute, Determined, Statistics, Value
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
    if statistics.hides_numbers:
        return _seen_through(statistics, labels)
    attributes = tuple(
        of_map(each, each.name, labels[each.name]) if each.name in labels else each
        for each in statistics.attributes
    )
    pairs = tuple(of_labels(each, labels) for each in statistics.pairs)
    triples = tuple(triple_of_labels(each, labels) for each in statistics.triples)
    shared = still_shared(statistics.shared, statistics.names, labels)
    return replace(statistics, attributes=attributes, pairs=pairs, triples=triples, shared=shared)


def _seen_through(statistics: Statistics, labels: Labels) -> Statistics:
    """Numbers that a protection changed or left out are worked out first, and added up then."""
    maps = dict(statistics.determined)
    for name, of_value in labels.items():
        known = maps.get(name)
        if known is None:
            maps[name] = Determined(name, of_value)
        else:
            through = {value: of_value[label] for value, label in known.labels.items()}
            maps[name] = Determined(known.by, through)
    return with_determined(statistics.published, maps, statistics.names)


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
