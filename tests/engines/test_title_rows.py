"""A title above the column names is skipped and said; nothing else is ever taken for one."""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest

import reidrisk as rr

RECORDS = "39;M;Delft\n40;F;Leiden\n41;M;Delft\n"
ENGINES = ("codes", "duckdb")


def _file(folder: Path, text: str, name: str = "people.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "above",
    [
        "Patients 2023;;\n",
        "Patients 2023\n",
        "Patients 2023;;\nWard B;;\n",
        "Patients 2023\n\nWard B\n\n",
        "Patients 2023;;\n;;\n",
        '"Patients\n2023";;\n',
    ],
)
def test_a_title_is_skipped_and_said(tmp_path: Path, above: str, engine: str) -> None:
    path = _file(tmp_path, f"{above}age;sex;city\n{RECORDS}")
    table = rr.read(path, engine=engine)
    assert table.there == ("age", "sex", "city")
    assert table.people == 3
    assert any("read as a title and skipped" in said for said in table.warnings)
    assert "the columns are age, sex, city." in " ".join(rr.columns(path).envelope.warnings)
    # What it says is nobody's to print.
    assert not any("Patients" in said for said in table.warnings)


def test_a_title_in_a_table_with_commas(tmp_path: Path) -> None:
    path = _file(tmp_path, "Patients 2023\nage,sex\n39,M\n40,F\n41,M\n")
    assert rr.read(path).people == 3


def test_ragged_lines_below_a_title_are_named_by_their_line(tmp_path: Path) -> None:
    rows = "39;M;Delft\n" * 600
    path = _file(tmp_path, f"Patients;;\nage;sex;city\n{rows}40;F\n")
    with pytest.raises(rr.errors.UnreadableInput, match="line 603 has 2 fields"):
        rr.read(path)


@pytest.mark.parametrize(
    ("text", "there"),
    [
        ("name\nSmith, John\nPoe, Ann\nRoe, Eve\n", ("name",)),  # one column
        ("note\nfoo, bar\nbaz, 12\nhum, 13\n", ("note",)),
        ("name\n12 High St, London, UK\n4 Low St, Leeds, UK\n1 St, X, Y\n", ("name",)),
        ("age\n39\n40\n41\n", ("age",)),
        (",sex,city\n0,M,a\n1,F,b\n2,M,c\n", ("(unnamed 1)", "sex", "city")),
        ("city,,\nDelft,1,2\nLeiden,3,4\nX,5,6\n", ("city", "(unnamed 2)", "(unnamed 3)")),
        ("sex;city\nM;\nF;Delft\nM;Leiden\n", ("sex", "city")),
        ("sex;city\n1;2\n", ("sex", "city")),
    ],
)
def test_what_may_be_a_header_or_a_record_stays(
    tmp_path: Path, text: str, there: tuple[str, ...]
) -> None:
    assert rr.read(_file(tmp_path, text), columns=[there[0]]).there == there


def test_without_a_header_no_line_is_skipped(tmp_path: Path) -> None:
    path = _file(tmp_path, f"Patients 2023;;\nage;sex;city\n{RECORDS}")
    assert rr.read(path, header=False).people == 5


def test_a_title_on_a_sheet(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in [["Patients 2023"], [], ["age", "sex"], [39, "M"], [40, "F"], [41, "M"]]:
        book.active.append(row)
    path = tmp_path / "people.xlsx"
    book.save(path)
    table = rr.read(path)
    assert (table.there, table.people) == (("age", "sex"), 3)
    assert any("skipped" in said for said in table.warnings)
    assert table.engine.marginal("age").values == ("39", "40", "41")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("header", [True, False])
def test_a_header_over_two_lines(tmp_path: Path, engine: str, header: bool) -> None:
    path = _file(tmp_path, '"age\nin years";sex;city\n' + RECORDS)
    assert rr.read(path, engine=engine, header=header).people == 3 + (not header)
