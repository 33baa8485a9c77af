"""Candidates by counting against all pairs compared one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reidrisk as rr
from reidrisk.linkage.candidates import candidates
from reidrisk.linkage.text_forms import compared_as, normalised_text, phonetic_text, soundex
from reidrisk.linkage.tolerance import near_values, parsed_tolerance
from reidrisk.linkage.two_sides import TwoSides
from reidrisk.records import CodedTuples

Row = tuple[str | None, ...]
NAMES = ["a", "b", "c"]
cells = st.sampled_from(["1", "2", "3", "4", None])
sides_drawn = st.lists(st.tuples(cells, cells, cells), min_size=1, max_size=12)
people_drawn = st.lists(st.integers(0, 3), min_size=12, max_size=12)


def tuples_of(rows: list[Row], people: list[int] | None = None) -> CodedTuples:
    table: dict[str, list[object]] = {
        name: [row[place] for row in rows] for place, name in enumerate(NAMES)
    }
    table["beside"] = ["x"] * len(rows)
    if people is not None:
        table["people"] = people[: len(rows)]
    told = {"count": "people"} if people is not None else {}
    return rr.read(table, columns=[*NAMES, "beside"], **told).engine.coded_tuples(NAMES)


def differences(one: Row, other: Row, wild: bool, within: float = 0.0) -> int:
    found = 0
    for place, (mine, theirs) in enumerate(zip(one, other, strict=True)):
        if wild and (mine is None or theirs is None):
            continue
        near = mine is not None and theirs is not None and place == 0
        if near and abs(float(mine or 0) - float(theirs or 0)) <= within:
            continue
        found += mine != theirs
    return found


@given(sides_drawn, sides_drawn, people_drawn, st.integers(0, 2), st.booleans(), st.integers(0, 2))
def test_exactly_so_many_differences(
    released: list[Row],
    register: list[Row],
    people: list[int],
    errors: int,
    wild: bool,
    within: int,
) -> None:
    people = [*people[: len(register)]]
    people[0] = max(people[0], 1)
    sides = TwoSides.of(tuples_of(released), tuples_of(register, people))
    near = {}
    if within and any(row[0] is not None for row in (*released, *register)):
        tolerance = parsed_tolerance("a", within)
        near = {0: near_values(sides.columns[0], tolerance, sides.codes(0)[1])}
    found = candidates(sides, errors, near, wild)
    far = within if near else 0
    for m, counted in enumerate(found.exactly):
        for row, one in enumerate(released):
            those = [
                at for at, other in enumerate(register) if differences(one, other, wild, far) == m
            ]
            assert counted.people[row] == sum(people[at] for at in those)
            assert counted.rows[row] == sum(at for at in those if people[at])
    number, rows, fewest = found.fewest
    for row, one in enumerate(released):
        each = {
            at: differences(one, other, wild, far)
            for at, other in enumerate(register)
            if people[at]
        }
        within_errors = {at: m for at, m in each.items() if m <= errors}
        if not within_errors:
            assert (number[row], fewest[row]) == (0, -1)
            continue
        best = min(within_errors.values())
        nearest = [at for at, m in within_errors.items() if m == best]
        assert number[row] == sum(people[at] for at in nearest)
        assert fewest[row] == best
        if number[row] == 1:
            assert rows[row] == nearest[0]


def test_dates_agree_within_days() -> None:
    one = ["2020-02-28", "2020-12-31", None]
    other = ["2020-03-01", "2021-01-02", "2020-12-01"]
    read = {"born": one, "x": ["1"] * 3}, {"born": other, "x": ["1"] * 3}
    tuples = [rr.read(each, columns=["born", "x"]).engine.coded_tuples(["born", "x"])
              for each in read]  # fmt: skip
    sides = TwoSides.of(*tuples)
    for given_, wanted in (("1d", [0, 0, 0]), ("2d", [1, 1, 0]), ("1m", [1, 2, 0])):
        near = near_values(sides.columns[0], parsed_tolerance("born", given_), sides.codes(0)[1])
        assert candidates(sides, 0, {0: near}).exactly[0].people.tolist() == wanted


@pytest.mark.parametrize("given_", ["x", "-1", "1q", "", "1e3"])
def test_what_is_no_tolerance(given_: str) -> None:
    with pytest.raises(rr.InputError, match="tolerance"):
        parsed_tolerance("age", given_)


def test_soundex_as_the_national_archives_has_it() -> None:
    """Their own examples."""
    known = {
        "washington": "w252", "lee": "l000", "gutierrez": "g362", "pfister": "p236",
        "jackson": "j250", "tymczak": "t522", "ashcraft": "a261", "vandeusen": "v532",
    }  # fmt: skip
    assert {name: soundex(name) for name in known} == known
    assert phonetic_text("O'Brien") == phonetic_text("obrian")
    assert phonetic_text("Müller") == phonetic_text("muller")
    assert phonetic_text("東京") == "東京"
    assert normalised_text("St. Mary's  Road 3") == "stmarysroad3"


def test_forms_merge_values_and_keep_people() -> None:
    tuples = rr.read({"a": ["Meier", "meyer", None, "Schulz"], "b": ["1"] * 4},
                     columns=["a", "b"]).engine.coded_tuples(["a", "b"])  # fmt: skip
    found = compared_as(tuples, {"a": phonetic_text})
    assert found.counts == {("m600", "1"): 2, ("s420", "1"): 1, (None, "1"): 1}


def test_too_many_counts_are_refused() -> None:
    rows = {f"c{i}": [str(i)] for i in range(30)}
    tuples = rr.read(rows, columns=list(rows)).engine.coded_tuples(list(rows))
    with pytest.raises(rr.InputError, match="allow fewer errors"):
        candidates(TwoSides.of(tuples, tuples), 5)
    with pytest.raises(rr.InputError, match="from 0 to 29"):
        candidates(TwoSides.of(tuples, tuples), 30)


def test_keys_of_many_columns_agree() -> None:
    """More combinations than 63 bits hold: both sides are numbered together."""
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 300, size=(50, 12)).astype(str)
    names = [f"c{i}" for i in range(12)]
    first = rr.read(dict(zip(names, rows.T, strict=True)), columns=names)
    second = rr.read(dict(zip(names, rows[::-1].T, strict=True)), columns=names)
    sides = TwoSides.of(first.engine.coded_tuples(names), second.engine.coded_tuples(names))
    number, place, _ = candidates(sides, 0).fewest
    assert number.tolist() == [1] * 50
    assert place.tolist() == list(range(49, -1, -1))
