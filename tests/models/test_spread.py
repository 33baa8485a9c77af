"""Intervals hold what they say: nine of ten tables drawn from a model fall inside."""

from __future__ import annotations

import numpy as np
import pytest

from reidrisk.crowds.crowd_sizes import CrowdSizes
from reidrisk.models.independent import Independent
from reidrisk.models.knowledge import Knowledge
from reidrisk.models.pairwise import Pairwise
from reidrisk.models.spread import Spread, intervals
from reidrisk.models.tree import Tree
from tests.models.oracles import uneven
from tests.models.tables import dependent_table, knowledge_of, renumbered

MEASURES = ("overall_risk", "alone_share")
# Nine in ten give or take three points; 900 tables leave one point of chance either way.
ENOUGH = 900


def crowds_of(codes):
    key = np.zeros(len(codes), dtype=np.int64)
    for column in codes.T:
        key = key * (int(column.max()) + 1) + column
    return CrowdSizes.of(np.unique(key, return_counts=True)[1])


def inside(model, tables, rng):
    """Share of drawn tables inside each interval."""
    low_high = intervals(model.crowd_sizes(), model.spread())
    hits = np.zeros(2)
    for _ in range(tables):
        crowds = crowds_of(model.sample(model.knowledge.n, rng))
        for place, measure in enumerate(MEASURES):
            low, high = low_high[measure]
            hits[place] += low <= getattr(crowds, measure) <= high
    return hits / tables


@pytest.mark.parametrize(
    ("n", "values"),
    [(2000, (2, 5, 40, 30)), (3000, (60, 50)), (3000, (1500, 2, 3)), (1000, (30, 30, 30))],
)
def test_shuffled_tables_fall_inside(n, values):
    rng = np.random.default_rng(n + len(values))
    counts = tuple(uneven(n, each, rng) for each in values)
    names = tuple(f"a{place}" for place in range(len(values)))
    found = inside(Independent(Knowledge(n, names, counts)), ENOUGH, rng)
    assert found == pytest.approx([0.9, 0.9], abs=0.03)


def test_more_tuples_than_can_be_listed_are_sampled():
    rng = np.random.default_rng(1)
    counts = tuple(uneven(1500, each, rng) for each in (60, 40, 30, 20))
    model = Independent(Knowledge(1500, ("a", "b", "c", "d"), counts))
    assert inside(model, 600, rng) == pytest.approx([0.9, 0.9], abs=0.03)


@pytest.mark.parametrize("values", [(30, 12, 8, 5), (60, 20, 4)])
def test_tables_with_the_trees_pairs_fall_inside(values):
    rng = np.random.default_rng(2)
    tree = Tree.of(knowledge_of(dependent_table(3000, values, rng)))
    assert inside(tree, ENOUGH, rng) == pytest.approx([0.9, 0.9], abs=0.03)


@pytest.mark.slow
def test_tables_drawn_from_the_pairwise_law_fall_inside_their_own_intervals():
    """Drawn, counted, then predicted from the pair tables counted: as a user would. A table drawn
    from the law is a fair draw among all with its pair counts.
    """
    rng = np.random.default_rng(3)
    model = Pairwise.of(knowledge_of(dependent_table(6000, (25, 10, 6), rng, strength=0.4)))
    hits, tables = np.zeros(2), 400
    for _ in range(tables):
        codes = renumbered(model.law.drawn(6000, rng))
        again, crowds = Pairwise.of(knowledge_of(codes)), crowds_of(codes)
        low_high = intervals(again.crowd_sizes(), again.spread())
        for place, measure in enumerate(MEASURES):
            low, high = low_high[measure]
            hits[place] += low <= getattr(crowds, measure) <= high
    assert hits / tables == pytest.approx([0.9, 0.9], abs=0.03)


def test_intervals_stay_between_nothing_and_all():
    crowds = CrowdSizes.of([1] * 99 + [2])
    found = intervals(crowds, Spread(0.5, 0.0))
    assert found["overall_risk"][1] == 1.0
    assert found["alone_share"] == (crowds.alone_share, crowds.alone_share)


def test_the_formula_of_shuffles():
    """Without narrowing it is Σ h(1−h) − n[(E h)² + Σ_j Var_v E(h | v)], h = e^(−λ)."""
    n, rng = 100_000, np.random.default_rng(4)
    counts = tuple(uneven(n, each, rng) for each in (300, 200))
    p, q = (each / n for each in counts)
    h, share = np.exp(-n * np.outer(p, q)), np.outer(p, q)
    by_first, by_second = h @ q, p @ h
    mean = p @ by_first
    main = mean**2 + p @ (by_first - mean) ** 2 + q @ (by_second - mean) ** 2
    deviation = np.sqrt(np.sum(h * (1 - h)) - n * main) / n
    assert share.sum() == pytest.approx(1)
    found = Independent(Knowledge(n, ("a", "b"), counts)).spread().overall_risk
    assert found == pytest.approx(deviation, rel=0.08)
