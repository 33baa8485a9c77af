"""Two releases: what they reveal together is found, and whether the people changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reidrisk as rr
from reidrisk.errors import InputError
from reidrisk.publishing import TwoReleases, derivable_counts, told_together
from reidrisk.publishing.counted_tables import CountedTables
from reidrisk.publishing.linked_values import linked_values
from reidrisk.publishing.published_bounds import PublishedBounds, Side
from reidrisk.publishing.random_rounding import RoundedCounts
from reidrisk.statistics import Attribute, KeyedRounding, PairCounts, Statistics

KEY, ANOTHER = b"one" * 11, b"two" * 11
CITY = rr.city(20_000)


def rounded(table: Any, key: bytes = KEY, **reading: Any) -> Statistics:
    reading.setdefault("columns", ["county", "age", "sex", "marital_state"])
    return RoundedCounts(CountedTables.of(rr.read(table, **reading)), key, 5).statistics()


def exact(table: Any, **reading: Any) -> Statistics:
    """Exact margins, and each pair table without its small cells and one more in each row."""
    reading.setdefault("columns", ["county", "age", "sex", "marital_state"])
    records = rr.read(table, **reading)
    columns = records.engine.texts_of_each(list(records.columns)).read_all().to_pydict()
    attributes = tuple(Attribute(name, Counter(values)) for name, values in columns.items())
    pairs = []
    for first, second in combinations(columns, 2):
        cells = Counter(zip(columns[first], columns[second], strict=True))
        kept = {values: people for values, people in cells.items() if people >= 5}
        rows = {values[0] for values in cells if cells[values] < 5}
        for row in rows:
            least = min((v for v in kept if v[0] == row), key=lambda v: kept[v], default=None)
            kept.pop(least, None)  # type: ignore[arg-type]
        pairs.append(PairCounts((first, second), kept))
    return Statistics(records.people, attributes, tuple(pairs), at_least=5)


@pytest.mark.parametrize("as_file", [rounded, exact])
def test_the_same_file_again_tells_nothing(as_file: Callable[..., Statistics]) -> None:
    found = told_together(as_file(CITY), as_file(CITY))
    assert (found.same_people, found.changed, found.tells) == (True, 0, False)
    assert "the same" in found.why


def test_exact_bands_of_5_and_10_tell() -> None:
    """What is hidden in one width is what another lists, less its neighbour."""
    published = [rr.publish(CITY, bands={"age": width}, exact=True) for width in (5, 10)]
    found = told_together(*published)
    assert found.same_people
    assert found.tells
    assert found.together is not None
    assert found.together.derived > 10
    assert f"{found.together.derived:,} counts of fewer than 5" in found.why


@pytest.mark.parametrize("keys", [(KEY, KEY), (KEY, ANOTHER)])
def test_rounded_bands_of_5_and_10_do_not(keys: tuple[bytes, bytes]) -> None:
    five, ten = (rounded(CITY, key, bands={"age": w}) for key, w in zip(keys, (5, 10), strict=True))
    found = told_together(five, ten)
    assert (found.same_people, found.tells) == (True, False)
    assert found.together is not None
    assert found.together.derived == 0


def test_exact_codes_of_4_and_2_digits_are_one_hierarchy() -> None:
    """The men of a postcode left out are those of its region less those of the other postcode."""
    sexes = Attribute("sex", {"f": 57, "m": 33})

    def of(codes: dict[str, int], pair: dict[Any, int]) -> Statistics:
        attributes = (Attribute("code", codes), sexes)
        return Statistics(90, attributes, (PairCounts(("code", "sex"), pair),), at_least=5)

    codes = {"1010": 30, "1020": 20, "2010": 40}
    fine = of(codes, {("1020", "f"): 10, ("1020", "m"): 10})
    regions = {("10", "f"): 37, ("10", "m"): 13, ("20", "f"): 20, ("20", "m"): 20}
    coarse = of({"10": 50, "20": 40}, regions)
    assert derivable_counts(fine).derived == derivable_counts(coarse).derived == 0
    found = told_together(fine, coarse)
    assert found.same_people
    assert found.tells
    assert found.together is not None
    assert dict(found.together.by_pair) == {("code", "sex"): 1}


@pytest.mark.parametrize("as_file", [rounded, exact])
@pytest.mark.parametrize("people", [1, 3, 50])
def test_few_more_people_tell(as_file: Callable[..., Statistics], people: int) -> None:
    """Exactly, or rounded by the same key: each difference is theirs."""
    found = told_together(as_file(CITY.slice(people)), as_file(CITY))
    assert not found.same_people
    assert found.tells
    assert 1 <= found.changed < 200
    if as_file is exact:
        assert found.changed == people
    assert "rule of thumb, not proven" in found.why


def test_one_person_replaced_tells() -> None:
    held = CITY.to_pydict()
    held["age"][0] = 99 if held["age"][0] != 99 else 20
    found = told_together(exact(CITY), exact(held))
    assert (found.same_people, found.changed, found.tells) == (False, 1, True)


def test_one_more_under_another_key_is_hidden_by_the_rounding() -> None:
    """As far as the numbers show; the answer says so, and that averaging undoes it."""
    found = told_together(rounded(CITY.slice(1)), rounded(CITY, ANOTHER))
    assert (found.same_people, found.tells) == (True, False)
    assert "would be hidden" in found.why
    assert "use one key" in found.why
    more = told_together(rounded(CITY.slice(60)), rounded(CITY, ANOTHER))
    assert (more.same_people, more.tells) == (False, True)
    assert 30 <= more.changed <= 90


@pytest.mark.parametrize("key", [KEY, ANOTHER])
def test_many_other_people_are_no_few(key: bytes) -> None:
    found = told_together(rounded(CITY.slice(3_000)), rounded(CITY, key))
    assert (found.same_people, found.together, found.tells) == (False, None, False)
    assert 2_500 <= found.changed <= 3_500


def test_less_than_a_hundredth_is_few() -> None:
    large = rr.city(30_000)
    assert told_together(rounded(large.slice(200)), rounded(large)).tells
    assert not told_together(rounded(large.slice(600)), rounded(large)).tells


def test_another_column_under_the_same_key_is_allowed() -> None:
    earlier = rounded(CITY, columns=["county", "age", "sex"])
    found = told_together(earlier, rounded(CITY, columns=["county", "age", "sex", "occupation"]))
    assert (found.same_people, found.tells) == (True, False)
    assert found.together is not None
    assert found.together.complete


def test_exact_files_that_hide_other_cells_tell() -> None:
    """Which cells are left out is drawn anew each time."""
    found = told_together(rr.publish(CITY, exact=True), rr.publish(CITY, exact=True))
    assert found.tells


def test_what_one_file_tells_alone_is_not_told_by_both() -> None:
    alone = exact(CITY)
    found = told_together(alone, exact(CITY, columns=["county", "age"]))
    assert found.together is not None
    assert found.together.derived > 0
    assert not found.tells


def test_numbers_that_no_people_have_are_of_changed_people() -> None:
    """No label in common, as many people: the bands of 10 aren't those of the bands of 5."""
    ages = {"0-4": 20, "5-9": 20, "10-14": 30, "15-19": 30}
    one = Statistics(100, (Attribute("age", ages),), at_least=5)
    same = Statistics(100, (Attribute("age", {"0-9": 40, "10-19": 60}),), at_least=5)
    other = Statistics(100, (Attribute("age", {"0-9": 41, "10-19": 59}),), at_least=5)
    assert not told_together(one, same).tells
    found = told_together(one, other)
    assert (found.same_people, found.tells) == (False, True)
    assert "No people have the numbers of both files" in found.why


def test_noise_keeps_its_bound_beside_anything() -> None:
    noisy, plain = rr.publish(CITY, epsilon=1.0, columns=["county", "age", "sex"]), rounded(CITY)
    for earlier, later, said in (
        (plain, noisy, "outside that promise"),
        (noisy, noisy, "add up"),
        (noisy, plain, "outside the promise made for the earlier one"),
    ):
        found = told_together(earlier, later)
        assert (found.tells, found.together) == (False, None)
        assert said in found.why


def test_different_people_are_refused() -> None:
    with pytest.raises(InputError, match="no attribute in common"):
        told_together(rounded(CITY, columns=["sex"]), rounded(CITY, columns=["age"]))
    with pytest.raises(InputError, match="different people"):
        told_together(rounded(CITY.slice(15_000)), rounded(CITY))


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_the_truth_lies_within_the_bounds_of_both(seed: int, rounds: bool) -> None:
    """Ages of single years and in bands, rounded by two keys or exact with hidden cells."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(80, 300))
    held = {
        "age": np.minimum(rng.geometric(0.08, size), 39).tolist(),
        "code": rng.choice(["11", "12", "21", "22", "23"], size).tolist(),
        "sex": rng.choice(["f", "m"], size).tolist(),
    }
    columns = list(held)
    files = []
    for reading in ({"bands": {"age": int(rng.choice([2, 5]))}},
                    {"bands": {"age": 10}, "levels": {"code": 1}}):  # fmt: skip
        args = [rng.bytes(32)] if rounds else []
        files.append((rounded if rounds else exact)(held, *args, columns=columns, **reading))
    bounds = PublishedBounds(files, linked_values)
    bounds.bounds.propagate()
    assert not bounds.bounds.contradicts()
    for of, interval, _ in bounds.counts():
        true = true_counts_of(held, [bounds.sides[i] for i in of])
        true = true[: interval.least.shape[0]]
        assert (interval.least <= true).all()
        assert (true <= interval.most).all()


def true_counts_of(held: dict[str, list[Any]], sides: list[Side]) -> np.ndarray:
    """By bands and first characters, whichever a side lists."""
    table = np.zeros([side.size for side in sides], dtype=np.int64)
    for row in zip(*(held[side.name] for side in sides), strict=True):
        table[tuple(map(place_of, sides, row))] += 1
    return table


def place_of(side: Side, value: Any) -> int:
    for at, label in enumerate(side.values):
        assert label is not None
        low, _, high = label.partition("-")
        if side.name == "age" and int(low) <= value <= int(high or low):
            return at
        if side.name != "age" and str(value).startswith(label):
            return at
    return len(side.values)


@pytest.mark.parametrize(
    ("one", "other", "together"),
    [
        (["0-4", "5-9"], ["0-9"], [[1], [1]]),
        (["7", "12"], ["0-9", "10-19"], [[1, 0], [0, 1]]),
        (["0-9", "10+"], ["0-4", "5-14", "15+"], [[1, 1, 0], [0, 1, 1]]),
        (["101", "102", "201"], ["10", "20"], [[1, 0], [1, 0], [0, 1]]),
        (["f", "m"], ["m", "f"], [[0, 1], [1, 0]]),
        (["1", "2", "10"], ["1", "2"], [[1, 0], [0, 1], [0, 0]]),
    ],
)
def test_linked_values(one: list[str], other: list[str], together: list[list[int]]) -> None:
    found = linked_values(Side("a", tuple(one), False), Side("a", tuple(other), False))
    assert found is not None
    assert found.astype(int).tolist() == together
    turned = linked_values(Side("a", tuple(other), False), Side("a", tuple(one), False))
    assert turned is not None
    assert turned.T.astype(int).tolist() == together


def test_values_that_one_file_merges_are_among_its_others() -> None:
    """20-24 isn't listed by the second file, 0-4 lies within its 0-9; missing is listed by one."""
    one = Side("age", ("0-4", "20-24", None), True)
    found = linked_values(one, Side("age", ("0-9",), True))
    assert found is not None
    assert found.astype(int).tolist() == [[1, 0], [0, 1], [0, 1], [1, 1]]


def test_a_closed_band_does_not_lie_within_an_open_one() -> None:
    found = linked_values(Side("a", ("[0-10]", "[0-5)"), False), Side("a", ("[0-10)",), True))
    assert found is not None
    assert found.astype(int).tolist() == [[1, 1], [1, 0]]


def test_of_few_numbers_a_difference_is_somebody() -> None:
    """Three rounded numbers don't say whether there were two keys."""
    one, other = (
        Statistics(50, (Attribute("sex", {"f": f, "m": 25}),), protection=KeyedRounding(5))
        for f in (20, 25)
    )
    assert told_together(one, one).same_people
    found = told_together(one, other)
    assert (found.same_people, found.tells) == (False, True)


def test_labels_that_fit_nothing_are_not_linked() -> None:
    one, other = Side("a", ("red", "blue"), False), Side("a", ("warm", "cold"), False)
    assert linked_values(one, other) is None


def test_out_of_time_is_said() -> None:
    found = told_together(rounded(CITY), rounded(CITY, bands={"age": 10}), seconds=0.0)
    assert "incomplete: stopped after 0 seconds" in found.why


def test_check_after_an_earlier_file(command: Callable, tmp_path: Path) -> None:
    paths = [tmp_path / "earlier.json", tmp_path / "later.json"]
    for path, published in zip(paths, (rounded(CITY.slice(5)), rounded(CITY)), strict=True):
        rr.save_statistics(published, path)
    said = command("check", paths[1], "--after", paths[0], "--json")
    after = said.json["after"]
    assert set(after) == set(TwoReleases(False, 0, None, False, "").to_dict())
    assert after["reveals"]
    said = command("check", paths[1], "--after", paths[0])
    assert said.status == 0
    assert "Beside the earlier file: An estimated" in said.out
    assert "Don't publish this file after that one" in said.out
    again = command("check", paths[1], "--after", paths[1])
    assert "Don't publish" not in again.out
