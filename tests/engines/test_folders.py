"""Folders of files: partition keys are columns, and the answers are those of one flat file."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

import reidrisk as rr
from reidrisk.errors import InputError, UnreadableInput
from reidrisk.records.files.opening import open_source

NONE = "__HIVE_DEFAULT_PARTITION__"
YEARS = ["2020", "01", None, "TRUE", "a b/c=%é"]
COUNTIES = ["x", None, "Baden-Württemberg"]


def flat() -> pa.Table:
    """Records in the order in which the folders' names come."""
    rows: list[dict[str, Any]] = []
    for year in YEARS:
        for county in COUNTIES:
            rows += [
                {"age": 30 + place % 3, "sex": "fm"[place % 2], "year": year, "county": county}
                for place in range(len(rows) % 4 + 2)
            ]
    named = sorted(
        rows, key=lambda row: (folder("year", row["year"]), folder("county", row["county"]))
    )
    return pa.Table.from_pylist(named)


def folder(key: str, value: str | None) -> str:
    return f"{key}={NONE if value is None else quote(value, safe=' éü')}"


def write(table: pa.Table, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".csv":
        arrow_csv.write_csv(table, path)
    elif path.suffix == ".arrow":
        feather.write_feather(table, path)
    elif path.suffix == ".jsonl":
        path.write_text(
            "".join(f'{{"age": {r["age"]}, "sex": "{r["sex"]}"}}\n' for r in table.to_pylist())
        )
    else:
        pq.write_table(table, path)


def partitioned(place: Path, ending: str = "parquet", **also: str) -> Path:
    table = flat()
    lake = place / "lake"
    for year in YEARS:
        for county in COUNTIES:
            held = [
                row for row in table.to_pylist() if row["year"] == year and row["county"] == county
            ]
            part = pa.Table.from_pylist(held).select(["age", "sex"])
            write(part, lake / folder("year", year) / folder("county", county) / f"part-0.{ending}")
    (lake / "_SUCCESS").touch()
    (lake / ".part-0.parquet.crc").write_bytes(b"crc")
    (lake / "_temporary").mkdir()
    (lake / "_temporary" / f"part-9.{ending}").write_bytes(b"half written")
    return lake


@pytest.mark.parametrize("engine", ["codes", "duckdb"])
@pytest.mark.parametrize("ending", ["parquet", "csv", "arrow", "jsonl"])
def test_a_lake_is_its_flat_file(tmp_path: Path, ending: str, engine: str) -> None:
    lake = partitioned(tmp_path, ending)
    write(flat(), tmp_path / "flat.csv")
    columns = ["county", "age", "year", "sex"]
    expected = rr.read(tmp_path / "flat.csv", columns=columns)
    for named in (
        lake,
        f"{lake}/",
        str(lake / "**" / f"*.{ending}"),
        f"{lake}/year=*/*/*.{ending}",
    ):
        table = rr.read(named, columns=columns, engine=engine)
        assert rr.measure(table).crowd_sizes == rr.measure(expected).crowd_sizes
        assert table.there == ("age", "sex", "year", "county")
        assert len(table.paths) == 15
        for name in columns:
            one, other = table.engine.marginal(name), expected.engine.marginal(name)
            assert dict(zip(one.values, one.counts.tolist(), strict=True)) == dict(
                zip(other.values, other.counts.tolist(), strict=True)
            )
            assert one.missing == other.missing


@pytest.mark.parametrize("engine", ["codes", "duckdb"])
@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_records_keep_their_order(tmp_path: Path, ending: str, engine: str) -> None:
    lake = partitioned(tmp_path, ending)
    table = rr.read(lake, columns=["year", "age", "county"], engine=engine)
    batches = [batch.to_pylist() for batch in table.engine.texts_of_each(["year", "county", "age"])]
    found = [row for batch in batches for row in batch]
    expected = flat().select(["year", "county", "age"]).to_pylist()
    assert found == [
        row | {"age": str(row["age"]), "year": "true" if row["year"] == "TRUE" else row["year"]}
        for row in expected
    ]


@pytest.mark.parametrize("engine", ["codes", "duckdb"])
@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_keys_alone(tmp_path: Path, ending: str, engine: str) -> None:
    lake = partitioned(tmp_path, ending)
    table = rr.read(lake, columns=["year"], engine=engine)
    assert table.people == len(flat())
    assert table.engine.marginal("year").missing == sum(
        v is None for v in flat()["year"].to_pylist()
    )


def test_without_columns_named_the_same_are_chosen(tmp_path: Path) -> None:
    """Their roles are judged by the first rows of all files, not those of the first file."""
    lake = partitioned(tmp_path)
    write(flat(), tmp_path / "flat.csv")
    assert sorted(rr.read(lake).columns) == sorted(rr.read(tmp_path / "flat.csv").columns)
    source = open_source(lake)
    assert len(source.head(source.names, 1000)) == len(flat())
    assert len(source.head(["year"], 7)) == 7


@pytest.mark.parametrize("engine", ["codes", "duckdb"])
def test_a_file_under_a_key_is_read_as_it_is(tmp_path: Path, engine: str) -> None:
    """DuckDB would put the folder's value in the place of the column."""
    path = tmp_path / "sex=f" / "people.parquet"
    write(pa.table({"sex": ["m", "m", "f"], "age": [1, 2, 3]}), path)
    table = rr.read(path, columns=["sex"], engine=engine)
    assert table.there == ("sex", "age")
    assert rr.measure(table).crowd_sizes == rr.CrowdSizes.of([2, 1])


@pytest.mark.parametrize("engine", ["codes", "duckdb"])
def test_keys_that_the_files_hold_too(tmp_path: Path, engine: str) -> None:
    """Some programs write them: fine while they agree."""
    for year in (1, 2):
        table = pa.table({"year": [year] * 3, "age": [30, 31, 32]})
        write(table, tmp_path / "lake" / f"year=0{year}" / "part.parquet")
    with pytest.raises(UnreadableInput, match="year"):
        rr.read(tmp_path / "lake", columns=["year"], engine=engine)
    for year in (1, 2):
        os.rename(tmp_path / "lake" / f"year=0{year}", tmp_path / "lake" / f"year={year}")
    table = rr.read(tmp_path / "lake", columns=["year"], engine=engine)
    assert rr.measure(table).crowd_sizes == rr.CrowdSizes.of([3, 3])
    assert table.there == ("year", "age")


@pytest.mark.parametrize("engine", ["codes", "duckdb"])
def test_a_folder_without_keys(tmp_path: Path, engine: str) -> None:
    for place, name in enumerate(["a/one.csv", "b/two.csv", "three.csv"]):
        write(pa.table({"age": [place, place], "sex": ["f", "m"]}), tmp_path / "data" / name)
    table = rr.read(tmp_path / "data", columns=["age"], engine=engine)
    assert rr.measure(table).crowd_sizes == rr.CrowdSizes.of([2, 2, 2])
    assert [path.name for path in table.paths] == ["one.csv", "two.csv", "three.csv"] or table.paths


def test_the_hash_is_that_of_the_files_in_order(tmp_path: Path) -> None:
    import hashlib

    lake = partitioned(tmp_path)
    table = rr.read(lake, columns=["age"])
    assert table.sha256 == hashlib.sha256(b"".join(p.read_bytes() for p in table.paths)).hexdigest()


def refused(named: object) -> str:
    with pytest.raises(InputError) as fault:
        open_source(named)
    return f"{fault.value.message} // {fault.value.hint}"


def test_a_folder_without_a_table(tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    lake.mkdir()
    assert "lake is an empty folder" in refused(lake)
    (lake / "_SUCCESS").touch()
    (lake / ".hidden.parquet").touch()
    said = refused(lake)
    assert "holds no table" in said
    assert "2 hidden files" in said
    assert "*" not in said
    (lake / "sub").mkdir()
    (lake / "sub" / "report.pdf").write_bytes(b"%PDF")
    (lake / "notes.md").write_text("# notes")
    said = refused(lake)
    assert "1 .md" in said
    assert "1 .pdf" in said
    assert "*" not in said


def test_files_of_different_kinds(tmp_path: Path) -> None:
    lake = partitioned(tmp_path)
    (lake / "README.md").write_text("# about")
    said = refused(lake)
    assert "15 .parquet" in said
    assert "1 .md" in said
    assert f"'{lake}/**/*.parquet'" in said
    assert open_source(f"{lake}/**/*.parquet").rows == len(flat())
    os.rename(lake / "README.md", lake / "more.CSV")
    assert "1 .csv" in refused(f"{lake}/**/*.*")


def test_suggested_patterns_find_something(tmp_path: Path) -> None:
    for name in ("A.PARQUET", "B.Parquet"):
        write(pa.table({"age": [1]}), tmp_path / "lake" / name)
    (tmp_path / "lake" / "c.csv").write_text("age\n1\n")
    said = refused(tmp_path / "lake")
    assert "2 .parquet" in said
    assert "*.parquet" not in said


VERSIONED = [
    "_delta_log/00000000000000000000.json",
    ".hoodie/hoodie.properties",
    "metadata/v1.metadata.json",
]


@pytest.mark.parametrize("mark", VERSIONED)
def test_tables_that_keep_their_older_versions(tmp_path: Path, mark: str) -> None:
    lake = partitioned(tmp_path)
    (lake / mark).parent.mkdir()
    (lake / mark).write_text("{}")
    for named in (lake, tmp_path, lake / "year=2020", f"{lake}/**/*.parquet"):
        said = refused(named)
        assert "older versions" in said
        assert "*" not in said.partition(" // ")[2]


def test_partitions_that_differ(tmp_path: Path) -> None:
    lake = partitioned(tmp_path)
    write(pa.table({"age": [1], "sex": ["f"]}), lake / "stray.parquet")
    said = refused(lake)
    assert "stray.parquet" in said
    assert "year" in said


def test_broken_links_and_loops(tmp_path: Path) -> None:
    lake = partitioned(tmp_path)
    os.symlink(lake, lake / "again")
    assert open_source(lake).rows == len(flat())
    os.symlink(tmp_path / "gone.parquet", lake / "part-1.parquet")
    assert "part-1.parquet" in refused(lake)


def test_files_of_a_lake_may_differ_in_type(tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    write(pa.table({"age": [1, 2]}), lake / "y=1" / "p.parquet")
    write(pa.table({"age": ["1", "x"]}), lake / "y=2" / "p.parquet")
    for engine in ("codes", "duckdb"):
        table = rr.read(lake, columns=["age", "y"], engine=engine)
        assert rr.measure(table).crowd_sizes == rr.CrowdSizes.of([1, 1, 1, 1])


def test_every_command_on_a_folder(command: Callable, tmp_path: Path) -> None:
    lake = partitioned(tmp_path)
    write(flat(), tmp_path / "flat.csv")
    columns = ("--columns", "age,sex,year,county")
    for done in (
        ("columns", "--json"),
        ("measure", *columns, "--json"),
        ("generalise", *columns, "-k", "2", "--json"),
    ):
        answers = []
        for table in (lake, tmp_path / "flat.csv"):
            said = command(done[0], table, *done[1:])
            assert said.status == 0, said
            answers.append({k: v for k, v in said.json.items() if k not in ("input", "seconds")})
        if done[0] != "columns":
            assert answers[0] == answers[1]
    assert "(part-0.parquet and 14 more: " in command("columns", lake).out
    for table in (lake, tmp_path / "flat.csv"):
        asked = (*columns, "-o", tmp_path / f"{table.stem}.json", "--unprotected")
        assert command("publish", table, *asked).status == 0
        said = command(
            "people",
            tmp_path / f"{table.stem}.json",
            table,
            "-o",
            tmp_path / f"{table.stem}_scores.csv",
        )
        assert said.status == 0, said
    assert (tmp_path / "lake_scores.csv").read_text() == (tmp_path / "flat_scores.csv").read_text()
    assert command("report", lake, *columns, "-o", tmp_path / "report.html").status == 0


def test_no_output_goes_into_the_table(command: Callable, tmp_path: Path) -> None:
    lake = partitioned(tmp_path)
    inside = lake / "year=2020" / "risk.parquet"
    before = sorted(lake.rglob("*"))
    columns = ("--columns", "age,year")
    for done in (
        ("measure", lake, *columns, "--risk-file", inside),
        ("publish", lake, *columns, "-o", lake / "statistics.json"),
        ("generalise", lake, *columns, "-k", "2", "-o", inside),
        ("report", lake, *columns, "-o", lake / "report.html"),
        ("measure", lake, *columns, "--risk-file", next(lake.rglob("part-0.parquet"))),
    ):
        said = command(*done)
        assert said.status == 2, said
        assert "table" in said.err
    assert sorted(lake.rglob("*")) == before
