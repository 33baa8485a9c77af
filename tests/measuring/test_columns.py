"""What is in a table: exact counts, likely roles, the option to copy."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq
import pytest

import reidrisk as rr
from reidrisk.records import roles
from reidrisk.records.sql import duckdb_columns

ROWS = 400
rng = np.random.default_rng(0)
TABLE = {
    "patient_nbr": [f"P{i // 2}" for i in range(ROWS)],
    "email": [f"u{i}@example.org" for i in range(ROWS)],
    "postcode": [f"{i % 90:04d}" for i in range(ROWS)],
    "age": rng.integers(0, 90, ROWS).tolist(),
    "born": [f"19{i % 60 + 30}-0{i % 9 + 1}-1{i % 10}" for i in range(ROWS)],
    "smoker": [i % 3 == 0 for i in range(ROWS)],
    "country": ["NL"] * ROWS,
    "income": (rng.random(ROWS) * 1000).tolist(),
    "note": [
        f"patient number {i} came in on a rainy day and told us about it" for i in range(ROWS)
    ],
    "count": rng.integers(1, 9, ROWS).tolist(),
    "fnlwgt": rng.integers(1000, 90_000, ROWS).tolist(),
    "some, time": [None if i % 4 else "yes" for i in range(ROWS)],
    "nothing": [None] * ROWS,
}
ROLES = {
    "patient_nbr": ("text", "identifier"),
    "email": ("text", "identifier"),
    "postcode": ("code", "quasi-identifier"),
    "age": ("whole number", "quasi-identifier"),
    "born": ("date", "quasi-identifier"),
    "smoker": ("true/false", "quasi-identifier"),
    "country": ("text", "constant"),
    "income": ("number with fractions", "measurement"),
    "note": ("text", "free text"),
    "count": ("whole number", "count"),
    "fnlwgt": ("whole number", "weight"),
    "some, time": ("text", "quasi-identifier"),
    "nothing": ("empty", "constant"),
}


@pytest.mark.parametrize("name", ROLES)
def test_kinds_and_roles(name: str) -> None:
    profile = {column.name: column for column in rr.columns(TABLE).columns}[name]
    assert (profile.kind, profile.role) == ROLES[name]
    present = [value for value in TABLE[name] if value is not None]
    assert profile.distinct == len(set(present))
    assert profile.empty == ROWS - len(present)


def test_the_option_to_copy_is_what_measure_takes() -> None:
    profile = rr.columns(TABLE)
    chosen = ["postcode", "age", "born", "smoker", "'some, time'"]
    options = [*(f"--column {name}" for name in chosen), "--count count"]
    assert profile.columns_option == " ".join(options)
    table = rr.read(TABLE)
    left = {"patient_nbr", "email", "income", "note", "count", "fnlwgt"}
    assert set(table.columns) == set(TABLE) - left
    assert all(name in table.warnings[0] for name in left)
    assert "--person patient_nbr" in table.unit.warning
    assert any("--weight fnlwgt" in said for said in table.warnings)


def test_names_with_commas_are_repeated() -> None:
    option = rr.columns({"a, b": ["x", "y", "x"], "c": ["p", "q", "q"]}).columns_option
    assert option == "--column 'a, b' --column c"


def test_a_small_table_has_no_identifiers_by_number() -> None:
    """Four people of four ages: too few rows to call the age an identifier."""
    assert rr.read({"age": [1, 2, 3, 4]}).columns == ("age",)


def test_the_first_look_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(roles, "FIRST_LOOK", 10)
    profile = rr.columns({"late": ["a"] * 50 + ["b"] * 50})
    assert profile.columns[0].role == "quasi-identifier"
    assert profile.columns[0].distinct == 2


def test_columns_print_themselves() -> None:
    told = str(rr.columns({"東京": ["a", None], "sex": ["f", "m"]}))
    lines = told.splitlines()
    assert lines[0] == "2 likely quasi-identifiers (the table from Python: 2 rows, 2 columns)"
    assert "To copy: --columns '東京,sex'" in told
    # Wide characters take two places, so the columns still line up.
    assert lines[3].index("text") + len("東京") == lines[4].index("text")


NAMES = {
    "Postal code": ([f"{10_000 + i}" for i in range(200)], "quasi-identifier"),
    "DOB": ([f"{i % 28 + 1:02d}/{i % 12 + 1:02d}/{1900 + i % 90}" for i in range(200)],
            "quasi-identifier"),
    "geboren": ([f"{i % 28 + 1:02d}.{i % 12 + 1:02d}.{1900 + i % 90}" for i in range(200)],
                "quasi-identifier"),
    "patient": ([f"p{i // 2}" for i in range(200)], "identifier"),
    "customerId": (list(range(200)), "identifier"),
    "pwgt_r": ([100 + i % 80 for i in range(200)], "quasi-identifier"),
    "pwgtp": ([100 + i % 80 for i in range(200)], "weight"),
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_names_have_a_say(name: str) -> None:
    values, role = NAMES[name]
    assert rr.columns({name: values, "x": ["a", "b"] * 100}).columns[0].role == role


def test_only_identifiers_by_name_hint_at_persons() -> None:
    table = {"plz": [f"{i % 195}" for i in range(200)], "x": ["a", "b"] * 100}
    assert rr.read(table).warnings == ()
    visits = {"patient": [f"p{i // 2}" for i in range(200)], "x": ["a", "b"] * 100}
    assert "--person patient" in rr.read(visits).unit.warning


def test_the_first_rows_are_judged_by_their_own_values(tmp_path) -> None:
    """A slice of a column keeps the dictionary of the whole; that must not count."""
    path = tmp_path / "t.csv"
    path.write_text("code,sex\n" + "".join(f"{i % 130_000},f\n" for i in range(150_000)))
    look = {column.name: column for column in rr.columns(path).columns}["code"]
    assert look.why == "100% of its values are different"
    assert look.distinct == 130_000


def long_table(tmp_path: Path) -> Path:
    """Columns of many values and of few, with empty cells of every kind."""
    rows = 120_000
    columns = {
        "number": list(range(rows)),
        "name": [
            (f"n{i}", None, "", " \u2003", "NA")[i % 5 if i % 7 == 0 else 0] for i in range(rows)
        ],
        "share": [math.nan if i % 11 == 0 else i / 7 for i in range(rows)],
        "sex": ["f", "m", " m", None][:] * (rows // 4),
        "late": ["a"] * (rows - 1) + ["b"],
        "nothing": [None] * rows,
        "lists": [[1, 2]] * rows,
    }
    table = pa.table(columns)
    pq.write_table(table, tmp_path / "long.parquet")
    arrow_csv.write_csv(table.drop(["lists"]), tmp_path / "long.csv")
    return tmp_path


@pytest.mark.parametrize("name", ["long.parquet", "long.csv"])
def test_a_long_table_is_estimated_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    path = long_table(tmp_path) / name
    exact = {column.name: column for column in rr.columns(path, empty=["n7"]).columns}
    monkeypatch.setattr(duckdb_columns, "MOST_CELLS", 100_000)
    profile = rr.columns(path, empty=["n7"])
    assert profile.rows == 120_000
    for column in profile.columns:
        known = exact[column.name]
        assert (column.empty, column.kind, column.role) == (known.empty, known.kind, known.role)
        if column.name in ("number", "name", "share"):
            assert column.approximate
            assert column.distinct_error == duckdb_columns.ERROR
            assert column.distinct == pytest.approx(known.distinct, rel=2 * duckdb_columns.ERROR)
        else:
            assert column == known
    text = str(profile)
    assert "about 1" in text
    assert "estimated, not counted" in text
    said = profile.to_dict()["columns"][0]
    assert (said["approximate"], said["distinct_error"]) == (True, duckdb_columns.ERROR)
    assert any("'NA'" in warning for warning in profile.envelope.warnings)


def test_a_table_of_few_cells_is_counted(tmp_path: Path) -> None:
    profile = rr.columns(long_table(tmp_path) / "long.parquet")
    assert not any(column.approximate for column in profile.columns)
    assert profile.columns[0].distinct == 120_000
    assert "about" not in str(profile).split("To copy")[0]


def test_a_column_that_only_begins_constant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = 130_000
    late = ["a"] * (roles.FIRST_LOOK + 1) + [f"v{i}" for i in range(rows)]
    pq.write_table(pa.table({"late": late}), tmp_path / "late.parquet")
    monkeypatch.setattr(duckdb_columns, "MOST_CELLS", 1000)
    (column,) = rr.columns(tmp_path / "late.parquet").columns
    assert (column.role, column.approximate) == ("quasi-identifier", True)
