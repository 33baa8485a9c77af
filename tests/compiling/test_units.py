"""Tables in thousands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from reidrisk.errors import InputError
from reidrisk.records.read_options import ReadOptions
from reidrisk.statistics.statistics import Suppressed
from reidrisk.statistics.tables.cells import times_of, without_unit
from reidrisk.statistics.tables.compilation import Compiled, compiled

SAID = {
    "in 1 000": (1000, ""),
    "Population in thousands": (1000, "Population"),
    "Bevölkerung (in Tausend)": (1000, "Bevölkerung"),
    "people (thousands)": (1000, "people"),
    "Bevolking, x 1 000": (1000, "Bevolking"),
    "aantal (x 1 000)": (1000, "aantal"),
    "Population, en milliers": (1000, "Population"),
    "in 1000 Personen": (1000, ""),
    "Thousands of persons": (1000, ""),
    "in 1,000": (1000, ""),
    "Population ('000)": (1000, "Population"),
    "in Millionen": (1_000_000, ""),
    "x 1 000 000": (1_000_000, ""),
    "per 1 000": (1, "per 1 000"),
    "towns of more than ten thousand inhabitants": (1, None),
    "Thousand Oaks": (1, "Thousand Oaks"),
    "people in Thousand Oaks": (1, None),
    "income (x 1 000 euro)": (1, None),
    "in 1000 towns": (1, "in 1000 towns"),
    "people in 1995": (1, "people in 1995"),
}


@pytest.mark.parametrize("text", SAID)
def test_what_a_text_says(text: str) -> None:
    times, left = SAID[text]
    assert times_of(text) == times
    assert without_unit(text) == (text if left is None else left)


@pytest.fixture
def made(tmp_path: Path) -> Any:
    def make(tables: dict[str, str], **given: Any) -> Compiled:
        paths = []
        for name, text in tables.items():
            paths.append(tmp_path / name)
            paths[-1].write_text(text, encoding="utf-8")
        return compiled(paths, given.get("records"), None, None, "", ReadOptions())

    return make


THOUSANDS = {
    "a title": ("sex.csv", "Population in thousands,\n\nsex,people\nf,52.5\nm,47.5\n"),
    "a title with a comma": ("sex.csv", "Bevolking (x 1,000)\n\nsex,n\nf,52.5\nm,47.5\n"),
    "a heading": ("sex.csv", "sex,people (thousands)\nf,52.5\nm,47.5\n"),
    "a German heading": ("sex.csv", "sex;in 1 000\nf;52,5\nm;47,5\nInsgesamt;100,0\n"),
    "a note below": ("sex.csv", "sex,n\nf,52.5\nm,47.5\n\nin thousands\n"),
    "a corner": ("p.csv", "age \\ sex (en milliers),f,m\n17,20.0,40.0\n18,32.5,7.5\n"),
    "above the labels": (
        "age_by_sex.csv",
        ",Personen in Tausend,\nage,f,m\n17,20.0,40.0\n18,32.5,7.5\n",
    ),
}


@pytest.mark.parametrize("where", THOUSANDS)
def test_thousands_are_multiplied(made: Any, where: str) -> None:
    name, text = THOUSANDS[where]
    held = made({name: text})
    assert dict(held.statistics.attribute("sex").counts) == {"f": 52_500, "m": 47_500}
    assert held.statistics.records == 100_000
    assert held.statistics.rounded_to == 100
    assert "multiplied by 1,000" in held.read[0]


def test_totals_of_thousands_may_miss_by_rounding(made: Any) -> None:
    held = made({"a.csv": "in thousands\na,n\np,12\nq,13\nr,<5\nTotal,27\n"}).statistics
    assert held.rounded_to == 1000
    assert held.records == 27_000
    assert held.attribute("a").counts["r"] == Suppressed(5000)
    with pytest.raises(InputError, match="total is 40,000"):
        made({"a.csv": "in thousands\na,n\np,12\nq,13\nTotal,40\n"})


def test_thousands_beside_exact_counts(made: Any) -> None:
    exact = "sex,n\nf,52480\nm,47530\n"
    held = made({"age.csv": "age,in 1 000\n17,40\n18,60\n", "sex.csv": exact}).statistics
    assert held.records == 100_010
    assert dict(held.attribute("sex").counts) == {"f": 52480, "m": 47530}
    assert held.rounded_to == 1000


def test_an_attribute_in_thousands_is_no_count_in_thousands(made: Any) -> None:
    held = made({"t.csv": "income (thousands),people\n10,5\n20,6\n"}).statistics
    assert held.records == 11


def test_per_cent_stay_per_cent(made: Any) -> None:
    held = made({"t.csv": "in thousands\n\nsex,%\nf,52\nm,48\n"}, records=100).statistics
    assert held.records == 100


def test_fractions_of_people_are_refused(made: Any) -> None:
    with pytest.raises(InputError, match="fractions of people"):
        made({"t.csv": "in thousands\n\nsex,n\nf,52.12345\nm,48.1\n"})
