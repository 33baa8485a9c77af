"""Triple tables published: which, how they are protected, and what they give away."""

from __future__ import annotations

from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import reidrisk as rr
from reidrisk.errors import ContradictoryOptions, InputError
from reidrisk.publishing import derivable_counts, told_together, true_counts
from reidrisk.publishing.chosen_triples import cherry_tree
from reidrisk.publishing.counted_tables import CountedTables
from reidrisk.publishing.joint_bounds import Interval, JointBounds
from reidrisk.publishing.random_rounding import RoundedCounts
from reidrisk.publishing.reconstruction import FileLaw, reconstruction
from reidrisk.publishing.wish import Wish
from reidrisk.statistics import load_statistics, save_statistics

KEY = bytes(range(32))


def people(n: int = 2000, seed: int = 0) -> rr.Table:
    """Five columns, of which the first three depend on each other as no pair shows."""
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 3, n), rng.integers(0, 3, n)
    columns = [a, b, (a + b) % 3, rng.integers(0, 4, n), rng.integers(0, 2, n)]
    held = {f"a{i}": [f"v{code}" for code in each.tolist()] for i, each in enumerate(columns)}
    return rr.read(held, list(held), rows_are_people=True)


def texts(table: rr.Table) -> dict[str, list[str | None]]:
    """The records of a table as columns of texts."""
    batches = table.engine.texts_of_each(table.columns).read_all()
    return {name: batches[name].to_pylist() for name in table.columns}


def counted(table: rr.Table, of: tuple[str, ...]) -> dict[tuple[str | None, ...], int]:
    held = texts(table)
    found: dict[tuple[str | None, ...], int] = {}
    for values in zip(*(held[name] for name in of), strict=True):
        found[values] = found.get(values, 0) + 1
    return found


def test_as_many_triples_as_columns_less_two_are_joined_along_pairs() -> None:
    table = people()
    made = rr.publish(table, triples=True, unprotected=True)
    assert len(made.triples) == 3
    assert ("a0", "a1", "a2") in [triple.of for triple in made.triples]
    assert {name for triple in made.triples for name in triple.of} == set(table.columns)
    for triple in made.triples:
        assert dict(triple.counts) == counted(table, triple.of)
    for triple in made.triples:
        others = [set(each.of) for each in made.triples if each.of != triple.of]
        assert any(len(set(triple.of) & each) == 2 for each in others)


def test_a_cherry_tree_takes_what_pairs_overestimate_most() -> None:
    excess = dict.fromkeys(combinations(range(5), 3), 0.0)
    excess |= {(0, 1, 2): 5.0, (1, 2, 3): 4.0, (1, 3, 4): 3.0, (0, 1, 4): 1.0}
    assert set(cherry_tree(excess, range(5))) == {(0, 1, 2), (1, 2, 3), (1, 3, 4)}
    assert cherry_tree({}, range(2)) == []


def test_triple_cells_are_rounded_by_the_key() -> None:
    table = people()
    tables = CountedTables.of(table).with_triples(table, [("a0", "a1", "a2"), ("a2", "a3", "a4")])
    made, again = (RoundedCounts(tables, KEY, 5).statistics() for _ in range(2))
    assert made == again
    other = RoundedCounts(tables, KEY[::-1], 5).statistics()
    assert other.triples != made.triples
    for triple in made.triples:
        true = counted(table, triple.of)
        for values, number in triple.counts.items():
            assert number % 5 == 0
            assert number > 0
            assert abs(number - true.get(values, 0)) < 5
        assert all(true[values] < 5 for values in true.keys() - triple.counts.keys())


def test_the_same_people_are_rounded_once() -> None:
    """In a0, a1 and their sum every pair holds everybody of one triple."""
    table = people()
    tables = CountedTables.of(table).with_triples(table, [("a0", "a1", "a2")])
    made = RoundedCounts(tables, KEY, 5).statistics()
    pair = made.pair("a0", "a1")
    assert pair is not None
    for (a, b, _), number in made.triples[0].counts.items():
        assert pair.counts[a, b] == number


@pytest.mark.parametrize("seed", range(3))
def test_rounded_triples_are_right_on_average(seed: int) -> None:
    table = people(600, seed)
    tables = CountedTables.of(table).with_triples(table, [("a0", "a3", "a4")])
    true = counted(table, ("a0", "a3", "a4"))
    drawn = [
        RoundedCounts(tables, bytes([seed, at]) * 16, 5).statistics().triples[0].counts
        for at in range(200)
    ]
    for values, number in true.items():
        mean = np.mean([each.get(values, 0) for each in drawn])
        assert abs(mean - number) < 4.5 * 2.5 / np.sqrt(200)


def test_what_is_refused() -> None:
    table = people(200)
    with pytest.raises(ContradictoryOptions, match="proof"):
        rr.publish(table, triples=True, exact=True)
    with pytest.raises(ContradictoryOptions, match="epsilon"):
        rr.publish(table, triples=True, epsilon=1.0)
    with pytest.raises(ContradictoryOptions, match="all two-way"):
        rr.publish(table, triples=True, pairs="strong")
    two = rr.read({"x": ["a", "b"] * 50, "y": ["c", "d"] * 50}, ["x", "y"], rows_are_people=True)
    with pytest.raises(InputError, match="three columns"):
        rr.publish(two, triples=True)
    same = {name: ["a", "b"] * 50 for name in ("x", "y", "z")}
    with pytest.raises(InputError, match="follow from each other"):
        rr.publish(rr.read(same, list(same), rows_are_people=True), triples=True)


def test_determined_columns_are_in_no_triple() -> None:
    held = texts(people())
    held["band"] = [{"v0": "low", "v1": "low"}.get(value, "high") for value in held["a3"]]
    table = rr.read(held, list(held), rows_are_people=True)
    made = rr.publish(table, triples=True)
    assert made.determined["band"].by == "a3"
    assert len(made.triples) == 3
    assert not any("band" in triple.of for triple in made.triples)
    assert rr.predict(made).envelope.model == "triples"


def test_a_file_with_triples_is_read_as_it_was_written(tmp_path: Path) -> None:
    for protection in ({}, {"unprotected": True}):
        made = rr.publish(people(), triples=True, **protection)
        save_statistics(made, tmp_path / "s.json")
        assert load_statistics(tmp_path / "s.json") == made


def test_held_against_its_records() -> None:
    table = people()
    for protection in ({}, {"unprotected": True}):
        made = rr.publish(table, triples=True, **protection)
        found = true_counts(made, table)
        assert found.derived == 0
        true = rr.publish(table, triples=True, unprotected=True)
        small = sum(n < 5 for each in (*true.pairs, *true.triples) for n in each.counts.values())
        assert found.small >= small
    with pytest.raises(InputError, match="protection can make"):
        true_counts(rr.publish(people(seed=1), triples=True), table)


def test_two_files_of_the_same_people() -> None:
    table = people()
    tables = CountedTables.of(table).with_triples(table, [("a0", "a3", "a4")])
    one, same = (RoundedCounts(tables, KEY, 5).statistics() for _ in range(2))
    assert not told_together(one, same, 10.0).tells
    other = RoundedCounts(tables, KEY[::-1], 5).statistics()
    assert told_together(one, other, 10.0).same_people


def test_reconstruction_uses_the_triples() -> None:
    table = people()
    made = rr.publish(table, triples=True)
    assert FileLaw.of(made, np.random.default_rng(0)).model == "triples"
    pairs = reconstruction(table, Wish())
    triples = reconstruction(table, Wish(triples=True))
    assert triples.model == "triples"
    assert triples.own is not None
    assert pairs.own is not None
    assert triples.own > pairs.own - 0.02


def test_a_triple_table_can_give_a_pair_away() -> None:
    """Two cells of a triple that are shown exactly add up to a pair that isn't."""
    people_of = zip(product("ab", "cd", "ef"), [1, 2, 30, 40, 50, 60, 9, 8], strict=True)
    triple = rr.TripleCounts(("x", "y", "z"), {(x, y, z): n for (x, y, z), n in people_of})
    attributes = (
        rr.Attribute("x", {"a": 73, "b": 127}),
        rr.Attribute("y", {"c": 113, "d": 87}),
        rr.Attribute("z", {"e": 90, "f": 110}),
    )
    small = rr.Suppressed(5)
    pairs = (
        rr.PairCounts(("x", "y"), {("a", "c"): small, ("a", "d"): small, ("b", "c"): small,
                                   ("b", "d"): small}),
        rr.PairCounts(("x", "z"), {("a", "e"): 31, ("a", "f"): 42, ("b", "e"): 59, ("b", "f"): 68}),
        rr.PairCounts(("y", "z"), {("c", "e"): 51, ("c", "f"): 62, ("d", "e"): 39, ("d", "f"): 48}),
    )  # fmt: skip
    held = rr.Statistics(200, attributes, pairs[1:], triples=(triple,))
    found = derivable_counts(held, 5)
    assert found.shown == 2
    assert found.by_pair[("x", "y")] == 1


Tables = dict[tuple[int, ...], np.ndarray]


def loosely(counts: np.ndarray, rng: np.random.Generator, width: int) -> Interval:
    return Interval.between(
        counts - rng.integers(0, width + 1, counts.shape),
        counts + rng.integers(0, width + 1, counts.shape),
    )


def tables_of(codes: np.ndarray, sizes: list[int]) -> Tables:
    found: Tables = {}
    for order in (1, 2, 3):
        for of in combinations(range(len(sizes)), order):
            table = np.zeros([sizes[i] for i in of], dtype=np.int64)
            np.add.at(table, tuple(codes[:, list(of)].T), 1)
            found[of] = table
    return found


def some_bounds(
    seed: int, attributes: int, width: int
) -> tuple[Tables, list[int], JointBounds, dict[tuple[int, ...], Interval]]:
    """Bounds around the truth of a few people, and where each of them started."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 4, size=attributes).tolist()
    codes = np.stack([rng.integers(0, size, 14) for size in sizes], axis=1)
    tables = tables_of(codes, sizes)
    every = list(combinations(range(attributes), 3))
    listed = [every[at] for at in rng.permutation(len(every))[:2]]
    started = {of: loosely(table, rng, width) for of, table in tables.items()
               if len(of) < 3 or of in listed}  # fmt: skip
    bounds = JointBounds(
        Interval.between(np.array([14]), np.array([14])),
        tuple(Interval.between(started[i,].least, started[i,].most) for i in range(attributes)),
        {of: Interval.between(each.least, each.most) for of, each in started.items()
         if len(of) == 2},
        listed={of: Interval.between(each.least, each.most) for of, each in started.items()
                if len(of) == 3},
    )  # fmt: skip
    return tables, sizes, bounds.propagate(), started


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(3, 4), st.integers(0, 3))
def test_the_truth_lies_within_the_bounds(seed: int, attributes: int, width: int) -> None:
    tables, _, bounds, started = some_bounds(seed, attributes, width)
    assert not bounds.contradicts()
    for of, held in (*bounds.tables.items(), *bounds.listed.items()):
        assert (held.least <= tables[of]).all()
        assert (tables[of] <= held.most).all()
        assert (held.least >= started[of].least).all()
        assert (held.most <= started[of].most).all()


@pytest.mark.parametrize("seed", range(4))
def test_bounds_are_no_closer_than_a_linear_program(seed: int) -> None:
    """Whatever people are in all combinations of values, at their least and most in each cell."""
    _, sizes, bounds, started = some_bounds(seed, 3 + seed % 2, 2)
    grid = np.array(list(product(*map(range, sizes))))
    rows, upper = [np.ones(len(grid)), -np.ones(len(grid))], [14.0, -14.0]
    for of, held in started.items():
        for at in product(*map(range, held.least.shape)):
            inside = (grid[:, list(of)] == at).all(axis=1).astype(float)
            rows += [inside, -inside]
            upper += [float(held.most[at]), -float(held.least[at])]
    matrix, limits = np.array(rows), np.array(upper)
    closer = 0
    for of, held in (*bounds.tables.items(), *bounds.listed.items()):
        for at in list(product(*map(range, held.least.shape)))[:6]:
            inside = (grid[:, list(of)] == at).all(axis=1).astype(float)
            low, high = (linprog(sign * inside, A_ub=matrix, b_ub=limits).fun * sign
                         for sign in (1.0, -1.0))  # fmt: skip
            assert held.least[at] <= np.ceil(low - 1e-6)
            assert held.most[at] >= np.floor(high + 1e-6)
            closer += int(held.most[at] - held.least[at] < started[of].most[at]
                          - started[of].least[at])  # fmt: skip
    assert closer > 0
