"""Certificates: what swaps change, replayed against recounted tables; false ones are found."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reidrisk.publishing.certified_suppression import certified_suppression
from reidrisk.publishing.pair_cells import PairCells
from reidrisk.publishing.swap_certificates import Certificates, Swaps, changes, swapped
from tests.publishing.populations import Population, population, recounted


def flat(found: dict[tuple[int, ...], np.ndarray], pairs: list[tuple[int, int]]) -> np.ndarray:
    return np.concatenate([found[pair].ravel() for pair in pairs])


@given(st.integers(0, 10_000))
def test_changes_are_what_recounting_the_records_finds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 5, int(rng.integers(2, 6))).tolist()
    codes = np.stack([rng.integers(0, size, 12) for size in sizes], axis=1)
    people = rng.integers(1, 4, 12)
    everything = Population(codes, sizes, [])
    cells = PairCells.counted(codes, people, sizes, everything.pairs)
    first, second = rng.permutation(12)[:2]
    swap = Swaps(np.array([first]), np.array([second]), rng.random((1, len(sizes))) < 0.5)
    before = recounted(codes, people, sizes)
    after = recounted(*swapped(codes, people, swap, [0]), sizes)
    difference = np.zeros_like(cells.people)
    for _, places, by in changes(cells, codes, swap):
        difference[places] += by
    np.testing.assert_array_equal(flat(before, everything.pairs), cells.people)
    np.testing.assert_array_equal(
        flat(after, everything.pairs) - flat(before, everything.pairs), difference
    )
    assert np.abs(difference).max(initial=0) <= 1
    for i in range(len(sizes)):
        np.testing.assert_array_equal(before[i,], after[i,])


def proven(width: int = 1) -> tuple[Population, Certificates]:
    made = population("hierarchy", 5)
    found = certified_suppression(
        made.codes, None, made.sizes, made.pairs, at_least=5, width=width,
        families=made.families, rng=np.random.default_rng(1),
    )  # fmt: skip
    return made, found.certificates


@pytest.mark.parametrize("width", [1, 2])
def test_certificates_found_hold(width: int) -> None:
    made, found = proven(width)
    assert len(found.certified) > 20
    assert found.holding(made.codes, made.people).all()


def test_a_certificate_whose_cell_is_listed_after_all_is_found_false() -> None:
    made, found = proven()
    listed = found.listed.copy()
    listed[found.certified[0]] = True
    assert not replace(found, listed=listed).holding(made.codes, made.people)[0]


def test_a_certificate_that_changes_a_listed_cell_is_found_false() -> None:
    made, found = proven()
    listed = found.listed.copy()
    swap = found.swaps.chosen(found.proofs[0])
    for _, places, _ in changes(found.cells, made.codes, swap):
        others = places[places != found.certified[0]]
        listed[others[:1]] = True
    assert not replace(found, listed=listed).holding(made.codes, made.people)[0]


def test_a_swap_that_leaves_its_cell_alone_certifies_nothing() -> None:
    made, found = proven()
    alike = Swaps(found.swaps.first, found.swaps.first, found.swaps.moved)
    assert not replace(found, swaps=alike).holding(made.codes, made.people).any()
    unmoved = Swaps(found.swaps.first, found.swaps.second, np.zeros_like(found.swaps.moved))
    assert not replace(found, swaps=unmoved).holding(made.codes, made.people).any()


def test_one_swap_twice_is_no_certificate_of_width_two_unless_it_is_of_two_people() -> None:
    made, found = proven(2)
    twice = replace(found, proofs=np.repeat(found.proofs[:, :1], 2, axis=1))
    assert not twice.holding(made.codes, made.people).any()
    assert twice.holding(made.codes, 2 * made.people).all()
