"""A publishable report beside a rounded file of the same people, and beside another report.

The attacker knows n, the program and every table there can be, and keeps those that allow both.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cache
from itertools import combinations

import numpy as np
import pytest

from tests.publishing.enumerated_tables import Tables, numbers_of
from tests.reports.test_attacker import told

Sizes = tuple[int, ...]


@cache
def reported(crowds: Sizes, people: int, least: int) -> int:
    """A report's figures of crowds of these sizes, as a number that only they have."""
    return hash(repr(told(Counter(crowds), people, least)))


def crowds_of(tables: Tables, row: int, columns: Sizes) -> Sizes:
    """The crowds on these columns, in the order of their sizes."""
    held = tables.rows[row].reshape(tables.sizes)
    others = tuple(side for side in range(held.ndim) if side not in columns)
    return tuple(sorted(n for n in held.sum(axis=others).ravel().tolist() if n))


def reports_of(tables: Tables, row: int, columns: list[Sizes]) -> tuple[int, ...]:
    """What reports on each of these sets of columns tell."""
    people = int(tables.people[row])
    return tuple(reported(crowds_of(tables, row, each), people, tables.base) for each in columns)


def certain(sizes: list[int], people: int, base: int, files: int, seed: int) -> tuple[int, int]:
    """Small counts of random tables that are certain from a rounded file to who knows n; from the
    file and the reports on each and on all of its columns.
    """
    tables, rng = Tables(sizes, people, people, base), np.random.default_rng(seed)
    columns = [(side,) for side in range(len(sizes))] + [tuple(range(len(sizes)))]
    some = [margin.min(axis=1) > 0 for margin in tables.margins]
    drawn = np.flatnonzero(np.logical_and.reduce(some))
    without = beside = done = 0
    while done < files:
        truth = int(rng.choice(drawn))
        file = numbers_of(tables.records(truth), sizes, rng.bytes(32), base)
        if file is None:
            continue
        done += 1
        alive, _ = tables.likelihood(file)
        seen = reports_of(tables, truth, columns)
        same = np.array([reports_of(tables, row, columns) == seen for row in alive.tolist()])
        for (i, j, a, b), exact in tables.cells.items():
            if 0 < exact[truth] < base and file.pairs[i, j][a, b] >= 0:
                without += len(np.unique(exact[alive])) == 1
                beside += len(np.unique(exact[alive[same]])) == 1
    return without, beside


@pytest.mark.parametrize(
    ("sizes", "people", "base", "files", "expected"),
    [
        ([2, 2], 30, 5, 40, (0, 0)),
        ([2, 2], 37, 5, 200, (1, 2)),
        ([2, 2], 20, 3, 100, (0, 4)),
        pytest.param([2, 3], 30, 5, 15, (0, 0), marks=pytest.mark.slow),
    ],
)
def test_how_many_counts_reports_beside_a_rounded_file_make_certain(
    sizes: list[int], people: int, base: int, files: int, expected: tuple[int, int]
) -> None:
    """As the limits say: a few, one of them by n alone. The two aren't made for each other."""
    assert certain(sizes, people, base, files, seed=1) == expected


def told_by_reports(sizes: list[int], people: int, least: int, columns: list[Sizes]) -> list[Sizes]:
    """For which sizes below t reports on several sets of columns together tell how many people, or
    crowds, of 1 to t − 1 are in crowds of such sizes, on the last of the sets.
    """
    tables = Tables(sizes, people, people, least)
    held = [c for many in range(1, least) for c in combinations(range(1, least), many)]
    possible: dict[tuple[int, ...], dict[Sizes, tuple[set[int], set[int]]]] = defaultdict(dict)
    for row in range(len(tables.rows)):
        agreeing = possible[reports_of(tables, row, columns)]
        crowds = Counter(crowds_of(tables, row, columns[-1]))
        for each in held:
            in_people, in_crowds = agreeing.setdefault(each, (set(), set()))
            in_people.add(sum(size * crowds[size] for size in each))
            in_crowds.add(sum(crowds[size] for size in each))
    small = set(range(1, least))
    return [sizes for each in possible.values() for sizes, both in each.items()
            if both[0] <= small or both[1] <= small]  # fmt: skip


def test_one_report_tells_no_small_count_of_tables_of_few_values() -> None:
    """Somebody who knows how many combinations there can be is among the attackers too."""
    assert not told_by_reports([2, 2], 18, 3, [(0, 1)])


def test_what_the_limits_say_of_several_reports_on_different_columns() -> None:
    assert told_by_reports([2, 2], 18, 3, [(0,), (0, 1)])
    assert told_by_reports([2, 2], 18, 3, [(0,), (1,), (0, 1)])
