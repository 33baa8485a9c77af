"""What a file of counts gives away: found where something follows, and nothing that isn't so."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reidrisk as rr
from reidrisk.publishing import derivable_counts
from reidrisk.statistics import Attribute, PairCounts, Statistics, Suppressed


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


def test_the_generated_city_gives_20_away() -> None:
    """Suppression table by table, with a hierarchy: a county minus its other postcodes."""
    found = derivable_counts(rr.publish(rr.city()))
    assert found.derived == 20
    assert {pair[0] for pair in found.by_pair} == {"postcode"}
    assert next(iter(found.by_attribute)) == "county"


@pytest.mark.slow
@pytest.mark.parametrize(("name", "count", "derived"), [("belgium_2015", "count", 124)])
def test_known_answers(shared_data: Path, name: str, count: str, derived: int) -> None:
    table = rr.read(shared_data / name / f"{name}.parquet", count=count)
    assert derivable_counts(rr.publish(table)).derived == derived


def test_out_of_time_is_said() -> None:
    found = derivable_counts(rr.publish(rr.city(2_000)), seconds=0.0)
    assert not found.complete
    assert "0 seconds" in found.limits
