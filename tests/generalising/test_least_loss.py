"""The optimum is the one exhaustive search finds, for every loss, target and share left out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from reidrisk.generalisation import least_loss
from reidrisk.generalisation.least_loss import LeastLoss
from reidrisk.generalisation.loss import LOSSES, loss_of
from reidrisk.generalisation.release_counts import ReleaseCounting
from reidrisk.generalisation.releases import Releases, rank
from reidrisk.generalisation.target import Histogram, target_of
from reidrisk.searches.lattice import Limits
from tests.generalising import exhaustive
from tests.generalising.exhaustive import Small, small_tables

TARGETS = [
    ("highest_risk", 0.5), ("highest_risk", 0.2), ("smallest_crowd", 3), ("lowest_risk", 0.25),
    ("alone_share", 0.1), ("share_above:0.3", 0.2), ("share_in_crowds_of_at_least:3", 0.8),
    ("overall_risk", 0.3), ("overall_risk", 0.1), ("distinct", 4),
    ("expected_reidentifications", 2),
]  # fmt: skip


def histogram(crowds) -> Histogram:
    sizes, number = np.unique(np.array(sorted(crowds)), return_counts=True)
    return Histogram(sizes, number)


@pytest.mark.parametrize(("measure", "allowable"), TARGETS)
@settings(max_examples=40, deadline=None)
@given(crowds=st.lists(st.integers(1, 4), min_size=1, max_size=5).filter(lambda c: sum(c) <= 10))
def test_as_few_people_are_left_out_as_can_be(measure, allowable, crowds) -> None:
    target = target_of(measure, allowable, sum(crowds), 1.0)
    wanted = exhaustive.least_left_out(crowds, measure, allowable)
    assert target.needed(histogram(crowds)) == wanted


@contextmanager
def most_listed(listed: bool) -> Iterator[None]:
    """Lattices are listed whole, or all of them branched."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(least_loss, "MOST_LISTED", 10**6 if listed else 0)
        yield


def searched(table: Small, measure: str, allowable: float, suppress: float, name: str, limits=None):
    tuples = table.tuples
    target = target_of(measure, allowable, tuples.total, suppress)
    counts = [e.counts(held) for e, held in zip(table.levels, tuples.held, strict=True)]
    matters = target.rule.matters(target.budget)
    leavable = tuples.total if matters is None else matters - 1
    loss = loss_of(name, counts, tuples.total, leavable)
    counting = ReleaseCounting(tuples, table.levels, None if loss.of_crowds else matters)
    names = zip(tuples.columns, table.levels, strict=True)
    releases = Releases.of({column: each.height for column, each in names})
    return LeastLoss([counting], releases, loss, target, limits or Limits()).found(), target


def best_of_all(table: Small, target, name: str):
    """(loss, rank) of the best release by trying all; None where none is allowed."""
    found = []
    for release in table.releases():
        out = target.needed(histogram(table.crowds(release)))
        if target.allows(out):
            found.append((exhaustive.loss(table, release, out, name), rank(release)))
    if not found:
        return None
    least = min(loss for loss, _ in found)
    return least, min(place for loss, place in found if loss <= least + 1e-12)


@pytest.mark.parametrize("listed", [True, False], ids=["listed", "branched"])
@pytest.mark.parametrize("name", LOSSES)
@settings(max_examples=60, deadline=None)
@given(table=small_tables(), asked=st.sampled_from(TARGETS),
       suppress=st.sampled_from([0.0, 0.01, 0.05, 0.2, 1.0]))  # fmt: skip
def test_same_optimum_as_trying_all(listed, name, table, asked, suppress) -> None:
    with most_listed(listed):
        found, target = searched(table, *asked, suppress, name)
    wanted = best_of_all(table, target, name)
    assert found.open == 0
    assert found.counted + sum(found.pruned.values()) == sum(1 for _ in table.releases())
    assert min(found.pruned.values()) >= 0
    if wanted is None:
        assert found.best is None
        return
    assert found.best is not None
    assert found.best.counted.loss == pytest.approx(wanted[0], abs=1e-12)
    assert rank(found.best.levels) == wanted[1]
    assert found.bound == found.best.counted.loss


@pytest.mark.parametrize("listed", [True, False], ids=["listed", "branched"])
@settings(max_examples=60, deadline=None)
@given(table=small_tables(), asked=st.sampled_from(TARGETS), name=st.sampled_from(LOSSES),
       suppress=st.sampled_from([0.0, 0.2]), views=st.integers(1, 12))  # fmt: skip
def test_a_search_that_stops_bounds_the_optimum(
    listed, table, asked, name, suppress, views
) -> None:
    with most_listed(listed):
        limits = Limits(most_views=views)
        found, target = searched(table, *asked, suppress, name, limits)
    assert found.counted <= views
    wanted = best_of_all(table, target, name)
    if wanted is not None:
        assert found.bound <= wanted[0] + 1e-12
        if found.best is not None:
            assert found.best.counted.loss >= wanted[0] - 1e-12
    elif found.best is not None:
        raise AssertionError("none is allowed")
