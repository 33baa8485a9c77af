"""Held records: every view of them is what reading the file that way gives."""

from __future__ import annotations

import gzip
import pickle
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reidrisk as rr
from reidrisk.errors import InputError, UnusableColumn
from reidrisk.records.memory.held_records import hold
from reidrisk.records.read_options import ReadOptions

CELLS = st.sampled_from(["1", "2", "13", "27", "", "x"])
ROWS = st.lists(st.tuples(CELLS, CELLS, st.integers(0, 3)), min_size=1, max_size=30)


@given(
    rows=ROWS,
    columns=st.permutations(["a", "b"]),
    few=st.booleans(),
    how=st.sampled_from([{}, {"bands": {"a": 5}}, {"levels": {"b": 1}}, {"decimals": {"a": 0}}]),
    missing=st.sampled_from(["own", "wildcard"]),
    count=st.sampled_from([None, "n"]),
)
def test_a_view_is_what_reading_gives(
    rows: list[Any], columns: list[str], few: bool, how: dict[str, Any], missing: str, count: Any
) -> None:
    names = columns[:1] if few else columns
    how = {option: {k: v for k, v in each.items() if k in names} for option, each in how.items()}
    table = pa.table(
        {
            "a": [row[0] for row in rows],
            "b": [row[1] for row in rows],
            "n": [row[2] for row in rows],
        }
    )
    options: dict[str, Any] = {**how, "missing": missing, "count": count}
    try:
        read = rr.read(table, columns=names, **options)
    except InputError as error:
        with pytest.raises(type(error), match=re.escape(str(error))):
            hold(table).view(names, **options)
        return
    seen = hold(table).view(names, **options)
    assert seen.engine.crowd_sizes() == read.engine.crowd_sizes()
    assert seen.people == read.people
    assert seen.columns == read.columns
    assert seen.engine.options.recoding == read.engine.options.recoding


def test_the_file_isn_t_needed_again(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("age,sex\n39,f\n39,f\n40,m\n")
    digest = rr.read(path).sha256
    held = hold(path)
    path.unlink()
    view = held.view(["age", "sex"])
    assert view.sha256 == digest
    assert rr.measure(view).alone.people == 1
    assert pickle.loads(pickle.dumps(held)).view(["age"]).people == 3
    assert "people.csv" in repr(view)


def test_measurements_are_held_and_refused_as_they_are() -> None:
    held = hold(pa.table({"income": [1.5, 2.5, 7.25], "sex": ["f", "m", "f"]}))
    with pytest.raises(UnusableColumn, match="fractions"):
        held.view(["income"])
    assert held.view(["income"], bands={"income": "5"}).people == 3


def test_lists_are_named_and_refused() -> None:
    held = hold(pa.table({"tags": [["a"], ["b"]], "sex": ["f", "m"]}))
    assert held.names == ("tags", "sex")
    with pytest.raises(UnusableColumn, match="lists"):
        held.view(["tags"])


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "parquet"])
def test_memory_is_thought_of_before_reading(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"long.{kind}"
    text = b"a,b\n" + b"1,2\n" * 100_000
    if kind == "parquet":
        pq.write_table(pa.table({"a": [1] * 100_000, "b": [2] * 100_000}), path)
    else:
        path.write_bytes(gzip.compress(text) if kind.endswith("gz") else text)
    with pytest.raises(InputError, match="more rows than memory"):
        hold(path, ReadOptions(memory_limit=201_000_000, threads=1))
    enough = ReadOptions(memory_limit=250_000_000, threads=1)
    assert hold(path, enough).records == 100_000
