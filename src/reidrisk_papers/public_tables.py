"""The public tables that full reruns look for: their files below --data, and where each is had."""

from __future__ import annotations

from typing import NamedTuple


class PublicTable(NamedTuple):
    """A table: what it is, its file below the directory, its columns, its source."""

    title: str
    file: str
    columns: str
    source: str


_UCI = "UCI Machine Learning Repository"
_SEVEN = "age, education, occupation, relationship, sex, native-country, salary-class"


def _anonymised(k: int) -> PublicTable:
    file = f"adult/adult_anonymized_k{k}.parquet"
    source = f"pyCANON's example data, adult_anonymized_{k}.csv"
    return PublicTable(f"Adult anonymised to k = {k}", file, _SEVEN, source)


TABLES = {
    "adult": PublicTable(
        "Adult, complete records (30,162 people)",
        "adult/adult_arx.parquet",
        "sex, age, race, marital-status, education, native-country, workclass, occupation, "
        "salary-class",
        "ARX's example data, adult.csv: the complete rows of Adult's training file",
    ),
    "adult_whole": PublicTable(
        "Adult, all records (48,842 people)",
        "adult/adult.parquet",
        "age, workclass, fnlwgt, education, education-num, marital-status, occupation, "
        "relationship, race, sex, capital-gain, capital-loss, hours-per-week, native-country, "
        "salary, split (train or test; it and fnlwgt aren't looked at)",
        f"{_UCI}, Adult (doi:10.24432/C5XW20): adult.data and adult.test, ? kept",
    ),
    "adult_hierarchies": PublicTable(
        "Adult's generalisation hierarchies",
        "adult/hierarchies",
        "a folder of adult_hierarchy_COLUMN.csv.gz, values from fine to coarse, separated by ;",
        "ARX's example data",
    ),
    "adult_k3": _anonymised(3),
    "adult_k10": _anonymised(10),
    "adult_k20": _anonymised(20),
    "census_kdd": PublicTable(
        "Census-Income (KDD), 299,285 people",
        "census_kdd/census_kdd.parquet",
        "the 40 attributes and the income class, under any names; instance_weight and split "
        "aren't looked at",
        f"{_UCI}, Census-Income KDD (doi:10.24432/C5N30T): both files",
    ),
    "belgium": PublicTable(
        "Belgium's register of 1 January 2015, 11,209,044 people",
        "belgium_2015/belgium_2015.parquet",
        "municipality, district, province, region, age, sex, nationality, civil_status, count "
        "(people in the row)",
        "Statbel open data, TF_SOC_POP_STRUCT_2015",
    ),
}
