"""A file of people scored: each row as `person` would answer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq
import pytest

import reidrisk as rr
from reidrisk.errors import InputError
from reidrisk.prediction import people_scores as people_module
from reidrisk.statistics.statistics import Attribute, Statistics

CITY_COLUMNS = ["county", "age", "sex"]


@pytest.fixture(scope="module")
def city() -> tuple[rr.Table, Statistics]:
    table = rr.read(rr.city(3000), columns=CITY_COLUMNS)
    return table, rr.publish(table, pairs="all", unprotected=True)


@pytest.mark.parametrize("model", ["tree", "pairwise", "groups", "pair", "paper", "independent"])
@pytest.mark.parametrize("given", ["member", "paper", "unknown"])
def test_each_row_is_a_person(
    city: tuple[rr.Table, Statistics], tmp_path: Path, given: str, model: str
) -> None:
    table, statistics = city
    path = tmp_path / "scores.parquet"
    options = {"given": given, "model": model, "crowds": [2, 5]}
    done = rr.people(statistics, table, path, **options)
    assert (done.rows, done.without_answer) == (3000, 0)
    found = pq.read_table(path)
    assert found.column_names == ["row", "expected_crowd", "risk", "k2", "k5"]
    texts = table.engine.texts_of_each(CITY_COLUMNS).read_all().to_pylist()
    for row in (0, 17, 2999):
        one = rr.person(statistics, texts[row], **options)
        assert found["row"][row].as_py() == row + 1
        assert found["risk"][row].as_py() == pytest.approx(one.risk, rel=1e-9)
        assert found["expected_crowd"][row].as_py() == pytest.approx(one.expected_crowd, rel=1e-9)
        assert found["k5"][row].as_py() == pytest.approx(one.k_indistinguishable[5], rel=1e-9)


@pytest.mark.parametrize("engine", ["codes", "duckdb"])
def test_keys_gaps_and_unknown_values(tmp_path: Path, engine: str) -> None:
    statistics = Statistics(10, (Attribute("age", {"20-29": 6, "30+": 3}, 1),))
    records = rr.read(
        {"id, of the person": ["p", "q", "r", "s"], "AGE": ["22", None, "-5", "31"]},
        columns=["id, of the person", "AGE"],
        engine=engine,
    )
    path = tmp_path / "scores.csv"
    done = rr.people(statistics, records, path, key="id, of the person", crowds=[2])
    assert (done.rows, done.without_answer) == (4, 1)
    assert "age: 1 values aren't listed; their rows are left empty." in done.assumptions
    found = arrow_csv.read_csv(path).to_pydict()
    assert found["id, of the person"] == ["p", "q", "r", "s"]
    assert found["expected_crowd"] == [6.0, 1.0, None, 3.0]


def test_blocks_give_the_same(
    city: tuple[rr.Table, Statistics], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, statistics = city
    rr.people(statistics, table, tmp_path / "one.parquet")
    monkeypatch.setattr(people_module, "BLOCK", 700)
    from reidrisk.records.memory import engine

    monkeypatch.setattr(engine, "BATCH", 500)
    rr.people(statistics, table, tmp_path / "many.parquet")
    assert pq.read_table(tmp_path / "one.parquet").equals(pq.read_table(tmp_path / "many.parquet"))


def test_nothing_in_common(city: tuple[rr.Table, Statistics], tmp_path: Path) -> None:
    table, _ = city
    with pytest.raises(InputError, match="no attribute in common"):
        rr.people(Statistics(1, (Attribute("x", {"1": 1}),)), table, tmp_path / "s.csv")
    with pytest.raises(InputError, match="no column 'name'"):
        rr.people(city[1], table, tmp_path / "s.csv", key="name")
    with pytest.raises(InputError, match="against statistics"):
        rr.people(table, table, tmp_path / "s.csv")
    assert not (tmp_path / "s.csv").exists()


@pytest.fixture(scope="module")
def sampled() -> tuple[rr.Table, Statistics]:
    """A sample's statistics: nearly every pair of values has a count with a fraction."""
    table = rr.read(rr.city(400), columns=["county", "age", "sex"], bands={"age": 20})
    return table, rr.publish(table, pairs="all", unprotected=True, population=12_000)


@pytest.mark.parametrize("model", ["tree", "groups", "pair"])
@pytest.mark.parametrize("given", ["member", "paper", "unknown"])
def test_a_population_behind_a_sample(
    sampled: tuple[rr.Table, Statistics], tmp_path: Path, given: str, model: str
) -> None:
    """Scored together, people have the figures that each has alone."""
    table, statistics = sampled
    options = {"given": given, "model": model, "crowds": [2, 5, 50]}
    rr.people(statistics, table, tmp_path / "scores.parquet", **options)
    found = pq.read_table(tmp_path / "scores.parquet")
    texts = table.engine.texts_of_each(list(table.columns)).read_all().to_pylist()
    for row in (0, 7, 150, 399):
        one = rr.person(statistics, texts[row], **options)
        assert found["risk"][row].as_py() == pytest.approx(one.risk, rel=1e-12)
        assert found["expected_crowd"][row].as_py() == pytest.approx(one.expected_crowd, rel=1e-12)
        for k in (2, 5, 50):
            alone = one.k_indistinguishable[k]
            assert found[f"k{k}"][row].as_py() == pytest.approx(alone, rel=1e-12, abs=1e-12)


def test_more_attributes_than_laws_of_whole_counts_could_be_tried(tmp_path: Path) -> None:
    """Nine and more counts with fractions, in one tuple or in several."""
    names = [f"attribute {place}" for place in range(10)]
    draws = np.random.default_rng(3)
    columns = {name: draws.integers(0, 3, 60).astype(str).tolist() for name in names}
    table = rr.read(columns, columns=names)
    statistics = rr.publish(table, unprotected=True, population=1001)
    done = rr.people(statistics, table, tmp_path / "scores.parquet", crowds=[2])
    assert (done.rows, done.without_answer) == (60, 0)


def test_a_law_for_each_different_tuple_and_progress_within_a_block(
    sampled: tuple[rr.Table, Statistics], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, statistics = sampled
    scored, told = people_module.scored, list[tuple[str, int, int]]()
    asked = 0

    def counted(known: object, codes: np.ndarray, *rest: object) -> object:
        nonlocal asked
        asked += len(codes)
        return scored(known, codes, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(people_module, "scored", counted)
    monkeypatch.setattr(people_module, "FEW_TUPLES", 8)
    rr.people(statistics, table, tmp_path / "scores.csv", progress=lambda *each: told.append(each))
    different = len(
        {
            tuple(row.values())
            for row in table.engine.texts_of_each(list(table.columns)).read_all().to_pylist()
        }
    )
    assert asked <= different * 1.5
    done = [done for what, done, _ in told if what == people_module.WORK]
    assert len(done) > 3
    assert done == sorted(done)
    assert done[-1] == 400
