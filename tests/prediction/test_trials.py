"""What trials by strangers found: figures that were wrong, each with the case that showed it."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import reidrisk as rr
from reidrisk.errors import InputError
from reidrisk.statistics.consistency import disagreements, merged
from reidrisk.statistics.imputation import completed
from reidrisk.statistics.statistics import Attribute, Other, PairCounts, Statistics, Suppressed

WHOLE = PairCounts(("a", "b"), {("x", "p"): 40, ("x", "q"): 20, ("y", "p"): 30, ("y", "q"): 10})


def test_held_back_counts_follow_from_a_whole_pair_table() -> None:
    held = Statistics(
        100,
        (
            Attribute("a", {"x": Suppressed(), "y": Suppressed()}),
            Attribute("b", {"p": 70, "q": 30}),
        ),
        (WHOLE,),
    )
    assert completed(held).attributes[0].counts.tolist() == [60, 40]
    assert rr.person(held, {"a": "x", "b": "p"}).expected_crowd == pytest.approx(40)


def test_held_back_counts_are_at_least_their_stated_cells() -> None:
    cells = {("x", "p"): 12, ("y", "p"): 20, ("z", "p"): 3, ("x", "q"): Suppressed(5)}
    held = Statistics(
        75,
        (
            Attribute("a", {"x": Suppressed(), "y": Suppressed(), "z": Suppressed()}),
            Attribute("b", {"p": 35, "q": 40}),
        ),
        (PairCounts(("a", "b"), cells),),
    )
    known = completed(held)
    counts = known.attributes[0].counts
    assert counts.sum() == 75
    assert counts[0] <= 16
    assert np.all(counts >= [12, 20, 3])
    assert known.knowledge.pairs[0, 1][0, 1] <= 4 + 1e-6


def test_a_bound_that_the_cells_exceed_is_a_fault() -> None:
    held = Statistics(
        100,
        (
            Attribute("a", {"x": Suppressed(5), "y": Suppressed()}),
            Attribute("b", {"p": 70, "q": 30}),
        ),
        (WHOLE,),
    )
    assert any("add up to 60, more than the 4 people" in said for said in disagreements(held))


def test_values_lumped_together_keep_to_the_pair_table() -> None:
    """All 500 of x are in listed values of b: none of them holds a lumped one."""
    held = Statistics(
        1000,
        (
            Attribute("a", {"x": 500, "y": 500}),
            Attribute("b", {"p": 300, "q": 300}, 0, Other(400, 4)),
        ),
        (
            PairCounts(
                ("a", "b"), {("x", "p"): 250, ("x", "q"): 250, ("y", "p"): 50, ("y", "q"): 50}
            ),
        ),
    )
    asked = {"given": "unknown", "model": "tree"}
    assert rr.person(held, {"a": "x", "b": "else"}, **asked).expected_crowd == pytest.approx(0)
    assert rr.person(held, {"a": "y", "b": "else"}, **asked).expected_crowd == pytest.approx(100)
    # Of a member's value, E[c²]/E[c] over the ways to share 400 people out among four values.
    ways = [(c, math.comb(399 - c, 2)) for c in range(1, 398)]
    mean, square = (sum(w * c**power for c, w in ways) for power in (1, 2))
    person = rr.person(held, {"a": "y", "b": "else"})
    assert person.expected_crowd == pytest.approx(square / mean, rel=2e-3)
    assert person.limits["alone"] == (0.0, 1.0)


def test_a_sample_is_asked_about_its_population() -> None:
    held = Statistics(100, (Attribute("a", {"x": 60, "y": 40}),), sample_of=1000)
    assert rr.person(held, {"a": "x"}).expected_crowd == pytest.approx(600)


def test_nobody_holds_both_values() -> None:
    cells = {("x", "p"): 0, ("x", "q"): 60, ("y", "p"): 40, ("y", "q"): 0}
    held = Statistics(
        100,
        (Attribute("a", {"x": 60, "y": 40}), Attribute("b", {"p": 40, "q": 60})),
        (PairCounts(("a", "b"), cells),),
    )
    with pytest.raises(InputError, match="nobody has both values"):
        rr.person(held, {"a": "x", "b": "p"})
    assert rr.person(held, {"a": "x", "b": "p"}, given="unknown").crowd.nobody == 1.0


def test_rounded_noughts_may_be_somebody() -> None:
    held = Statistics(
        60,
        (Attribute("a", {"s": 20, "t": 40}), Attribute("b", {f"b{i}": 10 for i in range(6)})),
        (
            PairCounts(
                ("a", "b"),
                {("s", f"b{i}"): 0 for i in range(6)} | {("t", f"b{i}"): 10 for i in range(6)},
            ),
        ),
        rounded_to=10,
    )
    cells = completed(held).knowledge.pairs[0, 1]
    assert cells.sum() == pytest.approx(60, abs=1e-3)
    assert cells[0].sum() == pytest.approx(20, abs=1e-3)


def test_rounded_files_pass_their_own_check(tmp_path: Path) -> None:
    table = rr.read(rr.city(20_000), columns=["postcode", "age"])
    held = rr.publish(table, pairs="all", at_least=10)
    assert disagreements(held) == []


def test_labels_that_are_one_value() -> None:
    twice = Statistics(100, (Attribute("c", {"39": 90, "39.0": 10}),))
    assert any(
        "2 of its labels stand for the same value '39'" in said for said in disagreements(twice)
    )
    empty = Statistics(100, (Attribute("c", {"": 10, "x": 90}),))
    assert any("an empty label" in said for said in disagreements(empty))


def test_files_of_different_populations() -> None:
    one = Statistics(10, (Attribute("a", {"x": 10}),), sample_of=1000)
    other = Statistics(10, (Attribute("b", {"y": 10}),), sample_of=2000)
    with pytest.raises(InputError, match=r"different populations: 1,000 and 2,000"):
        merged([one, other])


def test_a_table_seen_coarser_is_asked_as_it_is_seen() -> None:
    city = rr.city(2000)
    seen = rr.read(city, columns=["postcode", "age"], bands={"age": "5"}, levels={"postcode": "2"})
    texts = rr.read(city, columns=["postcode", "age"]).engine.texts_of_each(["postcode", "age"])
    first = texts.read_all().to_pylist()[0]
    coarse = seen.engine.texts_of_each(["postcode", "age"]).read_all().to_pylist()[0]
    assert rr.person(seen, first).expected_crowd == rr.person(seen, coarse).expected_crowd > 0


def test_an_attribute_counts_once() -> None:
    held = Statistics(10, (Attribute("a", {"x": 10}),))
    with pytest.raises(InputError, match="named twice"):
        rr.predict(held, columns=["a", "a"])
    with pytest.raises(InputError, match="seed is a whole number"):
        rr.predict(held, seed=-1)


def test_what_publish_reads_itself() -> None:
    assert rr.publish(rr.city(500), unprotected=True).records == 500


def test_tables_too_large_are_a_warning() -> None:
    values = {f"v{i}": 1 for i in range(9000)}
    held = Statistics(
        9000,
        (Attribute("a", values), Attribute("b", values)),
        (PairCounts(("a", "b"), {(v, v): 1 for v in values}),),
    )
    assert any("too large and was left out" in said for said in rr.predict(held).warnings)
