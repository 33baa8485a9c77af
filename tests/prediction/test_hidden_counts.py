"""What is predicted where counts are hidden, against every table that agrees with the file."""

from __future__ import annotations

from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reidrisk as rr
from reidrisk.prediction.hidden_cells import representatives
from reidrisk.statistics.statistics import Attribute, Other, PairCounts, Statistics, Suppressed

TOWN = Attribute("town", {"A": 60, "B": 36, "C": Suppressed(5), "D": Suppressed(5)})
TWO_SMALL = Statistics(100, (TOWN,))


def test_two_small_values_are_no_certainty() -> None:
    """Four people of two values: 1 + 3, 2 + 2 or 3 + 1, so one is alone in two of three tables."""
    risk = rr.predict(TWO_SMALL)
    assert risk.alone.people == pytest.approx(2 / 3)
    low, high = risk.intervals["alone_share"]
    assert low == 0.0
    assert high >= 0.01
    assert risk.crowd_sizes.people == pytest.approx(100)
    assert any("all 3 possible imputations" in said for said in risk.envelope.assumptions)
    assert risk.envelope.seed is None


@pytest.mark.parametrize("model", ["tree", "pairwise", "groups", "pair", "paper", "independent"])
def test_a_person_of_a_small_value_may_be_alone(model: str) -> None:
    unknown = rr.person(TWO_SMALL, {"town": "C"}, given="unknown", model=model)
    assert unknown.expected_crowd == pytest.approx(2)
    assert 1 - unknown.k_indistinguishable[2] == pytest.approx(1 / 3)
    assert unknown.risk == pytest.approx((1 + 1 / 2 + 1 / 3) / 3)
    # A member is met in each table as often as there are people of the value.
    member = rr.person(TWO_SMALL, {"town": "C"}, model=model)
    assert 1 - member.k_indistinguishable[2] == pytest.approx(1 / 6)
    assert member.expected_crowd == pytest.approx((1 + 4 + 9) / 6)
    assert member.risk == pytest.approx(1 / 2)
    assert member.limits["alone"] == (0.0, 1.0)
    assert member.limits["expected_crowd"] == pytest.approx((1, 3))
    assert member.limits["risk"] == pytest.approx((1 / 3, 1))
    assert "between 33.3 % and 100 %" in str(member).replace("\n", " ").replace("  ", " ")


def test_nothing_hidden_has_no_range() -> None:
    known = Statistics(100, (Attribute("town", {"A": 60, "B": 40}),))
    assert rr.person(known, {"town": "A"}).limits == {}
    assert rr.person(known, {"town": "A"}).to_dict()["intervals"] == {}
    assert rr.person(TWO_SMALL, {"town": "A"}).limits == {}
    assert rr.person(TWO_SMALL, {"town": "A"}).expected_crowd == pytest.approx(60)


def shuffles(first: list[int], second: list[int]) -> tuple[float, float]:
    """ORR and share alone expected of shuffled columns with these counts."""
    n = sum(first)
    one, other = (np.repeat(np.arange(len(c)), c) for c in (first, second))
    rng = np.random.default_rng(0)
    found = []
    for _ in range(1500):
        crowds = Counter(zip(one.tolist(), rng.permutation(other).tolist(), strict=True))
        found.append((len(crowds) / n, sum(1 for c in crowds.values() if c == 1) / n))
    orr, alone = np.mean(found, axis=0)
    return float(orr), float(alone)


def test_the_prediction_is_the_mean_over_all_tables() -> None:
    """Shuffled tables of every way to share the hidden people out."""
    sex = Attribute("sex", {"f": 8, "m": 6})
    town = Attribute("town", {"A": 9, "C": Suppressed(5), "D": Suppressed(5)})
    risk = rr.predict(Statistics(14, (sex, town)))
    ways = [shuffles([8, 6], [9, c, 5 - c]) for c in (1, 2, 3, 4)]
    assert risk.overall_risk == pytest.approx(np.mean([way[0] for way in ways]), abs=0.004)
    assert risk.alone_share == pytest.approx(np.mean([way[1] for way in ways]), abs=0.006)
    for place, name in enumerate(("overall_risk", "alone_share")):
        low, high = risk.intervals[name]
        assert low <= min(way[place] for way in ways)
        assert high >= max(way[place] for way in ways)


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 4), st.integers(2, 12), st.integers(3, 6), st.booleans())
def test_limits_hold_every_way(values: int, people: int, below: int, named: bool) -> None:
    """One column: each way to share people out is a table of its own."""
    people = min(max(people, values), values * (below - 1))
    if named:
        hidden = {f"v{place}": Suppressed(below) for place in range(values)}
        held = Statistics(people + 20, (Attribute("a", {"x": 20, **hidden}),))
    else:
        other = Other(people, values)
        held = Statistics(people + 20, (Attribute("a", {"x": 20}, 0, other),), at_least=below)
    ranges = [range(1, below)] * values
    ways = [way for way in product(*ranges) if sum(way) == people]
    alone = [sum(1 for c in way if c == 1) for way in ways]
    risk = rr.predict(held)
    low, high = risk.intervals["alone_share"]
    assert low <= min(alone) / (people + 20) + 1e-12
    assert high >= max(alone) / (people + 20) - 1e-12
    assert low <= risk.alone_share <= high
    if named:
        assert risk.alone.people == pytest.approx(
            np.mean(alone), abs=1e-6 if len(ways) <= 40 else 1
        )
        person = rr.person(held, {"a": "v0"}, given="unknown")
        counts = [way[0] for way in ways]
        assert person.expected_crowd == pytest.approx(np.mean(counts))
        assert 1 - person.k_indistinguishable[2] == pytest.approx(np.mean([c == 1 for c in counts]))
        if len(ways) > 1:
            assert person.limits["expected_crowd"] == pytest.approx((min(counts), max(counts)))


CELLS = {("x", "p"): 40, ("x", "q"): Suppressed(5), ("y", "p"): 30}
PAIR = Statistics(
    100,
    (Attribute("a", {"x": 50, "y": 50}), Attribute("b", {"p": 70, "q": 10, "r": 20})),
    (PairCounts(("a", "b"), CELLS),),
)


def test_a_cell_below_five_is_one_to_four() -> None:
    """Of ten people left in row x, one to four sit in q: a mixture over the four tables."""
    asked = {"a": "x", "b": "q"}
    unknown = rr.person(PAIR, asked, given="unknown")
    assert unknown.crowd.nobody == pytest.approx(0, abs=1e-9)
    assert unknown.limits["expected_crowd"] == pytest.approx((1, 4))
    assert unknown.limits["alone"] == pytest.approx((0, 1))
    assert 0.0 < 1 - unknown.k_indistinguishable[2] < 1.0
    assert unknown.k_indistinguishable[5] == pytest.approx(0, abs=1e-9)
    member = rr.person(PAIR, asked)
    assert 0.0 < 1 - member.k_indistinguishable[2] < 1 - unknown.k_indistinguishable[2]


def test_a_cell_left_out_may_hold_one_person() -> None:
    """Twenty people are left in r, ten in row x: nobody states how many of them are both."""
    member = rr.person(PAIR, {"a": "x", "b": "r"})
    assert member.limits["expected_crowd"] == pytest.approx((1, 10))
    assert member.limits["alone"] == pytest.approx((0, 1))
    assert 1 - member.k_indistinguishable[2] > 0.0


def test_a_cell_worked_out_as_a_whole_number_is_not_counted() -> None:
    """Two by two cells of one person each on average: two people may well share one of them."""
    a = Attribute("a", {"x": 96, "y": 2, "z": 2})
    b = Attribute("b", {"p": 96, "q": 2, "r": 2})
    held = Statistics(100, (a, b), (PairCounts(("a", "b"), {("x", "p"): 96}),))
    risk = rr.predict(held)
    assert risk.alone.people < 3.9
    assert risk.crowd_sizes.share_in_crowds_of_at_least(3) < 1.0
    assert rr.person(held, {"a": "y", "b": "q"}).limits["alone"] == pytest.approx((0, 1))


def test_people_are_scored_as_a_person_is(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    held = {"a": ["x", "x", "y", "x"], "b": ["q", "r", "p", "p"]}
    rr.people(PAIR, rr.read(held, columns=["a", "b"]), tmp_path / "scores.parquet")
    scores = pq.read_table(tmp_path / "scores.parquet").to_pylist()
    for place, row in enumerate(scores):
        asked = {name: values[place] for name, values in held.items()}
        assert row["risk"] == pytest.approx(rr.person(PAIR, asked).risk)
        assert row["k2"] == pytest.approx(rr.person(PAIR, asked).k_indistinguishable[2])


def test_a_large_value_merged_with_a_small_one() -> None:
    """Suppressed at five, a value of three people draws a large one with it into `other`."""
    rng = np.random.default_rng(4)
    sex = np.array(["f"] * 5100 + ["m"] * 4897 + ["unknown"] * 3)
    held = {"sex": rng.permutation(sex).tolist(), "age": rng.integers(20, 60, 10_000).tolist(),
            "code": rng.integers(0, 40, 10_000).tolist()}  # fmt: skip
    table = rr.read(held, columns=["sex", "age", "code"])
    counted, statistics = rr.measure(table), rr.publish(table, exact=True)
    other = statistics.attribute("sex").other
    assert other is not None
    assert (other.count, other.values) == (4900, 2)
    risk = rr.predict(statistics)
    # Shared out evenly, 2,450 of a value that three people hold: 1.5 times as many crowds.
    assert risk.overall_risk == pytest.approx(counted.overall_risk, abs=0.01)
    assert risk.alone_share == pytest.approx(counted.alone_share, abs=0.01)
    person = rr.person(statistics, {"sex": "m"})
    assert person.expected_crowd == pytest.approx(4897, abs=3)


def test_draws_are_seeded_and_say_so() -> None:
    held = Statistics(300, (Attribute("a", {"x": 200}, 0, Other(100, 30)),), at_least=10)
    one, same, another = (rr.predict(held, seed=seed) for seed in (1, 1, 2))
    assert one.envelope.seed == 1
    assert one.crowd_sizes == same.crowd_sizes
    assert one.crowd_sizes != another.crowd_sizes
    assert one.intervals["alone_share"][0] < one.alone_share < one.intervals["alone_share"][1]


def test_a_search_shares_out_anew_in_each_table() -> None:
    found = rr.search(TWO_SMALL, draws=20, measure="alone_share", allowable_risk=0.001)
    assert any("another way" in said for said in found.envelope.assumptions)


def test_a_plan_gives_the_range() -> None:
    sex = Attribute("sex", {"f": 50, "m": 50})
    (option,) = rr.plan(Statistics(100, (TOWN, sex)), ["town"], 3, could_ask=[], bands={}).options
    assert option.alone == pytest.approx(2 / 3)
    assert option.intervals["exact"][0] < option.exact < option.intervals["exact"][1]


@given(st.lists(st.floats(0.01, 1), min_size=1, max_size=200), st.integers(2, 20))
def test_fewer_numbers_keep_the_mean(chance: list[float], most: int) -> None:
    numbers, law = np.arange(1.0, len(chance) + 1), np.array(chance) / sum(chance)
    fewer, weights = representatives(numbers, law, most)
    assert len(fewer) <= most + 1
    assert weights.sum() == pytest.approx(1)
    assert np.dot(fewer, weights) == pytest.approx(np.dot(numbers, law))
    assert fewer.min() == 1
    assert fewer.max() <= len(chance)
