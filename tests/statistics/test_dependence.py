"""Dependence against its definition, its published conditions, and real tables."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reidrisk as rr
from reidrisk.errors import InputError
from reidrisk.statistics.dependence import max_dependence


def plug_in(of: list, on: list) -> float:
    """g = I/H(of), by the definition: R3A eqs. 7 to 9, cell by cell."""
    n = len(of)
    f_of, f_on, f_both = Counter(of), Counter(on), Counter(zip(of, on, strict=True))
    entropy = -sum(f / n * math.log2(f / n) for f in f_of.values())
    mutual = sum(
        f / n * math.log2((f / n) / (f_of[a] / n * f_on[b] / n)) for (a, b), f in f_both.items()
    )
    return mutual / entropy


def found(table: dict[str, list], **options: object) -> dict[tuple[str, str], object]:
    listed = rr.measure(rr.read(table, columns=list(table)), **options).dependence
    return {(each.of[0], each.on[0]): each for each in listed}


column = st.lists(st.integers(0, 3), min_size=12, max_size=12)


@given(column, column)
def test_gain_ratio_is_its_definition(a: list[int], b: list[int]) -> None:
    pairs = found({"a": a, "b": b}, dependence=True)
    assert (("a", "b") in pairs) == (len(set(a)) > 1)
    if len(set(a)) > 1:
        assert pairs["a", "b"].uncorrected == pytest.approx(plug_in(a, b), abs=1e-9)
        assert 0 <= pairs["a", "b"].uncorrected <= 1
        assert 0 <= pairs["a", "b"].gain_ratio <= 1


@given(column, column)
def test_kinds_are_the_published_conditions(a: list[int], b: list[int]) -> None:
    """R3A's table 2, in terms of support."""
    if len(set(a)) < 2:
        return
    n, f_a, f_b = len(a), Counter(a), Counter(b)
    both = Counter(zip(a, b, strict=True))
    kind = found({"a": a, "b": b}, dependence=True)["a", "b"].published_kind
    complete = all(f == f_b[y] for (_, y), f in both.items())
    independent = all(f * n == f_a[x] * f_b[y] for (x, y), f in both.items())
    if complete:
        assert kind == "complete"
    elif independent:
        assert kind == "independent"
    else:
        # One half itself may come out a last digit below it, here and there.
        assert kind == ("strong" if plug_in(a, b) >= 0.5 - 1e-10 else "weak")


def test_one_half_is_strong_whatever_its_last_digit() -> None:
    a = [0, 0, 2, 0, 0, 2, 2, 1, 2, 3, 3, 1]
    b = [0, 0, 3, 1, 1, 0, 0, 2, 0, 0, 1, 2]
    assert plug_in(a, b) == pytest.approx(0.5, abs=1e-15)
    assert found({"a": a, "b": b}, dependence=True)["a", "b"].published_kind == "strong"


def test_corrected_is_the_mean_over_shuffles_taken_off() -> None:
    rng = np.random.default_rng(7)
    a = rng.integers(0, 12, 400)
    b = (a + rng.integers(0, 6, 400)) % 15
    each = found({"a": a.tolist(), "b": b.tolist()})["a", "b"]
    shuffled = [plug_in(a.tolist(), rng.permutation(b).tolist()) for _ in range(200)]
    spread = np.std(shuffled) / math.sqrt(200)
    assert each.corrected == pytest.approx(each.uncorrected - np.mean(shuffled), abs=4 * spread)


def test_two_independent_columns_of_548_values() -> None:
    rng = np.random.default_rng(0)
    each = found({k: rng.integers(0, 548, 30_000).tolist() for k in "ab"})["a", "b"]
    assert each.uncorrected == pytest.approx(0.37, abs=0.01)
    assert abs(each.corrected) < 0.01
    assert 0.0 <= each.gain_ratio < 0.01


@pytest.mark.parametrize("people", [50, 300, 3_000, 100_000])
@pytest.mark.parametrize(("a", "b"), [(2, 3), (12, 30), (200, 5), (200, 400)])
def test_independent_columns_show_nothing_whatever_their_number(
    people: int, a: int, b: int
) -> None:
    """The mean over tables is 0, but for the half of them that chance makes look dependent."""
    shown, uncorrected = [], []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        table = {"a": rng.integers(0, a, people), "b": rng.integers(0, b, people)}
        for each in found({name: column.tolist() for name, column in table.items()}).values():
            shown.append(each.gain_ratio)
            uncorrected.append(each.uncorrected)
    # A figure below 0 is cut off, so half of the scatter is left.
    assert np.mean(shown) < 1.0 / math.sqrt(people)
    assert np.mean(shown) <= np.mean(uncorrected)


@pytest.mark.parametrize("people", [50, 3_000, 30_000])
def test_what_is_determined_shows_1(people: int) -> None:
    rng = np.random.default_rng(3)
    town = rng.integers(0, 40, people)
    pairs = found({"county": (town // 8).tolist(), "town": town.tolist()})
    assert pairs["county", "town"].gain_ratio == 1.0
    assert 0.0 < pairs["town", "county"].gain_ratio < 1.0


def test_one_wrong_entry_hardly_changes_what_is_determined() -> None:
    """Less what chance shows, and no more, a postcode's county would depend on it by a half."""
    rng = np.random.default_rng(3)
    postcode = rng.integers(0, 4_000, 30_000)
    county = postcode % 12
    county[0] = (county[0] + 1) % 12
    each = found({"county": county.tolist(), "postcode": postcode.tolist()})["county", "postcode"]
    assert each.kind == "strong"
    assert each.gain_ratio > 0.999
    assert each.corrected < 0.8


def test_groups_of_attributes() -> None:
    table = {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1], "c": [0, 1, 1, 0]}
    read = rr.read(table, columns=["a", "b", "c"])
    (both,) = rr.measure(read, dependence="c:a,b").dependence
    assert (both.of, both.on, both.gain_ratio, both.kind) == (("c",), ("a", "b"), 1.0, "complete")
    assert rr.measure(read, dependence="c:a").dependence[0].kind == "independent"
    for wrong in ("c", "c:", "c:c", "c:d", "a:b:c"):
        with pytest.raises(InputError):
            rr.measure(read, dependence=wrong)


def test_when_it_is_measured() -> None:
    table = {"a": [1, 2], "b": [1, None], "who": ["p", "q"]}
    assert rr.measure(rr.read(table, columns=["a", "b"])).dependence is not None
    assert rr.measure(rr.read(table, columns=["a", "b"]), dependence=False).dependence is None
    assert rr.measure(rr.read(table, columns=["a", "b"], person="who")).dependence is None
    wide = {f"c{i}": [1, 2] for i in range(13)}
    assert rr.measure(rr.read(wide)).dependence is None
    assert len(rr.measure(rr.read(wide), dependence=True).dependence) == 13 * 12


def test_belgium_is_nested(shared_data: Path) -> None:
    path = shared_data / "belgium_2015" / "belgium_2015.parquet"
    places = ["municipality", "district", "province", "region"]
    for engine in ("codes", "duckdb"):
        table = rr.read(path, columns=places, count="count", engine=engine)
        listed = rr.measure(table).dependence
        complete = {(each.of[0], each.on[0]) for each in listed if each.kind == "complete"}
        assert complete == {(b, a) for i, a in enumerate(places) for b in places[i + 1 :]}
    assert max_dependence(listed) == 1


def test_census_has_81_strong_pairs(shared_data: Path) -> None:
    import pyarrow.parquet as pq

    path = shared_data / "census_kdd" / "census_kdd.parquet"
    names = [n for n in pq.read_schema(path).names if n not in ("instance_weight", "split")]
    listed = rr.measure(rr.read(path, columns=names), dependence=True).dependence
    assert len(names) == 41
    assert sum(each.uncorrected > 0.5 for each in listed) == 81
