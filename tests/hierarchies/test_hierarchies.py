"""Hierarchies: from files and rules, proposed, and what doesn't fit."""

from __future__ import annotations

import gzip
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import reidrisk as rr
from reidrisk.errors import InputError
from reidrisk.hierarchies.hierarchy import Hierarchy
from reidrisk.hierarchies.hierarchy_files import (
    column_of,
    hierarchies_of,
    load_hierarchies,
    write_hierarchies,
)
from reidrisk.hierarchies.proposed_hierarchies import code_system, proposed
from reidrisk.records.text_forms import text_form

VALUES = {"age": ["17", "18", "23", "40"], "sex": ["f", "m"], "zip": ["1011", "1012", "2040"]}


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_bytes(
        gzip.compress(text.encode(), mtime=0) if name.endswith(".gz") else text.encode()
    )
    return folder


def test_a_folder_of_csv_files(tmp_path: Path) -> None:
    written(tmp_path, "age.csv", "17,10-19,*\n18,10-19,*\n23,20-29,*\n40,40-49,*\n")
    written(tmp_path, "people_hierarchy_sex.csv.gz", "f;*\nm;*\n")
    found = load_hierarchies(tmp_path, VALUES)
    assert set(found) == {"age", "sex"}
    age = found["age"]
    assert age.height == 2
    assert age.labels(["17", "40"], 1) == ["10-19", "40-49"]
    assert age.labels(["17", "40"], 0) == ["17", "40"]
    assert age.labels(["17", "40"], 2) == ["*", "*"]
    assert found["sex"].height == 1


RULES = """
[age]
bands = [5, 10]
bottom = 18
top = 40

[zip]
digits = [3, 1]

[sex]
groups = [{ anybody = ["f", "m"] }]
"""


def test_rules(tmp_path: Path) -> None:
    found = load_hierarchies(written(tmp_path, "rules.toml", RULES), VALUES)
    assert found["age"].labels(VALUES["age"], 1) == ["<18", "15-19", "20-24", "40+"]
    assert found["age"].labels(VALUES["age"], 2) == ["<18", "10-19", "20-29", "40+"]
    assert found["zip"].labels(VALUES["zip"], 1) == ["101", "101", "204"]
    assert found["zip"].labels(VALUES["zip"], 2) == ["1", "1", "2"]
    assert found["sex"].labels(["f", "m"], 1) == ["anybody", "anybody"]


DATES = ["1929-05-01", "1931-01-01", "1984-03-01T10:00:00", "1999-12-31", "2000-01-01"]


def test_ends_of_dates(tmp_path: Path) -> None:
    rules = "[born]\nbands=['1y', '10y']\nbottom=1930-01-01\ntop=2000-01-01\n"
    found = load_hierarchies(written(tmp_path, "rules.toml", rules), {"born": DATES})["born"]
    assert found.labels(DATES, 1) == ["<1930-01-01", "1931", "1984", "1999", "2000-01-01+"]
    assert found.labels(DATES, 2) == [
        "<1930-01-01", "1930-1939", "1980-1989", "1990-1999", "2000-01-01+",
    ]  # fmt: skip


def test_ends_alone_leave_the_rest_as_recorded(tmp_path: Path) -> None:
    found = load_hierarchies(written(tmp_path, "rules.toml", "[age]\ntop=20\nbottom=18\n"), VALUES)
    assert found["age"].height == 2
    assert found["age"].labels(VALUES["age"], 1) == ["<18", "18", "20+", "20+"]


def test_numbers_in_groups_are_values_in_their_one_form(tmp_path: Path) -> None:
    rules = "[age]\ngroups=[{young=[17, 18.0], old=['23', 40]}]\n"
    found = load_hierarchies(written(tmp_path, "rules.toml", rules), VALUES)
    assert found["age"].labels(VALUES["age"], 1) == ["young", "young", "old", "old"]


def test_a_value_is_not_told_in_an_error(tmp_path: Path) -> None:
    """Labels of a hierarchy may be named, unless the column holds them as values."""
    folder = written(tmp_path, "zip.csv", "1011,1011,a\n1012,1011,b\n2040,2040,b\n")
    with pytest.raises(InputError, match="a value of level 1 belongs to several") as refused:
        load_hierarchies(folder, VALUES)
    assert "1011" not in str(refused.value)
    written(tmp_path, "zip.csv", "1011,a\n1012,b\n1011,b\n")
    with pytest.raises(InputError, match="line 3 disagrees") as refused:
        load_hierarchies(folder, VALUES)
    assert "1011" not in str(refused.value)


@pytest.mark.parametrize(
    "held", [b"no gzip at all", gzip.compress(b"f,*\nm,*\n" * 99, mtime=0)[:-20]]
)
def test_a_broken_gzip_file(tmp_path: Path, held: bytes) -> None:
    (tmp_path / "sex.csv.gz").write_bytes(held)
    with pytest.raises(InputError, match="isn't a whole gzip file"):
        load_hierarchies(tmp_path, VALUES)


ODD = st.text(st.sampled_from("aé日;|,\t\"' #-0123456789.*?"), min_size=1, max_size=6)


@given(st.lists(ODD.map(text_form), max_size=12, unique=True))
def test_what_is_saved_can_be_given_back(values: list[str | None]) -> None:
    held = {"odd": [value for value in values if value is not None]}
    used = {"odd": proposed("odd", held["odd"])}
    with tempfile.TemporaryDirectory() as folder:
        write_hierarchies(used, held, folder)
        again = load_hierarchies(Path(folder), held)["odd"]
    assert again.height == used["odd"].height
    for level in range(again.height + 1):
        assert again.labels(held["odd"], level) == used["odd"].labels(held["odd"], level)


BAD = {
    "age.csv": [
        ("17,10-19\n18,10-19\n", "no label for 2 of the 4 values"),
        ("17,a,A\n18,a,B\n23,b,B\n40,b,B\n", "'a' of level 1 belongs to several labels"),
        ("17\n18\n", "one column only"),
        ("17,a\n17,b\n18,a\n23,a\n40,a\n", "line 2 disagrees with one before it"),
        ("17,a,b\n18,a\n", "fewer than 3 columns"),
    ],
    "size.csv": [("1,2\n", "for none of the columns")],
    "rules.toml": [
        ("[size]\nbands=[5]\n", "which is no column"),
        ("[age]\nbands=5\n", "is a list"),
        ("[age]\nbands=[5]\nfrom=3\n", "'from' is none"),
        ("[age]\n", "one of bands, digits, groups"),
        ("[sex]\nbands=[5]\n", "2 of its 2 values are no number"),
        ("[age]\nbands=[-5]\n", "isn't a positive number"),
        ("[age]\nbands=[2,3]\n", "belongs to several labels"),
        ("[age]\nbands=[5]\ntop='x'\n", "top is neither a number nor a date"),
        ("[age]\nbands=[5]\ntop=nan\n", "top is neither a number nor a date"),
        ("[age]\nbands=[5]\ntop=18\nbottom=30\n", "top isn't above bottom"),
        ("[age]\nbands=[5]\ntop=1990-01-01\nbottom=30\n", "top isn't above bottom"),
        ("[age]\ntop=1990-01-01\n", "4 of its 4 values are no number or date"),
        ("[sex]\ntop=3\n", "2 of its 2 values are no number"),
        ("[zip]\ndigits=[2]\ntop=3\n", "top and bottom go with bands"),
        ("[sex]\ngroups=[{a=['f'],b=['f','m']}]\n", "in two groups"),
        ("[sex]\ngroups=['f']\n", "a level of groups is"),
        ("age = 3\n", "no table of rules"),
        ("[age\n", "isn't TOML"),
    ],
}


@pytest.mark.parametrize(
    ("name", "text", "said"), [(n, t, s) for n, cases in BAD.items() for t, s in cases]
)
def test_what_doesnt_fit(tmp_path: Path, name: str, text: str, said: str) -> None:
    values = VALUES | {"age": ["17", "18", "23", "40"], "ages": ["2", "3", "4", "5"]}
    with pytest.raises(InputError, match=said):
        load_hierarchies(written(tmp_path, name, text), values | {"age": _ages(text)})


def _ages(text: str) -> list[str]:
    """Values that show two widths don't nest."""
    return ["2", "3", "4"] if "[2,3]" in text else VALUES["age"]


def test_two_for_one_column_and_none(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no hierarchies"):
        load_hierarchies(tmp_path, VALUES)
    written(tmp_path, "sex.csv", "f,*\nm,*\n")
    written(tmp_path, "my_sex.csv", "f,*\nm,*\n")
    with pytest.raises(InputError, match="two hierarchies are given for 'sex'"):
        load_hierarchies(tmp_path, VALUES)
    with pytest.raises(InputError, match="there is no"):
        load_hierarchies(tmp_path / "none", VALUES)


def test_the_longest_name_wins() -> None:
    assert column_of(Path("h_marital-status.csv"), ["status", "marital-status"]) == "marital-status"
    assert column_of(Path("age.csv"), ["Age", "age"]) == "age"
    assert column_of(Path("Age.csv.gz"), ["Age", "age"]) == "Age"
    assert column_of(Path("people Marital Status.csv"), ["marital status"]) == "marital status"


def test_a_name_inside_a_word_is_not_meant() -> None:
    with pytest.raises(InputError, match="for none of the columns"):
        column_of(Path("language.csv"), ["age"])


@pytest.mark.parametrize(
    ("values", "heights"),
    [
        ([str(age) for age in range(17, 91)], 5),
        (["f", "m"], 1),
        ([f"{zip_:04d}" for zip_ in range(100, 1900, 7)], 4),
        (["1984-03-01", "1984-03-02", "1984-04-01", "1999-01-01"], 3),
        (["0.1", "0.25", "0.5", "0.9", "3.5"], 2),
        ([str(income) for income in range(1000, 90_000, 37)], 6),
    ],
)
def test_proposed(values: list[str], heights: int) -> None:
    found = proposed("column", values).checked(values)
    assert found.height == heights


ANY_NUMBER = st.one_of(
    st.integers(-5000, 5000).map(str),
    st.decimals(-(10**6), 10**6, places=3).map(str),
    st.floats(allow_nan=False).map(repr),
)


@given(
    st.one_of(
        st.lists(st.integers(-5000, 5000).map(str), min_size=1, max_size=40, unique=True),
        st.lists(ANY_NUMBER.map(text_form), min_size=1, max_size=20, unique=True),
    )
)
@example(["0.00001", "0.00002", "0.00003", "0.00004", "0.00009"])
@example(["1e308", "-1e308", "5e-324", "3"])
def test_proposals_nest(values: list[str]) -> None:
    """Every level of a proposal is a function of the one below, with fewer labels."""
    found = proposed("column", values).checked(values)
    sizes = [len(set(found.labels(values, level))) for level in range(found.height + 1)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == 1


def test_idle_levels_go() -> None:
    levels = ({"a": "A", "b": "B"}, {"a": "x", "b": "x"})
    assert Hierarchy("c", levels).without_idle_levels(["a", "b"]).height == 1


def test_adults_hierarchies_load_as_they_are(shared_data: Path) -> None:
    table = rr.read(shared_data / "adult" / "adult_arx.parquet")
    values = {name: list(table.engine.marginal(name).values) for name in table.columns}
    found = load_hierarchies(shared_data / "adult" / "hierarchies", values)
    heights = {name: each.height for name, each in found.items()}
    assert heights == {
        "age": 4, "education": 3, "marital-status": 2, "native-country": 2, "occupation": 2,
        "race": 1, "salary-class": 1, "sex": 1, "workclass": 2,
    }  # fmt: skip
    lattice = 1
    for height in heights.values():
        lattice *= height + 1
    assert lattice == 12_960


def test_bands_are_joined_by_neighbours() -> None:
    found = proposed("age", ["20-24", "<20", "25–29", "30 to 34", "35-39", "40+"])
    assert found.height == 3
    assert found.labels(["<20", "20-24", "25–29", "40+"], 1) == ["<25", "<25", "25-34", "35+"]
    assert found.labels(["<20", "30 to 34", "35-39", "40+"], 2) == ["<35", "<35", "35+", "35+"]
    found.checked(["20-24", "<20", "25–29", "30 to 34", "35-39", "40+"])
    # Bands that overlap, or a text among them: shown or hidden.
    assert proposed("age", ["0-10", "5-15", "20-30", "40-50"]).height == 1
    assert proposed("age", ["0-9", "10-19", "20-29", "unknown"]).height == 1


@pytest.mark.parametrize(
    ("name", "values", "first", "coarser"),
    [
        ("diagnosis", ["E11.9", "E11.65", "E10.1", "I10", "J45.909", "J44.0"], "E11.9", "E11"),
        ("icd10", ["E119", "E1165", "E101", "I10", "J45909", "J440"], "E119", "E11"),
        ("diag_1", ["250.01", "250.83", "251", "V57", "8", "E850.1"], "250.01", "250"),
        ("diag_1", ["250.01", "250.83", "251", "V57", "8", "E850.1"], "V57", "V50-V59"),
        ("diag_1", ["250.01", "250.83", "251", "V57", "8", "E850.1"], "8", "000-009"),
        ("x", ["SW1A 1AA", "SW1A 2BB", "SW1P 3CC", "M1 1AE", "EC1A1BB"], "SW1A 1AA", "SW1A"),
        ("x", ["SW1A 1AA", "SW1A 2BB", "SW1P 3CC", "M1 1AE", "EC1A1BB"], "EC1A1BB", "EC"),
        ("x", ["1011AB", "1011 AC", "1012AB", "2040AA", "2045AA"], "1011 AC", "1011"),
        ("x", ["K1A 0B1", "K1A0B2", "K1B 1A1", "M5V 3L9"], "K1A 0B1", "K1A"),
        ("zip", ["02139", "02140", "90210", "90211-1234"], "90211-1234", "9021"),
        ("zip", ["12345", "12346", "90210", "12399"], "12345", "123"),
        ("x", ["25-1011", "25-1012", "25-2011", "11-1021"], "25-1011", "25-101"),
        ("isco08", ["2511", "2512", "3512", "3513"], "2511", "251"),
    ],
)
def test_codes_become_coarser_by_their_first_characters(
    name: str, values: list[str], first: str, coarser: str
) -> None:
    found = proposed(name, [*values, "?"]).checked([*values, "?"])
    assert coarser in {found.label(first, level) for level in range(1, found.height)}
    assert {found.label("?", level) for level in range(1, found.height)} == {"?"}


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("income", ["12345", "12346", "90210", "12399"]),  # numbers, unless the name says more
        ("room", ["A1", "B2", "C3"]),
        ("diagnosis", ["asthma", "E11.9"]),
    ],
)
def test_what_are_no_codes(name: str, values: list[str]) -> None:
    assert code_system(name, values) is None


def test_codes_are_said() -> None:
    _, said = hierarchies_of(None, {"diagnosis": ["E11.9", "E11.65", "E10.1", "I10"]}, [])
    assert any("first characters of its codes (ICD-10)" in sentence for sentence in said)


def test_a_hole_is_named_only_in_the_file_asked_for(tmp_path: Path) -> None:
    given = written(tmp_path, "age.csv", "17,10-19,*\n18,10-19,*\n99,90-99,*\n")
    table = rr.read({"age": [17, 18, 23, 40] * 3})
    with pytest.raises(InputError, match="no label for 2 of the 4 values") as fault:
        rr.generalise(table, k=2, hierarchies=given)
    assert "23" not in str(fault.value)
    assert "--save-hierarchies" in fault.value.hint
    folder = tmp_path / "completed"
    with pytest.raises(InputError, match="begins with the values that have none") as fault:
        rr.generalise(table, k=2, hierarchies=given, save_hierarchies=folder)
    assert "23" not in fault.value.message
    path = folder / "age.csv"
    assert path.stat().st_mode & 0o077 == 0
    lines = path.read_text().splitlines()
    assert lines == ["23,,*", "40,,*", "17,10-19,*", "18,10-19,*", "99,90-99,*"]
    # What is still open is no label.
    with pytest.raises(InputError, match="no label for 2 of the 4 values"):
        rr.generalise(table, k=2, hierarchies=folder)
    path.write_text(path.read_text().replace(",,", ",20+,"))
    assert rr.generalise(table, k=2, hierarchies=folder).levels == {"age": 0}
