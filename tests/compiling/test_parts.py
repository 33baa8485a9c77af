"""Which lines of a small file are the table: headings, blank lines, notes; and what Excel does."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from reidrisk.errors import InputError
from reidrisk.records.read_options import ReadOptions
from reidrisk.statistics.tables.compilation import Compiled, compiled


@pytest.fixture
def made(tmp_path: Path) -> Any:
    """Compile one text, or the rows of one sheet."""

    def make(written: str | list[list[Any]], name: str = "t", **given: Any) -> Compiled:
        if isinstance(written, str):
            path = tmp_path / f"{name}.csv"
            path.write_text(written, encoding="utf-8")
        else:
            path = tmp_path / f"{name}.xlsx"
            book = openpyxl.Workbook()
            for row in written:
                book.active.append(row)
            book.save(path)
        return compiled([path], given.get("records"), None, None, "", ReadOptions())

    return make


def counts(made: Compiled, name: str = "age") -> dict[str, Any]:
    return dict(made.statistics.attribute(name).counts)


CONTINUED = {
    "more rows": "age,n\n17,10\n18,20\n\n19,30\n20,40\n",
    "rows and total": "age,n\n17,10\n18,20\n\n19,30\n20,40\nTotal,100\n",
    "the total": "age,n\n17,10\n18,20\n19,30\n20,40\n\nTotal,100\n\nSource: office\n",
    "blank rows of gaps": "age,n\n17,10\n18,20\n,\n19,30\n20,40\n,\n,\nOffice\n",
    "a source with a year": "age,n\n17,10\n18,20\n19,30\n20,40\nSource: office,2015\n",
}


@pytest.mark.parametrize("written", CONTINUED)
def test_a_table_goes_on_behind_a_blank_line(made: Any, written: str) -> None:
    held = made(CONTINUED[written])
    assert counts(held) == {"17": 10, "18": 20, "19": 30, "20": 40}
    assert held.statistics.records == 100


LOST = {
    "another table": "age,n\n17,10\n18,20\n\nsex,n\nf,10\nm,20\n",
    "one line": "age,n\n17,10\n18,20\n\n19,30\n",
    "behind the total": "age,n\n17,10\n18,20\nTotal,30\n\n19,30\n20,30\n",
    "behind two blank lines": "age,n\n17,10\n18,20\n\n\n19,30\n20,30\n",
    "behind a note": "age,n\n17,10\n18,20\n* late\n19,30\n20,30\n",
    "total in another column": "age_by_sex,f,m\n17,10,5\n18,20,5\n\nlast,,70\n",
}


@pytest.mark.parametrize("written", LOST)
def test_lines_with_numbers_are_never_left_out(made: Any, written: str) -> None:
    with pytest.raises(InputError, match=r"below the table.* numbers too\n.*blank line"):
        made(LOST[written], "age_by_sex" if "total in" in written else "t")


@pytest.mark.parametrize(
    "note", ["Stand: 31.12.2022", "a) provisional figures", "Data: office", "Data: office,own sums"]
)
@pytest.mark.parametrize("total", ["", "Total,30\n"])
def test_footnotes_are_no_values(made: Any, note: str, total: str) -> None:
    held = made(f"age,n\n17,10\n18,20\n{total}{note}\n")
    assert counts(held) == {"17": 10, "18": 20}
    assert "a line below the table was left out" in held.read[0]


def test_a_footnote_of_gaps_behind_the_total(made: Any) -> None:
    held = made("age,f,m\n17,10,5\n18,20,5\nTotal,30,10\nwithout the islands,,\n", "age_by_sex")
    assert counts(held) == {"17": 15, "18": 25}


def test_a_last_value_that_is_held_back_stays(made: Any) -> None:
    held = made("age,n\n17,10\n18,20\n85 and over,\n", records=33)
    assert list(counts(held)) == ["17", "18", "85 and over"]
    assert "85+" in counts(made("age,n\n17,10\n18,20\n85+\n", records=33))
    first = made("age,n\nAll ages,33\n17,10\n18,20\n85 and over,\n")
    assert list(counts(first)) == ["17", "18", "85 and over"]


PAIR = {("17", "f"): 160, ("17", "m"): 168, ("18", "f"): 220, ("18", "m"): 227}
HEADINGS: dict[str, str | list[list[Any]]] = {
    "a title with the delimiter": "People; sex, age\nage \\ sex;f;m\n17;160;168\n18;220;227\n",
    "and a blank line": "People; sex, age\n\nage \\ sex;f;m\n17;160;168\n18;220;227\n",
    "two lines": ";sex;\nage;f;m\n17;160;168\n18;220;227\n",
    "merged": [["age", "sex", None], [None, "f", "m"], [17, 160, 168], [18, 220, 227]],
    "merged, total beside": [
        ["age", "sex", None, "Total"],
        [None, "f", "m", None],
        [17, 160, 168, 328],
        [18, 220, 227, 447],
    ],
    "not in the first column": [
        [None, "A title"],
        [],
        [None, "age \\ sex", "f", "m"],
        [None, 17, 160, 168],
        [None, 18, 220, 227],
    ],
    "a gap between columns": [["age \\ sex", "f", None, "m"], [17, 160, None, 168],
                              [18, 220, None, 227]],
}  # fmt: skip


@pytest.mark.parametrize("written", HEADINGS)
def test_headings(made: Any, written: str) -> None:
    held = made(HEADINGS[written]).statistics
    assert held.names == ("age", "sex")
    assert dict(held.pairs[0].counts) == PAIR


def test_labels_across_that_are_numbers(made: Any) -> None:
    turned = {(s, a): n for (a, s), n in PAIR.items()}
    titled = made("People, by age\nsex \\ age,17,18\nf,160,220\nm,168,227\n")
    assert dict(titled.statistics.pairs[0].counts) == turned
    held = made([["sex", "age", None], [None, 17, 18], ["f", 160, 220], ["m", 168, 227]])
    assert dict(held.statistics.pairs[0].counts) == turned


def test_a_title_of_two_cells_above_two_columns(made: Any) -> None:
    held = made("Bevolking;leeftijd\nage;aantal\n17;328\n18;447\n")
    assert counts(held) == {"17": 328, "18": 447}


@pytest.mark.parametrize(
    "written",
    [
        [["age", "North", None, "South", None], [None, "f", "m", "f", "m"], [17, 1, 2, 3, 4]],
        [[None, "North", None, "South", None], ["age", "f", "m", "f", "m"], [17, 1, 2, 3, 4]],
        "age,North,North,South,South\n,f,m,f,m\n17,1,2,3,4\n",
    ],
)
def test_three_attributes_are_refused(made: Any, written: Any) -> None:
    with pytest.raises(InputError, match=r"2 groups \(North, South\).*three attributes"):
        made(written)


def test_excel_is_never_told_of_commas(made: Any) -> None:
    with pytest.raises(InputError, match="right of the heading") as told:
        made([["age", "n"], [17, 5], [18, 6, "late"]])
    assert "comma" not in str(told.value)


def test_formulas_without_a_result(made: Any) -> None:
    with pytest.raises(InputError, match=r"no numbers.*\n.*formulas"):
        made([["age", "n"], [17, "=1+1"], [18, "=2+2"]])
    held = made([["age", "f", "m", "Total"], [17, 1, 2, "=B2+C2"], [18, 3, 4, "=B3+C3"]],
                "age_by_sex")  # fmt: skip
    assert "the column 'Total' is empty" in held.read[0]
    assert counts(held) == {"17": 3, "18": 7}


def test_labels_that_excel_made_dates_of(made: Any) -> None:
    held = made([["size", "n"], [datetime.date(2024, 5, 1), 5], ["6-10", 6]])
    assert "a label is a date (2024-05-01): spreadsheets make dates" in held.read[0]


CROSS = {
    "a corner of two names": ("t", "age \\ region,N,S\n17,160,168\n18,220,227\n"),
    "the file's name": ("age_by_region", "age,N,S\n17,160,168\n18,220,227\n"),
    "a count column is the total": (
        "age_by_region",
        "age,North,South,Persons\n17,160,168,328\n18,220,227,447\n",
    ),
}


@pytest.mark.parametrize("written", CROSS)
def test_a_cross_table_with_a_column_that_seems_to_count(made: Any, written: str) -> None:
    name, text = CROSS[written]
    held = made(text, name).statistics
    assert held.names == ("age", "region")
    assert sorted(held.pairs[0].counts.values()) == [160, 168, 220, 227]
    assert held.records == 775
