"""Dates and numbers as tables write them: what is read into them, and that all engines agree."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

import reidrisk as rr
from reidrisk.errors import UnusableColumn
from reidrisk.records.text_forms import date_kind, date_order, number_marks, written_date

HERE = ("codes", "duckdb")


@pytest.mark.parametrize(
    ("texts", "kind", "last"),
    [
        (["1/2/2019", "31/12/2020"], "date, day first", (2020, 12, 31)),
        (["1/2/2019", "12/31/2020"], "date, month first", (2020, 12, 31)),
        (["1.2.2019", "3.12.2020"], "date, day first", (2020, 12, 3)),
        (["31-12-1984", "01-02-1985 10:30"], "date, day first", (1985, 2, 1)),
        (["2020/12/31", "2021/1/2"], "date", (2021, 1, 2)),
        (["20201231", "19840301"], "date", (1984, 3, 1)),
        (["3-Jan-2020", "14 March 1999"], "date", (1999, 3, 14)),
        (["03JAN84", "Jan 3, 2020"], "date", (2020, 1, 3)),
        (["31/12/29", "31/12/30"], "date, day first", (1930, 12, 31)),
        (["84-03-01", "01-03-31"], "date, year first", (2001, 3, 31)),
        (["12/31/2020 3:04 PM", "1/1/2020"], "date, month first", (2020, 1, 1)),
    ],
)
def test_common_orders_are_dates(texts: list[str], kind: str, last: tuple[int, int, int]) -> None:
    assert date_kind(texts) == kind
    assert written_date(texts[-1], date_order(texts)) == datetime.date(*last)


@pytest.mark.parametrize(
    "texts",
    [
        ["1/2/2019", "3/4/2020"],  # no value tells
        ["31/12/2020", "12/31/2020"],  # some tell the contrary
    ],
)
def test_an_order_that_no_value_tells_is_not_guessed(texts: list[str]) -> None:
    assert date_kind(texts) == "date, order unknown"
    assert all(written_date(text, date_order(texts)) is None for text in texts)


@pytest.mark.parametrize(
    "texts", [["99.99.2020"], ["1.2.10.4"], ["20201331"], ["12345678"], ["may 2020 be"], ["x"]]
)
def test_what_is_no_date_stays_a_text(texts: list[str]) -> None:
    assert date_kind(texts) is None


def _table(folder: Path, name: str, values: list[str], mark: str = ";") -> Path:
    path = folder / "people.csv"
    lines = [f"{name}{mark}sex"] + [f"{v}{mark}{'MF'[i % 2]}" for i, v in enumerate(values)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("engine", HERE)
def test_bands_of_dates_by_the_column(tmp_path: Path, engine: str) -> None:
    path = _table(tmp_path, "born", ["31/12/1984", "01/12/1984", "05/11/1984", "1984-12-24"])
    table = rr.read(path, columns=["born"], bands={"born": "1m"}, engine=engine)
    held = table.engine.marginal("born")
    assert dict(zip(held.values, held.counts.tolist(), strict=True)) == {
        "1984-12": 3, "1984-11": 1,
    }  # fmt: skip
    assert any("born: its dates are read day first" in said for said in table.warnings)


@pytest.mark.parametrize("engine", HERE)
def test_bands_of_months_are_refused_where_no_value_tells(tmp_path: Path, engine: str) -> None:
    path = _table(tmp_path, "born", ["01/12/1984", "05/11/1984", "05/11/1991"])
    with pytest.raises(UnusableColumn, match="isn't known") as fault:
        rr.read(path, columns=["born"], bands={"born": "1m"}, engine=engine)
    assert "--bands born=1y" in fault.value.hint
    table = rr.read(path, columns=["born"], bands={"born": "10y"}, engine=engine)
    assert sorted(table.engine.marginal("born").values) == ["1980-1989", "1990-1999"]


@pytest.mark.parametrize("engine", HERE)
def test_without_bands_dates_stay_as_recorded(tmp_path: Path, engine: str) -> None:
    path = _table(tmp_path, "born", ["1/12/1984", "01/12/1984", "31/12/1984"])
    assert rr.read(path, columns=["born"], engine=engine).engine.crowd_sizes().distinct == 3


def test_two_digit_years_say_their_century(tmp_path: Path) -> None:
    path = _table(tmp_path, "born", ["31/12/84", "01/12/29"])
    said = rr.read(path, columns=["born"], bands={"born": "10y"}).warnings
    assert any("two-digit years are read as 1930 to 2029" in sentence for sentence in said)


def test_dates_in_rules_and_proposals() -> None:
    from reidrisk.hierarchies.hierarchy import by_rule
    from reidrisk.hierarchies.proposed_hierarchies import coarser_ways, proposed

    values = ["31/12/1984", "01/02/1920"]
    rules = {"bands": ["10y"], "bottom": datetime.date(1930, 1, 1)}
    assert by_rule("born", rules, values).labels(values, 1) == ["1980-1989", "<1930-01-01"]
    assert proposed("born", [*values, "02/02/1920"]).label("01/02/1920", 1) == "1920-02"
    unknown = ["01/02/1984", "02/03/1991"]
    assert [how for _, how in coarser_ways(unknown)] == ["1y", "5y", "10y"]


@pytest.mark.parametrize(
    ("texts", "thousands"),
    [
        (["1.234,5", "12", "1.250"], "."),
        (["1,234.5", "7.25"], ","),
        (["1,234,567", "12"], ","),
        (["1.234", "12.5"], None),  # 1.234 is what it always was
        (["1,234", "2,500"], None),  # either
        (["1.234,5", "1,234.5"], None),  # they don't agree
        (["39,5", "1,2"], None),
    ],
)
def test_marks_between_thousands(texts: list[str], thousands: str | None) -> None:
    marks = number_marks(texts)
    assert (marks.thousands if marks else None) == thousands


@pytest.mark.parametrize("engine", HERE)
def test_numbers_with_marks_are_banded(tmp_path: Path, engine: str) -> None:
    path = _table(tmp_path, "income", ["1.234,5", "1.999", "12.000,0", "950"])
    table = rr.read(path, columns=["income"], bands={"income": 1000}, engine=engine)
    assert sorted(table.engine.marginal("income").values) == [
        "0-999", "1000-1999", "12000-12999",
    ]  # fmt: skip
    column, _ = rr.columns(path).columns
    assert (column.kind, column.role) == ("number with fractions", "measurement")


@pytest.mark.parametrize("engine", HERE)
def test_marks_beside_a_decimal_comma(tmp_path: Path, engine: str) -> None:
    """A number that has both marks is one number in a table of decimal commas."""
    path = _table(tmp_path, "income", ["1.234,5", "1234,5", "12,25", "950"])
    table = rr.read(path, columns=["income"], bands={"income": 0.5}, engine=engine)
    assert sorted(table.engine.marginal("income").values) == [
        "[12-12.5)", "[1234.5-1235)", "[950-950.5)",
    ]  # fmt: skip


def _people(folder: Path, text: str) -> Path:
    path = folder / "people.csv"
    path.write_text(text, encoding="utf-8")
    return path


MARKED = "age,work,country\n39,?,NA\n40,Private,DE\n-9,?,FR\n22,NA,GB\n"


@pytest.mark.parametrize("engine", HERE)
def test_what_may_mean_missing_is_named_with_the_option(tmp_path: Path, engine: str) -> None:
    path = _people(tmp_path, MARKED)
    said = rr.read(path, engine=engine).warnings[0]
    assert "age holds '-9' once; work holds '?' or 'NA' 3 times" in said
    # NA among codes of two letters is Namibia.
    assert "country" not in said
    assert "--empty='-9,?,NA'" in said
    assert said in rr.columns(path).envelope.warnings
    emptied = rr.read(path, engine=engine, empty=["-9", "?", "NA"])
    assert not any("missing" in sentence for sentence in emptied.warnings)


def test_nothing_is_changed_by_noticing(tmp_path: Path) -> None:
    table = rr.read(_people(tmp_path, MARKED))
    assert table.engine.marginal("work").missing == 0
    assert table.engine.crowd_sizes().distinct == 4


@pytest.mark.parametrize(
    "values",
    [
        ["-9", "-3", "12"],  # negative numbers are usual here
        ["999", "998", "1001"],
        ["99", "65"],
        ["none", "other"],
        ["1999", "2005"],
    ],
)
def test_values_that_are_likely_meant_are_not_named(values: list[str], tmp_path: Path) -> None:
    table = rr.read(_people(tmp_path, "x\n" + "\n".join(values * 3) + "\n"), columns=["x"])
    assert table.warnings == ()


def test_a_code_far_above_all_others_is_named(tmp_path: Path) -> None:
    table = rr.read(_people(tmp_path, "age\n30\n41\n999\n999\n"), columns=["age"])
    assert "age holds '999' 2 times" in table.warnings[0]


PLACES = "home_lat,longitude,dose\n52.12345,4.5,0.5\n52.2,4.75,1.5\n51.5,-3.25,2.5\n"


@pytest.mark.parametrize("engine", HERE)
def test_coordinates_are_quasi_identifiers(tmp_path: Path, engine: str) -> None:
    path = _people(tmp_path, PLACES)
    table = rr.read(path, engine=engine)
    assert table.columns == ("home_lat", "longitude")
    assert table.engine.crowd_sizes().distinct == 3
    assert any("--decimals home_lat=2,longitude=2" in said for said in table.warnings)
    rounded = rr.read(path, engine=engine, decimals={"home_lat": 0, "longitude": 0})
    assert not any("--decimals" in said for said in rounded.warnings)
    assert "--columns home_lat,longitude" in rr.columns(path).columns_option


def test_what_is_beyond_the_globe_is_a_measurement(tmp_path: Path) -> None:
    columns = rr.columns(_people(tmp_path, "lat,sex\n200.5,M\n10.25,F\n")).columns
    assert columns[0].role == "measurement"
