"""Views counted from codes, against loops over rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reidrisk.crowds import measure_named
from reidrisk.crowds.answer import Envelope, Input
from reidrisk.errors import InputError
from reidrisk.records.coded_tuples import CodedTuples
from reidrisk.searches import border as border_module
from reidrisk.searches import combination_ranking, sheet
from reidrisk.searches.border import border
from reidrisk.searches.counting_scorer import CountingScorer
from reidrisk.searches.lattice import Lattice, Limits, Step
from reidrisk.searches.scorer import whole_scorer, yardstick
from reidrisk.searches.searched_tables import Searchable
from tests.views.brute import all_views, crowds, maximal, minimal, seen, tables

MEASURES = [
    "overall_risk", "alone_share", "highest_risk", "lowest_risk", "expected_reidentifications",
    "distinct", "smallest_crowd", "share_above:0.3", "share_above:0.01", "share_above:1",
    "share_in_crowds_of_at_least:3", "share_in_crowds_of_at_least:1",
]  # fmt: skip

NOWHERE = Envelope("search", "statistics", Input(0, ()), "own", "none")


def scorer_of(tuples: CodedTuples, name: str, allowable: float | None = None, up_to=None):
    lattice = Lattice.of_knowledge(tuples.columns, up_to)
    judged = yardstick(name, allowable)
    kind = whole_scorer if judged.cap is None else CountingScorer
    return kind(lattice, tuples, judged)


@given(tables(), st.sampled_from(MEASURES), st.booleans())
def test_every_view_is_counted_right(tuples: CodedTuples, name: str, often: bool) -> None:
    scorer = scorer_of(tuples, name)
    usual = combination_ranking.WORTH_A_CEILING
    combination_ranking.WORTH_A_CEILING = 1 if often else usual
    try:
        found = combination_ranking.every_view(scorer, Limits(), threads=2)
    finally:
        combination_ranking.WORTH_A_CEILING = usual
    assert len(found) == scorer.lattice.views
    for view in all_views(scorer.lattice):
        truth = crowds(tuples, seen(view))
        score = found[scorer.lattice.bits(view)]
        assert score.value == pytest.approx(measure_named(name).value(truth))
        assert (score.crowds, score.alone) == (truth.distinct, truth.alone.people)


@given(tables(), st.data())
def test_same_border_as_every_view(tuples: CodedTuples, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(MEASURES))
    counts = name in ("distinct", "expected_reidentifications", "smallest_crowd")
    limit = data.draw(st.integers(1, 9) if counts else st.sampled_from([0.02, 0.2, 1 / 3, 0.5, 1]))
    up_to = data.draw(st.integers(1, len(tuples.columns)))
    scorer = scorer_of(tuples, name, float(limit), up_to)
    judged, lattice = yardstick(name, float(limit)), scorer.lattice
    border_module.WORTH_A_CEILING = data.draw(st.sampled_from([1, 40]))
    found = border(scorer, judged.risky, Limits())
    border_module.WORTH_A_CEILING = 40
    values = {v: measure_named(name).value(crowds(tuples, seen(v))) for v in all_views(lattice)}

    def risky(view) -> bool:
        return judged.risky(values[view])

    assert {lattice.view(bits) for bits in found.risky} == minimal(lattice, risky)
    for bits, score in found.risky.items():
        assert score.exact
        assert score.value == pytest.approx(values[lattice.view(bits)])
    if up_to == len(tuples.columns):
        assert {lattice.view(bits) for bits in found.safe} == maximal(lattice, risky)
    else:
        safe = [v for v in all_views(lattice) if len(seen(v)) == up_to and not risky(v)]
        assert found.at_limit == len(safe)
    for bits, score in found.safe.items():
        exact = scorer.exactly(bits).value
        assert exact == pytest.approx(values[lattice.view(bits)])
        if score is not None and score.exact:
            assert score.value == pytest.approx(exact)
    assert found.counted + sum(found.pruned.values()) == lattice.views
    assert found.complete


@given(tables(), st.sampled_from(MEASURES))
def test_bounds_bound_and_seeing_more_never_helps(tuples: CodedTuples, name: str) -> None:
    scorer = scorer_of(tuples, name)
    combination_ranking.every_view(scorer, Limits())
    judged, lattice = yardstick(name), scorer.lattice
    worse = (lambda a, b: a <= b + 1e-12) if judged.rising else (lambda a, b: a >= b - 1e-12)

    def walk(node, bits: int, first: int) -> None:
        ceiling, thinned = node.ceiled()
        own = scorer.exactly(bits)
        for j in range(first, lattice.attributes):
            step = Step(j, 1)
            above = scorer.exactly(bits | lattice.raised(step))
            assert worse(own.value, above.value)
            assert worse(above.value, ceiling.value)
            for rule, most in node.bounds(step):
                assert worse(above.value, most), rule
            for less in node.redundant(step):
                without = (bits | lattice.raised(step)) & ~lattice.raised(Step(less, 1))
                assert scorer.exactly(without).crowds == above.crowds
            walk(thinned.raised(step), bits | lattice.raised(step), j + 1)

    walk(scorer.root(), 0, 0)


@given(tables(most_rows=60))
def test_cubes_count_the_same(tuples: CodedTuples) -> None:
    scorer = scorer_of(tuples, "alone_share")
    views = list(scorer.lattice.all_bits())
    long, most = sheet.LONG, sheet.MOST_CELLS
    sheet.LONG, sheet.MOST_CELLS = 1, 40
    try:
        found = sheet.counted_by_cubes(scorer.sheet, scorer.lattice, views, 2, 2)
    finally:
        sheet.LONG, sheet.MOST_CELLS = long, most
    assert sorted(found) == sorted(views)
    for bits, capped in found.items():
        truth = crowds(tuples, scorer.lattice.seen(bits))
        assert (sum(capped), capped[1]) == (truth.distinct, truth.alone.people)


@given(tables(), tables(), st.sampled_from(MEASURES), st.data())
def test_means_over_several_tables(
    one: CodedTuples, other: CodedTuples, name: str, data: st.DataObject
) -> None:
    """Also where a count of one table stops at crowds that are large enough: a mean doesn't."""
    d = min(len(one.columns), len(other.columns))
    both = (one.of(range(d)), other.of(range(d)))
    counts = name in ("distinct", "expected_reidentifications", "smallest_crowd")
    limit = data.draw(st.integers(1, 9) if counts else st.sampled_from([0.02, 0.2, 1 / 3, 0.4, 1]))
    lattice, judged = Lattice.of_knowledge(both[0].columns), yardstick(name, limit)
    scorer = Searchable(both, both[0].columns, NOWHERE).scorer(lattice, judged)
    found = border(scorer, judged.risky, Limits())

    def risky(view) -> bool:
        values = [measure_named(name).value(crowds(table, seen(view))) for table in both]
        return judged.risky(sum(values) / 2)

    assert {lattice.view(bits) for bits in found.risky} == minimal(lattice, risky)
    for bits, score in found.risky.items():
        of_each = [measure_named(name).value(crowds(table, lattice.seen(bits))) for table in both]
        assert score.each == pytest.approx(of_each)


@pytest.mark.parametrize(("name", "limit"), [("highest_risk", 0.4), ("smallest_crowd", 3)])
def test_a_mean_is_of_the_values_not_of_verdicts(name: str, limit: float) -> None:
    """Smallest crowds of 2 and 10: a mean risk of 0.3, which isn't above 0.4, a mean crowd of 6."""
    pair = CodedTuples.of_codes(("a",), [np.array([0] * 2 + [1] * 8, dtype=np.uint8)], (2,))
    same = CodedTuples.of_codes(("a",), [np.zeros(10, dtype=np.uint8)], (2,))
    lattice, judged = Lattice.of_knowledge(("a",)), yardstick(name, limit)
    scorer = Searchable((pair, same), ("a",), NOWHERE).scorer(lattice, judged)
    assert not border(scorer, judged.risky, Limits()).risky


def test_shares_meet_thresholds_to_the_last_digit() -> None:
    """Nine of ten in crowds below five: a share of 0.1 in larger ones isn't below 0.1."""
    judged = yardstick("share_in_crowds_of_at_least:5", 0.1)
    value = judged.value((0, 9, 0, 0, 0, 1), 90)
    assert value == 81 / 90
    assert not judged.risky(judged.value((0, 81, 0, 0, 0, 1), 90))
    assert judged.worst(30, 90) == 0


def test_keys_that_outgrow_63_bits() -> None:
    rng = np.random.default_rng(0)
    codes = tuple(rng.integers(0, 3, 500).astype(np.uint16) for _ in range(6))
    wide = CodedTuples.of_codes("abcdef", codes, (60_000,) * 6)
    narrow = CodedTuples.of_codes("abcdef", codes, (3,) * 6)
    for table in (wide, narrow):
        found = combination_ranking.every_view(scorer_of(table, "alone_share"), Limits())
        crowd = crowds(table, range(6))
        assert found[63].crowds == crowd.distinct
        assert found[63].alone == crowd.alone.people


def test_on_several_cores_the_same() -> None:
    rng = np.random.default_rng(1)
    widths = (40, 30, 12, 9, 7, 5, 4, 3, 2)
    codes = tuple(rng.integers(0, width, 30_000).astype(np.uint8) for width in widths)
    tuples = CodedTuples.of_codes("abcdefghi", codes, widths)
    judged = yardstick("alone_share", 0.05)
    told = []
    for threads in (1, 2):
        scorer = scorer_of(tuples, "alone_share", 0.05, 4)
        found = border(scorer, judged.risky, Limits(), threads)
        told.append((sorted(found.risky), found.counted, found.ceilings, found.pruned))
    assert told[0] == told[1]


@pytest.mark.parametrize(
    ("name", "allowable", "said"),
    [
        ("people", 0.5, "same for every combination"),
        ("alone_share", 0.0, "above 0"),
        ("alone_share", 1.5, "between 0 and 1"),
        ("alone_share", float("nan"), "above 0"),
        ("smallest_crowd", 0.5, "number of people"),
        ("riskiness", 0.5, "no measure"),
    ],
)
def test_measures_that_cant_judge(name: str, allowable: float, said: str) -> None:
    with pytest.raises(InputError, match=said):
        yardstick(name, allowable)
