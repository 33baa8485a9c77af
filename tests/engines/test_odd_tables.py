"""Tables that once gave a wrong answer, a crash or a misleading message."""

from __future__ import annotations

import datetime
import uuid
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import reidrisk as rr
from reidrisk.errors import InputError, UnreadableInput, UnusableColumn, UnwritableOutput
from reidrisk.output_files import overwriting
from reidrisk.records.recoding import parsed_bands, parsed_decimals

ENGINES = pytest.mark.parametrize("engine", ["codes", "duckdb"])


def values(table: Any, name: str = "x", **options: Any) -> dict[str | None, int]:
    found = rr.read(table, columns=[name], **options).engine.marginal(name)
    held = dict(zip(found.values, found.counts.tolist(), strict=True))
    return held | ({None: found.missing} if found.missing else {})


@pytest.mark.parametrize("newline", ["\n", "\r", "\r\n"])
def test_a_line_break_at_a_block_edge(tmp_path: Path, newline: str) -> None:
    """The fragment behind the break may look like a row of its own."""
    from reidrisk.records.files import csv_file

    for before in range(12):
        row = f'"k{"x" * before}","{newline},;","w"\n'
        lines = ['"k","v","w"\n', '"a","b","c"\n' * (csv_file.BLOCK_BYTES // 12 - 1), row * 3]
        path = tmp_path / "edge.csv"
        path.write_text("".join(lines), newline="")
        assert values(path, "v") == {"b": csv_file.BLOCK_BYTES // 12 - 1, ",;": 3}


@ENGINES
@pytest.mark.parametrize("suffix", ["csv", "parquet", "jsonl"])
def test_a_name_that_looks_like_a_pattern(tmp_path: Path, suffix: str, engine: str) -> None:
    for name, value in (("d[1]", "mine"), ("d1", "another's")):
        path = tmp_path / f"{name}.{suffix}"
        if suffix == "parquet":
            pq.write_table(pa.table({"x": [value], "y": ["z"]}), path)
        else:
            text = f"x,y\n{value},z\n" if suffix == "csv" else f'{{"x": "{value}", "y": "z"}}\n'
            path.write_text(text)
    assert values(tmp_path / f"d[1].{suffix}", engine=engine) == {"mine": 1}


def test_spreadsheets(tmp_path: Path) -> None:
    def saved(rows: list[list[Any]]) -> Path:
        book = openpyxl.Workbook()
        for row in rows:
            book.active.append(row)
        book.save(tmp_path / "t.xlsx")
        return tmp_path / "t.xlsx"

    late = saved([["x", "y"], *([i % 3, "a"] for i in range(1500)), ["AB12", "a"]])
    assert values(late) == {"0": 500, "1": 500, "2": 500, "AB12": 1}
    blank = saved([["x", "y"], [1, "m"], [None, None], [1, "m"]])
    assert values(blank) == {"1": 2}
    times = saved([["x", "y"], [datetime.time(10, 0), "a"], [datetime.time(7, 30), "b"]])
    assert values(times) == {"10:00:00": 1, "07:30:00": 1}
    with pytest.raises(UnreadableInput, match="more than once: 'x'"):
        rr.read(saved([["x", "x"], [1, 2]]))


def test_bands_are_exact() -> None:
    tenth = parsed_bands("x", "0.1")
    assert [tenth.label(text) for text in ("0.3", "0.7", "0.29")] == [
        "[0.3-0.4)", "[0.7-0.8)", "[0.2-0.3)",
    ]  # fmt: skip
    assert parsed_bands("x", "0.5").label("10000000000") == "[10000000000-10000000000.5)"
    thousandth = parsed_bands("x", "0.001")
    assert len({thousandth.label(f"12345678.00{i}") for i in range(1, 4)}) == 3
    assert parsed_bands("x", "1").label("9007199254740993") == "9007199254740993"
    assert parsed_bands("x", "5").label("inf") is None
    assert parsed_bands("x", "5").label("1e400") is None
    assert parsed_decimals("x", "2").label("0.125") == "0.12"
    assert parsed_decimals("x", "2").label("12345678901234567890.555") == "12345678901234567890.56"


@ENGINES
def test_values_no_record_has_are_no_values(engine: str) -> None:
    frame = pd.DataFrame({"who": pd.Categorical(["a", "b"], categories=list("abcdefg")),
                          "x": pd.Categorical([1, 2], categories=[1, 2, 1.5])})  # fmt: skip
    table = rr.read(frame, columns=["x"], person="who", engine=engine)
    assert table.people == rr.measure(table).people == 2
    assert values(frame, engine=engine) == {"1": 1, "2": 1}


@ENGINES
def test_columns_without_names(tmp_path: Path, engine: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(",a,\n1,2,9\n2,2,9\n3,2,3\n")
    assert values(path, "(unnamed 1)", engine=engine) == {"1": 1, "2": 1, "3": 1}
    assert values(path, "(unnamed 3)", engine=engine) == {"9": 2, "3": 1}


BRUSSELS = pa.timestamp("s", "Europe/Brussels")
TYPED = {
    "narrow float": (pa.array([1.0, float("nan"), 1e16], pa.float32()),
                     {"1": 1, None: 1, "10000000272564224": 1}),
    "half float": (pa.array([np.float16(1), None], pa.float16()), {"1": 1, None: 1}),
    "wide span": (pa.array([-20000, 20000, 5], pa.int16()), {"-20000": 1, "20000": 1, "5": 1}),
    "whole byte": (pa.array([-128, 127], pa.int8()), {"-128": 1, "127": 1}),
    "large": (pa.array([2**64 - 1, 2**64 - 2], pa.uint64()),
              {str(2**64 - 1): 1, str(2**64 - 2): 1}),
    "time": (pa.array([datetime.time(10)], pa.time64("us")), {"10:00:00": 1}),
    "zoned": (pa.array([0, 86400 * 365], BRUSSELS), {"1970-01-01T00:00:00Z": 1,
                                                     "1971-01-01T00:00:00Z": 1}),
    "decimal": (pa.array([Decimal("39.00"), Decimal("-0.5")], pa.decimal128(9, 2)),
                {"39": 1, "-0.5": 1}),
    "long decimal": (pa.array([Decimal(10**50), Decimal(10**50 + 1)], pa.decimal256(60, 0)),
                     {str(10**50): 1, str(10**50 + 1): 1}),
    "bytes": (pa.array([b"a", b"\xff", b"\\xff"], pa.binary()), {"a": 1, "0xff": 1, "\\xff": 1}),
    "byte views": (pa.array([b"a", b"\xff"], pa.binary_view()), {"a": 1, "0xff": 1}),
    "whole dictionary": (pa.array([7, 7, 8]).dictionary_encode(), {"7": 2, "8": 1}),
    "nothing": (pa.nulls(2), {None: 2}),
}  # fmt: skip


@ENGINES
@pytest.mark.parametrize("kind", TYPED)
def test_types(tmp_path: Path, kind: str, engine: str) -> None:
    column, found = TYPED[kind]
    options: dict[str, Any] = {"engine": engine}
    if kind == "decimal":
        options["decimals"] = {"x": 1}
    table = pa.table({"x": column, "other": ["y"] * len(column)})
    if kind == "narrow float":
        found = {"1": 1, None: 1, str(int(float(str(np.float32(1e16))))): 1}
    both = ["x", "other"]
    asked = rr.read(table, columns=both, **options).engine
    marginal = asked.marginal("x")
    held = dict(zip(marginal.values, marginal.counts.tolist(), strict=True))
    assert held | ({None: marginal.missing} if marginal.missing else {}) == found
    if kind in ("half float", "byte views", "nothing"):
        return
    pq.write_table(table, tmp_path / "t.parquet")
    marginal = rr.read(tmp_path / "t.parquet", columns=both, **options).engine.marginal("x")
    held = dict(zip(marginal.values, marginal.counts.tolist(), strict=True))
    assert held | ({None: marginal.missing} if marginal.missing else {}) == found


@ENGINES
def test_true_is_not_one(tmp_path: Path, engine: str) -> None:
    assert values({"x": [1, 1.0, True, 0, False]}, engine=engine) == {
        "1": 2, "true": 1, "0": 1, "false": 1,
    }  # fmt: skip
    pq.write_table(pa.table({"x": [1, 0]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"x": [True, False]}), tmp_path / "b.parquet")
    assert len(values(f"{tmp_path}/*.parquet", engine=engine)) == 4


@ENGINES
def test_objects_in_memory(engine: str) -> None:
    day = datetime.date(2020, 1, 1)
    assert len(values({"x": [day, datetime.datetime(2020, 1, 1, 5)]}, engine=engine)) == 2
    assert values({"x": [2**70, 1]}, engine=engine) == {str(2**70): 1, "1": 1}
    ages = pd.DataFrame({"x": pd.cut([1, 12, 15], [0, 10, 20])})
    assert values(ages, engine=engine) == {"(0, 10]": 1, "(10, 20]": 2}
    months = pd.DataFrame({"x": pd.period_range("2020-01", periods=2, freq="M")})
    assert values(months, engine=engine) == {"2020-01": 1, "2020-02": 1}
    ids = [uuid.UUID(int=1), uuid.UUID(int=2)]
    assert values({"x": ids}, engine=engine) == {str(i): 1 for i in ids}
    assert values({"x": ["a\ud800", "b"]}, engine=engine) == {"a\\ud800": 1, "b": 1}
    assert values(pd.Series([1, 2], name="x"), engine=engine) == {"1": 1, "2": 1}
    assert values(pl.Series("x", ["a", None]), engine=engine) == {"a": 1, None: 1}
    assert values(pl.DataFrame({"x": ["a", "b"]}, schema={"x": pl.Enum(["a", "b", "c"])}),
                  engine=engine) == {"a": 1, "b": 1}  # fmt: skip
    assert values(pd.DataFrame({0: ["a", "b"]}), "0", engine=engine) == {"a": 1, "b": 1}


def test_what_is_refused_in_memory() -> None:
    with pytest.raises(UnusableColumn, match="durations"):
        rr.read({"x": [datetime.timedelta(1)]}, columns=["x"])
    with pytest.raises(UnusableColumn, match="outside the years"):
        rr.read(pa.table({"x": pa.array([10**8], pa.date32())}), columns=["x"])
    with pytest.raises(InputError, match="mappings"):
        rr.read({"x": [1]}, bands="x=5")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="there is no column 'a,b'"):
        rr.read({"a": [1], "b": [2]}, columns="a,b")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="whole numbers"):
        rr.measure({"x": [1]}, crowds="2-5")  # type: ignore[arg-type]
    assert rr.measure({"x": [1, 1]}).distinct == 1


@ENGINES
def test_names_that_differ_in_case_or_mean_something(tmp_path: Path, engine: str) -> None:
    table = pa.table({name: ["1", "2"] for name in ("Age", "age", "value", "p", "drawn", "label")})
    pq.write_table(table, tmp_path / "t.parquet")
    pa.csv.write_csv(table, tmp_path / "t.csv")
    for path in (tmp_path / "t.parquet", tmp_path / "t.csv"):
        read = rr.read(path, columns=["Age", "age", "value", "drawn", "label"], person="p",
                       engine=engine)  # fmt: skip
        assert rr.measure(read).alone.people == 2
        assert read.engine.crowd_of_each().read_all().num_rows == 2
        assert read.engine.sample(1, seed=0).column_names[0] == "Age"


def test_counts_written_oddly() -> None:
    table = {"x": ["a", "b", "c"], "n": ["1E3", "+5.0", "007.0"]}
    assert rr.read(table, columns=["x"], count="n").people == 1012
    with pytest.raises(UnusableColumn, match="too large"):
        rr.read({"x": ["a"] * 2000, "n": [2**52] * 2000}, columns=["x"], count="n")


@ENGINES
def test_gaps_in_counts_are_counted(engine: str) -> None:
    table = {"x": list("abcdef"), "n": [None, 1, 2, None, 1, 1]}
    with pytest.raises(UnusableColumn, match="2 rows have no number"):
        rr.read(table, columns=["x"], count="n", engine=engine)


def test_thousands_are_no_decimal_comma(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_text("x\ty\n1,000\ta\n1\ta\n2,000\tb\n")
    assert values(path) == {"1,000": 1, "1": 1, "2,000": 1}


@ENGINES
def test_values_of_several_lines_at_the_end(tmp_path: Path, engine: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text('a,b,c\n1,2,3\n1,"x\ny",3\n')
    assert values(path, "b", engine=engine) == {"2": 1, "x\ny": 1}


def test_quotes_left_open(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('a,b\nx,1\n1,"l1\n')
    with pytest.raises(UnreadableInput, match="a quote is left open"):
        rr.read(path)
    path.write_text('a,b\n5" pipe,1\n6 pipe,2\n')
    assert values(path, "a") == {'5" pipe': 1, "6 pipe": 1}


def test_faults_beyond_the_first_block(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("größe,b\n" + "1,2\n" * 1_200_000 + "SECRET,4,5\n")
    for ask in (rr.columns, rr.read):
        with pytest.raises(
            UnreadableInput, match="line 1200002 has 3 fields, but the header has 2"
        ) as told:
            ask(path)
        assert "SECRET" not in str(told.value)
    path.write_bytes("größe,b\n".encode() + b"1,2\n" * 200_000 + b"M\xfcller,4\n")
    assert values(path, "größe") == {"1": 200_000, "Müller": 1}
    path.write_bytes(b"a,b\n" + b"1,2\n" * 200_000 + b"x\0y,4\n")
    with pytest.raises(UnreadableInput, match="NUL"):
        rr.read(path, columns=["a"])


def test_json_lines_that_are_odd(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"Age": 1, "age": "2", "c\\"d": true, "list": [1]}\n{"age": null, "": 3}\n')
    assert values(path, "Age") == {"1": 1, None: 1}
    assert values(path, 'c"d') == {"true": 1, None: 1}
    assert values(path, "") == {"3": 1, None: 1}
    with pytest.raises(UnusableColumn, match="lists"):
        rr.read(path, columns=["list"])
    path.write_text('{"a": 1}\n[1, 2]\n')
    with pytest.raises(UnreadableInput):
        rr.read(path)


def test_files_that_are_something_else(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b"PK\x03\x04" + b"\0" * 30)
    with pytest.raises(UnreadableInput, match="spreadsheet"):
        rr.read(tmp_path / "t.csv")
    (tmp_path / "t.dta.gz").write_bytes(b"\x1f\x8b" + b"\0" * 30)
    with pytest.raises(UnreadableInput, match="decompress it"):
        rr.read(tmp_path / "t.dta.gz")
    (tmp_path / "brace.csv").write_text("{x},y\n1,2\n")
    assert values(tmp_path / "brace.csv", "{x}") == {"1": 1}
    with pytest.raises(UnreadableInput, match="no such encoding"):
        rr.read(tmp_path / "brace.csv", encoding="base64")


def test_headers(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("1,m\n1,m\n2,f\n")
    assert any("--no-header" in said for said in rr.read(path).warnings)
    assert values(path, "column1", header=False) == {"1": 2, "2": 1}
    path.write_text("sep=;\na;b\n1;2,5\n")
    assert values(path, "a") == {"1": 1}
    path.write_text('"a\nb",c\n1,2\n')
    assert values(path, "a\nb") == {"1": 1}


def test_empty_rows_are_mentioned(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,m\n,\n1,m\n")
    assert any(said.startswith("1 row is empty") for said in rr.read(path).warnings)


def test_the_table_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("a,b\n1,2\n")
    link = tmp_path / "link.csv"
    link.symlink_to(path)
    for target in (path, link):
        with pytest.raises(UnwritableOutput, match="is the table itself"):
            rr.write_risk_file(rr.read(path), target)
    assert path.read_text() == "a,b\n1,2\n"


def test_outputs_keep_links_and_permissions(tmp_path: Path) -> None:
    kept = tmp_path / "risk.csv"
    kept.write_text("old")
    kept.chmod(0o600)
    link = tmp_path / "link.csv"
    link.symlink_to(kept)
    with pytest.raises(UnwritableOutput, match="isn't what this command wrote"):
        rr.write_risk_file(rr.read({"a": [1]}), link)
    with overwriting():
        rr.write_risk_file(rr.read({"a": [1]}), link)
    assert link.is_symlink()
    assert kept.read_text().startswith("row,crowd,risk")
    assert kept.stat().st_mode & 0o777 == 0o600


def test_a_file_that_changed_has_no_hash(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n")
    risk = rr.measure(rr.read(path))
    path.write_text("a,b\n1,3\n4,5\n")
    assert risk.to_dict()["input"]["sha256"] is None
    path.unlink()
    assert rr.measure(rr.read({"a": [1]})).to_dict()["input"]["sha256"] is None


@ENGINES
def test_very_many_values(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """DuckDB's way for columns with more values than are labelled one by one."""
    from reidrisk.records.sql import duckdb_columns

    monkeypatch.setattr(duckdb_columns, "MANY_VALUES", 10)
    cells = [f"v{i}" for i in range(30)] + ["39", "39.0", " 39", "?", "", "10:00:00.000", "True"]
    table = {"x": cells, "w": [1, 2] * 18 + [1]}
    assert values(table, empty=["?"], engine=engine) == {
        **{f"v{i}": 1 for i in range(30)}, "39": 3, None: 2, "10:00:00": 1, "true": 1,
    }  # fmt: skip
    risk = rr.measure(rr.read(table, columns=["x"], empty=["?"], engine=engine))
    assert risk.entropy.experience == pytest.approx(risk.entropy.table)
    with pytest.raises(UnusableColumn, match="fractions"):
        rr.read({"x": [i + 0.5 for i in range(30)]}, columns=["x"], engine=engine)
