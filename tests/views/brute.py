"""The truth for searches: every view of a small lattice, one loop each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import product

import numpy as np
from hypothesis import strategies as st

from reidrisk.crowds.crowd_sizes import CrowdSizes
from reidrisk.records.coded_tuples import CodedTuples
from reidrisk.searches.lattice import Lattice, View


def all_views(lattice: Lattice) -> list[View]:
    every = product(*(range(height + 1) for height in lattice.heights))
    return [view for view in every if 1 <= sum(level > 0 for level in view) <= lattice.up_to]


def coarser(one: View, other: View) -> bool:
    return all(a <= b for a, b in zip(one, other, strict=True))


def crowds(tuples: CodedTuples, attributes: Sequence[int]) -> CrowdSizes:
    held: Counter[tuple[int, ...]] = Counter()
    for row in range(tuples.rows):
        people = 1 if tuples.people is None else int(tuples.people[row])
        held[tuple(int(tuples.codes[j][row]) for j in attributes)] += people
    return CrowdSizes.of([people for people in held.values() if people])


def seen(view: View) -> list[int]:
    return [j for j, level in enumerate(view) if level]


def minimal(lattice: Lattice, risky: Callable[[View], bool]) -> set[View]:
    bad = [view for view in all_views(lattice) if risky(view)]
    return {v for v in bad if not any(w != v and coarser(w, v) for w in bad)}


def maximal(lattice: Lattice, risky: Callable[[View], bool]) -> set[View]:
    """Safe views, in the whole lattice, of which every single step up is known to be risky.

    A step up that sees more attributes than are searched is known where a risky view lies below.
    """
    border = minimal(lattice, risky)
    found = set()
    for view in all_views(lattice):
        if risky(view):
            continue
        ups = [
            (*view[:j], level + 1, *view[j + 1 :])
            for j, level in enumerate(view)
            if level < lattice.heights[j]
        ]
        if all(any(coarser(low, up) for low in border) for up in ups):
            found.add(view)
    return found


@st.composite
def tables(draw: st.DrawFn, most_rows: int = 30, most_columns: int = 5) -> CodedTuples:
    """Small tables, with and without people per row."""
    columns = draw(st.integers(1, most_columns))
    rows = draw(st.integers(1, most_rows))
    widths = tuple(draw(st.integers(1, 5)) for _ in range(columns))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    codes = [rng.integers(0, width, rows).astype(np.uint8) for width in widths]
    if columns > 1 and draw(st.booleans()):
        # One column that follows from another.
        codes[-1] = (codes[0] % widths[-1]).astype(np.uint8)
    people = None
    if draw(st.booleans()):
        people = rng.integers(0, 5, rows)
        people[0] += 1
    names = tuple(f"c{j}" for j in range(columns))
    return CodedTuples.of_codes(names, codes, widths, people)


@st.composite
def lattices(draw: st.DrawFn, most: int = 4, height: int = 3) -> Lattice:
    heights = tuple(draw(st.lists(st.integers(1, height), min_size=1, max_size=most)))
    names = tuple(f"a{j}" for j in range(len(heights)))
    return Lattice(names, heights, draw(st.integers(1, len(heights))))
