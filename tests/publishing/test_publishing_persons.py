"""`rr.publish` where a person has several rows: counts of people, whatever rows they have."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import reidrisk as rr
from reidrisk.records.persons import described
from reidrisk.statistics.consistency import disagreements
from reidrisk.statistics.statistics_file import save_statistics

TEXTS = ["9", "10", "a", "a + b", "b", "+", "+ b", "a +", '"', '"a', 'b"', "(missing)", None]
ENGINES = ["codes", "duckdb"]
COLUMNS = ["a", "b", "c"]


@given(st.lists(st.sets(st.sampled_from(TEXTS), min_size=1, max_size=4), max_size=40))
def test_no_two_sets_are_described_alike(sets: list[set[str | None]]) -> None:
    different = {frozenset(each) for each in sets}
    assert len({described(each) for each in different}) == len(different)


def test_how_sets_are_described() -> None:
    assert described({"39"}) == "39"
    assert described({None}) is None
    assert described({"10", "9", None}) == "9 + 10 + (missing)"
    assert described({"[60-70)", "[50-60)"}) == "[50-60) + [60-70)"
    assert described({"a + b"}) == '"a + b"'
    assert described({"a + b", "c"}) == '"a + b" + c'


@st.composite
def histories(draw: st.DrawFn) -> list[tuple[Any, ...]]:
    """Rows (who, a, b, c) of up to six people, in some order."""
    cells = st.sampled_from(["1", "2", "10", None])
    row = st.tuples(st.sampled_from("pqrstu"), cells, st.sampled_from("xyz"), cells)
    return draw(st.lists(row, min_size=1, max_size=25))


def read(rows: list[tuple[Any, ...]], engine: str) -> rr.Table:
    columns = dict(zip(("who", *COLUMNS), map(list, zip(*rows, strict=True)), strict=True))
    return rr.read(columns, columns=COLUMNS, person="who", engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
@given(rows=histories())
def test_every_count_is_of_people(engine: str, rows: list[tuple[Any, ...]]) -> None:
    rows = [*rows, ("p", "1", "x", "2")]
    held = rr.publish(read(rows, engine), unprotected=True)
    values = {
        who: tuple(described({row[place] for row in rows if row[0] == who}) for place in (1, 2, 3))
        for who in {row[0] for row in rows}
    }
    assert held.records == len(values)
    for place, attribute in enumerate(held.attributes):
        counted = Counter(each[place] for each in values.values())
        assert attribute.missing == counted.pop(None, 0)
        assert attribute.counts == counted
    for pair in held.pairs:
        one, other = map(COLUMNS.index, pair.of)
        assert pair.counts == Counter((each[one], each[other]) for each in values.values())
    assert disagreements(held) == []
    assert "people of several rows" in held.title


@pytest.mark.parametrize("unprotected", [False, True])
@pytest.mark.parametrize("engine", ENGINES)
def test_the_order_of_rows_changes_nothing(engine: str, unprotected: bool, tmp_path: Path) -> None:
    drawn = random.Random(4)
    rows = [
        (f"p{drawn.randrange(150)}", str(drawn.randrange(3)), *drawn.choices("xy", k=2))
        for _ in range(300)
    ]
    texts = []
    for turn in range(3):
        if turn:
            drawn.shuffle(rows)
        path = tmp_path / f"{turn}.json"
        how = {"unprotected": True} if unprotected else {"key_file": tmp_path / "key"}
        save_statistics(rr.publish(read(rows, engine), **how), path)
        texts.append(path.read_text())
    assert len(set(texts)) == 1
    held = rr.load_statistics(path)
    predicted = rr.predict(held)
    assert predicted.people == pytest.approx(len({row[0] for row in rows}), abs=5)
    assert any("counted by the set of values" in each for each in predicted.envelope.assumptions)


def test_rare_sets_fold_as_rare_values_do() -> None:
    """Five people have both values, four only another one, and one all three."""
    rows = [(f"p{i}", value, "x", "u") for i in range(5) for value in ("1", "2")]
    rows += [(f"q{i}", "1", "x", "u") for i in range(20)]
    rows += [("r", value, "x", "u") for value in ("1", "2", "3")]
    rows += [(f"s{i}", "3", "x", "u") for i in range(4)]
    attribute = rr.publish(read(rows, "codes"), exact=True).attribute("a")
    assert attribute.counts == {"1": 20, "1 + 2": 5} or attribute.counts == {"1": 20}
    assert attribute.other is not None
    assert all("3" not in value for value in attribute.counts)


def test_strong_pairs_are_those_of_people() -> None:
    """Row by row a and b have nothing to do with each other; a person's a tells their b."""
    rows = [
        (f"p{i}", a, b, "u")
        for i in range(12)
        for a in ("1", "2") for b in (("x", "y") if i % 2 else ("y",))
    ]  # fmt: skip
    rows += [(f"q{i}", "1", "x", "u") for i in range(12)]
    table = read(rows, "codes")
    assert rr.publish(table, pairs="strong", strong=0.3, unprotected=True).pairs
    assert not rr.publish(rr.read(
        {"a": [row[1] for row in rows], "b": [row[2] for row in rows]}, columns=["a", "b"]
    ), pairs="strong", strong=0.3, unprotected=True).pairs  # fmt: skip


def test_diabetes_is_about_patients(shared_data: Path) -> None:
    """101,766 encounters of 71,518 patients."""
    path = shared_data / "diabetes130" / "diabetes130.parquet"
    columns = ["race", "gender", "age"]
    held = rr.publish(rr.read(path, columns=columns, person="patient_nbr"))
    assert abs(held.records - 71_518) < 5
    assert disagreements(held) == []
    ages = held.attribute("age").counts
    assert any(" + " in value for value in ages)
    assert all(sum(pair.counts.values()) <= 72_000 for pair in held.pairs)
