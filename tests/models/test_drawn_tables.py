"""Drawn tables: the crowds of the law they stand for, how they vary, how far counts are off."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reidrisk as rr
from reidrisk.models.drawn_tables import drawn_tables, off_by
from reidrisk.models.knowledge import Knowledge
from reidrisk.models.pairwise import Pairwise
from reidrisk.models.registry import chosen_model
from reidrisk.models.spread import intervals
from tests.models.tables import dependent_table, knowledge_of, measured, renumbered


@pytest.mark.parametrize("values", [(20, 12, 8, 5), (40, 25, 8, 3)])
def test_they_have_the_crowds_of_the_listed_law(values):
    """On average; the mean of a table's two ways of being told."""
    off = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        knowledge = knowledge_of(dependent_table(3000, values, rng))
        listed, drawn = Pairwise.of(knowledge), Pairwise.of(knowledge, rng, most_listed=0)
        assert (listed.fit["way"], drawn.fit["way"]) == ("listed", "drawn tables")
        off.append(drawn.crowd_sizes().overall_risk - listed.crowd_sizes().overall_risk)
    assert abs(np.mean(off)) < 0.002


@pytest.mark.slow
def test_tables_of_the_law_fall_inside_the_intervals_of_others():
    """Two tables show little of how tables vary; the interval allows for it."""
    rng = np.random.default_rng(1)
    first = Pairwise.of(knowledge_of(dependent_table(1500, (12, 10, 6, 5), rng)))
    hits, tables = np.zeros(2), 150
    for _ in range(tables):
        codes = renumbered(first.law.drawn(1500, rng))
        drawn = drawn_tables(knowledge_of(codes), rng)
        ends = intervals(drawn.crowds, drawn.spread)
        for place, (low, high) in enumerate(ends.values()):
            hits[place] += low <= measured(codes)[place] <= high
    assert np.all(hits / tables > 0.82)


@given(st.integers(20, 300), st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=20)
def test_everybody_is_in_a_crowd_and_few_are_off(n, seed):
    rng = np.random.default_rng(seed)
    knowledge = knowledge_of(dependent_table(n, (6, 5, 4), rng))
    found = drawn_tables(knowledge, rng)
    assert found.crowds.people == pytest.approx(n)
    assert 0 <= found.largest_off <= 2 * found.people_off <= n


def test_how_far_off_a_table_is():
    knowledge = knowledge_of(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]))
    assert off_by(knowledge, np.array([[0, 0], [0, 1], [1, 0], [1, 1]])) == (0.0, 0.0)
    # Two people too many in one cell, one too few in two others.
    assert off_by(knowledge, np.array([[0, 0], [0, 0], [0, 0], [1, 1]])) == (2.0, 2.0)


def test_between_two_whole_numbers_none_is_off():
    counts = (np.array([1, 1]), np.array([1, 1]))
    cells = np.array([[0.4, 0.6], [0.6, 0.4]])
    known = Knowledge(2, ("a", "b"), counts, {(0, 1): cells})
    assert off_by(known, np.array([[0, 0], [1, 1]])) == (0.0, 0.0)
    assert off_by(known, np.array([[0, 0], [0, 0]]))[1] == 1.0


def test_sparse_pairs_are_met():
    """Days by places: most pairs of values are held by one person or two."""
    rng = np.random.default_rng(5)
    people = 12_000
    place = rng.choice(300, people, p=rng.dirichlet(np.full(300, 0.7)))
    day = np.where(rng.random(people) < 0.6, rng.integers(0, 365, people), 364)
    band, kind = (place // 3 + rng.integers(0, 3, people)) % 40, rng.integers(0, 6, people)
    codes = renumbered(np.stack([place, day, band, kind], axis=1))
    drawn = Pairwise.of(knowledge_of(codes), rng, most_listed=0)
    assert drawn.fit["way"] == "drawn tables"
    assert abs(drawn.crowd_sizes().overall_risk - measured(codes)[0]) < 0.005


def test_days_by_places_of_a_real_table(shared_data):
    """163,212 policies: a raked sample was off by −0.021."""
    columns = ["expo", "nclaims", "bm", "agec", "fuel", "long"]
    held = pq.read_table(shared_data / "be_motor97" / "be_motor97.parquet", columns=columns)
    # Days and degrees as names of values: fractions would be taken for measurements.
    named = [pc.binary_join_element_wise("v", pc.cast(each, "string"), "") for each in held.columns]
    table = rr.read(pa.table(dict(zip(columns, named, strict=True))))
    predicted = rr.predict(rr.publish(table, unprotected=True))
    assert predicted.fit["way"] == "drawn tables"
    assert predicted.as_fitted is not None
    off = predicted.as_fitted.overall_risk - rr.measure(table).overall_risk
    assert abs(off) < 0.006


def test_progress_is_told():
    told = []
    codes = dependent_table(500, (6, 5, 4), np.random.default_rng(7))
    model = Pairwise.of(knowledge_of(codes), progress=lambda *now: told.append(now), most_listed=0)
    model.crowd_sizes()
    assert told[0][0] == "drawing tables"
    assert told[-1][1] == told[-1][2]


def test_tables_are_drawn_when_somebody_asks_for_crowds(monkeypatch):
    """Not for rows alone, which `search` on statistics takes; whenever they are, they are the
    same.
    """
    drawn = []

    def counted(*given):
        drawn.append(given)
        return drawn_tables(*given)

    monkeypatch.setattr("reidrisk.models.pairwise.drawn_tables", counted)
    knowledge = knowledge_of(dependent_table(1500, (20, 12, 8, 5), np.random.default_rng(3)))
    chosen = chosen_model(knowledge, "pairwise", np.random.default_rng(0))
    late = Pairwise.of(knowledge, np.random.default_rng(1), most_listed=0)
    late.sample(knowledge.n, np.random.default_rng(2))
    assert chosen.model.name == "pairwise"
    assert not drawn
    early = Pairwise.of(knowledge, np.random.default_rng(1), most_listed=0)
    assert late.crowd_sizes().overall_risk == early.crowd_sizes().overall_risk
    assert early.spread() == late.spread()
    assert len(drawn) == 2
