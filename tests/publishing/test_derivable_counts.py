"""What a file of counts gives away: found where something follows, and nothing that isn't so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow.csv import write_csv

import reidrisk as rr
from reidrisk.errors import InputError
from reidrisk.publishing import derivable_counts, true_counts
from reidrisk.publishing.counted_tables import CountedTables
from reidrisk.publishing.joint_bounds import JointBounds
from reidrisk.publishing.published_bounds import PublishedBounds, Side
from reidrisk.publishing.random_rounding import RoundedCounts
from reidrisk.statistics import (
    Attribute,
    KeyedRounding,
    Other,
    PairCounts,
    Statistics,
    Suppressed,
)


def without_small_cells(held: dict[str, list[str]], below: int) -> Statistics:
    """Exact margins, and pair tables without their small cells: no table is looked at twice."""
    attributes = tuple(Attribute(name, Counter(values)) for name, values in held.items())
    pairs = []
    for first, second in combinations(held, 2):
        cells = Counter(zip(held[first], held[second], strict=True))
        kept = {values: people for values, people in cells.items() if people >= below}
        pairs.append(PairCounts((first, second), kept))
    people = len(next(iter(held.values())))
    return Statistics(people, attributes, tuple(pairs), at_least=below)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 2**32 - 1))
def test_every_count_derived_is_one_that_is_hidden(seed: int) -> None:
    """No more cells are derived than small ones are hidden, whatever the table."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(20, 200))
    held = {
        name: rng.integers(0, int(rng.integers(2, 6)), size).astype(str).tolist()
        for name in ("a", "b", "c")
    }
    published = without_small_cells(held, 4)
    hidden = sum(
        0 < people < 4
        for first, second in combinations(held, 2)
        for people in Counter(zip(held[first], held[second], strict=True)).values()
    )
    found = derivable_counts(published)
    assert found.derived + found.narrowed <= hidden
    small = sum(people < 4 for values in held.values() for people in Counter(values).values())
    assert found.shown == small
    assert found.complete


def test_a_cell_alone_in_its_row_is_derived_by_subtraction() -> None:
    held = {"age": ["old"] * 12 + ["young"] * 9, "sex": ["f"] * 10 + ["m"] * 2 + ["f"] * 9}
    found = derivable_counts(without_small_cells(held, 5))
    assert (found.below, found.derived, dict(found.by_pair)) == (5, 1, {("age", "sex"): 1})
    assert found.shown == 1


def test_a_suppressed_margin_is_derived_too() -> None:
    attribute = Attribute("age", {"old": 12, "young": Suppressed(below=5), "child": 6})
    found = derivable_counts(Statistics(21, (attribute,), at_least=5))
    assert found.derived == 1
    assert found.to_dict()["by_pair"] == [{"of": ["age"], "derived": 1}]


def test_rounded_counts_are_intervals() -> None:
    """What would follow from exact numbers doesn't from numbers that are rounded."""
    cells = {("old", "f"): 10, ("young", "f"): 10, ("young", "m"): 10}
    attributes = (Attribute("age", {"old": 10, "young": 20}), Attribute("sex", {"f": 20, "m": 10}))
    rounded = Statistics(30, attributes, (PairCounts(("age", "sex"), cells),), rounded_to=5)
    found = derivable_counts(rounded, 5)
    assert (found.derived, found.shown) == (0, 0)


def rounded(held: dict[str, list[str]], key: bytes, base: int = 5) -> Statistics:
    """As `publish` rounds."""
    return RoundedCounts(
        CountedTables.of(rr.read(held, columns=list(held))), key, base
    ).statistics()


def random_records(rng: np.random.Generator) -> dict[str, list[str]]:
    """Few people, a hierarchy, a skip pattern, values that are too rare to be named."""
    size = int(rng.integers(60, 500))
    place = np.minimum(rng.geometric(rng.uniform(0.1, 0.5), size), 12)
    asked = rng.integers(0, 3, size)
    answer = np.where(asked == 0, 9, rng.integers(0, int(rng.integers(2, 6)), size))
    columns = {"place": place, "county": place // 4, "asked": asked, "answer": answer}
    return {name: [f"{name[0]}{code}" for code in codes] for name, codes in columns.items()}


def counted_as(held: dict[str, list[str]], sides: list[Side]) -> np.ndarray:
    """A table of records by the values that sides list, the others last."""
    table = np.zeros([side.size for side in sides], dtype=np.int64)
    for values in zip(*(held[side.name] for side in sides), strict=True):
        at = [
            side.values.index(value) if value in side.values else len(side.values)
            for side, value in zip(sides, values, strict=True)
        ]
        table[tuple(at)] += 1
    return table


def assert_holds(bounds: PublishedBounds, held: dict[str, list[str]]) -> None:
    """The truth lies within all bounds."""
    people = len(next(iter(held.values())))
    assert bounds.bounds.people.least[0] <= people <= bounds.bounds.people.most[0]
    parts = [((i,), margin) for i, margin in enumerate(bounds.bounds.margins)]
    for of, interval in [*parts, *bounds.bounds.tables.items()]:
        true = counted_as(held, [bounds.sides[i] for i in of])
        assert (interval.least <= true).all()
        assert (true <= interval.most).all()


@given(st.integers(0, 2**32 - 1), st.sampled_from([2, 3, 5]))
def test_the_truth_lies_within_the_bounds_of_rounded_numbers(seed: int, base: int) -> None:
    rng = np.random.default_rng(seed)
    held = random_records(rng)
    bounds = PublishedBounds([rounded(held, rng.bytes(32), base)])
    assert_holds(bounds, held)
    bounds.bounds.propagate()
    assert_holds(bounds, held)


def test_the_truth_lies_within_the_bounds_of_a_map() -> None:
    """An attribute published as a map takes part as one without numbers, and is bounded too."""
    held = random_records(np.random.default_rng(2))
    published = rounded({name: values * 4 for name, values in held.items()}, b"key")
    assert "county" in published.determined
    bounds = PublishedBounds([published])
    bounds.bounds.propagate()
    assert_holds(bounds, {name: values * 4 for name, values in held.items()})
    names = [side.name for side in bounds.sides]
    place, county = names.index("place"), names.index("county")
    known = bounds.bounds.margins[county]
    assert (known.least[: len(bounds.sides[county].values)] >= 6).all()
    assert (place, county) in bounds.structural


def test_a_rounded_number_that_is_listed_can_be_derived_too() -> None:
    """15 is 11 or more, each 5 is 1 or more, and together they are 14 or fewer."""
    cells = {("a", "p"): 15, ("a", "q"): 5, ("a", "r"): 5, ("a", "s"): 5}
    cells |= {("b", value): 20 for value in "pqrs"}
    first = Attribute("one", {"a": 10, "b": 80})
    second = Attribute("two", {"p": 35, "q": 25, "r": 25, "s": 25})
    published = Statistics(
        95, (first, second), (PairCounts(("one", "two"), cells),), protection=KeyedRounding(5)
    )
    found = derivable_counts(published)
    assert (found.derived, found.shown) == (3, 0)
    # Under another law of the same numbers there is more room.
    assert derivable_counts(replace(published, protection=KeyedRounding(10)), 5).derived == 0


def test_a_rounded_file_bounds_what_it_does_not_list() -> None:
    """A value listed has b + 1 people or more; of two values merged, give or take b − 1, each has
    at least one and at most 2b − 1.
    """
    attribute = Attribute("age", {"old": 10, "young": 30}, other=Other(60, 0))
    held = PublishedBounds([Statistics(40, (attribute,), protection=KeyedRounding(5))])
    margin = held.bounds.margins[0]
    assert margin.least.tolist() == [6, 26, 36]
    assert margin.most.tolist() == [14, 34, 36]
    some = Attribute("age", {"old": 10}, other=Other(0, 5))
    held = PublishedBounds([Statistics(10, (some,), protection=KeyedRounding(5))])
    assert held.bounds.margins[0].least.tolist() == [6, 1]


def test_noise_has_no_bounds() -> None:
    found = derivable_counts(
        rr.publish(rr.city(3_000), epsilon=1.0, columns=["county", "age", "sex"])
    )
    assert (found.derived, found.shown, found.complete) == (0, 0, True)
    assert "noise" in found.limits


@pytest.mark.parametrize("protection", [{}, {"exact": True}])
def test_nothing_is_derived_from_a_protected_file(protection: dict[str, bool]) -> None:
    found = derivable_counts(rr.publish(rr.city(20_000), **protection))
    assert (found.derived, found.shown, found.complete) == (0, 0, True)


def test_tables_suppressed_one_by_one_give_the_city_away() -> None:
    """A hierarchy, and exact margins: a county minus its other postcodes."""
    city = {name: list(map(str, values)) for name, values in rr.city(5_000).to_pydict().items()}
    found = derivable_counts(without_small_cells(city, 5))
    assert found.derived == 102
    assert "county" in found.by_attribute


@pytest.mark.slow
def test_a_rounded_file_of_belgium_gives_nothing_away(shared_data: Path) -> None:
    table = rr.read(shared_data / "belgium_2015" / "belgium_2015.parquet", count="count")
    found = derivable_counts(rr.publish(table))
    assert (found.derived, found.complete) == (0, True)


def test_out_of_time_is_said() -> None:
    found = derivable_counts(rr.publish(rr.city(2_000)), seconds=0.0)
    assert not found.complete
    assert "0 seconds" in found.limits


def city_table(people: int = 5_000, **reading: Any) -> rr.Table:
    columns = ["postcode", "county", "age", "sex", "marital_state"]
    return rr.read(rr.city(people), columns=columns, **reading)


def small_counts(table: rr.Table, below: int = 5) -> int:
    """Of all attributes and pairs, the long way."""
    columns = table.engine.texts_of_each(list(table.columns)).read_all().to_pydict()
    held = [Counter(columns[name]) for name in table.columns]
    held += [Counter(zip(columns[a], columns[b], strict=True))
             for a, b in combinations(table.columns, 2)]  # fmt: skip
    return sum(people < below for counts in held for people in counts.values())


def test_a_file_against_its_records() -> None:
    table = city_table()
    small = small_counts(table)
    shown = true_counts(rr.publish(table, unprotected=True), table)
    assert (shown.small, shown.shown, shown.derived) == (small, small, 0)
    for protection in ({}, {"exact": True}, {"epsilon": 2.0}):
        found = true_counts(rr.publish(table, **protection), table)
        assert found.small == small
        assert (found.shown, found.derived, found.right) == (0, 0, 0)


def test_what_is_derived_is_true() -> None:
    city = {name: list(map(str, values)) for name, values in rr.city(3_000).to_pydict().items()}
    published = without_small_cells(city, 5)
    found = true_counts(published, rr.read(city, columns=list(city)))
    assert found.derived == found.right == derivable_counts(published).derived > 0
    assert found.shown > 0
    # Another person's counts, as far as nothing contradicts them, aren't theirs.
    assert found.small >= found.derived + found.shown


def test_what_an_attack_gets_wrong_would_show(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that takes every hidden count for 1."""

    def pin(bounds: JointBounds, seconds: float) -> JointBounds:
        for interval in (*bounds.margins, *bounds.tables.values()):
            interval.least[:] = interval.most[:] = 1
        return bounds

    published = rr.publish(city_table(), exact=True)
    monkeypatch.setattr(JointBounds, "propagate", pin)
    found = true_counts(published, city_table())
    assert 0 < found.right < found.derived


def test_a_file_in_bands_is_held_against_records_in_bands() -> None:
    published = rr.publish(city_table(bands={"age": 10}))
    assert true_counts(published, city_table(bands={"age": 10})).derived == 0
    with pytest.raises(InputError, match="no value that the file lists of 'age'"):
        true_counts(published, city_table())


@pytest.mark.parametrize("protection", [{}, {"exact": True}, {"epsilon": 4.0}])
def test_other_records_are_refused(protection: dict[str, Any]) -> None:
    published = rr.publish(city_table(), **protection)
    other = rr.read(rr.city(5_000, seed=7), columns=list(published.names))
    with pytest.raises(InputError, match="numbers of the file aren't ones that its protection"):
        true_counts(published, other)
    with pytest.raises(InputError, match="the records are about 7,000 people"):
        true_counts(published, city_table(7_000))
    with pytest.raises(InputError, match="no column 'postcode'"):
        true_counts(published, rr.read(rr.city(5_000), columns=["age", "sex"]))


def test_records_with_a_value_that_an_exact_file_lacks_are_refused() -> None:
    held = {"sex": ["f"] * 30 + ["m"] * 30}
    published = Statistics(60, (Attribute("sex", {"f": 30, "m": 29}),), rounded_to=2)
    assert true_counts(published, rr.read(held, columns=["sex"])).small == 0
    held["sex"][0] = "x"
    with pytest.raises(InputError, match="1 of 2 numbers"):
        true_counts(published, rr.read(held, columns=["sex"]))


def test_check_against_records(command: Callable, tmp_path: Path) -> None:
    records, out = tmp_path / "city.csv", tmp_path / "city.json"
    write_csv(rr.city(2_000), records)
    rr.save_statistics(rr.publish(records, bands={"age": 10}, unprotected=True), out)
    said = command("check", out, "--against", records, "--bands", "age=10", "--json")
    against = said.json["against"]
    assert set(against) == {"small", "shown", "derived", "right", "narrowed"}
    assert against["small"] == against["shown"] > 0
    assert said.json["protection"] == {"kind": "none"}
    assert said.json["after"] is None
    said = command("check", out, "--against", records, "--bands", "age=10")
    assert "Protection: none: every count as it is, not to be shared." in said.out
    assert f"The records have {against['small']:,} counts of fewer than 5 people" in said.out
    assert command("check", out, "--against", records).status == 2
    said = command("check", out, "--bands", "age=10")
    assert said.status == 2
    assert "name them with --against TABLE" in said.err
