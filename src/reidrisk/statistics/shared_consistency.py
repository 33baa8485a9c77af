"""Whether what is said of people who share some attributes agrees with itself and with pair tables.

Symbols: n people, D combinations, G people in groups of two and more. Besides G there are n − G
people alone, a combination each, and groups of at least two:

    n − G ≤ D ≤ n − G/2,   0 ≤ G ≤ n,   D ≥ x for x cells listed of any two of the attributes,

but for what was done to each number (`slack`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

from reidrisk.statistics.statistics import SharedCounts, Statistics

Slack = Callable[[int], float]


def shared_disagreements(statistics: Statistics, slack: Slack) -> Iterator[str]:
    """Every disagreement, as a sentence."""
    shared = statistics.shared
    if shared is None:
        return
    called = f"the people who share {', '.join(map(repr, shared.of[:-1]))} and {shared.of[-1]!r}"
    unknown = [name for name in shared.of if name not in statistics.names]
    if unknown:
        yield f"{called}: there is no attribute {unknown[0]!r} with counts"
    elif len(set(shared.of)) < len(shared.of):
        yield f"{called}: an attribute is listed twice"
    else:
        yield from (f"{called}: {what}" for what in _of_people(shared, statistics.records, slack))
        yield from (f"{called}: {what}" for what in _of_cells(shared, statistics, slack))


def _of_people(shared: SharedCounts, people: int, slack: Slack) -> Iterator[str]:
    distinct, grouped = shared.combinations, shared.in_groups
    if grouped > people + slack(2):
        yield f"{grouped:,} in groups, more than the {people:,} records"
        return
    alone = people - grouped
    if distinct > alone + grouped / 2 + slack(3):
        yield f"{distinct:,} combinations, more than {grouped:,} in groups of {people:,} can have"
    if distinct < max(alone, 1) - slack(3):
        yield f"{distinct:,} combinations, fewer than the {alone:,} people who share with nobody"


def _of_cells(shared: SharedCounts, statistics: Statistics, slack: Slack) -> Iterator[str]:
    """A pair of values that somebody has is in a combination."""
    for one, other in combinations(shared.of, 2):
        pair = statistics.pair(one, other)
        if pair is None:
            continue
        cells = sum(1 for count in pair.counts.values() if isinstance(count, int) and count)
        if shared.combinations < cells - slack(1):
            yield (
                f"{shared.combinations:,} combinations, fewer than the {cells:,} of {one!r} and "
                f"{other!r}"
            )
