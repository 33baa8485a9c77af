"""Gap limits: between which numbers a count that was held back must lie, by its pair tables.

A value's people are at least the stated cells of its row in any pair table; where every cell of the
row is stated they are exactly that many, and where the others are known to be below a number, at
most so many more.
"""

from __future__ import annotations

from reidrisk.statistics.statistics import Attribute, Count, Statistics, Suppressed, Value

Limits = tuple[int, int | None]


def gap_limits(statistics: Statistics, name: str) -> dict[Value, Limits]:
    """(least, most) of each count of an attribute that was held back; most is None if unlimited."""
    attribute = statistics.attribute(name)
    held: dict[Value, Count] = {None: attribute.missing}
    held.update(attribute.counts.items())
    gaps = {value: count for value, count in held.items() if isinstance(count, Suppressed)}
    found: dict[Value, Limits] = {value: (count.least, count.most) for value, count in gaps.items()}
    if statistics.rounded_to:
        # Rounded rows are no limits.
        return found
    for pair in statistics.pairs:
        if name not in pair.of or pair.of[0] == pair.of[1]:
            continue
        other = pair.of[1 - pair.of.index(name)]
        cells = statistics.pair(name, other)
        assert cells is not None
        across = _all_values(statistics.attribute(other))
        for value in gaps:
            row = [cells.counts.get((value, each)) for each in across]
            found[value] = _tighter(found[value], row, across.count(UNNAMED) > 0)
    return found


UNNAMED = "\0other"


def _all_values(attribute: Attribute) -> list[Value]:
    """Every value a pair's other side may have; those lumped together stand once, unnamed."""
    values: list[Value] = list(attribute.counts)
    values += [None] if attribute.missing != 0 else []
    return values + ([UNNAMED] if attribute.other is not None else [])


def _tighter(limits: Limits, row: list[int | Suppressed | None], lumped: bool) -> Limits:
    least, most = limits
    stated = sum(cell for cell in row if isinstance(cell, int))
    unstated = [cell for cell in row if not isinstance(cell, int)]
    rooms = [cell.most if isinstance(cell, Suppressed) else None for cell in unstated]
    least = max(least, stated)
    if not lumped and None not in rooms:
        top = stated + sum(room for room in rooms if room is not None)
        most = top if most is None else min(most, top)
    return least, most if most is None else max(most, least)
