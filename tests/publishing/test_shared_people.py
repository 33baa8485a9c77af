"""People who share all of some columns: counted, protected, refused, compared."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reidrisk as rr
from reidrisk.errors import ContradictoryOptions, InputError, UnknownColumn, UnusableColumn
from reidrisk.publishing import told_together, true_counts
from reidrisk.publishing.counted_tables import CountedTables
from reidrisk.publishing.random_rounding import RoundedCounts
from reidrisk.publishing.shared_people import shared_by, with_shared_people
from reidrisk.publishing.wish import Wish
from reidrisk.statistics import SharedCounts, load_statistics, save_statistics
from reidrisk.statistics.consistency import InconsistentStatistics

HOUSEHOLD = ("district", "children", "income")
KEY = bytes(range(32))


def people(households: int = 1500, seed: int = 0, together: bool = True) -> rr.Table:
    """Households of one to four people who share three columns; their own are the other two.

    Not `together`: as many people, each drawn by themselves.
    """
    rng = np.random.default_rng(seed)
    of = np.repeat(np.arange(households), rng.integers(1, 5, households))
    if not together:
        households, of = len(of), np.arange(len(of))
    shared = (
        rng.integers(0, 30, households),
        rng.integers(0, 4, households),
        rng.integers(0, 60, households),
    )
    columns = [column[of] for column in shared]
    columns += [rng.integers(0, 3, len(of)), rng.integers(0, 2, len(of))]
    names = (*HOUSEHOLD, "age", "sex")
    held = {name: [f"{name[0]}{code}" for code in each.tolist()]
            for name, each in zip(names, columns, strict=True)}  # fmt: skip
    return rr.read(held, list(held), rows_are_people=True)


def totals(table: rr.Table, names: tuple[str, ...] = HOUSEHOLD) -> tuple[int, int]:
    """Counted anew from the records."""
    batches = table.engine.texts_of_each(table.columns).read_all()
    held = Counter(zip(*(batches[name].to_pylist() for name in names), strict=True))
    return len(held), sum(number for number in held.values() if number > 1)


@settings(max_examples=20)
@given(seed=st.integers(0, 10_000), together=st.booleans())
def test_both_totals_are_those_of_the_records(seed: int, together: bool) -> None:
    table = people(80, seed, together)
    made = rr.publish(table, shared_by_households=HOUSEHOLD, unprotected=True)
    assert made.shared == SharedCounts(HOUSEHOLD, *totals(table))


@settings(max_examples=20)
@given(seed=st.integers(0, 10_000), key=st.binary(min_size=32, max_size=32))
def test_totals_are_rounded_by_the_key(seed: int, key: bytes) -> None:
    table = people(200, seed)
    counted = replace(CountedTables.of(table), shared=shared_by(table, HOUSEHOLD))
    made, again = (RoundedCounts(counted, key, 5).statistics().shared for _ in range(2))
    assert made is not None
    assert made == again
    for number, true in zip((made.combinations, made.in_groups), totals(table), strict=True):
        assert number % 5 == 0
        assert abs(number - true) < 5


def test_rounded_totals_are_right_on_average() -> None:
    table = people(200)
    counted = replace(CountedTables.of(table), shared=shared_by(table, HOUSEHOLD))
    drawn = [RoundedCounts(counted, bytes([at]) * 32, 5).shared() for at in range(250)]
    for what, true in zip(("combinations", "in_groups"), totals(table), strict=True):
        mean = np.mean([getattr(each, what) for each in drawn])
        assert abs(mean - true) < 4.5 * 2.5 / np.sqrt(250)


def test_everybody_has_one_number() -> None:
    """All in groups, or all alone: a second number of the same people could be averaged."""
    table = people(200)
    n = table.people
    for shared in (SharedCounts(HOUSEHOLD, n, 0), SharedCounts(HOUSEHOLD, n // 2, n)):
        for at in range(20):
            counted = replace(CountedTables.of(table), shared=shared)
            made = RoundedCounts(counted, bytes([at]) * 32, 5)
            found = made.shared()
            assert found is not None
            assert made.people in (found.combinations, found.in_groups)


@pytest.mark.parametrize("protection", [{}, {"unprotected": True}], ids=["rounded", "unprotected"])
def test_written_read_and_held_against_the_records(
    tmp_path: Path, protection: dict[str, Any]
) -> None:
    table, path = people(), tmp_path / "made.json"
    made = rr.publish(table, shared_by_households=HOUSEHOLD[::-1], **protection)
    save_statistics(made, path)
    read = load_statistics(path)
    assert read.shared == made.shared
    assert made.shared is not None
    assert made.shared.of == HOUSEHOLD
    true_counts(read, table, seconds=0.5)
    wrong = replace(made.shared, combinations=made.shared.combinations - 10)
    with pytest.raises(InputError, match="share district, children, income"):
        true_counts(replace(read, shared=wrong), table, seconds=0.5)


def test_a_file_without_it_says_nothing(tmp_path: Path) -> None:
    save_statistics(rr.publish(people(100)), tmp_path / "made.json")
    assert "shared" not in (tmp_path / "made.json").read_text()


def test_two_files_that_differ_in_it_alone_are_not_equal() -> None:
    made = rr.publish(people(), shared_by_households=HOUSEHOLD, unprotected=True)
    assert made.shared is not None
    made = replace(made, protection=None)
    other = replace(made, shared=replace(made.shared, combinations=made.shared.combinations - 1))
    assert told_together(made, other, 1.0).why != told_together(made, made, 1.0).why


def test_what_is_refused() -> None:
    table = people(200)
    with pytest.raises(UnknownColumn, match="'street' isn't one of the columns published"):
        rr.publish(table, shared_by_households=["district", "children", "street"])
    with pytest.raises(InputError, match="three columns or more"):
        rr.publish(table, shared_by_households=["district"])
    with pytest.raises(InputError, match="two-way table of two says already"):
        rr.publish(table, shared_by_households=["district", "income"])
    with pytest.raises(ContradictoryOptions, match="twice"):
        rr.publish(table, shared_by_households=["district", "income", "income"])
    with pytest.raises(ContradictoryOptions, match="proof"):
        rr.publish(table, shared_by_households=HOUSEHOLD, exact=True)
    with pytest.raises(ContradictoryOptions, match="budget"):
        rr.publish(table, shared_by_households=HOUSEHOLD, epsilon=1.0)
    with pytest.raises(ContradictoryOptions, match="all two-way"):
        rr.publish(table, shared_by_households=HOUSEHOLD, pairs="strong")


def with_county() -> rr.Table:
    batches = people(400).engine.texts_of_each((*HOUSEHOLD, "age")).read_all()
    held = {name: batches[name].to_pylist() for name in batches.column_names}
    held["county"] = [str(int(each[1:]) // 10) for each in held["district"]]
    return rr.read(held, list(held), rows_are_people=True)


@pytest.mark.parametrize("unprotected", [True, False])
def test_a_column_that_follows_from_another_is_refused(unprotected: bool) -> None:
    with pytest.raises(UnusableColumn, match="'county' follows from 'district'"):
        rr.publish(with_county(), shared_by_households=["county", "children", "income"],
                   unprotected=unprotected)  # fmt: skip


def test_totals_that_say_how_people_are_spread_are_refused() -> None:
    """Of one value in each other column, D is the number of cells of two columns."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 8, 500), rng.integers(0, 9, 500)
    held = {"a": a.astype(str).tolist(), "b": b.astype(str).tolist(),
            "c": ((a + b) % 3).astype(str).tolist()}  # fmt: skip
    table = rr.read(held, list(held), rows_are_people=True)
    with pytest.raises(InputError, match="how the people of two of them are spread"):
        rr.publish(table, shared_by_households=["a", "b", "c"])
    assert (
        rr.publish(table, shared_by_households=["a", "b", "c"], unprotected=True).shared is not None
    )


@settings(max_examples=30)
@given(seed=st.integers(0, 10_000))
def test_one_person_with_another_value_changes_totals_by_little(seed: int) -> None:
    """What is said of tables that go with the same totals."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 4, (40, 3))
    other = rows.copy()
    other[rng.integers(40), rng.integers(3)] = rng.integers(4)

    def both(table: np.ndarray[Any, Any]) -> tuple[int, int]:
        held = Counter(map(tuple, table.tolist()))
        return len(held), sum(number for number in held.values() if number > 1)

    (d, g), (d_other, g_other) = both(rows), both(other)
    assert abs(d - d_other) <= 1
    assert abs(g - g_other) <= 2


def test_a_three_way_table_of_the_same_columns_says_more() -> None:
    table = people(300)
    counted = CountedTables.of(table).with_triples(table, [HOUSEHOLD])
    assert with_shared_people(counted, table, Wish(household=HOUSEHOLD)).shared is None


def said(**changes: int) -> SharedCounts:
    return replace(SharedCounts(("a", "b", "c"), 4, 4), **changes)


@pytest.mark.parametrize(
    ("shared", "why"),
    [
        (said(in_groups=7), "7 in groups, more than the 6 records"),
        (said(combinations=5), "5 combinations, more than 4 in groups of 6 can have"),
        (said(combinations=1), "1 combinations, fewer than the 2 people who share with nobody"),
        (said(combinations=2), "2 combinations, fewer than the 3 of 'a' and 'b'"),
        (SharedCounts(("a", "b", "z"), 4, 4), "there is no attribute 'z'"),
        (SharedCounts(("a", "b", "b"), 4, 4), "an attribute is listed twice"),
    ],
)
def test_totals_that_cannot_be_are_reported(tmp_path: Path, shared: SharedCounts, why: str) -> None:
    rows = {"a": list("xxyyyy"), "b": list("xxyyxy"), "c": list("xyxyxy")}
    made = rr.publish(rr.read(rows, ["a", "b", "c"], rows_are_people=True), unprotected=True)
    save_statistics(replace(made, shared=said()), tmp_path / "right.json")
    load_statistics(tmp_path / "right.json")
    save_statistics(replace(made, shared=shared), tmp_path / "wrong.json")
    with pytest.raises(InconsistentStatistics) as refused:
        load_statistics(tmp_path / "wrong.json")
    assert any(why in sentence for sentence in refused.value.disagreements)


@pytest.mark.parametrize(
    "hostile",
    [
        "[]",
        '{"of": ["a"], "combinations": 1, "in_groups": 0}',
        '{"of": ["a", "b", "c"], "combinations": -1, "in_groups": 1}',
        '{"of": 3, "combinations": 1, "in_groups": 1}',
    ],
)
def test_hostile_totals_are_refused(tmp_path: Path, hostile: str) -> None:
    path = tmp_path / "wrong.json"
    path.write_text(
        '{"format": "reidrisk-statistics/2", "records": 6, "attributes": '
        f'[{{"name": "a", "counts": {{"x": 6}}}}], "shared": {hostile}}}'
    )
    with pytest.raises(InputError):
        load_statistics(path)
