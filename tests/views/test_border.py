"""The border against every view of small lattices, whole and stopped."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from reidrisk.searches import border as border_module
from reidrisk.searches.border import Border, border
from reidrisk.searches.lattice import Lattice, Limits, Score, View
from reidrisk.searches.scorer import FunctionScorer
from tests.views.brute import all_views, coarser, lattices, maximal, minimal


def height(lattice: Lattice, peaks: list[tuple[View, float]]):
    """A monotone function: the largest value of a peak at or below, a little for each level."""

    def value(view: View) -> float:
        reached = max((v for peak, v in peaks if coarser(peak, view)), default=0.0)
        return reached + 0.001 * sum(view)

    return value


@st.composite
def landscapes(draw: st.DrawFn):
    lattice = draw(lattices())
    every = all_views(lattice)
    peaks = draw(
        st.lists(st.tuples(st.sampled_from(every), st.floats(0, 1)), min_size=0, max_size=5)
    )
    return lattice, height(lattice, peaks), draw(st.floats(0.0005, 1.1))


def check_tallies(lattice: Lattice, found: Border) -> None:
    assert found.counted + sum(found.pruned.values()) + found.open == lattice.views
    assert all(views > 0 for views in found.pruned.values() if views)


def scorer_of(lattice: Lattice, value: Callable[[View], float]) -> FunctionScorer:
    return FunctionScorer(lattice, lambda bits: Score(value(lattice.view(bits))))


@given(landscapes(), st.sampled_from([1, 3, 40]))
def test_same_border_as_every_view(drawn, ceiling: int) -> None:
    lattice, value, most = drawn
    usual = border_module.WORTH_A_CEILING
    border_module.WORTH_A_CEILING = ceiling
    try:
        found = border(scorer_of(lattice, value), lambda v: v > most, Limits())
    finally:
        border_module.WORTH_A_CEILING = usual
    assert found.complete
    check_tallies(lattice, found)

    def risky(view: View) -> bool:
        return value(view) > most

    assert {lattice.view(bits) for bits in found.risky} == minimal(lattice, risky)
    assert all(score.value == value(lattice.view(b)) for b, score in found.risky.items())
    below = {v for v in maximal(lattice, risky) if _size(v) < lattice.up_to}
    told = {lattice.view(bits) for bits in found.safe}
    if lattice.up_to == lattice.attributes:
        assert told == maximal(lattice, risky)
    else:
        assert below == {v for v in told if _size(v) < lattice.up_to}
        of_last_size = [v for v in all_views(lattice) if _size(v) == lattice.up_to]
        assert found.at_limit == sum(not risky(view) for view in of_last_size)


def _size(view: View) -> int:
    return sum(level > 0 for level in view)


@given(landscapes(), st.integers(1, 30))
def test_a_stopped_search_says_only_what_is_true(drawn, most_views: int) -> None:
    lattice, value, most = drawn
    found = border(scorer_of(lattice, value), lambda v: v > most, Limits(most_views=most_views))
    check_tallies(lattice, found)
    assert found.counted + found.ceilings <= max(most_views, 1)

    def risky(view: View) -> bool:
        return value(view) > most

    truth = minimal(lattice, risky)
    assert {lattice.view(bits) for bits in found.risky} <= truth
    for bits in found.safe:
        assert not risky(lattice.view(bits))
    if found.complete:
        assert {lattice.view(bits) for bits in found.risky} == truth
    check_regions(lattice, found, value, risky)


def check_regions(lattice: Lattice, found, value, risky) -> None:
    """Every view is decided, lies above a risky one or below a safe one, or is in one region."""
    for region in found.regions:
        inside = [
            view
            for view in all_views(lattice)
            if region.base & ~lattice.bits(view) == 0
            and _first_new(lattice, region.base, view) in region.any_of
        ]
        assert region.low.value == value(lattice.view(region.floor))
        assert region.high.value == value(lattice.view(region.roof))
        for view in inside:
            assert lattice.bits(view) & ~region.roof == 0
            assert region.low.value <= value(view) <= region.high.value
    missed = minimal(lattice, risky) - {lattice.view(bits) for bits in found.risky}
    for view in missed:
        assert any(
            region.base & ~lattice.bits(view) == 0
            and _first_new(lattice, region.base, view) in region.any_of
            for region in found.regions
        )


def _first_new(lattice: Lattice, base: int, view: View) -> int | None:
    """The first attribute that a view sees beyond the base, all of which comes before."""
    known = lattice.view(base)
    new = [j for j, level in enumerate(view) if level and not known[j]]
    same = all(a == b for a, b in zip(known, view, strict=True) if a)
    last = max((j for j, level in enumerate(known) if level), default=-1)
    return new[0] if new and same and new[0] > last else None


def test_no_time_leaves_everything_open() -> None:
    lattice = Lattice.of_knowledge(["a", "b", "c"])
    found = border(scorer_of(lattice, lambda view: sum(view) / 3), lambda v: v > 0.5, Limits(1e-9))
    assert not found.complete
    assert found.open == lattice.views
    (region,) = found.regions
    assert (region.low.value, region.high.value) == (0, 1)
