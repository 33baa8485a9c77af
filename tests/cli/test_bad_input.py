"""Bad input: a clear error, exit status 2, nothing written, no record's value in the message."""

from __future__ import annotations

import errno
import gzip
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

SECRET = "Xq7-secret"


def written(folder: Path, content: str | bytes, name: str = "table.csv") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return path


FILES: dict[str, tuple[str | bytes, str]] = {
    "empty": (b"", "is empty"),
    "only white space": (b"\n  \n", "is empty"),
    "header only": ("age,sex\n", "no rows"),
    "ragged": (f"age,sex\n39,f\n{SECRET},f,x\n40,m\n", "line 3 has 3 fields, but the header has 2"),
    "ragged late": ("age,sex\n" + "39,f\n" * 50_000 + f"{SECRET}\n", "line 50002 has 1 field, but"),
    "duplicate names": ("age,sex,age\n1,f,2\n", "more than once: 'age'"),
    "NUL bytes": (f"age,sex\n3\0 9,{SECRET}\n".encode(), "table.csv holds NUL bytes"),
    "open quote": (f'age,sex\n39,"{SECRET}\n40,m\n', "table.csv"),
    "all missing": ("age,sex\n,\n,\n", "every quasi-identifier is empty in every row"),
    "fractions": (f"age,sex\n39.5,{SECRET}\n40,m\n", "'age' holds numbers with fractions"),
    "a field of a million characters": (f"age,sex\n39,{'x' * 1_000_000}\n", "1,000,000 characters"),
    "undefined bytes": (
        b"age,sex\n39,\x81\x8d\xff\n",
        "table.csv isn't text in the encoding cp1252",
    ),
}


@pytest.mark.parametrize("engine", ["codes", "duckdb"])
@pytest.mark.parametrize("fault", FILES)
def test_files(command: Callable, tmp_path: Path, fault: str, engine: str) -> None:
    content, words = FILES[fault]
    path = written(tmp_path, content)
    columns = ["--columns", "age,sex"]
    said = command("measure", path, *columns, "--engine", engine, "--risk-file", tmp_path / "r.csv")
    assert said.status == 2, said
    if engine == "codes":
        assert words in said.err
    assert said.out == ""
    assert SECRET not in said.err
    assert sorted(os.listdir(tmp_path)) == ["table.csv"]


GOOD = "age,sex,n,w,id\n" + "39,f,2,1.5,a\n40,m,1,2.5,b\n,m,3,1,a\n"
OPTIONS: dict[str, tuple[list[str], str]] = {
    "unknown column": (["--columns", "Age"], "did you mean 'age'? there are: age, sex, n, w, id"),
    "zero columns": (["--columns", ","], "no quasi-identifiers are given"),
    "twice": (["--columns", "age,age"], "named twice"),
    "negative count": (["--columns", "sex", "--count", "neg"], "negative"),
    "fractional count": (["--columns", "sex", "--count", "w"], "fraction"),
    "count with gaps": (["--columns", "sex", "--count", "age"], "1 rows have no number"),
    "count of texts": (["--columns", "age", "--count", "sex"], "isn't a number"),
    "weights of texts": (["--columns", "age", "--weight", "sex"], "no positive number"),
    "person with gaps": (["--columns", "sex", "--person", "age"], "1 rows don't say whose"),
    "person and count": (["--person", "id", "--count", "n"], "can't both hold"),
    "person and wildcard": (["--person", "id", "--missing", "wildcard"], "can't both hold"),
    "count looked at": (["--columns", "sex,n", "--count", "n"], "can't be a quasi-identifier"),
    "bands and levels": (["--bands", "age=5", "--levels", "age=1"], "in two ways"),
    "bands elsewhere": (
        ["--columns", "sex", "--bands", "age=5"],
        "isn't among the quasi-identifiers",
    ),
    "bands of nothing": (["--bands", "age"], "isn't COLUMN=VALUE"),
    "bands of zero": (["--bands", "age=0"], "isn't a positive number"),
    "bands of texts": (["--columns", "sex", "--bands", "sex=5"], "can be recoded (in bands of 5)"),
    "bands of half a year": (["--bands", "age=0.5y"], "isn't a positive number"),
    "levels of nothing": (["--levels", "age=x"], "whole number"),
    "missing what": (["--missing", "maybe"], "either own or wildcard"),
    "memory": (["--memory-limit", "lots"], "not a size"),
    "little memory": (["--memory-limit", "1MB"], "too little"),
    "engine": (["--engine", "steam"], "there is no engine 'steam'"),
    "crowds": (["--crowds", "5-2"], "sizes start at 1"),
    "measure": (["--fail-above", "danger=0.1"], "no measure is called 'danger'"),
    "never crossed": (["--fail-above", "overall_risk=nan"], "can't cross nan"),
    "per cent": (["--fail-above", "overall_risk=5"], "write 5 % as 0.05"),
    "safer when larger": (["--fail-above", "smallest_crowd=5"], "highest_risk=0.2"),
    "threshold twice": (["--fail-above", "overall_risk=0.1,overall_risk=0.2"], "twice"),
    "onto itself": (["--risk-file", "table.csv"], "is the table itself"),
    "bands of counts": (["--count", "n", "--bands", "n=5"], "isn't among the quasi-identifiers"),
    "threshold": (["--fail-above", "overall_risk"], "isn't MEASURE=VALUE"),
    "risk file": (["--risk-file", "risk.ods"], "how its table is to be written"),
    "no folder": (["--risk-file", "nowhere/risk.csv"], "there is no directory nowhere"),
    "delimiter": (["--delimiter", "ab"], "one character"),
    "decimal": (["--decimal", ";"], "either . or ,"),
    "encoding": (["--encoding", "klingon"], "no such encoding"),
    "option": (["--colums", "age"], "No such option"),
    "threads": (["--threads", "0"], "--threads"),
}


@pytest.mark.parametrize("fault", OPTIONS)
def test_options(
    command: Callable, tmp_path: Path, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = written(tmp_path, GOOD.replace(",id\n", ",id,neg\n", 1).replace("a\n", "a,-1\n", 1)
                   .replace("b\n", "b,1\n").replace(",a\n", ",a,1\n"))  # fmt: skip
    options, words = OPTIONS[fault]
    said = command("measure", path, *options)
    assert said.status == 2, said
    assert words in said.err
    assert said.out == ""
    assert os.listdir(tmp_path) == ["table.csv"]


def test_the_same_as_json(command: Callable, tmp_path: Path) -> None:
    said = command("measure", written(tmp_path, GOOD), "--columns", "size", "--json")
    assert said.status == 2
    assert said.err == ""
    assert said.json["error"]["kind"] == "unknown_column"
    assert "there are: age" in said.json["error"]["hint"]
    assert command("measure", "--json").json["error"]["kind"] == "usage"


def test_places_that_are_no_tables(command: Callable, tmp_path: Path) -> None:
    assert "there is no file" in command("measure", tmp_path / "none.csv").err
    written(tmp_path, GOOD, "people.tsv")
    assert "there is: people.tsv" in command("measure", tmp_path / "people.csv").err
    (tmp_path / "empty").mkdir()
    assert "is an empty folder" in command("measure", tmp_path / "empty").err
    assert "no file matches" in command("measure", f"{tmp_path}/*.parquet").err
    statistics = written(tmp_path, '{"format": "reidrisk-statistics/1"}', "s.json")
    assert "holds statistics, not records" in command("measure", statistics).err


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow", "t.xlsx", "t.dta", "t.json", "t.csv.gz"])
def test_damaged_files(command: Callable, tmp_path: Path, name: str) -> None:
    content = {"t.parquet": b"PAR1", "t.arrow": b"ARROW1", "t.csv.gz": gzip.compress(b"a,b\n1,2")}
    path = written(tmp_path, content.get(name, SECRET.encode())[:24], name)
    said = command("measure", path)
    assert said.status == 2, said
    assert SECRET not in said.err
    assert path.name in said.err


def test_an_unreadable_file(
    command: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, GOOD)
    opened = Path.open

    def refused(self: Path, *arguments: object, **named: object) -> object:
        if self == path:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return opened(self, *arguments, **named)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", refused)
    said = command("measure", path)
    assert (said.status, "may not be read" in said.err) == (2, True)


def test_files_with_different_columns(command: Callable, tmp_path: Path) -> None:
    written(tmp_path, "age,sex\n1,f\n", "a.csv")
    written(tmp_path, "age,size\n1,f\n", "b.csv")
    said = command("measure", f"{tmp_path}/*.csv")
    assert said.status == 2
    assert "only one of them has: sex, size" in said.err


def test_a_table_without_columns(command: Callable, tmp_path: Path) -> None:
    pq.write_table(pa.table({}), tmp_path / "none.parquet")
    assert "no columns" in command("measure", tmp_path / "none.parquet").err
    book = openpyxl.Workbook()
    book.save(tmp_path / "none.xlsx")
    assert command("measure", tmp_path / "none.xlsx").status == 2


def test_nested_values(command: Callable, tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [[1], [2]], "b": ["x", "y"]}), tmp_path / "t.parquet")
    for engine in ("codes", "duckdb"):
        said = command("measure", tmp_path / "t.parquet", "--columns", "a,b", "--engine", engine)
        assert (said.status, "holds lists or structures" in said.err) == (2, True)
    assert command("measure", tmp_path / "t.parquet").status == 0


def test_hostile_names_and_values(command: Callable, tmp_path: Path) -> None:
    name = 'x"; DROP TABLE seen; --'
    table = pa.table({name: ["'; DROP TABLE seen; --", '"', "a"], "select": ["1", "1", "2"]})
    pq.write_table(table, tmp_path / "t.parquet")
    for engine in ("codes", "duckdb"):
        said = command("measure", tmp_path / "t.parquet", "--column", name, "--column", "select",
                       "--engine", engine, "--json")  # fmt: skip
        assert said.json["distinct"] == 3, said


def test_one_row_is_one_person_alone(command: Callable, tmp_path: Path) -> None:
    said = command("measure", written(tmp_path, "age,sex\n39,f\n"))
    assert said.status == 0
    assert "The one person in the table is alone" in said.out


def test_a_library_that_is_missing(
    command: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "fastexcel", None)
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    for name in ("t.xlsx", "t.sav", "t.sas7bdat", "t.dta"):
        said = command("measure", written(tmp_path, b"x", name))
        assert said.status == 2
        assert "pip install 'reidrisk[formats]'" in said.err


def test_a_full_disk(command: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, GOOD)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("reidrisk.records.contract._risk_of_each", full)
    said = command("measure", path, "--columns", "age,sex", "--risk-file", tmp_path / "risk.csv")
    assert said.status == 2
    assert "the disk is full" in said.err
    assert os.listdir(tmp_path) == ["table.csv"]


def test_a_real_write_that_fails(tmp_path: Path) -> None:
    """A limit on file size makes the kernel refuse; the whole process is looked at."""
    rows = "".join(f"{i},x\n" for i in range(20_000))
    written(tmp_path, "age,sex\n" + rows)
    script = (
        "import resource, signal, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))\n"
        "from reidrisk.cli.main import run\n"
        "run(['measure', 'table.csv', '--columns', 'age', '--risk-file', 'risk.csv'])"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True,
                          text=True)  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert "risk.csv can't be written" in done.stderr
    assert os.listdir(tmp_path) == ["table.csv"]


def test_a_fault_of_ours_shows_no_value(
    command: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError(SECRET)

    monkeypatch.setattr("reidrisk.measurement.measure", broken)
    said = command("measure", written(tmp_path, GOOD), "--columns", "age")
    assert said.status == 3
    assert "RuntimeError in" in said.err
    assert SECRET not in said.err
