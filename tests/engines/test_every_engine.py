"""One suite, every engine: each question's answer equals the plain engine's."""

from __future__ import annotations

import math
import tempfile
from collections import Counter
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reidrisk as rr
from reidrisk.engines import cubes, pairing
from tests.engines.tables import Drawn, tables
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
        coded = asked.coded_tuples(some)
        assert (coded.columns, coded.rows >= 1) == (tuple(some), True)
        assert all(c.max() < k for c, k in zip(coded.codes, coded.cardinalities, strict=True))
        if truth.missing == "own" and truth.person is None:
            assert coded.total == sum(truth.people_per_size(some).values())
            held: Counter[tuple[int, ...]] = Counter()
            people = np.ones(coded.rows, int) if coded.people is None else coded.people
            for row, number in zip(zip(*coded.codes, strict=True), people.tolist(), strict=True):
                held[row] += number
            sizes: Counter[int] = Counter()
            for size in held.values():
                sizes[size] += size
            assert {s: n for s, n in sizes.items() if s} == truth.people_per_size(some)
        for name in drawn.names:
            found = asked.marginal(name)
            counted = dict(zip(found.values, found.counts.tolist(), strict=True))
            if found.missing:
                counted[None] = found.missing
            assert counted == truth.marginal(name)
        # In any order, the same one twice, and both ways round.
        ways = list(permutations(drawn.names, 2))
        pairs = data.draw(st.lists(st.sampled_from(ways), max_size=9)) if ways else []
        wanted = truth.pair_tables(pairs)
        found_tables = list(asked.pair_tables(pairs))
        assert [each.of for each in found_tables] == pairs
        assert [each.counts for each in found_tables] == wanted
        assert [each.distinct for each in found_tables] == [len(cells) for cells in wanted]
        sizes = [rr.CrowdSizes.of(list(cells.values())) for cells in wanted]
        assert [each.crowd_sizes for each in found_tables] == sizes
        assert list(asked.pair_crowd_sizes(pairs)) == sizes
        assert coded.counts == truth.tuple_table(some)
        texts = asked.texts_of_each(some).read_all()
        assert texts.column_names == some
        assert [tuple(row.values()) for row in texts.to_pylist()] == truth.rows(some)
        row = data.draw(st.sampled_from(truth.rows(some) or [(None,) * len(some)]))
        person = dict(zip(some, row, strict=True)) | data.draw(
            st.sampled_from([{}, {some[0]: "¬"}])
        )
        assert asked.people_with(person) == truth.people_with(person)
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
        monkeypatch.setattr(pairing, limit, few)
    monkeypatch.setattr(cubes, "BLOCK", 700)
    monkeypatch.setattr(pairing, "SEVERAL_BLOCKS", 1400)
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
    plan = cubes.covering(pairs, sizes, 4000)
    taken = [pair for _, wanted in plan for pair in wanted]
    assert sorted(map(sorted, taken)) == sorted(map(sorted, pairs))
    for axes, wanted in plan:
        assert all(pair <= set(axes) for pair in wanted)
        assert len(axes) == 2 or math.prod(sizes[axis] for axis in axes) <= 4000
    eight = {frozenset(pair) for pair in combinations("abcdefgh", 2)}
    assert len(cubes.covering(eight, dict.fromkeys("abcdefgh", 2), 256)) == 1


def test_one_row_is_a_table() -> None:
    for engine in ENGINES:
        crowds = rr.read({"age": [39]}, columns=["age"], engine=engine).engine.crowd_sizes()
        assert (crowds.people, crowds.alone.people) == (1, 1)
