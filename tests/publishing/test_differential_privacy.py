"""The mechanism: what neighbouring tables can differ by, worked out, and what is listed."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reidrisk.errors import InputError, UnreadableInput
from reidrisk.laws.discrete_gaussian import DiscreteGaussian, seeded_words
from reidrisk.publishing.differential_privacy import Cells, NoisyCounts, planned, with_noise
from reidrisk.statistics.protection import DifferentialPrivacy, stated_protection
from tests.publishing.losses import exact_delta


def words(seed: int = 1):  # type: ignore[no-untyped-def]
    return seeded_words(np.random.default_rng(seed))


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 6.0])
@pytest.mark.parametrize(("attributes", "unknown"), [(1, 0), (1, 1), (3, 2), (6, 6)])
@pytest.mark.parametrize("delta", [1e-9, 1e-3])
def test_neighbours_differ_by_no_more_than_is_claimed(
    epsilon: float, attributes: int, unknown: int, delta: float
) -> None:
    """A person with any number of values of their own: δ by definition stays below the claim."""
    tables = attributes * (attributes - 1) // 2
    law = planned(epsilon, attributes, tables, unknown, delta)
    for own in range(unknown + 1):
        alone = law.margins.above(law.values_above - 1) if unknown else 0.0
        listed = -math.expm1(own * math.log1p(-alone))
        parts = [(law.margins, attributes - own + 1), (law.cells, tables)]
        assert exact_delta(parts, epsilon, listed) <= delta * (1 + 1e-9)
    # Half of ε isn't reached: the noise isn't far more than is needed.
    assert exact_delta([(law.margins, attributes + 1), (law.cells, tables)], epsilon / 2) > delta


def outcomes(
    counts: list[int], law: DifferentialPrivacy, open_: bool, monkeypatch: pytest.MonkeyPatch
) -> Counter[tuple[object, ...]]:
    """The exact law of what the mechanism itself says of one attribute: every noise there is."""
    held = len([count for count in counts if count]) if open_ else len(counts)
    reach = np.arange(-7, 8)
    mass = np.exp(law.margins.log_mass(reach))
    told: Counter[tuple[object, ...]] = Counter()
    for places in product(range(len(reach)), repeat=held + 1):
        noise: Iterator[int] = iter(reach[list(places)].tolist())

        def drawn(_self: object, count: int, _words: object, noise: Iterator[int] = noise):  # type: ignore[no-untyped-def]
            return np.array([next(noise) for _ in range(count)], dtype=np.int64)

        monkeypatch.setattr(DiscreteGaussian, "draw", drawn)
        found = with_noise(sum(counts), [np.array(counts)], [open_], [], 0, law)
        margin = found.margins[0]
        key = (found.people, *margin.places.tolist(), *margin.counts.tolist())
        told[key] += float(np.prod(mass[list(places)]))
    return told


@pytest.mark.parametrize(
    ("one", "other", "open_"),
    [([1, 3], [0, 3], True), ([4, 3], [3, 3], True), ([1, 3], [0, 3], False)],
)
def test_the_mechanism_itself_on_tiny_tables(
    one: list[int], other: list[int], open_: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    epsilon, delta = 4.0, 0.05
    law = planned(epsilon, 1, 0, int(open_), delta)
    assert law.margins.deviation < 1.0, "the noise listed is all there is"
    here, there = (outcomes(each, law, open_, monkeypatch) for each in (one, other))
    assert sum(here.values()) == pytest.approx(1.0, abs=1e-9)
    for first, second in ((here, there), (there, here)):
        apart = sum(max(p - math.exp(epsilon) * second[key], 0.0) for key, p in first.items())
        assert apart <= delta
    if open_ and other[0] == 0:
        # What only one of the two tables can say is said, rarely.
        assert 0.0 < sum(p for key, p in here.items() if key not in there) < delta


def usual(epsilon: float = 2.0, attributes: int = 2, unknown: int = 2) -> DifferentialPrivacy:
    return planned(epsilon, attributes, attributes * (attributes - 1) // 2, unknown)


def test_shares_of_the_budget() -> None:
    law = usual(1.0, 5, 0)
    margins, cells = 6 / (2 * law.margins.variance), 10 / (2 * law.cells.variance)
    assert margins / law.rho == pytest.approx(0.2, rel=1e-4)
    assert margins + cells == pytest.approx(law.rho)


def test_everything_goes_to_margins_without_pair_tables() -> None:
    law = planned(1.0, 5, 0, 0)
    assert 6 / (2 * law.margins.variance) == pytest.approx(law.rho)


def test_a_value_held_by_one_person_is_listed_less_than_once_in_ten_billion() -> None:
    law = usual(1.0, 4, 4)
    assert law.margins.above(law.values_above - 1) <= 1e-10 / 4
    assert law.margins.above(law.values_above - 2) > 1e-10 / 4
    assert usual(1.0, 4, 0).values_above == 0


@st.composite
def people(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """A pair table with values nobody holds among them, and which domains are open."""
    shape = draw(st.tuples(st.integers(1, 4), st.integers(1, 5)))
    cells = draw(
        st.lists(st.integers(0, 90), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1])
    )
    return np.array(cells).reshape(shape), np.array(draw(st.tuples(st.booleans(), st.booleans())))


@given(people())
def test_without_noise_everybody_is_where_they_are(
    given_: tuple[np.ndarray, np.ndarray],
) -> None:
    """Listed values and cells as counted; everybody else in the rests; nothing of others."""
    table, open_ = given_
    margins = [table.sum(axis=1), table.sum(axis=0)]
    law = usual(1.0, 2, int(open_.sum()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DiscreteGaussian, "draw", lambda _, count, _w: np.zeros(count, np.int64))
        found = with_noise(int(table.sum()), margins, open_.tolist(),
                           [((0, 1), Cells.of(table))], 1, law)  # fmt: skip
    assert found.people == table.sum()
    for margin, counts, is_open in zip(found.margins, margins, open_, strict=True):
        assert margin.places.tolist() == [
            place for place, count in enumerate(counts) if not is_open or count > law.values_above
        ]
        assert margin.counts.tolist() == counts[margin.places].tolist()
    merged = table
    for axis, margin in enumerate(found.margins):
        place = margin.place_of_each(table.shape[axis])
        merged = np.stack([merged.take(np.flatnonzero(place == at), axis=axis).sum(axis=axis)
                           for at in range(margin.size)], axis=axis)  # fmt: skip
    shown = np.zeros_like(merged)
    cells = found.pairs[0, 1]
    shown[cells.rows, cells.columns] = cells.counts
    assert shown.tolist() == np.where(merged > law.cells_above, merged, 0).tolist()


def test_empty_cells_get_noise_too() -> None:
    table = np.zeros((200, 200), dtype=np.int64)
    table[0, 0] = 7
    law = usual(1.0, 2, 0)
    margins = [table.sum(axis=1), table.sum(axis=0)]
    found = with_noise(7, margins, [False, False], [((0, 1), Cells.of(table))], 1, law, words())
    share = len(found.pairs[0, 1].counts) / table.size
    assert share == pytest.approx(law.cells.above(law.cells_above), rel=0.2)
    assert found.pairs[0, 1].counts.min() > law.cells_above


def test_an_attribute_without_a_listed_value_is_its_rest() -> None:
    table = np.eye(30, dtype=np.int64)
    law = usual(1.0, 2, 1)
    margins = [table.sum(axis=1), table.sum(axis=0)]
    found = with_noise(30, margins, [True, False], [((0, 1), Cells.of(table))], 1, law, words())
    assert found.margins[0].size == 1
    assert set(found.pairs[0, 1].rows.tolist()) <= {0}
    assert len(found.margins[1].places) == 30


def noisy(
    table: np.ndarray, law: DifferentialPrivacy, margins: list[np.ndarray] | None = None
) -> NoisyCounts:
    margins = margins or [table.sum(axis=1), table.sum(axis=0)]
    pairs = [((0, 1), Cells.of(table))]
    return with_noise(int(table.sum()), margins, [True, True], pairs, 1, law, words())


def test_what_would_break_the_proof_is_refused() -> None:
    table = np.array([[3, 4], [5, 6]])
    with pytest.raises(ValueError, match="planned for fewer"):
        noisy(table, planned(2.0, 1, 0, 1))
    with pytest.raises(ValueError, match="planned for fewer"):
        noisy(table, planned(2.0, 2, 1, 0))
    with pytest.raises(ValueError, match="exactly one cell"):
        noisy(table, usual(), [np.array([7, 12]), np.array([8, 10])])
    pairs = [((0, 1), Cells.of(table))] * 2
    margins = [table.sum(axis=1), table.sum(axis=0)]
    with pytest.raises(ValueError, match="once"):
        with_noise(18, margins, [True, True], pairs, 1, usual(), words())


def test_the_stated_law_is_the_law() -> None:
    law = usual(0.7, 6, 3)
    told = json.loads(json.dumps(law.stated()))
    assert stated_protection(told) == law


@pytest.mark.parametrize(
    ("key", "value"),
    [("rho", None), ("cell_variance", math.nan), ("margin_variance", math.inf),
     ("values_above", "many"), ("cell_variance", 1e300)],
)  # fmt: skip
def test_a_damaged_law(key: str, value: object) -> None:
    with pytest.raises(UnreadableInput, match="stated as it should be"):
        stated_protection(usual().stated() | {key: value})
    with pytest.raises(UnreadableInput, match="stated as it should be"):
        stated_protection({"kind": "differential privacy", key: 1.0})


@pytest.mark.parametrize("epsilon", [0.0, -3.0, math.nan, math.inf])
def test_impossible_epsilon(epsilon: float) -> None:
    with pytest.raises(InputError, match="epsilon"):
        usual(epsilon)
