"""Ways to share people out, against all of them written down."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reidrisk.statistics.compositions import Compositions
from reidrisk.statistics.hidden_counts import HiddenCounts
from reidrisk.statistics.imputation import completed, completed_attribute
from reidrisk.statistics.statistics import Attribute, Other, Statistics, Suppressed


def every_way(people: int, least: list[int], most: list[int]) -> np.ndarray:
    ranges = [range(low, high + 1) for low, high in zip(least, most, strict=True)]
    return np.array([way for way in product(*ranges) if sum(way) == people])


@st.composite
def limits(draw: st.DrawFn) -> tuple[int, list[int], list[int]]:
    least = draw(st.lists(st.integers(0, 3), min_size=1, max_size=4))
    most = [low + draw(st.integers(0, 5)) for low in least]
    return draw(st.integers(sum(least), sum(most))), least, most


@given(limits(), st.integers(0, 2**32 - 1))
def test_all_ways_are_equally_likely(case: tuple[int, list[int], list[int]], seed: int) -> None:
    people, least, most = case
    found = Compositions(people, np.array(least), np.array(most))
    ways = every_way(people, least, most)
    assert found.number == len(ways)
    assert {tuple(way) for way in found.listed(10_000) or ()} == {tuple(way) for way in ways}
    assert found.expected == pytest.approx(ways.mean(axis=0), abs=1e-9)
    for place in range(len(least)):
        numbers, chance = found.law(place)
        held = [np.mean(ways[:, place] == number) for number in numbers]
        assert chance == pytest.approx(held, abs=1e-9)
        assert sum(held) == pytest.approx(1.0)
    unevenness = (ways**2).sum(axis=1)
    assert (found.even() ** 2).sum() == unevenness.min()
    drawn = found.draw(np.random.default_rng(seed))
    for way in (found.even(), found.uneven(), found.typical(), drawn):
        assert tuple(way) in {tuple(each) for each in ways}


@given(st.integers(2, 40), st.integers(1, 4), st.data())
def test_the_least_even_way_of_values_alike(values: int, room: int, data: st.DataObject) -> None:
    people = data.draw(st.integers(values, values * (room + 1)))
    found = Compositions.alike(people, values, 1, room + 1)
    drawn = found.draw(np.random.default_rng(0))
    assert (found.even() ** 2).sum() <= (drawn**2).sum() <= (found.uneven() ** 2).sum()


def test_draws_follow_the_law() -> None:
    found = Compositions.alike(9, 4, 1, 4)
    rng = np.random.default_rng(3)
    drawn = np.stack([found.draw(rng) for _ in range(4000)])
    numbers, chance = found.law(2)
    held = [np.mean(drawn[:, 2] == number) for number in numbers]
    assert held == pytest.approx(chance, abs=0.03)


@pytest.mark.parametrize(("people", "values", "most"), [(3122, 2097, 4), (10**6, 1000, 10**6)])
def test_many_values(people: int, values: int, most: int) -> None:
    found = Compositions.alike(people, values, 1, most)
    assert found.expected.sum() == pytest.approx(people)
    for way in (found.typical(), found.draw(np.random.default_rng(1)), found.even()):
        assert way.sum() == people
        assert way.min() >= 1
        assert way.max() <= most


def test_one_small_and_one_large_count() -> None:
    found = Compositions(47058, np.array([1, 0]), np.array([4, 47058]))
    numbers, chance = found.law(0)
    assert numbers.tolist() == [1, 2, 3, 4]
    assert chance == pytest.approx([0.25] * 4)


def hidden_of(attribute: Attribute, records: int, at_least: int | None = None) -> HiddenCounts:
    found = completed_attribute(attribute, records, at_least=at_least).hidden
    assert found is not None
    return found


def test_held_back_below_five_is_one_to_four() -> None:
    two = Attribute("town", {"A": 96, "C": Suppressed(5), "D": Suppressed(5)})
    assert hidden_of(two, 100).law(1)[0].tolist() == [1, 2, 3]
    # One person and two values: a nought is possible, for nothing else is.
    assert hidden_of(two, 97).law(1)[0].tolist() == [0, 1]
    # Nothing is known of null, so nobody may hold it.
    either = Attribute("town", {"A": 96, "C": Suppressed(), "D": Suppressed()})
    assert hidden_of(either, 100).law(1)[0].tolist() == [0, 1, 2, 3, 4]


def test_a_safe_value_among_those_lumped_together() -> None:
    """Folded below 5, 47,058 people of two values can only be 1 to 4 and the others."""
    gender = Attribute("gender", {"Female": 54708}, 0, Other(47058, 2))
    found = hidden_of(gender, 101766, 5)
    assert [sorted(counts[1:].tolist()) for _, counts in found.listed(10) or ()] == [
        [few, 47058 - few] for few in (1, 2, 3, 4)
    ]
    assert found.law(1)[0].tolist() == [1, 2, 3, 4, 47054, 47055, 47056, 47057]
    assert found.expected[1:].tolist() == [23529, 23529]
    assert Statistics(101766, (gender,), at_least=5).at_least == 5
    assert min(completed(Statistics(101766, (gender,), at_least=5)).attributes[0].counts) < 5


def test_small_values_lumped_together_stay_small() -> None:
    """14 values of 25 people: all below 5, or 13 of one person each, which the last one hides."""
    found = hidden_of(Attribute("speciality", {"x": 75}, 0, Other(25, 14)), 100, 5)
    numbers, chance = found.law(1)
    assert chance[numbers < 5].sum() > 0.9999
    assert 12 in numbers
    # Six people of two values: both below 5, or one of them had to join the other.
    either = hidden_of(Attribute("a", {"x": 94}, 0, Other(6, 2)), 100, 5)
    assert {tuple(sorted(c[1:])) for _, c in either.listed(10) or ()} == {(1, 5), (2, 4), (3, 3)}
    # Three values of 14 people: one joined, or two as large as each other.
    three = hidden_of(Attribute("a", {"x": 89}, 0, Other(14, 3)), 103, 5)
    ways = {tuple(sorted(c[1:])) for _, c in three.listed(20) or ()}
    assert {(1, 1, 12), (1, 3, 10), (4, 4, 6), (4, 5, 5)} <= ways
    assert all(sum(way) == 14 and way[0] < 5 for way in ways)
