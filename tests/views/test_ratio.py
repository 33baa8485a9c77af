from __future__ import annotations

from itertools import combinations, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import reidrisk as rr
from reidrisk.errors import InputError
from reidrisk.records.coded_tuples import CodedTuples
from reidrisk.searches.combination_ranking import shapley_shares
from reidrisk.searches.lattice import Lattice
from reidrisk.searches.ratio import RatioCounting
from tests.views.brute import crowds, tables


def each_person(tuples: CodedTuples, attributes) -> list[float]:
    """z of every person, one loop a row."""
    rows = [
        tuple(int(codes[row]) for codes in tuples.codes)
        for row in range(tuples.rows)
        for _ in range(1 if tuples.people is None else int(tuples.people[row]))
    ]

    def crowd(row, chosen) -> int:
        return sum(all(row[j] == other[j] for j in chosen) for other in rows)

    return [
        (1 / crowd(row, attributes)) / max(1 / crowd(row, [j]) for j in attributes) for row in rows
    ]


@given(tables(most_rows=15, most_columns=4), st.floats(1, 8), st.data())
def test_ratios_of_everybody(tuples: CodedTuples, above: float, data: st.DataObject) -> None:
    size = data.draw(st.integers(1, len(tuples.columns)))
    counting = RatioCounting(tuples)
    for attributes in combinations(range(len(tuples.columns)), size):
        z = sorted(each_person(tuples, attributes))
        found = counting.ratios(attributes, above)
        assert found.mean == pytest.approx(sum(z) / len(z))
        assert found.median == pytest.approx(z[(len(z) - 1) // 2])
        assert found.largest == pytest.approx(z[-1])
        if all(abs(one - above) > 1e-9 for one in z):
            assert found.share_above == pytest.approx(sum(one > above for one in z) / len(z))
        assert z[0] >= 1 - 1e-12


@given(tables(most_columns=4))
def test_shapley_is_the_mean_over_all_orders(tuples: CodedTuples) -> None:
    d = len(tuples.columns)
    lattice = Lattice.of_knowledge(tuples.columns)
    value = {0: 1 / tuples.total}
    for bits in lattice.all_bits():
        value[bits] = crowds(tuples, lattice.seen(bits)).overall_risk
    added = [0.0] * d
    for order in permutations(range(d)):
        bits = 0
        for j in order:
            added[j] += value[bits | 1 << j] - value[bits]
            bits |= 1 << j
    nothing = value.pop(0)
    found = shapley_shares(lattice, value, nothing)
    whole = sum(added)
    expected = [one / whole if whole > 1e-12 else 0 for one in added]
    assert found == pytest.approx(expected, abs=1e-9)


def test_by_hand() -> None:
    """Four people, each alone by two columns of two values: z = 2 for everybody."""
    table = rr.read({"age": [39, 39, 40, 40], "sex": ["f", "m", "f", "m"]})
    found = rr.search(table, ratio=1.5, attributes=2)
    (only,) = found.combinations
    assert (only.columns, only.mean, only.median, only.largest, only.share_above) == (
        ("age", "sex"), 2, 2, 2, 1,
    )  # fmt: skip
    assert {one.attribute: one.share for one in found.adds} == {"age": 0.5, "sex": 0.5}
    assert found.searched.complete


def test_stopped_it_says_how_many_are_left() -> None:
    table = rr.read({name: [1, 2, 3, 4] for name in "abcdefgh"})
    found = rr.search(table, ratio=2, attributes=3, view_limit=10)
    assert (found.searched.counted, found.searched.open_views) == (10, 46)
    assert not found.searched.complete


def test_a_limit_that_is_just_enough_leaves_nothing_out() -> None:
    """56 combinations counted of 56: what each column adds is told as without a limit."""
    table = rr.read({name: [1, 2, 3, 4] for name in "abcdefgh"})
    found = rr.search(table, ratio=2, attributes=3, view_limit=56)
    assert found.searched.complete
    assert len(found.adds) == 8
    assert found.adds == rr.search(table, ratio=2, attributes=3).adds


def test_time_is_looked_at_between_combinations() -> None:
    table = rr.read({name: [1, 2, 3, 4] for name in "abcdefgh"})
    found = rr.search(table, ratio=2, attributes=3, time_limit=1e-9)
    assert (found.searched.counted, found.searched.open_views) == (0, 56)
    assert found.adds == ()
    assert "0 combinations of 3 columns" in str(found)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"ratio": 0.5, "attributes": 2}, "below 1"),
        ({"ratio": float("nan"), "attributes": 2}, "ratio=nan: it is a number from 1"),
        ({"ratio": 2.0, "attributes": 2, "up_to": 1}, "takes no up_to"),
        ({"ratio": 2.0, "attributes": 3}, "there are 2 attributes"),
        ({"ratio": 2.0, "attributes": 0}, "there are 2 attributes"),
        ({"ratio": 2.0}, "belong together"),
        ({"ratio": 2.0, "attributes": 1, "measure": "alone_share"}, "no measure"),
    ],
)
def test_bad_questions(asked: dict, said: str) -> None:
    table = rr.read({"age": [39, 40], "sex": ["f", "m"]})
    with pytest.raises(InputError, match=said):
        rr.search(table, **asked)
