"""Published and independently known answers on real tables."""

from __future__ import annotations

from pathlib import Path

import pytest

import reidrisk as rr

ADULT = ["age", "education", "occupation", "relationship", "sex", "native-country"]


@pytest.mark.parametrize("engine", ["codes", "duckdb"])
@pytest.mark.parametrize(("k", "crowds"), [(3, 2838), (10, 463), (20, 90)])
def test_adult_anonymised_to_k(shared_data: Path, k: int, crowds: int, engine: str) -> None:
    table = shared_data / "adult" / f"adult_anonymized_k{k}.parquet"
    risk = rr.measure(rr.read(table, columns=ADULT, engine=engine))
    assert (risk.smallest_crowd, risk.distinct) == (k, crowds)
    assert risk.highest_risk == 1 / k


def test_adult_nine_columns(shared_data: Path) -> None:
    risk = rr.measure(rr.read(shared_data / "adult" / "adult_arx.parquet"))
    assert (risk.people, risk.distinct) == (30_162, 19_502)
    assert risk.alone_share == pytest.approx(0.5143, abs=5e-5)


PLACE = ["municipality", "age", "sex"]


@pytest.mark.parametrize("engine", ["codes", "duckdb"])
@pytest.mark.parametrize(
    ("more", "alone"),
    [
        ([], 2_221),
        (["nationality"], 20_930),
        (["civil_status"], 35_259),
        (["nationality", "civil_status"], 90_565),
    ],
)
def test_belgium(shared_data: Path, more: list[str], alone: int, engine: str) -> None:
    table = shared_data / "belgium_2015" / "belgium_2015.parquet"
    risk = rr.measure(rr.read(table, columns=PLACE + more, count="count", engine=engine))
    assert risk.people == 11_209_044
    assert risk.alone.people == alone


def test_belgium_says_what_to_do_with_its_counts(shared_data: Path) -> None:
    table = rr.read(shared_data / "belgium_2015" / "belgium_2015.parquet")
    assert "count" not in table.columns
    assert "--count count" in table.unit.warning


def test_patients_who_recur(shared_data: Path) -> None:
    path = shared_data / "diabetes130" / "diabetes130.parquet"
    table = rr.read(path)
    assert "--person patient_nbr" in table.unit.warning
    columns = ["race", "gender", "age"]
    persons = rr.read(path, columns=columns, person="patient_nbr")
    assert persons.people == 71_518
    assert rr.measure(persons).people == 71_518
    slow = rr.read(path, columns=columns, person="patient_nbr", engine="duckdb")
    assert rr.measure(slow).crowd_sizes == rr.measure(persons).crowd_sizes


def test_wildcard_of_many_patterns(shared_data: Path) -> None:
    """Counted twice: by patterns, and by comparing every pair of 3,000 records."""
    import pyarrow.parquet as pq

    columns = ["sex", "age", "edu", "occup_code", "ptft", "partner_works", "work_hrs_week"]
    rows = pq.read_table(shared_data / "atus" / "atus.parquet", columns=columns).slice(0, 3000)
    table = rr.read(rows, columns=columns, missing="wildcard")
    each = table.engine.crowd_of_each().read_all().column("crowd").to_numpy()
    coded = [table.engine.coded[name] for name in columns]
    import numpy as np

    agree = np.ones((3000, 3000), dtype=bool)
    for column in coded:
        code, gap = column.codes.astype(int), column.gaps
        agree &= (code[:, None] == code[None, :]) | gap[:, None] | gap[None, :]
    assert np.array_equal(each, agree.sum(axis=1))
