"""The laws of density: they add up to 1, leave a cell's own people out, and see dependence."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reidrisk.samples.chain_law import ChainLaw, pair_table
from reidrisk.samples.latent_classes import LatentClasses
from reidrisk.samples.likeliest_strength import STRENGTHS, likeliest_strength
from reidrisk.samples.ordered_rows import kernel, near_people, smoothed
from reidrisk.samples.sampled_cells import SampledCells, cells_of
from reidrisk.samples.stack import Independence, stacked
from tests.samples.drawn_people import every_combination, people, sampled

VALUES = (9, 6, 4, 3)


@pytest.fixture(scope="module")
def sample() -> SampledCells:
    drawn, _ = sampled(people(4000, 1, VALUES), 500, 2)
    return replace(drawn, ordered=(True, True, False, False))


@pytest.fixture(scope="module")
def chain(sample: SampledCells) -> ChainLaw:
    return ChainLaw.of(sample, np.random.default_rng(0))


@pytest.fixture(scope="module")
def classes(sample: SampledCells) -> LatentClasses:
    return LatentClasses.of(sample, np.random.default_rng(0))


def test_densities_of_all_combinations_add_up_to_1(
    sample: SampledCells, chain: ChainLaw, classes: LatentClasses
) -> None:
    every = every_combination(sample)
    assert np.exp(chain.log_left_out(every)).sum() == pytest.approx(1.0, abs=1e-9)
    assert np.exp(classes.log_left_out(every)).sum() == pytest.approx(1.0, abs=1e-9)


def test_the_chain_leaves_out_exactly_the_cells_own_people(
    sample: SampledCells, chain: ChainLaw
) -> None:
    """Every number of the law worked out anew, cell by cell, by loops over values."""
    found = chain.log_left_out(sample)
    for cell in range(0, sample.cells, 17):
        codes, own_people = sample.codes[cell], float(sample.people[cell])
        total = 0.0
        for link in chain.links:
            j, own = link.attribute, codes[link.attribute]
            counts = link.counts.copy()
            counts[own] -= own_people
            width = len(counts)
            whole = link.counts.sum() + 0.5 * width
            if not link.terms:
                total += np.log((counts[own] + 0.5) / (whole - own_people))
                continue
            margin = (link.counts + 0.5) / whole
            left = (counts + 0.5) / whole
            logits = np.log(left)
            for term in link.terms:
                row = pair_table(sample, term.parent, j)[codes[term.parent]].copy()
                row[own] -= own_people
                rows = term.rows
                q = rows.expected[codes[term.parent]].copy()
                if rows.near is None:
                    q[own] = left[own]
                elif rows.kernel is not None:
                    near = rows.near[codes[term.parent]].copy()
                    near -= own_people * rows.kernel.toarray()[own]
                    q = (np.maximum(near, 0.0) + rows.prior * margin) / (
                        np.maximum(near, 0.0).sum() + rows.prior
                    )
                below = margin if rows.kernel is not None else left
                logits += term.weight * np.log((np.maximum(row, 0) + rows.strength * q) / below)
            total += logits[own] - np.log(np.exp(logits).sum())
        assert found[cell] == pytest.approx(total, abs=1e-7)


def test_leaving_out_takes_nothing_from_a_cell_of_nobody_and_more_from_larger_ones(
    sample: SampledCells, chain: ChainLaw, classes: LatentClasses
) -> None:
    nobody = replace(sample, people=np.zeros_like(sample.people))
    for law in (chain, classes):
        assert np.all(law.log_left_out(sample) <= law.log_left_out(nobody) + 1e-9)
    assert np.all(Independence.of(sample).log_left_out(sample) < 0.0)


def test_the_laws_beat_independence_on_people_they_have_not_seen(
    sample: SampledCells, chain: ChainLaw, classes: LatentClasses
) -> None:
    logs = [
        chain.log_left_out(sample),
        classes.log_left_out(sample),
        Independence.of(sample).log_left_out(sample),
    ]
    both, weights = stacked(logs, sample.held)
    scores = [float(np.dot(sample.people, each)) for each in (*logs, both)]
    assert scores[0] > scores[2]
    assert scores[1] > scores[2]
    assert scores[3] >= max(scores[:3]) - 1e-6
    assert weights.sum() == pytest.approx(1.0)


def test_independent_columns_are_seen_as_such() -> None:
    rng = np.random.default_rng(3)
    rows = np.stack([rng.integers(0, 5, 2000), rng.integers(0, 4, 2000)], axis=1)
    drawn, _ = cells_of(("a", "b"), rows, np.ones(2000, dtype=np.int64), 20_000)
    found = ChainLaw.of(drawn, rng).log_left_out(drawn)
    assert found == pytest.approx(Independence.of(drawn).log_left_out(drawn), abs=0.15)


@given(st.integers(6, 40), st.integers(1, 4))
def test_kernels_are_symmetric_and_1_at_the_centre(values: int, reach: int) -> None:
    held = kernel(values, reach).toarray()
    assert np.all(np.diag(held) == 1.0)
    assert held == pytest.approx(held.T)
    assert np.count_nonzero(held[values // 2]) <= 2 * reach + 1


def test_people_nearby_are_those_of_the_kernel_without_the_cell_itself() -> None:
    rng = np.random.default_rng(5)
    table = rng.poisson(2.0, (8, 9)).astype(float)
    found, along = near_people(table, 2, 1)
    assert along is not None
    for a in range(8):
        for v in range(9):
            total = 0.0
            for b in range(8):
                for u in range(9):
                    if (a, v) != (b, u):
                        weight = max(0.0, 1 - abs(a - b) / 3) * max(0.0, 1 - abs(v - u) / 2)
                        total += weight * table[b, u]
            assert found[a, v] == pytest.approx(total)


def test_ordered_values_are_smoothed_and_mere_codes_are_not() -> None:
    rng = np.random.default_rng(7)
    ages = np.arange(60)
    law = np.exp(-0.5 * ((ages[:, None] - ages[None, :]) / 5.0) ** 2)
    law /= law.sum(axis=1, keepdims=True)
    margin = np.full(60, 1.0 / 60)
    table = np.stack([rng.multinomial(30, row) for row in law]).astype(float)
    assert smoothed(table, margin, (True, True)).near is not None
    assert smoothed(table, margin, (False, False)).near is None
    shuffled = table[:, rng.permutation(60)][rng.permutation(60)]
    assert smoothed(shuffled, margin, (True, True)).near is None
    rows = smoothed(table, margin, (True, True)).expected
    assert rows.sum(axis=1) == pytest.approx(1.0)


@pytest.mark.parametrize("strength", [2.0, 20.0])
def test_the_likeliest_strength_is_found_again(strength: float) -> None:
    rng = np.random.default_rng(11)
    margin = rng.dirichlet(np.full(12, 3.0))
    rows = rng.dirichlet(strength * margin, 300)
    table = np.stack([rng.multinomial(50, row) for row in rows]).astype(float)
    expected = np.broadcast_to(margin, table.shape)
    found, top = likeliest_strength(table, expected)
    assert strength / 1.4 < found < strength * 1.4
    assert all(top >= _likelihood(table, margin, each) - 0.5 for each in STRENGTHS)


def _likelihood(table: np.ndarray, margin: np.ndarray, strength: float) -> float:
    from math import lgamma

    total = 0.0
    for row in table:
        total += lgamma(strength) - lgamma(row.sum() + strength)
        total += sum(
            lgamma(x + strength * m) - lgamma(strength * m)
            for x, m in zip(row, margin, strict=True)
        )
    return total


def test_classes_fitted_on_a_part_are_counted_on_all(monkeypatch: pytest.MonkeyPatch) -> None:
    from reidrisk.samples import latent_classes

    rows = people(20_000, 4, (40, 20, 8))
    drawn, _ = sampled(rows, 3000, 1)
    whole = LatentClasses.of(drawn, np.random.default_rng(0))
    monkeypatch.setattr(latent_classes, "MOST_CELLS", 200)
    monkeypatch.setattr(latent_classes, "PART", 1500)
    part = LatentClasses.of(drawn, np.random.default_rng(0))
    assert part.fitted_on < 0.7 * drawn.n
    assert part.people.sum() == pytest.approx(drawn.n)
    mean = [
        float(np.dot(drawn.people, each.log_left_out(drawn))) / drawn.n for each in (whole, part)
    ]
    assert mean[1] == pytest.approx(mean[0], abs=0.1)
