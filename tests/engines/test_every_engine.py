"""One suite, every engine: each question's answer equals the plain engine's."""

from __future__ import annotations

import math
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import reidrisk as rr
from reidrisk.records.contract import Engine
from reidrisk.records.memory import pair_counts
from reidrisk.records.sql import remote_columns
from tests.engines.agreeing import KEY, check, people_per_size
from tests.engines.tables import Drawn, everything, tables
from tests.places import sqlite
from tests.places.cluster import Cluster
from tests.places.postgres import Postgres
from tests.truth.plain_engine import PlainEngine

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


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("engine", ENGINES)
@given(drawn=tables(), data=st.data())
def test_rows_are_people(drawn: Drawn, engine: str, form: str, data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        check(drawn, engine_of(drawn, engine, form, folder), data)


@pytest.mark.parametrize("form", ["memory", "parquet"])
@pytest.mark.parametrize("engine", ENGINES)
@given(drawn=tables("counts"), data=st.data())
def test_rows_are_counts(drawn: Drawn, engine: str, form: str, data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        check(drawn, engine_of(drawn, engine, form, folder), data)


@pytest.mark.parametrize("form", ["memory", "csv"])
@pytest.mark.parametrize("engine", ENGINES)
@given(drawn=tables("rows of persons"), data=st.data())
def test_a_person_has_several_rows(
    drawn: Drawn, engine: str, form: str, data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        check(drawn, engine_of(drawn, engine, form, folder), data)


@pytest.mark.parametrize("rows", ["people", "counts"])
@pytest.mark.parametrize("engine", ENGINES)
@given(data=st.data())
def test_an_empty_cell_matches_anything(engine: str, rows: str, data: st.DataObject) -> None:
    drawn = data.draw(tables(rows, "wildcard"))
    check(drawn, engine_of(drawn, engine, "memory", ""), data)


# What rows are, and what an empty cell means.
KINDS_OF_TABLES = [
    ("people", "own"), ("counts", "own"), ("rows of persons", "own"),
    ("people", "wildcard"), ("counts", "wildcard"),
]  # fmt: skip


def keyed(drawn: Drawn) -> tuple[pa.Table, dict[str, object]]:
    """The table with a column that names its records, and the options to read it."""
    rows = pa.array(range(1, drawn.written.num_rows + 1))
    named = {} if "person" in drawn.options else {"key": KEY}
    return drawn.written.append_column(KEY, rows), drawn.options | named


@pytest.mark.parametrize(("rows", "missing"), KINDS_OF_TABLES)
@given(data=st.data())
def test_postgresql(postgres: Postgres, rows: str, missing: str, data: st.DataObject) -> None:
    drawn = data.draw(tables(rows, missing))
    table, options = keyed(drawn)
    postgres.write("drawn", table)
    with closing_read(postgres.address, table_name="drawn", **options) as asked:
        check(drawn, asked, data)


@pytest.mark.parametrize(("rows", "missing"), KINDS_OF_TABLES)
@given(data=st.data())
def test_sqlite(rows: str, missing: str, data: st.DataObject) -> None:
    pytest.importorskip("sqlalchemy", reason="pip install 'reidrisk[database]'")
    drawn = data.draw(tables(rows, missing))
    table, options = keyed(drawn)
    with tempfile.TemporaryDirectory() as folder:
        address = sqlite.write(Path(folder) / "drawn.db", "drawn", table)
        with closing_read(address, table_name="drawn", **options) as asked:
            check(drawn, asked, data)


@pytest.mark.parametrize(("rows", "missing"), KINDS_OF_TABLES)
@settings(max_examples=2, phases=[Phase.generate])
@given(data=st.data())
def test_spark(cluster: Cluster, rows: str, missing: str, data: st.DataObject) -> None:
    """Few examples: every question is a job of a cluster."""
    drawn = data.draw(tables(rows, missing))
    table, options = keyed(drawn)
    with tempfile.TemporaryDirectory() as folder:
        pq.write_table(table, Path(folder) / "drawn.parquet", row_group_size=7)
        asked = rr.read(Path(folder) / "drawn.parquet", engine=cluster.address, **options).engine
        check(drawn, asked, data)


def check_sensitive(drawn: Drawn, asked: Engine) -> None:
    """Sensitive columns are counted, and part no crowds."""
    known, every = list(asked.options.columns), drawn.names
    assert people_per_size(asked.crowd_sizes()) == drawn.truth.people_per_size(known)
    assert asked.coded_tuples(every).counts == drawn.truth.tuple_table(every)
    for name in every:
        counted = asked.marginal(name)
        held = dict(zip(counted.values, counted.counts.tolist(), strict=True))
        empty = {None: counted.missing} if counted.missing else {}
        assert held | empty == drawn.truth.marginal(name)


def with_sensitive(drawn: Drawn, options: dict[str, object]) -> dict[str, object]:
    return options | {"columns": drawn.names[:-1], "sensitive": drawn.names[-1]}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("rows", ["people", "counts"])
@given(data=st.data())
def test_sensitive_columns_are_counted_beside(engine: str, rows: str, data: st.DataObject) -> None:
    drawn = data.draw(tables(rows).filter(_has_sensitive))
    said = {"delimiter": ",", "decimal": ".", "engine": engine}
    asked = rr.read(drawn.written, **with_sensitive(drawn, drawn.options), **said).engine
    check_sensitive(drawn, asked)


def _has_sensitive(drawn: Drawn) -> bool:
    """A column beside the last one, with something in it."""
    known = drawn.names[:-1]
    return any(any(cell is not None for cell in row) for row in drawn.truth.rows(known) if known)


ELSEWHERE = ["sqlite", "postgresql", "spark", "spark csv"]


@pytest.mark.parametrize("place", ELSEWHERE)
def test_sensitive_columns_are_counted_elsewhere(
    place: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    drawn = everything()
    table, options = keyed(drawn)
    with (
        placed(place, request, table, str(tmp_path)) as where,
        closing_read(**where, **with_sensitive(drawn, options)) as asked,
    ):
        check_sensitive(drawn, asked)


@pytest.mark.parametrize("place", ELSEWHERE)
@settings(max_examples=1, phases=[Phase.generate])
@given(data=st.data())
def test_every_odd_value_and_name_elsewhere(
    place: str, request: pytest.FixtureRequest, data: st.DataObject
) -> None:
    """All that has tripped engines up in one table: values, names, empty cells."""
    drawn = everything()
    table, options = keyed(drawn)
    with (
        tempfile.TemporaryDirectory() as folder,
        placed(place, request, table, folder) as where,
        closing_read(**where, **options) as asked,
    ):
        check(drawn, asked, data)


@pytest.mark.parametrize("place", ELSEWHERE)
@settings(max_examples=2, phases=[Phase.generate])
@given(data=st.data())
def test_too_many_values_to_label_one_by_one(
    place: str, request: pytest.FixtureRequest, data: st.DataObject
) -> None:
    """Then the text form is worked out in SQL, by each dialect's regular expressions."""
    drawn = everything()
    table, options = keyed(drawn)
    with (
        pytest.MonkeyPatch.context() as few,
        tempfile.TemporaryDirectory() as folder,
        placed(place, request, table, folder) as where,
    ):
        few.setattr(remote_columns, "MANY_VALUES", 3)
        with closing_read(**where, **options) as asked:
            assert all(asked._columns[name].marginal is None for name in drawn.names)
            check(drawn, asked, data)


@contextmanager
def placed(
    place: str, request: pytest.FixtureRequest, table: pa.Table, folder: str
) -> Iterator[dict[str, object]]:
    """Put a table somewhere; what `rr.read` is told to find it."""
    if place == "sqlite":
        pytest.importorskip("sqlalchemy", reason="pip install 'reidrisk[database]'")
        address = sqlite.write(Path(folder) / "placed.db", "placed", table)
        yield {"table": address, "table_name": "placed"}
    elif place == "postgresql":
        postgres = request.getfixturevalue("postgres")
        postgres.write("placed", table)
        yield {"table": postgres.address, "table_name": "placed"}
    else:
        path = Path(folder) / f"placed.{'csv' if 'csv' in place else 'parquet'}"
        (arrow_csv.write_csv if "csv" in place else pq.write_table)(table, path)
        yield {"table": path, "engine": request.getfixturevalue("cluster").address}


@contextmanager
def closing_read(table: object, **options: object) -> Iterator[Engine]:
    """The engine behind a table elsewhere; its connection is closed, so the table can go."""
    asked = rr.read(table, **options).engine
    try:
        yield asked
    finally:
        asked._session.close()


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
    asked = rr.read(table, columns=table.column_names, engine=engine).engine
    found = asked.crowd_sizes()
    assert dict(zip(found.sizes.tolist(), found.crowds.tolist(), strict=True)) == dict(truth)
    texts = Counter(tuple(map(str, row)) for row in rows.tolist())
    assert asked.coded_tuples(table.column_names).counts == texts


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


def wide_table(rows: int) -> tuple[pa.Table, list[str]]:
    """Columns of 2 to `rows` values: cubes of many columns, of two, and pairs to be sorted."""
    rng = np.random.default_rng(3)
    columns = {}
    for k in (2, 2, 3, 4, 7, 12, 40, 300, 1000, rows, rows):
        codes = rng.integers(0, k, rows)
        gaps = rng.random(rows) < 0.1
        columns[f"ä{len(columns)}"] = pa.array([f"ü{c}" for c in codes], mask=gaps)
    return pa.table({**columns, "people": rng.integers(0, 3, rows)}), list(columns)


@pytest.mark.parametrize("count", [None, "people"])
@pytest.mark.parametrize("engine", ENGINES)
def test_pairs_narrow_and_wide(
    engine: str, count: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, names = wide_table(3000)
    for limit, few in (("MOST_CELLS", 500), ("FEW_CELLS", 1 << 10), ("BATCH_CELLS", 9000)):
        monkeypatch.setattr(pair_counts, limit, few)
    monkeypatch.setattr(pair_counts, "BLOCK", 700)
    monkeypatch.setattr(pair_counts, "SEVERAL_BLOCKS", 1400)
    heard: list[tuple[int, int]] = []
    pairs = list(combinations(names, 2))
    asked = rr.read(
        table, columns=names, count=count, engine=engine, threads=2,
        progress=lambda what, done, total: what == "counting pairs" and heard.append((done, total)),
    ).engine  # fmt: skip
    held = table.column("people").to_pylist() if count else None
    truth = PlainEngine({name: table.column(name).to_pylist() for name in names}, "own", held)
    wanted = truth.pair_tables(pairs)
    assert [each.counts for each in asked.pair_tables(pairs)] == wanted
    assert {total for _, total in heard} == {len(pairs)}
    assert len(pairs) - 1 <= max(heard)[0] <= len(pairs)
    sizes = [rr.CrowdSizes.of(list(cells.values())) for cells in wanted]
    assert list(asked.pair_crowd_sizes(pairs)) == sizes


def test_people_too_many_for_floating_point() -> None:
    """2^53 + 1 is the first whole number that bincount's weights lose."""
    table = {"a": ["x", "x"], "b": ["y", "y"], "people": [2**53 - 1, 2]}
    for engine in ENGINES:
        asked = rr.read(table, columns=["a", "b"], count="people", engine=engine).engine
        assert next(asked.pair_tables([("a", "b")])).counts == {("x", "y"): 2**53 + 1}


def test_cubes_hold_every_pair_once() -> None:
    rng = np.random.default_rng(5)
    sizes = {f"c{i}": int(k) for i, k in enumerate(rng.integers(1, 60, 25))}
    pairs = {frozenset(pair) for pair in combinations(sizes, 2)}
    plan = pair_counts.covering(pairs, sizes, 4000)
    taken = [pair for _, wanted in plan for pair in wanted]
    assert sorted(map(sorted, taken)) == sorted(map(sorted, pairs))
    for axes, wanted in plan:
        assert all(pair <= set(axes) for pair in wanted)
        assert len(axes) == 2 or math.prod(sizes[axis] for axis in axes) <= 4000
    eight = {frozenset(pair) for pair in combinations("abcdefgh", 2)}
    assert len(pair_counts.covering(eight, dict.fromkeys("abcdefgh", 2), 256)) == 1


def test_one_row_is_a_table() -> None:
    for engine in ENGINES:
        crowds = rr.read({"age": [39]}, columns=["age"], engine=engine).engine.crowd_sizes()
        assert (crowds.people, crowds.alone.people) == (1, 1)
