"""The public tables that full reruns look for: their files below --data, and where each is had."""

from __future__ import annotations

from typing import NamedTuple


class PublicTable(NamedTuple):
    """A table: what it is, its file below the directory, its source."""

    title: str
    file: str
    source: str


TABLES = {
    "adult": PublicTable(
        "Adult, complete records (30,162 people, nine columns)",
        "adult/adult_arx.parquet",
        "ARX's example data: the complete rows of Adult's training file",
    ),
    "adult_whole": PublicTable(
        "Adult, all records (48,842 people, 14 columns)",
        "adult/adult.parquet",
        "UCI Machine Learning Repository, Adult (doi:10.24432/C5XW20): training and test file",
    ),
    "adult_hierarchies": PublicTable(
        "Adult's generalisation hierarchies",
        "adult/hierarchies",
        "ARX's example data: one CSV a column, values from fine to coarse",
    ),
    "adult_k3": PublicTable(
        "Adult anonymised to k = 3", "adult/adult_anonymized_k3.parquet", "pyCANON's example data"
    ),
    "adult_k10": PublicTable(
        "Adult anonymised to k = 10", "adult/adult_anonymized_k10.parquet", "pyCANON's example data"
    ),
    "adult_k20": PublicTable(
        "Adult anonymised to k = 20", "adult/adult_anonymized_k20.parquet", "pyCANON's example data"
    ),
    "census_kdd": PublicTable(
        "Census-Income (KDD), 299,285 people, 41 columns",
        "census_kdd/census_kdd.parquet",
        "UCI Machine Learning Repository, Census-Income KDD (doi:10.24432/C5N30T)",
    ),
    "belgium": PublicTable(
        "Belgium's register of 1 January 2015, 11,209,044 people",
        "belgium_2015/belgium_2015.parquet",
        "Statbel, population by municipality, age, sex, nationality and civil status",
    ),
}
