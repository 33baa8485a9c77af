"""Joint bounds are sound, find what several tables say together, and stop when asked to."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reidrisk.publishing.joint_bounds import Interval, JointBounds

Tables = dict[tuple[int, int], np.ndarray]


def counted(codes: np.ndarray, sizes: list[int]) -> tuple[list[np.ndarray], Tables]:
    """Margins and all pair tables of records, the long way."""
    margins = [np.bincount(codes[:, i], minlength=size) for i, size in enumerate(sizes)]
    tables = {}
    for i, j in combinations(range(len(sizes)), 2):
        table = np.zeros((sizes[i], sizes[j]), dtype=np.int64)
        np.add.at(table, (codes[:, i], codes[:, j]), 1)
        tables[i, j] = table
    return margins, tables


def bounds_within(
    people: int, margins: list[np.ndarray], tables: Tables, away: dict[tuple[int, int], np.ndarray]
) -> JointBounds:
    """Everything exact but the cells that are away, which are from nobody to everybody."""
    return JointBounds(
        exactly(np.array([people])),
        tuple(exactly(margin) for margin in margins),
        {
            pair: Interval.between(
                np.where(away[pair], 0, table), np.where(away[pair], people, table)
            )
            for pair, table in tables.items()
        },
    )


def exactly(counts: np.ndarray) -> Interval:
    return Interval.between(counts, counts)


def loosely(counts: np.ndarray, rng: np.random.Generator, width: int) -> Interval:
    return Interval.between(
        counts - rng.integers(0, width + 1, counts.shape),
        counts + rng.integers(0, width + 1, counts.shape),
    )


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(0, 4))
def test_the_truth_lies_within_the_bounds(seed: int, width: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 5, size=rng.integers(2, 5)).tolist()
    people = int(rng.integers(1, 30))
    codes = np.stack([rng.integers(0, size, people) for size in sizes], axis=1)
    margins, tables = counted(codes, sizes)
    bounds = JointBounds(
        loosely(np.array([people]), rng, width),
        tuple(loosely(margin, rng, width) for margin in margins),
        {pair: loosely(table, rng, width) for pair, table in tables.items()},
    )
    started = [(held.least.copy(), held.most.copy()) for held in bounds.tables.values()]
    bounds.propagate()
    parts = [(bounds.people, np.array([people])), *zip(bounds.margins, margins, strict=True)]
    parts += [(bounds.tables[pair], table) for pair, table in tables.items()]
    for held, true in parts:
        assert (held.least <= true).all()
        assert (true <= held.most).all()
    for held, (least, most) in zip(bounds.tables.values(), started, strict=True):
        assert (held.least >= least).all()
        assert (held.most <= most).all()


def test_a_hidden_cell_of_a_complete_row_is_what_is_left() -> None:
    table = np.array([[7, 2], [5, 9]])
    away = {(0, 1): np.array([[False, True], [False, False]])}
    bounds = bounds_within(23, [table.sum(1), table.sum(0)], {(0, 1): table}, away).propagate()
    assert bounds.tables[0, 1].least[0, 1] == bounds.tables[0, 1].most[0, 1] == 2


def test_a_county_minus_its_other_postcodes_is_the_postcode_left_out() -> None:
    """Rows and columns of each table alone leave a choice; the hierarchy takes it away."""
    # Postcodes 0-1 lie in county 0, 2-4 in county 1; two ages.
    people = {(0, 0): 9, (0, 1): 8, (1, 0): 3, (1, 1): 7, (2, 0): 2, (2, 1): 9, (3, 0): 4}
    people |= {(3, 1): 6, (4, 0): 8, (4, 1): 8}
    county = [0, 0, 1, 1, 1]
    codes = np.array([(p, county[p], a) for (p, a), n in people.items() for _ in range(n)])
    margins, tables = counted(codes, [5, 2, 2])
    by_age = tables[0, 2]
    away = {pair: np.zeros(table.shape, dtype=bool) for pair, table in tables.items()}
    # One small cell of each county is hidden, and one more in each row and each column.
    away[0, 2][1:4] = True
    alone = bounds_within(64, [margins[0], margins[2]], {(0, 1): by_age}, {(0, 1): away[0, 2]})
    alone.propagate()
    assert (alone.tables[0, 1].least < alone.tables[0, 1].most)[1:4].all()
    together = bounds_within(64, margins, tables, away).propagate()
    found = together.tables[0, 2]
    assert found.least[1].tolist() == found.most[1].tolist() == [3, 7]
    assert (found.least < found.most)[2:4].all()


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(0, 3))
def test_the_truth_lies_within_the_bounds_of_cells_known_not_to_be_all(
    seed: int, width: int
) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 5, size=rng.integers(2, 4)).tolist()
    codes = np.stack([rng.integers(0, size, 12) for size in sizes], axis=1)
    margins, tables = counted(codes, sizes)
    apart = {
        (i, j): (
            (table != margins[i][:, None]) & (rng.random(table.shape) < 0.7),
            (table != margins[j][None, :]) & (rng.random(table.shape) < 0.7),
        )
        for (i, j), table in tables.items()
    }
    loose = {pair: loosely(table, rng, width) for pair, table in tables.items()}
    bounds = JointBounds(
        loosely(np.array([12]), rng, width),
        tuple(loosely(margin, rng, width) for margin in margins),
        loose,
        apart=apart,
    ).propagate()
    parts = [*zip(bounds.margins, margins, strict=True)]
    parts += [(bounds.tables[pair], table) for pair, table in tables.items()]
    for held, true in parts:
        assert (held.least <= true).all()
        assert (true <= held.most).all()


def test_a_cell_that_isnt_all_of_its_row_leaves_somebody_elsewhere() -> None:
    """5 to 8 people, 7 to 11 of them in one cell: the other one has nobody or one, unless the first
    is known not to be all.
    """

    def bounds(*apart: bool) -> JointBounds:
        row = Interval.between(np.array([[7, 0]]), np.array([[11, 2]]))
        people = Interval.between(np.array([5]), np.array([8]))
        columns = Interval.between(np.array([0, 0]), np.array([20, 20]))
        nothing = np.zeros((1, 2), dtype=bool)
        return JointBounds(
            people, (Interval.between(people.least, people.most), columns), {(0, 1): row},
            apart={(0, 1): (np.array([apart]), nothing)},
        ).propagate()  # fmt: skip

    unknown, known = bounds(False, False).tables[0, 1], bounds(True, False).tables[0, 1]
    assert (unknown.least[0].tolist(), unknown.most[0].tolist()) == ([7, 0], [8, 1])
    assert (known.least[0].tolist(), known.most[0].tolist()) == ([7, 1], [7, 1])


def test_twins_pin_what_one_table_hides() -> None:
    """Two names of one attribute: a cell hidden under one name is listed under the other."""
    rng = np.random.default_rng(3)
    first, second = rng.integers(0, 4, 60), rng.integers(0, 3, 60)
    margins, tables = counted(np.stack([first, first, second], axis=1), [4, 4, 3])
    away = {pair: np.zeros(table.shape, dtype=bool) for pair, table in tables.items()}
    away[0, 2][:] = True
    bounds = bounds_within(60, margins, tables, away).propagate()
    assert np.array_equal(bounds.tables[0, 2].least, tables[0, 2])
    assert np.array_equal(bounds.tables[0, 2].most, tables[0, 2])


def test_out_of_time_is_said() -> None:
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 3, (50, 5))
    margins, tables = counted(codes, [3] * 5)
    away = {pair: table < 5 for pair, table in tables.items()}
    stopped = bounds_within(50, margins, tables, away).propagate(seconds=0.0)
    assert stopped.out_of_time
    assert stopped.triples_done == 0
    assert not bounds_within(50, margins, tables, away).propagate().out_of_time


def test_triples_too_large_are_left_out_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    codes = np.random.default_rng(1).integers(0, 3, (50, 3))
    margins, tables = counted(codes, [3] * 3)
    away = {pair: table < 5 for pair, table in tables.items()}
    monkeypatch.setattr("reidrisk.publishing.joint_bounds.MOST_CELLS", 26)
    assert bounds_within(50, margins, tables, away).propagate().triples_left_out >= 1
