"""Random rounding: its law, the same under the same key, and nothing pinned by what is known."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reidrisk as rr
from reidrisk.publishing.counted_tables import CountedTables
from reidrisk.publishing.random_rounding import RoundedCounts, Unnamed, chances_of, rounded

KEY = bytes(range(32))


@given(st.lists(st.integers(0, 10**9), min_size=1), st.integers(1, 20), st.data())
def test_a_rounded_count_is_a_neighbouring_multiple(
    counts: list[int], base: int, data: st.DataObject
) -> None:
    u = data.draw(st.lists(st.floats(0, 1, exclude_max=True), min_size=len(counts),
                           max_size=len(counts)))  # fmt: skip
    true = np.array(counts)
    found = rounded(true, np.array(u), base)
    assert (found % base == 0).all()
    assert (abs(found - true) < base).all()
    assert (found[true % base == 0] == true[true % base == 0]).all()


@pytest.mark.parametrize("base", [2, 3, 5, 10])
def test_it_is_correct_on_average(base: int) -> None:
    """E[y] = x: the chance to round up is r/b, over 40,000 names."""
    drawn = chances_of(KEY, (["cell", i] for i in range(40_000)))
    for rest in range(base):
        mean = rounded(np.full(40_000, 3 * base + rest), drawn, base).mean()
        spread = np.sqrt(rest * (base - rest) / 40_000)
        assert abs(mean - 3 * base - rest) <= 4.5 * spread


def test_chances_are_even_and_belong_to_their_key_and_name() -> None:
    names = [["age", str(i)] for i in range(20_000)]
    drawn = chances_of(KEY, names)
    assert np.array_equal(drawn, chances_of(KEY, names))
    assert abs(drawn.mean() - 0.5) < 0.01
    assert np.bincount((drawn * 10).astype(int)).min() > 1800
    assert (drawn != chances_of(KEY[::-1], names)).all()
    # A missing value is no text, and a boundary between name and value is one.
    alike = [["a", None], ["a", "null"], ["a", "None"], ["a", ""], ["", "a"]]
    assert len(set(chances_of(KEY, alike).tolist())) == len(alike)


def table(rows: int = 4000, seed: int = 1) -> rr.Table:
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 90, rows)
    return rr.read(
        {
            "age": age.astype(str).tolist(),
            "job": rng.zipf(1.6, rows).clip(max=40).astype(str).tolist(),
            "sex": rng.choice(["f", "m"], rows).tolist(),
            # A skip pattern: nobody below 30 is asked.
            "married": np.where(age < 30, "not asked", rng.choice(["y", "n"], rows)).tolist(),
        },
        columns=["age", "job", "sex", "married"],
    )


def test_what_is_published_are_multiples_of_values_that_some_people_have() -> None:
    counted = CountedTables.of(table())
    found = RoundedCounts(counted, KEY, 5).statistics("people")
    assert found.records % 5 == 0
    for attribute, values, margin in zip(
        found.attributes, counted.values, counted.margins, strict=True
    ):
        true = dict(zip(values, margin.tolist(), strict=True))
        assert all(people % 5 == 0 and people >= 10 for people in attribute.counts.values())
        assert all(true[value] >= 6 for value in attribute.counts)
        assert attribute.other is None or attribute.other.values % 5 == 0
    for pair in found.pairs:
        assert all(people % 5 == 0 and people > 0 for people in pair.counts.values())
        for side, name in enumerate(pair.of):
            listed = found.attribute(name).counts
            assert {values[side] for values in pair.counts} <= set(listed)


def test_the_same_numbers_round_the_same_way_however_they_are_asked_for() -> None:
    counted = CountedTables.of(table())
    one = RoundedCounts(counted, KEY, 5).statistics()
    assert one == RoundedCounts(counted, KEY, 5).statistics()
    some = CountedTables.of(rr.read(_held(), columns=["sex", "age"]))
    few = RoundedCounts(some, KEY, 5).statistics()
    assert few.attribute("age") == one.attribute("age")
    assert few.pair("age", "sex").counts == one.pair("age", "sex").counts  # type: ignore[union-attr]
    assert one != RoundedCounts(counted, KEY[::-1], 5).statistics()


def _held() -> dict[str, list[str]]:
    kept = table()
    batches = kept.engine.texts_of_each(["age", "sex"]).read_all()
    return {name: batches.column(name).to_pylist() for name in ("age", "sex")}


def test_the_same_people_are_rounded_once() -> None:
    """Everybody of an age under 30 wasn't asked: two names of the same people, one number."""
    found = RoundedCounts(CountedTables.of(table()), KEY, 5).statistics()
    pair = found.pair("age", "married")
    assert pair is not None
    young = {age: people for (age, answer), people in pair.counts.items() if answer == "not asked"}
    assert len(young) > 10
    for age, people in young.items():
        assert people == found.attribute("age").counts[age or ""]


def test_every_pair_is_there() -> None:
    found = RoundedCounts(CountedTables.of(table()), KEY, 5).statistics()
    assert {pair.of for pair in found.pairs} == set(
        combinations(["age", "job", "sex", "married"], 2)
    )


def test_a_value_that_everybody_has_carries_everybodys_number() -> None:
    held = {"land": ["x"] * 203, "year": ["2020"] * 203, "sex": ["f", "m", "m"] * 67 + ["f", "m"]}
    counted = CountedTables.of(rr.read(held, columns=list(held), rows_are_people=True))
    for seed in range(8):
        found = RoundedCounts(counted, bytes([seed] * 32), 5).statistics()
        numbers = {found.records, found.attribute("land").counts["x"]}
        numbers |= {found.attribute("year").counts["2020"]}
        assert len(numbers) == 1
        pair = found.pair("land", "sex")
        assert pair is not None
        assert pair.counts["x", "f"] == found.attribute("sex").counts["f"]


def test_a_number_is_drawn_anew_under_each_of_its_names() -> None:
    """The same people go by one name, whichever of their values is asked to be drawn again."""
    held = {"b": ["x"] * 13 + ["y"] * 40, "a": ["p"] * 13 + ["q"] * 20 + ["r"] * 20}
    counted = CountedTables.of(rr.read(held, columns=list(held), rows_are_people=True))
    one, other = (
        [RoundedCounts(counted, KEY, 5, {of: times}).margins for times in range(12)]
        for of in (("a", "p"), ("b", "x"))
    )
    assert all(np.array_equal(a, b) for x, y in zip(one, other, strict=True)
               for a, b in zip(x, y, strict=True))  # fmt: skip
    assert {int(margins[1][0]) for margins in one} == {10, 15}


def test_who_arent_named_are_drawn_anew_too() -> None:
    held = {"a": ["x"] * 50 + [f"v{i}" for i in range(13)]}
    counted = CountedTables.of(rr.read(held, columns=["a"], rows_are_people=True))
    others = [
        RoundedCounts(counted, KEY, 5, {("a", Unnamed.TOGETHER): times}).attribute(0).other
        for times in range(12)
    ]
    assert {other.count for other in others if other} == {10, 15}


def test_where_a_margin_is_a_multiple_its_cells_are_drawn_anew_in_the_end() -> None:
    """A row of 600 people is 600 in multiples of 3, whatever is drawn."""
    held = {"a": ["p"] * 600 + ["q"] * 600, "b": (["x"] * 100 + ["y"] * 401 + ["z"] * 99) * 2}
    counted = CountedTables.of(rr.read(held, columns=list(held), rows_are_people=True))

    def cells(times: int) -> dict[object, object]:
        pair = RoundedCounts(counted, KEY, 3, {("a", "p"): times}).pair(0, 1)
        return dict(pair.counts)

    assert all(cells(times) == cells(0) for times in range(1, 11))
    assert len({str(cells(times)) for times in range(11, 21)}) > 1
    assert all(cells(times)["q", "x"] == cells(0)["q", "x"] for times in range(11, 21))
