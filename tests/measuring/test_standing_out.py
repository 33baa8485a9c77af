"""Who stands out, against counting by hand."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import reidrisk as rr
from reidrisk.errors import ContradictoryOptions
from reidrisk.measurement.table_measures import standing_out

ROWS = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from(["1", "2", "3", None])), min_size=1
)


@pytest.mark.parametrize("engine", ["codes", "duckdb"])
@given(rows=ROWS)
def test_against_counting_by_hand(engine: str, rows: list[tuple[str, str | None]]) -> None:
    held = {"a": [row[0] for row in rows], "b": [row[1] for row in rows]}
    found = standing_out(rr.read(held, columns=["a", "b"], engine=engine), fewest=1, most=100)
    crowd = Counter(rows)
    expected = {}
    for place, name in enumerate("ab"):
        for value, people in Counter(row[place] for row in rows).items():
            alone = sum(row[place] == value and crowd[row] == 1 for row in rows)
            if alone:
                expected[name, value] = (people, alone)
    told = {(each.column, each.value): (each.people, each.alone) for each in found.values}
    assert told == expected
    once = [sum(n == 1 for n in Counter(held[name]).values()) for name in "ab"]
    assert list(found.held_once.values()) == once
    shares = [each.alone_share for each in found.values]
    assert shares == sorted(shares, reverse=True)


def test_rare_values_are_counted_but_not_listed() -> None:
    table = rr.read(
        {"a": ["x"] * 30 + ["y"], "b": [str(place) for place in range(31)]}, columns=["a", "b"]
    )
    found = standing_out(table)
    assert [(each.column, each.value) for each in found.values] == [("a", "x")]
    assert found.held_once == {"a": 1, "b": 31}


def test_no_column_takes_all_the_room() -> None:
    table = rr.read(rr.city(5000), columns=["postcode", "age", "sex", "occupation"])
    columns = [each.column for each in standing_out(table, most=9).values]
    assert max(Counter(columns).values()) <= 3


def test_people_of_several_rows_have_no_tuple() -> None:
    with pytest.raises(ContradictoryOptions):
        standing_out(rr.read({"p": [1, 1, 2], "a": [1, 2, 3]}, columns=["a"], person="p"))
