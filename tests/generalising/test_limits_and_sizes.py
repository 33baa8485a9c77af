"""Searches at their limits: no time, huge targets, many columns, several drawn tables."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

import reidrisk as rr
from reidrisk.errors import InputError
from reidrisk.generalisation.least_loss import LeastLoss, frontier_of
from reidrisk.generalisation.levelled import Levelled
from reidrisk.generalisation.loss import LOSSES, loss_of, squares
from reidrisk.generalisation.open_releases import BranchedReleases, OpenReleases
from reidrisk.generalisation.release_counts import MOST_COPIES, ReleaseCounting
from reidrisk.generalisation.releases import Releases, rank
from reidrisk.generalisation.target import target_of
from reidrisk.hierarchies import LevelCodes
from reidrisk.searches.lattice import Limits
from reidrisk.searches.searched_tables import searchable
from tests.generalising import exhaustive
from tests.generalising.exhaustive import Small, small_tables
from tests.generalising.test_least_loss import TARGETS, histogram, most_listed, searched


def ages(rows: int = 120) -> rr.Table:
    held = {"age": [20 + i % 40 for i in range(rows)], "sex": ["fm"[i % 2] for i in range(rows)]}
    return rr.read(held, columns=["age", "sex"])


def test_without_time_the_coarsest_release_is_the_answer() -> None:
    """A target that can be met is never called impossible because the time was over."""
    found = rr.generalise(ages(), k=5, time_limit=1e-9, frontier=False)
    assert dict(found.levels) == dict(found.heights)
    assert found.searched.counted == 1
    assert not found.searched.complete
    assert found.gap == pytest.approx(1.0 - found.searched.bound)


@pytest.mark.parametrize(
    "asked",
    [
        {"k": 10**21},
        {"allowable_risk": 1e-13},
        {"measure": "smallest_crowd", "allowable_risk": 1e300},
        {"k": 121},
    ],
)
def test_targets_beyond_everybody_say_the_best_reachable(asked) -> None:
    for suppress in (0.0, 0.5):
        with pytest.raises(InputError, match="the coarsest reaches"):
            rr.generalise(ages(), suppress=suppress, **asked)


@pytest.mark.parametrize("k", [MOST_COPIES - 1, MOST_COPIES, MOST_COPIES + 1])
def test_large_crowds_are_counted_whole(k: int) -> None:
    rows = 4 * MOST_COPIES
    found = rr.generalise(ages(rows), k=k, frontier=False)
    assert found.searched.complete
    assert found.after.value("smallest_crowd") >= k
    every = rr.generalise(ages(rows), k=k, frontier=False, loss="average_crowd")
    assert every.after.value("smallest_crowd") >= k


def test_more_columns_than_an_array_has_axes() -> None:
    """All but four are held at one level, so few releases are left."""
    rows = 40
    held = {f"c{j:02d}": ["xy"[(i >> j % 5) & 1] for i in range(rows)] for j in range(70)}
    table = rr.read(held, columns=list(held))
    fixed = dict.fromkeys(list(held)[4:], 1)
    found = rr.generalise(table, k=5, at_least=fixed, frontier=False)
    assert found.searched.views == 16
    assert found.searched.complete
    some = rr.generalise(rr.read(held, columns=list(held)[:4]), k=5, frontier=False)
    assert list(some.levels.values()) == list(found.levels.values())[:4]


def test_squares_beyond_64_bits() -> None:
    sizes, crowds = np.array([3, 5 * 10**9]), np.array([4, 2])
    assert squares(sizes, crowds) == 4 * 9 + 2 * 25 * 10**18
    table = rr.read({"a": ["x", "y"], "n": [5 * 10**9, 4 * 10**9]}, columns=["a"], count="n")
    found = rr.generalise(table, k=5, loss="discernibility", frontier=False, play=0)
    assert dict(found.levels) == {"a": 0}
    assert found.loss == pytest.approx(41 / 81, abs=1e-12)


@pytest.mark.parametrize("listed", [True, False], ids=["listed", "branched"])
@settings(max_examples=60, deadline=None)
@given(table=small_tables(), asked=st.sampled_from(TARGETS), name=st.sampled_from(LOSSES),
       suppress=st.sampled_from([0.0, 0.2]), views=st.integers(1, 12))  # fmt: skip
def test_counted_closed_and_open_are_all_there_are(
    listed, table, asked, name, suppress, views
) -> None:
    with most_listed(listed):
        found, _ = searched(table, *asked, suppress, name, Limits(most_views=views))
    every = sum(1 for _ in table.releases())
    assert found.counted + sum(found.pruned.values()) + found.open == every
    assert min(found.pruned.values()) >= 0
    assert found.open >= 0


@pytest.mark.parametrize("kind", [OpenReleases, BranchedReleases])
def test_looking_for_the_next_release_stops_too(kind) -> None:
    """What is open stays open, with its bound."""
    loss = loss_of("levels", [[[1, 1], [1, 1], [2]]] * 3, 2, 1)
    releases = Releases.of({"a": 2, "b": 2, "c": 2})
    waiting = kind(releases, loss, target_of("highest_risk", 0.5, 2))
    assert waiting.next(None, lambda: True) is None
    assert waiting.number == 27
    assert waiting.bound == 0.0
    assert waiting.next(None) == (0, 0, 0)


@st.composite
def drawn_tables(draw: st.DrawFn) -> tuple[Small, ...]:
    """Two or three tables of the same attributes and as many people."""
    first = draw(small_tables())
    row = st.tuples(*(st.integers(0, len(each.codes[0]) - 1) for each in first.levels))
    size = len(first.people)
    others = draw(st.lists(st.lists(row, min_size=size, max_size=size), min_size=1, max_size=2))
    return first, *(Small(tuple(people), first.levels) for people in others)


def worst(tables: tuple[Small, ...], release, target, name: str) -> float | None:
    """The largest loss among the tables; None where one doesn't allow the release."""
    outs = [target.needed(histogram(each.crowds(release))) for each in tables]
    if not all(map(target.allows, outs)):
        return None
    if name in ("discernibility", "average_crowd"):
        each = zip(tables, outs, strict=True)
        return max(exhaustive.loss(one, release, out, name) for one, out in each)
    # The levels' part is by the first table.
    return exhaustive.loss(tables[0], release, max(outs), name)


def best_of(tables: tuple[Small, ...], target, name: str):
    tried = [(worst(tables, release, target, name), rank(release))
             for release in tables[0].releases()]  # fmt: skip
    losses = [(loss, place) for loss, place in tried if loss is not None]
    if not losses:
        return None
    least = min(loss for loss, _ in losses)
    return least, min(place for loss, place in losses if loss <= least + 1e-12)


def loss_for(tables: tuple[Small, ...], target, name: str):
    tuples = tables[0].tuples
    counts = [e.counts(held) for e, held in zip(tables[0].levels, tuples.held, strict=True)]
    matters = target.rule.matters(target.budget)
    return loss_of(name, counts, tuples.total, tuples.total if matters is None else matters - 1)


@settings(max_examples=150, deadline=None)
@given(tables=drawn_tables(), asked=st.sampled_from(TARGETS), name=st.sampled_from(LOSSES),
       suppress=st.sampled_from([0.0, 0.05, 0.3]))  # fmt: skip
def test_of_drawn_tables_the_worst_counts(tables, asked, name, suppress) -> None:
    first = tables[0]
    target = target_of(*asked, len(first.people), suppress)
    releases = Releases.of({f"a{j}": each.height for j, each in enumerate(first.levels)})
    counting = [ReleaseCounting(each.tuples, each.levels) for each in tables]
    loss = loss_for(tables, target, name)
    found = LeastLoss(counting, releases, loss, target, Limits()).found()
    wanted = best_of(tables, target, name)
    if wanted is None:
        assert found.best is None
        return
    assert found.best is not None
    assert found.best.counted.loss == pytest.approx(wanted[0], abs=1e-12)
    assert rank(found.best.levels) == wanted[1]


def levelled_of(tables: tuple[Small, ...]) -> Levelled:
    names = [f"a{j}" for j in range(len(tables[0].levels))]
    asked = searchable(rr.read({name: ["x"] for name in names}, columns=names))
    return Levelled(asked, tuple(each.tuples for each in tables), {}, tables[0].levels, ())


def test_a_stricter_target_may_lose_more_in_a_table_that_was_not_the_worst() -> None:
    """Of both tables five have to go for crowds of three; for pairs only three of the second."""
    levels = LevelCodes((np.arange(7), np.zeros(7, dtype=np.int64)), (7, 1))
    crowds = ([1, 1, 1, 1, 1, 8, 7], [1, 1, 1, 2, 15])
    tables = tuple(
        Small(tuple((code,) for code, size in enumerate(each) for _ in range(size)), (levels,))
        for each in crowds
    )
    targets = [target_of("highest_risk", value, 20, 0.25) for value in (1 / 2, 1 / 3)]
    found = frontier_of(
        levelled_of(tables), Releases.of({"a0": 1}), "discernibility", targets, Limits()
    )
    assert [step.levels for step in found] == [{"a0": 0}, {"a0": 0}]
    assert [step.suppressed for step in found] == [5, 5]
    assert [step.loss * 400 for step in found] == pytest.approx([289, 325], abs=1e-9)


STEPS = {
    "highest_risk": (0.5, 0.34, 0.25, 0.2), "overall_risk": (0.6, 0.4, 0.3, 0.2, 0.1),
    "alone_share": (0.5, 0.3, 0.2, 0.1, 0.02), "distinct": (8, 6, 5, 4, 3, 2),
}  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(tables=drawn_tables(), measure=st.sampled_from(sorted(STEPS)), name=st.sampled_from(LOSSES),
       suppress=st.sampled_from([0.05, 0.2, 0.3, 0.5]))  # fmt: skip
def test_each_step_of_a_frontier_is_the_optimum(tables, measure, name, suppress) -> None:
    """Of several tables too: what still meets a stricter target may lose more in one of them."""
    first = tables[0]
    releases = Releases.of({f"a{j}": each.height for j, each in enumerate(first.levels)})
    levelled = levelled_of(tables)
    targets = [target_of(measure, value, len(first.people), suppress) for value in STEPS[measure]]
    steps = {step.allowable: step for step in frontier_of(levelled, releases, name, targets,
                                                          Limits())}  # fmt: skip
    for target in targets:
        wanted = best_of(tables, target, name)
        step = steps.get(target.yardstick.allowable)
        assert (wanted is None) == (step is None)
        if wanted is not None and step is not None:
            assert step.loss == pytest.approx(wanted[0], abs=1e-12)
            assert rank(tuple(step.levels.values())) == wanted[1]


def test_a_frontier_takes_as_long_again_in_all() -> None:
    assert Limits(8.0).again(4).seconds == 2.0
    assert Limits(None, 7).again(4).most_views == 7
