"""Minimal unique sets: against loops, on Adult, and as a file."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reidrisk as rr
from reidrisk.attacks import minimal_uniques
from reidrisk.errors import InputError
from reidrisk.records.memory.packing import Keys
from tests.attacks import oracles
from tests.engines.tables import Drawn, tables

any_table = st.one_of([tables(kind, missing) for kind in ("people", "counts")
                       for missing in ("own", "wildcard")])  # fmt: skip


@given(any_table, st.integers(1, 4))
def test_against_loops(drawn: Drawn, up_to: int) -> None:
    up_to = min(up_to, len(drawn.names))
    found = rr.unique_sets(rr.read(drawn.written, **drawn.options), up_to=up_to)
    truth = oracles.minimal_sets(drawn.truth, drawn.names, up_to)
    for row, sets in enumerate(truth):
        assert set(found.of(row + 1)) == sets
    assert found.sets == sum(map(len, truth))
    assert found.people == sum(map(bool, truth))
    assert found.sets_of_each().tolist() == [len(sets) for sets in truth]
    smallest = [min(map(len, sets), default=0) for sets in truth]
    assert found.smallest_of_each().tolist() == smallest
    for size, held in found.by_size().items():
        assert held["sets"] == sum(len(each) == size for sets in truth for each in sets)
        assert held["people"] == smallest.count(size)


@given(st.lists(st.integers(0, 30), min_size=1, max_size=40), st.sampled_from([31, 10**6, 2**62]))
def test_keys_that_occur_once(keys: list[int], span: int) -> None:
    """By tally, by sorting keys with their rows, and by sorting places, where keys are wide."""
    once = [at for at, key in enumerate(keys) if keys.count(key) == 1]
    assert minimal_uniques._once(Keys(np.array(keys, dtype=np.int64), span)).tolist() == once


def test_adult(shared_data: Path) -> None:
    table = rr.read(shared_data / "adult" / "adult_arx.parquet")
    found = rr.unique_sets(table)
    assert (found.sets, found.people, len(table.columns)) == (16_096, 6_240, 9)
    crowds = {}
    for size in range(4):
        for view in combinations(table.columns, size):
            each = table.engine.crowd_of_each(view).read_all() if view else None
            crowds[view] = each.column("crowd").to_numpy() if each else np.full(30_162, 30_162)
    for view, rows in found.found:
        assert (crowds[view][rows] == 1).all()
        for smaller in combinations(view, len(view) - 1):
            assert (crowds[smaller][rows] > 1).all()


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_the_file(tmp_path: Path, kind: str) -> None:
    rows = {"age": [1, 1, 2, 2, 3], "sex": ["f", "m", "m", "m", "f"], "who": list("vwxyz")}
    table = rr.read(rows, columns=["age", "sex"])
    found = rr.unique_sets(table)
    path = tmp_path / f"sets.{kind}"
    rr.write_unique_sets(found, path)
    written = pq.read_table(path) if kind == "parquet" else pa.csv.read_csv(path)
    assert written.column_names == [
        "row", "sets", "smallest", "minimal_sets", "matters_most", "share_age", "share_sex"
    ]  # fmt: skip
    assert written["row"].to_pylist() == [1, 2, 3, 4, 5]
    assert written["sets"].to_pylist() == [1, 1, 0, 0, 1]
    assert written["smallest"].to_pylist() == [2, 2, None, None, 1]
    texts = [text or None for text in written["minimal_sets"].to_pylist()]
    assert texts == ["age+sex", "age+sex", None, None, "age"]
    assert written["share_sex"].to_pylist() == [1, 1, None, None, 0]
    names = rr.read(rows, columns=["who"])
    rr.write_unique_sets(found, path, names=names)
    written = pq.read_table(path) if kind == "parquet" else pa.csv.read_csv(path)
    assert written["who"].to_pylist() == list("vwxyz")
    with pytest.raises(InputError, match="named by one column of the same 5 rows"):
        rr.write_unique_sets(found, path, names=rr.read({"a": ["x"] * 3}, columns=["a"]))


def test_the_file_over_several_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from reidrisk.attacks import minimal_uniques

    table = rr.read(rr.city(700), columns=["county", "age", "sex", "occupation"])
    found = rr.unique_sets(table)
    monkeypatch.setattr(minimal_uniques, "BATCH", 64)
    rr.write_unique_sets(found, tmp_path / "sets.parquet")
    written = pq.read_table(tmp_path / "sets.parquet").to_pylist()
    assert len(written) == 700
    for row in written:
        sets = [tuple(each.split("+")) for each in (row["minimal_sets"] or "").split("; ") if each]
        assert tuple(sets) == found.of(row["row"])
        shares = {
            name: sum(name in each for each in sets) / len(sets) if sets else None
            for name in table.columns
        }
        assert {name: row[f"share_{name}"] for name in table.columns} == pytest.approx(shares)
        if sets:
            assert shares[row["matters_most"]] == max(shares.values())


def test_nobody_is_alone(tmp_path: Path) -> None:
    found = rr.unique_sets({"a": ["x", "x"], "b": ["y", "y"]})
    assert (found.sets, found.people) == (0, 0)
    assert "0 people of 2" in str(found)
    rr.write_unique_sets(found, tmp_path / "sets.csv")
    assert (tmp_path / "sets.csv").read_text().count("\n") == 3


def test_too_many_views() -> None:
    table = rr.read({name: [0, 1] for name in "abcdefgh"}, columns=list("abcdefgh"))
    with pytest.raises(InputError, match="are 92 combinations, and at most 50"):
        rr.unique_sets(table, view_limit=50)
