"""`learn` on tables: persons, counts, engines, the file of records, what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.csv as arrow_csv
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reidrisk as rr
from reidrisk.learning.sensitive_counts import SensitiveCounts
from tests.learning import plainly_counted as plain

rows_drawn = st.lists(
    st.tuples(
        st.sampled_from("pqrstu"), st.sampled_from("12"), st.sampled_from(["x", "y", "z", None])
    ),
    min_size=1,
    max_size=20,
)


def shape(counts: SensitiveCounts) -> list[tuple[int, list[tuple[str, int]]]]:
    """Crowds by their values, in no order."""
    assert counts.crowd_sizes.people == counts.n
    crowds: dict[int, list[tuple[str, int]]] = {}
    for crowd, value, people in zip(counts.crowd.tolist(), counts.value.tolist(),
                                    counts.people.tolist(), strict=True):  # fmt: skip
        crowds.setdefault(crowd, []).append((str(counts.labels[value]), people))
    return sorted(
        (sum(n for _, n in each), sorted(each))
        for crowd, each in crowds.items()
        for _ in range(counts.alike[crowd])
    )


@given(rows_drawn)
def test_persons_are_all_their_rows(rows: list[tuple[str, str, str | None]]) -> None:
    """The crowd is that of the multiset of rows, the value the set of values."""
    table = {"id": [p for p, _, _ in rows], "ward": [w for _, w, _ in rows],
             "code": [v for _, _, v in rows]}  # fmt: skip
    told = {"columns": ["ward"], "sensitive": "code", "person": "id"}
    found = rr.learn(table, **told).sensitive["code"].counts
    persons: dict[str, tuple[list[str], set[str | None]]] = {}
    for person, ward, code in rows:
        held = persons.setdefault(person, ([], set()))
        held[0].append(ward)
        held[1].add(code)
    people = [(tuple(sorted(wards)), str(rr_described(codes))) for wards, codes in persons.values()]
    wanted = sorted(
        (each.total(), sorted(each.items())) for each in plain.crowds_of(people).values()
    )
    assert shape(found) == wanted


def rr_described(codes: set[str | None]) -> str | None:
    from reidrisk.records import described

    return described(codes)


@pytest.mark.parametrize("engine", ["codes", "duckdb"])
@given(rows_drawn)
def test_counts_of_people_and_every_engine(
    engine: str, rows: list[tuple[str, str, str | None]]
) -> None:
    table = {"a": [p for p, _, _ in rows], "b": [w for _, w, _ in rows],
             "s": [v for _, _, v in rows], "n": [1 + i % 3 for i in range(len(rows))]}  # fmt: skip
    told = {"columns": ["a", "b"], "sensitive": "s", "count": "n", "engine": engine}
    found = rr.learn(table, **told)
    people = [((a, b), str(s)) for i, (a, b, s) in enumerate(rows) for _ in range(1 + i % 3)]
    wanted = sorted(
        (each.total(), sorted(each.items())) for each in plain.crowds_of(people).values()
    )
    assert shape(found.sensitive["s"].counts) == wanted
    assert found.crowd_sizes == rr.measure(table, columns=["a", "b"], count="n").crowd_sizes


@pytest.mark.parametrize("unit", [{}, {"person": "id"}, {"count": "n"}])
def test_the_file_has_each_records_own_figures(tmp_path: Path, unit: dict[str, str]) -> None:
    rng = np.random.default_rng(5)
    size = 300
    table = {
        "id": [f"p{i}" for i in rng.integers(0, 120, size)],
        "n": [int(i) for i in rng.integers(0, 3, size)],
        "a": [str(i) for i in rng.integers(0, 5, size)],
        "b": [str(i) for i in rng.integers(0, 4, size)],
        "s": [str(i) for i in rng.integers(0, 4, size)],
    }
    place = tmp_path / "learnt.csv"
    found = rr.learn(table, columns=["a", "b"], sensitive="s", risk_file=place, **unit)
    risk = found.sensitive["s"]
    written = arrow_csv.read_csv(place).to_pydict()
    assert place.stat().st_mode & 0o77 == 0
    weights = table["n"] if unit == {"count": "n"} else [1] * len(written["crowd"])
    n = sum(weights)
    for key, wanted in (
        ("s_guessed", risk.guesses.with_table),
        ("s_guessed_without_own", risk.guesses.without_own),
        ("s_guessed_without", risk.guesses.without),
        ("s_certain", risk.certain.share),
    ):
        held = [(v, w) for v, w in zip(written[key], weights, strict=True) if w]
        assert sum(v * w for v, w in held) / n == pytest.approx(wanted, abs=1e-9), key
    if not unit:
        crowds = plain.crowds_of(list(zip(zip(table["a"], table["b"], strict=True), table["s"],
                                          strict=True)))  # fmt: skip
        for row, (a, b, s) in enumerate(zip(table["a"], table["b"], table["s"], strict=True)):
            own = plain.shares(crowds[a, b])[s]
            assert written["s_share"][row] == pytest.approx(float(own))


def test_a_row_of_nobody_has_no_figures(tmp_path: Path) -> None:
    place = tmp_path / "learnt.csv"
    table = {"a": ["x", "y", "z"], "s": ["1", "2", "1"], "n": [2, 1, 0]}
    rr.learn(table, columns=["a"], sensitive="s", count="n", risk_file=place)
    written = arrow_csv.read_csv(place).to_pydict()
    assert written["s_share"] == [1, 1, None]


def test_several_columns_and_the_worst_of_them() -> None:
    table = {"a": ["x"] * 6 + ["y"] * 6, "s": ["1"] * 6 + ["1", "2"] * 3, "t": ["u", "v"] * 6}
    found = rr.learn(table, columns=["a"], sensitive=["s", "t"])
    assert list(found.sensitive) == ["s", "t"]
    assert found.value("certain_share") == 0.5
    assert found.value("distinct_l") == 1
    assert found.sensitive["t"].certain.people == 0
    assert found.envelope.input.columns == ("a",)


def test_quasi_identifiers_are_chosen_without_the_sensitive_column() -> None:
    rng = np.random.default_rng(1)
    table = {"age": rng.integers(20, 60, 200), "sex": rng.choice(["f", "m"], 200),
             "job": rng.choice(["a", "b", "c"], 200)}  # fmt: skip
    found = rr.learn(table, sensitive="job")
    assert found.envelope.input.columns == ("age", "sex")


def test_values_in_order_are_compared_by_it() -> None:
    table = {"a": ["x"] * 4 + ["y"] * 4, "s": [10, 20, 30, 40, 10, 10, 40, 40]}
    found = rr.learn(table, columns=["a"], sensitive="s").sensitive["s"]
    assert found.distances.kind == "ordered"
    # Shares of 10, 20, 30, 40 are 3/8, 1/8, 1/8, 3/8 of all, 1/4 each of x and 1/2, 0, 0, 1/2 of y.
    assert found.t_closeness == pytest.approx((1 / 8 + 0 + 1 / 8) / 3)


def test_a_given_hierarchy_says_how_far_apart_values_are() -> None:
    table = {"a": ["x"] * 2 + ["y"] * 2, "s": ["flu", "cold", "flu", "cut"]}
    ill = {"flu": "ill", "cold": "ill", "cut": "hurt"}
    hierarchy = rr.Hierarchy("s", (ill,))
    found = rr.learn(table, columns=["a"], sensitive="s", hierarchies={"s": hierarchy})
    assert found.sensitive["s"].distances.kind == "hierarchy"
    people = list(zip(table["a"], table["s"], strict=True))
    nodes = {value: (value, group, "*") for value, group in ill.items()}
    every = plain.everybody(people)
    wanted = max(
        plain.transported(plain.shares(each), every, nodes)
        for each in plain.crowds_of(people).values()
    )
    assert found.sensitive["s"].t_closeness == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"sensitive": "a", "columns": ["a"]}, "both a quasi-identifier and sensitive"),
        ({"columns": ["a"]}, "no sensitive column is named"),
        ({"sensitive": "nothing", "columns": ["a"]}, "there is no column 'nothing'"),
        ({"sensitive": ["s", "s"], "columns": ["a"]}, "named twice as sensitive"),
        ({"sensitive": "s", "columns": ["a"], "missing": "wildcard"}, "where an empty cell"),
        ({"sensitive": "s", "columns": ["a"], "recursive_l": 0}, "whole number from 1"),
        ({"sensitive": "s", "columns": ["a"], "person": "s"}, "what a row stands for"),
    ],
)
def test_what_is_refused(asked: dict[str, object], words: str) -> None:
    with pytest.raises(rr.InputError, match=words):
        rr.learn({"a": ["x", "y"], "s": ["1", "2"]}, **asked)


def test_columns_of_which_little_can_be_learnt_say_so() -> None:
    a = ["x", "y"] * 50
    same = rr.learn({"a": a, "s": ["1"] * 100}, columns=["a"], sensitive="s")
    assert "Everybody has the same value of s" in same.warnings[0]
    own = rr.learn({"a": a, "s": list(map(str, range(100)))}, columns=["a"], sensitive="s")
    assert "identifies people" in own.warnings[0]
    many = rr.learn({"a": a, "s": [i // 2 for i in range(100)]}, columns=["a"], sensitive="s")
    assert "--bands s=10" in many.warnings[0]
    gaps = rr.learn({"a": a, "s": [None, "1"] * 50}, columns=["a"], sensitive="s")
    assert "50 of 100 people have no value of s" in gaps.warnings[0]
    # An empty cell is a value in the measures, and certain for nobody.
    assert gaps.sensitive["s"].certain.people == 50


def test_banded_amounts_are_sensitive_too() -> None:
    rng = np.random.default_rng(2)
    table = {"a": rng.choice(["x", "y"], 100), "income": rng.normal(3000, 500, 100)}
    found = rr.learn(table, columns=["a"], sensitive="income", bands={"income": 1000})
    assert found.sensitive["income"].distances.kind == "ordered"
    assert found.sensitive["income"].counts.values < 6


def test_a_table_read_once_answers() -> None:
    table = rr.read({"a": ["x", "y"], "s": ["1", "2"]}, columns=["a"], sensitive="s")
    assert table.columns == ("a",)
    assert rr.learn(table).sensitive["s"].certain.people == 2
    with pytest.raises(rr.InputError, match="read without 'a' as sensitive"):
        rr.learn(table, sensitive="a")
    plainly = rr.read({"a": ["x", "y"], "s": ["1", "2"]}, columns=["a"])
    with pytest.raises(rr.InputError, match="no sensitive column is named"):
        rr.learn(plainly)
