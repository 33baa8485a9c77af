"""Questions in SQL: what a dialect can't be asked says so."""

from __future__ import annotations

import pytest

from reidrisk.errors import ContradictoryOptions
from reidrisk.records.sql import queries
from reidrisk.records.sql.dialects import of_database


def test_people_of_several_rows_where_a_database_has_no_list_of_them() -> None:
    how = of_database("mysql", lambda name: f"`{name}`")
    for question in (
        queries.crowd_sizes_of_persons,
        queries.people_by_rows,
        queries.described_persons,
    ):
        with pytest.raises(ContradictoryOptions, match=r"database of this kind \(mysql\)"):
            question("people", ["a"], how)
    assert "string_agg" in queries.crowd_sizes_of_persons(
        "people", ["a"], of_database("postgresql", lambda name: f'"{name}"')
    )


def test_rows_are_told_by_their_keys() -> None:
    rows = [("a", None), (None, "12:b"), ("-", "3")]
    keys = "".join(queries.key_of(row) for row in rows)
    assert queries.rows_of(keys, 2) == rows
    assert queries.rows_of("", 2) == []
