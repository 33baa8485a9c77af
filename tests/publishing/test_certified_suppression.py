"""Swap-certified suppression: every certificate replayed, tables enumerated, programs solved."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import Bounds, LinearConstraint, milp

from reidrisk.arrays import Ints, Mask
from reidrisk.publishing.certified_suppression import CertifiedSuppression, certified_suppression
from reidrisk.publishing.swap_certificates import changes, swapped
from reidrisk.publishing.swap_prices import MOST_BY_CHANCE
from tests.publishing.populations import KINDS, Population, population, recounted

LEAST = 5


def suppressed(made: Population, seed: int = 0, **options: Any) -> CertifiedSuppression:
    options = {"at_least": LEAST, "never": made.never, "families": made.families, **options}
    return certified_suppression(
        made.codes, None, made.sizes, made.pairs, rng=np.random.default_rng(seed), **options
    )


def replay(
    found: CertifiedSuppression, codes: Ints, people: Ints, sizes: list[int], which: Ints
) -> None:
    """Apply each certificate's swaps: what is published stays, the cell changes by one each."""
    held = found.certificates
    before = recounted(codes, people, sizes)
    for proof, place in zip(held.proofs[which], held.certified[which], strict=True):
        at, a, b = (int(each[0]) for each in held.cells.values(np.array([place])))
        pair = held.cells.pairs[at]
        values = {int(before[pair][a, b])}
        for some in (subset for k in range(len(proof)) for subset in combinations(proof, k + 1)):
            after = recounted(*swapped(codes, people, held.swaps, list(some)), sizes)
            for of, table in after.items():
                if len(of) == 1:
                    np.testing.assert_array_equal(table, before[of])
                elif of in held.cells.pairs:
                    listed = held.cells.table(held.cells.pairs.index(of), held.listed)
                    np.testing.assert_array_equal(table[listed], before[of][listed])
            if len(some) == 1:
                assert abs(after[pair][a, b] - before[pair][a, b]) == 1
            values.add(int(after[pair][a, b]))
        assert len(values) >= held.width + 1
        assert min(values) >= 0


@pytest.mark.parametrize("width", [1, 2])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_certificates_replayed_change_nothing_that_is_published(
    kind: str, seed: int, width: int
) -> None:
    made = population(kind, seed)
    found = suppressed(made, seed, width=width)
    cells = found.certificates.cells
    small = np.flatnonzero((cells.people > 0) & (cells.people < LEAST))
    np.testing.assert_array_equal(np.union1d(found.certificates.certified, found.unproven), small)
    assert not found.certificates.listed[small].any()
    assert len(found.unproven) == 0
    assert found.certificates.listed.any()
    drawn = np.random.default_rng(seed).permutation(len(found.certificates.certified))[:25]
    replay(found, made.codes, made.people, made.sizes, drawn)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_and_columns_leave_out_nobody_or_at_least_m(kind: str) -> None:
    made = population(kind, 7)
    held = suppressed(made).certificates
    for at in range(len(held.cells.pairs)):
        people, listed = (held.cells.table(at, each) for each in (held.cells.people, held.listed))
        for axis in (0, 1):
            left = np.where(listed, 0, people).sum(axis=axis)
            some = listed.any(axis=axis)
            assert not ((left > 0) & (left < LEAST) & some).any()


@pytest.mark.parametrize("kind", KINDS)
def test_alternatives_stay_believable(kind: str) -> None:
    """Families stay together; empty cells are filled only where chance leaves them empty."""
    made = population(kind, 11)
    held = suppressed(made).certificates
    counts = [np.bincount(made.codes[:, i], minlength=k) for i, k in enumerate(made.sizes)]
    own = {
        int(swap)
        for swap, place in zip(held.proofs[:, 0], held.certified, strict=True)
        if set(held.cells.pairs[int(held.cells.tables_of(np.array([place]))[0])])
        in [set(family) for family in made.families]
    }
    for family in made.families:
        together = held.swaps.moved[:, family]
        apart = np.flatnonzero(together.any(axis=1) & ~together.all(axis=1))
        assert set(apart.tolist()) <= own
    for _, places, by in changes(held.cells, made.codes, held.swaps):
        filled = places[(held.cells.people[places] == 0) & (by > 0)]
        at, a, b = held.cells.values(filled)
        for table, x, y in zip(at, a, b, strict=True):
            i, j = held.cells.pairs[table]
            assert counts[i][x] * counts[j][y] / len(made.codes) <= MOST_BY_CHANCE


def test_other_values_are_small_counts_too() -> None:
    """Width 1, m = 5: a small cell's other value is 1 to 4 wherever a certificate was found so."""
    made = population("independent", 3)
    held = suppressed(made).certificates
    by_place = {}
    for which, places, by in changes(held.cells, made.codes, held.swaps):
        by_place.update({(int(s), int(p)): by for s, p in zip(which, places, strict=True)})
    other = [
        int(held.cells.people[place]) + by_place[int(proof), int(place)]
        for proof, place in zip(held.proofs[:, 0], held.certified, strict=True)
    ]
    assert min(other) > 0
    assert max(other) < LEAST


def test_values_never_listed_are_not() -> None:
    made = population("skewed", 2)
    found = suppressed(made)
    last = len(made.sizes) - 1
    for pair in made.pairs:
        if last in pair:
            assert not found.listed(pair)[:, -1].any()


def test_the_same_seed_hides_the_same_and_another_one_something_else() -> None:
    made = population("band", 2)
    one, again, other = (suppressed(made, seed).certificates.listed for seed in (4, 4, 5))
    np.testing.assert_array_equal(one, again)
    assert (one != other).any()


def test_rows_that_stand_for_several_people() -> None:
    made = population("derived", 1, n=900)
    rows, people = np.unique(made.codes[:, [0, 2, 3, 4]], axis=0, return_counts=True)
    sizes = (rows.max(axis=0) + 1).tolist()
    assert people.max() > 5
    found = certified_suppression(
        rows, people, sizes, list(combinations(range(4), 2)), at_least=12, width=2,
        rng=np.random.default_rng(0),
    )  # fmt: skip
    held = found.certificates
    assert len(held.certified) > 3
    replay(found, rows, people, sizes, np.arange(len(held.certified)))


def test_pairs_that_are_not_published_say_nothing() -> None:
    made = population("twins", 1)
    asked = [pair for pair in made.pairs if pair != (0, 1)]
    found = certified_suppression(
        made.codes, None, made.sizes, asked, at_least=LEAST, rng=np.random.default_rng(0)
    )
    assert found.certificates.cells.pairs == tuple(asked)
    replay(found, made.codes, made.people, made.sizes, np.arange(10))


def test_out_of_time_nothing_is_proven_and_its_tables_are_to_be_left_out() -> None:
    made = population("independent", 1)
    found = suppressed(made, seconds=0.0)
    cells = found.certificates.cells
    assert len(found.certificates.certified) == 0
    assert len(found.unproven) == ((cells.people > 0) & (cells.people < LEAST)).sum()
    assert found.pairs_to_leave_out
    for pair in found.pairs_to_leave_out:
        assert not found.listed(pair).any()


def test_where_nobody_can_change_places_nothing_is_called_proven() -> None:
    """One person differs from all others, who are alike: every margin tells who they are."""
    codes = np.zeros((30, 3), dtype=np.int64)
    codes[0] = 1
    found = certified_suppression(
        codes, None, [2, 2, 2], [(0, 1), (0, 2), (1, 2)], at_least=5, rng=np.random.default_rng(0)
    )
    truth = {int(p) for p in found.certificates.certified}
    assert truth.isdisjoint(found.unproven.tolist())
    replay(found, codes, np.ones(30, np.int64), [2, 2, 2], np.arange(len(truth)))


@pytest.mark.parametrize(
    "codes",
    [np.zeros((1, 2), int), np.zeros((40, 2), int), np.repeat([[0, 0], [1, 1]], 30, axis=0)],
    ids=["one person", "all alike", "two kinds"],
)
def test_tables_without_small_cells_that_could_be_told(codes: Ints) -> None:
    sizes = (codes.max(axis=0) + 1).tolist()
    found = certified_suppression(
        codes, None, sizes, [(0, 1)], at_least=5, rng=np.random.default_rng(0)
    )
    assert len(found.certificates.certified) == 0
    assert len(found.unproven) == (len(codes) == 1)


def test_nothing_is_hidden_below_two() -> None:
    made = population("independent", 1)
    found = suppressed(made, at_least=1, never=None)
    np.testing.assert_array_equal(found.certificates.listed, found.certificates.cells.people > 0)


# -- against everything that can be computed from the file ----------------------------------------


def every_table(cells: int, people: int) -> Ints:
    """All ways to put so many people into so many cells, a row each."""
    ways = np.array(list(combinations(range(people + cells - 1), cells - 1)))
    ends = np.full((len(ways), 1), people + cells - 1)
    return np.diff(np.concatenate([np.full((len(ways), 1), -1), ways, ends], axis=1), axis=1) - 1


def sums_of(sizes: list[int], held: dict[tuple[int, int], Mask]) -> tuple[Ints, Ints]:
    """A row a published number: which combinations it counts; and the pair cells, all of them."""
    combination = np.indices(sizes).reshape(len(sizes), -1).T
    published = [combination[:, i] == a for i, size in enumerate(sizes) for a in range(size)]
    small = []
    for (i, j), listed in held.items():
        for a, b in np.ndindex(listed.shape):
            counted = (combination[:, i] == a) & (combination[:, j] == b)
            small.append(counted)
            if listed[a, b]:
                published.append(counted)
    return np.array(published, dtype=np.int64), np.array(small, dtype=np.int64)


TABLES = every_table(8, 12)


@given(st.integers(0, 100_000), st.integers(1, 2))
def test_of_all_tables_with_this_file_small_cells_have_more_values(seed: int, width: int) -> None:
    """Twelve people, three attributes of two values: all 50,388 tables are gone through."""
    rng = np.random.default_rng(seed)
    sizes = [2, 2, 2]
    truth = rng.multinomial(12, rng.dirichlet(np.ones(8)))
    codes = np.indices(sizes).reshape(3, -1).T[np.repeat(np.arange(8), truth)]
    pairs = list(combinations(range(3), 2))
    found = certified_suppression(codes, None, sizes, pairs, at_least=3, width=width, rng=rng)
    held = found.certificates
    listed = {pair: held.cells.table(at, held.listed) for at, pair in enumerate(pairs)}
    published, cells = sums_of(sizes, listed)
    same = TABLES[(truth @ published.T == TABLES @ published.T).all(axis=1)]
    for place in held.certified:
        assert len(np.unique(same @ cells[place])) >= width + 1


@pytest.mark.parametrize("width", [1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_integer_programs_pin_no_small_cell(seed: int, width: int) -> None:
    """The least and the most people each cell can hold, given every published number."""
    made = population("hierarchy", seed, n=160)
    codes, sizes = (
        np.stack([made.codes[:, 0] // 2, made.codes[:, 1] // 5, made.codes[:, 3]], 1),
        [6, 4, 6],
    )
    pairs = list(combinations(range(3), 2))
    found = certified_suppression(
        codes, None, sizes, pairs, at_least=4, width=width, rng=np.random.default_rng(seed)
    )
    held = found.certificates
    listed = {pair: held.cells.table(at, held.listed) for at, pair in enumerate(pairs)}
    published, cells = sums_of(sizes, listed)
    truth = np.bincount(codes @ [24, 6, 1], minlength=144)
    known = LinearConstraint(published, published @ truth, published @ truth)
    some = np.random.default_rng(seed).permutation(held.certified)[:12]
    for place in some:
        ends = []
        for sign in (1, -1):
            solved = milp(
                sign * cells[place], constraints=known, bounds=Bounds(0, np.inf),
                integrality=np.ones(144),
            )  # fmt: skip
            assert solved.success
            ends.append(sign * solved.fun)
        assert ends[1] - ends[0] >= width - 1e-6


# -- real tables ----------------------------------------------------------------------------------


def coded(path: Path, columns: list[str]) -> tuple[Ints, Ints]:
    table = pq.read_table(path)
    codes = np.stack(
        [table[c].combine_chunks().dictionary_encode("encode").indices.to_numpy() for c in columns],
        axis=1,
    ).astype(np.int64)
    people = table["count"].to_numpy() if "count" in table.column_names else np.ones(len(codes))
    return codes, people.astype(np.int64)


@pytest.mark.slow
@pytest.mark.parametrize("width", [1, 2])
@pytest.mark.parametrize(
    ("file", "columns", "families"),
    [
        ("adult/adult_arx.parquet", ["sex", "age", "race", "native-country", "occupation"], []),
        ("belgium_2015/belgium_2015.parquet",
         ["municipality", "district", "province", "age", "sex", "civil_status"], [[0, 1, 2]]),
    ],
)  # fmt: skip
def test_certificates_of_real_tables(
    shared_data: Path, file: str, columns: list[str], families: list[list[int]], width: int
) -> None:
    codes, people = coded(shared_data / file, columns)
    sizes = (codes.max(axis=0) + 1).tolist()
    pairs = list(combinations(range(len(sizes)), 2))
    found = certified_suppression(
        codes, people, sizes, pairs, at_least=5, width=width, families=families,
        rng=np.random.default_rng(0),
    )  # fmt: skip
    held = found.certificates
    assert held.holding(codes, people).all()
    assert len(found.unproven) <= 0.01 * len(held.certified)
    rng = np.random.default_rng(1)
    replay(found, codes, people, sizes, rng.permutation(len(held.certified))[:3])
