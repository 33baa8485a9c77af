"""Reading back whole files: what adds up, what comes near, what odd files do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from reidrisk.laws.discrete_gaussian import DiscreteGaussian, seeded_words
from reidrisk.laws.discrete_noise import DiscreteNoise
from reidrisk.laws.random_rounding import RandomRounding
from reidrisk.models import Knowledge
from reidrisk.models.pairwise import Pairwise
from reidrisk.publishing.differential_privacy import Cells, planned, with_noise
from reidrisk.statistics.reading_back import (
    Published,
    PublishedCells,
    ReadCells,
    Reading,
    cells_of,
)
from reidrisk.statistics.reading_margins import (
    PublishedMargin,
    ReadMargin,
    margin_of,
    people_of,
    settled_margin,
    whole,
)

LOUD = DiscreteNoise(DiscreteGaussian.at_least(400.0))


def with_epsilon(
    known: Knowledge,
    epsilon: float,
    open_: bool,
    rng: np.random.Generator,
    drawn: bool = False,
) -> Knowledge:
    """Published under differential privacy and read back."""
    several, tables = len(known.counts), len(known.pairs)
    law = planned(epsilon, several, tables, several * open_)
    pairs = ((of, Cells.of(cells.astype(np.int64))) for of, cells in known.pairs.items())
    told = with_noise(
        known.n, known.counts, [open_] * several, pairs, tables, law, seeded_words(rng)
    )
    rest = law.values_above if open_ else 0
    published = Published(
        told.people,
        [PublishedMargin(each.counts, rest) for each in told.margins],
        {of: PublishedCells(*cells) for of, cells in told.pairs.items()},
        DiscreteNoise(law.margins),
        DiscreteNoise(law.cells, law.cells_above),
    )
    return Reading.of(published).tables(rng if drawn else None).knowledge(known.names)


def rounded(known: Knowledge, base: int, rng: np.random.Generator) -> Knowledge:
    """Every number rounded at random, and read back."""

    def published(counts: np.ndarray) -> np.ndarray:
        q, r = np.divmod(np.asarray(counts).astype(np.int64), base)
        return base * (q + (rng.random(np.shape(counts)) < r / base))

    margins = [published(counts) for counts in known.counts]
    named = [np.flatnonzero(each) for each in margins]
    pairs = {}
    for (i, j), cells in known.pairs.items():
        told = published(cells)[np.ix_(named[i], named[j])]
        held = np.nonzero(told)
        pairs[i, j] = PublishedCells(held[0], held[1], told[held])
    law = RandomRounding(base)
    listed = [PublishedMargin(each[each > 0]) for each in margins]
    told = Published(int(published(np.array(known.n))), listed, pairs, law, law)
    return Reading.of(told).tables().knowledge(known.names)


def table(seed: int, people: int) -> Knowledge:
    """Three attributes that depend on each other."""
    rng = np.random.default_rng(seed)
    first = rng.choice(6, people, p=rng.dirichlet(np.ones(6)))
    second = (first + rng.choice(8, people, p=rng.dirichlet(np.full(8, 0.5)))) % 8
    third = np.where(rng.random(people) < 0.5, second % 4, rng.integers(0, 4, people))
    codes, shape = (first, second, third), (6, 8, 4)
    counts = tuple(np.bincount(c, minlength=s) for c, s in zip(codes, shape, strict=True))
    pairs = {}
    for i, j in ((0, 1), (0, 2), (1, 2)):
        cells = np.zeros((shape[i], shape[j]))
        np.add.at(cells, (codes[i], codes[j]), 1.0)
        pairs[i, j] = cells
    return Knowledge(people, ("first", "second", "third"), counts, pairs)


def hangs_together(known: Knowledge) -> None:
    """Knowledge itself checks that counts add up to n."""
    for counts in known.counts:
        assert counts.min() >= 0
    for (i, j), cells in known.pairs.items():
        assert np.isfinite(cells).all()
        assert cells.min() >= 0.0
        for axis, place in ((1, i), (0, j)):
            assert np.abs(cells.sum(axis=axis) - known.counts[place]).max() < 0.05 + 1e-4 * known.n


@given(st.integers(0, 1000), st.integers(20, 3000), st.floats(0.05, 20.0), st.booleans())
def test_whatever_the_noise_counts_hang_together(
    seed: int, people: int, epsilon: float, open_: bool
) -> None:
    hangs_together(
        with_epsilon(table(seed, people), epsilon, open_, np.random.default_rng([seed, 1]))
    )


@given(st.integers(0, 1000), st.integers(20, 3000), st.integers(2, 10))
@example(72, 20, 9)  # All values of an attribute are rounded to 0.
def test_rounded_counts_hang_together(seed: int, people: int, base: int) -> None:
    hangs_together(rounded(table(seed, people), base, np.random.default_rng([seed, 2])))


def test_little_noise_is_taken_off_nearly_whole() -> None:
    known = table(3, 50_000)
    found = with_epsilon(known, 50.0, False, np.random.default_rng(1))
    assert abs(found.n - known.n) < 10
    for counts, own in zip(found.counts, known.counts, strict=True):
        assert np.abs(counts - own).max() < 10
    for of, cells in found.pairs.items():
        assert np.abs(cells - known.pairs[of]).max() < 10


def test_reading_back_is_nearer_than_what_was_published() -> None:
    known, off, before, margins = table(4, 4_000), 0.0, 0.0, 0.0
    for seed in range(5):
        rng = np.random.default_rng(seed)
        found = with_epsilon(known, 0.5, False, rng)
        law = planned(0.5, 3, 3, 0)
        off += sum(
            float(((found.pairs[of] - cells) ** 2).sum()) for of, cells in known.pairs.items()
        )
        before += sum(cells.size for cells in known.pairs.values()) * law.cells.variance
        margins += sum(
            float(((one - own) ** 2).mean()) / law.margins.variance / 15
            for one, own in zip(found.counts, known.counts, strict=True)
        )
    assert off < 0.8 * before
    # Pair tables say of margins what these don't.
    assert margins < 0.5


def test_everybody_by_all_that_says_so() -> None:
    """The number of people and two closed margins of 2 and 4 numbers, weighed 1, 1/2, 1/4."""
    margins = [PublishedMargin(np.array([60, 50])), PublishedMargin(np.array([25, 25, 25, 55])),
               PublishedMargin(np.array([7]), 5)]  # fmt: skip
    assert people_of(100, margins) == round((100 + 110 / 2 + 130 / 4) / 1.75)
    assert people_of(-40, []) == 1


def read(margin: PublishedMargin, people: int) -> ReadMargin:
    return settled_margin(margin, margin_of(margin, people, LOUD), people)


def test_numbers_below_nought_become_nobody_or_few() -> None:
    found = read(PublishedMargin(np.array([-35, 500, 480, -60, 30])), 960)
    assert found.counts.sum() == 960
    assert found.counts.min() >= 0
    assert found.counts[[0, 3]].max() < 15
    assert not len(found.rest)


def test_a_rest_is_what_the_listed_leave() -> None:
    found = read(PublishedMargin(np.array([5000, 3000]), 120), 9_000)
    assert found.rest.sum() == pytest.approx(1000, abs=40)
    assert found.rest.max() < 240
    # α(ln T + γ) values.
    assert len(found.rest) == pytest.approx(1000 / 120 * (np.log(120) + 0.577), abs=3)
    assert read(PublishedMargin(np.array([5000, 4900]), 120), 9_000).rest.sum() == 0


def test_nothing_listed_is_all_rest() -> None:
    found = read(PublishedMargin(np.empty(0, np.int64), 50), 200)
    assert found.rest.sum() == 200
    assert found.spread(np.array([[8.0, 4.0]])).sum(axis=0) == pytest.approx([8.0, 4.0])


def test_all_of_a_margin_below_nought() -> None:
    assert read(PublishedMargin(np.array([-3, -50])), 10).counts.sum() == 10


def test_cells_of_nobody_stay_empty() -> None:
    cells = PublishedCells(np.array([0, 1]), np.array([0, 1]), np.array([60, 45]))
    law = DiscreteNoise(DiscreteGaussian.at_least(4.0), 4)
    found = cells_of(cells, np.array([60.0, 40.0, 0.0]), np.array([55.0, 45.0]), law).mean
    assert found[2].tolist() == [0.0, 0.0]
    assert found[0, 0] > 50
    assert found[1, 1] > 35


def test_a_table_says_of_its_rows_what_its_prior_did_not() -> None:
    """Rows of 500 and 300 people, read with margins that are off by 100."""
    noise, rng = DiscreteGaussian.at_least(25.0), np.random.default_rng(8)
    people = np.array([[300, 150, 50], [20, 80, 200]])
    told = people + noise.draw(6, seeded_words(rng)).reshape(2, 3)
    cells = PublishedCells(*np.nonzero(told), told.ravel())
    off, columns = np.array([400.0, 400.0]), people.sum(axis=0).astype(float)
    said = cells_of(cells, off, columns, DiscreteNoise(noise, 10)).says_of_rows(off)
    assert np.abs(said.mean - [500, 300]).max() < 30
    assert said.variance == pytest.approx([75, 75], rel=0.3)


def test_draws_have_the_mean_and_the_variance_beyond_a_poisson_counts() -> None:
    one = np.ones((1, 20_000))
    cells = ReadCells(np.concatenate([3.0 * one, 40.0 * one, 0.0 * one]),
                      np.concatenate([12.0 * one, 30.0 * one, 0.0 * one]), one, 1.0)  # fmt: skip
    found = cells.drawn(np.random.default_rng(3))
    assert found[0].mean() == pytest.approx(3.0, rel=0.03)
    assert found[0].var() == pytest.approx(9.0, rel=0.1)
    assert found[0].min() > 0.0
    # Known better than a Poisson count, and empty: as they are.
    assert set(found[1]) == {40.0}
    assert set(found[2]) == {0.0}


@given(st.integers(0, 1000), st.floats(0.05, 20.0))
def test_drawn_counts_hang_together_and_repeat(seed: int, epsilon: float) -> None:
    one, other = (
        with_epsilon(table(seed, 900), epsilon, True, np.random.default_rng(seed), drawn=True)
        for _ in range(2)
    )
    hangs_together(one)
    for of, cells in one.pairs.items():
        assert np.array_equal(cells, other.pairs[of])


@given(st.lists(st.floats(0.0, 1e5), min_size=1, max_size=30), st.integers(1, 100_000))
def test_whole_numbers_add_up(weights: list[float], total: int) -> None:
    held = np.array(weights) + 1e-3
    found = whole(held, total)
    assert found.sum() == total
    assert np.abs(found - held * total / held.sum()).max() < 1.0


def adult(data: Path) -> Knowledge:
    pq = pytest.importorskip("pyarrow.parquet")
    path = data / "adult" / "adult_arx.parquet"
    if not path.is_file():
        pytest.skip("adult isn't among the real tables")
    held = pq.read_table(path, columns=["age", "education", "race", "sex"]).to_pandas()
    codes = [held[name].astype("category").cat.codes.to_numpy() for name in held]
    counts = tuple(np.bincount(each) for each in codes)
    pairs = {}
    for i in range(4):
        for j in range(i + 1, 4):
            cells = np.zeros((len(counts[i]), len(counts[j])))
            np.add.at(cells, (codes[i], codes[j]), 1.0)
            pairs[i, j] = cells
    return Knowledge(len(held), tuple(held), counts, pairs)


@pytest.mark.parametrize("way", ["rounded", "noise", "open"])
def test_risk_of_a_real_table(shared_data: Path, way: str) -> None:
    """Nearly what is predicted from exact counts: at base 5, and at ε = 10."""
    known, rng = adult(shared_data), np.random.default_rng(6)
    found = rounded(known, 5, rng) if way == "rounded" else with_epsilon(
        known, 10.0, way == "open", rng
    )  # fmt: skip
    exact, after = (Pairwise.of(each).crowd_sizes().overall_risk for each in (known, found))
    assert after == pytest.approx(exact, abs=0.01)
