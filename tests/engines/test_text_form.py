"""One value, one text, whatever it came from."""

from __future__ import annotations

import datetime
from decimal import Decimal

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reidrisk.records.memory.coding import MANY_VALUES, Labelling, code_column, distinct_values
from reidrisk.records.sql.queries import sql_text_form
from reidrisk.records.text_forms import text_form, value_form
from tests.engines.tables import CELLS

SAME = {
    "39": [39, 39.0, " 39", "39.0", "39.", "39.00", Decimal(39), Decimal("39.00"), np.int64(39)],
    "01234": ["01234", " 01234 "],
    "0": [0, -0.0, "-0", "-0.0", "0.", Decimal("-0")],
    "-7": [-7, "-7.0"],
    "true": [True, "True", "TRUE", "true"],
    "false": [False, "False"],
    "1984-03-01": [
        datetime.date(1984, 3, 1),
        datetime.datetime(1984, 3, 1),
        "1984-03-01 00:00:00",
        "1984-03-01T00:00:00.000",
    ],
    "1984-03-01T10:30:00.5": [
        datetime.datetime(1984, 3, 1, 10, 30, 0, 500000),
        "1984-03-01 10:30:00.500",
    ],
    "3.5": [3.5, Decimal("3.50"), "3.5"],
    "0.1": [0.1, Decimal("0.1")],
    "+39": ["+39"],
    "1e3": ["1e3"],
    "1000": [1e3, "1000"],
    "10000000000000000000000": [1e22],
}


@pytest.mark.parametrize("text", SAME)
def test_forms_that_are_one_value(text: str) -> None:
    assert {value_form(value) for value in SAME[text]} == {text}


@pytest.mark.parametrize("nothing", [None, "", "   ", "\t", "\u2003", float("nan"), Decimal("NaN")])
def test_nothing_is_no_value(nothing: object) -> None:
    assert value_form(nothing) is None


@given(st.text(max_size=12))
def test_the_form_of_a_form_is_itself(text: str) -> None:
    form = text_form(text)
    assert form is None or text_form(form) == form


numberlike = st.from_regex(r"-?[0-9]{1,3}(\.[0-9]{0,3})?", fullmatch=True)
momentlike = st.from_regex(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[ T](00:00:00|[0-9]{2}:[0-9]{2}:[0-9]{2})(\.[0-9]{0,4})?(Z|\+01)?",
    fullmatch=True,
)
texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)
spaced = st.tuples(st.sampled_from(["", " ", "\t", "\u00a0"]), numberlike | momentlike | texts)


@given(st.lists(spaced.map("".join) | st.sampled_from([c for c in CELLS if c]), min_size=1))
def test_sql_says_the_same(cells: list[str]) -> None:
    with duckdb.connect() as session:
        session.register("t", pa.table({"x": cells, "n": range(len(cells))}))
        form = sql_text_form('"x"', "text")
        found = session.execute(f"SELECT {form} FROM t ORDER BY n").fetchall()
    assert [row[0] for row in found] == [text_form(cell) for cell in cells]


def test_typed_columns_have_the_same_form_in_arrow_and_sql() -> None:
    typed = {
        "whole": pa.array([39, -1, None], pa.int16()),
        "big": pa.array([2**63 - 1, 0, None], pa.int64()),
        "unsigned": pa.array([2**64 - 1, 0, None], pa.uint64()),
        "fraction": pa.array([39.0, float("nan"), -2.0]),
        "single": pa.array([39.0, None, 0.1], pa.float32()),
        "decimal": pa.array([Decimal("39.00"), Decimal("0.50"), None], pa.decimal128(9, 2)),
        "boolean": pa.array([True, False, None]),
        "day": pa.array([datetime.date(1984, 3, 1), None, datetime.date(2, 1, 1)]),
        "moment": pa.array(
            [datetime.datetime(1984, 3, 1), datetime.datetime(1984, 3, 1, 7, 5, 1, 2), None],
            pa.timestamp("us"),
        ),
        "nano": pa.array([0, 1_500_000_000, None], pa.timestamp("ns")),
        "zoned": pa.array([0, 1_500_000, None], pa.timestamp("us", "UTC")),
        "view": pa.array(["a", "b ", None], pa.string_view()),
        "large": pa.array(["a", "b ", None], pa.large_string()),
    }
    import reidrisk as rr

    table = pa.table(typed)
    for name in typed:
        options = {"columns": [name], "decimals": {name: 3}} if name in {"single"} else {}
        answers = [
            rr.read(table, engine=engine, **(options or {"columns": [name]})).engine.marginal(name)
            for engine in ("codes", "duckdb")
            if name != "decimal"
        ]
        assert len({tuple(sorted(answer.values)) for answer in answers}) <= 1, name
        assert len({answer.missing for answer in answers}) <= 1, name


def test_very_many_values_have_the_same_form() -> None:
    """Beyond MANY_VALUES Arrow looks first; the forms must not change with it."""
    cells = [f"v{i}" for i in range(MANY_VALUES)] + [c for c in CELLS if c is not None]
    cells += ["gone", " v1", "-00", "00.0", "\u3000x", "x\x1f"]
    labelling = Labelling(frozenset({"gone", "v2", "?"}))
    column = code_column("x", [pa.array(cells)], labelling)
    texts = [*column.values.to_pylist(), None]
    assert [texts[code] for code in column.codes] == [labelling(cell) for cell in cells]


def test_very_many_whole_numbers_have_the_same_form() -> None:
    numbers = [-1, 0, 2**63 - 1, *range(7, MANY_VALUES + 10)]
    labelling = Labelling(frozenset({"7", "-1"}))
    column = code_column("x", [pa.array(numbers, pa.int64())], labelling)
    texts = [*column.values.to_pylist(), None]
    assert [texts[code] for code in column.codes] == [labelling(number) for number in numbers]


def test_lists_are_refused() -> None:
    from reidrisk.errors import UnusableColumn

    with pytest.raises(UnusableColumn, match="'x' holds lists"):
        distinct_values("x", pa.array([[1], [2]]))


def test_very_many_values_in_several_chunks() -> None:
    cells = [f"v{i}" for i in range(MANY_VALUES)] + ["39.0", None]
    chunks = [pa.array(part).dictionary_encode() for part in (cells, cells[::-1], ["39", "v1"])]
    column = code_column("x", chunks, Labelling())
    texts = [*column.values.to_pylist(), None]
    wanted = [*cells, *cells[::-1], "39", "v1"]
    assert [texts[code] for code in column.codes] == ["39" if c == "39.0" else c for c in wanted]
