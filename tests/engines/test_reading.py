"""Reading: dialects found out, formats that agree, options on records."""

from __future__ import annotations

import bz2
import datetime
import gzip
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pyreadstat
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reidrisk as rr
from reidrisk.errors import InputError, UnusableColumn
from reidrisk.records.files.opening import open_source
from reidrisk.records.recoding import parsed_bands, parsed_decimals, parsed_digits

PEOPLE = {
    "postcode": ["01234", "01234", "56789", None, "01234", "56789"],
    "age": [39, 39, 40, 7, 39, 40],
    "born": [datetime.date(1984, 3, 1 + i % 2) for i in range(6)],
    "member": [True, True, False, None, True, False],
}
MARGINALS = {
    "postcode": {"01234": 3, "56789": 2, None: 1},
    "age": {"39": 3, "40": 2, "7": 1},
    "born": {"1984-03-01": 3, "1984-03-02": 3},
    "member": {"true": 3, "false": 2, None: 1},
}


def marginals(table: Any, **options: Any) -> dict[str, dict[str | None, int]]:
    engine = rr.read(table, columns=list(PEOPLE), **options).engine
    found = {}
    for name in PEOPLE:
        marginal = engine.marginal(name)
        found[name] = dict(zip(marginal.values, marginal.counts.tolist(), strict=True))
        found[name] |= {None: marginal.missing} if marginal.missing else {}
    return found


def write(folder: Path, kind: str) -> Any:
    table = pa.table(PEOPLE)
    path = folder / f"people.{kind}"
    frame = table.to_pandas()
    if kind in ("csv", "csv.gz", "csv.zst", "csv.bz2", "tsv"):
        options = arrow_csv.WriteOptions(delimiter="\t" if kind == "tsv" else ",")
        arrow_csv.write_csv(table, folder / "plain", options)
        raw = (folder / "plain").read_bytes()
        (folder / "plain").unlink()
        if kind == "csv.gz":
            raw = gzip.compress(raw)
        if kind == "csv.bz2":
            raw = bz2.compress(raw)
        if kind == "csv.zst":
            raw = bytes(pa.Codec("zstd").compress(raw))
            with pa.CompressedOutputStream(pa.OSFile(str(path), "wb"), "zstd") as out:
                arrow_csv.write_csv(table, out)
            return path
        path.write_bytes(raw)
    elif kind == "parquet":
        pq.write_table(table, path)
    elif kind == "arrow":
        feather.write_feather(table, path, compression="uncompressed")
    elif kind == "arrows":
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as out:
            out.write_table(table)
    elif kind == "jsonl":
        frame.to_json(path, orient="records", lines=True, date_format="iso", date_unit="s")
    elif kind == "xlsx":
        book = openpyxl.Workbook()
        for row in [table.column_names, *table.to_pylist()]:
            book.active.append(list(row.values()) if isinstance(row, dict) else row)
        book.save(path)
    elif kind == "dta":
        coded = frame.assign(member=frame["member"].map({True: "true", False: "false"}).fillna(""))
        pyreadstat.write_dta(coded.fillna({"postcode": ""}), str(path))
    elif kind in ("sav", "xpt"):
        coded = frame.assign(member=frame["member"].map({True: "true", False: "false"}).fillna(""))
        write_file = pyreadstat.write_sav if kind == "sav" else pyreadstat.write_xport
        write_file(coded.fillna({"postcode": ""}), str(path))
    elif kind == "pandas":
        return frame
    elif kind == "pandas objects":
        return frame.astype(object).assign(age=[39, 39.0, " 40", Decimal(7), "39", np.int8(40)])
    elif kind == "polars":
        return pl.from_arrow(table)
    elif kind == "lazy polars":
        return pl.from_arrow(table).lazy()
    elif kind == "dictionary":
        return pa.table({n: pa.array(v).dictionary_encode() for n, v in PEOPLE.items()})
    elif kind == "batch":
        return table.to_batches()[0]
    elif kind == "mapping":
        return PEOPLE
    return path


KINDS = ["csv", "tsv", "csv.gz", "csv.zst", "csv.bz2", "parquet", "arrow", "arrows", "jsonl",
         "xlsx", "dta", "sav", "xpt", "pandas", "pandas objects", "polars", "lazy polars",
         "dictionary", "batch", "mapping"]  # fmt: skip


@pytest.mark.parametrize("engine", ["codes", "duckdb"])
@pytest.mark.parametrize("kind", KINDS)
def test_one_table_gives_one_answer(tmp_path: Path, kind: str, engine: str) -> None:
    table = write(tmp_path, kind)
    assert marginals(table, engine=engine) == MARGINALS
    read = rr.read(table, columns=list(PEOPLE), engine=engine)
    assert rr.measure(read).crowd_sizes == rr.CrowdSizes.of([2, 1, 1, 1, 1])


DIALECTS: dict[str, tuple[bytes, str]] = {
    "semicolon": ("name;größe\nx;1\ny,z;2\n".encode(), "delimiter ';', encoding utf-8"),
    "tab": (b"a\tb\n1\tx y, z\n", "delimiter tab, encoding utf-8"),
    "pipe": (b"a|b\n1|2\n", "delimiter '|', encoding utf-8"),
    "one column": (b"age\n39\n40\n", "delimiter ',', encoding utf-8"),
    "windows": ("a;b\nMüller;1\n".encode("cp1252"), "delimiter ';', encoding cp1252"),
    "byte-order mark": ("a,b\nü,1\n".encode("utf-8-sig"), "delimiter ',', encoding utf-8-sig"),
    "utf-16": ("a,b\nü,1\n".encode("utf-16"), "delimiter ',', encoding utf-16"),
    "decimal comma": (b"a;b\n1;2,5\n2;3\n", "delimiter ';', decimal comma, encoding utf-8"),
    "decimal point": (b"a;b\n1,5;2.5\n2;3\n", "delimiter ';', encoding utf-8"),
    "single quotes": (b"a,b\n'x, y','1'\n'z','2'\n", "delimiter ',', quote ', encoding utf-8"),
    "quoted commas": (b'a;b\n"x,y,z";1\n"p,q,r";2\n', "delimiter ';', encoding utf-8"),
    "carriage returns": (b"a,b\r\n1,2\r\n3,4\r\n", "delimiter ',', encoding utf-8"),
}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_dialects_are_found_out(tmp_path: Path, dialect: str) -> None:
    content, told = DIALECTS[dialect]
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    source = open_source(path)
    assert source.notes[0].partition(": ")[2] == told
    rows = content.decode(source.dialect.encoding).count("\n") - 1
    assert len(source.each_column(source.names, lambda _, c: list(c), 1, lambda *_: None)) == len(
        source.names
    )
    assert source.head(source.names, 10).num_rows == rows


def test_an_encoding_that_turns_out_late(tmp_path: Path) -> None:
    path = tmp_path / "late.csv"
    path.write_bytes(b"name,n\n" + b"ascii,1\n" * 200_000 + "Müller,2\n".encode("cp1252"))
    table = rr.read(path, columns=["name"])
    assert set(table.engine.marginal("name").values) == {"ascii", "Müller"}
    assert "cp1252" in open_and_read(path).notes[0]


def open_and_read(path: Path) -> Any:
    source = open_source(path)
    source.each_column(source.names, lambda _, chunks: list(chunks), 1, lambda *_: None)
    return source


@given(
    st.lists(st.text(st.sampled_from("ab\",\n\r;\t '\\"), max_size=6), min_size=2, max_size=40),
    st.integers(20, 200),
)
def test_two_parsers_agree_on_quoted_text(cells: list[str], block: int) -> None:
    """Arrow (with tiny blocks, so that values straddle them) and DuckDB read what Python wrote."""
    import csv
    import io
    import tempfile

    from reidrisk.records.files import csv_file

    rows = [(f"k{i}", cell, "x") for i, cell in enumerate(cells)]
    text = io.StringIO(newline="")
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows([("k", "v", "w"), *rows])
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_file, "BLOCK_BYTES", block)
        path = Path(folder) / "t.csv"
        path.write_bytes(text.getvalue().encode())
        for engine in ("codes", "duckdb"):
            read = rr.read(path, columns=["k", "v"], engine=engine, delimiter=",")
            pairs = next(read.engine.pair_tables([("k", "v")])).counts
            assert pairs == {(k, v.strip() or None): 1 for k, v, _ in rows}


@pytest.mark.parametrize("value", [";\r\n;", "a\r\nb", "\r\n\r\n"])
@pytest.mark.parametrize("block", range(20, 40))
def test_a_line_break_in_a_value_at_the_border_of_a_block(
    value: str, block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from reidrisk.records.files import csv_file

    monkeypatch.setattr(csv_file, "BLOCK_BYTES", block)
    path = tmp_path / "t.csv"
    held = [f"x{value}{i % 3}" for i in range(12)]
    lines = "".join(f'"k{i}","{text}"\r\n' for i, text in enumerate(held))
    path.write_bytes(("k,v\r\n" + lines).encode())
    for engine in ("codes", "duckdb"):
        found = rr.read(path, columns=["v"], engine=engine).engine.marginal("v")
        assert sorted(found.values) == sorted(set(held)), engine


def test_several_files_are_one_table(tmp_path: Path) -> None:
    pq.write_table(pa.table({"age": [39, 40], "sex": ["f", "m"]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"sex": ["f"], "age": ["39.0"]}), tmp_path / "b.parquet")
    for engine in ("codes", "duckdb"):
        table = rr.read(f"{tmp_path}/*.parquet", columns=["age", "sex"], engine=engine)
        assert rr.measure(table).crowd_sizes == rr.CrowdSizes.of([2, 1]), engine
    assert table.notes[0] == "2 files read as one table"


def test_a_column_is_seen_coarser() -> None:
    bands = parsed_bands("age", "5")
    assert [bands.label(text) for text in ("37", "0", "-3", "34.9", "x")] == [
        "35-39", "0-4", "-5 to -1", "30-34", None,
    ]  # fmt: skip
    assert parsed_bands("x", "0.5").label("0.7") == "[0.5-1)"
    assert parsed_bands("age", "1").label("37.2") == "37"
    years = parsed_bands("born", "10y")
    assert [years.label(text) for text in ("1984-03-01", "1984-02-30", "1984")] == [
        "1980-1989", None, None,
    ]  # fmt: skip
    assert parsed_bands("born", "1m").label("1984-03-01T10:00:00") == "1984-03"
    assert parsed_bands("born", "3m").label("1984-03-01") == "1984-01 to 1984-03"
    assert parsed_bands("born", "1w").label("2026-11-15") == "2026-11-09 to 2026-11-15"
    assert parsed_bands("born", "1d").label("2026-11-15") == "2026-11-15"
    assert parsed_digits("postcode", "2").label("01234") == "01"
    assert parsed_decimals("x", "1").label("2.25") == "2.2"
    assert parsed_decimals("x", "0").label("-0.2") == "0"


@given(st.integers(-500, 500), st.integers(1, 50))
def test_a_band_holds_its_number(number: int, width: int) -> None:
    label = parsed_bands("x", str(width)).label(str(number))
    assert label is not None
    low, _, high = label.partition(" to ") if " to " in label else label.rpartition("-")
    if width == 1:
        assert label == str(number)
    else:
        assert int(low) <= number <= int(high)
        assert int(high) - int(low) == width - 1


@pytest.mark.parametrize("engine", ["codes", "duckdb"])
def test_coarser_columns_make_larger_crowds(engine: str) -> None:
    table = {"age": [31, 34, 36, None, "unknown"], "code": ["1234", "1299", "1300", "12", None]}
    read = rr.read(table, bands={"age": 5}, levels={"code": 2}, columns=["age", "code"],
                   engine=engine)  # fmt: skip
    found = read.engine.marginal("age")
    assert dict(zip(found.values, found.counts.tolist(), strict=True)) == {
        "30-34": 2, "35-39": 1, "unknown": 1,
    }  # fmt: skip
    assert sorted(read.engine.marginal("code").values) == ["12", "13"]
    assert read.warnings == (
        "age: 1 of its 4 values can't be recoded (in bands of 5) and stay as they are.",
    )
    assert read.engine.crowd_sizes() == rr.CrowdSizes.of([2, 1, 1, 1])


@pytest.mark.parametrize("engine", ["codes", "duckdb"])
def test_fractions_are_refused_unless_banded_or_rounded(engine: str) -> None:
    table = {"x": [1.5, 2.25, 2.2, None]}
    with pytest.raises(UnusableColumn, match=r"bands={'x': 10}"):
        rr.read(table, columns=["x"], engine=engine)
    banded = rr.read(table, columns=["x"], bands={"x": 1}, engine=engine)
    assert sorted(banded.engine.marginal("x").values) == ["1", "2"]
    rounded = rr.read(table, columns=["x"], decimals={"x": 1}, engine=engine)
    assert sorted(rounded.engine.marginal("x").values) == ["1.5", "2.2"]
    whole = rr.read({"x": [1.0, 2.0, None]}, columns=["x"], engine=engine)
    assert sorted(whole.engine.marginal("x").values) == ["1", "2"]


@pytest.mark.parametrize("engine", ["codes", "duckdb"])
def test_texts_that_count_as_empty(engine: str) -> None:
    table = {"x": ["?", "*", " ? ", "a", ""]}
    found = rr.read(table, columns=["x"], empty=["?", "*"], engine=engine).engine.marginal("x")
    assert (found.values, found.missing) == (("a",), 4)


@pytest.mark.parametrize("engine", ["codes", "duckdb"])
def test_weights_are_kept_aside(engine: str) -> None:
    table = {"x": ["a", "a", "b"], "w": [1.5, 2.5, 10]}
    read = rr.read(table, columns=["x"], weight="w", engine=engine)
    assert read.people == 3
    assert read.engine.weight_total == 14
    assert any("add up to 14 people" in said for said in rr.measure(read).envelope.assumptions)


@pytest.mark.parametrize("missing", ["own", "wildcard"])
@pytest.mark.parametrize("engine", ["codes", "duckdb"])
def test_a_key_names_the_records(engine: str, missing: str) -> None:
    table = {"x": ["a", None, "a"], 'the "id"': [" 7", None, "x"]}
    read = rr.read(table, columns=["x"], key='the "id"', missing=missing, engine=engine)
    found = read.engine.crowd_of_each().read_all()
    assert found.column_names == ['the "id"', "crowd"]
    assert found.column(0).to_pylist() == ["7", None, "x"]
    assert found.column("crowd").to_pylist() == ([2, 1, 2] if missing == "own" else [3, 3, 3])
    with pytest.raises(InputError, match="names the records"):
        rr.read(table, columns=["x"], key="x", levels={"x": 1})
    with pytest.raises(InputError, match="can't both hold"):
        rr.read(table, columns=["x"], key='the "id"', person='the "id"')


@pytest.mark.parametrize("engine", ["codes", "duckdb"])
def test_counts_that_are_large(engine: str) -> None:
    table = {"x": ["a", "a", "b"], "n": [2**52, 2**52 + 1, 1]}
    crowds = rr.read(table, columns=["x"], count="n", engine=engine).engine.crowd_sizes()
    assert crowds.sizes.tolist() == [1, 2**53 + 1]


def test_several_columns_in_one_text() -> None:
    table = {"age": [1, 2], "sex": ["f", "m"]}
    for ask in (rr.read, rr.measure):
        with pytest.raises(InputError, match=re.escape("give a list: columns=['age', 'sex']")):
            ask(table, columns="age,sex")
    with pytest.raises(InputError, match=re.escape("give a list: columns=['age', 'sex']")):
        rr.predict(rr.publish(table, unprotected=True), columns="age,sex")
    with pytest.raises(InputError, match=re.escape("give a list: columns=['age', 'sex']")):
        rr.group(table, size=2, columns="age,sex")


def test_what_is_no_table() -> None:
    with pytest.raises(InputError, match="an object of type int can't be read as a table"):
        rr.read(3)
    with pytest.raises(InputError, match="None can't be read as a table"):
        rr.read(None)
    with pytest.raises(InputError, match="different lengths"):
        rr.read({"a": [1], "b": [1, 2]})
    with pytest.raises(InputError, match="more than once: 'a'"):
        rr.read(pd.DataFrame([[1, 2]], columns=["a", "a"]))
