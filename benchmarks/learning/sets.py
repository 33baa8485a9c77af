"""Which columns of which public tables: sets chosen by hand, and sets drawn by a rule.

Chosen are quasi-identifiers as somebody might know them and a column worth learning, named before
any was measured; none is dropped. Drawn are the first `SETS` sets of `model_error.column_sets` of
each table of at most `MOST_PEOPLE` people, without those of more than `MOST_COLUMNS` columns; one
column of each set, drawn by a seeded generator among those of at most `MOST_VALUES` values, is
taken as sensitive.

Where people have several rows statistics count the set of values that somebody has in each column,
and so does what they are held against; whoever knows how many rows somebody has learns more.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import reidrisk as rr
from benchmarks.accuracy.real_tables import FILES, RealTable
from benchmarks.model_error.column_sets import SOURCES, Source, column_sets, loaded

SETS, MOST_PEOPLE, MOST_COLUMNS, MOST_VALUES = 2, 300_000, 7, 100
PEOPLE = "people of the row"


class Chosen(NamedTuple):
    """Columns that may be known of a table's people, and one that may be learnt."""

    table: str
    columns: tuple[str, ...]
    sensitive: str
    person: str | None = None


def _chosen(table: str, columns: str, sensitive: str, person: str | None = None) -> Chosen:
    return Chosen(table, tuple(columns.split()), sensitive, person)


CHOSEN = (
    _chosen("adult", "age sex race marital-status", "occupation"),
    _chosen("adult", "age sex education", "salary-class"),
    _chosen("adult", "age sex marital-status native-country", "salary-class"),
    _chosen("adult", "sex race education workclass", "occupation"),
    _chosen("adult", "age sex race marital-status education native-country", "salary-class"),
    _chosen("diabetes130", "race gender age", "medical_specialty"),
    _chosen("diabetes130", "race gender age", "readmitted"),
    _chosen("diabetes130", "race gender age time_in_hospital admission_type_id",
            "medical_specialty"),
    _chosen("diabetes130", "gender age payer_code discharge_disposition_id", "readmitted"),
    _chosen("diabetes130", "race gender age", "readmitted", "patient_nbr"),
    _chosen("census_kdd", "age sex race", "income_gt_50k"),
    _chosen("census_kdd", "age sex race marital_stat education", "income_gt_50k"),
    _chosen("census_kdd", "age sex state_of_previous_residence race", "marital_stat"),
    _chosen("census_kdd", "age sex education", "major_occupation_code"),
    _chosen("census_kdd", "age sex race hispanic_origin", "class_of_worker"),
    _chosen("nist_national2019", "PUMA AGEP SEX", "PINCP_DECILE"),
    _chosen("nist_national2019", "PUMA AGEP SEX RAC1P", "PINCP_DECILE"),
    _chosen("nist_national2019", "AGEP SEX MSP EDU", "INDP_CAT"),
    _chosen("nist_national2019", "PUMA SEX RAC1P HISP", "DREM"),
    _chosen("nist_national2019", "AGEP SEX RAC1P EDU", "DPHY"),
)  # fmt: skip


class Records(NamedTuple):
    """A set of columns: read with the sensitive one beside the others, and with all alike."""

    table: str
    columns: tuple[str, ...]
    sensitive: str
    counted: rr.Table
    published: rr.Table
    chosen: bool
    person: str | None = None


def chosen_records(asked: Chosen, data: Path) -> Records:
    """One that was chosen by hand; every cell as text, an empty one a value of its own."""
    names = [*asked.columns, asked.sensitive]
    held = pq.read_table(data / FILES[asked.table], columns=[*names, *filter(None, [asked.person])])
    texts = {
        name: pc.fill_null(pc.cast(held[name], "string"), "(empty)") for name in held.column_names
    }
    table = pa.table(texts)
    if asked.person is None:
        told: dict[str, object] = {"rows_are_people": True}
        return _records(asked.table, asked.columns, asked.sensitive, table, told, True)
    of_sets = _records(
        asked.table, asked.columns, asked.sensitive, _sets_of(table, asked.person),
        {"rows_are_people": True}, True,
    )  # fmt: skip
    published = rr.read(table, columns=names, person=asked.person)
    return of_sets._replace(published=published, person=asked.person)


def _sets_of(table: pa.Table, person: str) -> pa.Table:
    """One row a person: of each other column the set of their values, as one text."""
    names = [name for name in table.column_names if name != person]
    held = table.group_by(person).aggregate([(name, "distinct") for name in names])
    return pa.table({
        name: [" + ".join(sorted(values)) for values in held[f"{name}_distinct"].to_pylist()]
        for name in names
    })  # fmt: skip


def _records(
    table: str,
    columns: tuple[str, ...],
    sensitive: str,
    held: pa.Table,
    told: dict[str, object],
    chosen: bool,
) -> Records:
    return Records(
        table,
        columns,
        sensitive,
        rr.read(held, columns=list(columns), sensitive=sensitive, **told),  # type: ignore[arg-type]
        rr.read(held, columns=[*columns, sensitive], **told),  # type: ignore[arg-type]
        chosen,
    )


def drawn_records(source: Source, data: Path, seed: int) -> Iterator[Records]:
    """The sets of one table that are drawn by the rule."""
    table = loaded(source, data)
    if table.n > MOST_PEOPLE:
        return
    sets = [each for each in column_sets(source.table, table.columns, table.n, seed)
            if len(each) <= MOST_COLUMNS]  # fmt: skip
    for number, names in enumerate(sets[:SETS]):
        rng = np.random.default_rng([seed, SOURCES.index(source), number])
        few = [name for name in names
               if len(table.values[table.columns.index(name)]) <= MOST_VALUES]  # fmt: skip
        if not few:
            continue
        sensitive = few[int(rng.integers(len(few)))]
        columns = tuple(name for name in names if name != sensitive)
        held = _as_texts(table, [*columns, sensitive])
        yield _records(source.table, columns, sensitive, held, {"count": PEOPLE}, False)


def _as_texts(table: RealTable, names: list[str]) -> pa.Table:
    places = [table.columns.index(name) for name in names]
    held = {
        name: pa.DictionaryArray.from_arrays(
            table.codes[:, place], [f"v{value}" for value in table.values[place]]
        )
        for name, place in zip(names, places, strict=True)
    }
    return pa.table({**held, PEOPLE: table.people})
