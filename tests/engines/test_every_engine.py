"""One suite, every engine: each question's answer equals the plain engine's."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reidrisk as rr
from tests.engines.tables import Drawn, tables

ENGINES = ["codes", "duckdb"]
FORMS = ["memory", "parquet", "csv"]


def engine_of(drawn: Drawn, engine: str, form: str, folder: str, threads: int = 2):
    """The drawn table behind an engine, in memory or through a file."""
    table: object = drawn.written
    if form == "parquet":
        table = Path(folder) / "table.parquet"
        pq.write_table(drawn.written, table, row_group_size=7)
    if form == "csv":
        table = Path(folder) / "table.csv"
        arrow_csv.write_csv(drawn.written, table)
    # A file this small says too little about its dialect; the text is what is tested here.
    said = {"delimiter": ",", "decimal": "."}
    return rr.read(table, engine=engine, threads=threads, **said, **drawn.options).engine


def people_per_size(crowds) -> dict[int, int]:
    held = zip(crowds.sizes.tolist(), (crowds.sizes * crowds.crowds).tolist(), strict=True)
    return {size: round(people) for size, people in held}


def check(drawn: Drawn, engine: str, form: str, data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asked, truth = engine_of(drawn, engine, form, folder), drawn.truth
        assert people_per_size(asked.crowd_sizes()) == truth.people_per_size()
        some = data.draw(st.lists(st.sampled_from(drawn.names), min_size=1, unique=True))
        assert people_per_size(asked.crowd_sizes(some)) == truth.people_per_size(some)
        each = asked.crowd_of_each(some).read_all().column("crowd").to_pylist()
        assert each == truth.crowd_of_each(some)
        for name in drawn.names:
            found = asked.marginal(name)
            counted = dict(zip(found.values, found.counts.tolist(), strict=True))
            if found.missing:
                counted[None] = found.missing
            assert counted == truth.marginal(name)
        first, second = some[0], drawn.names[-1]
        assert asked.pair_table(first, second).counts == truth.pair_table(first, second)
        drawn_rows = asked.sample(5, seed=3)
        wanted = Counter(truth.rows())
        got = Counter(tuple(row[n] for n in drawn.names) for row in drawn_rows.to_pylist())
        assert not got - wanted
        assert sum(got.values()) == min(5, len(truth.rows()))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("engine", ENGINES)
@given(drawn=tables(), data=st.data())
def test_rows_are_people(drawn: Drawn, engine: str, form: str, data: st.DataObject) -> None:
    check(drawn, engine, form, data)


@pytest.mark.parametrize("form", ["memory", "parquet"])
@pytest.mark.parametrize("engine", ENGINES)
@given(drawn=tables("counts"), data=st.data())
def test_rows_are_counts(drawn: Drawn, engine: str, form: str, data: st.DataObject) -> None:
    check(drawn, engine, form, data)


@pytest.mark.parametrize("form", ["memory", "csv"])
@pytest.mark.parametrize("engine", ENGINES)
@given(drawn=tables("rows of persons"), data=st.data())
def test_a_person_has_several_rows(
    drawn: Drawn, engine: str, form: str, data: st.DataObject
) -> None:
    check(drawn, engine, form, data)


@pytest.mark.parametrize("rows", ["people", "counts"])
@pytest.mark.parametrize("engine", ENGINES)
@given(data=st.data())
def test_an_empty_cell_matches_anything(engine: str, rows: str, data: st.DataObject) -> None:
    check(data.draw(tables(rows, "wildcard")), engine, "memory", data)


@given(data=st.data())
def test_engines_give_the_same_object(data: st.DataObject) -> None:
    """Not only the same figures: the same kind of histogram, whether or not a cell is empty."""
    rows = data.draw(st.sampled_from(["people", "counts"]))
    drawn = data.draw(tables(rows, data.draw(st.sampled_from(["own", "wildcard"]))))
    one, other = (engine_of(drawn, engine, "memory", "").crowd_sizes() for engine in ENGINES)
    assert one == other


@pytest.mark.parametrize("engine", ENGINES)
def test_packed_keys_that_overflow(engine: str) -> None:
    """Twelve columns of 300 values each: 2^98 possible tuples, more than 64 bits hold."""
    rng = np.random.default_rng(1)
    base = rng.integers(0, 300, size=(400, 12))
    rows = base[rng.integers(0, 400, size=1000)]
    rows[0] = 0
    rows[1], rows[1, 3] = 0, 1
    table = pa.table({f"c{j}": rows[:, j].astype(str).tolist() for j in range(12)})
    truth = Counter(Counter(map(tuple, rows.tolist())).values())
    found = rr.read(table, columns=table.column_names, engine=engine).engine.crowd_sizes()
    assert dict(zip(found.sizes.tolist(), found.crowds.tolist(), strict=True)) == dict(truth)


def test_many_rows_on_several_cores() -> None:
    """Long enough that the work is split over threads, with and without people per row."""
    rng = np.random.default_rng(2)
    rows = 250_000
    columns = {f"c{k}": rng.integers(0, k, rows) for k in (7, 300, 5000, 90_000)}
    columns["c90000"] = columns["c90000"] // 50
    key = sum(v.astype(object) * 10 ** (6 * i) for i, v in enumerate(columns.values()))
    each = np.unique(key, return_counts=True)[1]
    count = rng.integers(0, 3, rows)
    table = pa.table({**columns, "people": count})
    one = rr.read(table, columns=list(columns), threads=1).engine.crowd_sizes()
    many = rr.read(table, columns=list(columns), threads=3).engine.crowd_sizes()
    assert one == many
    assert one == rr.CrowdSizes.of(each)
    weighed = rr.read(table, columns=list(columns), count="people", threads=3).engine
    assert weighed.crowd_sizes().people == count.sum()
    held = np.zeros(len(each), dtype=np.int64)
    np.add.at(held, np.unique(key, return_inverse=True)[1], count)
    assert weighed.crowd_sizes() == rr.CrowdSizes.of(held)


def test_one_row_is_a_table() -> None:
    for engine in ENGINES:
        crowds = rr.read({"age": [39]}, columns=["age"], engine=engine).engine.crowd_sizes()
        assert (crowds.people, crowds.alone.people) == (1, 1)
