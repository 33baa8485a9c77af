"""`search` by what would be learnt: the border against every combination counted by itself."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reidrisk as rr
from reidrisk.errors import ContradictoryOptions, InputError
from reidrisk.searches import BorderFound

LIMITS = [
    ("certain_share", 0.0), ("certain_share", 0.2), ("distinct_l", 2), ("distinct_l", 3),
    ("entropy_l", 1.7), ("t_closeness", 0.3), ("beta_likeness", 0.7), ("alpha", 0.7),
    ("enhanced_beta_likeness", 0.5), ("guess_gain", 0.1),
]  # fmt: skip
COLUMNS = ("a", "b", "c")
Row = tuple[str, str, str, str, str | None]
rows_drawn = st.lists(
    st.tuples(st.sampled_from("pqrstu"), st.sampled_from("12"), st.sampled_from("123"),
              st.sampled_from("12"), st.sampled_from(["x", "y", "z", None])),
    min_size=2, max_size=24,
)  # fmt: skip


def risky_alone(table: Any, columns: Sequence[str], name: str, limit: float, told: Any) -> bool:
    value = rr.learn(table, columns=list(columns), sensitive="s", **told).value(name)
    if name in ("distinct_l", "entropy_l"):
        return value < limit - 1e-9
    return value > limit + 1e-9


@pytest.mark.parametrize("unit", ["rows", "count", "person"])
@settings(max_examples=25, deadline=None)
@given(rows=rows_drawn, asked=st.sampled_from(LIMITS))
def test_minimal_and_maximal_combinations(
    unit: str, rows: list[Row], asked: tuple[str, float]
) -> None:
    name, limit = asked
    who, a, b, c, s = map(list, zip(*rows, strict=True))
    table = {"who": who, "a": a, "b": b, "c": c, "s": s, "n": [1 + i % 3 for i in range(len(s))]}
    told: dict[str, Any] = {
        "rows": {"rows_are_people": True}, "count": {"count": "n"}, "person": {"person": "who"},
    }[unit]  # fmt: skip
    every = [set(each) for size in (1, 2, 3) for each in combinations(COLUMNS, size)]
    risky = [each for each in every if risky_alone(table, sorted(each), name, limit, told)]
    safe = [each for each in every if each not in risky]
    found = rr.search(table, columns=COLUMNS, sensitive="s", measure=name, allowable_risk=limit,
                      **told)  # fmt: skip
    assert isinstance(found, BorderFound)
    minimal = [each for each in risky if not any(other < each for other in risky)]
    maximal = [each for each in safe if not any(other > each for other in safe)]
    assert sorted(map(sorted, minimal)) == sorted(sorted(v.columns) for v in found.minimal_risky)
    assert sorted(map(sorted, maximal)) == sorted(sorted(v.columns) for v in found.maximal_safe)
    for view in found.minimal_risky:
        alone = rr.learn(table, columns=list(view.columns), sensitive="s", **told)
        assert view.measures[name] == pytest.approx(alone.value(name))


def test_several_sensitive_columns_count_where_it_is_worst() -> None:
    table = {"a": list("1122"), "s": list("xyxy"), "t": list("uuvv")}
    asked: dict[str, Any] = {"columns": ["a"], "measure": "certain_share", "allowable_risk": 0}
    assert rr.search(table, sensitive="s", **asked).minimal_risky == ()
    found = rr.search(table, sensitive=["s", "t"], **asked)
    assert [view.columns for view in found.minimal_risky] == [("a",)]
    assert found.minimal_risky[0].measures["certain_share"] == 1.0


def test_what_is_out_of_reach_is_said() -> None:
    table = {"a": list("1122"), "s": list("xyxy")}
    found = rr.search(table, columns=["a"], sensitive="s", measure="distinct_l", allowable_risk=3)
    assert any(
        "The best that can be reached is distinct_l 2" in one for one in found.envelope.warnings
    )


def test_what_is_refused() -> None:
    table = {"a": list("1122"), "s": list("xyxy")}
    with pytest.raises(InputError, match="is about sensitive columns, and none is named"):
        rr.search(table, columns=["a"], measure="t_closeness", allowable_risk=0.1)
    for name in ("delta_disclosure", "recursive_c", "guess_costs"):
        with pytest.raises(InputError, match="isn't monotone"):
            rr.search(table, columns=["a"], sensitive="s", measure=name, allowable_risk=0.1)
    with pytest.raises(InputError, match="read without 's' as sensitive"):
        rr.search(rr.read(table, columns=["a"]), sensitive="s", measure="alpha", allowable_risk=0.1)


@pytest.fixture(scope="module")
def statistics() -> rr.Statistics:
    rng = np.random.default_rng(7)
    county = rng.integers(0, 5, 2000)
    illness = np.where(rng.random(2000) < 0.3, county, rng.integers(0, 5, 2000))
    ages = rng.integers(0, 20, 2000)
    table = {"county": county.tolist(), "age": ages.tolist(), "illness": illness.tolist()}
    return rr.publish(table, columns=["county", "age", "illness"], unprotected=True)


def test_from_statistics_the_sensitive_column_is_drawn_along(statistics: rr.Statistics) -> None:
    found = rr.search(statistics, sensitive="illness", measure="t_closeness", allowable_risk=0.4,
                      draws=3)  # fmt: skip
    assert {name for view in found.minimal_risky for name in view.columns} <= {"county", "age"}
    assert found.envelope.input.columns == ("county", "age")
    released = rr.generalise(statistics, sensitive="illness", limits={"distinct_l": 3}, k=3,
                             draws=3, play=0)  # fmt: skip
    assert set(released.levels) == {"county", "age"}
    after = released.to_dict()["after"]["learning"]["illness"]
    assert after["intervals"]["distinct_l"][0] >= 3
    assert min(side.smallest_crowd for side in released.after.tables) >= 3


def test_statistics_without_the_sensitive_column(statistics: rr.Statistics) -> None:
    with pytest.raises(InputError, match="say nothing of 'salary'"):
        rr.generalise(statistics, sensitive="salary", limits={"distinct_l": 2})
    with pytest.raises(ContradictoryOptions, match="can't be a quasi-identifier and sensitive"):
        rr.search(statistics, columns=["county", "illness"], sensitive="illness",
                  measure="alpha", allowable_risk=0.5)  # fmt: skip
