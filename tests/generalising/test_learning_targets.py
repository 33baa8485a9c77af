"""Targets on what is learnt: the optimum against trying all releases, whoever is left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

import reidrisk as rr
from reidrisk.errors import ContradictoryOptions, InputError
from reidrisk.generalisation.learning_rule import (
    LearningRule,
    histogram_of_judged,
    remaining,
    with_learning,
)
from reidrisk.generalisation.learnt_counts import LearningCounting
from reidrisk.generalisation.least_loss import LeastLoss
from reidrisk.generalisation.loss import LOSSES, loss_of
from reidrisk.generalisation.releases import Levels, Releases, rank
from reidrisk.generalisation.target import Target, target_of
from reidrisk.hierarchies.hierarchy import Hierarchy
from reidrisk.learning import LearningLimits, SensitiveColumn
from reidrisk.learning.limits import MAY_BE_LEFT_OUT
from reidrisk.learning.sensitive_risk import Distances
from reidrisk.records.memory.packing import Keys
from reidrisk.searches.lattice import Limits
from tests.generalising import exhaustive
from tests.generalising.exhaustive import Small, Values, small_tables

LETTERS: tuple[str | None, ...] = ("x", "y", "z", None)
LEAVING_OUT: list[dict[str, float]] = [
    {"distinct_l": 2}, {"distinct_l": 3}, {"certain_share": 0.0}, {"certain_share": 0.2},
    {"certain_share": 0.5}, {"certain_share": 0.0, "distinct_l": 2},
]  # fmt: skip
STAYING: list[dict[str, float]] = [
    {"t_closeness": 0.3}, {"t_closeness": 0.1}, {"entropy_l": 1.8}, {"beta_likeness": 0.8},
    {"alpha": 0.7}, {"alpha": 0.6, "distinct_l": 2, "t_closeness": 0.4},
]  # fmt: skip
every_limit = st.sampled_from([*LEAVING_OUT, *STAYING])


def column_of(values: Sequence[str | None]) -> SensitiveColumn:
    codes = np.array([LETTERS.index(each) for each in values], dtype=np.int64)
    return SensitiveColumn("s", codes, LETTERS, Distances())


def judged_target(people: int, k: int, limits: dict[str, float], suppress: float) -> Target:
    target = target_of("highest_risk", 1.0 / k, people, suppress)
    return with_learning(target, LearningLimits(limits), 1, suppress)


@settings(max_examples=150, deadline=None)
@given(
    crowds=st.lists(
        st.lists(st.sampled_from(LETTERS), min_size=1, max_size=5), min_size=1, max_size=4
    ).filter(lambda crowds: sum(map(len, crowds)) <= 10),
    k=st.integers(1, 3),
    limits=st.sampled_from(LEAVING_OUT),
)
def test_as_few_people_are_left_out_as_can_be(
    crowds: list[list[str | None]], k: int, limits: dict[str, float]
) -> None:
    people = sum(map(len, crowds))
    target = judged_target(people, k, limits, 1.0)
    rule = target.rule
    assert isinstance(rule, LearningRule)
    number = np.repeat(np.arange(len(crowds)), [len(each) for each in crowds])
    column = column_of([value for each in crowds for value in each])
    judged = rule.limits.judged([column], Keys(number, len(crowds)), None)
    held = histogram_of_judged(judged)
    wanted = exhaustive.fewest_left_out([tuple(each) for each in crowds], k, limits)
    assert target.needed(held) == wanted
    if wanted == people:
        return
    go = rule.leaving(judged, target.budget)
    assert go.sum() == wanted
    stay = [tuple(each[: len(each) - out]) for each, out in zip(crowds, go.tolist(), strict=True)]
    assert exhaustive.meets([each for each in stay if each], k, limits)
    left = remaining(target, held, wanted)
    assert left.crowds == sum(1 for each in stay if each)
    assert left.squares == sum(len(each) ** 2 for each in stay)


def searched(
    table: Small, values: Values, target: Target, name: str, limits: Limits | None = None
) -> Any:
    tuples = table.tuples
    counts = [e.counts(held) for e, held in zip(table.levels, tuples.held, strict=True)]
    loss = loss_of(name, counts, tuples.total, tuples.total)
    assert target.limits is not None
    counting = LearningCounting(tuples, table.levels, (column_of(values),), target.limits)
    names = zip(tuples.columns, table.levels, strict=True)
    releases = Releases.of({column: each.height for column, each in names})
    return LeastLoss([counting], releases, loss, target, limits or Limits()).found()


def staying(
    crowds: Sequence[Values], k: int, limits: dict[str, float], target: Target
) -> list[int]:
    """The sizes of the crowds that stay; by the rule that is tried by itself above."""
    rule = target.rule
    assert isinstance(rule, LearningRule)
    number = np.repeat(np.arange(len(crowds)), [len(each) for each in crowds])
    column = column_of([value for each in crowds for value in each])
    judged = rule.limits.judged([column], Keys(number, len(crowds)), None)
    return (judged.sizes - rule.leaving(judged, target.budget)).tolist()


def lost(table: Small, release: Levels, stay: Sequence[int], name: str) -> float:
    """As the documentation defines it."""
    n = len(table.people)
    out = n - sum(stay)
    if name == "discernibility":
        return (sum(size**2 for size in stay) + out * n) / n**2
    if name == "average_crowd":
        left = [size for size in stay if size]
        return (1 - out / n) * (sum(left) / len(left)) / n + out / n
    mean = exhaustive.loss(table, release, 0, name)
    return (1 - out / n) * mean + out / n


@st.composite
def tables_with_values(draw: st.DrawFn, most: int = 12) -> tuple[Small, Values]:
    table = draw(small_tables(most))
    values = draw(st.lists(st.sampled_from(LETTERS), min_size=len(table.people),
                           max_size=len(table.people)))  # fmt: skip
    return table, tuple(values)


@pytest.mark.parametrize("name", LOSSES)
@settings(max_examples=80, deadline=None)
@given(
    drawn=tables_with_values(), k=st.sampled_from([1, 1, 2, 3]), limits=every_limit,
    suppress=st.sampled_from([0.0, 0.1, 0.3, 1.0]),
)  # fmt: skip
def test_same_optimum_as_trying_all(
    name: str, drawn: tuple[Small, Values], k: int, limits: dict[str, float], suppress: float
) -> None:
    table, values = drawn
    n = len(table.people)
    if set(limits) - set(MAY_BE_LEFT_OUT):
        suppress = 0.0
    target = judged_target(n, k, limits, suppress)
    best = []
    for release in table.releases():
        crowds = exhaustive.values_of_crowds(table, release, values)
        if suppress == 0.0:
            out = 0 if exhaustive.meets(crowds, k, limits) else n
        else:
            out = needed_plainly(crowds, k, limits)
        if out <= target.budget and out < n:
            stay = staying(crowds, k, limits, target)
            assert n - sum(stay) == out
            best.append((lost(table, release, stay, name), rank(release)))
    found = searched(table, values, target, name)
    assert found.open == 0
    assert found.counted + sum(found.pruned.values()) == sum(1 for _ in table.releases())
    if not best:
        assert found.best is None
        return
    least = min(loss for loss, _ in best)
    assert found.best.counted.loss == pytest.approx(least, abs=1e-12)
    assert rank(found.best.levels) == min(place for loss, place in best if loss <= least + 1e-12)
    assert found.bound == found.best.counted.loss


def needed_plainly(crowds: Sequence[Values], k: int, limits: dict[str, float]) -> int:
    """The rule's own count; `test_as_few_people_are_left_out_as_can_be` tries all sets."""
    target = judged_target(sum(map(len, crowds)), k, limits, 1.0)
    return sum(map(len, crowds)) - sum(staying(crowds, k, limits, target)) if (
        _possible(crowds, k, limits)
    ) else sum(map(len, crowds))  # fmt: skip


def _possible(crowds: Sequence[Values], k: int, limits: dict[str, float]) -> bool:
    """Whether some crowd can stay alone, or with those of one value that its share allows."""
    fewest = limits.get("distinct_l", 1)
    fine = [each for each in crowds if len(each) >= k and len(set(each)) >= fewest]
    if limits.get("certain_share", 1.0) >= 1.0:
        return bool(fine)
    return any(len(set(each)) > 1 or each[0] is None for each in fine)


@settings(max_examples=200, deadline=None)
@given(drawn=tables_with_values(30), k=st.integers(1, 4), limits=every_limit, at=st.data())
def test_nobody_more_has_to_go_from_a_coarser_release(
    drawn: tuple[Small, Values], k: int, limits: dict[str, float], at: st.DataObject
) -> None:
    table, values = drawn
    fine = tuple(at.draw(st.integers(0, each.height)) for each in table.levels)
    coarse = tuple(
        at.draw(st.integers(level, each.height))
        for level, each in zip(fine, table.levels, strict=True)
    )
    target = judged_target(len(values), k, limits, 0.0)
    assert target.limits is not None
    counting = LearningCounting(table.tuples, table.levels, (column_of(values),), target.limits)
    held = [counting.histogram(levels) for levels in (fine, coarse)]
    assert target.needed(held[1]) <= target.needed(held[0])
    counting.narrow(fine)
    again = LearningCounting(table.tuples, table.levels, (column_of(values),), target.limits)
    again.narrow(fine)
    for one, other in zip(again.histogram(coarse), held[1], strict=True):
        assert np.array_equal(np.asarray(one), np.asarray(other))


def test_dropping_crowds_that_are_far_from_everybody_is_not_monotone() -> None:
    """Why nobody can be left out for t-closeness: a crowd that fails drags a large one along."""
    limits = LearningLimits({"t_closeness": 0.3})
    crowds = ["xxxyyyyyyy", "xxx", "xxxxxyyyyy"]
    column = column_of([value for each in crowds for value in each])

    def people_failing(numbers: Sequence[int]) -> int:
        keys = Keys(np.repeat(numbers, [len(each) for each in crowds]), 3)
        found = limits.judged([column], keys, None)
        return int(found.sizes[found.failing].sum())

    assert people_failing([0, 1, 2]) == 3
    limits = LearningLimits({"alpha": 0.6})
    assert people_failing([0, 1, 1]) == 23
    assert people_failing([0, 1, 2]) == 13


RECORDS = st.lists(
    st.tuples(st.sampled_from("pqrstu"), st.sampled_from(["1", "2", "3", None]),
              st.sampled_from("xy"), st.sampled_from(["u", "v", "w", None])),
    min_size=2, max_size=12,
)  # fmt: skip
LABELS: dict[str, list[dict[str, str] | None]] = {
    "a": [{}, {"1": "low", "2": "low", "3": "high", "4": "high"}, None],
    "b": [{}, None],
}
Record = tuple[str, str | None, str | None, str | None]


def hierarchies() -> dict[str, Hierarchy]:
    return {
        "a": Hierarchy("a", ({"1": "low", "2": "low", "3": "high", "4": "high"},)),
        "b": Hierarchy("b", ()),
    }


def label(name: str, value: str | None, level: int) -> str | None:
    labels = LABELS[name][level]
    return "*" if labels is None else value if value is None else labels.get(value, value)


def people_of(rows: Sequence[Record], unit: str, levels: tuple[int, int]) -> list[tuple[Any, Any]]:
    """(what is seen of each person, their value)."""
    seen = [(who, (label("a", a, levels[0]), label("b", b, levels[1])), s) for who, a, b, s in rows]
    if unit == "rows":
        return [(each, s) for _, each, s in seen]
    if unit == "count":
        return [(each, s) for at, (_, each, s) in enumerate(seen) for _ in range(1 + at % 3)]
    persons: dict[str, tuple[list[Any], set[Any]]] = {}
    for who, each, s in seen:
        held = persons.setdefault(who, ([], set()))
        held[0].append(each)
        held[1].add(s)
    # Somebody of whom nothing but empty cells is known has no value.
    return [
        (
            frozenset(Counter(rows).items()),
            None if held == {None} else tuple(sorted(map(str, held))),
        )
        for rows, held in persons.values()
    ]


def crowds_of(people: Sequence[tuple[Any, Any]]) -> list[Values]:
    crowds: dict[Any, list[Any]] = {}
    for seen, value in people:
        crowds.setdefault(seen, []).append(value)
    return [tuple(each) for each in crowds.values()]


@pytest.mark.parametrize("engine", ["codes", "duckdb"])
@pytest.mark.parametrize("unit", ["rows", "count", "person"])
@settings(max_examples=30, deadline=None)
@given(rows=RECORDS, k=st.sampled_from([None, 2]), limits=every_limit,
       suppress=st.sampled_from([0.0, 0.3]))  # fmt: skip
def test_the_file_keeps_the_promise(
    unit: str, engine: str, rows: list[Record], k: int | None, limits: dict[str, float],
    suppress: float, tmp_path_factory: pytest.TempPathFactory,
) -> None:  # fmt: skip
    if set(limits) - set(MAY_BE_LEFT_OUT):
        suppress = 0.0
    who, a, b, s = map(list, zip(*rows, strict=True))
    columns = {"who": who, "a": a, "b": b, "s": s, "n": [1 + at % 3 for at in range(len(rows))]}
    told: dict[str, Any] = {"person": {"person": "who"}, "count": {"count": "n"}}.get(unit, {})
    table = rr.read(columns, columns=["a", "b"], sensitive="s", engine=engine,
                    **(told or {"rows_are_people": True}))  # fmt: skip
    best = None
    n = len(people_of(rows, unit, (0, 0)))
    for levels in product(range(3), range(2)):
        crowds = crowds_of(people_of(rows, unit, levels))
        if n <= 9 and suppress:
            out = exhaustive.fewest_left_out(crowds, k or 1, limits)
        elif suppress:
            return
        else:
            out = 0 if exhaustive.meets(crowds, k or 1, limits) else n
        if out <= suppress * n + 1e-9 and out < n:
            loss = (1 - out / n) * (levels[0] / 2 + levels[1]) / 2 + out / n
            best = loss if best is None else min(best, loss)
    file = tmp_path_factory.mktemp("safer") / "safer.csv"
    asked = {"k": k, "limits": limits, "suppress": suppress, "hierarchies": hierarchies(),
             "output": file, "play": 0, "frontier": False}  # fmt: skip
    if best is None:
        with pytest.raises(InputError, match="no release"):
            rr.generalise(table, **asked)
        return
    found = rr.generalise(table, **asked)
    assert found.loss == pytest.approx(best, abs=1e-9)
    learnt = rr.learn(
        file, columns=["a", "b"], sensitive="s", **(told or {"rows_are_people": True})
    )
    risk = learnt.sensitive["s"]
    after = found.to_dict()["after"]["learning"]["s"]
    assert learnt.crowd_sizes.people == n - found.suppressed
    for name, limit in limits.items():
        assert after[name] == pytest.approx(risk.value(name))
        if name in ("distinct_l", "entropy_l"):
            assert risk.value(name) >= limit - 1e-9
        else:
            assert risk.value(name) <= limit + 1e-9
    assert learnt.crowd_sizes.smallest_crowd >= (k or 1)


def test_what_nobody_can_be_left_out_for() -> None:
    table = {"a": ["1", "1", "2", "2"], "s": list("xyxy")}
    asked: dict[str, Any] = {"columns": ["a"], "sensitive": "s", "suppress": 0.2}
    for limits in ({"t_closeness": 0.2}, {"entropy_l": 2}, {"beta_likeness": 1}, {"alpha": 0.5}):
        with pytest.raises(ContradictoryOptions, match="may make that fail as well"):
            rr.generalise(table, limits=limits, **asked)
    with pytest.raises(ContradictoryOptions, match="overall_risk"):
        rr.generalise(table, measure="overall_risk", allowable_risk=0.5,
                      limits={"distinct_l": 2}, **asked)  # fmt: skip
    for name in ("delta_disclosure", "recursive_c", "guess_costs"):
        with pytest.raises(InputError, match="isn't monotone"):
            rr.generalise(table, columns=["a"], sensitive="s", limits={name: 1})


@pytest.mark.parametrize(
    ("limits", "more", "said"),
    [
        ({"distinct_l": 5}, {}, "distinct_l of s of at least 5: the coarsest reaches 3"),
        ({"t_closeness": 0.1}, {"at_most": {"a": 0}}, "up to 0.1: the coarsest reaches 0.555556"),
        ({"certain_share": 0}, {"at_most": {"a": 0}}, "up to 0: the coarsest reaches 0.555556"),
    ],
)
def test_the_best_that_can_be_reached_is_said(
    limits: dict[str, float], more: dict[str, Any], said: str
) -> None:
    table = {"a": list("112222333"), "s": list("xxxyyzxyz")}
    if "certain_share" in limits:
        table["s"] = list("xxxyyzxxx")
    with pytest.raises(InputError, match=said):
        rr.generalise(table, columns=["a"], sensitive="s", limits=limits, **more)


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ({"distinct_l": 2.5}, "distinct_l 2.5: it is a whole number"),
        ({"distinct_l": 0}, "distinct_l 0: it is a number from 1"),
        ({"t_closeness": 20}, "t_closeness 20: it is a number from 0 to 1"),
        ({"certain_share": -1}, "certain_share -1: it is a number from 0 to 1"),
        ({"entropy_l": "many"}, "entropy_l many: it isn't a number"),
        ({"closeness": 1}, "no measure is called"),
    ],
)
def test_limits_that_make_no_sense(limits: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        rr.generalise({"a": ["1", "2"], "s": ["x", "y"]}, columns=["a"], sensitive="s",
                      limits=limits)  # fmt: skip


def test_without_a_sensitive_column() -> None:
    with pytest.raises(InputError, match="no sensitive column is named"):
        rr.generalise({"a": ["1", "2"]}, columns=["a"], limits={"distinct_l": 2})


def test_several_sensitive_columns(tmp_path: Path) -> None:
    """Each of them keeps the limits."""
    rng = np.random.default_rng(4)
    table = {
        "a": rng.integers(0, 40, 400).tolist(),
        "b": rng.integers(0, 4, 400).tolist(),
        "s": rng.choice(list("xyz"), 400).tolist(),
        "t": rng.choice(list("uv"), 400).tolist(),
    }
    file = tmp_path / "safer.parquet"
    limits = {"distinct_l": 2, "certain_share": 0}
    found = rr.generalise(
        table, columns=["a", "b"], sensitive=["s", "t"], k=3, output=file, limits=limits,
        frontier=[1 / 5],
    )  # fmt: skip
    learnt = rr.learn(file, columns=["a", "b"], sensitive=["s", "t"])
    assert {risk.distinct_l >= 2 for risk in learnt.sensitive.values()} == {True}
    assert learnt.crowd_sizes.smallest_crowd >= 3
    assert found.to_dict()["target"]["learning"] == {"distinct_l": 2, "certain_share": 0}
    assert [step.allowable for step in found.frontier] == [1 / 3, 1 / 5]


def test_a_hierarchy_of_the_sensitive_column_says_how_far_values_are_apart(tmp_path: Path) -> None:
    table = {"a": list("1122"), "s": list("wxyz")}
    near = Hierarchy("s", ({"w": "low", "x": "low", "y": "high", "z": "high"},))
    asked: dict[str, Any] = {"columns": ["a"], "sensitive": "s", "limits": {"t_closeness": 0.6}}
    given = {"s": near, "a": Hierarchy("a", ())}
    found = rr.generalise(table, hierarchies=given, output=tmp_path / "safer.csv", **asked)
    after = found.to_dict()["after"]["learning"]["s"]
    assert after["t_distance"] == "hierarchy"
    # Half of each crowd's people have to be moved across the root.
    assert after["t_closeness"] == pytest.approx(0.5)
    assert found.levels == {"a": 0}


@pytest.mark.parametrize("suppress", [0.0, 0.02])
def test_the_optimum_of_adult(shared_data: Path, suppress: float) -> None:
    """Eight quasi-identifiers, three occupations in every crowd: proven, few releases counted."""
    path = shared_data / "adult" / "adult_arx.parquet"
    names = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass",
             "salary-class"]  # fmt: skip
    table = rr.read(path, columns=names, sensitive="occupation")
    found = rr.generalise(table, limits={"distinct_l": 3}, suppress=suppress,
                          hierarchies=shared_data / "adult" / "hierarchies")  # fmt: skip
    assert found.searched.complete
    assert found.searched.counted < 300
    assert found.to_dict()["after"]["learning"]["occupation"]["distinct_l"] >= 3
    assert found.loss == pytest.approx(0.625 if suppress == 0 else 0.3247, abs=1e-4)
