"""Totals under any name are no people: recognised, or refused where they are the sum of others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import reidrisk as rr
from reidrisk.errors import InputError
from reidrisk.statistics.statistics import Statistics
from reidrisk.statistics.tables.cells import speaks_of_total


@pytest.fixture
def typed(tmp_path: Path) -> Any:
    def make(text: str, name: str = "t", **given: Any) -> Statistics:
        path = tmp_path / f"{name}.csv"
        path.write_text(text, encoding="utf-8")
        return rr.compile(path, **given)

    return make


@pytest.mark.parametrize(
    "total",
    ["Totaal mannen en vrouwen", "Total men and women", "Männer und Frauen zusammen",
     "Population totale", "All ages", "Alle leeftijden", "Tous les âges"],
)  # fmt: skip
def test_labels_that_speak_of_the_total(typed: Any, total: str) -> None:
    held = typed(f"age,m,f,{total}\n17,10,20,30\n18,5,6,11\n", "age_by_sex")
    assert held.records == 41
    held = typed(f"sex,n\nm,10\nf,20\nx,30\n{total},60\n")
    assert held.records == 60


@pytest.mark.parametrize("label", ["Totally blind", "All Saints", "Allen", "Ensembles", "Summer"])
def test_labels_that_dont(label: str) -> None:
    assert not speaks_of_total(label)


def test_beside_a_total_they_are_values(typed: Any) -> None:
    held = typed("sex,n\nTotal men,10\nTotal women,20\nTotal,30\n")
    assert list(held.attribute("sex").counts) == ["Total men", "Total women"]


REGIONS = "region,n\nNorth,300\n  a,100\n  b,200\nSouth,500\n  c,100\n  d,150\n  e,250\n"
DOUBLED = {
    "regions under subtotals": (REGIONS, "'North' is the sum of the 2 lines below it: .*'South'"),
    "subtotals below": (
        "region,n\na,100\nb,200\nNorth,300\nc,100\nd,150\ne,250\nSouth,500\n",
        "'South' is the sum of the 3 lines above it",
    ),
    "one subtotal": (
        "region,n\nA,700\nB,800\nSouth,600\nc,123\nd,156\ne,321\nZ,900\n",
        "'South' is the sum of the 3 lines below it: is it a subtotal",
    ),
    "everyone, unnamed": ("sex,n\nm,10\nf,20\nx,31\nhelemaal,61\n", "sum of the 3 lines above"),
    "everyone, in the middle": ("sex,n\nm,10\nhelemaal,61\nf,20\nx,31\n", "sum of all 3 others"),
    "two of many people": ("sex,n\nm,40112\nf,35211\nboth,75323\n", "sum of the 2 lines above"),
    "across": (
        "age \\ sex,m,f,both\n17,10,20,30\n18,15,16,31\n",
        "'both' is the sum of the 2 values before it",
    ),
    "held back in part": (
        "age \\ sex,m,f,both\n17,10,20,30\n18,15,16,31\n19,x,16,31\n",
        "'both' is the sum of the 2 values before it",
    ),
    "a long table": (
        "age,sex,n\n17,m,10\n17,f,20\n17,both,30\n18,m,15\n18,f,16\n18,both,31\n",
        "'both' is the sum of the 2 values before it",
    ),
    "with a total that shows it": (REGIONS + "Total,800\n", "total is 800.*'North' is the sum"),
}


@pytest.mark.parametrize("written", DOUBLED)
def test_sums_are_refused(typed: Any, written: str) -> None:
    text, said = DOUBLED[written]
    with pytest.raises(InputError, match=f"(?s){said}"):
        typed(text)


CHANCE = {
    "small numbers": "a,n\np,1\nq,2\nr,3\ns,6\n",
    "two summands": "a,n\np,10\nq,20\nr,30\n",
    "the tail of many ages": "a,n\n"
    + "".join(f"{age},{n}\n" for age, n in enumerate([*range(900, 800, -1), 60, 30, 20, 10])),
    "empty lines": "a \\ b,p,q\nx1,50,60\ny,50,60\nz,0,0\n",
    "small two-way": "a \\ b,p,q\nx1,1,1\ny,1,0\nz,0,1\n",
}


@pytest.mark.parametrize("written", CHANCE)
def test_sums_by_chance_are_values(typed: Any, written: str) -> None:
    assert typed(CHANCE[written]).records > 0


def test_what_is_known_of_everyone_settles_it(typed: Any) -> None:
    values = "a,n\np,600\nq,123\nr,156\ns,321\n"
    with pytest.raises(InputError, match="subtotal"):
        typed(values)
    assert typed(values, records=1200).records == 1200
    assert typed(values + "Total,1200\n").records == 1200
