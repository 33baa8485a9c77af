"""Small tables as people type or download them, made into statistics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import reidrisk as rr
from reidrisk.crowds import apportioned
from reidrisk.errors import InputError
from reidrisk.records.read_options import ReadOptions
from reidrisk.statistics.statistics import PairCounts, Statistics, Suppressed
from reidrisk.statistics.tables.cells import readings
from reidrisk.statistics.tables.compilation import compiled


@pytest.fixture
def typed(tmp_path: Path) -> Any:
    """Write tables, compile them."""

    def make(tables: dict[str, str], **given: Any) -> Statistics:
        paths = []
        for name, text in tables.items():
            path = tmp_path / name
            path.write_text(text, encoding=given.get("encoding", "utf-8"))
            paths.append(path)
        return rr.compile(paths, **{k: v for k, v in given.items() if k != "encoding"})

    return make


def counts(statistics: Statistics, name: str) -> dict[str, Any]:
    return dict(statistics.attribute(name).counts)


MARGINALS = {
    "plain": "age,people\n17,328\n18,447\n",
    "semicolons": "age;people\n17;328\n18;447\n",
    "tabs": "age\tpeople\n17\t328\n18\t447\n",
    "total": "age,people\n17,328\n18,447\nTotal,775\n",
    "total first": "age,people\nAll ages,775\n17,328\n18,447\n",
    "German total": "age;Anzahl\n17;328\n18;447\nInsgesamt;775\n",
    "title and source": "Table 3,\n\nage,people\n17,328\n18,447\n\nSource: an office,\n",
    "note without a gap": "age,people\n17,328\n18,447\n* provisional,\n",
    "number and per cent": "age,number,%\n17,328,42.3\n18,447,57.7\nTotal,775,100\n",
    "footnote marks": "age,people\n17,328*\n18,447 (p)\n",
    "white space": "age , people\n 17 , 328 \n18, 447\n",
    "quoted": '"age","people"\n"17","328"\n"18","447"\n',
    "blank lines": "\n\nage,people\n17,328\n18,447\n\n\n",
}


@pytest.mark.parametrize("written", MARGINALS)
def test_two_columns_are_an_attribute(typed: Any, written: str) -> None:
    held = typed({"age.csv": MARGINALS[written]})
    assert held.records == 775
    assert counts(held, "age") == {"17": 328, "18": 447}
    assert held.pairs == ()


def test_without_a_heading_the_file_names_the_attribute(typed: Any) -> None:
    held = typed({"sex.csv": "female,52\nmale,48\n"})
    assert counts(held, "sex") == {"female": 52, "male": 48}


def test_a_year_as_a_heading_is_no_count(typed: Any) -> None:
    assert counts(typed({"sex.csv": "sex,2015\nfemale,52\nmale,48\n"}), "sex")["male"] == 48


THE_PAIR = {("17", "f"): 160, ("17", "m"): 168, ("18", "f"): 220, ("18", "m"): 227}
PAIRS = {
    "long": ("p.csv", "age,sex,people\n17,f,160\n17,m,168\n18,f,220\n18,m,227\n"),
    "long, numbers second": ("p.csv", "sex,age,n\nf,17,160\nf,18,220\nm,17,168\nm,18,227\n"),
    "long, label once": ("p.csv", "age,sex,people\n17,f,160\n,m,168\n18,f,220\n,m,227\n"),
    "long with totals": (
        "p.csv",
        "age,sex,people\n17,f,160\n17,m,168\n17,Total,328\n18,f,220\n18,m,227\n18,Total,447\n",
    ),
    "cross, corner": ("p.csv", "age \\ sex,f,m\n17,160,168\n18,220,227\n"),
    "cross, corner by": ("p.csv", "age by sex;f;m\n17;160;168\n18;220;227\n"),
    "cross, file name": ("age_by_sex.csv", "age,f,m\n17,160,168\n18,220,227\n"),
    "cross, nothing in the corner": ("age_by_sex.csv", ",f,m\n17,160,168\n18,220,227\n"),
    "cross, name above": ("p.csv", ",sex,\nage,f,m\n17,160,168\n18,220,227\n"),
    "cross with totals": (
        "age_by_sex.csv",
        "age,f,m,Total\n17,160,168,328\n18,220,227,447\nTotal,380,395,775\n",
    ),
}


@pytest.mark.parametrize("written", PAIRS)
def test_three_columns_and_cross_tables_are_pairs(typed: Any, written: str) -> None:
    name, text = PAIRS[written]
    held = typed({name: text})
    assert held.records == 775
    pair = held.pair("age", "sex")
    assert pair is not None
    assert dict(pair.counts) == THE_PAIR
    assert counts(held, "age") == {"17": 328, "18": 447}
    assert counts(held, "sex") == {"f": 380, "m": 395}


@pytest.mark.parametrize("sheet", [None, "second"])
def test_excel(tmp_path: Path, sheet: str | None) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    place = book.active if sheet is None else book.create_sheet(sheet)
    for row in (["A title"], [], ["age \\ sex", "f", "m"], [17, 160, 168], [18, 220, 227]):
        place.append(row)
    path = tmp_path / "table.xlsx"
    book.save(path)
    held = rr.compile(path, writing=ReadOptions(sheet=sheet))
    assert dict(held.pairs[0].counts) == THE_PAIR


@pytest.mark.parametrize(
    ("written", "numbers"),
    [
        (["1,234", "12", "1,234,567"], [1234, 12, 1234567]),
        (["1.234", "12", "1.234.567"], [1234, 12, 1234567]),
        (["1 234", "12"], [1234, 12]),
        (["1\u202f234", "1\u00a0234"], [1234, 1234]),
        (["1'234", "12"], [1234, 12]),
        (["12.5", "87.5"], [12.5, 87.5]),
        (["12,5", "87,5"], [12.5, 87.5]),
        (["1.234,5", "3"], [1234.5, 3]),
        (["1,234.5", "3"], [1234.5, 3]),
        (["0.125", "0.875"], [0.125, 0.875]),
        (["12,5 %", "87,5%"], [12.5, 87.5]),
        (["-", "–", "5"], [0, 0, 5]),
    ],
)
def test_marks(written: list[str], numbers: list[float]) -> None:
    first = readings(written)[0]
    assert [float(number) for number in first.numbers] == numbers


@pytest.mark.parametrize(
    ("text", "below"),
    [
        ("<5", 5),
        ("< 10", 10),
        ("≤4", 5),
        ("1-4", 5),
        ("x", None),
        ("..", None),
        ("", None),
        (".", None),
        ("/", None),
    ],
)
def test_held_back(text: str, below: int | None) -> None:
    assert readings([text])[0].numbers == (Suppressed(below),)


@pytest.mark.parametrize("text", ["twelve", "1,2,3", "1.2.3", "12 5", "5-1x", "--", ",", "-."])
def test_what_is_no_number(text: str) -> None:
    assert readings([text]) == []


def test_marks_that_could_be_either_are_settled_by_the_sum(typed: Any) -> None:
    """12.345 + 87.655 is a hundred per cent; 12.345 + 1.655 people are fourteen thousand."""
    shares = typed({"sex.csv": "sex,people\nf,12.345\nm,87.655\n"}, records=200_000)
    assert counts(shares, "sex") == {"f": 24690, "m": 175310}
    people = typed({"sex.csv": "sex,people\nf,12.345\nm,1.655\n"}, records=14_000)
    assert counts(people, "sex") == {"f": 12345, "m": 1655}


@pytest.mark.parametrize(
    "text",
    [
        "sex,per cent\nf,52.5\nm,47.5\n",
        "sex,people\nf,52.5 %\nm,47.5 %\n",
        "sex,share\nf,0.525\nm,0.475\n",
        "sex;Prozent\nf;52,5\nm;47,5\nGesamt;100\n",
        "sex,people\nf,52.5\nm,47.5\nTotal,100.0\n",
    ],
)
def test_shares_become_people(typed: Any, text: str) -> None:
    held = typed({"sex.csv": text}, records=1000)
    assert counts(held, "sex") == {"f": 525, "m": 475}


def test_shares_say_how_finely_they_are_known(typed: Any) -> None:
    held = typed({"sex.csv": "sex,%\nf,52.5\nm,47.5\n"}, records=30_000)
    assert held.rounded_to == 30
    assert typed({"sex.csv": "sex,%\nf,52.5\nm,47.5\n"}, records=1000).rounded_to is None


def test_per_cent_that_miss_a_hundred_by_rounding_still_add_up(typed: Any) -> None:
    held = typed({"a.csv": "a,%\nx1,33.3\ny,33.3\nz,33.3\n"}, records=100)
    assert sorted(counts(held, "a").values()) == [33, 33, 34]


def test_per_cent_within_each_row_need_the_rows_counts(typed: Any) -> None:
    within = "age,f,m,Total\n17,50.0,50.0,100\n18,25.0,75.0,100\n"
    held = typed({"age.csv": "age,n\n17,40\n18,80\n", "age_by_sex.csv": within})
    assert dict(held.pairs[0].counts) == {
        ("17", "f"): 20, ("17", "m"): 20, ("18", "f"): 20, ("18", "m"): 60,
    }  # fmt: skip
    assert counts(held, "sex") == {"f": 40, "m": 80}
    with pytest.raises(InputError, match="per cent within each age, which needs the counts"):
        typed({"age_by_sex.csv": within}, records=120)


def test_per_cent_within_each_column(typed: Any) -> None:
    within = "age,f,m\n17,40,60.5\n18,60,39.5\n"
    held = typed({"sex.csv": "sex,n\nf,100\nm,200\n", "age_by_sex.csv": within})
    assert dict(held.pairs[0].counts) == {
        ("17", "f"): 40, ("17", "m"): 121, ("18", "f"): 60, ("18", "m"): 79,
    }  # fmt: skip


def test_counts_are_taken_before_shares_that_agree(typed: Any) -> None:
    exact = "age,f,m\n17,160,168\n18,220,227\n"
    held = typed({"sex.csv": "sex,%\nf,49\nm,51\n", "age_by_sex.csv": exact})
    assert counts(held, "sex") == {"f": 380, "m": 395}
    assert held.rounded_to is None
    with pytest.raises(InputError, match=r"sex\.csv has 310 people with 'f'"):
        typed({"sex.csv": "sex,%\nf,40\nm,60\n", "age_by_sex.csv": exact})


def test_held_back_cells_are_kept_as_such(typed: Any) -> None:
    held = typed({"age_by_sex.csv": "age,f,m,Total\n17,<5,168,170\n18,220,x,447\n85+,,9,9\n"},
                 records=626)  # fmt: skip
    pair = held.pairs[0].counts
    assert pair["17", "f"] == Suppressed(5)
    assert pair["18", "m"] == Suppressed()
    assert pair["85+", "f"] == Suppressed()
    assert counts(held, "age") == {"17": 170, "18": 447, "85+": 9}
    assert counts(held, "sex") == {"f": Suppressed(), "m": Suppressed()}


def test_column_totals_say_how_many_people_there_are(typed: Any) -> None:
    held = typed({"age_by_sex.csv": "age,f,m\n17,x,15\n18,20,.\nTotal,40,35\n"})
    assert held.records == 75
    assert counts(held, "sex") == {"f": 40, "m": 35}


def test_zeros_behind_the_mark_are_no_fractions(typed: Any) -> None:
    assert counts(typed({"a.csv": "a,n\nx1,12.0\ny,30.00\n"}), "a") == {"x1": 12, "y": 30}
    assert typed({"a.csv": "a,n\nx1,12.0\ny,30.00\n"}).rounded_to is None
    with pytest.raises(InputError, match="say it with records=N"):
        typed({"a.csv": "a,n\nx1,70.0\ny,30.0\n"})


def test_labels_of_no_value_are_missing(typed: Any) -> None:
    held = typed({"age.csv": "age,n\n17,10\nnot stated,3\n"})
    assert held.attribute("age").missing == 3
    pair = typed({"age_by_sex.csv": "age,f,m\n17,10,5\nUnknown,1,2\n"}).pairs[0]
    assert pair.counts[None, "f"] == 1


def test_the_same_band_written_differently_is_one_value(typed: Any) -> None:
    tables = {
        "age.csv": "age,n\n20-24,30\n25-29,40\n85+,5\n",
        "age_by_sex.csv": "age,Female,Male\n20–24,10,20\n[25-30),20,20\n85 and over,2,3\n",
        "sex.csv": "sex,n\nfemale,32\nmale,43\n",
    }
    held = typed(tables)
    pair = held.pair("age", "sex")
    assert pair is not None
    assert pair.counts["25-29", "female"] == 20
    assert pair.counts["85+", "male"] == 3


def notes_on(tmp_path: Path, tables: dict[str, str], **given: Any) -> tuple[str, ...]:
    paths = []
    for name, text in tables.items():
        paths.append(tmp_path / name)
        paths[-1].write_text(text)
    made = compiled(paths, given.get("records"), None, None, "", ReadOptions())
    return (*made.read, *made.notes)


def test_the_same_attribute_written_differently_is_one(tmp_path: Path, typed: Any) -> None:
    tables = {"a.csv": "Age,n\n17,30\n18,40\n", "b.csv": "age \\ sex,f,m\n17,10,20\n18,20,20\n"}
    assert typed(tables).names == ("Age", "sex")
    assert "b.csv: the attribute age was taken as Age" in notes_on(tmp_path, tables)


def test_bands_that_overlap_are_said(tmp_path: Path) -> None:
    said = notes_on(tmp_path, {"a.csv": "age,n\n0-10,30\n10-20,40\n20-30,40\n"})
    assert said[-1] == "age: the bands 0-10 and 10-20 overlap, and 1 more"
    assert "overlap" not in notes_on(tmp_path, {"b.csv": "age,n\n0-9,3\n10-19,4\n"})[-1]


def test_other_encodings(typed: Any) -> None:
    held = typed({"a.csv": "Alter;Anzahl\nMänner;5\nFrauen;6\n"}, encoding="cp1252")
    assert counts(held, "Alter") == {"Männer": 5, "Frauen": 6}


BAD: dict[str, tuple[dict[str, str], dict[str, Any], str]] = {
    "total": ({"a.csv": "a,n\nx1,5\ny,6\nTotal,12\n"}, {}, "total is 12, its cells add up to 11"),
    "row total": (
        {"a_by_b.csv": "a,p,q,Total\nx1,5,6,12\n"},
        {},
        "total of 'x1' is 12, its cells add up to 11",
    ),
    "held back can't reach it": (
        {"a.csv": "a,n\nx1,<5\ny,6\nTotal,12\n"},
        {},
        "total is 12, its cells add up to at most 10",
    ),
    "two sizes": (
        {"a.csv": "a,n\nx1,5\ny,6\n", "b.csv": "b,n\np,5\nq,5\n"},
        {},
        r"a\.csv counts 11 people.*b\.csv counts 10 people",
    ),
    "records": ({"a.csv": "a,n\nx1,5\ny,6\n"}, {"records": 12}, "add up to 11, fewer than the 12"),
    "no size": ({"a.csv": "a,%\nx1,50\ny,50\n"}, {}, "how many people.*records=N"),
    "no number": ({"a.csv": "a,n\nx1,five\ny,6\n"}, {}, "cell of 'x1' is neither a number"),
    "negative": ({"a.csv": "a,n\nx1,-5\ny,6\n"}, {}, "negative"),
    "fractions": ({"a.csv": "a,n\nx1,5.5\ny,6.2\n"}, {}, "add up to 11.7, neither to 1 nor to 100"),
    "announced shares": ({"a.csv": "a,%\nx1,5\ny,6\n"}, {"records": 9}, "add up to 11, neither"),
    "twice": ({"a.csv": "a,n\nx1,5\nx1,6\n"}, {}, "two cells for 'x1'"),
    "two tables": (
        {"a.csv": "a,n\nx1,5\n", "b.csv": "a,n\nx1,5\n"},
        {},
        "two tables give the counts of 'a'",
    ),
    "no name across": ({"t.csv": "age,f,m\n17,5,6\n"}, {}, "the attribute across has no name"),
    "unquoted": ({"a.csv": "a,n\nx1,5\ny,1,234\n"}, {}, "3 cells where the heading has 2"),
    "one column": ({"a.csv": "a\nx1\ny\n"}, {}, "one column only"),
    "empty": ({"a.csv": "\n\n"}, {}, "is empty"),
    "heading only": ({"a.csv": "a,n\n"}, {}, "nothing below it"),
    "totals only": ({"a.csv": "a,n\nTotal,5\n"}, {}, "nothing but totals"),
    "which column": (
        {"a.csv": "a,b,c,d\nx1,p,5,6\nx1,q,5,6\n"},
        {},
        "which one counts people",
    ),
    "no heading": ({"a.csv": "x1,p,5\nx1,q,6\n"}, {}, "first line isn't a heading"),
    "other labels": (
        {"a.csv": "a,n\nx1,5\ny,6\n", "a_by_b.csv": "a,p,q\nx1,2,3\nz,3,3\n"},
        {},
        "'a' has no value 'z'",
    ),
    "statistics": (
        {"a.csv": '{"format": "reidrisk-statistics/1"}'},
        {},
        "is a statistics file already",
    ),
    "nobody": ({"a.csv": "a,n\nx1,0\ny,0\n"}, {}, "the tables count nobody"),
    "zip": ({"a.csv": "PK\x03\x04"}, {}, "isn't text"),
    "no records": ({"a.csv": "a,n\nx1,5\n"}, {"records": 0}, "whole number from 1"),
    "rounded": (
        {"a.csv": "a,n\np,50\nq,60\nr,70\ns,80\nTotal,250\n"},
        {},
        "multiple of 10: if rounded, say rounded_to=10",
    ),
}


@pytest.mark.parametrize("fault", BAD)
def test_bad_tables(typed: Any, fault: str) -> None:
    tables, given, said = BAD[fault]
    with pytest.raises(InputError, match=f"(?s){said}"):
        typed(tables, **given)


def test_rounded_tables_pass_when_they_say_so(typed: Any) -> None:
    held = typed({"a.csv": "a,n\np,50\nq,60\nr,70\ns,80\nTotal,250\n"}, rounded_to=10)
    assert held.rounded_to == 10
    assert held.records == 250


def test_how_each_table_was_read_is_said(tmp_path: Path) -> None:
    path = tmp_path / "a_by_b.csv"
    path.write_text("A title\n\na,p,q,Total\nx1,25.0,25.0,50.0\ny,25.0,25.0,50.0\n\nSource: us\n")
    made = compiled([path], 100, None, None, "", ReadOptions())
    assert made.read == (
        "a_by_b.csv: per cent of 2 values of a by 2 of b; totals checked and left out; "
        "a line above the heading was left out; a line below the table was left out",
    )


@given(st.lists(st.fractions(0, 10), min_size=1, max_size=8), st.integers(0, 1000))
def test_largest_remainders(weights: list[Any], people: int) -> None:
    found = apportioned(weights, people)
    if sum(weights):
        assert sum(found) == people
        exact = [weight * people / sum(weights) for weight in weights]
        assert all(abs(have - want) < 1 for have, want in zip(found, exact, strict=True))


names = st.text("abcdefghij", min_size=2, max_size=5)
styles = st.sampled_from([(",", ""), (",", ","), (";", "."), ("\t", " "), (";", "'")])


@given(
    st.lists(names, min_size=2, max_size=6, unique=True),
    st.lists(names, min_size=2, max_size=4, unique=True),
    st.data(),
    styles,
    st.booleans(),
)
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory,
    down: list[str],
    across: list[str],
    data: st.DataObject,
    style: tuple[str, str],
    totals: bool,
) -> None:
    """Any cross-table, in any delimiter and thousands mark, with or without totals."""
    delimiter, mark = style
    held = {(a, b): data.draw(st.integers(0, 3_000_000)) for a in down for b in across}
    rows = [["p \\ q", *across, *(["Total"] if totals else [])]]
    for a in down:
        numbers = [held[a, b] for b in across]
        rows.append([a, *map(str, numbers), *([str(sum(numbers))] if totals else [])])
    path = tmp_path_factory.mktemp("typed") / "table.csv"
    path.write_text(
        "\n".join(delimiter.join(_marked(cell, mark, delimiter) for cell in row) for row in rows)
    )
    if sum(held.values()) == 0:
        return
    try:
        compiled_again = rr.compile(path)
    except InputError as refused:
        # A line that is the sum of others, by chance, is taken for a total.
        if "is the sum of" not in str(refused):
            raise
        assume(False)
    assert compiled_again.pairs == (PairCounts(("p", "q"), held),)
    assert compiled_again.records == sum(held.values())


def _marked(cell: str, mark: str, delimiter: str) -> str:
    if not cell.isdigit():
        return cell
    marked = f"{int(cell):,}".replace(",", mark) if mark else cell
    return f'"{marked}"' if delimiter in marked else marked
